/* SPDX-License-Identifier: BSD-2-Clause */
/* Threads of the library's own in the program. */
#ifndef GNOMON_CLR_THREAD_H
#define GNOMON_CLR_THREAD_H

#include <stdbool.h>

/* Runs `fn` on one that takes no signals of the program's. Nobody waits for it.
 * Never from a hook. False: there can be no more threads. */
bool gn_clr_thread(void *(*fn)(void *ctx), void *ctx);

#endif
