/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What probes cost here and now: a thread of gnomon's own is traced with the
 * programs and link types of the capture while it calls functions of known
 * length. They work for a microsecond: right after another a hit costs some 100
 * ns less. It is measured when the capture begins and again while it runs, on
 * the CPU of a traced thread: the pace of a machine changes, by a tenth within
 * a tenth of a second when it is busy.
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
 * After the programs are loaded and the kernel is watched, before anything
 * else is traced. Writes a COST record for each class in use to the sink. Not
 * being able to measure is no error: then no such record says so, and *out is
 * NULL. -ENOMEM.
 */
int gn_meter_new(struct gn_session *s, struct gn_meter **out);

/* A record of the meter's own thread: taken, and nobody else's. NULL: none is.
 */
bool gn_meter_take(struct gn_meter *m, const struct gn_rec *rec);

/* Measures again when it is time to, for the thread `tid` of which records came
 * last; 0: none came. Writes what was measured since to the sink. */
void gn_meter_follow(struct gn_meter *m, uint64_t now, uint32_t tid);

/* Its probes become `links`' (NULL: they are removed). NULL is fine. */
void gn_meter_free(struct gn_meter *m, struct gn_links *links);

/* The times of the records of one call of the outer function, and of the clock
 * reading before it: enter outer, three times enter and leave inner, leave
 * outer. */
#define GN_METER_RECORDS 8
struct gn_meter_call {
	uint64_t before;
	uint64_t at[GN_METER_RECORDS];
};

/*
 * What an enter and a leave cost by `n` calls, before and after the time of
 * their records. `clock` is what reading the clock costs, `work` the length of
 * what is done between two records. The rest between them is what the first
 * costs after and the second before its time. false: too few.
 */
bool gn_meter_solve(const struct gn_meter_call *calls, unsigned int n,
		    uint64_t clock, double work, struct gn_rec_cost *enter,
		    struct gn_rec_cost *leave);

#endif
