/* SPDX-License-Identifier: BSD-2-Clause */
/* How large the ring may be where gnomon's own memory is limited: the kernel
 * ends a process that goes beyond the limit of its control group, and says
 * nothing to it. */
#ifndef GNOMON_CAPTURE_RING_SIZE_H
#define GNOMON_CAPTURE_RING_SIZE_H

#include <stdbool.h>
#include <stdint.h>

struct gn_room {
	uint64_t memory;    /* of the control groups; UINT64_MAX: no limit */
	uint64_t addresses; /* RLIMIT_AS */
};

struct gn_session;

/* The default, or less: most of the memory is left to the command, which is in
 * the same control group. */
uint64_t gn_ring_size_default(uint64_t usual, const struct gn_room *room);

/* Whether the memory has room for the ring and gnomon itself. Otherwise `need`
 * is what they take. The address space is another matter: if that is used up,
 * a call fails, which is reported. */
bool gn_ring_size_fits(uint64_t size, const struct gn_room *room,
		       uint64_t *need);

/* Chooses the session's, and tells if it is smaller than usual. */
int gn_ring_choose(struct gn_session *s);

#endif
