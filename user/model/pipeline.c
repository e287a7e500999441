// SPDX-License-Identifier: BSD-2-Clause
#include "model/pipeline.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "model/mem.h"
#include "model/sweep.h"
#include "model/walk.h"

static void bound(struct gn_pipeline *p)
{
	p->stage.most_frames = GN_LIVE_FRAMES;
	p->stage.tree.most = GN_LIVE_NODES;
	p->stage.names.most_fns = GN_LIVE_FUNCTIONS;
	p->stage.names.most_texts = GN_LIVE_TEXTS;
}

struct gn_pipeline *gn_pipeline_new(const struct gn_pipeline_opts *opts)
{
	struct gn_pipeline *p = calloc(1, sizeof(*p));

	if (!p)
		return NULL;
	p->opts = *opts;
	p->stage.walk.to = opts->live ? NULL : opts->observer;
	gn_sweep_init(p);
	if (gn_names_init(&p->stage.names) || gn_tree_init(&p->stage.tree)) {
		gn_pipeline_free(p);
		return NULL;
	}
	if (opts->live)
		bound(p);
	return p;
}

void gn_pipeline_classify(struct gn_pipeline *p, enum gn_classify classify)
{
	p->opts.classify = classify;
}

void gn_pipeline_free(struct gn_pipeline *p)
{
	uint32_t i;

	if (!p)
		return;
	for (i = 0; i < p->nthreads; i++)
		gn_thread_free(p->threads[i]);
	for (i = 0; i < p->nprocesses; i++)
		gn_windows_free(&p->processes[i].windows);
	free(p->threads);
	free(p->processes);
	free(p->info);
	gn_table_free(&p->by_tid);
	gn_table_free(&p->by_pid);
	gn_tree_free(&p->stage.tree);
	gn_names_free(&p->stage.names);
	gn_waits_free(&p->waits);
	gn_shares_free(&p->shares);
	gn_ghosts_free(&p->ghosts);
	free(p);
}

static void saw_time(struct gn_pipeline *p, struct gn_thread *t, uint64_t time)
{
	t->records++;
	if (time > t->last)
		t->last = time;
	if (time > p->last)
		p->last = time;
}

static void note_reversal(struct gn_pipeline *p,
			  const struct gn_order_seen *seen)
{
	if (seen->reversed)
		p->stage.checks.time_reversals++;
}

/* What a collect's or note's number says of the interval that is open. */
static void note_loss(struct gn_pipeline *p, struct gn_thread *t,
		      const struct gn_order_seen *seen)
{
	if (!seen->lost)
		return;
	p->lost += seen->lost;
	if (!t->account.gap)
		t->gaps++;
	t->account.gap = true;
}

static int take_slice(struct gn_pipeline *p, struct gn_thread *t,
		      const struct gn_rec_slice *s)
{
	struct gn_order_seen seen = gn_order_slice(&t->order, &s->h);

	note_reversal(p, &seen);
	if (seen.drop)
		return 0;
	saw_time(p, t, s->h.time);
	p->lost += seen.lost;
	gn_account_slice_seen(&t->account, seen.lost, &p->stage.checks);
	return gn_order_hold(&t->order, s) ? 0 : gn_slice_put(p, t, s);
}

int gn_thread_no_room(struct gn_pipeline *p, struct gn_thread *t, int err)
{
	if (err != -ENOSPC)
		return err;
	note_loss(p, t, &(struct gn_order_seen){.lost = 1});
	return 0;
}

static int enter(struct gn_pipeline *p, struct gn_thread *t,
		 const struct gn_rec_func *r, uint32_t program)
{
	uint32_t fn;
	int err;

	err = gn_names_find(&p->stage.names, program, r->func, &fn);
	if (!err)
		err = gn_stacks_enter(&t->stacks, &p->stage, r->h.key, r->func,
				      fn);
	if (err || !p->opts.live)
		return err;
	return gn_shares_call(&p->shares, t->index, fn);
}

/* Frames of before a thread was traced leave when there is no other. */
static bool explained(const struct gn_thread *t)
{
	return t->gaps || t->lossy || (t->joined && !t->stacks.active->n);
}

static void leave(struct gn_pipeline *p, struct gn_thread *t,
		  const struct gn_rec_func *r)
{
	uint64_t before = p->stage.checks.unmatched_leaves;
	bool fine = explained(t);

	gn_stacks_leave(&t->stacks, &p->stage, r->h.key, r->func,
			r->h.kind == GN_KIND_TAILCALL);
	if (p->stage.checks.unmatched_leaves != before && !fine)
		t->in_doubt++;
}

