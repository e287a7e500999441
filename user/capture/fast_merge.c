/* SPDX-License-Identifier: BSD-2-Clause */
/* Reads what threads wrote, and merges it with the kernel's records. */
#include "capture/fast_parts.h"

#include <stdatomic.h>
#include <string.h>

#include "capture/fast_map.h"

#define BEAT	  8192u /* records between two signs of gnomon's life */
#define GIVE_BACK GN_FAST_CHUNK
/* The most kernel records that wait for one thread in a hook, and for all such
 * threads. Otherwise a thread that claims forever to be in a hook would make
 * gnomon keep all its records. A process can have a thousand such threads. */
#define WAIT_BYTES     (16u << 20)
#define WAIT_ALL_BYTES (4 * WAIT_BYTES)

static bool is_drained(const struct gn_fast *f)
{
	return __atomic_load_n(f->consumed, __ATOMIC_ACQUIRE) >=
	       f->produced_mark;
}

/* Whether the kernel records of a thread in a hook may wait for it. Adds their
 * bytes to `all`, the sum for all such threads. */
static bool can_wait(const struct gn_fast_entry *e, size_t *all)
{
	*all += e->queued;
	return e->queued <= WAIT_BYTES && *all <= WAIT_ALL_BYTES;
}

/* Whether a thread has written something new, or is about to. */
static bool has_written(const struct gn_fast *f)
{
	for (const struct gn_fast_entry *e = f->all; e; e = e->next_of_all)
		if (e->area &&
		    (atomic_load_explicit(&e->area->rings[e->slot].busy,
					  memory_order_acquire) ||
		     gn_fast_written(e) != e->pos))
			return true;
	return false;
}

void gn_fast_mark(struct gn_fast *f)
{
	size_t waits = 0;

	/* the last round is not merged yet */
	if (f->marked && !is_drained(f)) {
		gn_fast_beat(f);
		return;
	}
	f->marked = true;
	f->has_fresh = false;
	/* what a thread wrote after this can follow a kernel record that waits
	 * for the next mark, such as the birth of its child */
	f->limit = gn_fast_ticks();
	gn_fast_check(f);
	if (has_written(f))
		f->opts.settle(f->opts.ctx);
	f->produced_before = __atomic_load_n(f->produced, __ATOMIC_ACQUIRE);
	for (struct gn_fast_entry *e = f->all; e; e = e->next_of_all) {
		const struct gn_fast_ring *ring;

		/* records of its next program wait for that program's ring */
		e->queued =
			e->claim.area ? e->claim.queued : e->t.end - e->t.first;
		e->idle = true;
		e->fresh = false;
		e->last = e->ended;
		if (!e->area)
			continue;
		ring = &e->area->rings[e->slot];
		/* in this order, so that the mark covers all that was written
		 * before it was idle */
		e->idle = e->ended ||
			  !atomic_load_explicit(&ring->busy,
						memory_order_acquire) ||
			  !can_wait(e, &waits);
		e->mark = gn_fast_written(e);
	}
	/* after the rings' marks, so that all their functions have names */
	for (struct gn_fast_area *a = f->areas; a; a = a->next)
		a->names = atomic_load_explicit(&a->rings[0].head,
						memory_order_acquire);
	f->moment = gn_fast_moment_now();
	gn_fast_clock_add(&f->clock, &f->moment);
	gn_fast_beat(f);
	f->produced_mark = __atomic_load_n(f->produced, __ATOMIC_ACQUIRE);
}

bool gn_fast_has_fresh(const struct gn_fast *f)
{
	return f->has_fresh;
}

static bool is_half_free(const struct gn_fast_entry *e)
{
	const struct gn_fast_ring *ring = &e->area->rings[e->slot];
	uint32_t size = atomic_load_explicit(&ring->size, memory_order_relaxed);
	uint32_t end = gn_fast_written(e);

	if (!size)
		size = GN_FAST_FIRST;
	if (end < e->pos)
		end += size;
	return end - e->pos <= size / 2;
}

/*
 * Lets the thread write up to `pos`, and wakes it if it waits and has much
 * room: a wait costs as much as thousands of records. If there is less room,
 * there is more to read, and gnomon does not sleep before that is read.
 */
static void give_back(struct gn_fast_entry *e)
{
	struct gn_fast_ring *ring = &e->area->rings[e->slot];

	atomic_store(&ring->tail, e->pos);
	if (atomic_load(&ring->wants) && is_half_free(e) &&
	    atomic_exchange(&ring->wants, 0))
		gn_fast_wake(&ring->tail);
}

