/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The closed list of time classes, and how scheduler events become slices of
 * them. The code is pure: the BPF programs, the loader and the tests compile
 * the same lines. All times are nanoseconds of CLOCK_MONOTONIC.
 */
#ifndef GNOMON_TIME_CLASS_H
#define GNOMON_TIME_CLASS_H

#include <gnomon/types.h>

/* The group of a class. Application time is elapsed time minus GN_GROUP_OS and
 * GN_GROUP_UNKNOWN. */
enum gn_group {
	GN_GROUP_APP = 0,
	GN_GROUP_RUNTIME = 1,
	GN_GROUP_OS = 2,
	GN_GROUP_UNKNOWN = 3,
};

/* Where a thread is while its time goes to a class. */
enum gn_whereabouts {
	GN_ON_CPU,
	GN_RUNNABLE, /* it wants a CPU */
	GN_WAITS,
	GN_NOWHERE, /* not known */
};

/*
 * X(enumerator, value, text, short text, letter, group, whereabouts, colour of
 * 8, colour of 256, weight, help), in the order of display. Waits are named
 * after what is waited for. Values are stored in trace files: a new class gets
 * the next one. The short text has at most 5 columns; the letter stands for the
 * class where there is no colour. The program's own work is green and blue, the
 * kernel's is red, and waits have the other colours; with 8 colours some
 * classes share one.
 */
/* clang-format off */
#define GN_CLASS_LIST(X) \
	X(APP,          0,  "app",          "app",   'a', APP,     ON_CPU,   GREEN,   40,  NORMAL, "in own code")     \
	X(JIT,          1,  "jit",          "jit",   'j', RUNTIME, ON_CPU,   BLUE,    39,  BOLD,   "compiling")       \
	X(GC,           2,  "gc",           "gc",    'g', RUNTIME, ON_CPU,   MAGENTA, 171, NORMAL, "collecting")      \
	X(SUSPEND,      3,  "suspend",      "susp",  'p', OS,      WAITS,    MAGENTA, 219, BOLD,   "by the runtime")  \
	X(RUNQUEUE,     6,  "runqueue",     "runq",  'q', OS,      RUNNABLE, YELLOW,  226, BOLD,   "wants a CPU")     \
	X(SYSCALL,      4,  "syscall",      "sysc",  's', OS,      ON_CPU,   RED,     196, NORMAL, "in the kernel")   \
	X(FAULT,        5,  "fault",        "fault", 'f', OS,      ON_CPU,   RED,     208, BOLD,   "page fault")      \
	X(DISK,         7,  "disk",         "disk",  'd', OS,      WAITS,    CYAN,    44,  NORMAL, "file I/O")        \
	X(LOCK,         8,  "lock",         "lock",  'l', OS,      WAITS,    YELLOW,  136, NORMAL, "held by others")  \
	X(EVENT,        15, "event",        "event", 'e', OS,      WAITS,    WHITE,   245, DIM,    "to be signalled") \
	X(POLL,         16, "poll",         "poll",  'w', OS,      WAITS,    WHITE,   242, DIM,    "event loop")      \
	X(NET,          9,  "net",          "net",   'n', OS,      WAITS,    CYAN,    159, BOLD,   "socket")          \
	X(IPC,          10, "ipc",          "ipc",   'i', OS,      WAITS,    BLUE,    105, NORMAL, "pipe, eventfd")   \
	X(SLEEP,        11, "sleep",        "sleep", 'z', OS,      WAITS,    WHITE,   240, DIM,    "timed")           \
	X(OTHER,        13, "other",        "other", 'o', OS,      WAITS,    WHITE,   250, NORMAL, "other wait")      \
	X(CHILD,        12, "child",        "child", 'c', OS,      WAITS,    WHITE,   180, NORMAL, "a process")       \
	X(UNCLASSIFIED, 14, "unclassified", "uncl",  'u', UNKNOWN, NOWHERE,  WHITE,   231, BOLD,   "")
