/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Threads that hold links. Closing one link takes a grace period of the kernel
 * (50 ms). So thousands of links that one thread closes take minutes, even if
 * the kernel closes them after gnomon was killed. Therefore many threads hold
 * some links each, in their own file tables. When the process ends in any way,
 * all tables are closed at once. The links then need no descriptors of the
 * process either. Not thread-safe: only one thread may call.
 */
#ifndef GNOMON_CAPTURE_HOLDERS_H
#define GNOMON_CAPTURE_HOLDERS_H

#include <stddef.h>
#include <stdint.h>

#include "capture/attach.h"

struct gn_holders;

/* Starts threads for about `links` links, or as many as can be started.
 * -EAGAIN: none. */
int gn_holders_new(size_t links, struct gn_holders **out);

/*
 * Runs `fn` in one of the threads, with its links, and waits for the result.
 * Equal values of `which` mean the same thread. Descriptors that were open at
 * gn_holders_new() have the same numbers there.
 */
typedef int (*gn_holder_fn)(void *ctx, struct gn_links *links);
int gn_holders_run(struct gn_holders *h, uint32_t which, gn_holder_fn fn,
		   void *ctx);

/* Nothing more will be added: the threads give up their capabilities, and their
 * copies of the process's descriptors except stderr. */
void gn_holders_settle(struct gn_holders *h);

/* Starts gn_links_remove() in that thread, without waiting. Keys are removed
 * one after the other: all of them, or with -ENOMEM none. */
int gn_holders_remove(struct gn_holders *h, uint32_t which,
		      const uint32_t *keys, size_t n);

/* Removes all remaining probes, and waits for it. NULL does nothing. */
void gn_holders_free(struct gn_holders *h);

#endif
