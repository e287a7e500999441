/* SPDX-License-Identifier: BSD-2-Clause */
#include "live_contained.h"

#include <dirent.h>
#include <errno.h>
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

char *live_contained_folder(struct live *t)
{
	return live_text(t, "%s/own", t->dir);
}

void live_contain(struct live *t, const char *hidden, const char *options,
		  const char *mounts, const struct live_args *command,
		  struct live_contained *c)
{
	char *folder = live_contained_folder(t);
	struct live_args a = {.n = 0};

	CHECK(t, !mkdir(folder, 0755) || errno == EEXIST, "mkdir: %s",
	      strerror(errno));
	live_add(t, &a, "/usr/bin/env", live_text(t, "TMPDIR=%s", folder),
		 "unshare", "-m", "-p", "--fork", "sh", "-c",
		 live_text(t,
			   "mount -t proc none /proc && "
			   "mount -t tmpfs none '%s' && "
			   "mount -t tmpfs -o %s none '%s' && %s && "
			   "exec \"$@\"",
			   hidden, options, folder, mounts),
		 "sh", NULL);
	for (size_t i = 0; i < command->n; i++)
		live_add(t, &a, command->word[i], NULL);
	live_talk(t, &a, &c->unshare);
	free(live_await(t, c->unshare.out, "ready"));
	c->inside = c->unshare;
	c->inside.pid = live_child(t, c->unshare.pid, NULL);
	CHECK(t, c->inside.pid > 0, "no child of %d", (int)c->unshare.pid);
}

char *live_contained_noexec(struct live *t)
{
	static const char *const folders[] = {"/tmp", "/var/tmp", "/dev/shm"};
	char *mounts = live_text(t, "true");

	for (int i = 0; i < 3; i++)
		mounts = live_text(t,
				   "%s && mount --bind %s %s && "
				   "mount -o remount,bind,noexec %s",
				   mounts, folders[i], folders[i], folders[i]);
	return mounts;
}

void live_contained_no_room(struct live *t, const struct live_contained *c,
			    const char *filter)
{
	struct live_args a = {.n = 0};
	struct live_end end;

	live_add(t, &a, t->gnomon, "run", "-f", filter, "-p",
		 live_text(t, "%d", (int)c->inside.pid), NULL);
	live_run(t, &a, NULL, &end);
	live_expect_line(
		t, &end, 1,
		"and no /tmp of it has room for an executable copy that no "
		"other user can change; mount that folder there at the same "
		"path, or let its user read the file");
}

void live_contained_empty(struct live *t, const struct live_contained *c,
			  const char *folder)
{
	DIR *dir = opendir(
		live_text(t, "/proc/%d/root%s", (int)c->inside.pid, folder));
	const struct dirent *e;

	CHECK(t, dir, "%s: %s", folder, strerror(errno));
	while ((e = readdir(dir)))
		CHECK(t, fnmatch("gnomon-?????????????????.so", e->d_name, 0),
		      "%s is left", e->d_name);
	closedir(dir);
}

void live_contained_finish(struct live *t, struct live_contained *c)
{
	live_contained_empty(t, c, live_contained_folder(t));
	CHECK(t, live_finish(t, &c->unshare) == 0, "the program failed");
}
