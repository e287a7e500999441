// SPDX-License-Identifier: BSD-2-Clause
/*
 * Functions that are muted, so that no more records of them come. Their open
 * frames end; the frames above go on as called by the frame below. An open
 * interval belongs to the function at its end, so a MUTE record is best fed
 * when a period has just ended.
 */
#include "model/threads.h"

#include <errno.h>

/* The frame at `at` is removed: activities above it are one frame less deep. */
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

	gn_parked_forget(st, &p->stage);
	for (i = 0; i < st->nunwinds; i++)
		st->unwinds[i].muted |= st->unwinds[i].func == func;
	for (i = 0; (k = gn_stacks_at(st, i)); i++)
		err |= mute_stack(p, t, k, func);
	return err;
}

static int mute_in(struct gn_pipeline *p, uint32_t program, uint32_t func)
{
	bool native = GN_FUNC_RUNTIME(func) == GN_RUNTIME_NATIVE;
	uint32_t i;
	int err;

	err = gn_names_mute(&p->stage.names, program, func);
	if (err == -ENOSPC)
		return 0; /* no record of it ever came */
	for (i = 0; i < p->nthreads; i++) {
		struct gn_thread *t = p->threads[i];

		if (native || p->processes[t->process].program == program)
			err |= mute_thread(p, t, func);
	}
	return err;
}

int gn_mute_take(struct gn_pipeline *p, const struct gn_rec_mute *r)
{
	uint32_t i;
	int err = 0;

	if (GN_FUNC_RUNTIME(r->func) == GN_RUNTIME_NATIVE)
		return mute_in(p, 0, r->func) ? -ENOMEM : 0;
	for (i = 0; i < p->nprocesses; i++) {
		const struct gn_process *proc = &p->processes[i];

		if (proc->live && (!r->pid || proc->pid == r->pid))
			err |= mute_in(p, proc->program, r->func);
	}
	return err ? -ENOMEM : 0;
}