/* clang-format on */

enum gn_class {
#define GN_CLASS_ENUM(name, value, ...) GN_CLASS_##name = (value),
#define GN_CLASS_ONE(...)		+1
	GN_CLASS_LIST(GN_CLASS_ENUM) GN_CLASS_COUNT =
		GN_CLASS_LIST(GN_CLASS_ONE)
#undef GN_CLASS_ONE
#undef GN_CLASS_ENUM
};

static inline enum gn_group gn_class_group(enum gn_class c)
{
	switch (c) {
#define GN_CLASS_GROUP(name, value, text, brief, letter, group, ...) \
	case GN_CLASS_##name:                                        \
		return GN_GROUP_##group;
		GN_CLASS_LIST(GN_CLASS_GROUP)
#undef GN_CLASS_GROUP
	default:
		return GN_GROUP_UNKNOWN;
	}
}

static inline enum gn_whereabouts gn_class_where(enum gn_class c)
{
	switch (c) {
#define GN_CLASS_WHERE(name, value, text, brief, letter, group, where, ...) \
	case GN_CLASS_##name:                                               \
		return GN_##where;
		GN_CLASS_LIST(GN_CLASS_WHERE)
#undef GN_CLASS_WHERE
	default:
		return GN_NOWHERE;
	}
}

static inline int gn_class_on_cpu(enum gn_class c)
{
	return gn_class_where(c) == GN_ON_CPU;
}

static inline int gn_class_waits(enum gn_class c)
{
	return gn_class_where(c) == GN_WAITS;
}

/* Where the scheduler has a thread. */
enum gn_cpu_state {
	GN_CPU_UNKNOWN = 0, /* traced from `since`, no event seen yet */
	GN_CPU_ON,	    /* on a CPU */
	GN_CPU_QUEUED,	    /* runnable, off the CPU since `since` */
	GN_CPU_WAITING,	    /* waiting since `since`, not woken yet */
	GN_CPU_WOKEN, /* waited from `since` to `woken`, not yet running */
	GN_CPU_DEAD,  /* exited: nothing is counted any more */
};

/*
 * The operating-system side of one thread. `total` only grows, so a reader that
 * interrupts a switch, or is interrupted by one, sees only whole slices;
 * `events` counts the changes of `total`.
 */
struct gn_os {
	__u64 since; /* when `state` began */
	__u64 woken; /* GN_CPU_WOKEN: when it was made runnable */
	__u64 slept; /* it was not runnable before, in this wait; 0: unknown */
	__u64 in_since; /* when the work of `in_class` began, on a CPU */
	__u64 deadline; /* when a timer ends the wait; 0 = never */
	__u64 total;
	__u32 events;
	__u32 waker;	 /* tid that woke the thread, 0 = unknown */
	__u8 state;	 /* enum gn_cpu_state */
	__u8 wait_class; /* enum gn_class, set when the thread began to wait */
	/* the kernel's work for it while it is on a CPU: GN_CLASS_FAULT or
	 * GN_CLASS_SYSCALL, GN_CLASS_APP for none that is watched */
	__u8 in_class;
	__u8 early;	  /* its last wait with a deadline ended early */
	__u16 reason;	  /* system call it waits in; GN_NO_SYSCALL = none */
	__u16 in_reason;  /* system call of in_class */
	__u8 polled;	  /* POLL: enum gn_polled; OTHER: enum gn_halt */
	__u8 end;	  /* POLL: enum gn_wait_end, if known when the wait
			     begins or the thread runs again */
	__u8 surely;	  /* a thread woke it: no deadline ended its wait */
	__u8 interpreter; /* LOCK: it waits for its interpreter's lock */
};

#define GN_NO_SYSCALL 0xffff

/* What a thread polls, if that is a single file. X(enumerator, value, text).
 * Append only: values are stored in trace files. */