/* The ring holds what no hook writes: reads it no more, and counts a loss. */
static bool be_hostile(struct gn_fast *f, struct gn_fast_entry *e)
{
	f->facts.counts.hostile++;
	e->hostile = true;
	e->pos = e->mark;
	gn_fast_thread_lose(&e->t, 1);
	return false;
}

/* Reads each field of the record at `pos` once, because the process can change
 * it meanwhile. */
static struct gn_fast_rec read_record(const struct gn_fast_entry *e,
				      uint32_t pos)
{
	const volatile struct gn_fast_rec *at =
		(const void *)(e->area->data + (size_t)e->slot * e->area->slot +
			       pos);

	return (struct gn_fast_rec){at->sp, at->what, at->tsc};
}

/* Records that are not of calls. */
#define OF_RUNTIMES (GN_FAST_COMPILES | GN_FAST_ASYNC)

/* The kind of a record. 0: no hook writes it. */
static uint8_t kind_of(const struct gn_fast_entry *e, uint32_t what,
		       uint32_t index)
{
	static const uint8_t kinds[] = {
		[GN_FAST_ENTER] = GN_KIND_ENTER,
		[GN_FAST_LEAVE] = GN_KIND_LEAVE,
		[GN_FAST_TAILCALL] = GN_KIND_TAILCALL,
		[GN_FAST_UNWOUND] = GN_KIND_UNWIND_END,
	};
	static const uint8_t async[4] = {
		[GN_FAST_RESUMED & 3] = GN_KIND_RESUMED,
		[GN_FAST_SUSPENDED & 3] = GN_KIND_SUSPENDED,
		[GN_FAST_AWAITS & 3] = GN_KIND_AWAITS,
		[GN_FAST_AWAITED & 3] = GN_KIND_AWAITED,
	};
	static const uint8_t compiles[4] = {
		[GN_FAST_JIT_BEGIN & 3] = GN_KIND_JIT_BEGIN,
		[GN_FAST_JIT_END & 3] = GN_KIND_JIT_END,
	};

	if (index > GN_FUNC_INDEX(UINT32_MAX))
		return 0;
	if (what & OF_RUNTIMES)
		return GN_FUNC_RUNTIME(e->area->runtime) == GN_RUNTIME_NATIVE
			       ? 0
		       : what & GN_FAST_ASYNC ? async[what & 3]
					      : compiles[what & 3];
	if (index)
		return kinds[what & 3];
	return what == GN_FAST_WAITED ? GN_KIND_HOOK_WAITS : 0;
}

/*
 * The kernel's ring may have had no room for the claim when the thread took its
 * ring. Other kernel records went on meanwhile, so records from before the
 * claim have no place any more: they are lost. A wait that began before the
 * claim can end after it, so it begins at the claim.
 */
static void look_whether_late(const struct gn_fast_entry *e,
			      struct gn_fast_event *event)
{
	if (event->time + e->t.bound >= e->t.claimed)
		return;
	if (event->kind == GN_KIND_HOOK_WAITS)
		event->time = e->t.claimed;
	else
		*event = (struct gn_fast_event){.lost = 1, .late = true};
}

static bool make_event(struct gn_fast *f, struct gn_fast_entry *e,
		       const struct gn_fast_rec *rec,
		       struct gn_fast_event *event)
{
	uint32_t index = (rec->what & ~OF_RUNTIMES) >> 2;

	*event = (struct gn_fast_event){.sp = rec->sp};
	if (rec->what == GN_FAST_LOST && f->opts.drops) {
		event->lost = rec->sp;
		return true;
	}
	event->kind = kind_of(e, rec->what, index);
	if (!event->kind || rec->tsc > f->moment.ticks)
		return be_hostile(f, e);
	if (event->kind != GN_KIND_HOOK_WAITS)
		event->func = e->area->runtime | index;
	event->time = gn_fast_clock_ns(&f->clock, rec->tsc);
	look_whether_late(e, event);
	return true;
}

/* A thread's next event that is before the mark, if there is one. */
struct next {
	struct gn_fast_event event;
	uint32_t pos; /* where its record ends */
	bool is;
	bool waits; /* for the next mark */
};

static bool find_next(struct gn_fast *f, struct gn_fast_entry *e,
		      struct next *next)
{
	struct gn_fast_rec rec;

