/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Threads that wait for tasks of .NET (sync over async). Two things show that.
 * Where the functions of the runtime are traced, its function that waits for a
 * task is on the path, and so is the one that ends it. Where they are not, a
 * function waited until an async method had completed (gn_model_wait.tasks).
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "explain/rules.h"

#define TASKS "System.Threading.Tasks."

/* What a function has to do with tasks. */
enum part {
	PART_NONE = 0,
	PART_WAITS,	/* for one or more tasks to end */
	PART_SIGNALS,	/* what waits for the task that ended */
	PART_RETURNED,	/* ends a task that runs a function */
	PART_COMPLETED, /* ends any other task, as async methods do */
	PART_PARALLEL,	/* waits for tasks that run parts of its work */
	PART_POOL,	/* runs what is queued to the thread pool */
};

static enum part part_of(const struct gn_model_function *fn)
{
	static const struct {
		const char *begin;
		enum part part;
	} parts[] = {
		{TASKS "Task.InternalWaitCore(", PART_WAITS},
		{TASKS "Task.SpinThenBlockingWait(", PART_WAITS},
		{TASKS "Task.WaitAllBlockingCore(", PART_WAITS},
		{TASKS "Task+SetOnInvokeMres.Invoke(", PART_SIGNALS},
		{TASKS "Task+SetOnCountdownMres.Invoke(", PART_SIGNALS},
		{TASKS "Task.FinishSlow(", PART_RETURNED},
		{TASKS "Task.FinishStageTwo(", PART_RETURNED},
		{TASKS "Task.FinishStageThree(", PART_RETURNED},
		{TASKS "Task.ExecuteWithThreadLocal(", PART_RETURNED},
		{TASKS "Task.TrySet", PART_COMPLETED},
		{TASKS "Task<", PART_COMPLETED},
		{"System.Runtime.CompilerServices.AsyncTaskMethodBuilder",
		 PART_COMPLETED},
		{TASKS "TaskReplicator", PART_PARALLEL},
		{TASKS "Parallel.", PART_PARALLEL},
		{"System.Linq.Parallel.", PART_PARALLEL},
		{"System.Threading.ThreadPoolWorkQueue.", PART_POOL},
	};

	if (!GN_RUNTIME_IS_DOTNET(fn->runtime))
		return PART_NONE;
	for (size_t i = 0; i < sizeof(parts) / sizeof(*parts); i++)
		if (!strncmp(fn->name, parts[i].begin, strlen(parts[i].begin)))
			return parts[i].part;
	return PART_NONE;
}

/* By function, and those of waits by caller. */
struct look {
	const struct gn_model *m;
	enum part *part;
	uint64_t *ns, *count;
	uint64_t returned, completed; /* tasks that ended */
	/* waits of the thread pool whose caller is not traced */
	uint64_t pool_ns, pool_count;
};

static void clear(struct look *l)
{
	memset(l->ns, 0, l->m->nfunctions * sizeof(*l->ns));
	memset(l->count, 0, l->m->nfunctions * sizeof(*l->count));
}

/* The most frames to examine on one path. */
#define PATH_MOST 256

static const struct gn_model_node *above(const struct gn_model *m,
					 const struct gn_model_node *n)
{
	return n->parent < 0 ? NULL : &m->nodes[n->parent];
}

/* Adds a node that waits to its caller, the first function of another module.
 * Nothing, if it is below another one, or if work is only divided. */
static void add_waits(struct look *l, const struct gn_model_node *of)
{
	const char *module = l->m->functions[of->function].module;
	const struct gn_model_node *n = above(l->m, of);
	int32_t caller = -1;
	bool pool = false;

	for (int i = 0; n && i < PATH_MOST; i++, n = above(l->m, n)) {
		if (n->function < 0)
			continue;
		if (l->part[n->function] == PART_WAITS ||
		    l->part[n->function] == PART_PARALLEL)
			return;
		pool |= l->part[n->function] == PART_POOL;
		if (caller < 0 &&
		    strcmp(l->m->functions[n->function].module, module) != 0)
			caller = n->function;
	}
	if (caller < 0 && pool) {
		l->pool_ns += of->v.class_incl[GN_CLASS_EVENT];
		l->pool_count += of->v.calls;
	}
	if (caller < 0)
		return;
	l->ns[caller] += of->v.class_incl[GN_CLASS_EVENT];
	l->count[caller] += of->v.calls;
}

/* Adds to the tasks that ended, by what ended them. */
static void add_ends(struct look *l, const struct gn_model_node *of)
{
	const struct gn_model_node *n = above(l->m, of);

	for (int i = 0; n && i < PATH_MOST; i++, n = above(l->m, n)) {
		enum part part =
			n->function < 0 ? PART_NONE : l->part[n->function];

		if (part == PART_RETURNED)
			l->returned += of->v.calls;
		else if (part == PART_COMPLETED)
			l->completed += of->v.calls;
		else
			continue;
		return;
	}
}

bool gn_is_main(const char *name)
{
	static const char *const mains[] = {"Main", "<Main>", "<Main>$"};
	size_t end = strcspn(name, "("), begin = end;

	while (begin && name[begin - 1] != '.')
		begin--;
	for (size_t i = 0; i < sizeof(mains) / sizeof(*mains); i++)
		if (strlen(mains[i]) == end - begin &&
		    !strncmp(name + begin, mains[i], end - begin))
			return true;
	return false;
}

/* Whether several calls lasted at a time, and none as long as the program. If
 * all threads of a pool wait for tasks that only they can go on with, they wait
 * until there are more threads, or until the end. */