#define GN_POLLED_LIST(X)          \
	X(UNKNOWN, 0, "unknown")   \
	X(SEVERAL, 1, "several")   \
	X(FILE, 2, "file")         \
	X(PIPE, 3, "pipe")         \
	X(SOCKET, 4, "socket")     \
	X(UNIX, 5, "unix socket")  \
	X(EVENTFD, 6, "eventfd")   \
	X(TIMERFD, 7, "timerfd")   \
	X(PIDFD, 8, "pidfd")       \
	X(SIGNALFD, 9, "signalfd") \
	X(INOTIFY, 10, "inotify")  \
	X(EPOLL, 11, "epoll")      \
	X(DEVICE, 12, "device")    \
	X(NOTHING, 13, "nothing")  \
	X(GNOMON, 14, "gnomon")

enum gn_polled {
#define GN_POLLED_ENUM(name, value, text) GN_POLLED_##name = (value),
	GN_POLLED_LIST(GN_POLLED_ENUM)
#undef GN_POLLED_ENUM
		GN_POLLED_COUNT
};

/* What ended a wait of class POLL. Append only, too. */
#define GN_WAIT_END_LIST(X)      \
	X(UNKNOWN, 0, "unknown") \
	X(READY, 1, "ready")     \
	X(TIMEOUT, 2, "timeout") \
	X(SIGNAL, 3, "signal")

enum gn_wait_end {
#define GN_WAIT_END_ENUM(name, value, text) GN_END_BY_##name = (value),
	GN_WAIT_END_LIST(GN_WAIT_END_ENUM)
#undef GN_WAIT_END_ENUM
		GN_WAIT_END_COUNT
};

/* What keeps a thread from running: a wait of class OTHER. Append only, too. */
#define GN_HALT_LIST(X)            \
	X(NONE, 0, "")             \
	X(SIGNAL, 1, "signal")     \
	X(DEBUGGER, 2, "debugger") \
	X(FREEZER, 3, "freezer")

enum gn_halt {
#define GN_HALT_ENUM(name, value, text) GN_HALT_##name = (value),
	GN_HALT_LIST(GN_HALT_ENUM)
#undef GN_HALT_ENUM
		GN_HALT_COUNT
};

/* The `detail` of a slice: more about a wait. 0: nothing is known. */
#define GN_WAIT_POLLED(detail) ((detail)&0x0f)	   /* enum gn_polled */
#define GN_WAIT_HALT(detail)   ((detail)&0x0f)	   /* OTHER: enum gn_halt */
#define GN_WAIT_END(detail)    ((detail) >> 4 & 3) /* enum gn_wait_end */
#define GN_WAIT_TIMED	       0x40		   /* it had a deadline */
/* LOCK: the interpreter's lock (gnomon/lock.h) */
#define GN_WAIT_INTERPRETER 0x80

/* A wakeup's time can be wrong by this much, because it is computed from two
 * clocks that are read one after the other. */
#define GN_DEADLINE_SLACK 20000

/* One stretch of a thread in one class: [start, end). */
struct gn_slice {
	__u64 start;
	__u64 end;
	__u32 waker;
	__u16 reason;
	__u8 class;
	__u8 detail; /* GN_WAIT_*; SYSCALL: the flags of its record */
};

static inline void gn_slice_set(struct gn_slice *s, __u64 start, __u64 end,
				enum gn_class class, __u16 reason, __u32 waker)
{
	s->start = start;
	s->end = end;
	s->waker = waker;
	s->reason = reason;
	s->class = (__u8) class;
	s->detail = 0;
}

/* Kernel work for the thread begins: a fault or a system call. */
static inline void gn_os_in(struct gn_os *os, __u64 now, enum gn_class class,
			    __u16 reason)
{
	os->in_class = (__u8) class;
	os->in_reason = reason;
	os->in_since = now;
}

/*
 * Splits the kernel's work for the thread at `now`. Returns 1 and the part
 * before `now` as a slice, or 0 if there is none. The rest of the work begins
 * at `now`.
 */
