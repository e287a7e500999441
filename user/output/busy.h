/* SPDX-License-Identifier: BSD-2-Clause */
/* Finds threads that only wait, and computes what 100 % is. */
#ifndef GNOMON_OUTPUT_BUSY_H
#define GNOMON_OUTPUT_BUSY_H

#include <stdbool.h>
#include <stdint.h>

#include "model/model.h"
#include "output/output.h"

/*
 * Whether a thread only waits, such as an idle worker, an event loop without
 * events, or a thread that waits for others: at most 2 % of its time is on a
 * CPU, ready, held up by a lock or a disk, or unclassified.
 */
bool gn_thread_idle(const struct gn_model_thread *t);

/* The elapsed time of all threads that are not idle. Sets *idle (unless NULL)
 * to the number of idle ones. If all are idle, returns the time of all, and
 * *idle is 0. */
uint64_t gn_busy_elapsed(const struct gn_model *m, size_t *idle);

/* The value that is 100 % of a column; see enum gn_of. */
uint64_t gn_of_whole(const struct gn_model *m, enum gn_of of, int column);

#endif
