/* SPDX-License-Identifier: BSD-2-Clause */
/* The memory that processes offer for records of their own. */
#include "capture/fast_parts.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/random.h>

#include "capture/clock.h"
#include "capture/fast_clock.h"
#include "capture/fast_map.h"
#include "process/ended.h"
#include "process/inside.h"
#include "process/memory.h"

#define LIFE_NS	   1000000000u /* hooks write this long after a beat */
#define GROWN_PART 64	       /* divides the program's memory limit */
#define READY	   16	       /* rings made ready before threads claim them */
#define LEAST_NS   2	       /* the counter cannot be read faster */

struct gn_fast_area *gn_fast_find_area(struct gn_fast *f, uint32_t pid)
{
	struct gn_fast_area *a = f->areas;

	while (a && a->pid != pid)
		a = a->next;
	return a;
}

struct gn_fast_area *gn_fast_find_claimed(struct gn_fast *f,
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

void gn_fast_close_areas(struct gn_fast *f)
{
	for (struct gn_fast_area *a = f->areas; a; a = a->next)
		close_area(a);
}

void gn_fast_free_areas(struct gn_fast *f)
{
	gn_fast_close_areas(f);
	while (f->areas)
		drop_area(f, f->areas);
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

/* If a thread claims a slot far ahead, the slots before it are skipped for
 * good: whoever uses them takes their memory. */
void gn_fast_take_memory(struct gn_fast_area *a, uint32_t from)
{
	uint32_t until = from + READY;

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
	gn_fast_take_memory(a, 0);
	madvise((void *)(a->data + GN_FAST_SLOT - GN_FAST_NAMES), GN_FAST_NAMES,
		MADV_POPULATE_WRITE);
	add_area(f, children, (pid_t)r->pid);
	add_area(f, a, (pid_t)r->pid);
	return true;
}

void gn_fast_offer(struct gn_fast *f, const struct gn_rec_ring *r)
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
	    (a && !a->over) || f->opts.settle(f->opts.ctx) ||
	    !new_areas(f, r, page)) {
		refuse(f, page);
		return;
	}
	f->facts.processes++;
	gn_fast_beat(f);
	gn_fast_wake(&page->taken);
}

/* If a new thread has the leader's number, all threads have ended. */
void gn_fast_end_area(struct gn_fast *f, const struct gn_rec *rec)
{
	struct gn_fast_area *a = gn_fast_find_area(f, rec->tid);

	if (!a)
		return;
	if (rec->kind == GN_KIND_EXIT && !(rec->flags & GN_F_PROCESS_ENDS))
		a->headless = true;
	else if (rec->kind != GN_KIND_THREAD || a->headless)
		a->over = true;
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
