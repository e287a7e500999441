// SPDX-License-Identifier: BSD-2-Clause
/*
 * Merges ended threads beyond a limit into rows of their process, so that a
 * program that creates and ends threads all day needs no more memory for each.
 * A ghost keeps what may still be needed of a thread.
 *
 * A process has two such rows: idle threads stay apart, because outputs leave
 * them out of a sum.
 */
#include <stdlib.h>

#include "model/threads.h"

/* Threads that something refers to are not merged. Neither are first threads:
 * there are only as many as processes, and they describe those. */
static bool can_fold(const struct gn_pipeline *p, const struct gn_thread *t)
{
	const struct gn_process *proc = &p->processes[t->process];

	return t->closed && !t->merged && !t->in_events &&
	       t->tid != proc->pid && !gn_windows_owned(&proc->windows, t);
}

/* The thread becomes a row. What only applies to one thread is cleared. */
static void begin_row(struct gn_pipeline *p, struct gn_thread *t)
{
	t->in_doubt = gn_thread_in_doubt(p, t);
	t->unmatched = 0;
	t->kernel = (struct gn_kernel_account){0};
	t->merged = 1;
	t->span = t->end - t->start;
	t->tid = 0;
}

static void merge_account(struct gn_account *to, const struct gn_account *from)
{
	for (int c = 0; c < GN_CLASS_COUNT; c++) {
		to->classes[c] += from->classes[c];
		to->outside[c] += from->outside[c];
	}
	to->outside_elapsed += from->outside_elapsed;
	to->app += from->app;
	to->outside_app += from->outside_app;
	to->elapsed += from->elapsed;
	to->cost += from->cost;
	to->hook_waited += from->hook_waited;
	to->own_work += from->own_work;
	to->error += from->error;
	to->outside_error += from->outside_error;
	to->suspects += from->suspects;
}

static void merge(const struct gn_pipeline *p, struct gn_thread *to,
		  const struct gn_thread *t)
{
	merge_account(&to->account, &t->account);
	/* a row of helpers has helpers only */
	if (to->role != t->role)
		to->role = GN_ROLE_NONE;
	to->stacks.calls += t->stacks.calls;
	to->stacks.unwound += t->stacks.unwound;
	to->start = t->start < to->start ? t->start : to->start;
	to->end = t->end > to->end ? t->end : to->end;
	to->span += t->end - t->start;
	to->gaps += t->gaps;
	to->records += t->records;
	to->accepted += t->accepted;
	to->entered += t->entered;
	to->in_doubt += gn_thread_in_doubt(p, t);
	to->merged++;
}

/* Merges the thread into its process's row: frees it, sets *gone, and maps its
 * number to the row's in `into`. If there is no row yet, the thread becomes it.
 * 0 or -ENOMEM. */
static int fold(struct gn_pipeline *p, struct gn_thread *t,
		struct gn_table *into, bool *gone)
{
	const struct gn_account *a = &t->account;
	struct gn_process *proc = &p->processes[t->process];
	struct gn_thread **row =
		&proc->ended[gn_time_is_idle(a->classes, a->elapsed)];
	struct gn_ghost ghost = {.tid = t->tid,
				 .next = t->order.next,
				 .name = t->name,
				 .stopped = t->stopped,
				 .joined = t->joined,
				 .process = t->process};
	int err = gn_ghosts_add(&p->ghosts, &ghost);

	if (!err && *row && p->syscalls.n)
		err = gn_table_put(into, t->number, (*row)->number);
	if (err)
		return err;
	/* another thread may have the tid now */
	if (gn_table_get(&p->by_tid, t->tid) == t->index)
		gn_table_remove(&p->by_tid, t->tid);
	p->stage.checks.sched_errors += gn_kernel_differs(&t->kernel);
	gn_thread_settle(p, t);
	*gone = *row;
	if (*row) {
		merge(p, *row, t);
		gn_thread_free(t);
	} else {
		begin_row(p, t);
		*row = t;
	}
	return 0;
}

static void move(struct gn_pipeline *p, struct gn_thread *t, uint32_t to)
{
	if (!t->merged && gn_table_get(&p->by_tid, t->tid) == t->index)
		gn_table_change(&p->by_tid, t->tid, to);
	t->index = to;
	p->threads[to] = t;
}

/* The thread of the next record was just added, and is the last. */
int gn_threads_fold(struct gn_pipeline *p)
{
	uint32_t n = 0, ended = p->load.ended, most = p->opts.most_ended;
	struct gn_table into = {0};
	int err = 0;

	if (p->opts.live || ended <= p->fold_at)
		return 0;
	for (uint32_t i = 0; i < p->nthreads; i++) {
		struct gn_thread *t = p->threads[i];
		bool gone = false;

		/* fold many at once, so that the cost per thread is small */
		if (!err && ended > most / 2 && can_fold(p, t)) {
			err = fold(p, t, &into, &gone);
			ended -= !err;
		}
		if (!gone)
			move(p, t, n++);
	}
	if (!err && into.used)
		err = gn_syscalls_fold(&p->syscalls, &into);
	gn_table_free(&into);
	p->nthreads = n;
	p->last_thread = n - 1;
	p->load.ended = ended;
	p->fold_at = ended + most - most / 2;
	return err;
}