/* The stack events of a record whose interval has been closed. */
static int apply_stack(struct gn_pipeline *p, struct gn_thread *t,
		       const struct gn_rec_func *r)
{
	uint32_t program = p->processes[t->process].program;
	struct gn_stacks *st = &t->stacks;
	bool muted = gn_names_muted(&p->stage.names, program, r->func);

	/* its records that were on their way; an unwind has two */
	if (muted && r->h.kind != GN_KIND_UNWIND_BEGIN &&
	    r->h.kind != GN_KIND_UNWIND_END)
		return 0;
	switch (r->h.kind) {
	case GN_KIND_ENTER:
		t->entered++;
		return gn_thread_no_room(p, t, enter(p, t, r, program));
	case GN_KIND_LEAVE:
	case GN_KIND_TAILCALL:
		leave(p, t, r);
		return 0;
	case GN_KIND_UNWIND_BEGIN:
		return gn_stacks_unwind_begin(st, r->func, muted);
	case GN_KIND_UNWIND_END:
		return gn_thread_no_room(
			p, t, gn_stacks_unwind_end(st, &p->stage, r->func));
	default:
		return 0;
	}
}

static int apply_nest(struct gn_pipeline *p, struct gn_thread *t,
		      const struct gn_rec_func *r)
{
	const struct gn_stack *k = t->stacks.active;
	struct gn_account *a = &t->account;

	if (a->nnest)
		gn_account_heal(a, k->id, k->n);
	gn_walk_activities(p, t, 0);
	switch (r->h.kind) {
	case GN_KIND_JIT_BEGIN:
		gn_account_begin(a, GN_CLASS_JIT, k->id, k->n);
		break;
	case GN_KIND_GC_BEGIN:
		gn_account_begin(a, GN_CLASS_GC, k->id, k->n);
		break;
	case GN_KIND_JIT_END:
		p->code.compiled++;
		gn_account_end(a, GN_CLASS_JIT);
		break;
	case GN_KIND_GC_END:
		gn_account_end(a, GN_CLASS_GC);
		break;
	default:
		break;
	}
	gn_walk_activities(p, t, r->func);
	return p->opts.live ? gn_live_nest(p, t, r) : 0;
}

/* The thread suspends the others of its process; its own time is what it is. */
static int apply_suspend(struct gn_pipeline *p, struct gn_thread *t,
			 enum gn_kind kind, uint64_t time)
{
	struct gn_windows *ws = &p->processes[t->process].windows;

	if (kind == GN_KIND_SUSPEND_BEGIN)
		return gn_windows_begin(ws, t, time);
	if (kind == GN_KIND_SUSPEND_END || kind == GN_KIND_EXEC)
		gn_windows_end(ws, t, time, kind == GN_KIND_EXEC);
	return 0;
}

static int apply_exec(struct gn_pipeline *p, struct gn_thread *t,
		      const struct gn_rec_thread *r)
{
	struct gn_process *proc;
	int err;

	err = gn_stacks_restart(&t->stacks, &p->stage);
	if (err)
		return err;
	t->account.nnest = t->account.nest_over = 0;
	err = gn_thread_set_pid(p, t, r->pid);
	if (err)
		return err;
	proc = &p->processes[t->process];
	err = gn_names_program(&p->stage.names, 0, &proc->program);
	if (err)
		return err;
	return gn_thread_set_name(p, t, r->comm, true);
}

static void stop_thread(struct gn_pipeline *p, struct gn_thread *t,
			uint64_t time)
{
	gn_thread_close(p, t, time, GN_END_OPEN);
	t->stopped = true;
}

/* Where what is owed by the owner of the open interval is kept. */
static uint64_t *owed_by(struct gn_pipeline *p, const struct gn_thread *t)
{
	const struct gn_node *n =
		&p->stage.tree.nodes[gn_stacks_owner(&t->stacks)];

	return n->process ? &p->processes[n->fn].owed
			  : &p->stage.names.fns[n->fn].owed;
}

/* Closes the open interval. */
static void close_interval(struct gn_pipeline *p, struct gn_thread *t,
			   struct gn_ending *e, struct gn_interval *iv)
{
	uint64_t *owed = owed_by(p, t);

