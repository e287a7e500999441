/* SPDX-License-Identifier: BSD-2-Clause */
#include "process/groups.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "process/inside.h"

struct walk {
	gn_group_fn take;
	void *ctx;
};

/* The group and its ancestors. */
static void outwards(const struct walk *w, const char *root,
		     const char *hierarchy, const char *group, size_t len,
		     bool second)
{
	char path[2 * PATH_MAX];

	len = len < PATH_MAX ? len : PATH_MAX;
	for (;;) {
		snprintf(path, sizeof(path), "%s%s%.*s", root, hierarchy,
			 (int)len, group);
		w->take(w->ctx, path, second);
		if (!len)
			return;
		do {
			len--;
		} while (len && group[len] != '/');
	}
}

/* Whether a list with commas, up to a colon, has the controller. */
static bool has(const char *list, const char *controller)
{
	for (;; list++) {
		size_t len = strcspn(list, ",:");

		if (len == strlen(controller) && !memcmp(list, controller, len))
			return true;
		list += len;
		if (*list != ',')
			return false;
	}
}

static void each_of_line(const struct walk *w, const char *root,
			 const char *controller, const char *line, size_t len)
{
	const char *list = memchr(line, ':', len);
	const char *end = line + len, *group;
	char hierarchy[32];

	group = list ? memchr(list + 1, ':', (size_t)(end - list) - 1) : NULL;
	if (!group)
		return;
	len = (size_t)(end - ++group);
	if (list[1] == ':') {
		outwards(w, root, "", group, len, true);
		outwards(w, root, "/unified", group, len, true);
	} else if (has(list + 1, controller)) {
		snprintf(hierarchy, sizeof(hierarchy), "/%s", controller);
		outwards(w, root, hierarchy, group, len, false);
	}
}

/* "4:memory:/a/b" with version 1, "0::/a/b" with version 2, which can be
 * mounted at two places. */
void gn_groups_each(const char *groups, const char *root,
		    const char *controller, gn_group_fn take, void *ctx)
{
	struct walk w = {take, ctx};

	for (;; groups++) {
		size_t len = strcspn(groups, "\n");

		each_of_line(&w, root, controller, groups, len);
		groups += len;
		if (!*groups)
			return;
	}
}

void gn_groups_of(pid_t pid, char groups[GN_GROUPS_TEXT])
{
	gn_inside_read(pid, "cgroup", groups, GN_GROUPS_TEXT);
}

static void look_for_frost(void *ctx, const char *folder, bool second)
{
	FILE *f = gn_group_open(folder,
				second ? "cgroup.events" : "freezer.state");
	bool *frozen = ctx;
	char line[64];

	while (f && fgets(line, sizeof(line), f))
		*frozen = *frozen ||
			  !strcmp(line, second ? "frozen 1\n" : "FROZEN\n");
	if (f)
		fclose(f);
}

bool gn_groups_freeze(pid_t pid)
{
	char groups[GN_GROUPS_TEXT];
	bool frozen = false;

	gn_groups_of(pid, groups);
	gn_groups_each(groups, GN_GROUPS_ROOT, "freezer", look_for_frost,
		       &frozen);
	return frozen;
}

bool gn_group_lower(char **least, uint64_t *limit, const char *folder,
		    uint64_t other)
{
	char *copy = *least && *limit <= other ? NULL : strdup(folder);

	if (!copy)
		return false;
	free(*least);
	*least = copy;
	*limit = other;
	return true;
}

FILE *gn_group_open(const char *folder, const char *name)
{
	char path[2 * PATH_MAX + 32];

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	return fopen(path, "re");
}
