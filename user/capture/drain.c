/* SPDX-License-Identifier: BSD-2-Clause */
#include "capture/drain.h"

#include <errno.h>
#include <stdint.h>
#include <string.h>

#include "runtime/runtime.h"

static size_t fixed_size(enum gn_kind kind)
{
	switch (kind) {
#define SIZE(name, value, text, stream, type) \
	case GN_KIND_##name:                  \
		return sizeof(struct type);
		GN_KIND_LIST(SIZE)
#undef SIZE
	}
	return 0;
}

/* Formats the parts as the runtime does, and packs the result. */
static int take_parts(const struct gn_rec_text *sent, gn_drain_fn take,
		      void *ctx)
{
	char name[GN_SENT_PARTS * GN_SENT_PART_MAX], module[GN_SENT_PART_MAX];
	const struct gn_runtime *rt = gn_runtime_of(GN_FUNC_RUNTIME(sent->id));
	struct gn_name_part part[GN_SENT_PARTS];
	_Alignas(8) char buf[GN_TEXT_MAX];
	struct gn_rec *h = (struct gn_rec *)buf;
	size_t size;

	if (!rt || !rt->name)
		return -EBADMSG;
	for (int i = 0; i < GN_SENT_PARTS; i++) {
		size_t len = sent->h.key >> 16 * i & 0xffff;

		if (len > GN_SENT_PART_MAX)
			len = GN_SENT_PART_MAX;
		part[i].text = sent->text + i * GN_SENT_PART_MAX;
		part[i].len = strnlen(part[i].text, len);
		part[i].all = len;
	}
	rt->name(sent->len[0], part, sent->len[1], name, sizeof(name), module,
		 sizeof(module));
	size = gn_text_record(buf, GN_KIND_NAME, sent->id, sent->ref, name,
			      module);
	h->key = sent->len[1];
	h->time = sent->h.time;
	h->tid = sent->h.tid;
	h->seq = sent->h.seq;
	return take(ctx, h, size);
}

static int take_name(const struct gn_rec_text *sent, size_t size,
		     gn_drain_fn take, void *ctx)
{
	_Alignas(8) char buf[GN_TEXT_MAX];
	struct gn_rec_text *r = (struct gn_rec_text *)buf;
	size_t packed;

	if (size < sizeof(*sent) + GN_SENT_NAME_MAX + GN_SENT_MODULE_MAX)
		return -EBADMSG;
	if (sent->h.flags & GN_F_PARTS)
		return take_parts(sent, take, ctx);
	if (sent->len[0] > GN_SENT_NAME_MAX ||
	    sent->len[1] > GN_SENT_MODULE_MAX)
		return -EBADMSG;
	packed = sizeof(*r) + sent->len[0] + sent->len[1];
	packed = (packed + 7) & ~(size_t)7;
	memset(buf, 0, packed);
	memcpy(r, sent, sizeof(*r));
	memcpy(r->text, sent->text, sent->len[0]);
	memcpy(r->text + sent->len[0], sent->text + GN_SENT_NAME_MAX,
	       sent->len[1]);
	r->size = (uint32_t)packed;
	return take(ctx, &r->h, packed);
}

/* Splits a record that holds a wait and the run queue time after it. */
static int take_queued(const struct gn_rec_slice *sent, gn_drain_fn take,
		       void *ctx)
{
	struct gn_rec_slice wait = *sent, queue = *sent;
	int err;

	wait.h.flags = queue.h.flags = sent->h.flags & ~GN_F_THEN_QUEUED;
	wait.h.key = queue.h.key = 0;
	/* the run queue is longer than the whole: no program writes that */
	if (sent->h.key > sent->h.time - sent->start)
		return -EBADMSG;
	wait.h.time = queue.start = sent->h.time - sent->h.key;
	wait.h.seq--;
	queue.class = GN_CLASS_RUNQUEUE;
	queue.reason = GN_NO_SYSCALL;
	err = take(ctx, &wait.h, sizeof(wait));
	return err ? err : take(ctx, &queue.h, sizeof(queue));
}

