/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Measures what probes cost on this machine, now. A thread of gnomon itself is
 * traced with the programs and link types of the capture while it calls
 * functions of known length. Each function works for a microsecond, because a
 * hit right after another costs some 100 ns less. The meter measures when the
 * capture begins and again while it runs, on the CPU of a traced thread: the
 * pace of a busy machine changes by a tenth within a tenth of a second.
 */
#ifndef GNOMON_CAPTURE_METER_H
#define GNOMON_CAPTURE_METER_H

#include <stdbool.h>
#include <stdint.h>

#include <gnomon/event.h>

struct gn_session;
struct gn_links;
struct gn_meter;

/*
 * Creates the session's meter. Call it when the kernel is watched and the ring
 * is open, before anything else is traced. It writes a COST record for each
 * class in use to the sink. A meter that cannot measure is not an error: then
 * there is no meter and there are no COST records. -ENOMEM.
 */
int gn_meter_new(struct gn_session *s);

/* Takes a record if it comes from the meter's thread or from one of its
 * children; then returns true. False if `m` is NULL. */
bool gn_meter_take(struct gn_meter *m, const struct gn_rec *rec);

/* Measures again when it is time, for the thread `tid` that had the last record
 * (0: none had). Writes the results of finished measurements to the sink. */
void gn_meter_follow(struct gn_meter *m, uint64_t now, uint32_t tid);

/* Frees the meter and moves its probes to `links` (NULL: removes them). `m`
 * NULL does nothing. */
void gn_meter_free(struct gn_meter *m, struct gn_links *links);

/* The times of the records of one call of the outer function, and of the clock
 * reading before it: enter outer, three times enter and leave inner, leave
 * outer. */
#define GN_METER_RECORDS 8
/* The most calls of the outer function in one measurement: the one when the
 * capture begins. */
#define GN_METER_CALLS 64
struct gn_meter_call {
	uint64_t before;
	uint64_t at[GN_METER_RECORDS];
};

/* How many of `ns`, sorted, are at most twice the median: something else
 * disturbed the others. */
unsigned int gn_meter_undisturbed(const uint64_t *ns, unsigned int n);

/* The mean of `ns` without disturbed times. `spread`, unless NULL, becomes half
 * the width of the middle half. Sorts `ns`. */
double gn_meter_mean(uint64_t *ns, unsigned int n, uint32_t *spread);

/* The time that interrupts took, out of the time `of` all measurements so
 * far. */
struct gn_meter_interrupts {
	double taken, of; /* ns */
	unsigned int n;
};

/*
 * Computes from `n` calls what an enter and a leave cost, before and after the
 * time of their records. `clock`: the cost of reading the clock; `work`: the
 * length of the work between two records. The rest between two records is the
 * cost of the first after its record plus that of the second before its record.
 * Interrupts (timer ticks) also come while a probe is at work. Their share is
 * added to `interrupts`, and is a part of the cost. False: there are too few
 * calls, or a record is older than the clock reading before it.
 */
bool gn_meter_solve(const struct gn_meter_call *calls, unsigned int n,
		    uint64_t clock, double work,
		    struct gn_meter_interrupts *interrupts,
		    struct gn_rec_cost *enter, struct gn_rec_cost *leave);

/* The mean time from an enter of the inner function to its leave, without
 * `work`. `n` > 0. */
double gn_meter_inner(const struct gn_meter_call *calls, unsigned int n,
		      double work);

/* Computes the cost of a single-stepped enter that also sets up a return probe,
 * from the costs of an enter that does the first, the second and neither. */
void gn_meter_join(const struct gn_rec_cost *stepped,
		   const struct gn_rec_cost *call,
		   const struct gn_rec_cost *neither, struct gn_rec_cost *both);

#endif
