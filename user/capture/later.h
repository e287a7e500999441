/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Attaches to processes, programs and libraries that appear while the capture
 * runs. A program that a followed process executes is planned and probed, if
 * possible before it begins (gate.h), and so is a library that a traced process
 * maps. A new process gets the links of single processes
 * (gn_session_private()).
 *
 * A thread does this, because the ring cannot wait so long. It first puts
 * records of new functions into the stream, by gn_later_serve(), and attaches
 * them after that: a function is announced before it is hit. Calls before the
 * attachment are not seen; GN_COUNTER_UNPROBED counts the processes that could
 * have made some, and each file that one mapped later.
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

/* Starts the thread, which keeps the caller's privileges. Processes in `pids`
 * have their links already. 0 or -errno. */
int gn_later_new(struct gn_session *s, const pid_t *pids, size_t n);

/* Takes each record of the kernel side, in order. */
void gn_later_record(struct gn_later *l, const struct gn_rec *rec);

/* All records from before that time were taken. NULL is fine. */
void gn_later_catch_up(struct gn_later *l, uint64_t time);

/* Whether it looks at what processes map. NULL is fine. */
bool gn_later_sees_mapped(const struct gn_later *l);

/* Readable when there is something for gn_later_serve(). */
int gn_later_fd(const struct gn_later *l);
/* Puts new functions into the stream; they are attached after that. Once more
 * after gn_later_stop(). NULL is fine. */
void gn_later_serve(struct gn_later *l);

/* The value of a counter so far. */
uint64_t gn_later_count(struct gn_later *l, enum gn_counter counter);

/* After gn_later_rest(): how many programs ended before they were looked at,
 * and were not at the gate. NULL is fine. */
unsigned gn_later_gone(const struct gn_later *l);

/* After gn_later_rest(): a 32-bit program that was started, or NULL. NULL is
 * fine. */
const char *gn_later_narrow(const struct gn_later *l);

/* After gn_later_stop(): whether some of what came later was not looked at or
 * attached to, because descriptors, memory or room for probes were lacking.
 * NULL is fine. */
bool gn_later_failed(const struct gn_later *l);

/* The PID and name of an untraced process that mapped a file before a traced
 * process could have its probes, and is no child of a traced one. "": none.
 * After gn_later_rest(). NULL is fine. */
#define GN_LATER_OTHER 64
const char *gn_later_other(const struct gn_later *l);

/* Attaches nothing more. NULL is fine. */
void gn_later_stop(struct gn_later *l);
/* After the capture's last records: counts what was not done. gn_later_serve()
 * puts it into the stream. NULL is fine. */
void gn_later_rest(struct gn_later *l);
/* After gn_later_rest(): adds what was found to `stats`. True if there was
 * anything. */
bool gn_later_sum(const struct gn_later *l, struct gn_native_stats *stats);
/* Stops, and moves its probes to `links` (NULL: removes them). NULL is fine,
 * here and below. */
void gn_later_detach(struct gn_later *l, struct gn_links *links);
void gn_later_free(struct gn_later *l);

#endif