	e->owed = *owed;
	gn_account_close(&t->account, e, iv, &p->stage.checks);
	p->owed += iv->owed - *owed;
	*owed = iv->owed;
}

static int take_collect(struct gn_pipeline *p, struct gn_thread *t,
			const struct gn_rec_func *r)
{
	struct gn_order_seen seen = gn_order_collect(&t->order, &r->h);
	struct gn_ending ending = {
		.time = seen.time,
		.os_ns = r->os_ns,
		.os_event = r->h.flags & GN_F_OS_EVENT,
		.classify = p->opts.classify,
	};
	uint64_t since = t->account.since;
	struct gn_interval iv;
	int err;

	note_reversal(p, &seen);
	if (seen.drop)
		return 0;
	saw_time(p, t, seen.time);
	note_loss(p, t, &seen);
	gn_walk_at(p, t, seen.time);
	err = gn_slices_release(p, t, seen.time);
	if (t->account.gap)
		gn_walk_gap(p, t, since, seen.time);
	gn_cost_note(p, t, r, &ending);
	t->in_doubt += !!(r->h.flags & GN_F_IN_DOUBT);
	close_interval(p, t, &ending, &iv);
	err |= gn_thread_charge(p, t, &iv, false);
	err |= gn_slices_release(p, t, UINT64_MAX);
	/* the end of a suspension may be among what was lost */
	if (iv.gap)
		gn_windows_end(&p->processes[t->process].windows, t, since,
			       true);
	err |= apply_suspend(p, t, r->h.kind, seen.time);
	if (r->h.kind <= GN_KIND_UNWIND_END)
		err |= apply_stack(p, t, r);
	else if (r->h.kind == GN_KIND_EXEC)
		err |= apply_exec(p, t, (const void *)r);
	if (r->h.kind == GN_KIND_EXIT)
		gn_thread_close(p, t, t->account.since,
				r->h.flags & GN_F_PROCESS_ENDS
					? GN_END_OPEN
					: GN_END_UNWOUND);
	else if (r->h.kind == GN_KIND_STOP)
		stop_thread(p, t, t->account.since);
	else
		err |= apply_nest(p, t, r);
	return err ? -ENOMEM : 0;
}

/* Texts have no NULs, and lie in the record. */
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
		def.leave_return = r->h.flags & GN_F_LEAVE_RETURN;
		def.enter_class = probe_class(GN_F_ENTER_CLASS(r->h.flags));
		def.leave_class = probe_class(GN_F_LEAVE_CLASS(r->h.flags));
		return gn_names_define(names, &def);
	}
	def.module = add_text(p, r, 1);
	if (!def.module)
		return -ENOMEM;
	i = r->ref ? gn_table_get(&p->by_pid, r->ref) : GN_NONE;
	if (i == GN_NONE)
		i = t->process;
	def.program = p->processes[i].program;
	return gn_names_define(names, &def);
}

/* The thread is traced from `time` on; what came before counts nothing. */
static void start_thread(struct gn_thread *t, uint64_t time)
{
	bool gap = t->account.gap;

	t->start = time;
	t->order.time = time;
	gn_account_start(&t->account, time);
	t->account.gap = gap;
	t->open.n = 0;
}

static int take_note(struct gn_pipeline *p, struct gn_thread *t,
		     const struct gn_rec *rec)
{
	struct gn_order_seen seen = gn_order_note(&t->order, rec);
	const struct gn_rec_thread *thread = (const void *)rec;
	const struct gn_rec_stack *stack = (const void *)rec;
	int err;

	note_reversal(p, &seen);
	if (seen.drop)
		return 0;
	saw_time(p, t, rec->time);
	note_loss(p, t, &seen);
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
		return gn_stacks_switch(&t->stacks, &p->stage, stack->lo,
					stack->hi);
	case GN_KIND_NAME:
		return gn_thread_no_room(p, t, define(p, t, (const void *)rec));
	case GN_KIND_WAKE:
		gn_slices_wake(p, t, rec->time, rec->key);
		return 0;
	case GN_KIND_KERNEL:
		gn_kernel_take(t, (const void *)rec);
		return 0;
	case GN_KIND_SCHED:
		gn_kernel_take_old(t, (const void *)rec);
		return 0;
	default:
		if (GN_KIND_IS_OF_CODE(rec->kind))
			return gn_code_take(p, t, (const void *)rec);
		return 0;
	}
}

