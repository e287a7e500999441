/* SPDX-License-Identifier: BSD-2-Clause */
/* What the loss of records does to the state of a thread. */
#include <errno.h>

#include "model/take.h"
#include "model/walk.h"

/* Marks the open interval as a gap if the number of a collect or note record
 * shows losses. */
void gn_take_loss(struct gn_pipeline *p, struct gn_thread *t,
		  const struct gn_order_seen *seen)
{
	if (!seen->lost)
		return;
	p->lost += seen->lost;
	gn_walk_drop_held(t);
	gn_events_lost(p, t);
	t->native.is = false; /* the return may be lost */
	p->processes[t->process].lost = true;
	if (!t->account.gap)
		t->gaps++;
	t->account.gap = true;
}

int gn_thread_no_room(struct gn_pipeline *p, struct gn_thread *t, int err)
{
	if (err != -ENOSPC)
		return err;
	gn_take_loss(p, t, &(struct gn_order_seen){.lost = 1});
	return 0;
}

void gn_thread_gap(struct gn_pipeline *p, struct gn_thread *t, uint64_t end)
{
	struct gn_process *proc = &p->processes[t->process];
	uint64_t since = t->account.since;

	gn_walk_gap(p, t, since, end);
	gn_account_forget(&t->account);
	gn_windows_end(&proc->windows, t, since, true);
	if (proc->collecting)
		gn_collecting_lose(proc->collecting, t->number);
	gn_walk_at(p, t, since);
	gn_walk_activities(p, t, 0);
}
