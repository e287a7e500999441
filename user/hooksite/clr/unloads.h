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
	/* ns: begin of the last unload; 0: what was unloaded is gone */
	uint64_t last;
};

/* An unload begins, or may have begun. Waits for a walk. */
void gn_unloads_note(struct gn_unloads *u);
/* No unload begins until gn_unloads_release(). Modules whose unload has begun
 * are no longer in the runtime's list of modules. */
void gn_unloads_hold(struct gn_unloads *u);
/* The same. Their functions stay in the runtime's list of functions for a
 * while: waits until they are gone. False: a thread got too little CPU time for
 * that. */
bool gn_unloads_hold_gone(struct gn_unloads *u);
void gn_unloads_release(struct gn_unloads *u);

#endif
