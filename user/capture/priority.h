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
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct gn_priority {
	int policy, nice; /* as we were started */
	bool raised;
	uint64_t behind; /* when we last were, ns */

	/* shared with the thread that watches */
	pthread_t guard;
	bool guarded; /* it runs */
	pid_t tid;    /* whom it watches */
	atomic_uint beat;
	atomic_bool watch; /* `beat` must change */
	atomic_bool barred;
	atomic_bool quit;
};

/* After the command was forked. */
void gn_priority_init(struct gn_priority *p);

/* Ends what gn_priority_follow() may have started. */
void gn_priority_end(struct gn_priority *p);

/* After each draining: whether records were left in the ring. Needs
 * CAP_SYS_NICE; without it all stays as it is. */
void gn_priority_follow(struct gn_priority *p, bool behind, uint64_t now);

#endif
