/* SPDX-License-Identifier: BSD-2-Clause */
/* What is settled when a thread or its program ends. */
#include "model/threads.h"

#include <stdlib.h>

/* Returns the leaves without a frame that late probes explain: all or none. */
static uint64_t of_late(const struct gn_pipeline *p, const struct gn_thread *t)
{
	uint32_t program =
		t->closed ? t->program : p->processes[t->process].program;
	bool older = t->unmatched_since < p->stage.names.late[program];

	return older ? t->unmatched : 0;
}

uint64_t gn_thread_in_doubt(const struct gn_pipeline *p,
			    const struct gn_thread *t)
{
	return t->in_doubt + t->unmatched - of_late(p, t);
}

uint64_t gn_thread_settle_program(struct gn_pipeline *p, struct gn_thread *t,
				  uint64_t time)
{
	uint64_t *late = &p->stage.names.late[p->processes[t->process].program];
	uint64_t next = *late > time ? *late : 0;

	if (next)
		*late = 0;
	p->stage.checks.earlier_leaves += of_late(p, t);
	t->in_doubt = gn_thread_in_doubt(p, t);
	t->unmatched = t->unmatched_since = 0;
	return next;
}

void gn_thread_settle(struct gn_pipeline *p, const struct gn_thread *t)
{
	/* the threads of a row were settled one by one */
	if (!t->closed || t->merged)
		return;
	p->stage.checks.doubtful_threads +=
		gn_doubtful(gn_thread_in_doubt(p, t), t->entered);
	p->stage.checks.earlier_leaves += of_late(p, t);
}

void gn_thread_free(struct gn_thread *t)
{
	if (!t)
		return;
	gn_stacks_free(&t->stacks);
	gn_order_free(&t->order);
	gn_wait_list_free(&t->open);
	free(t->events);
	free(t->held);
	free(t);
}
