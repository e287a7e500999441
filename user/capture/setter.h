/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Sets options of runtimes that begin in traced processes, in their memory
 * (gnomon/setup.h). A thread does it: the ring of records can be long.
 */
#ifndef GNOMON_CAPTURE_SETTER_H
#define GNOMON_CAPTURE_SETTER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct gn_session;

/* Starts the thread, which keeps the caller's privileges, if there is something
 * to set. 0 or -errno. */
int gn_setter_start(struct gn_session *s);
/* Sets nothing more. The session's `unseen` learns which processes were not
 * reached in time. */
void gn_setter_stop(struct gn_session *s);

/* How much the thread has to do, in the second since then. */
struct gn_setter_pace {
	uint64_t since;
	size_t n;
};

/* With `n` more it is asked for more than runtimes that begin can ask for: it
 * must leave the CPU to others. */
bool gn_setter_is_flooded(struct gn_setter_pace *p, size_t n, uint64_t now);

#endif
