/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The CLR's diagnostics socket (dotnet/diagnostics: documentation/
 * design-docs/ipc-protocol.md). Whoever answers is hostile.
 */
#ifndef GNOMON_RUNTIME_CLR_IPC_H
#define GNOMON_RUNTIME_CLR_IPC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "runtime/attach.h"

/* The process's socket, as a descriptor that can only be connected to; in its
 * own mount namespace and folder for temporary files. <0: `why` says more. */
int gn_clr_ipc_find(pid_t pid, char *why);

/* Whether an error is that gnomon lacks something, and not the process's. */
bool gn_clr_is_lack(int err);

/* What helps where -EACCES refuses something that its user may read. */
const char *gn_clr_remedy(void);

/* The message that attaches a profiler, `beside` another one or as the one that
 * can change code. Its length; -E2BIG; -EILSEQ: the path is not ASCII. */
#define GN_CLR_IPC_MAX 65535
int gn_clr_ipc_attach(uint8_t message[GN_CLR_IPC_MAX], const char *library,
		      bool beside, const void *data, size_t size);

/* What an answer says: 0 and the runtime's result, or -EPROTO. */
#define GN_CLR_ANSWER_MAX 64
int gn_clr_ipc_parse(const uint8_t *answer, size_t size, int32_t *result);

/*
 * Sends a message and waits `ms` for the answer, from the process itself; two
 * minutes more while `wait` says that it is at work.
 * 0; -ETIMEDOUT; -ECONNREFUSED, -ENOENT: nobody listens any more; -EPERM: it
 * is another process that does; -EPROTO: it is no answer; -EINTR: `wait` said
 * that it is enough. `wait` may be NULL.
 */
int gn_clr_ipc_ask(int fd, pid_t pid, const uint8_t *message, size_t size,
		   int ms, gn_wait_fn wait, void *ctx, int32_t *result);

/*
 * Whether the runtime lets a profiler be asked for again, as it can since .NET
 * 6: older ones keep the first one for good, and do not know a command that
 * came with that. 1, 0; the same errors.
 */
int gn_clr_ipc_renews(int fd, pid_t pid, int ms, gn_wait_fn wait, void *ctx);

#endif
