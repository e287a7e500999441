// SPDX-License-Identifier: BSD-2-Clause
#include "output/perfetto_packets.h"

#include <errno.h>
#include <stdlib.h>

#include "model/mem.h"
#include "output/text.h"

#define SEQUENCE 1 /* the sequence of all packets */

static int put_packet(struct gn_packets *w, Perfetto__TracePacket *p)
{
	size_t size, at = 1;
	size_t rest;
	int err;

	p->has_trusted_packet_sequence_id = 1;
	p->trusted_packet_sequence_id = SEQUENCE;
	p->has_sequence_flags = 1;
	if (!p->sequence_flags)
		p->sequence_flags = GN_PACKETS_GO_ON;
	size = perfetto__trace_packet__get_packed_size(p);
	err = gn_grow(&w->buf, &w->buf_cap, size + 11, 1);
	if (err)
		return err;
	/* field 1 of Trace, a message, and its length */
	w->buf[0] = 1 << 3 | 2;
	for (rest = size; rest >= 0x80; rest >>= 7)
		w->buf[at++] = (uint8_t)(rest | 0x80);
	w->buf[at++] = (uint8_t)rest;
	perfetto__trace_packet__pack(p, w->buf + at);
	if (fwrite_unlocked(w->buf, 1, at + size, w->f) != at + size)
		return errno > 0 ? -errno : -EIO;
	return 0;
}

int gn_packet_track(struct gn_packets *w, Perfetto__TrackDescriptor *d,
		    uint64_t uuid, uint64_t parent)
{
	Perfetto__TracePacket p = PERFETTO__TRACE_PACKET__INIT;

	d->has_uuid = 1;
	d->uuid = uuid;
	d->has_parent_uuid = parent != 0;
	d->parent_uuid = parent;
	p.track_descriptor = d;
	return put_packet(w, &p);
}

int gn_packet_named_track(struct gn_packets *w, uint64_t uuid, uint64_t parent,
			  const char *name)
{
	Perfetto__TrackDescriptor d = PERFETTO__TRACK_DESCRIPTOR__INIT;

	d.name = (char *)name;
	return gn_packet_track(w, &d, uuid, parent);
}

int gn_packet_event(struct gn_packets *w, uint64_t time,
		    Perfetto__TrackEvent *e, Perfetto__TrackEvent__Type type,
		    uint64_t track)
{
	Perfetto__TracePacket p = PERFETTO__TRACE_PACKET__INIT;

	e->has_type = 1;
	e->type = type;
	e->has_track_uuid = 1;
	e->track_uuid = track;
	p.has_timestamp = 1;
	p.timestamp = time;
	p.track_event = e;
	return put_packet(w, &p);
}

int gn_packet_named(struct gn_packets *w, uint64_t time,
		    Perfetto__TrackEvent *e, Perfetto__TrackEvent__Type type,
		    uint64_t track, uint32_t name, uint32_t category,
		    uint32_t module)
{
	uint64_t categories[2] = {category, module};

	e->has_name_iid = 1;
	e->name_iid = name;
	e->n_category_iids = module ? 2 : 1;
	e->category_iids = categories;
	return gn_packet_event(w, time, e, type, track);
}

int gn_packet_end(struct gn_packets *w, uint64_t time, uint64_t track)
{
	Perfetto__TrackEvent e = PERFETTO__TRACK_EVENT__INIT;

	return gn_packet_event(w, time, &e,
			       PERFETTO__TRACK_EVENT__TYPE__TYPE_SLICE_END,
			       track);
}

int gn_packet_intern(struct gn_packets *w, uint64_t iid, const char *text,
		     bool category, uint32_t flags)
{
	Perfetto__TracePacket p = PERFETTO__TRACE_PACKET__INIT;
	Perfetto__InternedData data = PERFETTO__INTERNED_DATA__INIT;
	Perfetto__InternedName name = PERFETTO__INTERNED_NAME__INIT;
	Perfetto__InternedName *names = &name;
	char *plain = gn_escape(text, true);
	int err;

	if (!plain)
		return -ENOMEM;
	name.has_iid = 1;
	name.iid = iid;
	name.name = plain;
	if (category) {
		data.n_event_categories = 1;
		data.event_categories = &names;
	} else {
		data.n_event_names = 1;
		data.event_names = &names;
	}
	p.interned_data = &data;
	p.sequence_flags = flags;
	err = put_packet(w, &p);
	free(plain);
	return err;
}
