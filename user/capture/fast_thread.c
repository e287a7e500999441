/* SPDX-License-Identifier: BSD-2-Clause */
#include "capture/fast_thread.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define ROOM_FIRST 4096u
#define ROOM_KEPT  65536u /* by a thread whose queue is empty */

static enum gn_stream stream_of(enum gn_kind kind)
{
	switch (kind) {
#define STREAM(name, value, text, stream, type) \
	case GN_KIND_##name:                    \
		return GN_STREAM_##stream;
		GN_KIND_LIST(STREAM)
#undef STREAM
	}
	return GN_STREAM_USER;
}

void gn_fast_thread_init(struct gn_fast_thread *t, uint32_t tid)
{
	memset(t, 0, sizeof(*t));
	t->tid = tid;
}

void gn_fast_thread_free(struct gn_fast_thread *t)
{
	free(t->queue);
	t->queue = NULL;
	t->first = t->end = t->room = 0;
}

/* Makes room for `size` bytes behind the last record. First drops what was
 * handed on, once that is at least half of the queue. */
static int make_room(struct gn_fast_thread *t, size_t size)
{
	size_t room = t->room ? t->room : ROOM_FIRST;
	unsigned char *grown;

	if (t->first && t->first * 2 >= t->end) {
		memmove(t->queue, t->queue + t->first, t->end - t->first);
		t->end -= t->first;
		t->first = 0;
	}
	while (room - t->end < size)
		room *= 2;
	if (room == t->room)
		return 0;
	grown = realloc(t->queue, room);
	if (!grown)
		return -ENOMEM;
	t->queue = grown;
	t->room = room;
	return 0;
}

/* If slices are missing between the last one and this one, the intervals to
 * which they belong are not known. */
static void see_slice(struct gn_fast_thread *t, const struct gn_rec_slice *s)
{
	if (t->sliced && s->h.seq != t->slice_seq + 1) {
		if (!t->doubt)
			t->doubt_from = t->slice_end;
		t->doubt = s->h.time;
	}
	t->slice_seq = s->h.seq;
	t->slice_end = s->h.time;
	t->sliced = true;
}

int gn_fast_thread_queue(struct gn_fast_thread *t, const struct gn_rec *rec,
			 size_t size)
{
	uint64_t bytes = (size + 7) & ~(size_t)7;

	if (make_room(t, sizeof(bytes) + bytes))
		return -ENOMEM;
	if (rec->kind == GN_KIND_SLICE)
		see_slice(t, (const void *)rec);
	if (!t->numbered && rec->seq && rec->kind != GN_KIND_SLICE) {
		t->numbered = true;
		t->seq_in = t->seq_out = rec->seq - 1;
	}
	memcpy(t->queue + t->end, &bytes, sizeof(bytes));
	memset(t->queue + t->end + sizeof(bytes), 0, bytes);
	memcpy(t->queue + t->end + sizeof(bytes), rec, size);
	t->end += sizeof(bytes) + bytes;
	return 0;
}

const struct gn_rec *gn_fast_thread_first(const struct gn_fast_thread *t)
{
	return t->first < t->end
		       ? (const void *)(t->queue + t->first + sizeof(uint64_t))
		       : NULL;
}

size_t gn_fast_thread_first_size(const struct gn_fast_thread *t)
{
	uint64_t size = 0;

	if (t->first < t->end)
		memcpy(&size, t->queue + t->first, sizeof(size));
	return size;
}

static const struct gn_rec_slice *as_slice(const struct gn_rec *rec)
{
	return rec && rec->kind == GN_KIND_SLICE ? (const void *)rec : NULL;
}

bool gn_fast_thread_before(const struct gn_fast_thread *t,
			   const struct gn_fast_event *e,
			   const struct gn_rec *rec)
{
	const struct gn_rec_slice *s = as_slice(rec);
	uint64_t time = e->time > t->floor ? e->time : t->floor;

	/* nothing can happen within a slice: the nearer end counts */
	if (s && s->start < s->h.time)
		return time < s->start + (s->h.time - s->start) / 2;
	/* what was lost before the claim goes out before the claim's record */
	return e->late ? time <= rec->time : time < rec->time;
}

void gn_fast_thread_claim(struct gn_fast_thread *t,
			  const struct gn_rec_ring *claim)
{
	const struct gn_rec *h = &claim->f.h;

	t->stack = claim->sp;
	t->claimed = h->time;
	if (h->time > t->floor)
		t->floor = h->time;
}

