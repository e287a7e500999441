/* SPDX-License-Identifier: BSD-2-Clause */
/* A .NET program that cannot see gnomon's library: it has its own mounts, as in
 * a container, and its own PIDs. */
#include "clr.h"

#include <dirent.h>
#include <errno.h>
#include <fnmatch.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* `unshare` is what the test started, `inside` the program as gnomon sees
 * it. */
struct contained {
	struct live_talk unshare, inside;
};

static pid_t child_of(struct live *t, pid_t pid)
{
	pid_t child = live_child(t, pid, NULL);

	CHECK(t, child > 0, "no child of %d", (int)pid);
	return child;
}

/* A folder for temporary files. */
static char *own_folder(struct live *t)
{
	return live_text(t, "%s/own", t->dir);
}

/* Starts the fixture after these mounts, with that folder; `as` starts it. */
static void contain(struct live *t, const char *options, const char *mounts,
		    const char *as, struct contained *c)
{
	char *folder = strdup(getenv("CLR_LIBRARY"));
	struct live_args a = {.n = 0};

	CHECK(t, folder && strrchr(folder, '/'), "no library");
	CHECK(t, !mkdir(own_folder(t), 0755) || errno == EEXIST, "mkdir: %s",
	      strerror(errno));
	*strrchr(folder, '/') = '\0';
	live_add(t, &a, "/usr/bin/env",
		 live_text(t, "TMPDIR=%s", own_folder(t)), "unshare", "-m",
		 "-p", "--fork", "sh", "-c",
		 live_text(t,
			   "mount -t proc none /proc && "
			   "mount -t tmpfs none '%s' && "
			   "mount -t tmpfs -o %s none '%s' && %s && "
			   "exec %s '%s' '%s' served",
			   folder, options, own_folder(t), mounts, as,
			   getenv("DOTNET"), clr_copy_demo(t)),
		 NULL);
	free(folder);
	live_talk(t, &a, &c->unshare);
	free(live_await(t, c->unshare.out, "ready"));
	c->inside = c->unshare;
	c->inside.pid = child_of(t, c->unshare.pid);
}

/* Checks that no file of gnomon is in a folder of the container. */
static void expect_none(struct live *t, const struct contained *c,
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

static void finish(struct live *t, struct contained *c)
{
	expect_none(t, c, own_folder(t));
	CHECK(t, live_finish(t, &c->unshare) == 0, "the program failed");
}

/* The library is loaded once, and found again after its name is gone. */
void test_attach_container(struct live *t)
{
	struct contained c;

	clr_need(t);
	contain(t, "rw", "true", "", &c);
	for (int i = 0; i < 3; i++) {
		clr_session(t, &c.inside,
			    i == 1 ? "--hooks uprobe -f Demo.Service.*"
				   : "-f Demo.Service.*",
			    "run 50", 0);
		expect_none(t, &c, own_folder(t));
	}
	finish(t, &c);
}

void test_attach_container_killed(struct live *t)
{
	struct contained c;
	struct live_talk gnomon;

	clr_need(t);
	contain(t, "rw", "true", "", &c);
	for (int i = 0; i < 3; i++) {
		clr_attach(t, &c.inside, "-f Demo.Service.*", &gnomon);
		clr_serve(t, &c.inside, "run 20");
		CHECK(t, kill(gnomon.pid, SIGKILL) == 0, "kill: %s",
		      strerror(errno));
		live_wait(t, &gnomon);
		clr_await_lock(t, c.inside.pid);
		expect_none(t, &c, own_folder(t));
	}
	clr_session(t, &c.inside, "-f Demo.Service.*", "run 50", 0);
	finish(t, &c);
}

/* gnomon does not use a folder in which no program may run. */
void test_attach_container_noexec(struct live *t)
{
	struct contained c;

	clr_need(t);
	contain(t, "noexec", "true", "", &c);
	clr_session(t, &c.inside, "-f Demo.Service.*", "run 50", 0);
	expect_none(t, &c, "/tmp");
	finish(t, &c);
}

/* If no other folder exists, nothing happens. */
void test_attach_container_none(struct live *t)
{
	static const char *const folders[] = {"/tmp", "/var/tmp", "/dev/shm"};
	char *mounts = live_text(t, "true");
	struct live_args a = {.n = 0};
	struct live_end end;
	struct contained c;

	clr_need(t);
	for (int i = 0; i < 3; i++)
		mounts = live_text(t,
				   "%s && mount --bind %s %s && "
				   "mount -o remount,bind,noexec %s",
				   mounts, folders[i], folders[i], folders[i]);
	contain(t, "noexec", mounts, "", &c);
	live_add(t, &a, t->gnomon, "run", "-f", "Demo.*", "-p",
		 live_text(t, "%d", (int)c.inside.pid), NULL);
	live_run(t, &a, NULL, &end);
	live_expect_line(
		t, &end, 1,
		"and no /tmp of it has room for an executable copy that no "
		"other user can change; mount that folder there at the same "
		"path, or let its user read the file");
	finish(t, &c);
}

/* The copy belongs to the user, who has no rights to files of others. */
void test_attach_container_user(struct live *t)
{
	struct contained c;

	clr_need(t);
	if (access("/usr/bin/setpriv", X_OK))
		live_skip(t, "there is no setpriv");
	contain(t, "uid=65534,mode=0700", "true",
		"/usr/bin/setpriv --reuid=65534 --regid=65534 --clear-groups",
		&c);
	for (int i = 0; i < 2; i++)
		clr_session(t, &c.inside, "-f Demo.Service.*", "run 50", 0);
	finish(t, &c);
}
