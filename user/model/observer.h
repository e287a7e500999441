/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What a pipeline offers of its walk to someone beside the totals: all that
 * happens on the shadow stacks and to the threads, as it is replayed. Events
 * of one thread come in the order of time but for slices, which come when they
 * end; threads are mixed as their records are. Times are those of the records:
 * what probes cost is in them.
 */
#ifndef GNOMON_MODEL_OBSERVER_H
#define GNOMON_MODEL_OBSERVER_H

#include <stdbool.h>
#include <stdint.h>

#include <gnomon/event.h>
#include "model/table.h" /* GN_NONE */

/* Where and when: a thread's number is of one life of it, whatever tids come
 * again; that of a stack is of its thread. */
struct gn_seen {
	uint64_t time;
	uint32_t thread;
	uint64_t stack;
};

/* How a frame came on top of a stack. */
enum gn_frame_begin {
	GN_BEGIN_CALL,
	GN_BEGIN_INHERITED, /* of the parent's stack at a fork */
	GN_BEGIN_AGAIN,	    /* a frame below it ended, and it goes on */
};

/* How frames end that no event of their own ends. */
enum gn_frame_end {
	GN_END_LEFT,	/* a leave, or what is one */
	GN_END_UNWOUND, /* seen gone at some later event */
	GN_END_CAUGHT,	/* unwound, and the runtime said when */
	GN_END_OPEN,	/* the capture ended */
	GN_END_AGAIN,	/* it begins anew at once: GN_BEGIN_AGAIN */
};

/* Texts are valid during the call, are never NULL, and can hold any bytes. */
struct gn_seen_function {
	uint32_t fn;
	const char *name, *module; /* what people read; of this call only */
	enum gn_runtime_id runtime;
};

struct gn_seen_thread {
	uint32_t thread, process; /* numbers of lives, not pid and tid */
	uint32_t pid, tid;	  /* as it began: an exec can change its tid */
	uint64_t start;
	uint64_t stack; /* the one that it began on */
	const char *name, *process_name;
};

struct gn_seen_slice {
	uint32_t thread;
	enum gn_class class;
	uint16_t reason; /* system call, GN_NO_SYSCALL = none */
	uint64_t start, end;
	/* who ended it; 0, GN_NONE: not known, or not traced */
	uint32_t waker, waker_thread, waker_fn;
	const char *waker_name; /* NULL: not traced */
};

/* What a thread does for its runtime, or to the other threads. */
enum gn_activity_kind {
	GN_DOES_JIT,
	GN_DOES_GC,
	GN_DOES_SUSPEND,
	GN_DOES_COUNT
};

/*
 * All of them are set. Each returns 0 or -errno; the first error is what
 * feeding or finishing the pipeline returns, and nothing follows it.
 */
struct gn_observer {
	void *ctx;
	/* Before the first event of it, and again when its name is known: an
	 * id that was used before it was named. */
	int (*function)(void *ctx, const struct gn_seen_function *f);
	/* Before the first event of it, and again when a name changed. */
	int (*thread)(void *ctx, const struct gn_seen_thread *t);
	/* Its last event. */
	int (*thread_end)(void *ctx, uint32_t thread, uint64_t start,
			  uint64_t end);
	int (*enter)(void *ctx, const struct gn_seen *at, uint32_t fn,
		     enum gn_frame_begin how);
	/* The frame on top ends. */
	int (*leave)(void *ctx, const struct gn_seen *at,
		     enum gn_frame_end how);
	int (*slice)(void *ctx, const struct gn_seen_slice *s);
	/* Records of the thread were lost between these times. */
	int (*gap)(void *ctx, uint32_t thread, uint64_t start, uint64_t end);
	/* `fn`: what is compiled, GN_NONE: not known. They nest. */
	int (*begin)(void *ctx, const struct gn_seen *at,
		     enum gn_activity_kind what, uint32_t fn);
	int (*end)(void *ctx, const struct gn_seen *at,
		   enum gn_activity_kind what);
};

#endif
