/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What user space and the BPF programs share besides records: the control
 * block in the programs' .bss. User space writes it, the programs read it, but
 * for the counters.
 */
#ifndef GNOMON_CONTROL_H
#define GNOMON_CONTROL_H

#include <gnomon/types.h>
#include <gnomon/event.h>

/* gn_control.scanning: `targets` are processes, or threads; or nothing is
 * looked for but who gnomon is. */
#define GN_SCAN_PROCESS 1
#define GN_SCAN_THREAD	2
#define GN_SCAN_SELF	3

/* Types of the kernel to which the programs cast pointers. X(name) */
#define GN_CAST_LIST(X) \
	X(task_struct)  \
	X(pt_regs)      \
	X(list_head)    \
	X(file)         \
	X(socket)       \
	X(epitem)       \
	X(eventpoll)    \
	X(rb_node)

/* What the programs call to cast, to keep the CPU and to let it go, until user
 * space puts the number of the kernel's function there. No helper has it. */
#define GN_CALL_CAST 0x676e6f6d
#define GN_CALL_HOLD 0x676e6f6e
#define GN_CALL_LET  0x676e6f6f

enum gn_cast {
#define GN_CAST(name) GN_CAST_##name,
	GN_CAST_LIST(GN_CAST)
#undef GN_CAST
		GN_CAST_COUNT
};

#define GN_SIGNALS 32 /* the numbers below it */

struct gn_control {
	__u64 start;	 /* 0 = not yet: nothing is recorded */
	__u64 stop;	 /* events from here on are ignored; ~0 while running */
	__u32 launch;	 /* tgid whose next exec begins the trace, 0 = none */
	__u32 follow;	 /* children are traced too */
	__u32 scanning;	 /* the iterator is making threads of targets known */
	__u32 finishing; /* the iterator is closing threads */
	__u32 ticking;	 /* the iterator tells what threads do now */
	__u32 unsent;	 /* names that the ring had no room for */
	__u32 valued;	 /* functions of runtimes have values to be told */
	__u32 interned;	 /* names that were given an index */
	__u32 forgotten; /* how often memory of names was given back */
	__u32 begun;	 /* threads that were traced so far */
	__u32 wakers;	 /* on_waking is attached and tells them */
	__u32 attend;	 /* user space is woken by new processes and programs */
	__u32 sets_up;	 /* user space writes options of runtimes */
	__u32 gather;	 /* slices may wait for others to go out with them */
	/*
	 * Which PID namespace gnomon is in, and at which level; level 0 is the
	 * machine's own. All ids in records, in `targets` and in `launch` are
	 * of that one. Filled in by GN_SCAN_SELF, as are the two
	 * below.
	 */
	__u64 pid_ns;
	__u32 pid_level;
	/* gnomon's own thread, by the machine's numbers */
	__u32 self;
	__u64 entry_regs; /* where in a kernel stack its struct pt_regs is */
	__u64 sample_ns;  /* between two samples of a CPU; 0: there are none */
	/* CLOCK_REALTIME minus our clock, read again at each poll */
	__u64 real_ahead;
	/*
	 * The scheduler's own clock says when a thread became runnable, so
	 * that wakeups need no program. `skew` turns its times into ours: our
	 * clock minus the scheduler's, below 0 where the scheduler's is ahead.
	 * The kernel reads its clock shortly before a switch, so each sample
	 * is a little too large, and the smallest one is the best. [1] is the
	 * smallest since gnomon's own thread last went to sleep, which was at
	 * `skew_time`, [0] the smallest of the stretch before that.
	 */
	__u32 queue;	 /* the run queue is told by that clock */
	__u32 one_clock; /* the scheduler's clocks of all CPUs are one */
	__s64 skew[2];
	__u64 skew_time;
	__u32 command; /* its tgid, 0 = none */
	/* when each signal was last sent to the command by others than gnomon,
	 * and to gnomon */
	__u64 signalled[GN_SIGNALS];
	__u64 sent[GN_SIGNALS];
	__u64 counters[GN_COUNTER_COUNT];
};

#endif
