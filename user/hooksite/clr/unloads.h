/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Unloads and who walks through what is loaded. A module, a function or a class
 * of a module that is unloaded is memory of nobody: the runtime says before
 * that it begins, and goes on when the walk is at its end.
 */
#ifndef GNOMON_HOOKSITE_CLR_UNLOADS_H
#define GNOMON_HOOKSITE_CLR_UNLOADS_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

/* All zeros is ready. */
struct gn_unloads {
	pthread_mutex_t lock;
	uint64_t last; /* ns: when one began, as far as is known */
};

/* One begins, or can have begun: waits for a walk. */
void gn_unloads_note(struct gn_unloads *u);
/*
 * Until the release none begins. Those that have begun are not in the runtime's
 * list of modules any more; in that of functions they are for a while: `gone`
 * waits so long.
 */
void gn_unloads_hold(struct gn_unloads *u, bool gone);
void gn_unloads_release(struct gn_unloads *u);

#endif