	if (!e->area || e->hostile || e->pos == e->mark)
		return false;
	if (e->mark % GN_FAST_RECORD || e->pos > e->area->slot - GN_FAST_RECORD)
		return be_hostile(f, e);
	rec = read_record(e, e->pos);
	if (rec.what == GN_FAST_WRAP) {
		/* no hook wraps while the mark lies ahead: reading would go
		 * round forever */
		if (e->mark > e->pos)
			return be_hostile(f, e);
		e->pos = 0;
		return find_next(f, e, next);
	}
	next->pos = e->pos + GN_FAST_RECORD;
	next->waits = rec.tsc > f->limit;
	return make_event(f, e, &rec, &next->event);
}

static void look(struct gn_fast *f, struct gn_fast_entry *e, struct next *next)
{
	next->is = find_next(f, e, next);
}

/*
 * Whether the thread's next kernel record may be handed on: its own ring can
 * have no earlier record any more. `more`: the ring has a later one. Kernel
 * records from after the mark wait for the next round, for all threads, so that
 * the kernel's order holds between threads.
 */
static bool may_go(const struct gn_fast_entry *e, bool more)
{
	return e->queued && (more || e->idle || e->sure);
}

/* Whether it is the last record of its thread or of the thread's program. */
static bool is_end(const struct gn_rec *rec)
{
	return rec->kind == GN_KIND_EXIT || rec->kind == GN_KIND_STOP ||
	       rec->kind == GN_KIND_EXEC;
}

/* The memory whose names can go out as the thread's records after `rec`. */
static struct gn_fast_area *tells_behind(struct gn_fast *f,
					 const struct gn_fast_entry *e,
					 const struct gn_rec *rec)
{
	struct gn_fast_area *a;

	if (is_end(rec))
		return NULL;
	if (rec->kind != GN_KIND_RING)
		return e->tells;
	a = gn_fast_find_area(f, ((const struct gn_rec_ring *)rec)->pid);
	/* else it belongs to the process's next program */
	return a && a->since <= rec->time ? a : NULL;
}

static int put_record(struct gn_fast *f, struct gn_fast_entry *e)
{
	size_t before = e->t.end - e->t.first, gone;
	int err;

	e->tells = tells_behind(f, e, gn_fast_thread_first(&e->t));
	f->put += gn_fast_thread_first_size(&e->t);
	err = gn_fast_thread_put_first(&e->t, f->opts.put, f->opts.ctx);
	gone = before - (e->t.end - e->t.first);
	e->queued -= gone < e->queued ? gone : e->queued;
	e->sure -= gone < e->sure ? gone : e->sure;
	if (e->claim.area)
		e->claim.queued -=
			gone < e->claim.queued ? gone : e->claim.queued;
	return err ? err : gn_fast_put_names(f, e);
}

/* The ring was read from `from` to `pos`: gives room back in large steps. */
static void note_read(struct gn_fast *f, struct gn_fast_entry *e, uint32_t from)
{
	if (from / GIVE_BACK != e->pos / GIVE_BACK)
		give_back(e);
	if (f->beat >= BEAT)
		gn_fast_beat(f);
}

static int put_event(struct gn_fast *f, struct gn_fast_entry *e,
		     const struct next *next)
{
	uint32_t from = e->pos;
	int err = 0;

	if (next->event.time < f->end || !next->event.kind)
		err = gn_fast_thread_put(&e->t, &next->event, &f->facts.counts,
					 f->opts.put, f->opts.ctx);
	f->put += sizeof(struct gn_rec_func);
	f->beat++;
	e->pos = next->pos;
	note_read(f, e, from);
	return err;
}

/* Hands on as many of the thread's own plain events together as possible. */
static int put_calls(struct gn_fast *f, struct gn_fast_entry *e,
		     struct next *next)
{
	uint64_t until = gn_fast_thread_plain_until(&e->t);
	uint32_t from = e->pos;
	size_t n = 0;

	if (until > f->end)
		until = f->end;
	while (n < GN_FAST_CALLS && f->put < GN_FAST_SURE_BYTES && next->is &&
	       !next->waits &&
	       gn_fast_thread_make(&e->t, &next->event, until, &f->calls[n])) {
		n++;
		f->put += sizeof(*f->calls);
		e->pos = next->pos;
		look(f, e, next);
	}
	if (!n)
		return 0;
	f->facts.counts.records += n;
	f->beat += (uint32_t)n;
	note_read(f, e, from);
	return f->opts.calls(f->opts.ctx, f->calls, n);
}

/* Whether another thread's records must go out first: those of a new thread's
 * creator, or of the thread whose number this one takes by exec. */
