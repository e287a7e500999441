/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The control block in the .bss section of the BPF programs: what they and user
 * space share besides records. User space writes it and the programs read it;
 * the programs write the counters.
 */
#ifndef GNOMON_CONTROL_H
#define GNOMON_CONTROL_H

#include <gnomon/types.h>
#include <gnomon/event.h>
#include <gnomon/interpreter.h>

/* gn_control.scanning: whether `targets` holds processes or threads. SELF looks
 * up only gnomon's own ids. */
#define GN_SCAN_PROCESS 1
#define GN_SCAN_THREAD	2
#define GN_SCAN_SELF	3

/* Kernel types to which the programs cast pointers. X(name) */
#define GN_CAST_LIST(X) \
	X(task_struct)  \
	X(pt_regs)      \
	X(list_head)    \
	X(file)         \
	X(socket)       \
	X(epitem)       \
	X(eventpoll)    \
	X(rb_node)

/* Placeholders in the programs' calls: cast a pointer, hold the CPU, release
 * it. User space replaces each with the number of the kernel's function. No BPF
 * helper has such a number. */
#define GN_CALL_CAST 0x676e6f6d
#define GN_CALL_HOLD 0x676e6f6e
#define GN_CALL_LET  0x676e6f6f

enum gn_cast {
#define GN_CAST(name) GN_CAST_##name,
	GN_CAST_LIST(GN_CAST)
#undef GN_CAST
		GN_CAST_COUNT
};

#define GN_SIGNALS 32 /* signal numbers below this */

struct gn_control {
	__u64 start;	 /* 0 = not yet: nothing is recorded */
	__u64 stop;	 /* events from here on are ignored; ~0 while running */
	__u32 launch;	 /* tgid whose next exec begins the trace, 0 = none */
	__u32 follow;	 /* children are traced too */
	__u32 scanning;	 /* the iterator registers the targets' threads */
	__u32 finishing; /* the iterator is closing threads */
	__u32 ticking;	 /* the iterator reports what threads do now */
	__u32 unsent;	 /* names that the ring had no room for */
	__u32 valued;	 /* functions of runtimes have values to record */
	__u32 interned;	 /* names that got an index */
	__u32 sampled;	 /* functions of interpreters that got one */
	__u32 interpreters; /* some process runs one */
	__u32 forgotten;    /* how often the memory of names was freed */
	__u32 begun;	    /* threads that were traced so far */
	__u32 wakers;	    /* on_waking is attached and reports wakers */
	__u32 attend;	    /* new processes and programs wake user space */
	__u32 sets_up;	    /* user space writes options of runtimes */
	__u32 gather;	    /* slices may be held back to go out together */
	/*
	 * gnomon's PID namespace and its level; level 0 is the machine's own.
	 * All ids in records, in `targets` and in `launch` are of that
	 * namespace. GN_SCAN_SELF fills these in, and the two below.
	 */
	__u64 pid_ns;
	__u32 pid_level;
	/* gnomon's own thread, as numbered in the machine's namespace */
	__u32 self;
	__u64 entry_regs; /* offset of struct pt_regs in a kernel stack */
	__u64 sample_ns;  /* between two samples of a CPU; 0: no sampling */
	/* CLOCK_REALTIME minus our clock, read again at each poll */
	__u64 real_ahead;
	/*
	 * The scheduler's own clock says when a thread became runnable, so
	 * wakeups need no program. `skew` is our clock minus the scheduler's;
	 * it is negative if the scheduler's is ahead. The kernel reads its
	 * clock shortly before a switch, so each sample is a little too large,
	 * and the smallest one is the best. [1] is the smallest since gnomon's
	 * own thread last went to sleep, at `skew_time`; [0] is the smallest of
	 * the period before.
	 */
	__u32 queue;	 /* run queue times come from that clock */
	__u32 one_clock; /* all CPUs have the same scheduler clock */
	__s64 skew[2];
	__u64 skew_time;
	__u32 command; /* the command's tgid, 0 = none */
	/* when each signal was last sent to the command by anyone but gnomon,
	 * and to gnomon */
	__u64 signalled[GN_SIGNALS];
	__u64 sent[GN_SIGNALS];
	__u64 counters[GN_COUNTER_COUNT];
};

#endif
