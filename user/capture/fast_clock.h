/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The processor's time-stamp counter against the clock of the records. Both are
 * read together again and again while a capture runs; a time between two such
 * moments is on the line between them.
 */
#ifndef GNOMON_CAPTURE_FAST_CLOCK_H
#define GNOMON_CAPTURE_FAST_CLOCK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* One moment by both. */
struct gn_fast_moment {
	uint64_t ticks;
	uint64_t ns;
	uint32_t apart; /* ns; as far the two readings can be from each other */
};

#define GN_FAST_MOMENTS 512

struct gn_fast_clock {
	struct gn_fast_moment at[GN_FAST_MOMENTS]; /* a ring; the last one is
						      replaced while it is near
						      the one before */
	uint64_t n;				   /* of all that there were */
	uint32_t apart;				   /* the most of any moment */
	uint32_t off; /* the most that one was off the line of its
			 neighbours, ns */
	struct gn_fast_moment since; /* of the rate that is being taken */
	double first;		     /* ns a tick, at the begin; 0: not known */
	double drift;		     /* the most that it changed by, a share */
	/* the line that was used last */
	uint64_t from, to, base, base_ns;
	double slope;
};

/*
 * Why this machine's counter cannot be used, for people; NULL: it can. A clock
 * source that a hypervisor makes of the counters does not show that the kernel
 * has compared those of the CPUs, so that is done here.
 */
const char *gn_fast_clock_unfit(void);

uint64_t gn_fast_ticks(void);

/* Tries to read both at once. */
struct gn_fast_tries {
	uint64_t ns, ticks; /* before them, in this order */
	uint64_t least;	    /* ticks that one took; 0: there was none */
	struct gn_fast_moment best;
};

/*
 * Pure: one more, the clock between two readings of the counter. What disturbs
 * the reader between two tries both clocks have seen, so it makes no moment
 * doubtful. What does so in one can only make `apart` too large.
 */
void gn_fast_moment_try(struct gn_fast_tries *t, uint64_t a, uint64_t ns,
			uint64_t b);

/* Reads both. */
struct gn_fast_moment gn_fast_moment_now(void);

/* Pure: whether moments are on the line from the first to the last one, as far
 * as each tells. */
bool gn_fast_moments_agree(const struct gn_fast_moment *m, size_t n);

/* Pure: adds a moment, later than all others. One of a counter that went back
 * only adds to the bound. */
void gn_fast_clock_add(struct gn_fast_clock *c, const struct gn_fast_moment *m);

/* Pure: the ns of a tick; before the first and after the last moment, by the
 * nearest line. Two moments are needed. */
uint64_t gn_fast_clock_ns(struct gn_fast_clock *c, uint64_t ticks);

/* Pure: by how much such a time can be wrong, ns. */
uint32_t gn_fast_clock_bound(const struct gn_fast_clock *c);

/* Pure: so many ticks are so many ns. */
uint64_t gn_fast_clock_ticks(const struct gn_fast_clock *c, uint64_t ns);

#endif
