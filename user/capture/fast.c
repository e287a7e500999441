/* SPDX-License-Identifier: BSD-2-Clause */
#include "capture/fast.h"

#include <errno.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "capture/clock.h"
#include "capture/fast_clock.h"
#include "capture/fast_map.h"

#define BUCKETS	   1024u
#define LIFE_NS	   1000000000u /* without a sign of gnomon's life */
#define BEAT	   8192u       /* records between two */
#define GIVE_BACK  GN_FAST_CHUNK
#define ROOM_FIRST 1024u
#define SURE_BYTES 2048u
#define STUCK_NS   20000000u /* for a hook that has begun to end */

/* A process that offered its memory. */
struct area {
	struct area *next;
	uint32_t pid;
	uint32_t runtime; /* bits of a function's id */
	struct gn_fast_page *page;
	struct gn_fast_ring *rings;
	const unsigned char *data;
	uint32_t threads; /* that have rings */
	bool over;	  /* its first thread, or its program, has ended */
	bool bound[GN_FAST_SLOTS];
};

/* A thread that has a ring, or had one, or whose slice came early. */
struct entry {
	struct entry *next, *next_of_all, **before_of_all;
	struct gn_fast_thread t;
	struct area *area; /* NULL: it has no ring */
	uint32_t slot;
	uint32_t pos;  /* up to where its ring was read, our own count */
	uint32_t mark; /* up to where it may be read */
	size_t queued; /* bytes of kernel records at the mark */
	bool idle;     /* at the mark it was in no hook */
	bool ended;    /* it, or its program */
	bool last;     /* it had ended at the mark */
	bool exits;    /* of the two */
	bool hostile;  /* its ring is not read any more */
	bool held;     /* its next kernel record cannot go in this round */
};

struct gn_fast {
	struct gn_fast_opts opts;
	struct gn_fast_clock clock;
	struct gn_fast_moment moment; /* of the mark */
	struct gn_fast_facts facts;
	struct area *areas;
	struct entry *all;
	struct entry *bucket[BUCKETS];
	/* whose are the kernel records that wait, as they came: what one thread
	 * does to another comes before what that one tells of it */
	struct entry **order;
	size_t waiting, room;
	const uint64_t *consumed, *produced; /* of the kernel's ring */
	uint64_t produced_mark;
	size_t page_size;
	uint64_t end; /* of the session */
	uint32_t beat;
	size_t put; /* bytes since the sink was asked */
	bool marked;
	bool stopped;
};

static const uint64_t *map_position(int fd, size_t page, size_t at)
{
	void *p = mmap(NULL, page, PROT_READ, MAP_SHARED, fd, (off_t)at);

	return p == MAP_FAILED ? NULL : p;
}

struct gn_fast *gn_fast_new(const struct gn_fast_opts *opts, int ring_fd)
{
	struct gn_fast *f = calloc(1, sizeof(*f));

	if (!f)
		return NULL;
	f->opts = *opts;
	f->end = UINT64_MAX;
	f->page_size = (size_t)sysconf(_SC_PAGESIZE);
	/* its first page is the reader's position, the second the writers' */
	f->consumed = map_position(ring_fd, f->page_size, 0);
	f->produced = map_position(ring_fd, f->page_size, f->page_size);
	if (f->consumed && f->produced) {
		f->moment = gn_fast_moment_now();
		gn_fast_clock_add(&f->clock, &f->moment);
		return f;
	}
	gn_fast_free(f);
	return NULL;
}

static struct entry *find(struct gn_fast *f, uint32_t tid)
{
	struct entry *e = f->bucket[tid % BUCKETS];

	while (e && e->t.tid != tid)
		e = e->next;
	return e;
}

static struct entry *add(struct gn_fast *f, uint32_t tid)
{
	struct entry *e = calloc(1, sizeof(*e));

