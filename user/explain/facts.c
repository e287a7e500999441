/* SPDX-License-Identifier: BSD-2-Clause */
#include "explain/facts.h"

#include <stdbool.h>

#include "output/busy.h"
#include "output/classes.h"
#include "output/header.h"

/* Leaves out the waits of a thread that has nothing to do or waits for others'
 * work: events, event loops, children, a suspension. */
static uint64_t busy_of(const uint64_t classes[GN_CLASS_COUNT], bool halted)
{
	return gn_class_cpu_ns(classes) + classes[GN_CLASS_RUNQUEUE] +
	       classes[GN_CLASS_DISK] + classes[GN_CLASS_LOCK] +
	       classes[GN_CLASS_NET] + classes[GN_CLASS_IPC] +
	       classes[GN_CLASS_SLEEP] + (halted ? 0 : classes[GN_CLASS_OTHER]);
}

/* A thread that waits for a connection has nothing to do. Of a wait that was
 * for gnomon, too, only a part is in the classes. */
static uint64_t accepted_of(const struct gn_model_thread *t)
{
	uint64_t net = t->classes[GN_CLASS_NET];

	return t->accepted < net ? t->accepted : net;
}

/* Whether the program wanted no more CPUs than it may run on, and had at most
 * half of them. Its control group did not hold it up, as far as is known. */
static bool is_crowded(const struct gn_facts *f)
{
	uint64_t own = f->cpu + f->m->probe_cost;
	uint64_t allowed, milli, throttled = 0;

	if (!gn_info_number(f->m, "cpus.throttled", &throttled) &&
	    gn_info_number(f->m, "cpus.milli", &milli))
		return false;
	return !throttled && gn_info_number(f->m, "cpus.allowed", &allowed) &&
	       own <= f->wall * allowed / 2 &&
	       own + f->classes[GN_CLASS_RUNQUEUE] <= f->wall * allowed;
}

int gn_facts_of(const struct gn_model *m, struct gn_facts *out)
{
	struct gn_wait_sum answers;
	int err = gn_wait_sum_answers(m, &answers);
	bool halted;

	*out = (struct gn_facts){
		.m = m,
		.classes = m->session.class_incl,
		.wall = gn_wall_of(m),
		.answers = answers.ns,
	};
	for (size_t i = 0; i < m->nwaits; i++)
		if (gn_waits_for_collection(&m->waits[i]))
			out->collected += m->waits[i].ns;
	out->halted = gn_halted_ns(m, &out->halted_by);
	/* a thread that is stopped is not busy; which part of its other waits
	 * that is, is not known */
	halted = out->halted > out->classes[GN_CLASS_OTHER] / 2;
	for (size_t i = 0; i < m->nthreads; i++) {
		const struct gn_model_thread *t = &m->threads[i];
		uint64_t busy = busy_of(t->classes, halted) - accepted_of(t);

		out->cpu += gn_class_cpu_ns(t->classes);
		if (gn_thread_idle(t))
			continue;
		/* it sleeps between its work, or reads what says when there is
		 * some */
		if (t->helper)
			busy -= t->classes[GN_CLASS_SLEEP] +
				t->classes[GN_CLASS_IPC] +
				(halted ? 0 : t->classes[GN_CLASS_OTHER]);
		out->busy += busy;
		out->ready += t->classes[GN_CLASS_RUNQUEUE];
		for (int c = 0; c < GN_CLASS_COUNT && !t->helper; c++)
			out->waits[c] +=
				t->classes[c] -
				(c == GN_CLASS_NET ? accepted_of(t) : 0);
		if (!t->merged && (!out->worker || busy > out->worker_busy)) {
			out->worker = t;
			out->worker_busy = busy;
		}
	}
	out->crowded = is_crowded(out);
	if (out->crowded) {
		out->busy -= out->ready;
		out->ready = 0;
	}
	if (out->worker)
		out->others_cpu =
			out->cpu - gn_class_cpu_ns(out->worker->classes);
	return err ? err : gn_task_waits(m, &out->tasks);
}
