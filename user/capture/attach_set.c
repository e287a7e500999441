/* SPDX-License-Identifier: BSD-2-Clause */
/* Attaches a set of the session's own probes, or fails the session. */
#include "capture/session_internal.h"

#include <errno.h>
#include <string.h>

#include "capture/denied.h"

int gn_session_attach_set(struct gn_session *s, enum gn_prog prog,
			  const struct gn_probe_set *set, const char *path)
{
	struct gn_probe_set full = *set;
	int err;

	full.left_out = gn_functions_left_out;
	full.ctx = &s->functions;
	err = gn_mute_link(s, prog, &full);
	if (err == -ESRCH)
		return gn_session_fail(s, err, 1,
				       "process %d ended while gnomon was "
				       "attaching; start it again",
				       (int)set->pid);
	if (err == -EINTR)
		return gn_session_fail(s, err, 1, "attaching was interrupted");
	if (err)
		return gn_session_fail(
			s, err, 1, "probes cannot be attached to '%s' (%s); %s",
			path, strerror(-err),
			gn_denied_probes(err) ?: "see gnomon list");
	return 0;
}
