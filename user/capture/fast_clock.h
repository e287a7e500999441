/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Converts the processor's time-stamp counter to the clock of the records.
 * While a capture runs, both are read together again and again; a time between
 * two such moments is on the line between them.
 */
#ifndef GNOMON_CAPTURE_FAST_CLOCK_H
#define GNOMON_CAPTURE_FAST_CLOCK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* One moment on both clocks. */
struct gn_fast_moment {
	uint64_t ticks;
	uint64_t ns;
	uint32_t apart; /* ns between the readings, at most */
};

#define GN_FAST_MOMENTS 512

struct gn_fast_clock {
	struct gn_fast_moment at[GN_FAST_MOMENTS]; /* a ring; the last one is
						      replaced while it is near
						      the one before */
	uint64_t n;	/* the number of all moments so far */
	uint32_t apart; /* the largest of any moment */
	uint32_t off;	/* the most that a moment was off the line of its
			   neighbours, ns */
	struct gn_fast_moment since; /* start of the current stretch */
	double first;		     /* ns per tick at first; 0: not known */
	double drift; /* largest change of the rate, a fraction */
	/* the line that was used last */
	uint64_t from, to, base, base_ns;
	double slope;
};

/*
 * Why this machine's counter cannot be used, as a text for people; NULL: it
 * can. If a hypervisor's clock source is based on the counters, that does not
 * show that the kernel has compared the counters of the CPUs, so they are
 * compared here.
 */
const char *gn_fast_clock_unfit(void);

uint64_t gn_fast_ticks(void);

/* Attempts to read both clocks at once. */
struct gn_fast_tries {
	uint64_t ns, ticks; /* read before the attempts, in this order */
	uint64_t least;	    /* ticks of the shortest attempt; 0: none yet */
	struct gn_fast_moment best;
};

/*
 * Pure: adds an attempt, which read the clock between two readings of the
 * counter. Both clocks see a disturbance between two attempts, so it makes no
 * moment doubtful. A disturbance within an attempt can only make `apart` too
 * large.
 */
void gn_fast_moment_try(struct gn_fast_tries *t, uint64_t a, uint64_t ns,
			uint64_t b);

/* Reads both clocks. */
struct gn_fast_moment gn_fast_moment_now(void);

/* Pure: whether all moments are on the line from the first to the last one,
 * within their errors. */
bool gn_fast_moments_agree(const struct gn_fast_moment *m, size_t n);

/* Pure: adds a moment that is later than all others. If the counter went back,
 * the moment only adds to the bound. */
void gn_fast_clock_add(struct gn_fast_clock *c, const struct gn_fast_moment *m);

/* Pure: converts ticks to ns. Before the first and after the last moment, the
 * nearest line applies. 0 if there are fewer than two moments. */
uint64_t gn_fast_clock_ns(struct gn_fast_clock *c, uint64_t ticks);

/* Pure: the largest error of such a time, ns. */
uint32_t gn_fast_clock_bound(const struct gn_fast_clock *c);

/* Pure: how many ticks `ns` take. */
uint64_t gn_fast_clock_ticks(const struct gn_fast_clock *c, uint64_t ns);

#endif