static inline int gn_os_in_slice(struct gn_os *os, __u64 now,
				 struct gn_slice *out)
{
	if (os->in_class == GN_CLASS_APP || now <= os->in_since)
		return 0;
	gn_slice_set(out, os->in_since, now, (enum gn_class)os->in_class,
		     os->in_reason, 0);
	os->total += now - os->in_since;
	os->events += 1;
	os->in_since = now;
	return 1;
}

/* The kernel's work of `class` ends: its last slice, if it was under way. */
static inline int gn_os_out(struct gn_os *os, __u64 now, enum gn_class class,
			    struct gn_slice *out)
{
	int n;

	if (os->in_class != class)
		return 0;
	n = gn_os_in_slice(os, now, out);
	os->in_class = GN_CLASS_APP;
	return n;
}

static inline void gn_os_switch_out(struct gn_os *os, __u64 now, int runnable,
				    enum gn_class wait_class, __u16 reason)
{
	if (os->state == GN_CPU_DEAD)
		return;
	os->since = now;
	os->woken = 0;
	os->slept = 0;
	os->deadline = 0;
	os->polled = GN_POLLED_UNKNOWN;
	os->end = GN_END_BY_UNKNOWN;
	os->interpreter = 0;
	os->wait_class = (__u8)wait_class;
	os->reason = reason;
	os->state = runnable ? GN_CPU_QUEUED : GN_CPU_WAITING;
}

/* The wait that has just begun is for the lock of its interpreter, which some
 * try to get again and again, each time for some milliseconds. */
static inline void gn_os_interpreter(struct gn_os *os)
{
	if (os->state != GN_CPU_WAITING)
		return;
	os->wait_class = GN_CLASS_LOCK;
	os->interpreter = 1;
}

/* The thread has just begun a wait that a timer ends at `deadline`. */
static inline void gn_os_deadline(struct gn_os *os, __u64 deadline)
{
	if (os->state == GN_CPU_WAITING)
		os->deadline = deadline;
}

/* Whether the wait counts as a sleep if its deadline ends it. */
static inline int gn_os_may_sleep(const struct gn_os *os)
{
	return os->deadline && (os->wait_class == GN_CLASS_EVENT ||
				os->wait_class == GN_CLASS_DISK);
}

/*
 * The class of a wait that ended at `woken`. Runtimes sleep by waiting for a
 * condition that no one signals, and idle I/O threads of databases wait for the
 * end of requests that no one makes. So a wait that its deadline ended was a
 * sleep. If it is not known whether a thread ended it, the time decides. For a
 * wait that goes on (`woken` 0) the thread's last wait of that kind decides.
 */
static inline enum gn_class gn_os_waited(const struct gn_os *os, __u64 woken)
{
	if (!gn_os_may_sleep(os))
		return (enum gn_class)os->wait_class;
	if (woken ? os->surely || woken + GN_DEADLINE_SLACK < os->deadline
		  : os->early)
		return (enum gn_class)os->wait_class;
	return GN_CLASS_SLEEP;
}

/* The `detail` of the wait's slice. `woken` 0: the wait goes on. */
static inline __u8 gn_os_detail(const struct gn_os *os, __u64 woken)
{
	__u8 detail = os->deadline ? GN_WAIT_TIMED : 0, end = os->end;

	if (os->wait_class == GN_CLASS_LOCK && os->interpreter)
		detail |= GN_WAIT_INTERPRETER;
	if (os->wait_class == GN_CLASS_OTHER || os->wait_class == GN_CLASS_POLL)
		detail |= os->polled;
	if (os->wait_class != GN_CLASS_POLL)
		return detail;
	if (!woken)
		return detail;
	if (end != GN_END_BY_SIGNAL && os->deadline && !os->surely &&
	    woken + GN_DEADLINE_SLACK >= os->deadline)
		end = GN_END_BY_TIMEOUT;
	return detail | (__u8)(end << 4);
}

