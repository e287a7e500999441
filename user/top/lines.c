// SPDX-License-Identifier: BSD-2-Clause
#include "top/lines.h"

#include <errno.h>
#include <stdlib.h>

#include "output/json.h"
#include "output/text.h"
#include "top/view_columns.h"
#include "top/words.h"

struct lines {
	const struct gn_top_period *p;
	const struct gn_top_lines_opts *o;
	bool *used; /* functions that other fields refer to */
};

static void use(const struct lines *l, int32_t function)
{
	if (gn_now_find(l->p->m, function))
		l->used[function] = true;
}

static bool in_period(const struct lines *l, const struct gn_model_activity *a)
{
	return !a->end || a->end > l->p->m->start;
}

static int find_used(struct lines *l)
{
	const struct gn_model *m = l->p->m;

	l->used = calloc(m->nfunctions + 1, sizeof(*l->used));
	if (!l->used)
		return -ENOMEM;
	for (size_t i = 0; i < m->nfunctions; i++) {
		const struct gn_model_function *f = &m->functions[i];

		l->used[i] = f->v.calls || f->v.elapsed_incl || f->muted;
	}
	for (size_t i = 0; i < m->nthreads; i++) {
		const struct gn_model_live *live = m->threads[i].live;

		for (size_t k = 0; live && k < live->nshares; k++)
			use(l, live->shares[k].function);
		for (uint32_t k = 0; live && k < live->nstack; k++)
			use(l, live->stack[k]);
		for (uint32_t k = 0; live && k < live->nactivities; k++) {
			if (in_period(l, &live->activity[k]))
				use(l, live->activity[k].function);
		}
	}
	return 0;
}

static bool wanted(const struct gn_json *j, enum gn_by by,
		   const struct gn_row *r)
{
	const struct lines *l = j->ctx;

	return by != GN_BY_FUNCTION || l->used[r->id];
}

/* Null: outside of any function, or an unknown frame. */
static void put_index(struct gn_json *j, const char *key, int32_t function)
{
	if (gn_now_find(j->m, function))
		gn_emit_u64(&j->e, key, (uint64_t)function);
	else
		gn_emit_null(&j->e, key);
}

static void put_function(struct gn_json *j, const char *key, int32_t function)
{
	if (!gn_now_find(j->m, function))
		return;
	gn_emit_open(&j->e, key, '{');
	gn_emit_u64(&j->e, "function", (uint64_t)function);
	gn_json_function(&j->e, j->m, function);
	gn_emit_close(&j->e, '}');
}

static void put_shares(struct gn_json *j, const struct gn_model_live *live)
{
	gn_emit_open(&j->e, "functions", '[');
	for (size_t i = 0; i < live->nshares; i++) {
		const struct gn_model_share *s = &live->shares[i];

		gn_emit_open(&j->e, NULL, '{');
		put_index(j, "function", s->function);
		gn_emit_u64(&j->e, "calls", s->calls);
		gn_emit_u64(&j->e, "elapsed_exclusive_ns", s->elapsed);
		gn_emit_u64(&j->e, "application_exclusive_ns", s->app);
		gn_json_classes(&j->e, "classes_exclusive", s->classes);
		gn_emit_close(&j->e, '}');
	}
	gn_emit_close(&j->e, ']');
	/* fields are a contract: none is removed */
	gn_emit_u64(&j->e, "functions_hidden", 0);
}

static void put_stack(struct gn_json *j, const struct gn_model_live *live)
{
	gn_emit_open(&j->e, "stack", '[');
	for (uint32_t i = 0; i < live->nstack; i++)
		put_index(j, NULL, live->stack[i]);
	gn_emit_close(&j->e, ']');
	gn_emit_u64(&j->e, "stack_depth", live->depth);
}

static void put_activities(struct gn_json *j, const struct gn_model_live *live)
{
	gn_emit_open(&j->e, "activities", '[');
	for (uint32_t i = 0; i < live->nactivities; i++) {
		const struct gn_model_activity *a = &live->activity[i];

		if (!in_period(j->ctx, a))
			continue;
		gn_emit_open(&j->e, NULL, '{');
		gn_emit_text(&j->e, "class", gn_class_text((int)a->class));
		if (gn_now_find(j->m, a->function))
			put_index(j, "function", a->function);
		gn_emit_u64(&j->e, "start_ns", a->start);
		if (a->end)
			gn_emit_u64(&j->e, "end_ns", a->end);
		gn_emit_close(&j->e, '}');
	}
	gn_emit_close(&j->e, ']');
}

static void put_thread(struct gn_json *j, const struct gn_model_thread *t)
{
	const struct gn_model_live *live = t->live;
	const char *runtime = gn_now_runtime(j->m, t);

	if (runtime)
		gn_emit_text(&j->e, "runtime", runtime);
	gn_emit_text(&j->e, "state",
		     gn_top_state_word(live ? live->state : GN_THREAD_UNKNOWN));
	if (!live)
		return;
	if (gn_now_does(live->state)) {
		gn_emit_text(&j->e, "doing", gn_class_text((int)live->doing));
		gn_json_syscall(&j->e, live->reason);
	}
	put_function(j, "current", gn_now_top(t));
	put_function(j, "top", gn_now_most(t));
	put_shares(j, live);
	put_stack(j, live);
	put_activities(j, live);
}