/* Numbers that are further apart seem to go back. */
#define MISSING_MAX (1u << 30)

void gn_fast_thread_lose(struct gn_fast_thread *t, uint64_t n)
{
	uint64_t all = t->missing + n;

	t->missing = all < MISSING_MAX ? (uint32_t)all : MISSING_MAX;
}

/* Whether the interval that ends at `time` can lack a slice. */
static bool is_short(struct gn_fast_thread *t, uint64_t time)
{
	bool is = t->doubt && time > t->doubt_from;

	if (time > t->doubt)
		t->doubt = 0;
	return is;
}

/* The next number, after those of missing records. */
static uint32_t next_number(struct gn_fast_thread *t, uint32_t lost)
{
	t->seq_out += lost + t->missing + 1;
	t->missing = 0;
	if (!t->seq_out) /* 0 means that there is no number */
		t->seq_out++;
	return t->seq_out;
}

/* Gives a kernel record its new number: what was lost before it stays lost. */
static void renumber(struct gn_fast_thread *t, struct gn_rec *rec)
{
	uint32_t seq = rec->seq;

	if (!seq)
		return;
	rec->seq = next_number(t, seq - t->seq_in - 1);
	t->seq_in = seq;
}

static void note_slice(struct gn_fast_thread *t, const struct gn_rec_slice *s)
{
	uint64_t ns = s->h.time > s->start ? s->h.time - s->start : 0;

	/* the kernel's next record contains the missing slice's time, too */
	if (s->h.time == t->doubt)
		t->unsure = true;
	t->slices += ns;
	t->events++;
	if (s->h.flags & GN_F_IN_PROBE) {
		if (t->nearly < GN_FAST_EARLY) {
			t->early[t->nearly].start = s->start;
			t->early[t->nearly++].ns = ns;
		} else {
			t->unsure = true;
		}
	}
	if (s->h.time > t->floor)
		t->floor = s->h.time;
}

/*
 * The kernel may hide a switch onto a CPU from all BPF programs. Its slice
 * comes before anything is read that the thread wrote afterwards
 * (gn_fast_opts.settle). If it does not, what the thread wrote has been handed
 * on. So the slice is lost, and the kernel's next record contains its time.
 */
static bool is_late(const struct gn_fast_thread *t,
		    const struct gn_rec_slice *s)
{
	return t->own && s->start < s->h.time && s->start < t->last;
}

/* Whether a thread with a ring writes records of this kind itself. */
static bool can_be_own(enum gn_kind kind)
{
	return GN_KIND_IS_OF_STACK(kind) && kind != GN_KIND_UNWIND_BEGIN &&
	       kind != GN_KIND_HIT && kind != GN_KIND_LANDED;
}

/* Begins the kernel's next interval at `time`. Slices that came before the
 * record of that time, but began at or after it, belong to the new interval. */
static void restart(struct gn_fast_thread *t, uint64_t time)
{
	uint64_t later = 0;

	for (uint32_t i = 0; i < t->nearly; i++)
		if (t->early[i].start >= time)
			later += t->early[i].ns;
	t->slices = later;
	t->events = later != 0;
	t->nearly = 0;
	t->handed = 0;
	t->wide = 0;
	t->own = false;
	t->unsure = false;
	if (time > t->floor)
		t->floor = time;
}

static int put_wide(struct gn_fast_thread *t, uint64_t time, uint64_t ns,
		    gn_fast_put_fn put, void *ctx)
{
	struct gn_rec_os_ns wide = {
		.h = {.time = time, .tid = t->tid, .kind = GN_KIND_OS_NS},
		.ns = ns,
	};

	wide.h.seq = next_number(t, 0);
	return put(ctx, &wide.h, sizeof(wide));
}

/* Sets a record's OS time. If it does not fit into 32 bits, emits OS_NS before
 * the record. */
static int set_os(struct gn_fast_thread *t, struct gn_rec_func *r, uint64_t ns,
		  gn_fast_put_fn put, void *ctx)
{
	r->os_ns = ns > UINT32_MAX ? 0 : (uint32_t)ns;
	return ns > UINT32_MAX ? put_wide(t, r->h.time, ns, put, ctx) : 0;
}

/*
 * Limits the OS time of an interval that began with the thread's own record to
 * the interval's length. If there is more and no loss explains that, the thread
 * did not write that record: a child that vfork() began in its memory did,
 * while the thread waited.
 */