	if (!e)
		return NULL;
	gn_fast_thread_init(&e->t, tid);
	e->next = f->bucket[tid % BUCKETS];
	f->bucket[tid % BUCKETS] = e;
	e->next_of_all = f->all;
	e->before_of_all = &f->all;
	if (f->all)
		f->all->before_of_all = &e->next_of_all;
	f->all = e;
	return e;
}

static void unlink_bucket(struct gn_fast *f, struct entry *e)
{
	struct entry **at = &f->bucket[e->t.tid % BUCKETS];

	while (*at != e)
		at = &(*at)->next;
	*at = e->next;
}

static void forget(struct gn_fast *f, struct entry *e)
{
	unlink_bucket(f, e);
	*e->before_of_all = e->next_of_all;
	if (e->next_of_all)
		e->next_of_all->before_of_all = e->before_of_all;
	gn_fast_thread_free(&e->t);
	free(e);
}

/* The thread writes no more: its slot can be another's. */
static void give_slot_back(struct gn_fast *f, struct entry *e)
{
	struct area *a = e->area;
	struct gn_fast_ring *ring;

	if (!a)
		return;
	ring = &a->rings[e->slot];
	f->facts.waits += atomic_exchange(&ring->waits, 0);
	f->facts.waited_ns += atomic_exchange(&ring->waited, 0);
	atomic_store(&ring->tail, 0);
	atomic_store(&ring->busy, 0);
	atomic_store(&ring->state, GN_FAST_FREE);
	a->bound[e->slot] = false;
	a->threads--;
	e->area = NULL;
}

static void drop_area(struct gn_fast *f, struct area *a)
{
	struct area **at = &f->areas;

	while (*at != a)
		at = &(*at)->next;
	*at = a->next;
	gn_fast_unmap(a->page);
	free(a);
}

static struct area *find_area(struct gn_fast *f, uint32_t pid)
{
	struct area *a = f->areas;

	while (a && a->pid != pid)
		a = a->next;
	return a;
}

/* Hooks see that nobody reads what they write. */
static void close_area(struct area *a)
{
	atomic_store(&a->page->deadline, 0);
	atomic_store(&a->page->taken, 2);
	gn_fast_wake(&a->page->taken);
	for (uint32_t i = 0; i < GN_FAST_SLOTS; i++)
		if (a->bound[i] && atomic_exchange(&a->rings[i].wants, 0))
			gn_fast_wake(&a->rings[i].tail);
}

void gn_fast_free(struct gn_fast *f)
{
	if (!f)
		return;
	while (f->all)
		forget(f, f->all);
	while (f->areas) {
		close_area(f->areas);
		drop_area(f, f->areas);
	}
	if (f->consumed)
		munmap((void *)f->consumed, f->page_size);
	if (f->produced)
		munmap((void *)f->produced, f->page_size);
	free(f->order);
	free(f);
}

static void beat(struct gn_fast *f)
{
	uint64_t until =
		gn_fast_ticks() + gn_fast_clock_ticks(&f->clock, LIFE_NS);

	f->beat = 0;
	for (struct area *a = f->areas; a && !f->stopped; a = a->next)
		atomic_store_explicit(&a->page->deadline, until,
				      memory_order_relaxed);
}

