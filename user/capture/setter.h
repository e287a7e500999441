/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Sets options of runtimes that begin in traced processes, in their memory
 * (gnomon/setup.h). A separate thread and ring serve this, because the ring of
 * records can be long.
 */
#ifndef GNOMON_CAPTURE_SETTER_H
#define GNOMON_CAPTURE_SETTER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct gn_runtime;
struct gn_session;
struct gn_setter;

/* Starts the thread, which keeps the caller's privileges, if there is something
 * to set. 0 or -errno. */
int gn_setter_start(struct gn_session *s);
/* Stops the thread. The session's `unseen` learns which processes it reached,
 * and which not in time. */
void gn_setter_stop(struct gn_session *s);

/* The processes that began a runtime last. */
#define GN_BEGUN_MAX 256
struct gn_setter_begun {
	struct gn_setter_began {
		pid_t pid;
		uint64_t time;
	} at[GN_BEGUN_MAX];
	size_t n;
};

void gn_setter_note(struct gn_setter_begun *b, pid_t pid, uint64_t now);
/* Whether the process began a runtime at `since` or later. True also if that is
 * no longer remembered. */
bool gn_setter_noted(const struct gn_setter_begun *b, pid_t pid,
		     uint64_t since);

/* The same for the processes that the thread has noted. `t` NULL: true, since
 * nothing is known. */
bool gn_setter_began(struct gn_setter *t, pid_t pid, uint64_t since);

/* The processes that were not reached in time. More than there is room for: any
 * process may be one. */
#define GN_LATE_MAX 256
struct gn_setter_late {
	struct gn_setter_reached {
		uint32_t pid;
		const struct gn_runtime *rt;
	} at[GN_LATE_MAX];
	size_t n;
};

void gn_setter_note_late(struct gn_setter_late *l, uint32_t pid,
			 const struct gn_runtime *rt);
bool gn_setter_was_late(const struct gn_setter_late *l, uint32_t pid,
			const struct gn_runtime *rt);

/* The number of requests in the second that began at `since`. */
struct gn_setter_pace {
	uint64_t since;
	size_t n;
};

/* Adds `n` requests. True: they are more than runtimes that begin can cause, so
 * the thread must leave the CPU to others. */
bool gn_setter_is_flooded(struct gn_setter_pace *p, size_t n, uint64_t now);

#endif