static uint64_t within(const struct gn_fast_thread *t, struct gn_rec *rec,
		       uint64_t os, bool lossy)
{
	uint64_t most = rec->time > t->last ? rec->time - t->last : 0;

	if (!t->own || os <= most)
		return os;
	if (!lossy)
		rec->flags |= GN_F_IN_DOUBT;
	return most;
}

/* Whether the kernel's record also contains the time of lost records. */
static bool has_lost(const struct gn_fast_thread *t, const struct gn_rec *rec)
{
	return t->unsure || (rec->seq && rec->seq != t->seq_in + 1);
}

static void end_wait(struct gn_fast_thread *t, uint64_t time)
{
	if (t->waits_since && time > t->waits_since)
		t->waited += time - t->waits_since;
	t->waits_since = 0;
}

static void count_wait(struct gn_fast_thread *t, const struct gn_rec *rec,
		       struct gn_fast_counts *counts)
{
	end_wait(t, rec->time);
	if (rec->kind == GN_KIND_HOOK_WAITS) {
		counts->waits++;
		t->waits_since = rec->time;
	}
	counts->waited_ns += t->waited;
	t->waited = 0;
}

/* Hands out the rest of the OS time to a kernel record that ends an interval:
 * the thread's own records may have got a part of it. */
static int end_interval(struct gn_fast_thread *t, struct gn_rec_func *r,
			gn_fast_put_fn put, void *ctx)
{
	uint64_t os = t->wide + r->os_ns;
	int err;

	if (os < t->handed)
		t->unsure = true;
	os -= os < t->handed ? os : t->handed;
	os = within(t, &r->h, os, has_lost(t, &r->h));
	if (t->own && !os && !t->events)
		r->h.flags &= ~GN_F_OS_EVENT;
	if (can_be_own((enum gn_kind)r->h.kind) &&
	    GN_FUNC_RUNTIME(r->func) != GN_RUNTIME_NATIVE)
		r->h.flags |= GN_F_PROBED;
	end_wait(t, r->h.time);
	gn_fast_thread_lose(t, is_short(t, r->h.time) || t->unsure);
	err = set_os(t, r, os, put, ctx);
	renumber(t, &r->h);
	restart(t, r->h.time);
	return err;
}

static void give_room_back(struct gn_fast_thread *t)
{
	if (t->first == t->end && t->room > ROOM_KEPT)
		gn_fast_thread_free(t);
}

int gn_fast_thread_put_first(struct gn_fast_thread *t, gn_fast_put_fn put,
			     void *ctx)
{
	struct gn_rec *rec = (void *)(t->queue + t->first + sizeof(uint64_t));
	uint64_t size = gn_fast_thread_first_size(t);
	int err = 0;

	t->first += sizeof(size) + size;
	if (rec->kind != GN_KIND_SLICE)
		t->told = rec->time;
	switch (stream_of((enum gn_kind)rec->kind)) {
	case GN_STREAM_COLLECT:
		err = end_interval(t, (struct gn_rec_func *)rec, put, ctx);
		/* an exec can change the thread's number */
		t->tid = rec->tid;
		break;
	case GN_STREAM_NOTE:
		if (rec->kind == GN_KIND_OS_NS) {
			/* kept for the record that it belongs to; its number is
			 * not lost */
			t->wide += ((struct gn_rec_os_ns *)rec)->ns;
			if (rec->seq && rec->seq == t->seq_in + 1)
				t->seq_in = rec->seq;
			return 0;
		}
		if (rec->kind == GN_KIND_STACK)
			t->stack = ((struct gn_rec_stack *)rec)->hi;
		renumber(t, rec);
		break;
	case GN_STREAM_SLICE:
		if (is_late(t, as_slice(rec))) {
			t->unsure = true;
			give_room_back(t);
			return 0;
		}
		note_slice(t, (struct gn_rec_slice *)rec);
		break;
	default:
		break;
	}
	if (!err)
		err = put(ctx, rec, size);
	give_room_back(t);
	return err;
}

void gn_fast_thread_note(struct gn_fast_thread *t, struct gn_rec *rec)
{
	const struct gn_rec *next = gn_fast_thread_first(t);

	rec->time = t->floor > t->told ? t->floor : t->told;
	/* the floor can be the time of a claim that still waits */
	if (next && next->time < rec->time)
		rec->time = next->time;
	rec->tid = t->tid;
	rec->seq = next_number(t, 0);
}

