/* SPDX-License-Identifier: BSD-2-Clause */
/* A JVM that cannot see gnomon's library, as in a container: it gets a copy. */
#include "java.h"
#include "live_contained.h"
#include "live_group.h"

#include <fcntl.h>
#include <libgen.h>
#include <signal.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

static void contain(struct live *t, const char *options, const char *mounts,
		    struct live_contained *c)
{
	struct live_args java = {.n = 0};

	java_need(t);
	java_demo(t, &java, "", "served");
	live_contain(t,
		     live_text(t, "%s/hooksite",
			       dirname(live_text(t, "%s", t->gnomon))),
		     options, mounts, &java, c);
}

/* A session that sees what the program says that it called. */
static void trace(struct live *t, const struct live_contained *c,
		  const char *options)
{
	char *all = live_text(t, "%s", ""), *line, *path;
	struct live_truths truths;
	struct live_talk gnomon;

	path = live_attach(t, options, live_text(t, "%d", (int)c->inside.pid),
			   &gnomon);
	live_contained_empty(t, c, live_contained_folder(t));
	live_tell(t, &c->inside, "kinds 30");
	while (strcmp(line = live_await(t, c->inside.out, ""), "done") != 0)
		all = live_text(t, "%s%s\n", all, line);
	live_truths(t, all, &truths);
	CHECK(t, truths.n > 20, "the program said nothing");
	live_compare(t, &truths, live_detach(t, &gnomon, path), 0);
}

/* The library is loaded once, and found again after its name is gone. */
void java_container(struct live *t)
{
	struct live_contained c;

	contain(t, "rw", "true", &c);
	trace(t, &c, "-f Kinds*");
	trace(t, &c, "--hooks uprobe -f Kinds*");
	trace(t, &c, "-f Kinds*");
	live_contained_finish(t, &c);
}

static bool is_guard(struct live *t, pid_t pid)
{
	return live_is_called(t, pid, "gnomon-guard");
}

/* gnomon is killed while the JVM, which is paused, has yet to load the copy. */
void java_container_killed(struct live *t)
{
	char *group = live_group(t);
	struct live_args a = {.n = 0};
	struct live_contained c;
	struct live_talk gnomon;
	int lock;

	contain(t, "rw", "true", &c);
	live_group_add(t, group, c.inside.pid);
	live_group_freeze(t, group, true);
	live_add(t, &a, t->gnomon, "run", "-f", "Kinds*", "-p",
		 live_text(t, "%d", (int)c.inside.pid), NULL);
	live_talk(t, &a, &gnomon);
	while (!live_child(t, gnomon.pid, is_guard))
		CHECK(t, !kill(gnomon.pid, 0), "gnomon has ended by itself");
	CHECK(t, !kill(gnomon.pid, SIGKILL), "kill failed");
	live_wait(t, &gnomon);
	live_group_freeze(t, group, false);
	lock = open(live_text(t, "/proc/%d", (int)c.inside.pid),
		    O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	CHECK(t, lock >= 0 && !flock(lock, LOCK_EX), "no lock");
	close(lock);
	live_contained_empty(t, &c, live_contained_folder(t));
	trace(t, &c, "-f Kinds*");
	live_contained_finish(t, &c);
	live_group_remove(t, group);
}

/* gnomon does not wait for ever, and says why. */
void java_container_paused(struct live *t)
{
	char *group = live_group(t);
	struct live_args a = {.n = 0};
	struct live_contained c;
	struct live_end end;

	contain(t, "rw", "true", &c);
	live_group_add(t, group, c.inside.pid);
	live_group_freeze(t, group, true);
	live_add(t, &a, t->gnomon, "run", "-f", "Kinds*", "-p",
		 live_text(t, "%d", (int)c.inside.pid), NULL);
	live_run(t, &a, NULL, &end);
	live_expect_line(t, &end, 1,
			 live_text(t,
				   "process %d does not answer: its control "
				   "group is frozen, as of a paused container; "
				   "continue that",
				   (int)c.inside.pid));
	live_group_freeze(t, group, false);
	trace(t, &c, "-f Kinds*");
	live_contained_finish(t, &c);
	live_group_remove(t, group);
}

/* Without a folder for the copy, gnomon says so. */
void java_container_none(struct live *t)
{
	struct live_contained c;

	contain(t, "noexec", live_contained_noexec(t), &c);
	live_contained_no_room(t, &c, "Kinds*");
	live_contained_finish(t, &c);
}
