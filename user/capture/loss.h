/* SPDX-License-Identifier: BSD-2-Clause */
/* Finds why the ring lost records. The ring only says that it was full; what
 * gnomon did at that time says what would help. */
#ifndef GNOMON_CAPTURE_LOSS_H
#define GNOMON_CAPTURE_LOSS_H

#include <stdbool.h>
#include <stdint.h>

/* What keeps a sink from taking more records. */
enum gn_hold {
	GN_HOLD_NOT,   /* nothing: it takes records */
	GN_HOLD_CPU,   /* it still works on those that it has */
	GN_HOLD_DISK,  /* it waits for the disk */
	GN_HOLD_STUCK, /* the same, perhaps forever */
};

enum gn_loss_reason {
	GN_LOSS_RING, /* more came at once than the ring holds */
	GN_LOSS_RATE, /* gnomon worked all the time, and it was not enough */
	GN_LOSS_CPU,  /* gnomon waited for a CPU */
	GN_LOSS_DISK, /* the sink waited for its disk */
	GN_LOSS_STOP, /* gnomon did not run: a signal, a frozen group */
	GN_LOSS_REASONS
};

struct gn_loss {
	uint64_t lost[GN_LOSS_REASONS]; /* records */
	/* at the last look, ns: the clock, and this thread's own times */
	uint64_t time, ran, queued;
	uint64_t seen; /* lost records that are accounted for */
	bool begun;
	enum gn_hold hold; /* the worst since then */
};

/* What this thread has done up to a moment. */
struct gn_loss_times {
	uint64_t time;	 /* ns of the clock */
	uint64_t ran;	 /* ns on a CPU */
	uint64_t queued; /* ns in the run queue */
};

/* Pure: `lost` records were lost up to `now`, over the whole capture. */
void gn_loss_account(struct gn_loss *l, const struct gn_loss_times *now,
		     uint64_t lost);

/* Call after each draining, in the draining thread. Reads the times at most
 * every 10 ms. */
void gn_loss_follow(struct gn_loss *l, enum gn_hold hold, uint64_t lost,
		    uint64_t now);

/* The main cause of the losses, and what to do: a sentence without its full
 * stop. NULL: the ring lost nothing. */
const char *gn_loss_advice(const struct gn_loss *l);

/* The advice for records that were not lost by the ring. */
#define GN_LOSS_ADVICE "a report names the causes; trace fewer functions (-f)"

#endif
