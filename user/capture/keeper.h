/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Processes that hold probes where the kernel has no uprobe.multi links. To
 * take thousands of probes away can take the kernel minutes, for which whoever
 * holds them cannot end, not even killed. So a child of gnomon holds them, and
 * takes them away when gnomon asks for it, or has ended in whatever way: gnomon
 * itself can always end.
 *
 * It attaches many probes by one perf event (events.h), else one by one.
 */
#ifndef GNOMON_CAPTURE_KEEPER_H
#define GNOMON_CAPTURE_KEEPER_H

#include <stdbool.h>
#include <stddef.h>

#include "capture/attach.h"

struct gn_keeper {
	pid_t pid;
	int told;     /* what it tells: a pipe */
	int control;  /* closing it ends it; -1 = closed */
	size_t count; /* of its probes */
};

/* Starts one for a set, and waits until all is attached. Sites that the kernel
 * refuses are counted. -EINTR: the set's step says that it is enough; then and
 * after any other error it ends by itself. */
int gn_keeper_start(struct gn_keeper *k, const struct gn_probe_set *set,
		    size_t *refused);

/* True while it holds the probes. */
bool gn_keeper_lives(const struct gn_keeper *k);

/* It begins to take the probes away. */
void gn_keeper_stop(struct gn_keeper *k);

/* After gn_keeper_stop(): waits until they are gone. -EINTR: it goes on with
 * that by itself, for the step says that it is enough to wait. */
int gn_keeper_wait(struct gn_keeper *k, const struct gn_step *step);

#endif
