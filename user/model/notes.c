// SPDX-License-Identifier: BSD-2-Clause
/* Takes records that end no interval, and records from user space. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "model/mem.h"
#include <gnomon/machine_state.h>
#include "model/probecost.h"
#include "model/take.h"
#include "model/walk.h"

/* The i-th text of the record. It has no NUL at its end. */
static const char *text_at(const struct gn_rec_text *r, int i)
{
	return r->text + (i ? r->len[0] : 0);
}

static const char *add_text(struct gn_pipeline *p, const struct gn_rec_text *r,
			    int i)
{
	return gn_pool_add(&p->stage.names.pool, text_at(r, i), r->len[i]);
}

static uint8_t probe_class(unsigned int class)
{
	return class < GN_PROBE_CLASS_COUNT ? (uint8_t) class : GN_PROBE_NONE;
}

static int define(struct gn_pipeline *p, const struct gn_thread *t,
		  const struct gn_rec_text *r)
{
	struct gn_names *names = &p->stage.names;
	struct gn_fn def = {.func = r->id};
	uint32_t i;

	if (names->most_texts && names->pool.size >= names->most_texts &&
	    r->h.kind == GN_KIND_NAME)
		return -ENOSPC;
	def.name = add_text(p, r, 0);
	if (!def.name)
		return -ENOMEM;
	if (p->opts.roles.of_function)
		def.role = (uint8_t)p->opts.roles.of_function(
			GN_FUNC_RUNTIME(r->id), def.name);
	if (r->h.kind == GN_KIND_FUNCTION) {
		def.module_id = r->ref;
		def.clr_name = r->h.flags & GN_F_CLR_NAME;
		def.leave_return = r->h.flags & GN_F_LEAVE_RETURN;
		def.enter_class = probe_class(GN_F_ENTER_CLASS(r->h.flags));
		def.leave_class = probe_class(GN_F_LEAVE_CLASS(r->h.flags));
		return gn_names_define(names, &def);
	}
	def.suspends = r->h.key & GN_NAME_SUSPENDS;
	names->any_suspends |= def.suspends;
	def.module = add_text(p, r, 1);
	if (!def.module)
		return -ENOMEM;
	i = r->ref ? gn_table_get(&p->by_pid, r->ref) : GN_NONE;
	if (i == GN_NONE)
		i = t->process;
	def.program = p->processes[i].program;
	return gn_names_define(names, &def);
}

static int take_name(struct gn_pipeline *p, struct gn_thread *t,
		     const struct gn_rec_text *r)
{
	int err = define(p, t, r);

	p->sweep.refused += err == -ENOSPC;
	return gn_thread_no_room(p, t, err);
}

/* The trace of the thread starts at `time`; what came before does not count. */
static void start_thread(struct gn_thread *t, uint64_t time)
{
	bool gap = t->account.gap;

	t->start = time;
	t->order.time = time;
	gn_account_start(&t->account, time);
	t->account.gap = gap;
	t->open.n = 0;
}

/* Whether some frames of the current stack have numbers: what they call belongs
 * there, whatever stack the thread is on (fibers of Ruby). */
static bool has_numbered(const struct gn_stacks *st)
{
	const struct gn_stack *k = gn_stacks_current(st);
	uint32_t i = k->n;

	while (i && !(k->frames[i - 1].flags & GN_FRAME_NUMBERED))
		i--;
	return i;
}

int gn_take_note(struct gn_pipeline *p, struct gn_thread *t,
		 const struct gn_rec *rec)
{
	struct gn_order_seen seen = gn_order_note(&t->order, rec);
	const struct gn_rec_thread *thread = (const void *)rec;
	const struct gn_rec_stack *stack = (const void *)rec;
	int err;

	gn_take_reversal(p, &seen);
	if (seen.drop)
		return 0;
	gn_take_time(p, t, rec->time);
	gn_take_loss(p, t, &seen);
	switch (rec->kind) {
	case GN_KIND_THREAD:
		if (t->account.no_start)
			start_thread(t, rec->time);
		err = gn_thread_set_pid(p, t, thread->pid);
		return err ? err : gn_thread_set_name(p, t, thread->comm, true);
	case GN_KIND_RENAME:
		return gn_thread_set_name(p, t, thread->comm, false);
	case GN_KIND_OS_NS:
		gn_account_os_note(&t->account,
				   ((const struct gn_rec_os_ns *)rec)->ns);
		return 0;
	case GN_KIND_STACK:
		gn_walk_at(p, t, rec->time);
		if (has_numbered(&t->stacks))
			return 0;
		return gn_stacks_switch(&t->stacks, &p->stage, stack->lo,
					stack->hi,
					rec->flags & GN_F_SIGNAL_STACK);
	case GN_KIND_VALUE:
		gn_walk_value(p, t, (const void *)rec);
		return 0;
	case GN_KIND_NAME:
		return take_name(p, t, (const void *)rec);
	case GN_KIND_WAKE:
		gn_slices_wake(p, t, rec->time, rec->key);
		return 0;
	case GN_KIND_KERNEL:
		gn_kernel_take(t, (const void *)rec);
		return 0;
	case GN_KIND_RUNTIME:
		gn_walk_at(p, t, rec->time);
		return gn_events_started(p, t, thread);
	case GN_KIND_EVENT:
		gn_walk_at(p, t, rec->time);
		gn_cost_event(p, t, (const void *)rec);
		return gn_thread_no_room(
			p, t, gn_events_take(p, t, (const void *)rec));
	case GN_KIND_SCHED:
		gn_kernel_take_old(t, (const void *)rec);
		return 0;
	default:
		if (GN_KIND_IS_OF_CODE(rec->kind))
			return gn_code_take(p, t, (const void *)rec);
		return 0;
	}
}

