// SPDX-License-Identifier: BSD-2-Clause
/*
 * Tracks what is in the memory of each process. Mappings have times: a later
 * one hides earlier ones, for samples from then on. Nothing is removed while a
 * process runs, because code that is gone does not run.
 */
#include <stdlib.h>
#include <string.h>

#include <gnomon/grow.h>
#include "capture/sampler_parts.h"

/* How many places may be unsorted. Each look-up searches them one by one, and
 * each sorting visits all. */
#define TAIL_MAX(sorted) (512 + (sorted) / 64)

struct gn_place_process *gn_places_find(struct gn_places *p, uint32_t pid)
{
	if (p->last < p->n && p->process[p->last].pid == pid)
		return &p->process[p->last];
	for (size_t i = 0; i < p->n; i++) {
		if (p->process[i].pid != pid)
			continue;
		p->last = i;
		return &p->process[i];
	}
	return NULL;
}

void gn_places_clear(struct gn_places *p, struct gn_place_list *list)
{
	p->held -= list->n;
	free(list->place);
	*list = (struct gn_place_list){0};
}

void gn_places_after(struct gn_places *p, struct gn_place_list *list,
		     uint64_t time)
{
	size_t kept = 0, sorted = 0;

	for (size_t i = 0; i < list->n; i++) {
		if (list->place[i].since <= time)
			continue;
		list->place[kept++] = list->place[i];
		sorted += i < list->sorted;
	}
	p->held -= list->n - kept;
	list->n = kept;
	list->sorted = sorted;
}

static void forget(struct gn_places *p, struct gn_place_process *of)
{
	gn_places_clear(p, &of->mapped);
	gn_places_clear(p, &of->code);
}

static struct gn_place_process *first_ended(struct gn_places *p)
{
	struct gn_place_process *first = NULL;

	for (size_t i = 0; i < p->n; i++) {
		struct gn_place_process *at = &p->process[i];

		if (at->ended && (!first || at->ended < first->ended))
			first = at;
	}
	return first;
}

static struct gn_place_process *add_process(struct gn_places *p)
{
	if (p->n == GN_PLACES_PROCESSES ||
	    gn_grow_by_one(&p->process, &p->room, p->n, sizeof(*p->process)))
		return NULL;
	p->process[p->n] = (struct gn_place_process){0};
	return &p->process[p->n++];
}

struct gn_place_process *gn_places_process(struct gn_places *p, uint32_t pid)
{
	struct gn_place_process *at =
		gn_places_find(p, pid) ?: add_process(p) ?: first_ended(p);

	if (!at)
		return NULL;
	forget(p, at);
	*at = (struct gn_place_process){.pid = pid};
	return at;
}

/* Makes room for `n` places, if need be by forgetting ended processes. False:
 * there is none. */
static bool make_room(struct gn_places *p, size_t n)
{
	for (size_t i = 0; p->held + n > GN_PLACES_MAX && i < p->n; i++)
		if (p->process[i].ended)
			forget(p, &p->process[i]);
	return p->held + n <= GN_PLACES_MAX;
}

static void copy(struct gn_places *p, struct gn_place_list *to,
		 const struct gn_place_list *from)
{
	if (!make_room(p, from->n) || !from->n)
		return;
	to->place = calloc(from->n, sizeof(*to->place));
	if (!to->place)
		return;
	memcpy(to->place, from->place, from->n * sizeof(*to->place));
	to->n = to->room = from->n;
	to->sorted = from->sorted;
	to->told = from->told;
	p->held += to->n;
}

void gn_places_copy(struct gn_places *p, struct gn_place_process *to,
		    uint32_t from)
{
	const struct gn_place_process *of = gn_places_find(p, from);

	if (!of || of == to)
		return;
	copy(p, &to->mapped, &of->mapped);
	copy(p, &to->code, &of->code);
	to->jvm = of->jvm;
	to->losses = of->losses;
}

static int by_start(const void *left, const void *right)
{
	const struct gn_place *a = left, *b = right;

	if (a->start != b->start)
		return a->start < b->start ? -1 : 1;
	return a->order < b->order ? -1 : a->order > b->order;
}

/* Sorts the unsorted places, and merges both parts from the end. False: no
 * memory. */
