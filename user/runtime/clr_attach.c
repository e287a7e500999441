/* SPDX-License-Identifier: BSD-2-Clause */
/* Attaches to a running CLR through its diagnostics socket. */
#include "runtime/clr_attach.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "elf/elf_file.h"
#include "hooksite/clr/clsid.h"
#include "hooksite/clr/events.h"
#include "hooksite/clr/filter.h"
#include "runtime/clr_attach_parts.h"
#include "runtime/clr_ipc.h"
#include "runtime/clr_room.h"
#include "runtime/clr_written.h"
#include "runtime/runtime.h"

/* ten seconds together with the steps before */
#define BEGIN_MS 9000
#define END_MS	 5000
/* to restore the code of all methods, on CPUs that the process shares */
#define REVERT_MS 20000
#define UP_MS	  3000
#define UP_STEP	  20

static int check_class(pid_t pid, char *why)
{
	char path[32];

	snprintf(path, sizeof(path), "/proc/%d/exe", (int)pid);
	if (!gn_elf_has_32_bits(path))
		return 0;
	snprintf(why, GN_WHY_MAX,
		 "process %d is a 32-bit program; gnomon traces functions of "
		 "64-bit programs only",
		 (int)pid);
	return -EOPNOTSUPP;
}

/* A runtime that is just starting refuses until it is up. */
static int ask_when_up(struct gn_attached *a, const char *request,
		       gn_wait_fn wait, void *ctx, int32_t *result)
{
	int err = gn_clr_ask(a, request, BEGIN_MS, wait, ctx, result);

	for (int ms = 0; !err && *result == GN_CLR_NOT_UP && ms < UP_MS;
	     ms += UP_STEP) {
		if (wait(ctx) == GN_WAIT_ENOUGH)
			return -EINTR;
		gn_attach_sleep(UP_STEP);
		err = gn_clr_ask(a, request, BEGIN_MS - UP_MS, wait, ctx,
				 result);
	}
	return err;
}

static void close_attached(struct gn_attached *a)
{
	if (!a)
		return;
	if (!a->owed)
		gn_clr_guard_dismiss(a);
	else if (a->guard.leash >= 0)
		close(a->guard.leash); /* no GN_GUARD_DONE: the guard ends it */
	gn_copy_close(&a->copy);
	if (a->socket >= 0)
		close(a->socket);
	if (a->lock >= 0)
		close(a->lock);
	free(a);
}

/* The guard starts first, so that the copy never stays behind. */
static int make_copy(struct gn_attached *a, int from)
{
	int err = gn_copy_choose(&a->copy, a->pid, from);

	if (!err)
		err = gn_clr_guard_start(a);
	return err ? err : gn_copy_make(&a->copy, from);
}

static int bring_copy(struct gn_attached *a, char *why)
{
	int from = open(a->library, O_RDONLY | O_CLOEXEC);
	int err = from < 0 ? -errno : gn_copy_find(&a->copy, a->pid, from);

	a->opens = strstr(a->library, "/" GN_CLR_LIBRARY_MUSL);
	if (!err)
		err = make_copy(a, from);
	else if (err > 0 && a->opens)
		gn_copy_by_descriptor(&a->copy, a->pid);
	if (from >= 0)
		close(from);
	if (err >= 0) {
		strcpy(a->library, a->copy.path);
		return 0;
	}
	gn_attach_tell_no_copy(a->pid, a->library, err, why);
	return err;
}

static int open_attached(pid_t pid, const char *library,
			 struct gn_attached **out, char *why)
{
	struct gn_attached *a = calloc(1, sizeof(*a));
	int err, seen = 0;

	if (!a) {
		snprintf(why, GN_WHY_MAX, "no memory");
		return -ENOMEM;
	}
	a->pid = pid;
	a->socket = a->lock = a->guard.leash = -1;
	gn_copy_init(&a->copy);
	snprintf(a->library, sizeof(a->library), "%s", library);
	err = check_class(pid, why);
	if (!err)
		err = gn_clr_has_room(pid, why);
	if (!err)
		err = a->socket = gn_clr_ipc_find(pid, why);
	if (err == -ENOENT && gn_attach_is_stopped(pid))
		err = gn_clr_explain(a, -ETIMEDOUT, 0, why);
	else if (err == -ENOENT)
		err = gn_attach_told_end(pid, err, why);
	if (err >= 0)
		err = seen = gn_attach_sees(pid, a->library, why);
	if (err > 0)
		err = gn_clr_check_mapped(a, why);
	if (!err)
		err = a->lock = gn_attach_lock(pid, why);
	if (err >= 0 && !seen)
		err = bring_copy(a, why);
	if (err < 0) {
		close_attached(a);
		return err;
	}
	*out = a;
	return 0;
}

static char *request_text(const struct gn_attach_asked *asked)
{
	struct timespec t;
	const char *values = asked->values;
	char *text;

	clock_gettime(CLOCK_REALTIME, &t);
	/* with an expiry: a stopped runtime can read this after gnomon ends */
	if (asprintf(&text,
		     GN_CLR_REQUEST_TRACE "%lld %" PRIx32 " %d %u %zu\n%s%s",
		     (long long)t.tv_sec + BEGIN_MS / 1000 + 1, asked->families,
		     asked->fast, gn_runtime_own_site(), strlen(values), values,
		     asked->filter) < 0)
		return NULL;
	if (strlen(text) < GN_CLR_REQUEST_MAX)
		return text;
	free(text);
	return NULL;
}

