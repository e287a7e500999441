/* SPDX-License-Identifier: BSD-2-Clause */
/* Functions of runtimes in processes that run already. */
#ifndef GNOMON_CAPTURE_RUNNING_H
#define GNOMON_CAPTURE_RUNNING_H

#include <stddef.h>
#include <sys/types.h>

#include <gnomon/event.h>

struct gn_session;
struct gn_runtime;
struct gn_running;

/* Adds process `pid`, which runs `rt`. -ENOMEM. */
int gn_running_add(struct gn_session *s, pid_t pid,
		   const struct gn_runtime *rt);

/* Finds the way into each; probes of their libraries are there already. As
 * stages of a session are. */
int gn_running_open(struct gn_session *s);

/* Has the hooks made, while the ring is drained. */
int gn_running_begin(struct gn_session *s, const char *filter);

/* Has them taken away. What cannot be said by a status goes to stderr. */
void gn_running_end(struct gn_session *s);

void gn_running_record(struct gn_running *r, const struct gn_rec *rec);
void gn_running_free(struct gn_running *r);

/* How many processes there are; `r` may be NULL. */
size_t gn_running_count(const struct gn_running *r);

#endif
