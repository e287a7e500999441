/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * gnomon's own thread runs as any other while it keeps up with the records, and
 * before the others while it does not: a target that keeps all CPUs busy would
 * else leave it too little of them, and records would be lost.
 */
#ifndef GNOMON_CAPTURE_PRIORITY_H
#define GNOMON_CAPTURE_PRIORITY_H

#include <stdbool.h>
#include <stdint.h>

struct gn_priority {
	int policy, nice; /* as we were started */
	bool raised;
	uint64_t behind; /* when we last were, ns */
};

/* After the command was forked. */
void gn_priority_init(struct gn_priority *p);

/* After each draining: whether records were left in the ring. Needs
 * CAP_SYS_NICE; without it all stays as it is. */
void gn_priority_follow(struct gn_priority *p, bool behind, uint64_t now);

#endif
