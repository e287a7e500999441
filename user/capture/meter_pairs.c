/* SPDX-License-Identifier: BSD-2-Clause */
#include "capture/meter_pairs.h"

#include <errno.h>
#include <unistd.h>

#include <gnomon/hook.h>
#include "capture/attach.h"
#include "capture/session_internal.h"
#include "capture/unwanted.h"

#define SITES_MAX 16 /* of all pairs */

/* The probes of one program. */
struct sites {
	uint64_t offsets[SITES_MAX], cookies[SITES_MAX];
	size_t count;
};

/* All probes of some pairs: as few links as possible, because each takes a
 * while to remove. */
struct probes {
	struct sites of[GN_PROG_COUNT];
	pid_t pid;	/* 0: every process */
	uint64_t flags; /* of all cookies */
};

static int add_site(struct probes *p, enum gn_cal_site site, enum gn_prog prog,
		    unsigned int spec)
{
	bool hook = prog == GN_PROG_MANAGED || prog == GN_PROG_INTERNED;
	struct sites *of = &p->of[prog];
	int err;

	if (of->count == SITES_MAX)
		return -E2BIG;
	err = gn_calibrate_offset(site, &of->offsets[of->count]);
	if (err)
		return err;
	of->cookies[of->count++] =
		GN_COOKIE(hook ? 1 : GN_UNWANTED_METER, 8, spec) | p->flags;
	return 0;
}

/* Adds an enter, and its leave at another site. */
static int add_both(struct probes *p, enum gn_prog prog, enum gn_cal_site enter,
		    enum gn_cal_site leave)
{
	int err = add_site(p, enter, prog, GN_SPEC_ENTER);

	return err ? err : add_site(p, leave, prog, GN_SPEC_LEAVE);
}

static int add_call(const struct gn_session *s, struct probes *p,
		    enum gn_cal_site site)
{
	int err;

	if (s->mode == GN_ATTACH_SESSION)
		return add_site(p, site, GN_PROG_SESSION, GN_SPEC_ENTER);
	err = add_site(p, site, GN_PROG_NATIVE, GN_SPEC_ENTER);
	return err ? err
		   : add_site(p, site, GN_PROG_NATIVE_RETURN, GN_SPEC_LEAVE);
}

/* Adds hooks whose function is named by texts. */
static int add_named(const struct gn_session *s, struct probes *p)
{
	int err = add_site(p, GN_CAL_ENTER_NAMED, GN_PROG_INTERNED,
			   s->measured[0]);

	return err ? err
		   : add_site(p, GN_CAL_LEAVE_NAMED, GN_PROG_INTERNED,
			      s->measured[1]);
}

static int add_pair(const struct gn_session *s, struct probes *p,
		    const struct gn_meter_pair *pair)
{
	int err;

	switch (pair->calls) {
	case GN_CAL_RETS:
		err = add_both(p, GN_PROG_NATIVE, GN_CAL_OUTER,
			       GN_CAL_OUTER_RET);
		return err ? err
			   : add_both(p, GN_PROG_NATIVE, GN_CAL_INNER,
				      GN_CAL_INNER_RET);
	case GN_CAL_CALLS:
		err = add_call(s, p, GN_CAL_OUTER_CALL);
		return err ? err : add_call(s, p, GN_CAL_INNER_CALL);
	case GN_CAL_HOOKS1:
		return add_both(p, GN_PROG_MANAGED, GN_CAL_ENTER1,
				GN_CAL_LEAVE1);
	case GN_CAL_HOOKS5:
		return add_both(p, GN_PROG_MANAGED, GN_CAL_ENTER5,
				GN_CAL_LEAVE5);
	case GN_CAL_NAMED:
		return add_named(s, p);
	}
	return -EINVAL;
}

static int link_all(struct gn_session *s, struct gn_links *links,
		    const struct probes *p)
{
	size_t refused = 0;
	int err = 0;

	for (int prog = 0; !err && prog < GN_PROG_COUNT; prog++) {
		const struct gn_probe_set set = {
			.path = GN_CAL_PATH,
			.offsets = p->of[prog].offsets,
			.cookies = p->of[prog].cookies,
			.count = p->of[prog].count,
			.pid = p->pid,
		};

		err = gn_session_link(s, links, (enum gn_prog)prog, &set,
				      &refused);
	}
	return err ? err : refused ? -EOPNOTSUPP : 0;
}

unsigned int gn_meter_pairs(struct gn_session *s, struct gn_links *links,
			    struct gn_meter_pair pairs[GN_METER_PAIRS],
			    unsigned int *now)
{
	const struct gn_native_stats *native = &s->native;
	bool hooks = gn_session_uses(s, GN_PROG_MANAGED);
	/* programs that children execute later can need any class */
	bool late = gn_session_awaits(s);
	bool unknown = late && !native->functions;
	const struct {
		struct gn_meter_pair pair;
		bool used, later;
	} all[GN_METER_PAIRS] = {
		{{GN_PROBE_EMULATED, GN_PROBE_STEPPED, GN_CAL_RETS,
		  native->by_ret || native->begins || unknown, 0, 0},
		 native->functions || native->usdt,
		 late},
		{{GN_PROBE_CALL, GN_PROBE_RETURN, GN_CAL_CALLS,
		  native->by_return || unknown, 0, 0},
		 native->functions,
		 late},
		{{GN_PROBE_MANAGED, GN_PROBE_MANAGED,
		  s->nop5 ? GN_CAL_HOOKS5 : GN_CAL_HOOKS1, hooks, 0, 0},
		 hooks,
		 false},
		{{GN_PROBE_NAMED, GN_PROBE_NAMED, GN_CAL_NAMED, true, 0, 0},
		 gn_session_uses(s, GN_PROG_INTERNED),
		 false},
	};
	struct probes probes = {.pid = getpid()};
	unsigned int n = 0;

	for (int i = 0; i < GN_METER_PAIRS; i++)
		if (all[i].used && !add_pair(s, &probes, &all[i].pair))
			pairs[n++] = all[i].pair;
	*now = n;
	for (int i = 0; i < GN_METER_PAIRS; i++)
		if (!all[i].used && all[i].later &&
		    !add_pair(s, &probes, &all[i].pair))
			pairs[n++] = all[i].pair;
	if (!link_all(s, links, &probes))
		return n;
	*now = 0;
	return 0;
}

bool gn_meter_link_first(struct gn_session *s, struct gn_links *links)
{
	const struct gn_native_stats *native = &s->native;
	/* a program that the command executes can need any class */
	bool awaited =
		s->opts.command && !native->functions && gn_session_awaits(s);

	struct probes probes = {.flags = GN_COOKIE_PAGE};
	int err = -ENOENT;

	if (native->by_return || awaited)
		err = add_call(s, &probes, GN_CAL_FIRST);
	else if (native->by_ret || native->begins)
		err = add_both(&probes, GN_PROG_NATIVE, GN_CAL_FIRST,
			       GN_CAL_FIRST_RET);
	return !err && !link_all(s, links, &probes);
}
