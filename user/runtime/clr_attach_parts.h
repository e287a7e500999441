/* SPDX-License-Identifier: BSD-2-Clause */
/* Shared by clr_attach.c, clr_attach_why.c and clr_guard.c. */
#ifndef GNOMON_RUNTIME_CLR_ATTACH_PARTS_H
#define GNOMON_RUNTIME_CLR_ATTACH_PARTS_H

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "process/copy.h"
#include "runtime/apart.h"
#include "runtime/attach_parts.h"

/* The runtime's answers (corerror.xml). */
#define GN_CLR_CANCELLED ((int32_t)0x80131375) /* later session, or failed */
#define GN_CLR_NO_ATTACH ((int32_t)0x8013136a) /* it has a profiler already */
#define GN_CLR_NOT_UP	 ((int32_t)0x8013135b) /* the runtime is not up yet */
#define GN_CLR_NO_MEMORY ((int32_t)0x80070008) /* or no thread */

struct gn_attached {
	pid_t pid;
	int socket;		/* O_PATH */
	int lock;		/* /proc/PID, locked with flock() */
	char library[PATH_MAX]; /* as the process sees it */
	struct gn_copy copy;	/* if it does not see our file */
	bool opens;		/* musl: keep the copy's name until the end */
	struct gn_guard guard;	/* ends the session if we cannot */
	bool begun;
	bool served;	/* the runtime did what it was asked for */
	bool owed;	/* the runtime still has to be told to end */
	bool functions; /* the filter asks for functions */
};

/* What gnomon tells the guard. */
enum {
	GN_GUARD_BEGUN = 'b',  /* the runtime is asked: the end is owed */
	GN_GUARD_LOADED = 'l', /* the copy of the library is loaded */
	GN_GUARD_DONE = 'd',   /* nothing is left to do */
};

/*
 * Sends a request and waits for the answer, at most `ms` and as long as `wait`
 * allows. 0 and the answer in *result, or a negative errno. Beside another
 * profiler, only a session that asks for no function is served.
 */
int gn_clr_ask(struct gn_attached *a, const char *request, int ms,
	       gn_wait_fn wait, void *ctx, int32_t *result);

/* Starts the process that ends the session if gnomon cannot. It works on a copy
 * of `a` as of this call. 0 or a negative errno. */
int gn_clr_guard_start(struct gn_attached *a);
void gn_clr_guard_tell(const struct gn_attached *a, char word);
/* Tells the guard that nothing is left to do, and waits until it has ended. */
void gn_clr_guard_dismiss(struct gn_attached *a);

/* 0: the runtime did what it was asked for. Else a negative errno, and `why`
 * says why it did not. */
int gn_clr_explain(const struct gn_attached *a, int err, int32_t result,
		   char *why);
/* -ESTALE: the process has the library of an older gnomon. 0: none is seen. */
int gn_clr_check_mapped(const struct gn_attached *a, char *why);

#endif
