/* SPDX-License-Identifier: BSD-2-Clause */
/* The processes and threads that write records of their own. */
#include "capture/fast_parts.h"

#include <errno.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <unistd.h>

#include "capture/clock.h"
#include "capture/fast_clock.h"
#include "capture/fast_map.h"
#include "process/ended.h"
#include "process/inside.h"
#include "process/memory.h"

#define LIFE_NS	   1000000000u /* hooks write this long after a beat */
#define ROOM_FIRST 1024u
#define GROWN_PART 64	     /* divides the program's memory limit */
#define READY	   16	     /* rings made ready before threads claim them */
#define STUCK_NS   20000000u /* the longest wait for running hooks */
#define LEAST_NS   2	     /* the counter cannot be read faster */

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

struct gn_fast_entry *gn_fast_find(struct gn_fast *f, uint32_t tid)
{
	struct gn_fast_entry *e = f->bucket[tid % GN_FAST_BUCKETS];

	while (e && e->tid != tid)
		e = e->next;
	return e;
}

struct gn_fast_entry *gn_fast_find_first(const struct gn_fast_entry *e)
{
	struct gn_fast_entry *first = e->next;

	while (first && first->tid != e->tid)
		first = first->next;
	return first;
}

struct gn_fast_entry *gn_fast_find_creator(struct gn_fast *f,
					   const struct gn_rec *rec)
{
	const struct gn_rec_thread *r = (const void *)rec;

	return rec->kind == GN_KIND_THREAD && r->parent
		       ? gn_fast_find(f, r->parent)
		       : NULL;
}

static struct gn_fast_entry *add(struct gn_fast *f, uint32_t tid)
{
	struct gn_fast_entry *e = calloc(1, sizeof(*e));

	if (!e)
		return NULL;
	gn_fast_thread_init(&e->t, tid);
	e->tid = tid;
	e->idle = true; /* at the last mark it had no ring */
	e->next = f->bucket[tid % GN_FAST_BUCKETS];
	f->bucket[tid % GN_FAST_BUCKETS] = e;
	e->next_of_all = f->all;
	e->before_of_all = &f->all;
	if (f->all)
		f->all->before_of_all = &e->next_of_all;
	f->all = e;
	return e;
}

static void unlink_bucket(struct gn_fast *f, struct gn_fast_entry *e)
{
	struct gn_fast_entry **at = &f->bucket[e->tid % GN_FAST_BUCKETS];

	while (*at != e)
		at = &(*at)->next;
	*at = e->next;
}

static void forget(struct gn_fast *f, struct gn_fast_entry *e)
{
	unlink_bucket(f, e);
	*e->before_of_all = e->next_of_all;
	if (e->next_of_all)
		e->next_of_all->before_of_all = e->before_of_all;
	gn_fast_thread_free(&e->t);
	free(e);
}

/* The thread writes no more: frees its slot for another thread. */
static void give_slot_back(struct gn_fast *f, struct gn_fast_entry *e)
{
	struct gn_fast_area *a = e->area;
	struct gn_fast_ring *ring;

	if (!a)
		return;
	ring = &a->rings[e->slot];
	f->facts.counts.waited_ns += e->t.waited;
	e->t.waited = 0;
	atomic_store(&ring->tail, 0);
	atomic_store(&ring->stacked, 0);
	atomic_store(&ring->bound, 0);
	atomic_store(&ring->busy, 0);
	atomic_store(&ring->state, GN_FAST_FREE);
	a->bound[e->slot] = false;
	a->threads--;
	e->area = NULL;
}

static void drop_area(struct gn_fast *f, struct gn_fast_area *a)
{
	struct gn_fast_area **at = &f->areas;

	while (*at != a)
		at = &(*at)->next;
	*at = a->next;
	for (struct gn_fast_entry *e = f->all; e; e = e->next_of_all) {
		if (e->tells == a)
			e->tells = NULL;
		if (e->children == a)
			e->children = NULL;
	}
	for (struct gn_fast_area *of = f->areas; of; of = of->next)
		if (of->children == a)
			of->children = NULL;
	gn_fast_unmap(a->page, a->size);
	free(a);
}

struct gn_fast_area *gn_fast_find_area(struct gn_fast *f, uint32_t pid)
{
	struct gn_fast_area *a = f->areas;

