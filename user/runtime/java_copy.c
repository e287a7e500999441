/* SPDX-License-Identifier: BSD-2-Clause */
/* A copy of the library, for a JVM that does not see gnomon's own. Its name is
 * removed as soon as the JVM has loaded it, or gnomon has ended. */
#include <errno.h>
#include <fcntl.h>
#include <sys/capability.h>
#include <sys/wait.h>
#include <unistd.h>

#include "runtime/apart.h"
#include "runtime/java_attach_parts.h"

void gn_java_copy_init(struct gn_java_copy *c)
{
	gn_copy_init(&c->copy);
	c->leash = -1;
}

static bool drop_rights(void)
{
	cap_t none = cap_init();
	bool dropped = none && !cap_set_proc(none);

	cap_free(none);
	return dropped;
}

/* Holds the lock, so that nothing is left when another gnomon gets that. */
static _Noreturn void guard(struct gn_copy *copy, int leash, int lock)
{
	int *const kept[] = {&leash, &lock, &copy->folder};
	char c;

	gn_apart_settle(kept, 3);
	if (gn_copy_become(copy) || !drop_rights())
		_exit(1);
	while (read(leash, &c, 1) < 0 && errno == EINTR)
		;
	gn_copy_remove(copy);
	_exit(0);
}

static int start_guard(struct gn_java_copy *c, int lock)
{
	int ends[2], err = 0;

	if (pipe2(ends, O_CLOEXEC))
		return -errno;
	c->guard = gn_apart_fork();
	if (c->guard < 0)
		err = -errno;
	if (!c->guard) {
		close(ends[1]);
		guard(&c->copy, ends[0], lock);
	}
	close(ends[0]);
	if (err)
		close(ends[1]);
	else
		c->leash = ends[1];
	return err;
}

/* The guard starts first, so that the copy never stays behind. */
static int make(struct gn_java_copy *c, pid_t pid, int from, int lock)
{
	int err = gn_copy_choose(&c->copy, pid, from);

	if (!err)
		err = start_guard(c, lock);
	return err ? err : gn_copy_make(&c->copy, from);
}

int gn_java_copy_bring(struct gn_java_copy *c, pid_t pid, const char *library,
		       int lock, char *why)
{
	int from = open(library, O_RDONLY | O_CLOEXEC);
	int err = from < 0 ? -errno : gn_copy_find(&c->copy, pid, from);

	if (!err)
		err = make(c, pid, from, lock);
	if (from >= 0)
		close(from);
	if (err < 0)
		gn_attach_tell_no_copy(pid, library, err, why);
	return err < 0 ? err : 0;
}

void gn_java_copy_remove(struct gn_java_copy *c)
{
	if (c->leash < 0)
		return;
	close(c->leash);
	c->leash = -1;
	while (waitpid(c->guard, NULL, 0) < 0 && errno == EINTR)
		;
}

void gn_java_copy_close(struct gn_java_copy *c)
{
	gn_java_copy_remove(c);
	gn_copy_close(&c->copy);
}