/* Waits that began before this are known to be of the attach only now. */
static void note_attached(struct gn_pipeline *p, const char *ns)
{
	p->attached = p->start + strtoull(ns, NULL, 10);
	gn_wait_rows_attach(p->waits.rows, p->waits.n);
	for (uint32_t i = 0; i < p->nthreads; i++)
		gn_wait_rows_attach(p->threads[i]->open.rows,
				    p->threads[i]->open.n);
}

static int add_info(struct gn_pipeline *p, const struct gn_rec_text *r)
{
	struct gn_model_info info;
	int err;

	err = gn_grow(&p->info, &p->info_cap, (size_t)p->ninfo + 1,
		      sizeof(*p->info));
	if (err)
		return err;
	info.key = add_text(p, r, 0);
	info.value = add_text(p, r, 1);
	if (!info.key || !info.value)
		return -ENOMEM;
	p->info[p->ninfo++] = info;
	if (!strcmp(info.key, "attached_ns") && p->has_session)
		note_attached(p, info.value);
	return 0;
}

static int take_module(struct gn_pipeline *p, const struct gn_rec_text *r)
{
	struct gn_module module = {
		.name = add_text(p, r, 0),
		.moves_stacks = r->h.flags & GN_F_MOVES_STACKS,
	};

	return module.name ? gn_names_module(&p->stage.names, r->id, &module)
			   : -ENOMEM;
}

static int take_source(struct gn_pipeline *p, const struct gn_rec_text *r)
{
	uint32_t i = gn_table_get(&p->by_pid, r->ref);
	const char *file;

	if (i == GN_NONE || !r->len[0] || !r->h.key || r->h.key > UINT32_MAX)
		return 0;
	file = add_text(p, r, 0);
	if (!file)
		return -ENOMEM;
	gn_names_source(&p->stage.names, p->processes[i].program, r->id, file,
			(uint32_t)r->h.key);
	return 0;
}

static int take_line(struct gn_pipeline *p, const struct gn_rec_line *r)
{
	uint32_t i = gn_table_get(&p->by_pid, r->pid), fn;
	int err;

	if (i == GN_NONE || p->opts.live)
		return 0;
	err = gn_names_find(&p->stage.names, p->processes[i].program, r->func,
			    &fn);
	return err == -ENOSPC ? 0
	       : err	      ? err
		     : gn_async_line(&p->asyncs, fn, r->state, r->line);
}

int gn_take_user(struct gn_pipeline *p, const struct gn_rec *rec)
{
	const struct gn_rec_session *session = (const void *)rec;
	const struct gn_rec_text *text = (const void *)rec;
	const struct gn_rec_count *count = (const void *)rec;
	const struct gn_rec_unprobed *unprobed = (const void *)rec;
	const char *name;

	switch (rec->kind) {
	case GN_KIND_INFO:
		return add_info(p, text);
	case GN_KIND_MODULE:
		return take_module(p, text);
	case GN_KIND_FUNCTION:
		return define(p, NULL, text);
	case GN_KIND_SOURCE:
		return take_source(p, text);
	case GN_KIND_AWAIT_LINE:
		return take_line(p, (const void *)rec);
	case GN_KIND_COUNT:
		if (count->id < GN_COUNTER_COUNT)
			p->counters[count->id] += count->count;
		return 0;
	case GN_KIND_COST:
		gn_cost_take(p, (const void *)rec);
		return 0;
	case GN_KIND_MUTE:
		return gn_mute_take(p, (const void *)rec);
	case GN_KIND_UNPROBED:
		name = gn_names_unprobed(&p->stage.names, unprobed->module);
		if (rec->flags & GN_F_BY_PATH)
			p->by_path = name;
		gn_process_late(p, unprobed->pid, rec->time);
		return 0;
	case GN_KIND_SESSION:
		p->has_session = true;
		if (!p->periods)
			p->start = rec->time;
		if (session->end)
			p->end = session->end;
		return 0;
	default:
		return 0;
	}
}
