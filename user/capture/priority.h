/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * gnomon's own thread has normal priority while it keeps up with the records,
 * and real-time priority while it does not: a target that keeps all CPUs busy
 * would leave it too little CPU time, and records would be lost. If another
 * real-time program uses the whole CPU, our thread would then not run at all,
 * because the kernel reserves time only for normal threads. Another thread
 * watches for that, and then sets ours back to normal until the end.
 */
#ifndef GNOMON_CAPTURE_PRIORITY_H
#define GNOMON_CAPTURE_PRIORITY_H

#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct gn_priority {
	int policy, nice; /* as gnomon was started */
	bool raised;
	uint64_t behind; /* when we were last behind, ns */

	/* what gn_priority_expect() was given */
	int fd;
	uint64_t end;
	atomic_bool expects;

	/* shared with the thread that watches */
	pthread_t guard;
	bool guarded; /* the thread runs */
	pid_t tid;    /* the thread that it watches */
	atomic_uint beat;
	atomic_bool watch; /* the guard expects `beat` to change */
	atomic_bool barred;
	atomic_bool last; /* the capture has ended */
	sem_t quit;
};

/* Call after the command was forked. */
void gn_priority_init(struct gn_priority *p);

/* Undoes what gn_priority_follow() has started. */
void gn_priority_end(struct gn_priority *p);

/*
 * Call once, after gn_priority_init(): the capture must end at `end` (ns; 0: at
 * no fixed time) or when `fd` (-1: none) is readable. The guard then does what
 * gn_priority_last() does: while others use the CPU, our thread could see the
 * end a second late.
 */
void gn_priority_expect(struct gn_priority *p, int fd, uint64_t end);

/* Raises all our threads for at most two seconds, so that a real-time program
 * does not delay the end of the capture. */
void gn_priority_last(struct gn_priority *p);

/* Gives a thread of ours the highest possible priority. */
void gn_priority_highest(pid_t tid);
/* Gives it normal priority again. */
void gn_priority_normal(pid_t tid);

/* Call after each draining. `behind`: records were left in the ring. Needs
 * CAP_SYS_NICE; without it nothing changes. */
void gn_priority_follow(struct gn_priority *p, bool behind, uint64_t now);

#endif