static bool is_crowded(const struct gn_model *m,
		       const struct gn_model_function *fn)
{
	uint64_t wall = m->end > m->start ? m->end - m->start : 0;

	return fn->v.elapsed_incl / 2 >= wall &&
	       fn->v.elapsed_incl / fn->v.calls <= wall / 10 * 9;
}

/* Whether waits in the function can hold work up: it is called again and again.
 * One that is called once may wait for the program's end, as a host's Run. */
static bool is_called_often(const struct gn_model *m, int32_t function)
{
	const struct gn_model_function *fn = &m->functions[function];

	return fn->v.calls > 1 && !gn_is_main(fn->name) &&
	       (gn_calls_short(m, function) || is_crowded(m, fn));
}

/* Sums what was found by function. */
static void sum(const struct look *l, struct gn_task_waits *out)
{
	out->ns = out->function_ns = l->pool_ns;
	out->function_count = l->pool_count;
	for (size_t i = 0; i < l->m->nfunctions; i++) {
		if (!l->ns[i] || !is_called_often(l->m, (int32_t)i))
			continue;
		out->ns += l->ns[i];
		if (l->ns[i] <= out->function_ns)
			continue;
		out->function = (int32_t)i;
		out->function_ns = l->ns[i];
		out->function_count = l->count[i];
	}
}

/* If most tasks only ran functions, threads waited for other threads' work. */
static void look_at_paths(struct look *l, struct gn_task_waits *out)
{
	const struct gn_model *m = l->m;

	for (size_t i = 0; i < m->nfunctions; i++)
		l->part[i] = part_of(&m->functions[i]);
	for (size_t i = 0; i < m->nnodes; i++) {
		const struct gn_model_node *n = &m->nodes[i];

		if (n->function < 0 || n->activity)
			continue;
		if (l->part[n->function] == PART_WAITS)
			add_waits(l, n);
		else if (l->part[n->function] == PART_SIGNALS)
			add_ends(l, n);
	}
	for (size_t i = 0; i < m->nfunctions; i++)
		if (!is_called_often(m, (int32_t)i))
			out->others += l->ns[i];
	if (l->completed > l->returned)
		sum(l, out);
}

/* Another class is that of a mutex within the runtime, between two waits. */
static bool is_of_task(const struct gn_model_wait *w)
{
	return w->tasks && w->class == GN_CLASS_EVENT && w->function >= 0 &&
	       w->waker_function >= 0;
}

/* Finds the method whose tasks threads waited for most. */
static int32_t awaited(const struct gn_model *m, uint64_t *by)
{
	int32_t most = -1;

	for (size_t i = 0; i < m->nwaits; i++) {
		const struct gn_model_wait *w = &m->waits[i];

		if (!is_of_task(w))
			continue;
		by[w->waker_function] += w->task_ns;
		if (most < 0 || by[w->waker_function] > by[most])
			most = w->waker_function;
	}
	return most;
}

static void look_at_waits(struct look *l, struct gn_task_waits *out)
{
	const struct gn_model *m = l->m;

	out->by = awaited(m, l->ns);
	clear(l);
	l->pool_ns = l->pool_count = 0;
	for (size_t i = 0; i < m->nwaits; i++) {
		const struct gn_model_wait *w = &m->waits[i];

		if (!is_of_task(w))
			continue;
		l->ns[w->function] += w->task_ns;
		l->count[w->function] += w->tasks;
	}
	sum(l, out);
}

int gn_task_waits(const struct gn_model *m, struct gn_task_waits *out)
{
	const struct gn_task_waits none = {.function = -1, .by = -1};
	struct gn_task_waits by_path = none;
	struct look l = {
		.m = m,
		.part = calloc(m->nfunctions + 1, sizeof(*l.part)),
		.ns = calloc(m->nfunctions + 1, sizeof(*l.ns)),
		.count = calloc(m->nfunctions + 1, sizeof(*l.count)),
	};
	int err = l.part && l.ns && l.count ? 0 : -ENOMEM;

	*out = none;
	if (!err) {
		look_at_paths(&l, &by_path);
		clear(&l);
		look_at_waits(&l, out);
		if (by_path.ns > out->ns)
			*out = by_path;
		out->others = by_path.others;
	}
	free(l.part);
	free(l.ns);
	free(l.count);
	return err;
}

int gn_look_tasks(const struct gn_facts *f, struct gn_subject *s)
{
	s->ns = f->tasks.ns;
	s->whole = f->busy + s->ns;
	s->share = gn_share(s->ns, s->whole);
	return 0;
}

void gn_say_tasks(const struct gn_facts *f, const struct gn_subject *s,
		  FILE *out)
{
	const struct gn_task_waits *t = &f->tasks;

	fputs("Sync over async: threads waited (Wait, Result or GetResult) for "
	      "asynchronous tasks for ",
	      out);
	gn_put_ns(out, s->ns);
	fputs(", ", out);
	gn_put_pct(out, s->ns, s->whole);
	fputs(" of their busy time; most in ", out);
	gn_put_function(out, f->m, t->function);
	fputs(": ", out);
	gn_put_ns(out, t->function_ns);
	fputs(", ", out);
	gn_put_count(out, t->function_count, "time", "times");
	fputc('.', out);
	if (t->by >= 0) {
		fputs(" Most of these tasks are of ", out);
		gn_put_function(out, f->m, t->by);
		fputc('.', out);
	}
	fputs(" Such a wait holds its thread; an await would not.", out);
}

void gn_next_tasks(const struct gn_facts *f, const struct gn_subject *s,
		   FILE *out)
{
	(void)s;
	fputs(f->tasks.by >= 0 ? "--by async" : "--by waits --limit 5", out);
}
