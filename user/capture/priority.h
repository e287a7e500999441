/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * gnomon's own thread runs as any other while it keeps up with the records, and
 * before the others while it does not: a target that keeps all CPUs busy would
 * else leave it too little of them, and records would be lost.
 *
 * Where a real-time program has the CPU for itself, ours would not run at all
 * then: the kernel keeps some time for ordinary threads only. Another thread
 * watches for that, and ours is an ordinary one again, to the end.
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
	int policy, nice; /* as we were started */
	bool raised;
	uint64_t behind; /* when we last were, ns */

	/* what gn_priority_expect() was given */
	int fd;
	uint64_t end;
	atomic_bool expects;

	/* shared with the thread that watches */
	pthread_t guard;
	bool guarded; /* it runs */
	pid_t tid;    /* whom it watches */
	atomic_uint beat;
	atomic_bool watch; /* `beat` must change */
	atomic_bool barred;
	atomic_bool last; /* the capture has ended */
	sem_t quit;
};

/* After the command was forked. */
void gn_priority_init(struct gn_priority *p);

/* Ends what gn_priority_follow() may have started. */
void gn_priority_end(struct gn_priority *p);

/* Once, after gn_priority_init(): the capture is to end at `end` (ns; 0: not by
 * a time) or when `fd` (-1: none) can be read. gn_priority_last() then comes by
 * itself: where others have the CPU, our thread could see it a second late. */
void gn_priority_expect(struct gn_priority *p, int fd, uint64_t end);

/*
 * For two seconds at most: the end of the capture is not kept waiting by a
 * real-time program that has the CPU for itself.
 */
void gn_priority_last(struct gn_priority *p);

/* A thread of ours runs before all others that it can run before. */
void gn_priority_highest(pid_t tid);

/* After each draining: whether records were left in the ring. Needs
 * CAP_SYS_NICE; without it all stays as it is. */
void gn_priority_follow(struct gn_priority *p, bool behind, uint64_t now);

#endif
