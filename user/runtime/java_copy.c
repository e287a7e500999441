/* SPDX-License-Identifier: BSD-2-Clause */
/* A copy of the library, for a JVM that does not see gnomon's own. Its name is
 * removed as soon as the JVM has loaded it, or gnomon has ended. */
#include <errno.h>
#include <fcntl.h>
#include <sys/capability.h>
#include <unistd.h>

#include "runtime/java_attach_parts.h"

void gn_java_copy_init(struct gn_java_copy *c)
{
	gn_copy_init(&c->copy);
	c->guard.leash = -1;
}

static bool drop_rights(void)
{
	cap_t none = cap_init();
	bool dropped = none && !cap_set_proc(none);

	cap_free(none);
	return dropped;
}

/* Holds the lock, so that nothing is left when another gnomon gets that. */
static void guard(void *ctx, int leash)
{
	struct gn_java_copy *j = ctx;
	int *const kept[] = {&leash, &j->lock, &j->copy.folder};
	char c;

	gn_apart_settle(kept, 3);
	if (gn_copy_become(&j->copy) || !drop_rights())
		_exit(1);
	while (read(leash, &c, 1) < 0 && errno == EINTR)
		;
	gn_copy_remove(&j->copy);
	_exit(0);
}

/* The guard starts first, so that the copy never stays behind. */
static int make(struct gn_java_copy *c, pid_t pid, int from)
{
	int err = gn_copy_choose(&c->copy, pid, from);

	if (!err)
		err = gn_guard_start(&c->guard, guard, c);
	return err ? err : gn_copy_make(&c->copy, from);
}

int gn_java_copy_bring(struct gn_java_copy *c, pid_t pid, const char *library,
		       int lock, char *why)
{
	int from = open(library, O_RDONLY | O_CLOEXEC);
	int err = from < 0 ? -errno : gn_copy_find(&c->copy, pid, from);

	c->lock = lock;
	if (!err)
		err = make(c, pid, from);
	if (from >= 0)
		close(from);
	if (err < 0)
		gn_attach_tell_no_copy(pid, library, err, why);
	return err < 0 ? err : 0;
}

void gn_java_copy_remove(struct gn_java_copy *c)
{
	gn_guard_dismiss(&c->guard);
}

void gn_java_copy_close(struct gn_java_copy *c)
{
	gn_java_copy_remove(c);
	gn_copy_close(&c->copy);
}
