/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The interface by which a pipeline shows its walk besides the totals: all
 * events on the shadow stacks and of the threads, as they are replayed. Events
 * of one thread come in order of time, except slices, which come when they end.
 * Threads are interleaved as their records are. Times are those of the records,
 * so they include probe cost.
 */
#ifndef GNOMON_MODEL_OBSERVER_H
#define GNOMON_MODEL_OBSERVER_H

#include <stdbool.h>
#include <stdint.h>

#include <gnomon/event.h>
#include "model/table.h" /* GN_NONE */

/* Where and when. A thread's number identifies one life of a thread, even if
 * its tid is reused. A stack's number is unique within its thread. */
struct gn_seen {
	uint64_t time;
	uint32_t thread;
	uint64_t stack;
};

/* How a frame came to the top of a stack. */
enum gn_frame_begin {
	GN_BEGIN_CALL,
	GN_BEGIN_INHERITED, /* copied from the parent's stack at a fork */
	GN_BEGIN_AGAIN,	    /* continues after a frame below it ended */
	GN_BEGIN_RESUMED,   /* goes on after an await: no call */
};

/* How a frame ended. */
enum gn_frame_end {
	GN_END_LEFT,	/* by a leave, or an event that counts as one */
	GN_END_UNWOUND, /* a later event showed that it was gone */
	GN_END_CAUGHT,	/* unwound, at a time that the runtime reported */
	GN_END_OPEN,	/* the capture ended */
	GN_END_AGAIN,	/* it begins again at once: GN_BEGIN_AGAIN */
	/* it awaits something: GN_BEGIN_RESUMED, maybe on another thread */
	GN_END_SUSPENDED,
};

/* Texts are valid during the call and can hold any bytes. They are not NULL
 * unless stated otherwise. */
struct gn_seen_function {
	uint32_t fn;
	const char *name, *module;
	const char *shown; /* shown to people */
	const char *file;  /* source file; NULL: not known */
	uint32_t line;
	enum gn_runtime_id runtime;
};

struct gn_seen_thread {
	uint32_t thread, process; /* numbers of lives, not tid and pid */
	uint32_t pid, tid; /* at its beginning; exec can change its tid */
	uint64_t start;
	uint64_t session; /* start of the session; 0: not known */
	uint64_t stack;	  /* the stack that it began on */
	const char *name, *process_name;
};

struct gn_seen_slice {
	uint32_t thread;
	enum gn_class class;
	uint16_t reason; /* system call; GN_NO_SYSCALL: none */
	uint64_t start, end;
	/* who ended the wait; 0 and GN_NONE: not known, or not traced */
	uint32_t waker, waker_thread, waker_fn;
	const char *waker_name; /* NULL: not traced */
};

/* An interval of a thread as it is in the totals: without the cost of its
 * probes. The frames open on the stack at->stack own it, and it ends at
 * at->time. */
struct gn_seen_interval {
	uint64_t elapsed, app;
	const uint64_t *classes; /* by enum gn_class, if in `mask` */
	uint32_t mask;
};

/* Most bytes of a text: two bytes of UTF-16 can become three of UTF-8. */
#define GN_SEEN_TEXT (GN_VALUE_TEXT / 2 * 3)

/* An argument of the frame on top, or the result of the innermost frame of
 * `fn`, whose leave follows. */
struct gn_seen_value {
	uint32_t fn;
	uint8_t which; /* as in gn_rec_value, like the next two */
	enum gn_value_type type;
	uint8_t flags;
	uint64_t number;
	uint32_t class_fn; /* CLASS: its name; GN_NONE: none */
	const char *text;  /* `len` bytes, without a NUL */
	size_t len;
};

/* What a thread does on behalf of its runtime. */
enum gn_activity_kind {
	GN_DOES_JIT,
	GN_DOES_GC,
	GN_DOES_SUSPEND,
	GN_DOES_COUNT
};

/* An event of a runtime that is not an activity (gnomon/runtime_event.h). */
struct gn_seen_event {
	uint32_t event;	    /* enum gn_rt */
	uint32_t fn, other; /* GN_NONE: none */
	uint64_t value[GN_RT_VALUES];
};

/*
 * Functions that are NULL are not called. Each returns 0 or -errno. The first
 * error is returned by the call that feeds or finishes the pipeline, and no
 * function is called after it.
 */
struct gn_observer {
	void *ctx;
	/* Comes before the first event of the function, and again when its name
	 * becomes known: an id can be used before it has a name. */
	int (*function)(void *ctx, const struct gn_seen_function *f);
	/* Comes before the first event of the thread, and again when a name
	 * changed. */
	int (*thread)(void *ctx, const struct gn_seen_thread *t);
	/* The last event of the thread. */
	int (*thread_end)(void *ctx, uint32_t thread, uint64_t start,
			  uint64_t end);
	int (*enter)(void *ctx, const struct gn_seen *at, uint32_t fn,
		     enum gn_frame_begin how);
	/* The frame on top ends. */
	int (*leave)(void *ctx, const struct gn_seen *at,
		     enum gn_frame_end how);
	int (*slice)(void *ctx, const struct gn_seen_slice *s);
	int (*value)(void *ctx, const struct gn_seen *at,
		     const struct gn_seen_value *v);
	/* Comes before the event that ended it. */
	int (*interval)(void *ctx, const struct gn_seen *at,
			const struct gn_seen_interval *i);
	/* Records of the thread were lost between these times. Its open
	 * activities, such as a collection, are ended at the first of them,
	 * after this call: when they really ended is not known. */
	int (*gap)(void *ctx, uint32_t thread, uint64_t start, uint64_t end);
	/* Activities nest. `fn`: the function that is compiled; GN_NONE: not
	 * known. */
	int (*begin)(void *ctx, const struct gn_seen *at,
		     enum gn_activity_kind what, uint32_t fn);
	int (*end)(void *ctx, const struct gn_seen *at,
		   enum gn_activity_kind what);
	/* A collection that ran while the program did. It comes when it ends,
	 * which can be after the last event of the thread that began it. */
	int (*background)(void *ctx, uint32_t thread, uint64_t start,
			  uint64_t end);
	/* A stretch has two events, which need not nest with calls. */
	int (*event)(void *ctx, const struct gn_seen *at,
		     const struct gn_seen_event *e);
};

#endif