/* The kernel names the waker before the thread is runnable, and sometimes
 * before the thread is seen to wait. The last waker named is the right one. */
static inline void gn_os_waking(struct gn_os *os, __u32 waker, int surely)
{
	os->waker = waker;
	os->surely = surely != 0;
}

/*
 * Something is about to wake the thread. The kernel's run queue account can
 * tell of an earlier time: since 6.12 it can leave a thread that sleeps on a
 * queue, and if it then moves it to another CPU, which busy CPUs cause, it
 * counts the thread as runnable from there on.
 */
static inline void gn_os_slept(struct gn_os *os, __u64 now)
{
	os->slept = now;
}

/* A wakeup of a thread that is on a CPU or queued changes nothing. A thread
 * whose state is not known yet was waiting; otherwise it could not be woken. */
static inline void gn_os_wakeup(struct gn_os *os, __u64 now)
{
	if (os->state != GN_CPU_WAITING && os->state != GN_CPU_UNKNOWN)
		return;
	if (now < os->since)
		now = os->since;
	os->woken = now;
	os->state = GN_CPU_WOKEN;
}

/*
 * The thread was runnable for the last `queued` ns, by the kernel's run queue
 * account, so wakeups need no program. Called when the thread runs again, or
 * when its state is read while it is off its CPU.
 */
static inline void gn_os_queued(struct gn_os *os, __u64 now, __u64 queued)
{
	if (os->state != GN_CPU_WAITING && os->state != GN_CPU_UNKNOWN)
		return;
	if (now < os->since)
		now = os->since;
	os->woken = queued < now - os->since ? now - queued : os->since;
	if (os->woken < os->slept)
		os->woken = os->slept < now ? os->slept : now;
	os->state = GN_CPU_WOKEN;
}

/*
 * The slices of an off-CPU stretch that ends at `now`, at most two: the wait
 * and the run queue. Returns how many. A thread that was never seen woken
 * waited to the end.
 */
static inline int gn_os_off_slices(const struct gn_os *os, __u64 now,
				   struct gn_slice out[2])
{
	__u64 woken = os->state == GN_CPU_WOKEN ? os->woken : now, ended;
	int n = 0;

	if (now <= os->since)
		return 0;
	if (os->state == GN_CPU_QUEUED || os->state == GN_CPU_UNKNOWN)
		woken = os->since;
	if (woken > now)
		woken = now;
	if (woken > os->since) {
		ended = os->state == GN_CPU_WOKEN ? woken : 0;
		gn_slice_set(&out[n], os->since, woken, gn_os_waited(os, ended),
			     os->reason, os->waker);
		out[n].detail = gn_os_detail(os, ended);
		/* a timer ended it, in whatever thread ran then */
		if (GN_WAIT_END(out[n].detail) == GN_END_BY_TIMEOUT)
			out[n].waker = 0;
		n++;
	}
	if (now > woken)
		gn_slice_set(&out[n++], woken, now, GN_CLASS_RUNQUEUE,
			     GN_NO_SYSCALL, os->waker);
	return n;
}

/* The thread runs again at `now`: returns its off-CPU stretch as slices. Clears
 * the waker, because it did not end a later wait. */
static inline int gn_os_switch_in(struct gn_os *os, __u64 now,
				  struct gn_slice out[2])
{
	int n;

	if (os->state == GN_CPU_DEAD || os->state == GN_CPU_ON)
		return 0;
	n = gn_os_off_slices(os, now, out);
	if (n && gn_os_may_sleep(os) && out[0].class != GN_CLASS_RUNQUEUE)
		os->early = out[0].class != GN_CLASS_SLEEP;
	if (now > os->since)
		os->total += now - os->since;
	os->events += 1;
	os->state = GN_CPU_ON;
	os->since = now;
	os->in_since = now; /* its kernel work continues */
	os->waker = 0;
	os->surely = 0;
	return n;
}

#endif
