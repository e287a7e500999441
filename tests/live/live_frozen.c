/* SPDX-License-Identifier: BSD-2-Clause */
/* A program in a control group that freezes it or lacks memory, like one in a
 * container. */
#include "live_group.h"

#include <inttypes.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define FROZEN_MS 100

/* A frozen program does not wait for what its system call waits for. */
void test_frozen(struct live *t)
{
	char *group = live_group(t), *path = live_path(t, "frozen.json");
	struct live_args a = {.n = 0};
	struct live_talk gnomon;
	uint64_t since, told;
	json_t *report;
	char *line;

	live_add(t, &a, t->gnomon, "run", "--format", "json", "-o", path, "--",
		 "/bin/sh", "-c", "echo pid $$; exec cat", NULL);
	live_talk(t, &a, &gnomon);
	line = live_await(t, gnomon.out, "pid ");
	live_group_add(t, group, atoi(line + strlen("pid ")));
	free(line);
	live_tell(t, &gnomon, "echo");
	free(live_await(t, gnomon.out, "echo"));
	live_group_freeze(t, group, true);
	since = live_now();
	live_pause(FROZEN_MS);
	since = live_now() - since;
	live_group_freeze(t, group, false);
	CHECK(t, live_finish(t, &gnomon) == 0, "gnomon failed");
	rmdir(group);
	report = live_load(t, path);
	told = live_number(t, report, "session.classes.other");
	CHECK(t, told >= since,
	      "%" PRIu64 " ns of other waits, frozen for %" PRIu64, told,
	      since);
}

#define STARVING_BYTES (24 << 20)

/* A report says that a program was killed because its memory ran out. */
void test_starved(struct live *t)
{
	char *group = live_group_memory(t, STARVING_BYTES);
	char *path = live_path(t, "starved.trace"), *line;
	struct live_args a = {.n = 0};
	struct live_talk gnomon;
	struct live_end end;
	int code;

	live_add(t, &a, t->gnomon, "record", "-o", path, "--", "/bin/sh", "-c",
		 "echo pid $$; read line; "
		 "exec dd if=/dev/zero of=/dev/null bs=256M",
		 NULL);
	live_talk(t, &a, &gnomon);
	line = live_await(t, gnomon.out, "pid ");
	live_group_add(t, group, atoi(line + strlen("pid ")));
	live_tell(t, &gnomon, "eat");
	code = live_wait(t, &gnomon);
	rmdir(group);
	CHECK(t, code == 128 + SIGKILL, "gnomon ended with %d", code);
	a = (struct live_args){.n = 0};
	live_add(t, &a, t->gnomon, "report", "-i", path, NULL);
	live_run(t, &a, NULL, &end);
	CHECK(t,
	      strstr(end.out, "was killed by SIGKILL because memory ran out"),
	      "the report does not say why: %s", end.out);
}