static bool comes_too_early(struct gn_fast *f, const struct gn_fast_entry *e,
			    const struct gn_rec *rec)
{
	const struct gn_fast_entry *other =
		rec->kind == GN_KIND_EXEC ? gn_fast_find_first(e)
					  : gn_fast_find_creator(f, rec);

	return other && other->held && gn_fast_thread_first(&other->t);
}

/* Hands on what a new thread's creator wrote before `rec`: a forked child
 * begins in its parent's functions. 1: there is more, but it is enough. */
static int put_creators(struct gn_fast *f, const struct gn_rec *rec)
{
	struct gn_fast_entry *e = gn_fast_find_creator(f, rec);
	const struct gn_rec *first;
	struct next next;
	uint32_t from;
	int err = 0;

	if (!e || !e->area)
		return 0;
	from = e->pos;
	look(f, e, &next);
	first = gn_fast_thread_first(&e->t);
	while (!err && next.is &&
	       gn_fast_thread_before(&e->t, &next.event, rec) &&
	       (!first || gn_fast_thread_before(&e->t, &next.event, first))) {
		err = put_event(f, e, &next);
		look(f, e, &next);
		if (!err && gn_fast_is_enough(f))
			err = 1;
	}
	if (e->pos != from)
		give_back(e);
	return err;
}

/* Merges one thread up to and including its next kernel record or, if that
 * cannot go yet, up to the mark. 1: there is more, but it is enough. */
static int merge_thread(struct gn_fast *f, struct gn_fast_entry *e)
{
	uint32_t from = e->pos;
	struct next next;
	bool put = false;
	int err = 0;

	look(f, e, &next);
	while (!err && !put) {
		const struct gn_rec *rec = gn_fast_thread_first(&e->t);

		if (next.is &&
		    (!rec || gn_fast_thread_before(&e->t, &next.event, rec))) {
			if (next.waits)
				break;
			err = put_event(f, e, &next);
			look(f, e, &next);
			if (!err)
				err = put_calls(f, e, &next);
		} else if (rec && may_go(e, next.is) &&
			   !comes_too_early(f, e, rec)) {
			err = put_creators(f, rec);
			if (!err && is_end(rec))
				err = gn_fast_put_names(f, e);
			put = !err;
			if (put)
				err = put_record(f, e);
		} else {
			break;
		}
		if (!err && gn_fast_is_enough(f))
			err = 1;
	}
	e->held = !put;
	if (e->area && e->pos != from)
		give_back(e);
	return err;
}

/* Hands on the kernel records that can go, in order of arrival, each after what
 * its thread wrote before it. */
static int merge_waiting(struct gn_fast *f)
{
	size_t n = f->waiting, kept = 0, i;
	int err = 0;

	for (struct gn_fast_entry *e = f->all; e; e = e->next_of_all)
		e->held = false;
	for (i = 0; i < n && !err; i++) {
		struct gn_fast_entry *e = f->order[i];

		if (!e->held)
			err = merge_thread(f, e);
		if (e->held)
			f->order[kept++] = e;
	}
	if (n > i)
		memmove(f->order + kept, f->order + i,
			(n - i) * sizeof(*f->order));
	f->waiting = kept + n - i;
	return err;
}

int gn_fast_merge(struct gn_fast *f)
{
	struct gn_fast_entry *e, *next;
	int err = 0;

	if (!f->marked || !is_drained(f))
		return 0;
	err = gn_fast_put_all_names(f);
	if (!err)
		err = merge_waiting(f);
	for (e = f->all; e && !err; e = next) {
		next = e->next_of_all;
		/* what it wrote after its last kernel record */
		if (e->area)
			err = merge_thread(f, e);
		if (!err)
			gn_fast_end_thread(f, e);
	}
	f->marked = err == 1;
	if (!err)
		gn_fast_drop_areas(f);
	return err;
}

int gn_fast_flush(struct gn_fast *f)
{
	int err;

	f->limit = UINT64_MAX;
	for (struct gn_fast_entry *e = f->all; e; e = e->next_of_all) {
		e->idle = true;
		e->queued = e->t.end - e->t.first;
		/* nobody reads a ring that is only claimed, or came after the
		 * mark */
		if (e->claim.area || (e->area && e->fresh))
			gn_fast_thread_lose(&e->t, 1);
	}
	do {
		err = merge_waiting(f);
	} while (err == 1);
	for (struct gn_fast_entry *e = f->all; e && err >= 0;
	     e = e->next_of_all)
		do {
			err = merge_thread(f, e);
		} while (err == 1);
	return err < 0 ? err : 0;
}