/* Completes a stack pointer: takes the value that is nearest to an address of
 * the stack, because no stack is as large as 2 GiB. */
static uint64_t whole_key(const struct gn_fast_thread *t, uint32_t sp)
{
	int32_t apart = (int32_t)(sp - (uint32_t)t->stack);

	return (t->stack + (uint64_t)(int64_t)apart) & 0xffffffffffff;
}

/* The event's time, moved to where the records around it leave room. False: it
 * moved further than the clocks' error explains. */
static bool settle(const struct gn_fast_thread *t,
		   const struct gn_fast_event *e, uint64_t *time)
{
	const struct gn_rec_slice *s = as_slice(gn_fast_thread_first(t));

	*time = e->time;
	if (s && *time > s->start && gn_fast_thread_before(t, e, &s->h))
		*time = s->start;
	if (*time < t->floor)
		*time = t->floor;
	return (*time > e->time ? *time - e->time : e->time - *time) <=
	       t->bound;
}

static bool is_compiling(enum gn_kind kind)
{
	return kind == GN_KIND_JIT_BEGIN || kind == GN_KIND_JIT_END;
}

/* GN_F_OWN marks native functions and compilations: in older files these have
 * only probes, and some still have probes beside the rings. */
static uint8_t own_flag(const struct gn_fast_event *e)
{
	return GN_FUNC_RUNTIME(e->func) == GN_RUNTIME_NATIVE ||
			       is_compiling((enum gn_kind)e->kind)
		       ? GN_F_OWN
		       : 0;
}

static uint64_t key_of(const struct gn_fast_thread *t,
		       const struct gn_fast_event *e)
{
	return GN_KIND_HAS_FRAME(e->kind) || e->kind == GN_KIND_JIT_BEGIN
		       ? whole_key(t, e->sp)
		       : e->sp;
}

int gn_fast_thread_put(struct gn_fast_thread *t, const struct gn_fast_event *e,
		       struct gn_fast_counts *counts, gn_fast_put_fn put,
		       void *ctx)
{
	struct gn_rec_func r = {.h = {.tid = t->tid, .kind = e->kind}};
	uint64_t time, os = t->slices - t->handed;
	int err;

	if (!e->kind) {
		*(e->late ? &counts->late : &counts->dropped) += e->lost;
		gn_fast_thread_lose(t, e->lost);
		return 0;
	}
	r.h.flags = t->events ? GN_F_OS_EVENT : 0;
	if (!settle(t, e, &time)) {
		counts->unordered++;
		r.h.flags |= GN_F_IN_DOUBT;
	}
	r.h.time = time;
	os = within(t, &r.h, os, false);
	r.func = e->func;
	if (r.func) {
		r.h.key = key_of(t, e);
		r.h.flags |= own_flag(e);
	}
	count_wait(t, &r.h, counts);
	gn_fast_thread_lose(t, is_short(t, time));
	err = set_os(t, &r, os, put, ctx);
	r.h.seq = next_number(t, 0);
	t->handed = t->slices;
	t->events = 0;
	t->own = true;
	t->last = time;
	t->floor = time;
	counts->records += r.func != 0;
	return err ? err : put(ctx, &r.h, sizeof(r));
}

uint64_t gn_fast_thread_plain_until(const struct gn_fast_thread *t)
{
	const struct gn_rec *rec = gn_fast_thread_first(t);
	const struct gn_rec_slice *s = as_slice(rec);

	if (!t->own || t->events || t->handed != t->slices || t->doubt ||
	    t->waits_since)
		return 0;
	if (s && s->start < s->h.time)
		return s->start;
	return rec ? rec->time : UINT64_MAX;
}

bool gn_fast_thread_make(struct gn_fast_thread *t,
			 const struct gn_fast_event *e, uint64_t until,
			 struct gn_rec_func *r)
{
	if ((e->kind != GN_KIND_ENTER && e->kind != GN_KIND_LEAVE) ||
	    e->time < t->floor || e->time >= until)
		return false;
	*r = (struct gn_rec_func){
		.h = {.time = e->time,
		      .tid = t->tid,
		      .seq = next_number(t, 0),
		      .kind = e->kind,
		      .flags = own_flag(e),
		      .key = whole_key(t, e->sp)},
		.func = e->func,
	};
	t->last = t->floor = e->time;
	return true;
}
