/* SPDX-License-Identifier: BSD-2-Clause */
#include "process/groups.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "process/inside.h"

struct walk {
	gn_group_fn take;
	void *ctx;
};

/* The group and its ancestors. */
static void outwards(const struct walk *w, const char *root,
		     const char *hierarchy, const char *group, bool second)
{
	size_t len = strnlen(group, PATH_MAX);
	char path[2 * PATH_MAX];

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

static bool has(char *controllers, const char *controller)
{
	char *next = controllers, *one;

	while ((one = strsep(&next, ",")))
		if (!strcmp(one, controller))
			return true;
	return false;
}

/* "4:memory:/a/b" with version 1, "0::/a/b" with version 2, which can be
 * mounted at two places. */
void gn_groups_each(char *groups, const char *root, const char *controller,
		    gn_group_fn take, void *ctx)
{
	struct walk w = {take, ctx};
	char hierarchy[32], *line;

	snprintf(hierarchy, sizeof(hierarchy), "/%s", controller);
	while ((line = strsep(&groups, "\n"))) {
		char *controllers = strchr(line, ':');
		char *group = controllers ? strchr(controllers + 1, ':') : NULL;

		if (!group)
			continue;
		*group++ = '\0';
		if (!controllers[1]) {
			outwards(&w, root, "", group, true);
			outwards(&w, root, "/unified", group, true);
		} else if (has(controllers + 1, controller)) {
			outwards(&w, root, hierarchy, group, false);
		}
	}
}

void gn_groups_of(pid_t pid, const char *controller, gn_group_fn take,
		  void *ctx)
{
	char text[8192];

	gn_inside_read(pid, "cgroup", text, sizeof(text));
	gn_groups_each(text, GN_GROUPS_ROOT, controller, take, ctx);
}

FILE *gn_group_open(const char *folder, const char *name)
{
	char path[2 * PATH_MAX + 32];

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	return fopen(path, "re");
}
