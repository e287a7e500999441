/* SPDX-License-Identifier: BSD-2-Clause */
/* A gnomon that is attached to processes which run already. */
#include "live.h"

#include <signal.h>

char *live_attach(struct live *t, const char *options, const char *pids,
		  struct live_talk *gnomon)
{
	char *path = live_path(t, "report.json");
	struct live_args a = {.n = 0};

	live_add(t, &a, t->gnomon, "run", "--format", "json", "-o", path, "-p",
		 pids, NULL);
	live_split(t, &a, options);
	live_talk(t, &a, gnomon);
	live_await(t, gnomon->err, "gnomon: attached");
	return path;
}

void live_interrupt(struct live *t, const struct live_talk *gnomon)
{
	CHECK(t, kill(gnomon->pid, SIGINT) == 0, "gnomon has ended by itself");
}

json_t *live_attached(struct live *t, struct live_talk *gnomon,
		      const char *path)
{
	int code = live_wait(t, gnomon);

	CHECK(t, code == 0, "gnomon ended with %d after SIGINT", code);
	return live_load(t, path);
}

json_t *live_detach(struct live *t, struct live_talk *gnomon, const char *path)
{
	json_t *report;

	live_interrupt(t, gnomon);
	report = live_attached(t, gnomon, path);
	live_clean(t, report);
	return report;
}
