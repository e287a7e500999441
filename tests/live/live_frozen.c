/* SPDX-License-Identifier: BSD-2-Clause */
/* A program in a frozen control group, like a paused container. */
#include "live.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define PATIENCE  2000 /* number of pauses */
#define FROZEN_MS 100

/* Makes a control group of v2 for this test alone. */
static char *make_group(struct live *t)
{
	static const char *const roots[] = {"/sys/fs/cgroup",
					    "/sys/fs/cgroup/unified"};

	for (size_t i = 0; i < sizeof(roots) / sizeof(*roots); i++) {
		char *group = live_text(t, "%s/gnomon-test-%d", roots[i],
					(int)getpid());

		if (access(live_text(t, "%s/cgroup.controllers", roots[i]),
			   F_OK) ||
		    mkdir(group, 0755))
			continue;
		if (!access(live_text(t, "%s/cgroup.freeze", group), W_OK))
			return group;
		rmdir(group);
	}
	live_skip(t, "no control groups of v2 can be made");
}

static void put(struct live *t, const char *group, const char *file, int value)
{
	FILE *f = fopen(live_text(t, "%s/%s", group, file), "we");

	CHECK(t, f && fprintf(f, "%d", value) > 0 && !fclose(f),
	      "%s/%s cannot be written", group, file);
}

static void await_frozen(struct live *t, const char *group, bool frozen)
{
	const char *want = frozen ? "frozen 1" : "frozen 0";

	for (int i = 0; i < PATIENCE; i++) {
		FILE *f = fopen(live_text(t, "%s/cgroup.events", group), "re");
		char text[128] = "";
		size_t n = f ? fread(text, 1, sizeof(text) - 1, f) : 0;

		if (f)
			fclose(f);
		text[n] = '\0';
		if (strstr(text, want))
			return;
		live_pause(1);
	}
	live_fail(t, "the group does not become %s", want);
}

/* A frozen program does not wait for what its system call waits for. */
void test_frozen(struct live *t)
{
	char *group = make_group(t), *path = live_path(t, "frozen.json");
	struct live_args a = {.n = 0};
	struct live_talk gnomon;
	uint64_t since, told;
	json_t *report;
	char *line;

	live_add(t, &a, t->gnomon, "run", "--format", "json", "-o", path, "--",
		 "/bin/sh", "-c", "echo pid $$; exec cat", NULL);
	live_talk(t, &a, &gnomon);
	line = live_await(t, gnomon.out, "pid ");
	put(t, group, "cgroup.procs", atoi(line + strlen("pid ")));
	free(line);
	live_tell(t, &gnomon, "echo");
	free(live_await(t, gnomon.out, "echo"));
	put(t, group, "cgroup.freeze", 1);
	await_frozen(t, group, true);
	since = live_now();
	live_pause(FROZEN_MS);
	since = live_now() - since;
	put(t, group, "cgroup.freeze", 0);
	await_frozen(t, group, false);
	CHECK(t, live_finish(t, &gnomon) == 0, "gnomon failed");
	rmdir(group);
	report = live_load(t, path);
	told = live_number(t, report, "session.classes.other");
	CHECK(t, told >= since,
	      "%" PRIu64 " ns of other waits, frozen for %" PRIu64, told,
	      since);
}
