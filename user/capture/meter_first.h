/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Measures how much more the first probe of a process costs: the kernel creates
 * a page for its probes there. Only new processes show this, so gnomon forks
 * some children that call a traced function a few times each.
 */
#ifndef GNOMON_CAPTURE_METER_FIRST_H
#define GNOMON_CAPTURE_METER_FIRST_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include <gnomon/event.h>

struct gn_session;

#define GN_METER_CHILDREN 12
/* Records of one child: four calls. */
#define GN_METER_FIRST_RECORDS 8

struct gn_meter_child {
	pid_t pid;
	unsigned int n; /* records so far */
	/* when each came, and the operating system's time before it */
	uint64_t at[GN_METER_FIRST_RECORDS];
	uint64_t os[GN_METER_FIRST_RECORDS];
};

struct gn_meter_first {
	struct gn_meter_child child[GN_METER_CHILDREN];
	unsigned int n;
};

/*
 * Forks the children. They call the function, whose probes must be linked, and
 * which works for `cycles`. When this returns, the children have ended and
 * their records are in the ring. -errno.
 */
int gn_meter_first_run(struct gn_session *s, struct gn_meter_first *f,
		       uint64_t cycles);

/* Takes a record if it is from a child. */
bool gn_meter_first_take(struct gn_meter_first *f, const struct gn_rec *rec);

/* Computes how much more the first call costs. False: too few children have all
 * their records. */
bool gn_meter_first_solve(const struct gn_meter_first *f,
			  struct gn_rec_cost *cost);

#endif