static bool merge(struct gn_place_list *list)
{
	size_t n = list->n - list->sorted, left = list->sorted, to = list->n;
	struct gn_place *tail = calloc(n, sizeof(*tail));

	if (!tail)
		return false;
	memcpy(tail, list->place + left, n * sizeof(*tail));
	qsort(tail, n, sizeof(*tail), by_start);
	while (n) {
		const struct gn_place *last = &list->place[left - !!left];

		if (left && by_start(last, &tail[n - 1]) > 0)
			list->place[--to] = list->place[--left];
		else
			list->place[--to] = tail[--n];
	}
	free(tail);
	return true;
}

/*
 * Sorts all places, and drops those that a later one overlaps: what is left of
 * them has no name any more. Earlier samples have their names already.
 */
static void sort(struct gn_places *p, struct gn_place_list *list)
{
	struct gn_place *at = list->place;
	size_t kept = 0;

	if (!merge(list))
		return;
	for (size_t i = 0; i < list->n; i++) {
		while (kept && at[kept - 1].end > at[i].start &&
		       at[kept - 1].order < at[i].order)
			kept--;
		if (!kept || at[kept - 1].end <= at[i].start)
			at[kept++] = at[i];
	}
	p->held -= list->n - kept;
	list->n = list->sorted = kept;
}

void gn_places_add(struct gn_places *p, struct gn_place_list *list,
		   const struct gn_place *place)
{
	if (place->start >= place->end || !make_room(p, 1) ||
	    gn_grow_by_one(&list->place, &list->room, list->n, sizeof(*place)))
		return;
	list->place[list->n] = *place;
	list->place[list->n++].order = list->told++;
	p->held++;
	if (list->n - list->sorted > TAIL_MAX(list->sorted))
		sort(p, list);
}

static bool has(const struct gn_place *at, uint64_t addr)
{
	return addr >= at->start && addr < at->end;
}

const struct gn_place *gn_places_at(const struct gn_place_list *list,
				    uint64_t addr, uint64_t time)
{
	size_t lo = 0, hi = list->sorted;

	for (size_t i = list->n; i-- > list->sorted;)
		if (has(&list->place[i], addr) && list->place[i].since <= time)
			return &list->place[i];
	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (list->place[mid].start <= addr)
			lo = mid + 1;
		else
			hi = mid;
	}
	if (!lo || !has(&list->place[lo - 1], addr) ||
	    list->place[lo - 1].since > time)
		return NULL;
	return &list->place[lo - 1];
}

static struct gn_place_thread *find_thread(const struct gn_places *p,
					   uint32_t tid)
{
	for (size_t i = p->nthreads; i--;)
		if (p->thread[i].tid == tid)
			return &p->thread[i];
	return NULL;
}

void gn_places_thread(struct gn_places *p, uint32_t tid, uint32_t pid)
{
	struct gn_place_thread *t = find_thread(p, tid);
	struct gn_place_process *of = gn_places_find(p, pid);

	if (of)
		of->ended = 0;
	if (!t && p->nthreads < GN_PLACES_THREADS) {
		if (gn_grow_by_one(&p->thread, &p->threads_room, p->nthreads,
				   sizeof(*t)))
			return;
		t = &p->thread[p->nthreads++];
	}
	if (t)
		*t = (struct gn_place_thread){tid, pid};
}

static bool has_thread(const struct gn_places *p, uint32_t pid)
{
	for (size_t i = p->nthreads; i--;)
		if (p->thread[i].pid == pid)
			return true;
	return false;
}

void gn_places_thread_ends(struct gn_places *p, uint32_t tid)
{
	struct gn_place_thread *t = find_thread(p, tid);
	struct gn_place_process *of;
	uint32_t pid;

	if (!t)
		return;
	pid = t->pid;
	*t = p->thread[--p->nthreads];
	of = has_thread(p, pid) ? NULL : gn_places_find(p, pid);
	if (of)
		of->ended = ++p->ends;
}

uint32_t gn_places_process_of(const struct gn_places *p, uint32_t tid)
{
	const struct gn_place_thread *t = find_thread(p, tid);

	return t ? t->pid : 0;
}

void gn_places_free(struct gn_places *p)
{
	for (size_t i = 0; i < p->n; i++) {
		free(p->process[i].mapped.place);
		free(p->process[i].code.place);
	}
	free(p->process);
	free(p->thread);
	*p = (struct gn_places){0};
}
