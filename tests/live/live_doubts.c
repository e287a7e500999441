/* SPDX-License-Identifier: BSD-2-Clause */
/* What the kernel does not tell, and what makes no sense. */
#include "live.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define N PRIu64

/* Whether a look-up of what BPF programs keep of a task can fail. */
static bool lookups_fail(struct live *t)
{
	FILE *f = fopen("/proc/kallsyms", "re");
	char *line = NULL;
	bool fail = true;
	size_t size = 0;

	CHECK(t, f, "no /proc/kallsyms");
	while (fail && getline(&line, &size, f) > 0)
		fail = !strstr(line, " bpf_task_storage_get_recur\n");
	fclose(f);
	return fail;
}

/* Wakeups come while another program has the kernel look something up: where
 * it then looks nothing up for gnomon, that is a loss, and of that cause. */
void test_storage_busy(struct live *t)
{
	char *path = live_path(t, "report.json");
	bool fail = lookups_fail(t);
	struct live_args a = {.n = 0};
	struct live_end end;
	json_t *report;
	uint64_t busy;

	live_add(t, &a, t->gnomon, "run", "-f", "brief", "--format", "json",
		 "-o", path, "--", live_fixture(t, "storage"), NULL);
	live_run(t, &a, NULL, &end);
	CHECK(t, end.code == (fail ? 3 : 0), "gnomon ended with %d: %s",
	      end.code, end.err);
	report = live_load(t, path);
	busy = live_number(t, report, "lost.causes.storage-busy");
	CHECK(t, fail ? busy > 0 : busy == 0,
	      "%" N " look-ups failed where they %s", busy,
	      fail ? "can" : "cannot");
	/* the thread's own are not: its probes are in no look-up */
	CHECK(t, live_function(t, report, NULL, "brief", "calls", NULL) == 4000,
	      "calls are missing");
}
