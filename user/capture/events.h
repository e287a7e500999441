/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Uprobe events of tracefs. Other than those of perf_event_open(2) alone, one
 * can have many probes, and is opened and closed as one: the kernel waits for
 * its grace periods, 20 to 100 ms, once for all of them. It waits under a lock
 * that the whole kernel has one of, so closing by many threads does not help.
 *
 * Nobody else may name them: their group is a random number. They stay when
 * their maker ends without a word, without a probe and at no cost.
 */
#ifndef GNOMON_CAPTURE_EVENTS_H
#define GNOMON_CAPTURE_EVENTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct gn_events {
	const char *root; /* of tracefs */
	int file;	  /* uprobe_events */
	char group[24];
};

/* Finds tracefs; where it is not mounted, in a mount namespace that the caller,
 * a process for this alone, then is in. */
int gn_events_open(struct gn_events *e);

/* An event with one probe more. */
int gn_events_define(const struct gn_events *e, uint32_t event,
		     const char *path, uint64_t offset, bool ret);

/* Puts its probes in place: a perf event, of a process or (0) of all. What the
 * kernel says of one bad site it says of all. */
int gn_events_enable(const struct gn_events *e, uint32_t event, pid_t pid);

/* Of one that is closed. */
int gn_events_remove(const struct gn_events *e, uint32_t event);

#endif
