// SPDX-License-Identifier: BSD-2-Clause
#include "model/syscalls.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "model/mem.h"

/* The row of a number. NULL: no memory. */
static struct gn_model_syscall *row_of(struct gn_syscalls *all, uint16_t nr)
{
	uint32_t i = gn_table_get(&all->by_nr, nr);

	if (i != GN_NONE)
		return &all->rows[i];
	if (gn_grow(&all->rows, &all->cap, (size_t)all->n + 1,
		    sizeof(*all->rows)) ||
	    gn_table_put(&all->by_nr, nr, all->n))
		return NULL;
	all->rows[all->n] = (struct gn_model_syscall){.nr = nr};
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
}

int gn_syscalls_take(struct gn_syscalls *all, struct gn_syscall_open *open,
		     const struct gn_rec_slice *s)
{
	struct gn_model_syscall *row;

	if (s->class != GN_CLASS_SYSCALL) {
		if (open->is && s->start >= open->since &&
		    !gn_class_on_cpu(s->class))
			open->off += s->h.time - s->start;
		return 0;
	}
	row = row_of(all, s->reason);
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

static int by_time(const void *left, const void *right)
{
	const struct gn_model_syscall *a = left, *b = right;

	if (a->cpu + a->off != b->cpu + b->off)
		return a->cpu + a->off < b->cpu + b->off ? 1 : -1;
	return a->nr < b->nr ? -1 : a->nr > b->nr;
}

int gn_syscalls_build(const struct gn_syscalls *all, struct gn_model *m)
{
	m->syscalls = calloc((size_t)all->n + 1, sizeof(*m->syscalls));
	if (!m->syscalls)
		return -ENOMEM;
	m->nsyscalls = all->n;
	if (!all->n)
		return 0;
	memcpy(m->syscalls, all->rows, all->n * sizeof(*m->syscalls));
	qsort(m->syscalls, m->nsyscalls, sizeof(*m->syscalls), by_time);
	return 0;
}

void gn_syscalls_free(struct gn_syscalls *all)
{
	free(all->rows);
	gn_table_free(&all->by_nr);
}