static int take_slice(const struct gn_rec_slice *sent, gn_drain_fn take,
		      void *ctx)
{
	return sent->h.flags & GN_F_THEN_QUEUED
		       ? take_queued(sent, take, ctx)
		       : take(ctx, &sent->h, sizeof(*sent));
}

/* Slices that were kept and sent together. */
static int take_kept(const struct gn_rec_slice *sent, gn_drain_fn take,
		     void *ctx)
{
	for (size_t i = 0; i < GN_SLICES && sent[i].h.kind; i++) {
		int err = sent[i].h.kind == GN_KIND_SLICE
				  ? take_slice(&sent[i], take, ctx)
				  : -EBADMSG;

		if (err)
			return err;
	}
	return 0;
}

/* A sample. Its stack consists of indexes and addresses here. */
static int take_stack(const struct gn_rec_sample *sent, size_t size,
		      gn_drain_fn take, void *ctx)
{
	if (sent->h.flags & GN_F_NAMES_INTERPRETED)
		return size == sizeof(struct gn_rec_interpreted)
			       ? take(ctx, &sent->h, size)
			       : -EBADMSG;
	if (size < sizeof(*sent) || sent->frames > GN_SAMPLE_FRAMES ||
	    sent->pad > GN_INTERPRETED_FRAMES ||
	    size != sizeof(*sent) + ((sent->pad + 1) / 2 + sent->frames) *
					    sizeof(__u64))
		return -EBADMSG;
	return take(ctx, &sent->h, size);
}

int gn_drain_sample(const void *data, size_t size, gn_drain_fn take, void *ctx)
{
	const struct gn_rec *rec = data;

	if (size < sizeof(*rec))
		return -EBADMSG;
	if (rec->kind == GN_KIND_SAMPLE)
		return take_stack(data, size, take, ctx);
	/* no other record has this size */
	if (size == GN_SLICES * sizeof(struct gn_rec_slice))
		return take_kept(data, take, ctx);
	if (rec->kind == GN_KIND_NAME)
		return take_name(data, size, take, ctx);
	if (size != fixed_size((enum gn_kind)rec->kind))
		return -EBADMSG;
	return rec->kind == GN_KIND_SLICE ? take_slice(data, take, ctx)
					  : take(ctx, rec, size);
}

size_t gn_text_record(void *buf, enum gn_kind kind, __u32 id, __u32 ref,
		      const char *a, const char *b)
{
	struct gn_rec_text *r = buf;
	size_t room = GN_TEXT_MAX - sizeof(*r);
	size_t la = strnlen(a, room);
	size_t lb = strnlen(b, room - la);
	size_t size = (sizeof(*r) + la + lb + 7) & ~(size_t)7;

	memset(buf, 0, size);
	r->h.kind = kind;
	r->size = (uint32_t)size;
	r->id = id;
	r->ref = ref;
	r->len[0] = (uint16_t)la;
	r->len[1] = (uint16_t)lb;
	memcpy(r->text, a, la);
	memcpy(r->text + la, b, lb);
	return size;
}

int gn_text_record_to(gn_drain_fn take, void *ctx, enum gn_kind kind, __u32 id,
		      __u32 ref, __u64 key, __u8 flags, const char *a,
		      const char *b)
{
	_Alignas(8) char buf[GN_TEXT_MAX];
	size_t size = gn_text_record(buf, kind, id, ref, a, b);
	struct gn_rec *h = (struct gn_rec *)buf;

	h->key = key & 0xffffffffffff;
	h->flags = flags;
	return take(ctx, h, size);
}

bool gn_text_split(const struct gn_rec_text *rec, char room[GN_TWO_TEXTS],
		   const char **a, const char **b)
{
	size_t la = rec->len[0], lb = rec->len[1];

	if (la + lb > GN_TEXT_MAX)
		return false;
	memcpy(room, rec->text, la);
	room[la] = '\0';
	memcpy(room + la + 1, rec->text + la, lb);
	room[la + 1 + lb] = '\0';
	*a = room;
	*b = room + la + 1;
	return true;
}
