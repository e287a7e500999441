/* SPDX-License-Identifier: BSD-2-Clause */
/* Situations in which the kernel has no answer. */
#include "live.h"

/* Wakeups come while another program makes the kernel look something up. Before
 * 6.2, task storage then finds nothing; gnomon finds its threads without it. */
void test_storage_busy(struct live *t)
{
	char *path = live_path(t, "report.json");
	struct live_args a = {.n = 0};
	struct live_end end;
	json_t *report;

	live_add(t, &a, t->gnomon, "run", "-f", "brief", "--format", "json",
		 "-o", path, "--", live_fixture(t, "storage"), NULL);
	live_run(t, &a, NULL, &end);
	CHECK(t, end.code == 0, "gnomon ended with %d: %s", end.code, end.err);
	report = live_load(t, path);
	live_clean(t, report);
	CHECK(t, live_function(t, report, NULL, "brief", "calls", NULL) == 4000,
	      "calls are missing");
}
