/* SPDX-License-Identifier: BSD-2-Clause */
#include "capture/meter_pairs.h"

#include <errno.h>
#include <unistd.h>

#include <gnomon/hook.h>
#include "capture/attach.h"
#include "capture/session_internal.h"
#include "capture/unwanted.h"

static int link_site(struct gn_session *s, struct gn_links *links,
		     enum gn_cal_site site, enum gn_prog prog,
		     unsigned int spec)
{
	bool first = site == GN_CAL_FIRST || site == GN_CAL_FIRST_RET;
	bool hook = prog == GN_PROG_MANAGED || prog == GN_PROG_INTERNED;
	uint64_t cookie = GN_COOKIE(hook ? 1 : GN_UNWANTED_METER, 8, spec) |
			  (first ? GN_COOKIE_PAGE : 0);
	uint64_t offset;
	struct gn_probe_set set = {.path = GN_CAL_PATH,
				   .offsets = &offset,
				   .cookies = &cookie,
				   .count = 1,
				   .pid = first ? 0 : getpid()};
	size_t refused = 0;
	int err = gn_calibrate_offset(site, &offset);

	if (!err)
		err = gn_session_link(s, links, prog, &set, &refused);
	return err ? err : refused ? -EOPNOTSUPP : 0;
}

/* Links an enter, and its leave at another site. */
static int link_both(struct gn_session *s, struct gn_links *links,
		     enum gn_prog prog, enum gn_cal_site enter,
		     enum gn_cal_site leave)
{
	int err = link_site(s, links, enter, prog, GN_SPEC_ENTER);

	return err ? err : link_site(s, links, leave, prog, GN_SPEC_LEAVE);
}

static int link_call(struct gn_session *s, struct gn_links *links,
		     enum gn_cal_site site)
{
	int err;

	if (s->mode == GN_ATTACH_SESSION)
		return link_site(s, links, site, GN_PROG_SESSION,
				 GN_SPEC_ENTER);
	err = link_site(s, links, site, GN_PROG_NATIVE, GN_SPEC_ENTER);
	return err ? err
		   : link_site(s, links, site, GN_PROG_NATIVE_RETURN,
			       GN_SPEC_LEAVE);
}

/* Links hooks whose function is named by texts. */
static int link_named(struct gn_session *s, struct gn_links *links)
{
	int err = link_site(s, links, GN_CAL_ENTER_NAMED, GN_PROG_INTERNED,
			    s->measured[0]);

	return err ? err
		   : link_site(s, links, GN_CAL_LEAVE_NAMED, GN_PROG_INTERNED,
			       s->measured[1]);
}

static int link_pair(struct gn_session *s, struct gn_links *links,
		     const struct gn_meter_pair *pair)
{
	int err;

	switch (pair->calls) {
	case GN_CAL_RETS:
		err = link_both(s, links, GN_PROG_NATIVE, GN_CAL_OUTER,
				GN_CAL_OUTER_RET);
		return err ? err
			   : link_both(s, links, GN_PROG_NATIVE, GN_CAL_INNER,
				       GN_CAL_INNER_RET);
	case GN_CAL_CALLS:
		err = link_call(s, links, GN_CAL_OUTER_CALL);
		return err ? err : link_call(s, links, GN_CAL_INNER_CALL);
	case GN_CAL_HOOKS1:
		return link_both(s, links, GN_PROG_MANAGED, GN_CAL_ENTER1,
				 GN_CAL_LEAVE1);
	case GN_CAL_HOOKS5:
		return link_both(s, links, GN_PROG_MANAGED, GN_CAL_ENTER5,
				 GN_CAL_LEAVE5);
	case GN_CAL_NAMED:
		return link_named(s, links);
	}
	return -EINVAL;
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
	unsigned int n = 0;

	for (int i = 0; i < GN_METER_PAIRS; i++)
		if (all[i].used && !link_pair(s, links, &all[i].pair))
			pairs[n++] = all[i].pair;
	*now = n;
	for (int i = 0; i < GN_METER_PAIRS; i++)
		if (!all[i].used && all[i].later &&
		    !link_pair(s, links, &all[i].pair))
			pairs[n++] = all[i].pair;
	return n;
}

bool gn_meter_link_first(struct gn_session *s, struct gn_links *links)
{
	const struct gn_native_stats *native = &s->native;
	/* a program that the command executes can need any class */
	bool awaited =
		s->opts.command && !native->functions && gn_session_awaits(s);

	if (native->by_return || awaited)
		return !link_call(s, links, GN_CAL_FIRST);
	return (native->by_ret || native->begins) &&
	       !link_both(s, links, GN_PROG_NATIVE, GN_CAL_FIRST,
			  GN_CAL_FIRST_RET);
}
