/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Attaches to a running JVM: it loads gnomon's library as an agent, which hooks
 * methods, and calls it again to take the hooks out. If gnomon is gone, the
 * library does that by itself.
 */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <gnomon/java.h>
#include "runtime/apart.h"
#include "runtime/java.h"
#include "runtime/java_attach_parts.h"

#define BEGIN_MS 10000
/* to restore the code of all methods, on CPUs that the process shares */
#define END_MS	   20000
#define STOPPED_MS 500 /* it will read the request when it continues */

struct gn_attached {
	pid_t pid;
	int lock;
	char library[PATH_MAX]; /* as the process sees it */
	struct gn_java_copy copy;
	struct gn_java_listener listener;
	struct gn_java_flags flags;
	int probed; /* its memory, while gnomon has its monitors probed, or -1
		     */
	bool begun;
};

static void unprobe(struct gn_attached *a)
{
	gn_java_flags_unprobe(a->probed, &a->flags);
	a->probed = -1;
}

static void close_attached(struct gn_attached *a)
{
	if (!a)
		return;
	unprobe(a);
	gn_java_listener_close(&a->listener);
	gn_java_copy_close(&a->copy);
	if (a->lock >= 0)
		close(a->lock);
	free(a);
}

static int find_library(struct gn_attached *a, char *why)
{
	int seen = gn_attach_sees(a->pid, a->library, why);
	int err = seen < 0 ? seen : gn_attach_lock(a->pid, why);

	if (err < 0)
		return err;
	a->lock = err;
	err = seen ? 0
		   : gn_java_copy_bring(&a->copy, a->pid, a->library, a->lock,
					why);
	if (!err && !seen)
		strcpy(a->library, a->copy.copy.path);
	return err;
}

static int check_flags(const struct gn_attached *a, char *why)
{
	if (!a->flags.fixed)
		return 0;
	snprintf(why, GN_WHY_MAX,
		 "process %d was started with -XX:-EnableDynamicAgentLoading, "
		 "so its JVM takes no hooks; start it again without that, or "
		 "under gnomon",
		 (int)a->pid);
	return -EOPNOTSUPP;
}

static int open_attached(pid_t pid, const char *library,
			 struct gn_attached **out, char *why)
{
	struct gn_attached *a = calloc(1, sizeof(*a));
	int err;

	if (!a) {
		snprintf(why, GN_WHY_MAX, "no memory");
		return -ENOMEM;
	}
	a->pid = pid;
	a->lock = a->probed = -1;
	gn_java_copy_init(&a->copy);
	snprintf(a->library, sizeof(a->library), "%s", library);
	err = gn_java_listener_open(&a->listener, pid, why);
	if (!err)
		err = gn_java_flags_read(pid, &a->flags, why);
	if (!err)
		err = check_flags(a, why);
	if (!err)
		err = find_library(a, why);
	if (err) {
		close_attached(a);
		return err;
	}
	*out = a;
	return 0;
}

struct request {
	struct gn_attached *a;
	const char *options;
};

/* Loads the library, without the JVM's warning about that. */
static int load(void *ctx, char *why)
{
	const struct request *r = ctx;
	struct gn_attached *a = r->a;
	struct gn_socket_limits limits =
		gn_socket_limits(GN_APART_MS, NULL, NULL);
	uint32_t was = 0;
	int quiet = a->flags.warns
			    ? gn_java_flags_quiet(a->pid, &a->flags, &was)
			    : 0;
	int err;

	if (quiet) {
		snprintf(why, GN_WHY_MAX,
			 "the JVM of process %d would write a warning to its "
			 "output, and gnomon cannot prevent that (%s); start "
			 "it with -XX:+EnableDynamicAgentLoading, or run "
			 "gnomon as root",
			 (int)a->pid, strerror(-quiet));
		return quiet;
	}
	err = gn_java_listener_load(&a->listener, a->library, r->options,
				    &limits, why);
	if (a->flags.warns)
		gn_java_flags_restore(a->pid, &a->flags, was);
	return err;
}

/* The JVM's options are changed until it has answered. */
static int await_loaded(struct gn_attached *a, const char *options,
			gn_wait_fn wait, void *ctx, char *why)
{
	struct gn_socket_limits limits = gn_socket_limits(BEGIN_MS, wait, ctx);
	struct request request = {a, options};
	int *const kept[] = {&a->listener.socket, &a->lock};
	const struct gn_apart ask = {load, &request, kept, 2};
	int err = gn_apart(&ask, &limits, why);

	return err == -EINTR || err == -ETIMEDOUT
		       ? gn_java_listener_explain(&a->listener, err, why)
		       : err;
}

static int begin(struct gn_attached *a, const struct gn_attach_asked *asked,
		 gn_wait_fn wait, void *ctx, char *why)
{
	struct timespec t;
	char *options;
	int err = gn_java_listener_wake(&a->listener, &a->flags, a->lock, wait,
					ctx, why);

	if (err)
		return err;
	clock_gettime(CLOCK_REALTIME, &t);
	/* with an expiry: a stopped JVM can read this after gnomon ends */
	if (asprintf(&options, GN_JAVA_TRACE "%lld %d %u\n%s",
		     (long long)t.tv_sec + BEGIN_MS / 1000 + 1, asked->fast,
		     gn_runtime_own_site(), asked->filter) < 0) {
		snprintf(why, GN_WHY_MAX, "no memory");
		return -ENOMEM;
	}
	a->begun = true;
	/* before the hooks: a thread that waits now is in no traced method when
	 * the end of its wait is seen, so that end is not in doubt */
	a->probed = gn_java_flags_probe(a->pid, &a->flags);
	err = await_loaded(a, options, wait, ctx, why);
	free(options);
	gn_java_copy_remove(&a->copy);
	/* nobody would answer a request to end either */
	if (err == -ETIMEDOUT)
		a->begun = false;
	if (err)
		unprobe(a);
	return err ? err : 1;
}

static int end(struct gn_attached *a, gn_wait_fn wait, void *ctx, char *why)
{
	struct gn_socket_limits limits = gn_socket_limits(
		gn_attach_is_stopped(a->pid) ? STOPPED_MS : END_MS, wait, ctx);
	char reason[GN_WHY_MAX];
	int err;

	unprobe(a);
	if (!a->begun)
		return 0;
	a->begun = false;
	err = gn_java_listener_load(&a->listener, a->library, GN_JAVA_END,
				    &limits, reason);
	if (!err || err == -ESRCH ||
	    gn_attach_told_end(a->pid, err, why) == -ESRCH)
		return 0;
	snprintf(why, GN_WHY_MAX,
		 "%.300s; the hooks in its methods are taken out when it "
		 "answers again",
		 reason);
	return err;
}

static int file_of(const struct gn_attached *a, const char **path)
{
	*path = a->library;
	return a->copy.copy.file;
}

const struct gn_runtime_attach gn_java_attach = {
	.open = open_attached,
	.begin = begin,
	.end = end,
	.close = close_attached,
	.file = file_of,
};
