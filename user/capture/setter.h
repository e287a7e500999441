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
#include <sys/types.h>

struct gn_session;
struct gn_setter;

/* Starts the thread, which keeps the caller's privileges, if there is something
 * to set. 0 or -errno. */
int gn_setter_start(struct gn_session *s);
/* Sets nothing more. The session's `unseen` learns which processes were not
 * reached in time. */
void gn_setter_stop(struct gn_session *s);

/* Which processes began a runtime last. */
#define GN_BEGUN_MAX 256
struct gn_setter_begun {
	struct gn_setter_began {
		pid_t pid;
		uint64_t time;
	} at[GN_BEGUN_MAX];
	size_t n;
};

void gn_setter_note(struct gn_setter_begun *b, pid_t pid, uint64_t now);
/* Whether it did since, or that is not remembered. */
bool gn_setter_noted(const struct gn_setter_begun *b, pid_t pid,
		     uint64_t since);

/* The same of those that the thread was told of. NULL: it is not known. */
bool gn_setter_began(struct gn_setter *t, pid_t pid, uint64_t since);

/* How much the thread has to do, in the second since then. */
struct gn_setter_pace {
	uint64_t since;
	size_t n;
};

/* With `n` more it is asked for more than runtimes that begin can ask for: it
 * must leave the CPU to others. */
bool gn_setter_is_flooded(struct gn_setter_pace *p, size_t n, uint64_t now);

#endif
