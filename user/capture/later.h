/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Processes, programs and libraries that appear while the capture runs: a
 * program that a followed process executes is planned and probed, and so is a
 * library that a traced process maps; a new process gets the links that are of
 * single processes (gn_session_private()).
 *
 * A thread does that, since it takes longer than the ring can wait. What it
 * finds goes into the stream first, by gn_later_serve(), and is attached then:
 * a function is told before it is hit. Calls before that are not seen; how many
 * processes could have made some is counted (GN_COUNTER_UNPROBED).
 */
#ifndef GNOMON_CAPTURE_LATER_H
#define GNOMON_CAPTURE_LATER_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include <gnomon/event.h>

struct gn_links;
struct gn_later;
struct gn_native_stats;
struct gn_session;

/* Starts the thread, which keeps the caller's privileges. `pids` have their
 * links. 0 or -errno. */
int gn_later_new(struct gn_session *s, const pid_t *pids, size_t n);

/* Each record of the kernel side, in its order. */
void gn_later_record(struct gn_later *l, const struct gn_rec *rec);

/* Readable when there is something for gn_later_serve(). */
int gn_later_fd(const struct gn_later *l);
/* Puts new functions into the stream; they are attached after that. Once more
 * after gn_later_stop(). NULL is fine. */
void gn_later_serve(struct gn_later *l);

/* What was counted so far. */
uint64_t gn_later_count(struct gn_later *l, enum gn_counter counter);

/* Nothing more is attached. What was not done is counted. */
void gn_later_stop(struct gn_later *l);
/* After it: adds what was found. True when that was anything. */
bool gn_later_sum(const struct gn_later *l, struct gn_native_stats *stats);
/* Stops; its probes become `links`' (NULL: they are removed). NULL is fine,
 * here and below. */
void gn_later_detach(struct gn_later *l, struct gn_links *links);
void gn_later_free(struct gn_later *l);

#endif
