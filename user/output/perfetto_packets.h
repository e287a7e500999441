/* SPDX-License-Identifier: BSD-2-Clause */
/* The packets of Perfetto's trace format: tracks, events, interned names. All
 * return 0, -ENOMEM, or -errno of the file. */
#ifndef GNOMON_OUTPUT_PERFETTO_PACKETS_H
#define GNOMON_OUTPUT_PERFETTO_PACKETS_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "perfetto.pb-c.h"

/* Flags of a packet's sequence. GO_ON: the packet needs the state of earlier
 * packets. BEGIN: the first packet, which also begins that state. */
#define GN_PACKETS_GO_ON 2
#define GN_PACKETS_BEGIN 3

struct gn_packets {
	FILE *f;
	uint8_t *buf; /* the owner frees it */
	uint32_t buf_cap;
};

/* Writes a track. Its process and thread, if any, are in `d`. `parent` 0:
 * none. */
int gn_packet_track(struct gn_packets *w, Perfetto__TrackDescriptor *d,
		    uint64_t uuid, uint64_t parent);
int gn_packet_named_track(struct gn_packets *w, uint64_t uuid, uint64_t parent,
			  const char *name);

/* Writes an event of a track; `time` in nanoseconds. */
int gn_packet_event(struct gn_packets *w, uint64_t time,
		    Perfetto__TrackEvent *e, Perfetto__TrackEvent__Type type,
		    uint64_t track);
/* The same with an interned name and one or two categories; `module` 0: one. */
int gn_packet_named(struct gn_packets *w, uint64_t time,
		    Perfetto__TrackEvent *e, Perfetto__TrackEvent__Type type,
		    uint64_t track, uint32_t name, uint32_t category,
		    uint32_t module);
int gn_packet_end(struct gn_packets *w, uint64_t time, uint64_t track);

/* Assigns the number `iid` to a text, as a category or as a name. */
int gn_packet_intern(struct gn_packets *w, uint64_t iid, const char *text,
		     bool category, uint32_t flags);

#endif
