/* SPDX-License-Identifier: BSD-2-Clause */
/* What the files of clr_attach.c share. */
#ifndef GNOMON_RUNTIME_CLR_ATTACH_PARTS_H
#define GNOMON_RUNTIME_CLR_ATTACH_PARTS_H

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "process/copy.h"
#include "runtime/attach.h"

/* What the runtime answers (corerror.xml). */
#define GN_CLR_CANCELLED ((int32_t)0x80131375) /* a later session: served */
#define GN_CLR_NO_ATTACH ((int32_t)0x8013136a) /* it has a profiler already */
#define GN_CLR_NOT_UP	 ((int32_t)0x8013135b) /* it has not begun */
#define GN_CLR_NO_MEMORY ((int32_t)0x80070008) /* nor a thread */

struct gn_attached {
	pid_t pid;
	int socket;		/* O_PATH */
	int lock;		/* the process's folder of /proc, locked */
	char library[PATH_MAX]; /* as the process names it */
	struct gn_copy copy;	/* its file, where it does not see ours */
	bool opens;		/* musl: the copy's name stays for the end */
	pid_t guard; /* the process that ends the session if we cannot */
	int leash;   /* it waits at the other end; -1: there is none */
	bool begun;
	bool served;	/* the runtime did what it was asked for */
	bool owed;	/* the session's end, to the runtime */
	bool functions; /* some are asked for */
};

/* Words to the guard. */
enum {
	GN_GUARD_BEGUN = 'b',  /* the runtime is asked; else there is no end */
	GN_GUARD_LOADED = 'l', /* the copy of the library is */
	GN_GUARD_DONE = 'd',   /* nothing is left to do */
};

/*
 * Asks the runtime, for at most `ms`, while `wait` says so. 0, and what it
 * answered; or a negative errno. Who asks for no function makes do with a place
 * beside another profiler.
 */
int gn_clr_ask(struct gn_attached *a, const char *request, int ms,
	       gn_wait_fn wait, void *ctx, int32_t *result);
void gn_clr_sleep(int ms);

/* The process that ends the session if gnomon cannot. It has a copy of `a` as
 * that is when it starts. 0 or a negative errno. */
int gn_clr_guard_start(struct gn_attached *a);
void gn_clr_guard_tell(const struct gn_attached *a, char word);
/* Nothing is left to do for it. Waits until it has ended. */
void gn_clr_guard_dismiss(struct gn_attached *a);

/* Whether the process is stopped and answers nobody. */
bool gn_clr_is_stopped(pid_t pid);
/* `err` and `why` as they are, or -ESRCH and why if the process has ended. */
int gn_clr_told_end(pid_t pid, int err, char *why);
/* 0: the runtime did what was asked for. Else why it did not. */
int gn_clr_explain(const struct gn_attached *a, int err, int32_t result,
		   char *why);
/* -ESTALE: it has a library of another gnomon. 0: none is seen. */
int gn_clr_check_mapped(const struct gn_attached *a, char *why);
int gn_clr_tell_older(const struct gn_attached *a, char *why);

#endif