/* Ends a thread that said nothing of its end. */
static int cut(struct gn_pipeline *p, struct gn_thread *t, uint64_t end,
	       enum gn_frame_end how)
{
	struct gn_interval iv;
	int err;

	err = gn_slices_release(p, t, UINT64_MAX);
	gn_walk_gap(p, t, t->account.since, end);
	gn_account_cut(&t->account, end, p->opts.classify, &iv);
	err |= gn_thread_charge(p, t, &iv, false);
	gn_thread_close(p, t, end, how);
	return err ? -ENOMEM : 0;
}

static uint64_t end_of(const struct gn_thread *t, uint64_t session_end)
{
	uint64_t end = session_end > t->last ? session_end : t->last;

	return end > t->account.since ? end : t->account.since;
}

int gn_thread_lose_end(struct gn_pipeline *p, struct gn_thread *t)
{
	t->gaps++;
	t->account.gap = true;
	p->lost++;
	return cut(p, t, end_of(t, 0), GN_END_UNWOUND);
}

/* A thread that executes another program gets the tid of its process's first
 * thread, which the kernel ended. */
static int renumber(struct gn_pipeline *p, const struct gn_rec_thread *r,
		    struct gn_thread **t)
{
	struct gn_thread *old = gn_thread_find(p, r->parent);
	int err = 0;

	if (!old || old->closed)
		return 0;
	if (*t && !(*t)->closed)
		err = gn_thread_lose_end(p, *t);
	if (!err)
		err = gn_thread_renumber(p, old, r->f.h.tid);
	*t = old;
	return err;
}

/* Of a thread that ended; else the tid has a new thread. `next` is the number
 * that its next record would have had. */
static bool is_late(bool stopped, uint32_t next, const struct gn_rec *rec)
{
	switch (rec->kind) {
	case GN_KIND_THREAD:
		return false;
	case GN_KIND_EXEC:
		/* of a thread that took over the tid of one that ended */
		return stopped;
	case GN_KIND_SLICE:
	case GN_KIND_EXIT:
	case GN_KIND_STOP:
		return true;
	default:
		return stopped || (int32_t)(rec->seq - next) >= 0;
	}
}

/*
 * The thread of a record, made if need be. *t is NULL for a record that came
 * after its thread's end.
 */
static int find_thread(struct gn_pipeline *p, const struct gn_rec *rec,
		       struct gn_thread **t)
{
	const struct gn_rec_thread *r = (const void *)rec;
	const struct gn_ghost *ghost;
	uint32_t pid = 0, parent = 0;
	int err;

	*t = gn_thread_find(p, rec->tid);
	if (rec->kind == GN_KIND_EXEC && r->parent && r->parent != rec->tid) {
		err = renumber(p, r, t);
		if (err)
			return err;
	}
	/* a thread begins with the tid of one that never said that it ended */
	if (rec->kind == GN_KIND_THREAD && *t && !(*t)->closed &&
	    (int32_t)(rec->seq - (*t)->order.next) < 0) {
		err = gn_thread_lose_end(p, *t);
		if (err)
			return err;
	}
	if (*t && !(*t)->closed)
		return 0;
	ghost = *t ? NULL : gn_ghost_find(p, rec->tid);
	if ((*t && is_late((*t)->stopped, (*t)->order.next, rec)) ||
	    (ghost && is_late(ghost->stopped, ghost->next, rec))) {
		*t = NULL;
		return 0;
	}
	if (rec->kind == GN_KIND_THREAD || rec->kind == GN_KIND_EXEC)
		pid = r->pid;
	if (rec->kind == GN_KIND_THREAD)
		parent = r->parent;
	*t = gn_thread_new(p, rec->tid, pid, parent, rec->time);
	if (!*t)
		return -ENOMEM;
	(*t)->account.no_start = rec->kind != GN_KIND_THREAD;
	return 0;
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
	return 0;
}

static int take_user(struct gn_pipeline *p, const struct gn_rec *rec)
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
		name = add_text(p, text, 0);
		return name ? gn_names_module(&p->stage.names, text->id, name)
			    : -ENOMEM;
	case GN_KIND_FUNCTION:
		return define(p, NULL, text);
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
		gn_names_unprobed(&p->stage.names, unprobed->module);
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

