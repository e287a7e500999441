/* SPDX-License-Identifier: BSD-2-Clause */
/* A session's begin and end: all that it owns. */
#include "capture/session_internal.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <bpf/libbpf.h>

#include <gnomon/control.h>

#include "capture/prepare.h"
#include "capture/setter.h"
#include "capture/sleds.h"
#include "capture/sources.h"
#include "gnomon.skel.h"
#include "runtime/runtime.h"

int gn_session_new(const struct gn_session_opts *opts, struct gn_session **out)
{
	struct gn_session *s = calloc(1, sizeof(*s));

	if (!s)
		return -ENOMEM;
	s->opts = *opts;
	s->pids = calloc(opts->npids + 1, sizeof(*s->pids));
	if (s->pids && opts->npids)
		memcpy(s->pids, opts->pids, opts->npids * sizeof(*s->pids));
	s->opts.pids = s->pids;
	s->functions.next = 1;
	s->iter_start = -1;
	s->iter_stop = -1;
	s->ring_fd = -1;
	s->wake = -1;
	s->child = (struct gn_child){-1, -1, -1, -1, 0};
	s->links = gn_links_new();
	s->mute = opts->can_mute ? gn_mute_new() : NULL;
	/* the live view shows no source lines */
	s->sources =
		opts->live ? NULL
			   : gn_sources_new(gn_session_put, s, !opts->command);
	s->unseen = gn_unseen_new(
		opts->user.uid, opts->npids > 0,
		gn_prepare_methods(s, gn_runtime_of(GN_RUNTIME_HOTSPOT)),
		opts->asked, opts->nasked);
	s->outside = opts->live ? NULL : gn_outside_new();
	if (gn_specs_init(&s->specs) || !s->pids || !s->links || !s->unseen ||
	    gn_written_new(s) || (opts->can_mute && !s->mute) ||
	    (!opts->live && (!s->outside || !s->sources))) {
		gn_unseen_free(s->unseen);
		gn_outside_free(s->outside);
		gn_sources_free(s->sources);
		gn_links_free(s->links, NULL);
		gn_written_free(s->written);
		gn_mute_free(s->mute);
		gn_specs_free(&s->specs);
		free(s->pids);
		free(s);
		return -ENOMEM;
	}
	*out = s;
	return 0;
}

static void close_fd(int fd)
{
	if (fd >= 0)
		close(fd);
}

void gn_session_free(struct gn_session *s)
{
	if (!s)
		return;
	gn_priority_end(&s->priority);
	gn_running_end(s);
	gn_session_detach(s);
	gn_setter_stop(s);
	gn_running_free(s->active);
	free(s->managed_filter);
	free(s->managed_values);
	gn_mute_free(s->mute);
	gn_child_close(&s->child);
	for (size_t i = 0; s->pidfds && i < s->opts.npids; i++)
		close_fd(s->pidfds[i]);
	free(s->pidfds);
	free(s->pids);
	close_fd(s->iter_start);
	close_fd(s->iter_stop);
	close_fd(s->wake);
	bpf_link__destroy(s->iter);
	bpf_link__destroy(s->signals);
	gn_fast_free(s->fast);
	if (s->ring_ahead)
		close_fd(gn_ring_ahead_end(s->ring_ahead));
	gn_attach_ahead_end(s->attach_ahead);
	gn_attach_ahead_end(s->nop5_ahead);
	ring_buffer__free(s->ring);
	gnomon_bpf__destroy(s->skel);
	gn_later_free(s->later);
	gn_gate_free(s->gate);
	free(s->setups);
	gn_functions_clear(&s->functions);
	gn_sleds_free(s);
	gn_probes_free(&s->probes);
	gn_files_free(&s->files);
	gn_filter_free(s->filter);
	gn_values_free(s);
	gn_unseen_free(s->unseen);
	gn_sources_free(s->sources);
	gn_outside_free(s->outside);
	gn_sampler_free(s->sampler);
	gn_launch_clear(&s->launch);
	gn_specs_free(&s->specs);
	gn_unwanted_free(&s->unwanted);
	free(s->cpus.folder);
	free(s->memory.folder);
	free(s->command);
	free(s);
}
