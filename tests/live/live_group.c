/* SPDX-License-Identifier: BSD-2-Clause */
#include "live_group.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define PATIENCE 2000 /* number of pauses */

char *live_group(struct live *t)
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

void live_group_remove(struct live *t, const char *group)
{
	for (int i = 0; rmdir(group); i++) {
		CHECK(t, errno == EBUSY && i < PATIENCE, "rmdir %s: %s", group,
		      strerror(errno));
		live_pause(1);
	}
}

static void put(struct live *t, const char *group, const char *file, int value)
{
	FILE *f = fopen(live_text(t, "%s/%s", group, file), "we");

	CHECK(t, f && fprintf(f, "%d", value) > 0 && !fclose(f),
	      "%s/%s cannot be written", group, file);
}

/* In v2, the group above has to give its groups the controller. */
static char *memory_group(struct live *t, const char *root, const char *given)
{
	char *group = live_text(t, "%s/gnomon-test-%d", root, (int)getpid());
	FILE *f =
		given ? fopen(live_text(t, "%s/%s", root, given), "we") : NULL;

	if (f) {
		fputs("+memory", f);
		fclose(f);
	}
	return mkdir(group, 0755) ? NULL : group;
}

char *live_group_memory(struct live *t, int bytes)
{
	static const struct {
		const char *root, *given, *limit, *swap;
	} kinds[] = {
		{"/sys/fs/cgroup", "cgroup.subtree_control", "memory.max",
		 "memory.swap.max"},
		{"/sys/fs/cgroup/memory", NULL, "memory.limit_in_bytes",
		 "memory.swappiness"},
	};

	for (size_t i = 0; i < sizeof(kinds) / sizeof(*kinds); i++) {
		char *group = memory_group(t, kinds[i].root, kinds[i].given);

		if (!group)
			continue;
		if (!access(live_text(t, "%s/%s", group, kinds[i].limit),
			    W_OK)) {
			put(t, group, kinds[i].limit, bytes);
			if (!access(live_text(t, "%s/%s", group, kinds[i].swap),
				    W_OK))
				put(t, group, kinds[i].swap, 0);
			return group;
		}
		rmdir(group);
	}
	live_skip(t, "no control groups with limits of memory can be made");
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

void live_group_add(struct live *t, const char *group, pid_t pid)
{
	put(t, group, "cgroup.procs", (int)pid);
}

void live_group_freeze(struct live *t, const char *group, bool frozen)
{
	put(t, group, "cgroup.freeze", frozen);
	await_frozen(t, group, frozen);
}
