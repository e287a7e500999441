/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Runs gnomon's BPF programs on the build machine, on a kernel that is
 * simulated as data: tasks, a clock, a ring buffer. Events that a test triggers
 * reach the programs as they would in the kernel.
 *
 * The scheduler keeps its own account (when a task was queued, when it came
 * onto a CPU) by a clock that is HOST_SKEW ns behind. There is one global
 * kernel. Only one thread may use it.
 */
#ifndef GNOMON_TESTS_BPF_HOST_H
#define GNOMON_TESTS_BPF_HOST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <gnomon/event.h>
#include <gnomon/interpreter.h>

#define HOST_SKEW  1000
#define HOST_TASKS 16

struct host_task;

/* Options of a capture. */
struct host_opts {
	bool queue;  /* use the scheduler's account of the run queue */
	bool gather; /* slices may be sent together */
	bool check;  /* read the kernel's account while a thread runs */
};

/* Resets the kernel: no tasks, an empty ring. The session begins at `start`. */
void host_new(uint64_t start, struct host_opts opts);

/* Sets the time for all programs. host_late() adds to it, but leaves the
 * scheduler's clock at its last update. */
void host_clock(uint64_t now);
void host_late(uint64_t ns);

/* Creates a process of one thread, which is running. host_trace(): the thread
 * is traced from now on. */
struct host_task *host_task(uint32_t tid);
void host_trace(struct host_task *t);

/* Makes this gnomon's own thread. */
void host_self(struct host_task *t);

/* `out` leaves its CPU, to be queued or to wait in system call `nr` (-1: none;
 * `disk`: for block I/O), and `in` comes onto the CPU. NULL: an idle task.
 * `unseen`: the kernel runs no program. */
struct host_switch {
	struct host_task *out, *in;
	/* `waits`: `out` is runnable, because it was preempted when it was
	 * about to wait; `signalled`: it stays runnable, because a signal was
	 * pending when it was about to wait; `moved`: `in` was moved from
	 * another CPU since its last switch */
	bool runnable, disk, unseen, waits, signalled, moved;
	int nr;
	uint64_t args[4];
};

void host_switch(const struct host_switch *s);

/* An untraced thread wakes the task. */
void host_wake(struct host_task *t);

/* The task is about to be woken while `current` is in system call `nr`: by that
 * call, or by an interrupt of it. */
void host_waking(struct host_task *current, int nr, struct host_task *t);

/* Hits a probe at the begin of function `func`, or at its end. */
void host_probe(struct host_task *t, bool enter, uint32_t func);

/* host_named(): hits a probe that names its function by a text. host_forgets():
 * the runtime frees memory of names. */
void host_named(struct host_task *t, const char *text, size_t len);
void host_forgets(struct host_task *t);

/* Another thread begins to write to the cache of recent names, or is done. */
void host_writes(bool begins);

/* host_stack(): sets the task's stack pointer. host_mappings_busy(): while
 * true, another thread changes mappings (mappings.h), and the kernel looks none
 * up. */
void host_stack(struct host_task *t, uint64_t sp);
void host_mappings_busy(bool busy);

/* A page fault begins or ends; the task calls into the vsyscall page, which the
 * kernel handles as a fault; the task goes on to its next instruction. */
void host_fault(struct host_task *t, bool begins);
void host_vsyscall(struct host_task *t);
void host_goes_on(struct host_task *t);

/* A traced system call begins or ends. */
void host_syscall(struct host_task *t, bool begins, int nr);

/* Reads a text of CPython in this program's memory. */
bool host_python_text(struct gn_interpreted_text *to, const void *object,
		      const struct gn_interpreter *py);

/* The sampling timer fires while the task runs with this stack. */
void host_timer(struct host_task *t, const uint64_t *frame, uint32_t nframes);

/* User space lets a program run on the CPU where the task runs. */
void host_settle(struct host_task *t);

/* Runs the programs of tracepoints that pass pointers, without the pointers. */
void host_nothing(void);

/* `parent` creates `child`. */
void host_fork(struct host_task *parent, struct host_task *child);

/* The task renames itself. */
void host_rename(struct host_task *t, const char *comm);

/* The task exits by itself. */
void host_exit(struct host_task *t);

/* host_stop(): the session ends now, and threads go on. host_finish(): closes
 * each thread. */
void host_stop(void);
void host_finish(void);

/* Calls `come` at each reading of the clock and each reservation in the ring,
 * as an interrupt between two instructions. NULL: never. */
void host_interrupt(void (*come)(void *ctx), void *ctx);

/* While true, the ring is full. */
void host_ring_full(bool full);

/* The i-th sample in the ring. NULL: past the last. */
const void *host_sample(size_t i, size_t *size);

/* The last sample that begins with a record of this kind. NULL: there is
 * none. */
const void *host_last(enum gn_kind kind);

/* A random number below n. Any `state` is valid. */
uint32_t host_roll(uint64_t *state, uint32_t n);

uint64_t host_counter(enum gn_counter which);

#endif
