/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The CLR's diagnostics socket (dotnet/diagnostics: documentation/
 * design-docs/ipc-protocol.md). The other end can be hostile.
 */
#ifndef GNOMON_RUNTIME_CLR_IPC_H
#define GNOMON_RUNTIME_CLR_IPC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "runtime/attach.h"

/* Finds the process's socket in its own mount namespace and its folder for
 * temporary files. Returns a descriptor that is only good to connect to. <0:
 * `why` says more. */
int gn_clr_ipc_find(pid_t pid, char *why);

/* Writes the message that attaches a profiler, `beside` another one or as the
 * one that can change code. Returns its length; -E2BIG; -EILSEQ: the path is
 * not ASCII. */
#define GN_CLR_IPC_MAX 65535
int gn_clr_ipc_attach(uint8_t message[GN_CLR_IPC_MAX], const char *library,
		      bool beside, const void *data, size_t size);

/* Reads an answer: 0 and the runtime's result, or -EPROTO. */
#define GN_CLR_ANSWER_MAX 64
int gn_clr_ipc_parse(const uint8_t *answer, size_t size, int32_t *result);

/*
 * Sends a message to the process itself and waits `ms` for the answer, and two
 * minutes more while `wait` returns GN_WAIT_WORKS. 0; -ETIMEDOUT;
 * -ECONNREFUSED, -ENOENT: nobody listens any more; -EPERM: another process
 * listens; -EPROTO: not a valid answer; -EINTR: `wait` returned GN_WAIT_ENOUGH.
 * `wait` may be NULL.
 */
int gn_clr_ipc_ask(int fd, pid_t pid, const uint8_t *message, size_t size,
		   int ms, gn_wait_fn wait, void *ctx, int32_t *result);

/*
 * Whether the runtime can attach a profiler more than once, as .NET 6 and
 * later. Older ones keep the first profiler for good and do not know the
 * command ProcessInfo2, which came with that change. 1, 0, or the same errors.
 */
int gn_clr_ipc_renews(int fd, pid_t pid, int ms, gn_wait_fn wait, void *ctx);

#endif
