// SPDX-License-Identifier: BSD-2-Clause
/*
 * Mutes functions that will have no more records. Their open frames end, and
 * the frames above continue as if called by the frame below. The function at
 * the end of an interval owns all of it, so feed MUTE records right after the
 * end of a period.
 */
#include "model/threads.h"

#include <errno.h>

/* Threads and frames that MUTE records may visit: a fixed number, plus some for
 * each record of the trace. */
#define MUTE_MIN  (1ull << 28)
#define MUTE_EACH 256

/* The frame at `at` was removed: activities above it are one frame less
 * deep. */
static void lower_nests(struct gn_account *a, uint64_t stack, uint32_t at)
{
	uint32_t i;

	for (i = 0; i < a->nnest; i++)
		if (a->nest[i].stack == stack && a->nest[i].depth > at)
			a->nest[i].depth--;
}

static void drop_pending(struct gn_stack *k, uint32_t func)
{
	uint32_t i, n = 0;

	for (i = 0; i < k->npending; i++)
		if (k->pending[i].func != func)
			k->pending[n++] = k->pending[i];
	k->npending = n;
}

static int mute_stack(struct gn_pipeline *p, struct gn_thread *t,
		      struct gn_stack *k, uint32_t func)
{
	uint32_t i, n = 0, first = GN_NONE;

	p->mute_steps += k->n + k->npending;
	drop_pending(k, func);
	for (i = 0; i < k->n; i++) {
		if (k->frames[i].func != func) {
			k->frames[n++] = k->frames[i];
			continue;
		}
		lower_nests(&t->account, k->id, n);
		if (first == GN_NONE)
			first = n;
	}
	k->n = n;
	if (first == GN_NONE)
		return 0;
	return gn_thread_no_room(
		p, t, gn_stack_hang(&t->stacks, &p->stage, k, first));
}

static int mute_thread(struct gn_pipeline *p, struct gn_thread *t,
		       uint32_t func)
{
	struct gn_stacks *st = &t->stacks;
	struct gn_stack *k;
	uint32_t i;
	int err = 0;

	p->mute_steps += st->nunwinds;
	gn_parked_forget(st, &p->stage);
	for (i = 0; i < st->nunwinds; i++)
		st->unwinds[i].muted |= st->unwinds[i].func == func;
	for (i = 0; (k = gn_stacks_at(st, i)); i++)
		err |= mute_stack(p, t, k, func);
	return err;
}

static int mute_in(struct gn_pipeline *p, uint32_t program, uint32_t func)
{
	int err = gn_names_mute(&p->stage.names, program, func);

	return err == -ENOSPC ? 0 : err; /* it never had a record */
}

/* Only a hostile record would take longer than this limit. It counts as
 * lost. */
static bool is_too_much(struct gn_pipeline *p)
{
	if (p->mute_steps <= MUTE_MIN + p->records * MUTE_EACH)
		return false;
	p->lost++;
	return true;
}

/* Mutes the function in a process; pid 0: in all that have it. */
static int mute_names(struct gn_pipeline *p, uint32_t func, uint32_t pid)
{
	uint32_t i = gn_table_get(&p->by_pid, pid);
	int err = 0;

	if (pid)
		return i != GN_NONE && p->processes[i].live
			       ? mute_in(p, p->processes[i].program, func)
			       : 0;
	p->mute_steps += p->nprocesses;
	for (i = 0; i < p->nprocesses; i++)
		if (p->processes[i].live)
			err |= mute_in(p, p->processes[i].program, func);
	return err;
}

int gn_mute_take(struct gn_pipeline *p, const struct gn_rec_mute *r)
{
	bool native = GN_FUNC_RUNTIME(r->func) == GN_RUNTIME_NATIVE;
	uint32_t i;
	int err;

	if (is_too_much(p))
		return 0;
	err = native ? mute_in(p, 0, r->func) : mute_names(p, r->func, r->pid);
	p->mute_steps += p->nthreads;
	for (i = 0; i < p->nthreads; i++) {
		struct gn_thread *t = p->threads[i];

		if (native || !r->pid || p->processes[t->process].pid == r->pid)
			err |= mute_thread(p, t, r->func);
	}
	return err ? -ENOMEM : 0;
}
