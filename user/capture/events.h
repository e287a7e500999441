/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Uprobe events of tracefs. Unlike an event of perf_event_open(2) alone, such
 * an event can have many probes, and it is opened and closed as a whole. So the
 * kernel waits for its grace periods, 20 to 100 ms, once for all probes. It
 * waits under one lock of the whole kernel, so closing by many threads does not
 * help.
 *
 * A random number in the group's name keeps the names unique. Events remain if
 * their maker is killed, but without probes and at no cost.
 */
#ifndef GNOMON_CAPTURE_EVENTS_H
#define GNOMON_CAPTURE_EVENTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct gn_probe_set;

struct gn_events {
	const char *root; /* of tracefs */
	int file;	  /* uprobe_events */
	char group[24];
};

/* Finds tracefs. If it is not mounted, mounts it in a new mount namespace, so
 * the caller must be a process for this purpose only. */
int gn_events_open(struct gn_events *e);

/* Adds the i-th probe of a set to an event. */
int gn_events_define(const struct gn_events *e, uint32_t event,
		     const struct gn_probe_set *set, size_t i);

/* Attaches an event's probes. Returns a perf event for process `pid`, or for
 * all (0). One bad site makes the whole event fail. */
int gn_events_enable(const struct gn_events *e, uint32_t event, pid_t pid);

/* Removes an event. Its perf event must be closed. */
int gn_events_remove(const struct gn_events *e, uint32_t event);

#endif
