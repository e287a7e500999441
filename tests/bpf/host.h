/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * gnomon's BPF programs on the machine that builds them, and a kernel made of
 * data: tasks, a clock, a ring. What a test lets happen reaches the programs
 * as the kernel would bring it to them.
 *
 * The scheduler keeps its own account (when a task was queued, when it came
 * onto a CPU) by a clock that is HOST_SKEW behind. There is one world; none of
 * it may be used by two threads.
 */
#ifndef GNOMON_TESTS_BPF_HOST_H
#define GNOMON_TESTS_BPF_HOST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <gnomon/event.h>

#define HOST_SKEW  1000
#define HOST_TASKS 16

struct host_task;

/* How a capture is made. */
struct host_opts {
	bool queue;  /* the scheduler's account of the run queue is used */
	bool gather; /* slices may go out together */
	bool check;  /* the kernel's account is read while a thread runs */
};

/* A new world: no tasks, an empty ring; the session begins at `start`. */
void host_new(uint64_t start, struct host_opts opts);

/* What every program takes for now; and that later, while the scheduler's clock
 * stays as it was last updated. */
void host_clock(uint64_t now);
void host_late(uint64_t ns);

/* A thread of its own that runs from now on; traced from now on. */
struct host_task *host_task(uint32_t tid);
void host_trace(struct host_task *t);

/* It is gnomon's own thread. */
void host_self(struct host_task *t);

/* `out` leaves its CPU, to be queued or to wait in system call `nr` (-1: none;
 * `disk`: for block I/O), and `in` comes onto it. NULL: an idle task. Unseen:
 * the kernel runs no program. */
struct host_switch {
	struct host_task *out, *in;
	/* `waits`: it is runnable, since it was preempted when about to wait;
	 * `signalled`: since a signal was there when it was;
	 * `moved`: since its last switch it was moved to another CPU */
	bool runnable, disk, unseen, waits, signalled, moved;
	int nr;
	uint64_t args[4];
};

void host_switch(const struct host_switch *s);

/* It is made runnable by what is not traced. */
void host_wake(struct host_task *t);

/* It is about to be made runnable while a thread is in system call `nr`: by
 * that, or by what has interrupted it. */
void host_waking(struct host_task *current, int nr, struct host_task *t);

/* A probe at the begin (else the end) of function `func` is hit. */
void host_probe(struct host_task *t, bool enter, uint32_t func);

/* A probe that names its function by a text; a runtime gives memory of names
 * back. */
void host_named(struct host_task *t, const char *text, size_t len);
void host_forgets(struct host_task *t);

/* Another thread begins to write where names that were just used are kept, or
 * has written. */
void host_writes(bool begins);

/* Its stack pointer from now on. While true, another thread changes mappings
 * (mappings.h), and the kernel looks none up. */
void host_stack(struct host_task *t, uint64_t sp);
void host_mappings_busy(bool busy);

/* A fault; a call into the page of vsyscalls, which the kernel takes for one;
 * the program goes on to its next instruction. */
void host_fault(struct host_task *t, bool begins);
void host_vsyscall(struct host_task *t);
void host_goes_on(struct host_task *t);

/* A system call that is traced. */
void host_syscall(struct host_task *t, bool begins, int nr);

/* The timer of samples comes while it runs, with this stack. */
void host_timer(struct host_task *t, const uint64_t *frame, uint32_t nframes);

/* It has made this one. */
void host_fork(struct host_task *parent, struct host_task *child);

/* It gives itself a name. */
void host_rename(struct host_task *t, const char *comm);

/* It ends by itself. */
void host_exit(struct host_task *t);

/* The session ends now; threads go on. Then each is closed. */
void host_stop(void);
void host_finish(void);

/* Called at each reading of the clock and each look for room in the ring, as
 * an interrupt comes between two instructions. NULL: nothing comes. */
void host_interrupt(void (*come)(void *ctx), void *ctx);

/* While true the ring has no room. */
void host_ring_full(bool full);

/* The i-th sample of the ring, NULL past the last. */
const void *host_sample(size_t i, size_t *size);

/* The last sample that begins with a record of the kind; NULL: there is none.
 */
const void *host_last(enum gn_kind kind);

/* A random number below n; `state` is any. */
uint32_t host_roll(uint64_t *state, uint32_t n);

uint64_t host_counter(enum gn_counter which);

#endif
