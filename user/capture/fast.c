/* SPDX-License-Identifier: BSD-2-Clause */
/* The threads that write records of their own. */
#include "capture/fast_parts.h"

#include <errno.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "capture/clock.h"
#include "capture/fast_clock.h"

#define ROOM_FIRST 1024u
#define STUCK_NS   20000000u /* the longest wait for running hooks */

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

void gn_fast_free(struct gn_fast *f)
{
	if (!f)
		return;
	while (f->all)
		forget(f, f->all);
	gn_fast_free_areas(f);
	if (f->consumed)
		munmap((void *)f->consumed, f->page_size);
	if (f->produced)
		munmap((void *)f->produced, f->page_size);
	free(f->order);
	free(f);
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

static void claim(struct gn_fast *f, struct gn_fast_entry *e,
		  const struct gn_rec_ring *r)
{
	struct gn_fast_area *a = gn_fast_find_claimed(f, r);
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
	gn_fast_take_memory(a, slot);
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

static bool is_claim(const struct gn_rec *rec)
{
	return rec->kind == GN_KIND_RING &&
	       GN_FUNC_INDEX(((const struct gn_rec_ring *)rec)->f.func) ==
		       GN_FAST_CLAIM;
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
	if (is_claim(rec))
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

/* Whether no record of the thread's own can come before this one any more. A
 * thread that suspends the others of its process runs nothing that is traced.
 * A ring holds nothing from before its claim. So if a forked child is in its
 * first hook, the record of its birth does not wait, and its creator's later
 * records do not come before it. */
static bool is_sure(const struct gn_rec *rec)
{
	return rec->kind == GN_KIND_SUSPEND_BEGIN ||
	       rec->kind == GN_KIND_SUSPEND_END || is_claim(rec);
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
		gn_fast_offer(f, (const void *)rec);
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
		gn_fast_end_area(f, rec);
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
	return atomic_load(&ring->wants) && gn_fast_written(e) != e->pos;
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
	gn_fast_close_areas(f);
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
