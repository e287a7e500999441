/* SPDX-License-Identifier: BSD-2-Clause */
/* Attaches a set of the session's own probes, or fails the session. Goes on
 * without a process that ends meanwhile. */
#include "capture/session_internal.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "capture/denied.h"
#include "capture/tell.h"

int gn_session_lose(struct gn_session *s, pid_t pid)
{
	size_t i = 0, after;

	while (i < s->opts.npids && s->pids[i] != pid)
		i++;
	if (s->opts.npids && i == s->opts.npids)
		return 0; /* it is lost already */
	if (s->opts.npids < 2)
		return gn_session_fail(s, -ESRCH, 1,
				       "process %d ended while gnomon was "
				       "attaching; start it again",
				       (int)pid);
	after = --s->opts.npids - i;
	memmove(&s->pids[i], &s->pids[i + 1], after * sizeof(*s->pids));
	if (s->pidfds) {
		if (s->pidfds[i] >= 0)
			close(s->pidfds[i]);
		memmove(&s->pidfds[i], &s->pidfds[i + 1],
			after * sizeof(*s->pidfds));
	}
	gn_error("process %d does not run; gnomon traces the others", (int)pid);
	return 0;
}

int gn_session_attach_set(struct gn_session *s, enum gn_prog prog,
			  const struct gn_probe_set *set, const char *path)
{
	struct gn_probe_set full = *set;
	int err;

	full.left_out = gn_functions_left_out;
	full.ctx = &s->functions;
	err = gn_mute_link(s, prog, &full);
	if (err == -ESRCH)
		return gn_session_lose(s, (pid_t)set->pid);
	if (err == -EINTR)
		return gn_session_fail(s, err, 1, "attaching was interrupted");
	if (err)
		return gn_session_fail(
			s, err, 1, "probes cannot be attached to '%s' (%s); %s",
			path, strerror(-err),
			gn_denied_probes(err) ?: "see gnomon list");
	return 0;
}