static int compare(const void *a, const void *b)
{
	const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

/* What a hook costs, by those that the process made in a row: a process can lie
 * about itself only. */
static void tell_cost(struct gn_fast *f, const struct area *a)
{
	const struct gn_fast_rec *rec = (const void *)a->data;
	uint64_t ticks[GN_FAST_MEASURED - 1];
	double ns = 1e6 / (double)gn_fast_clock_ticks(&f->clock, 1000000);
	struct gn_rec_cost cost = {
		.h = {.kind = GN_KIND_COST, .time = gn_now_ns()},
		.id = GN_PROBE_FAST,
	};
	double median, spread;
	uint32_t n = GN_FAST_MEASURED - 1;

	for (uint32_t i = 0; i < n; i++)
		ticks[i] = rec[i + 1].tsc - rec[i].tsc;
	qsort(ticks, n, sizeof(*ticks), compare);
	median = (double)ticks[n / 2] * ns;
	spread = (double)(ticks[n * 3 / 4] - ticks[n / 4]) * ns / 2;
	if (median > 1000 || spread > 1000)
		return; /* no hook is that slow: not known */
	cost.samples = n;
	/* the counter is read in the middle of a hook */
	cost.before_ns = (uint32_t)(median / 2 + 0.5);
	cost.after_ns = (uint32_t)(median + 0.5) - cost.before_ns;
	cost.spread_ns = (uint32_t)(spread + 0.5);
	f->opts.put(f->opts.ctx, &cost.h, sizeof(cost));
}

static void offer(struct gn_fast *f, const struct gn_rec_ring *r)
{
	struct gn_fast_page *page;
	struct area *a;

	/* a second one of the same program is no hook's */
	a = find_area(f, r->pid);
	if (f->stopped || (a && !a->over) || f->opts.begins(f->opts.ctx) ||
	    gn_fast_map(r->pid, r->f.h.key, &page)) {
		f->facts.refused++;
		return;
	}
	a = calloc(1, sizeof(*a));
	if (!a) {
		gn_fast_unmap(page);
		return;
	}
	a->pid = r->pid;
	a->runtime = GN_FUNC(GN_FUNC_RUNTIME(r->f.func), 0);
	a->page = page;
	a->rings = (void *)((unsigned char *)page + GN_FAST_PAGE);
	a->data = (const unsigned char *)page + GN_FAST_DATA;
	a->next = f->areas;
	f->areas = a;
	f->facts.processes++;
	tell_cost(f, a);
	atomic_store(&page->drops, f->opts.drops);
	beat(f);
	atomic_store(&page->taken, 1);
	gn_fast_wake(&page->taken);
}

static void claim(struct gn_fast *f, struct entry *e,
		  const struct gn_rec_ring *r)
{
	struct area *a = find_area(f, r->pid);
	uint64_t slot = r->f.h.key;

	if (!a || !slot || slot >= GN_FAST_SLOTS || a->bound[slot] || e->area) {
		f->facts.counts.hostile++;
		return;
	}
	a->bound[slot] = true;
	a->threads++;
	e->area = a;
	e->slot = (uint32_t)slot;
	e->pos = e->mark = 0;
	e->hostile = false;
	gn_fast_thread_claim(&e->t, r);
	e->t.bound = gn_fast_clock_bound(&f->clock);
	f->facts.threads++;
}

static int put_record(struct gn_fast *f, struct entry *e)
{
	size_t before = e->t.end - e->t.first, gone;
	int err;

	f->put += gn_fast_thread_first_size(&e->t);
	err = gn_fast_thread_put_first(&e->t, f->opts.put, f->opts.ctx);
	gone = before - (e->t.end - e->t.first);
	e->queued -= gone < e->queued ? gone : e->queued;
	return err;
}

static void end_area(struct gn_fast *f, uint32_t pid)
{
	struct area *a = find_area(f, pid);

	if (a)
		a->over = true;
}

/* What a record means for the rings, before it waits for its turn. */
static void note(struct gn_fast *f, struct entry *e, const struct gn_rec *rec)
{
	const struct gn_rec_ring *ring = (const void *)rec;

	if (rec->kind == GN_KIND_RING &&
	    GN_FUNC_INDEX(ring->f.func) == GN_FAST_CLAIM)
		claim(f, e, ring);
	if (rec->kind == GN_KIND_EXIT || rec->kind == GN_KIND_EXEC) {
		e->ended = true;
		e->exits = rec->kind == GN_KIND_EXIT;
	}
}

/* The thread that an exec is of: it had another number if it was not its
 * process's first. */
static struct entry *find_exec(struct gn_fast *f, const struct gn_rec_thread *r)
{
	struct entry *e = find(f, r->parent ? r->parent : r->f.h.tid);

	if (!e || e->t.tid == r->f.h.tid)
		return e;
	unlink_bucket(f, e);
	e->t.tid = r->f.h.tid;
	e->next = f->bucket[e->t.tid % BUCKETS];
	f->bucket[e->t.tid % BUCKETS] = e;
	return e;
}

static bool is_new_thread(const struct gn_rec *rec)
{
	return (rec->kind == GN_KIND_RING &&
		GN_FUNC_INDEX(((const struct gn_rec_ring *)rec)->f.func) ==
			GN_FAST_CLAIM) ||
	       (rec->kind == GN_KIND_SLICE && rec->flags & GN_F_IN_PROBE);
}

static int queue(struct gn_fast *f, struct entry *e, const struct gn_rec *rec,
		 size_t size)
{
	if (f->waiting == f->room) {
		size_t room = f->room ? f->room * 2 : ROOM_FIRST;
		struct entry **grown = realloc(f->order, room * sizeof(*grown));

		if (!grown)
			return -ENOMEM;
		f->order = grown;
		f->room = room;
	}
	if (gn_fast_thread_queue(&e->t, rec, size))
		return -ENOMEM;
	f->order[f->waiting++] = e;
	return 0;
}

bool gn_fast_record(struct gn_fast *f, const struct gn_rec *rec, size_t size)
{
	struct entry *e;

	if (rec->kind == GN_KIND_RING &&
	    GN_FUNC_INDEX(((const struct gn_rec_ring *)rec)->f.func) ==
		    GN_FAST_OFFER)
		offer(f, (const void *)rec);
	if (rec->kind == GN_KIND_RING &&
	    GN_FUNC_INDEX(((const struct gn_rec_ring *)rec)->f.func) ==
		    GN_FAST_NONE)
		f->facts.none = rec->key;
	/* a thread whose process's memory is gone can have some that wait */
	if (!f->areas && !f->all)
		return false;
	e = rec->kind == GN_KIND_EXEC ? find_exec(f, (const void *)rec)
				      : find(f, rec->tid);
	if (!e && is_new_thread(rec))
		e = add(f, rec->tid);
	if (rec->kind == GN_KIND_EXIT || rec->kind == GN_KIND_EXEC)
		end_area(f, rec->tid);
	if (!e)
		return false;
	note(f, e, rec);
	return !queue(f, e, rec, size);
}

static bool is_drained(const struct gn_fast *f)
{
	return __atomic_load_n(f->consumed, __ATOMIC_ACQUIRE) >=
	       f->produced_mark;
}

void gn_fast_mark(struct gn_fast *f)
{
	/* what was marked is still to be merged */
	if (f->marked && !is_drained(f)) {
		beat(f);
		return;
	}
	f->marked = true;
	for (struct entry *e = f->all; e; e = e->next_of_all) {
		const struct gn_fast_ring *ring;

		e->queued = e->t.end - e->t.first;
		e->idle = true;
		e->last = e->ended;
		if (!e->area)
			continue;
		ring = &e->area->rings[e->slot];
		/* in this order: what was written before it was idle is read */
		e->idle =
			e->ended || !atomic_load_explicit(&ring->busy,
							  memory_order_acquire);
		e->mark = atomic_load_explicit(&ring->head,
					       memory_order_acquire) &
			  (GN_FAST_SLOT - 1);
	}
	f->moment = gn_fast_moment_now();
	gn_fast_clock_add(&f->clock, &f->moment);
	beat(f);
	f->produced_mark = __atomic_load_n(f->produced, __ATOMIC_ACQUIRE);
}

/* Up to here its thread may write. */
static void give_back(struct entry *e)
{
	struct gn_fast_ring *ring = &e->area->rings[e->slot];

	atomic_store(&ring->tail, e->pos);
	if (atomic_load(&ring->wants) && atomic_exchange(&ring->wants, 0))
		gn_fast_wake(&ring->tail);
}

/* What no hook writes: its ring is not read any more, and something of it is
 * missing. */
static bool be_hostile(struct gn_fast *f, struct entry *e)
{
	f->facts.counts.hostile++;
	e->hostile = true;
	e->pos = e->mark;
	gn_fast_thread_lose(&e->t, 1);
	return false;
}

/* Reads the record at `pos`, once: it can change while we look. */
static struct gn_fast_rec read_record(const struct entry *e, uint32_t pos)
{
	const volatile struct gn_fast_rec *at =
		(const void *)(e->area->data + (size_t)e->slot * GN_FAST_SLOT +
			       pos);

	return (struct gn_fast_rec){at->sp, at->what, at->tsc};
}

static bool make_event(struct gn_fast *f, struct entry *e,
		       const struct gn_fast_rec *rec,
		       struct gn_fast_event *event)
{
	static const uint8_t kinds[] = {
		[GN_FAST_ENTER] = GN_KIND_ENTER,
		[GN_FAST_LEAVE] = GN_KIND_LEAVE,
		[GN_FAST_TAILCALL] = GN_KIND_TAILCALL,
		[GN_FAST_UNWOUND] = GN_KIND_UNWIND_END,
	};
	uint32_t index = rec->what >> 2;

	*event = (struct gn_fast_event){.sp = rec->sp};
	if (!index) {
		event->lost = rec->sp;
		return rec->what == GN_FAST_LOST || be_hostile(f, e);
	}
	if (rec->tsc > f->moment.ticks || index > GN_FUNC_INDEX(UINT32_MAX))
		return be_hostile(f, e);
	event->kind = kinds[rec->what & 3];
	event->func = e->area->runtime | index;
	event->time = gn_fast_clock_ns(&f->clock, rec->tsc);
	return true;
}

/* The thread's next record that is before the mark; `pos` is where it ends. */
static bool next_event(struct gn_fast *f, struct entry *e,
		       struct gn_fast_event *event, uint32_t *pos)
{
	struct gn_fast_rec rec;

	*pos = e->pos;
	if (!e->area || e->hostile || e->pos == e->mark)
		return false;
	if (e->mark % GN_FAST_RECORD || e->pos > GN_FAST_SLOT - GN_FAST_RECORD)
		return be_hostile(f, e);
	rec = read_record(e, e->pos);
	if (rec.what == GN_FAST_WRAP) {
		/* one that is at the begin would never end */
		if (e->pos < GN_FAST_FIRST - GN_FAST_RECORD)
			return be_hostile(f, e);
		e->pos = 0;
		return next_event(f, e, event, pos);
	}
	*pos = e->pos + GN_FAST_RECORD;
	return make_event(f, e, &rec, event);
}

/* The kernel's next one may go: no record of the thread's own can still come
 * that was before it. */
static bool may_go(const struct entry *e)
{
	return e->idle && e->queued;
}

static int put_event(struct gn_fast *f, struct entry *e,
		     const struct gn_fast_event *event, uint32_t pos)
{
	int err = 0;

	if (event->time < f->end || !event->kind)
		err = gn_fast_thread_put(&e->t, event, &f->facts.counts,
					 f->opts.put, f->opts.ctx);
	f->put += sizeof(struct gn_rec_func);
	if (e->pos / GIVE_BACK != pos / GIVE_BACK) {
		e->pos = pos;
		give_back(e);
	}
	e->pos = pos;
	if (++f->beat >= BEAT)
		beat(f);
	return err;
}

/* Whether the sink takes more is asked before what it surely takes is used up.
 */
static bool is_enough(struct gn_fast *f)
{
	if (f->put < SURE_BYTES)
		return false;
	f->put = 0;
	return f->opts.enough(f->opts.ctx);
}

/* One thread up to its next kernel record, or where that cannot go yet, up to
 * the mark. 1: there is more, but it is enough. */
static int merge_thread(struct gn_fast *f, struct entry *e)
{
	struct gn_fast_event event;
	uint32_t pos, from = e->pos;
	int err = 0;
	bool more = next_event(f, e, &event, &pos), put = false;

	while (!err && !put) {
		const struct gn_rec *rec = gn_fast_thread_first(&e->t);

		if (more &&
		    (!rec || gn_fast_thread_before(&e->t, &event, rec))) {
			err = put_event(f, e, &event, pos);
			more = !err && next_event(f, e, &event, &pos);
		} else if (rec && (more || may_go(e))) {
			err = put_record(f, e);
			put = true;
		} else {
			break;
		}
		if (!err && is_enough(f))
			err = 1;
	}
	e->held = !put;
	if (e->area && e->pos != from)
		give_back(e);
	return err;
}

/* The kernel records that can go, as they came, each after what its thread
 * wrote before it. */
static int merge_waiting(struct gn_fast *f)
{
	size_t n = f->waiting, kept = 0, i;
	int err = 0;

	for (struct entry *e = f->all; e; e = e->next_of_all)
		e->held = false;
	for (i = 0; i < n && !err; i++) {
		struct entry *e = f->order[i];

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

/* All that it wrote is read. After an exec it goes on, with a ring of its new
 * program's perhaps. */
static void end_thread(struct gn_fast *f, struct entry *e)
{
	if (!e->last || (e->area && e->pos != e->mark))
		return;
	give_slot_back(f, e);
	e->ended = e->last = false;
	if (e->exits && !gn_fast_thread_first(&e->t))
		forget(f, e);
}

static void drop_areas(struct gn_fast *f)
{
	struct area *a, *next;

	for (a = f->areas; a; a = next) {
		next = a->next;
		if (!a->over || a->threads)
			continue;
		close_area(a);
		drop_area(f, a);
	}
}

int gn_fast_merge(struct gn_fast *f)
{
	struct entry *e, *next;
	int err = 0;

	if (!f->marked || !is_drained(f))
		return 0;
	err = merge_waiting(f);
	for (e = f->all; e && !err; e = next) {
		next = e->next_of_all;
		/* what it wrote behind the last of them */
		if (e->area)
			err = merge_thread(f, e);
		if (!err)
			end_thread(f, e);
	}
	f->marked = err == 1;
	if (!err)
		drop_areas(f);
	return err;
}

void gn_fast_sleep(struct gn_fast *f, bool sleeps)
{
	for (struct area *a = f->areas; a; a = a->next)
		atomic_store(&a->page->sleeping, sleeps);
}

/* Hooks that had begun end soon, but for those that the scheduler keeps. */
static void await_hooks(struct gn_fast *f)
{
	uint64_t until = gn_now_ns() + STUCK_NS;

	for (struct entry *e = f->all; e; e = e->next_of_all) {
		if (!e->area || e->ended)
			continue;
		while (atomic_load(&e->area->rings[e->slot].busy) &&
		       gn_now_ns() < until)
			sched_yield();
	}
}

void gn_fast_stop(struct gn_fast *f, uint64_t end)
{
	f->end = end;
	f->stopped = true;
	for (struct area *a = f->areas; a; a = a->next)
		close_area(a);
	await_hooks(f);
}

int gn_fast_flush(struct gn_fast *f)
{
	int err;

	for (struct entry *e = f->all; e; e = e->next_of_all) {
		e->idle = true;
		e->queued = e->t.end - e->t.first;
	}
	do {
		err = merge_waiting(f);
	} while (err == 1);
	for (struct entry *e = f->all; e && err >= 0; e = e->next_of_all)
		do {
			err = merge_thread(f, e);
		} while (err == 1);
	return err < 0 ? err : 0;
}

void gn_fast_tell(const struct gn_fast *f, struct gn_fast_facts *facts)
{
	*facts = f->facts;
	for (const struct entry *e = f->all; e; e = e->next_of_all) {
		if (!e->area)
			continue;
		facts->waits += atomic_load(&e->area->rings[e->slot].waits);
		facts->waited_ns +=
			atomic_load(&e->area->rings[e->slot].waited);
	}
	facts->waited_ns =
		(uint64_t)((double)facts->waited_ns * 1e6 /
			   (double)gn_fast_clock_ticks(&f->clock, 1000000));
	facts->bound_ns = gn_fast_clock_bound(&f->clock);
	facts->drift = f->clock.drift;
}
