/* SPDX-License-Identifier: BSD-2-Clause */
/* Shows the progress of long work: a line on stderr, if that is a terminal. */
#ifndef GNOMON_CMD_PROGRESS_H
#define GNOMON_CMD_PROGRESS_H

#include <stdbool.h>
#include <stdint.h>

struct gn_progress {
	bool on;
	uint64_t began;	   /* when the work began; 0: not yet */
	uint64_t shown_at; /* when the line was last written; 0: there is no
			      line */
};

void gn_progress_init(struct gn_progress *p, bool quiet);

/* Other work begins at `now`. */
void gn_progress_restart(struct gn_progress *p, uint64_t now);

/*
 * Reports how much is done at `now`. After half a second it shows a line, twice
 * a second: "gnomon: DOING 3 of 7 UNIT, 2 a second, 2 s left". `total` 0:
 * unknown. The numbers are divided by `scale`.
 */
void gn_progress_show(struct gn_progress *p, uint64_t now, const char *doing,
		      const char *unit, uint64_t done, uint64_t total,
		      uint64_t scale);

/* The same for work without numbers: "gnomon: DOING, 3.5 s". */
void gn_progress_wait(struct gn_progress *p, uint64_t now, const char *doing);

/* Ends the work and removes the line, so that other text can be written. */
void gn_progress_end(struct gn_progress *p);

#endif
