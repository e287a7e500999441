/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Keeps unloads and walks through loaded modules apart. After an unload, the
 * ids of the module and of its functions and classes point to freed memory. The
 * runtime announces an unload in a callback, which waits until the walk ends.
 */
#ifndef GNOMON_HOOKSITE_CLR_UNLOADS_H
#define GNOMON_HOOKSITE_CLR_UNLOADS_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

/* All zeros is ready for use. */
struct gn_unloads {
	pthread_mutex_t lock;
	uint64_t last; /* ns: begin of the last known unload */
};

/* An unload begins, or may have begun. Waits for a walk. */
void gn_unloads_note(struct gn_unloads *u);
/*
 * No unload begins until gn_unloads_release(). Modules whose unload has begun
 * are no longer in the runtime's list of modules. Their functions stay in its
 * list of functions for a while: `gone` waits until they are gone.
 */
void gn_unloads_hold(struct gn_unloads *u, bool gone);
void gn_unloads_release(struct gn_unloads *u);

#endif