	while (a && a->pid != pid)
		a = a->next;
	return a;
}

/* Tells hooks that nobody reads what they write, and wakes those that wait. */
static void close_area(struct gn_fast_area *a)
{
	atomic_store(&a->page->deadline, 0);
	atomic_store(&a->page->taken, 2);
	gn_fast_wake(&a->page->taken);
	for (uint32_t i = 0; i < a->slots; i++)
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

static void break_area(struct gn_fast *f, struct gn_fast_area *a)
{
	a->broken = true;
	f->facts.counts.hostile++;
	for (struct gn_fast_entry *e = f->all; e; e = e->next_of_all)
		if (e->area == a || e->claim.area == a)
			gn_fast_thread_lose(&e->t, 1);
}

/* Hooks that find `taken` changed believe that gnomon is gone, and write
 * nothing more. */
void gn_fast_check(struct gn_fast *f)
{
	for (struct gn_fast_area *a = f->areas; a && !f->stopped; a = a->next)
		if (!a->broken && atomic_load(&a->page->taken) != 1)
			break_area(f, a);
}

void gn_fast_beat(struct gn_fast *f)
{
	uint64_t until =
		gn_fast_ticks() + gn_fast_clock_ticks(&f->clock, LIFE_NS);

	f->beat = 0;
	for (struct gn_fast_area *a = f->areas; a && !f->stopped; a = a->next)
		atomic_store_explicit(&a->page->deadline, until,
				      memory_order_relaxed);
}

static int compare(const void *a, const void *b)
{
	const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

/*
 * Emits what a hook costs. The process ran some in a row to measure it. In a
 * row a hook costs most, because each read of the counter takes its full time.
 * Among other code, which the processor runs in parallel, a hook was measured
 * to cost from a tenth of that to all of it. So gnomon takes half of it as the
 * cost, and the other half as the error.
 *
 * One cost holds for all processes. A process can lie, or begin while others
 * take its CPU. So only the smallest cost that any process measured counts: at
 * worst, times still contain the few ns that a hook costs.
 */
static void tell_cost(struct gn_fast *f, const struct gn_fast_area *a)
{
	const struct gn_fast_rec *rec = (const void *)a->data;
	uint64_t ticks[GN_FAST_MEASURED - 1];
	double ns = 1e6 / (double)gn_fast_clock_ticks(&f->clock, 1000000);
	struct gn_rec_cost cost = {
		.h = {.kind = GN_KIND_COST, .time = gn_now_ns()},
		.id = GN_PROBE_FAST,
	};
	double most, spread;
	uint32_t n = GN_FAST_MEASURED - 1;

	for (uint32_t i = 0; i < n; i++)
		ticks[i] = rec[i + 1].tsc - rec[i].tsc;
	qsort(ticks, n, sizeof(*ticks), compare);
	most = (double)ticks[n / 2] * ns;
	spread = (double)(ticks[n * 3 / 4] - ticks[n / 4]) * ns / 2;
	/* no hook is that slow or that fast: the cost stays unknown */
	if (most > 1000 || spread > 1000 || most < LEAST_NS)
		return;
	if (f->cost_ns > 0 && most >= f->cost_ns)
		return;
	f->cost_ns = most;
	cost.samples = n;
	/* the counter is read in the middle of a hook */
	cost.before_ns = (uint32_t)(most / 4 + 0.5);
	cost.after_ns = (uint32_t)(most / 2 + 0.5) - cost.before_ns;
	cost.spread_ns = (uint32_t)(most / 2 + spread + 0.5);
	f->opts.put(f->opts.ctx, &cost.h, sizeof(cost));
}

/* Memory is charged to the control group of whoever writes to it first. So a
 * program's rings grow by only a small part of its limit, and gnomon itself
 * takes the memory that rings begin with, before threads do. */
static uint32_t room_to_grow(pid_t pid)
{
	uint64_t part = gn_memory_limit(pid) / GROWN_PART;

	return part < GN_FAST_GROWN ? (uint32_t)part : GN_FAST_GROWN;
}

/* Takes the initial memory of the slots up to `until`. If a thread claims a
 * slot far ahead, the slots before it are skipped for good: whoever uses them
 * takes their memory. */
static void take_memory(struct gn_fast_area *a, uint32_t from, uint32_t until)
{
	if (a->ready < from)
		a->ready = from;
	for (; a->ready < until && a->ready < a->slots; a->ready++)
		if (madvise((void *)(a->data + (size_t)a->ready * a->slot),
			    GN_FAST_FIRST, MADV_POPULATE_WRITE))
			a->ready = a->slots - 1; /* an older kernel */
}

/* Wakes the hook, which waits for the answer. A page in use stays so. */
static void refuse(struct gn_fast *f, struct gn_fast_page *page)
{
	uint32_t waits = 0;

	f->facts.refused++;
	if (!page)
		return;
	if (atomic_compare_exchange_strong(&page->taken, &waits, 2))
		gn_fast_wake(&page->taken);
	gn_fast_unmap(page, GN_FAST_FILE);
}

static long long started(uint32_t pid)
{
	long long ticks;

	return gn_inside_started((pid_t)pid, &ticks) ? ticks : 0;
}

/* Describes the memory at `page`. NULL: no memory. */
static struct gn_fast_area *new_area(const struct gn_rec_ring *r,
				     struct gn_fast_page *page, uint32_t slots,
				     uint32_t slot)
{
	struct gn_fast_area *a = calloc(1, sizeof(*a));

	if (!a)
		return NULL;
	a->since = r->f.h.time;
	a->runtime = GN_FUNC(GN_FUNC_RUNTIME(r->f.func), 0);
	a->page = page;
	a->rings = (void *)((unsigned char *)page + GN_FAST_PAGE);
	a->data = (const unsigned char *)page + GN_FAST_DATA;
	a->size = GN_FAST_DATA + (size_t)slots * slot;
	a->slots = slots;
	a->slot = slot;
	return a;
}

/* The part of the memory that forked children use. Its names are not read:
 * they come from the site. */
static struct gn_fast_area *new_children(const struct gn_rec_ring *r,
					 struct gn_fast_page *page)
{
	struct gn_fast_area *a = new_area(
		r, (struct gn_fast_page *)((char *)page + GN_FAST_SIZE),
		GN_FAST_CHILD_SLOTS, GN_FAST_CHILD_SLOT);

	if (a && getrandom(&a->token, sizeof(a->token), 0) !=
			 (ssize_t)sizeof(a->token)) {
		free(a);
		return NULL;
	}
	if (a) {
		a->token |= 1;
		a->nameless = true;
	}
	return a;
}

static void add_area(struct gn_fast *f, struct gn_fast_area *a, pid_t of)
{
	a->next = f->areas;
	f->areas = a;
	a->page->token = a->token;
	atomic_store(&a->page->drops, f->opts.drops);
	atomic_store(&a->page->grows, room_to_grow(of));
	atomic_store(&a->page->taken, 1);
}

static bool new_areas(struct gn_fast *f, const struct gn_rec_ring *r,
		      struct gn_fast_page *page)
{
	struct gn_fast_area *a = new_area(r, page, GN_FAST_SLOTS, GN_FAST_SLOT);
	struct gn_fast_area *children = new_children(r, page);

	if (!a || !children) {
		free(a);
		free(children);
		return false;
	}
	a->pid = r->pid;
	a->started = started(r->pid);
	a->children = children;
	tell_cost(f, a);
	take_memory(a, 0, READY);
	madvise((void *)(a->data + GN_FAST_SLOT - GN_FAST_NAMES), GN_FAST_NAMES,
		MADV_POPULATE_WRITE);
	add_area(f, children, (pid_t)r->pid);
	add_area(f, a, (pid_t)r->pid);
	return true;
}

static void offer(struct gn_fast *f, const struct gn_rec_ring *r)
{
	struct gn_fast_page *page = NULL;
	struct gn_fast_area *a = gn_fast_find_area(f, r->pid);
	long long since = started(r->pid);

	/* The record of an older process's end may be lost, and another process
	 * may have its number now. If a start time is unknown, both are taken
	 * for the same process. */
	if (a && a->started && since && since != a->started)
		a->over = true;
	/* no hook offers memory twice in one program */
	if (gn_fast_map(r->pid, r->f.h.key, &page) || f->stopped ||
	    (a && !a->over) || f->opts.begins(f->opts.ctx) ||
	    !new_areas(f, r, page)) {
		refuse(f, page);
		return;
	}
	f->facts.processes++;
	gn_fast_beat(f);
	gn_fast_wake(&page->taken);
}

static uint32_t slot_of(const struct gn_rec_ring *claim)
{
	return claim->f.h.key & ((1u << GN_FAST_SLOT_BITS) - 1);
}

/* The thread's claim becomes its ring. */
static void bind_ring(struct gn_fast *f, struct gn_fast_entry *e)
{
	e->area = e->claim.area;
	e->slot = slot_of(&e->claim.rec);
	e->pos = e->mark = 0;
	e->fresh = f->has_fresh = true;
	/* until now these two were about its last program */
	e->ended = e->claim.ended;
	e->exits = e->claim.exits;
	e->last = false;
	e->hostile = false;
	gn_fast_thread_claim(&e->t, &e->claim.rec);
	e->t.bound = gn_fast_clock_bound(&f->clock);
	e->claim.area = NULL;
}

static void note_end(struct gn_fast_entry *e, bool exits)
{
	bool claims = e->claim.area;

	*(claims ? &e->claim.ended : &e->ended) = true;
	*(claims ? &e->claim.exits : &e->exits) = exits;
}

/* After an exec, the ring of the old program is read to its end first. */
static bool can_claim(const struct gn_fast_entry *e)
{
	return !e->area || (e->ended && !e->claim.area);
}

/* No thread takes two rings in one program. So this is another thread with the
 * same number: the old one's end and the new one's begin were lost. */
static void see_another(struct gn_fast_entry *e)
{
	if (!e->area || e->ended)
		return;
	note_end(e, false);
	gn_fast_thread_lose(&e->t, 1);
}

/* The memory in which the process has taken a ring. NULL: none. */
static struct gn_fast_area *find_claimed(struct gn_fast *f,
					 const struct gn_rec_ring *r)
{
	uint32_t token = (uint32_t)(r->f.h.key >> GN_FAST_SLOT_BITS);
	struct gn_fast_area *a = f->areas;

	if (!token)
		return gn_fast_find_area(f, r->pid);
	while (a && a->token != token)
		a = a->next;
	return a;
}

static void claim(struct gn_fast *f, struct gn_fast_entry *e,
		  const struct gn_rec_ring *r)
{
	struct gn_fast_area *a = find_claimed(f, r);
	uint32_t slot = slot_of(r);
	bool usable = a && slot && slot < a->slots && !a->bound[slot];

	if (usable)
		see_another(e);
	if (!usable || !can_claim(e)) {
		f->facts.counts.hostile++;
		gn_fast_thread_lose(&e->t, 1);
		return;
	}
	a->bound[slot] = true;
	atomic_store(&a->rings[slot].bound, 1);
	take_memory(a, slot, slot + READY);
	a->threads++;
	if (a->token) {
		e->children = a;
		f->facts.forked++;
	}
	e->claim = (struct gn_fast_claim){
		.area = a, .rec = *r, .queued = SIZE_MAX};
	if (!e->area)
		bind_ring(f, e);
	atomic_store(&a->rings[slot].stack, e->stack);
	atomic_store(&a->rings[slot].stacked, e->stacked);
	f->facts.threads++;
}

/* A process's leader can end before other threads, which still take rings. If a
 * new thread has its number, all of them have ended. */
static void end_area(struct gn_fast *f, const struct gn_rec *rec)
{
	struct gn_fast_area *a = gn_fast_find_area(f, rec->tid);

	if (!a)
		return;
	if (rec->kind == GN_KIND_EXIT && !(rec->flags & GN_F_PROCESS_ENDS))
		a->headless = true;
	else if (rec->kind != GN_KIND_THREAD || a->headless)
		a->over = true;
}

/* New threads and forked children know the memory for children, too. */
static void note_children(struct gn_fast *f, struct gn_fast_entry *e,
			  const struct gn_rec *rec)
{
	const struct gn_rec_ring *ring = (const void *)rec;
	const struct gn_fast_entry *creator = gn_fast_find_creator(f, rec);
	const struct gn_fast_area *a;

	if (rec->kind == GN_KIND_THREAD)
		e->children = creator ? creator->children : NULL;
	if (rec->kind == GN_KIND_EXIT || rec->kind == GN_KIND_EXEC)
		e->children = NULL;
	if (rec->kind != GN_KIND_RING ||
	    GN_FUNC_INDEX(ring->f.func) != GN_FAST_OFFER)
		return;
	a = gn_fast_find_area(f, ring->pid);
	e->children = a ? a->children : NULL;
}

/* Handles what a kernel record means for the rings, before the record waits for
 * its turn. */
static void note(struct gn_fast *f, struct gn_fast_entry *e,
		 const struct gn_rec *rec)
{
	const struct gn_rec_ring *ring = (const void *)rec;
	const struct gn_rec_stack *stack = (const void *)rec;

	note_children(f, e, rec);
	/* the old thread's EXIT may be lost: the new thread goes on in this
	 * entry */
	if (rec->kind == GN_KIND_THREAD && e->area) {
		note_end(e, false);
		e->stack = e->stacked = 0;
	}
	if (rec->kind == GN_KIND_STACK) {
		e->stack = stack->lo;
		e->stacked = stack->hi - stack->lo;
	}
	if (rec->kind == GN_KIND_RING &&
	    GN_FUNC_INDEX(ring->f.func) == GN_FAST_CLAIM)
		claim(f, e, ring);
	if (rec->kind == GN_KIND_RING &&
	    GN_FUNC_INDEX(ring->f.func) == GN_FAST_RINGLESS && !e->ringless) {
		e->ringless = true;
		if (rec->key)
			f->facts.crowded++;
		else
			f->facts.ringless++;
	}
	if (rec->kind == GN_KIND_EXIT || rec->kind == GN_KIND_EXEC)
		note_end(e, rec->kind == GN_KIND_EXIT);
}

/* Finds the thread that called exec: it had another number if it was not the
 * leader of its process. */
static struct gn_fast_entry *find_exec(struct gn_fast *f,
				       const struct gn_rec_thread *r)
{
	struct gn_fast_entry *e =
		gn_fast_find(f, r->parent ? r->parent : r->f.h.tid);

	if (!e || e->tid == r->f.h.tid)
		return e;
	unlink_bucket(f, e);
	e->tid = r->f.h.tid;
	e->next = f->bucket[e->tid % GN_FAST_BUCKETS];
	f->bucket[e->tid % GN_FAST_BUCKETS] = e;
	return e;
}

/* Whether the thread was outside all hooks at this record: a thread that
 * suspends the others of its process runs nothing that is traced. */
static bool is_sure(const struct gn_rec *rec)
{
	return rec->kind == GN_KIND_SUSPEND_BEGIN ||
	       rec->kind == GN_KIND_SUSPEND_END;
}

static int queue(struct gn_fast *f, struct gn_fast_entry *e,
		 const struct gn_rec *rec, size_t size)
{
	if (f->waiting == f->room) {
		size_t room = f->room ? f->room * 2 : ROOM_FIRST;
		struct gn_fast_entry **grown =
			realloc(f->order, room * sizeof(*grown));

		if (!grown)
			return -ENOMEM;
		f->order = grown;
		f->room = room;
	}
	if (gn_fast_thread_queue(&e->t, rec, size))
		return -ENOMEM;
	f->order[f->waiting++] = e;
	if (e->claim.area && e->claim.queued == SIZE_MAX)
		e->claim.queued = e->t.end - e->t.first;
	/* the reader's position still is that of this record, which came before
	 * the mark */
	if (!e->fresh && !e->claim.area &&
	    __atomic_load_n(f->consumed, __ATOMIC_ACQUIRE) < f->produced_before)
		e->queued = e->t.end - e->t.first;
	if (is_sure(rec))
		e->sure = e->t.end - e->t.first;
	return 0;
}

bool gn_fast_record(struct gn_fast *f, const struct gn_rec *rec, size_t size)
{
	struct gn_fast_entry *e;

	if (rec->kind == GN_KIND_RING &&
	    GN_FUNC_INDEX(((const struct gn_rec_ring *)rec)->f.func) ==
		    GN_FAST_OFFER)
		offer(f, (const void *)rec);
	if (rec->kind == GN_KIND_RING &&
	    GN_FUNC_INDEX(((const struct gn_rec_ring *)rec)->f.func) ==
		    GN_FAST_NONE)
		f->facts.none = rec->key;
	/* after its process's memory is gone, a thread can still have records
	 * that wait */
	if (!f->areas && !f->all)
		return false;
	e = rec->kind == GN_KIND_EXEC ? find_exec(f, (const void *)rec)
				      : gn_fast_find(f, rec->tid);
	/* also for threads without rings: the kernel's order holds for all */
	if (!e && rec->tid)
		e = add(f, rec->tid);
	if (rec->kind == GN_KIND_EXIT || rec->kind == GN_KIND_EXEC ||
	    rec->kind == GN_KIND_THREAD)
		end_area(f, rec);
	if (!e)
		return false;
	note(f, e, rec);
	return !queue(f, e, rec, size);
}

/* Whether the ring still has records from before the mark. */
static bool is_unread(const struct gn_fast_entry *e)
{
	return e->area && !e->hostile && e->pos != e->mark;
}

/* After an exec the thread goes on, perhaps with a ring of its new program. */
void gn_fast_end_thread(struct gn_fast *f, struct gn_fast_entry *e)
{
	if (!e->last || is_unread(e))
		return;
	give_slot_back(f, e);
	e->ended = e->last = false;
	if (e->claim.area)
		bind_ring(f, e);
	else if (e->exits && !gn_fast_thread_first(&e->t))
		forget(f, e);
}

/* Marks the memory of children that has a process to use it. */
static void keep_children(struct gn_fast *f)
{
	for (struct gn_fast_area *a = f->areas; a; a = a->next)
		a->kept = false;
	for (struct gn_fast_entry *e = f->all; e; e = e->next_of_all)
		if (e->children)
			e->children->kept = true;
}

void gn_fast_drop_areas(struct gn_fast *f)
{
	struct gn_fast_area *a, *next;

	keep_children(f);
	for (a = f->areas; a; a = next) {
		next = a->next;
		if (a->threads)
			continue;
		if (a->over || (a->token && !a->kept)) {
			close_area(a);
			drop_area(f, a);
		} else if (a->headless) {
			/* dropped in the next round only: one of its threads
			 * can have taken a ring after this round's mark */
			a->over = gn_process_has_ended((pid_t)a->pid);
		}
	}
}

static void set_sleeping(struct gn_fast *f, bool sleeps)
{
	for (struct gn_fast_area *a = f->areas; a; a = a->next)
		atomic_store(&a->page->sleeping, sleeps);
}

/* Whether the thread waits for room although its ring has something to read. */
static bool is_waiting(const struct gn_fast_entry *e)
{
	struct gn_fast_ring *ring;

	if (!e->area || e->hostile)
		return false;
	ring = &e->area->rings[e->slot];
	return atomic_load(&ring->wants) &&
	       (atomic_load(&ring->head) & (GN_FAST_SLOT - 1)) != e->pos;
}

/* A thread first says that it waits and then looks whether gnomon sleeps. Here
 * it is the other way round, so one of the two sees the other. */
bool gn_fast_sleep(struct gn_fast *f)
{
	set_sleeping(f, true);
	for (struct gn_fast_entry *e = f->all; e; e = e->next_of_all)
		if (is_waiting(e))
			return false;
	return true;
}

void gn_fast_awake(struct gn_fast *f)
{
	set_sleeping(f, false);
}

/* Waits for hooks that have begun. They end soon, unless the scheduler keeps
 * their threads off the CPU. */
static void await_hooks(struct gn_fast *f)
{
	uint64_t until = gn_now_ns() + STUCK_NS;

	for (struct gn_fast_entry *e = f->all; e; e = e->next_of_all) {
		if (!e->area || e->ended)
			continue;
		while (atomic_load(&e->area->rings[e->slot].busy) &&
		       gn_now_ns() < until)
			sched_yield();
	}
}

void gn_fast_stop(struct gn_fast *f, uint64_t end)
{
	gn_fast_check(f);
	f->end = end;
	f->stopped = true;
	for (struct gn_fast_area *a = f->areas; a; a = a->next)
		close_area(a);
	await_hooks(f);
}

void gn_fast_tell(const struct gn_fast *f, struct gn_fast_facts *facts)
{
	*facts = f->facts;
	for (const struct gn_fast_entry *e = f->all; e; e = e->next_of_all)
		facts->counts.waited_ns += e->t.waited;
	facts->bound_ns = gn_fast_clock_bound(&f->clock);
	facts->drift = f->clock.drift;
}
