/* SPDX-License-Identifier: BSD-2-Clause */
/* Traces functions of runtimes in processes that already run. */
#ifndef GNOMON_CAPTURE_RUNNING_H
#define GNOMON_CAPTURE_RUNNING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include <gnomon/event.h>

struct gn_session;
struct gn_runtime;
struct gn_running;

/* Adds process `pid`, which runs `rt`. -ENOMEM. */
int gn_running_add(struct gn_session *s, pid_t pid,
		   const struct gn_runtime *rt);

/* Whether such a process runs `rt`, or one of any other runtime. `r` may be
 * NULL. */
bool gn_running_has(const struct gn_running *r, const struct gn_runtime *rt);
bool gn_running_others(const struct gn_running *r, const struct gn_runtime *rt);

/* Opens the connection to each process and plans the probes of its library.
 * Errors are reported like those of a session's stages. */
int gn_running_open(struct gn_session *s);

/* Makes the runtimes add hooks, and drains the ring meanwhile. The probes of
 * their libraries must be attached. */
int gn_running_begin(struct gn_session *s, const char *filter);

/* Call after that: reports on stderr what failed, and what the hooks cost. */
void gn_running_tell(const struct gn_session *s);

/* The subset of `families` (enum gn_family) that some process cannot report,
 * because it runs already. */
uint32_t gn_running_untold(const struct gn_running *r, uint32_t families);
/* Writes the words for `families`, with commas. */
void gn_running_words(uint32_t families, char *to, size_t size);

/* Makes the runtimes remove the hooks. Errors are reported on stderr. */
void gn_running_end(struct gn_session *s);

void gn_running_record(struct gn_running *r, const struct gn_rec *rec);
void gn_running_free(struct gn_running *r);

/* The number of processes, and of processes that gnomon does without, for which
 * the session's warning gives the reason. `r` may be NULL. */
size_t gn_running_count(const struct gn_running *r);
size_t gn_running_refused(const struct gn_running *r);

#endif
