/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Threads that hold links: closing one waits for a grace period of the kernel
 * (50 ms), and thousands of links that one thread closes take minutes, also
 * when the kernel does it for a gnomon that was killed. So many threads hold
 * some each, in file tables of their own, and a process that ends in any way
 * closes all tables at once. Links so held need none of the process's own
 * descriptors either.
 *
 * Not thread-safe: one thread calls.
 */
#ifndef GNOMON_CAPTURE_HOLDERS_H
#define GNOMON_CAPTURE_HOLDERS_H

#include <stddef.h>
#include <stdint.h>

#include "capture/attach.h"

struct gn_holders;

/* Threads for about `links` links, fewer where no more can be started; -EAGAIN
 * when there is none. */
int gn_holders_new(size_t links, struct gn_holders **out);

/*
 * Runs `fn` in one of the threads, with the links that it holds, and waits:
 * what it returned. Equal values of `which` are the same thread. Descriptors
 * that were open at gn_holders_new() have the same numbers there.
 */
typedef int (*gn_holder_fn)(void *ctx, struct gn_links *links);
int gn_holders_run(struct gn_holders *h, uint32_t which, gn_holder_fn fn,
		   void *ctx);

/* Nothing more is added: the threads give up their capabilities and their
 * copies of the process's descriptors but stderr. */
void gn_holders_settle(struct gn_holders *h);

/* gn_links_remove() in that thread, soon: it does not wait. One key is done
 * after the other. 0 or -ENOMEM. */
int gn_holders_remove(struct gn_holders *h, uint32_t which, uint32_t key);

/* Removes all probes that are left, and waits for it. NULL is fine. */
void gn_holders_free(struct gn_holders *h);

#endif
