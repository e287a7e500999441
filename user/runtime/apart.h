/* SPDX-License-Identifier: BSD-2-Clause */
/* Processes of gnomon that finish what it has begun in another process, even if
 * gnomon is killed. */
#ifndef GNOMON_RUNTIME_APART_H
#define GNOMON_RUNTIME_APART_H

#include <stddef.h>
#include <sys/types.h>

#include "runtime/local_socket.h"

/* How long they wait for a process that does not answer. */
#define GN_APART_MS (60 * 60 * 1000)

/* As fork(); the child gets no signals. */
pid_t gn_apart_fork(void);
/* In the child: closes all descriptors but these, whose numbers change. */
void gn_apart_settle(int *const *kept, size_t n);

/* A process that ends what gnomon has begun, at the latest when gnomon has
 * ended. It has a pipe from gnomon. */
struct gn_guard {
	pid_t pid;
	int leash; /* gnomon's end of the pipe; -1: there is no process */
};

/* Starts it: `run` gets the other end of the pipe, and does not return. 0 or
 * -errno. */
int gn_guard_start(struct gn_guard *g, void (*run)(void *ctx, int leash),
		   void *ctx);
/* Closes the pipe and waits for the process, if there is one. */
void gn_guard_dismiss(struct gn_guard *g);

struct gn_apart {
	/* 0 or -errno, and `why` says what failed */
	int (*work)(void *ctx, char *why);
	void *ctx;
	int *const *kept; /* the descriptors that it needs, in *ctx */
	size_t nkept;
};

/* Returns what the work returns in a process of its own. -EINTR, -ETIMEDOUT:
 * gnomon waits no more, but that process does. -errno: `why` says why there is
 * none. */
int gn_apart(const struct gn_apart *a, const struct gn_socket_limits *l,
	     char *why);

#endif