static void more(struct gn_json *j, enum gn_by by, const struct gn_row *r)
{
	if (by == GN_BY_FUNCTION)
		gn_emit_u64(&j->e, "index", r->id);
	else if (by == GN_BY_THREAD)
		put_thread(j, &j->m->threads[r->id]);
}

static void put_period(struct gn_emit *e, const struct gn_top_period *p)
{
	char time[GN_TOP_TIME];

	gn_top_time_text(time, p->wall);
	gn_emit_open(e, "period", '{');
	gn_emit_u64(e, "number", p->number);
	gn_emit_text(e, "time", time);
	gn_emit_u64(e, "wall_ns", p->wall);
	gn_emit_u64(e, "length_ns", p->length);
	gn_emit_u64(e, "session_ns", p->session);
	gn_emit_u64(e, "start_ns", p->m->start);
	gn_emit_u64(e, "end_ns", p->m->end);
	gn_emit_close(e, '}');
	gn_emit_open(e, "target", '{');
	gn_emit_text(e, "state", gn_top_target_word(p->target));
	gn_emit_text(e, "title", p->title ? p->title : "");
	if (p->target == GN_TOP_KILLED)
		gn_emit_u64(e, "signal", (unsigned int)p->signal);
	if (p->target != GN_TOP_RUNNING && p->status >= 0)
		gn_emit_u64(e, "status", (unsigned int)p->status);
	gn_emit_close(e, '}');
	gn_emit_bool(e, "function_probes", p->functions);
}

static void put_machine(struct gn_emit *e, const struct gn_top_period *p)
{
	const struct gn_top_machine *m = &p->machine;

	gn_emit_open(e, "lost_total", '{');
	gn_emit_u64(e, "records", p->lost);
	gn_emit_close(e, '}');
	gn_emit_open(e, "machine_totals", '{');
	gn_emit_u64(e, "cpus", m->cpus);
	gn_emit_u64(e, "busy_ns", m->busy_ns);
	gn_emit_u64(e, "total_ns", m->total_ns);
	gn_emit_u64(e, "steal_ns", m->steal_ns);
	gn_emit_u64(e, "iowait_ns", m->iowait_ns);
	gn_emit_u64(e, "mem_total_bytes", m->mem_total);
	gn_emit_u64(e, "mem_available_bytes", m->mem_available);
	gn_emit_open(e, "load", '[');
	for (int i = 0; i < 3; i++)
		gn_emit_pct(e, NULL, m->load[i]);
	gn_emit_close(e, ']');
	gn_emit_close(e, '}');
	gn_emit_open(e, "self", '{');
	gn_emit_u64(e, "cpu_ns", p->own_cpu_ns);
	gn_emit_u64(e, "rss_bytes", p->own_rss);
	gn_emit_close(e, '}');
}

static void put_budget(struct gn_emit *e, const struct gn_top_period *p)
{
	gn_emit_open(e, "budget", '{');
	if (p->budget > 0)
		gn_emit_pct(e, "pct", p->budget);
	if (p->slowdown >= 0)
		gn_emit_pct(e, "slowdown_pct", p->slowdown);
	gn_emit_open(e, "muted", '[');
	for (size_t i = 0; i < p->nmuted; i++) {
		gn_emit_open(e, NULL, '{');
		gn_emit_text(e, "name", p->muted[i].name);
		gn_emit_text(e, "module", p->muted[i].module);
		gn_emit_close(e, '}');
	}
	gn_emit_close(e, ']');
	gn_emit_close(e, '}');
}

static int put_line(struct gn_json *j, const struct gn_top_period *p)
{
	int err;

	gn_emit_open(&j->e, NULL, '{');
	err = gn_json_head(j);
	if (err)
		return err;
	put_period(&j->e, p);
	/* A loss can be counted in another period than its cause. It counts
	 * once, in the period of the thread's numbers. */
	gn_json_counts(j, j->m->lost);
	put_machine(&j->e, p);
	put_budget(&j->e, p);
	err = gn_json_arrays(j);
	if (err)
		return err;
	gn_json_waits(j);
	gn_json_hidden(j);
	gn_emit_close(&j->e, '}');
	fputc('\n', j->e.f);
	fflush(j->e.f);
	return gn_stream_status(j->e.f);
}

int gn_top_lines(const struct gn_top_period *p,
		 const struct gn_top_lines_opts *o, FILE *f)
{
	static const struct gn_json_hooks hooks = {wanted, more};
	struct gn_output_opts output = {.limit = o->limit, .utf8 = true};
	struct lines l = {.p = p, .o = o};
	struct gn_json j;
	int err = gn_json_begin(&j, f, p->m, &output);

	j.e.flat = true;
	j.hooks = &hooks;
	j.ctx = &l;
	if (!err)
		err = find_used(&l);
	if (!err)
		err = put_line(&j, p);
	gn_json_end(&j);
	free(l.used);
	return err;
}
