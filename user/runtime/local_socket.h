/* SPDX-License-Identifier: BSD-2-Clause */
/* A socket on which a runtime answers requests. The other end can be hostile:
 * every wait has a limit. */
#ifndef GNOMON_RUNTIME_LOCAL_SOCKET_H
#define GNOMON_RUNTIME_LOCAL_SOCKET_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "runtime/attach.h"

/* The time limits of a request and its answer. */
struct gn_socket_limits {
	uint64_t until;	      /* ms */
	uint64_t works_until; /* while `wait` returns GN_WAIT_WORKS */
	gn_wait_fn wait;      /* or NULL */
	void *ctx;
};

/* `ms` from now, and two minutes more while the library works. */
struct gn_socket_limits gn_socket_limits(int ms, gn_wait_fn wait, void *ctx);

/* Opens a socket of this user in a folder, only to connect to it. -ENOENT: it
 * is none; -errno. */
int gn_socket_open(int dir, const char *name, uid_t uid);

/* Sends a message if the process itself is at the other end of `fd`. Returns
 * the socket for its answer. -EPERM: another process is; -ETIMEDOUT; -EINTR:
 * `wait` returned GN_WAIT_ENOUGH; -errno. */
int gn_socket_say(int fd, pid_t pid, const void *message, size_t size,
		  const struct gn_socket_limits *l);

/* Receives at most `room` bytes. 0: the end; the same errors. */
ssize_t gn_socket_receive(int s, void *to, size_t room,
			  const struct gn_socket_limits *l);

#endif
