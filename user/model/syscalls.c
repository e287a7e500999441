// SPDX-License-Identifier: BSD-2-Clause
#include "model/syscalls.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "model/mem.h"

/* Finds or makes the row. NULL: no memory. */
static struct gn_model_syscall *row_of(struct gn_syscalls *all, uint32_t thread,
				       uint16_t nr)
{
	uint64_t key = (uint64_t)thread << 16 | nr;
	uint32_t i = gn_table_get(&all->by_key, key);

	if (i != GN_NONE)
		return &all->rows[i];
	if (gn_grow(&all->rows, &all->cap, (size_t)all->n + 1,
		    sizeof(*all->rows)) ||
	    gn_table_put(&all->by_key, key, all->n))
		return NULL;
	all->rows[all->n] = (struct gn_model_syscall){
		.thread = thread, .nr = nr, .shortest = UINT64_MAX};
	return &all->rows[all->n++];
}

static void returned(struct gn_model_syscall *row,
		     const struct gn_syscall_open *open, bool failed)
{
	row->calls++;
	row->failed += failed;
	row->cpu += open->cpu;
	row->off += open->off;
	if (open->cpu + open->off > row->longest)
		row->longest = open->cpu + open->off;
	if (open->cpu + open->off < row->shortest)
		row->shortest = open->cpu + open->off;
}

/* Whether the slice is of the first call after a loss, which is not counted. */
static bool is_rest(struct gn_syscall_open *open, const struct gn_rec_slice *s)
{
	bool is = open->rest;

	if (is && open->nr != GN_NO_SYSCALL && open->nr != s->reason)
		open->rest = is = false;
	open->nr = is ? s->reason : open->nr;
	if (s->h.flags & GN_F_RETURNED)
		open->rest = false;
	return is;
}

int gn_syscalls_take(struct gn_syscalls *all, uint32_t thread,
		     struct gn_syscall_open *open, const struct gn_rec_slice *s)
{
	struct gn_model_syscall *row;

	if (s->class != GN_CLASS_SYSCALL) {
		if (open->is && s->start >= open->since &&
		    !gn_class_on_cpu(s->class))
			open->off += s->h.time - s->start;
		return 0;
	}
	if (is_rest(open, s))
		return 0;
	row = row_of(all, thread, s->reason);
	if (!row)
		return -ENOMEM;
	if (!open->is || open->nr != s->reason) {
		*open = (struct gn_syscall_open){
			.since = s->start, .nr = s->reason, .is = true};
		row->begun++;
	}
	open->cpu += s->h.time - s->start;
	if (s->h.flags & GN_F_RETURNED) {
		returned(row, open, s->h.flags & GN_F_FAILED);
		open->is = false;
	}
	return 0;
}

void gn_syscalls_lost(struct gn_syscalls *all, uint32_t thread,
		      struct gn_syscall_open *open)
{
	uint64_t key = (uint64_t)thread << 16 | open->nr;
	uint32_t i = gn_table_get(&all->by_key, key);

	if (open->is && i != GN_NONE)
		all->rows[i].begun--;
	*open = (struct gn_syscall_open){.nr = GN_NO_SYSCALL, .rest = true};
}

static int by_number(const void *left, const void *right)
{
	const struct gn_model_syscall *a = left, *b = right;

	return a->nr < b->nr ? -1 : a->nr > b->nr;
}

static int by_time(const void *left, const void *right)
{
	const struct gn_model_syscall *a = left, *b = right;

	if (a->cpu + a->off != b->cpu + b->off)
		return a->cpu + a->off < b->cpu + b->off ? 1 : -1;
	if (a->nr != b->nr)
		return a->nr < b->nr ? -1 : 1;
	return a->thread < b->thread ? -1 : a->thread > b->thread;
}

static void add(struct gn_model_syscall *to, const struct gn_model_syscall *x)
{
	to->begun += x->begun;
	to->calls += x->calls;
	to->failed += x->failed;
	to->cpu += x->cpu;
	to->off += x->off;
	if (x->shortest < to->shortest)
		to->shortest = x->shortest;
	if (x->longest > to->longest)
		to->longest = x->longest;
}

/* Makes one row for each number; returns how many. */
static size_t sum_up(struct gn_model_syscall *row, size_t n)
{
	size_t sums = 0;

	qsort(row, n, sizeof(*row), by_number);
	for (size_t i = 0; i < n; i++) {
		if (sums && row[sums - 1].nr == row[i].nr) {
			add(&row[sums - 1], &row[i]);
			continue;
		}
		row[sums] = row[i];
		row[sums++].thread = 0;
	}
	return sums;
}

int gn_syscalls_fold(struct gn_syscalls *all, const struct gn_table *into)
{
	struct gn_syscalls kept = {0};

	for (uint32_t i = 0; i < all->n; i++) {
		const struct gn_model_syscall *row = &all->rows[i];
		uint32_t thread = gn_table_get(into, row->thread);
		struct gn_model_syscall *to;

		to = row_of(&kept, thread == GN_NONE ? row->thread : thread,
			    row->nr);
		if (!to) {
			gn_syscalls_free(&kept);
			return -ENOMEM;
		}
		add(to, row);
	}
	gn_syscalls_free(all);
	*all = kept;
	return 0;
}

/* Replaces the numbers of threads by their indexes. 0, -ENOMEM, or -EBADMSG:
 * there is no such thread. */
static int place_rows(struct gn_model *m)
{
	struct gn_table place = {0};
	int err = 0;

	for (size_t i = 0; i < m->nthreads && !err; i++)
		err = gn_table_put(&place, m->threads[i].number, (uint32_t)i);
	for (size_t i = 0; i < m->nthread_syscalls && !err; i++) {
		struct gn_model_syscall *x = &m->thread_syscalls[i];

		x->thread = gn_table_get(&place, x->thread);
		if (x->thread == GN_NONE)
			err = -EBADMSG;
	}
	gn_table_free(&place);
	return err;
}

int gn_syscalls_build(const struct gn_syscalls *all, struct gn_model *m)
{
	size_t size = all->n * sizeof(*m->syscalls);
	int err;

	m->syscalls = malloc(size + 1);
	m->thread_syscalls = malloc(size + 1);
	if (!m->syscalls || !m->thread_syscalls)
		return -ENOMEM;
	/* the calls of other rows were all lost */
	for (uint32_t i = 0; i < all->n; i++)
		if (all->rows[i].begun)
			m->syscalls[m->nthread_syscalls++] = all->rows[i];
	memcpy(m->thread_syscalls, m->syscalls,
	       m->nthread_syscalls * sizeof(*m->syscalls));
	m->nsyscalls = sum_up(m->syscalls, m->nthread_syscalls);
	qsort(m->syscalls, m->nsyscalls, sizeof(*m->syscalls), by_time);
	err = place_rows(m);
	if (!err)
		qsort(m->thread_syscalls, m->nthread_syscalls,
		      sizeof(*m->syscalls), by_time);
	return err;
}

void gn_syscalls_free(struct gn_syscalls *all)
{
	free(all->rows);
	gn_table_free(&all->by_key);
}
