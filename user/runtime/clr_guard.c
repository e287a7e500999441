/* SPDX-License-Identifier: BSD-2-Clause */
/* The process that ends a session in a CLR if gnomon cannot. */
#include <errno.h>
#include <sys/capability.h>
#include <unistd.h>

#include "hooksite/clr/clsid.h"
#include "runtime/clr_attach_parts.h"
#include "runtime/clr_room.h"

#define LATER_MS 200

/* Drops all capabilities except the one to connect to another user's socket, if
 * gnomon has it. */
static bool drop_rights(void)
{
	const cap_value_t need = CAP_DAC_OVERRIDE;
	cap_flag_value_t has = CAP_CLEAR;
	cap_t caps = cap_get_proc();
	bool dropped = caps && !cap_get_flag(caps, need, CAP_PERMITTED, &has) &&
		       !cap_clear(caps) &&
		       !cap_set_flag(caps, CAP_PERMITTED, 1, &need, has) &&
		       !cap_set_flag(caps, CAP_EFFECTIVE, 1, &need, has) &&
		       !cap_set_proc(caps);

	cap_free(caps);
	return dropped;
}

/* Closes gnomon's other descriptors. Keeps only that capability and, if there
 * is a copy, the traced process's own rights to files. */
static void settle(struct gn_attached *a, int *leash)
{
	int *const kept[] = {leash, &a->socket, &a->lock, &a->copy.folder};
	const bool copies = a->copy.folder >= 0;

	gn_apart_settle(kept, copies ? 4 : 3);
	if ((copies && gn_copy_become(&a->copy)) || !drop_rights())
		_exit(1);
}

/* Ends the session as soon as the runtime has room to answer. */
static void end_later(struct gn_attached *a)
{
	char why[GN_WHY_MAX];
	int32_t result;

	for (int ms = 0; ms < GN_APART_MS; ms += LATER_MS) {
		if (!gn_clr_has_room(a->pid, why) &&
		    (gn_clr_ask(a, GN_CLR_REQUEST_END, GN_APART_MS, NULL, NULL,
				&result) ||
		     result != GN_CLR_NO_MEMORY))
			return;
		gn_attach_sleep(LATER_MS);
	}
}

static void guard(void *ctx, int leash)
{
	struct gn_attached *a = ctx;
	bool begun = false;
	ssize_t n;
	char c = 0;

	settle(a, &leash);
	do {
		n = read(leash, &c, 1);
		begun = begun || (n > 0 && c == GN_GUARD_BEGUN);
		if (n > 0 && c == GN_GUARD_LOADED && !a->opens)
			gn_copy_remove(&a->copy);
	} while (n > 0 ? c != GN_GUARD_DONE : n < 0 && errno == EINTR);
	if (n <= 0 && begun)
		end_later(a);
	gn_copy_remove(&a->copy);
	_exit(0);
}

int gn_clr_guard_start(struct gn_attached *a)
{
	return gn_guard_start(&a->guard, guard, a);
}

void gn_clr_guard_tell(const struct gn_attached *a, char word)
{
	ssize_t n = a->guard.leash >= 0 ? write(a->guard.leash, &word, 1) : 0;

	(void)n; /* the guard was killed if it does not listen */
}

void gn_clr_guard_dismiss(struct gn_attached *a)
{
	gn_clr_guard_tell(a, GN_GUARD_DONE);
	gn_guard_dismiss(&a->guard);
}
