/* SPDX-License-Identifier: BSD-2-Clause */
/* Links the session's programs to probe sites. */
#include "capture/session_internal.h"

#include <gnomon/control.h>
#include "gnomon.skel.h"

static const struct bpf_program *program_of(struct gn_session *s,
					    enum gn_prog prog, bool multi)
{
	switch (prog) {
	case GN_PROG_SESSION:
		return s->skel->progs.native_session;
	case GN_PROG_NATIVE:
	case GN_PROG_NATIVE_RETURN:
		return multi ? s->skel->progs.native_multi
			     : s->skel->progs.native_perf;
	case GN_PROG_MANAGED:
		return multi ? s->skel->progs.managed_multi
			     : s->skel->progs.managed_perf;
	case GN_PROG_NAME:
		return multi ? s->skel->progs.name_multi
			     : s->skel->progs.name_perf;
	case GN_PROG_INTERNED:
		return multi ? s->skel->progs.names_multi
			     : s->skel->progs.names_perf;
	case GN_PROG_SETUP:
		return multi ? s->skel->progs.setup_multi
			     : s->skel->progs.setup_perf;
	default:
		return NULL;
	}
}

int gn_session_link(struct gn_session *s, struct gn_links *links,
		    enum gn_prog prog, const struct gn_probe_set *set,
		    size_t *refused)
{
	struct gn_probe_set full = *set;
	enum gn_attach_mode mode = s->mode;
	/* another thread attaches what appears later */
	bool first = !s->later;
	int err = 0;

	/* only the session program is of that link type */
	if (mode == GN_ATTACH_SESSION && prog != GN_PROG_SESSION)
		mode = GN_ATTACH_MULTI;
	if (mode == GN_ATTACH_MULTI && set->pid && s->by_thread)
		mode = GN_ATTACH_SINGLE;
	full.prog = program_of(s, prog, mode != GN_ATTACH_SINGLE);
	full.ret = full.ret || prog == GN_PROG_NATIVE_RETURN;
	full.step = first ? s->opts.step : NULL;
	/* a function that can be muted has its own links */
	if (first && s->mode == GN_ATTACH_SINGLE && !set->key &&
	    (!full.ret || s->knows_returns))
		full.groups = &s->groups;
	if (gn_written_begin(s->written, set->file))
		err = gn_links_add(links, mode, &full, refused);
	gn_written_end(s->written);
	return err;
}
