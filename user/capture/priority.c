/* SPDX-License-Identifier: BSD-2-Clause */
#include "capture/priority.h"

#include <sched.h>
#include <sys/resource.h>

#define CALM_NS 1000000000u

void gn_priority_init(struct gn_priority *p)
{
	p->policy = sched_getscheduler(0);
	p->nice = getpriority(PRIO_PROCESS, 0);
}

/* The kernel can schedule sessions of terminals as groups (autogroup): between
 * two of them a nice value says nothing, real time does. It may be refused
 * (control groups with a real-time budget), the nice value then helps. */
static void raise_it(void)
{
	const struct sched_param lowest = {.sched_priority = 1};

	if (sched_setscheduler(0, SCHED_RR, &lowest))
		setpriority(PRIO_PROCESS, 0, -20);
}

static void lower_it(const struct gn_priority *p)
{
	const struct sched_param none = {.sched_priority = 0};

	sched_setscheduler(0, SCHED_OTHER, &none);
	setpriority(PRIO_PROCESS, 0, p->nice);
}

void gn_priority_follow(struct gn_priority *p, bool behind, uint64_t now)
{
	/* one who was started with a priority of his own keeps it */
	if (p->policy != SCHED_OTHER)
		return;
	if (behind) {
		p->behind = now;
		if (!p->raised)
			raise_it();
		p->raised = true;
	} else if (p->raised && now - p->behind > CALM_NS) {
		lower_it(p);
		p->raised = false;
	}
}