/* 0: the runtime can begin a session and end it again. */
static int check_runtime(const struct gn_attached *a, gn_wait_fn wait,
			 void *ctx, char *why)
{
	int renews = gn_attach_is_stopped(a->pid)
			     ? -ETIMEDOUT
			     : gn_clr_ipc_renews(a->socket, a->pid, BEGIN_MS,
						 wait, ctx);

	if (renews < 0)
		return gn_clr_explain(a, renews, 0, why);
	if (renews)
		return 0;
	snprintf(why, GN_WHY_MAX,
		 "process %d runs a .NET older than 6, which never releases a "
		 "profiler; start the program under gnomon to trace its "
		 "functions",
		 (int)a->pid);
	return -EOPNOTSUPP;
}

static int ask_begin(struct gn_attached *a, const struct gn_attach_asked *asked,
		     gn_wait_fn wait, void *ctx, int32_t *result, char *why)
{
	/* earlier requests can have taken long: the expiry counts from now */
	char *request = request_text(asked);
	int err;

	if (!request) {
		snprintf(why, GN_WHY_MAX,
			 "the patterns of -f and -a are too long together; "
			 "give fewer");
		return -E2BIG;
	}
	gn_clr_guard_tell(a, GN_GUARD_BEGUN);
	a->begun = a->owed = true;
	err = ask_when_up(a, request, wait, ctx, result);
	free(request);
	/* nobody would answer a request to end either: the guard sends that */
	if (err == -ETIMEDOUT)
		a->begun = false;
	else if (err != -EINTR)
		gn_clr_guard_tell(a, GN_GUARD_LOADED);
	return gn_clr_explain(a, err, *result, why);
}

static int begin(struct gn_attached *a, const struct gn_attach_asked *asked,
		 gn_wait_fn wait, void *ctx, char *why)
{
	int32_t result = 0;
	int err;

	a->functions = gn_filter_asks(asked->filter);
	err = a->guard.leash < 0 ? gn_clr_guard_start(a) : 0;
	if (err)
		snprintf(why, GN_WHY_MAX, "no process can be started (%s)",
			 strerror(-err));
	if (!err && a->functions)
		err = gn_clr_check_written(a->pid, a->socket, why);
	if (!err)
		err = check_runtime(a, wait, ctx, why);
	if (!err) {
		err = ask_begin(a, asked, wait, ctx, &result, why);
		a->served = !err;
	}
	/* a runtime that shuts down can also refuse with a code of its own */
	if (err == -ECONNREFUSED || err == -ECONNRESET || err == -ENOENT ||
	    err == -EPROTO)
		err = gn_attach_told_end(a->pid, err, why);
	return err ? err : result == GN_CLR_CANCELLED;
}

/* Adds to `why` what stays in the process until `until`, and who ends it. */
static void add_lasting(const struct gn_attached *a, const char *until,
			char *why)
{
	size_t n = strlen(why);

	snprintf(why + n, GN_WHY_MAX - n,
		 "; %s until %s; a gnomon process waits for that and then "
		 "removes %s",
		 a->functions ? "its functions keep gnomon's hooks"
			      : "gnomon's library stays at work in it",
		 until, a->functions ? "them" : "it");
}

/* Whether the guard has to end the session later. Then `why` says what the
 * guard waits for. */
static bool ends_later(const struct gn_attached *a, int err, int32_t result,
		       char *why)
{
	int pid = (int)a->pid;
	bool stopped;

	if (!err && result == GN_CLR_NO_MEMORY) {
		gn_clr_explain(a, err, result, why);
		add_lasting(a, "then", why);
		return true;
	}
	if (err != -ETIMEDOUT && err != -EINTR)
		return false;
	stopped = gn_attach_is_stopped(a->pid);
	snprintf(why, GN_WHY_MAX, "process %d %s", pid,
		 stopped ? "is stopped" : "does not answer");
	add_lasting(a, stopped ? "it continues (kill -CONT)" : "it does", why);
	return true;
}

/* The error if the runtime has a session and did not end it; `why` says so.
 * Else 0. */
static int tell_unended(const struct gn_attached *a, int err, int32_t result,
			char *why)
{
	char answer[32];

	if ((!err && (result >= 0 || result == GN_CLR_CANCELLED)) ||
	    !a->served ||
	    (err && gn_attach_told_end(a->pid, err, why) == -ESRCH))
		return 0;
	snprintf(answer, sizeof(answer), "0x%08" PRIx32, (uint32_t)result);
	snprintf(why, GN_WHY_MAX,
		 "the runtime of process %d did not remove gnomon's %s "
		 "(%s); %s until the process ends or is traced again",
		 (int)a->pid, a->functions ? "hooks" : "library",
		 err ? strerror(-err) : answer,
		 a->functions ? "its functions keep them and are a little "
				"slower"
			      : "that stays at work");
	return err ? err : -EPROTO;
}

static int end(struct gn_attached *a, gn_wait_fn wait, void *ctx, char *why)
{
	const bool reverts = a->functions && !gn_attach_is_stopped(a->pid);
	int32_t result = 0;
	int err;

	if (!a->begun)
		return 0;
	a->begun = false;
	if (gn_clr_has_room(a->pid, why)) {
		add_lasting(a, "then", why);
		return -EAGAIN;
	}
	err = gn_clr_ask(a, GN_CLR_REQUEST_END, reverts ? REVERT_MS : END_MS,
			 wait, ctx, &result);
	if (ends_later(a, err, result, why))
		return err ? err : -EAGAIN;
	a->owed = false;
	gn_clr_guard_dismiss(a);
	return tell_unended(a, err, result, why);
}

static int file_of(const struct gn_attached *a, const char **path)
{
	*path = a->library;
	return a->copy.file;
}

const struct gn_runtime_attach gn_clr_attach = {
	.open = open_attached,
	.begin = begin,
	.end = end,
	.close = close_attached,
	.file = file_of,
	.at_start = GN_FAMILIES_AT_START,
};
