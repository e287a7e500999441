/* SPDX-License-Identifier: BSD-2-Clause */
/* A .NET program that cannot see gnomon's library: it has its own mounts, as in
 * a container, and its own PIDs. */
#include "clr.h"
#include "live_contained.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Starts the fixture in a container. */
static void contain(struct live *t, const char *options, const char *mounts,
		    bool as_nobody, struct live_contained *c)
{
	char *folder = live_text(t, "%s", getenv("CLR_LIBRARY"));
	struct live_args a = {.n = 0};

	CHECK(t, strrchr(folder, '/'), "no library");
	*strrchr(folder, '/') = '\0';
	if (as_nobody)
		live_add(t, &a, "/usr/bin/setpriv", "--reuid=65534",
			 "--regid=65534", "--clear-groups", NULL);
	live_add(t, &a, getenv("DOTNET"), clr_copy_demo(t), "served", NULL);
	live_contain(t, folder, options, mounts, &a, c);
}

/* The library is loaded once, and found again after its name is gone. */
void test_attach_container(struct live *t)
{
	struct live_contained c;

	clr_need(t);
	contain(t, "rw", "true", false, &c);
	for (int i = 0; i < 3; i++) {
		clr_session(t, &c.inside,
			    i == 1 ? "--hooks uprobe -f Demo.Service.*"
				   : "-f Demo.Service.*",
			    "run 50", 0);
		live_contained_empty(t, &c, live_contained_folder(t));
	}
	live_contained_finish(t, &c);
}

void test_attach_container_killed(struct live *t)
{
	struct live_contained c;
	struct live_talk gnomon;

	clr_need(t);
	contain(t, "rw", "true", false, &c);
	for (int i = 0; i < 3; i++) {
		clr_attach(t, &c.inside, "-f Demo.Service.*", &gnomon);
		clr_serve(t, &c.inside, "run 20");
		CHECK(t, kill(gnomon.pid, SIGKILL) == 0, "kill: %s",
		      strerror(errno));
		live_wait(t, &gnomon);
		clr_await_lock(t, c.inside.pid);
		live_contained_empty(t, &c, live_contained_folder(t));
	}
	clr_session(t, &c.inside, "-f Demo.Service.*", "run 50", 0);
	live_contained_finish(t, &c);
}

/* gnomon does not use a folder in which no program may run. */
void test_attach_container_noexec(struct live *t)
{
	struct live_contained c;

	clr_need(t);
	contain(t, "noexec", "true", false, &c);
	clr_session(t, &c.inside, "-f Demo.Service.*", "run 50", 0);
	live_contained_empty(t, &c, "/tmp");
	live_contained_finish(t, &c);
}

/* If no other folder exists, nothing happens. */
void test_attach_container_none(struct live *t)
{
	struct live_contained c;

	clr_need(t);
	contain(t, "noexec", live_contained_noexec(t), false, &c);
	live_contained_no_room(t, &c, "Demo.*");
	live_contained_finish(t, &c);
}

/* The copy belongs to the user, who has no rights to files of others. */
void test_attach_container_user(struct live *t)
{
	struct live_contained c;

	clr_need(t);
	if (access("/usr/bin/setpriv", X_OK))
		live_skip(t, "there is no setpriv");
	contain(t, "uid=65534,mode=0700", "true", true, &c);
	for (int i = 0; i < 2; i++)
		clr_session(t, &c.inside, "-f Demo.Service.*", "run 50", 0);
	live_contained_finish(t, &c);
}
