/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Processes that hold probes where the kernel has no uprobe.multi links. The
 * kernel can take minutes to remove thousands of probes, and until then the
 * process that holds them cannot end, even when killed. So a child of gnomon
 * holds them, and removes them when gnomon asks for it, or when gnomon has
 * ended in any way. gnomon itself can always end. The child attaches many
 * probes by one perf event (events.h), or else one by one.
 */
#ifndef GNOMON_CAPTURE_KEEPER_H
#define GNOMON_CAPTURE_KEEPER_H

#include <stdbool.h>
#include <stddef.h>

#include "capture/attach.h"

struct gn_keeper {
	pid_t pid;
	int told;     /* a pipe with its reports */
	int control;  /* closing it ends it; -1 = closed */
	size_t count; /* of its probes */
	int file;     /* the set's `file` */
};

/*
 * Starts a keeper for a set, and waits until all is attached. Counts the
 * functions that are left out because the kernel refuses one of their sites.
 * -EINTR: the set's step stopped it; after any error the keeper ends by itself.
 */
int gn_keeper_start(struct gn_keeper *k, const struct gn_probe_set *set,
		    size_t *refused);

/* True while it holds the probes. */
bool gn_keeper_lives(const struct gn_keeper *k);

/* The keeper begins to remove the probes. */
void gn_keeper_stop(struct gn_keeper *k);

/* After gn_keeper_stop(): waits until they are removed. -EINTR: the step
 * stopped the wait; the keeper goes on by itself. */
int gn_keeper_wait(struct gn_keeper *k, const struct gn_step *step);

#endif