/* The least size of a kind's record and its stream; 0: not known. */
static size_t kind_size(enum gn_kind kind, enum gn_stream *stream)
{
	switch (kind) {
#define KIND_SIZE(name, value, text, s, type) \
	case GN_KIND_##name:                  \
		*stream = GN_STREAM_##s;      \
		return sizeof(struct type);
		GN_KIND_LIST(KIND_SIZE)
#undef KIND_SIZE
	default:
		return 0;
	}
}

static bool is_text(enum gn_kind kind)
{
	return kind == GN_KIND_NAME || kind == GN_KIND_INFO ||
	       kind == GN_KIND_MODULE || kind == GN_KIND_FUNCTION;
}

static bool text_ok(const struct gn_rec_text *r, size_t size)
{
	size_t len = (size_t)r->len[0] + r->len[1];

	if (r->size > size || r->size < sizeof(*r) + len)
		return false;
	if (r->h.kind == GN_KIND_NAME && r->size > GN_TEXT_MAX)
		return false;
	if (r->h.kind == GN_KIND_FUNCTION &&
	    GN_FUNC_RUNTIME(r->id) != GN_RUNTIME_NATIVE)
		return false;
	return !memchr(r->text, '\0', len);
}

/* The classes that a slice can have: it is no time in user mode. */
static bool slice_class_ok(uint32_t class)
{
	enum gn_group group = gn_class_group((enum gn_class) class);

	return class < GN_CLASS_COUNT && group != GN_GROUP_APP &&
	       group != GN_GROUP_RUNTIME;
}

static bool now_ok(const struct gn_rec_now *r)
{
	switch (r->state) {
	case GN_CPU_ON:
		return r->class == GN_CLASS_APP || slice_class_ok(r->class);
	case GN_CPU_WAITING:
	case GN_CPU_WOKEN:
		return slice_class_ok(r->class);
	default:
		return r->state <= GN_CPU_DEAD;
	}
}

static bool well_formed(const struct gn_rec *rec, size_t size)
{
	const struct gn_rec_stack *stack = (const void *)rec;

	if (is_text(rec->kind))
		return text_ok((const void *)rec, size);
	if (rec->kind == GN_KIND_SLICE)
		return slice_class_ok(
			((const struct gn_rec_slice *)rec)->class);
	if (rec->kind == GN_KIND_NOW)
		return now_ok((const void *)rec);
	if (rec->kind == GN_KIND_STACK)
		return stack->lo < stack->hi;
	return true;
}

int gn_pipeline_feed(struct gn_pipeline *p, const struct gn_rec *rec,
		     size_t size)
{
	enum gn_stream stream = GN_STREAM_USER;
	struct gn_thread *t;
	size_t least;
	int err;

	if (size < sizeof(*rec))
		return -EBADMSG;
	least = kind_size(rec->kind, &stream);
	if (!least)
		return 0;
	if (size < least || !well_formed(rec, size))
		return -EBADMSG;
	p->records++;
	if (p->stage.names.pool.size >= p->sweep.texts_at)
		gn_sweep_texts(p);
	if (stream == GN_STREAM_USER)
		return take_user(p, rec);
	if (stream == GN_STREAM_STATE)
		return gn_now_take(p, (const void *)rec);
	err = find_thread(p, rec, &t);
	if (!err && t) {
		if (stream == GN_STREAM_COLLECT)
			err = take_collect(p, t, (const void *)rec);
		else if (stream == GN_STREAM_SLICE)
			err = take_slice(p, t, (const void *)rec);
		else
			err = take_note(p, t, rec);
	}
	return err ? err : p->stage.walk.err;
}

bool gn_pipeline_lossy(const struct gn_pipeline *p)
{
#define LOSSY(name, value, text, loss, meaning)       \
	if ((loss) && p->counters[GN_COUNTER_##name]) \
		return true;
	GN_COUNTER_LIST(LOSSY)
#undef LOSSY
	return p->lost || p->lost_before;
}

int gn_pipeline_finish(struct gn_pipeline *p, struct gn_model **model)
{
	bool lossy = gn_pipeline_lossy(p);
	uint32_t i;
	int err = 0;

	for (i = 0; i < p->nthreads && !err; i++) {
		struct gn_thread *t = p->threads[i];

		if (!t->closed)
			err = cut(p, t, end_of(t, p->end), GN_END_OPEN);
		/* slices that should have been there and of whose loss no
		 * later one told */
		if (!lossy)
			p->stage.checks.slice_mismatches += t->account.suspects;
	}
	if (!err)
		err = p->stage.walk.err;
	return err ? err : gn_build(p, &p->stage.tree, model);
}
