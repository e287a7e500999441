// SPDX-License-Identifier: BSD-2-Clause
#include "dump.h"

#include <inttypes.h>

static const char *const class_names[] = {
#define CLASS_NAME(name, value, text, ...) [value] = text,
	GN_CLASS_LIST(CLASS_NAME)
#undef CLASS_NAME
};

static void dump_classes(const char *what, const uint64_t *ns, FILE *f)
{
	int c;

	for (c = 0; c < GN_CLASS_COUNT; c++)
		if (ns[c])
			fprintf(f, " %s.%s=%" PRIu64, what, class_names[c],
				ns[c]);
}

static void dump_values(const struct gn_values *v, FILE *f)
{
	fprintf(f, " calls=%" PRIu64 " unwound=%" PRIu64, v->calls, v->unwound);
	fprintf(f, " ei=%" PRIu64 " ee=%" PRIu64, v->elapsed_incl,
		v->elapsed_excl);
	fprintf(f, " ai=%" PRIu64 " ae=%" PRIu64, v->app_incl, v->app_excl);
	fprintf(f, " min=%" PRIu64 " max=%" PRIu64 " finished=%" PRIu64, v->min,
		v->max, v->finished);
	dump_classes("incl", v->class_incl, f);
	dump_classes("excl", v->class_excl, f);
	fprintf(f, "%s\n", v->gap ? " gap" : "");
}

static const char *function_name(const struct gn_model *m, int32_t i)
{
	return i < 0 ? "-" : m->functions[i].name;
}

static void dump_rows(const struct gn_model *m, FILE *f)
{
	size_t i;

	for (i = 0; i < m->nfunctions; i++) {
		const struct gn_model_function *fn = &m->functions[i];

		fprintf(f, "function %s module=%s runtime=%d", fn->name,
			fn->module, (int)fn->runtime);
		dump_values(&fn->v, f);
	}
	for (i = 0; i < m->nmodules; i++) {
		fprintf(f, "module %s", m->modules[i].name);
		dump_values(&m->modules[i].v, f);
	}
	for (i = 0; i < m->nprocesses; i++) {
		fprintf(f, "process %u %s threads=%u", m->processes[i].pid,
			m->processes[i].name, m->processes[i].threads);
		dump_values(&m->processes[i].v, f);
	}
	for (i = 0; i < m->nedges; i++) {
		fprintf(f, "edge %s -> %s",
			function_name(m, m->edges[i].caller),
			function_name(m, m->edges[i].callee));
		dump_values(&m->edges[i].v, f);
	}
}

static void dump_waits(const struct gn_model *m, FILE *f)
{
	size_t i;

	for (i = 0; i < m->nwaits; i++) {
		const struct gn_model_wait *w = &m->waits[i];

		fprintf(f, "wait %s %s", function_name(m, w->function),
			class_names[w->class]);
		if (w->reason != GN_NO_SYSCALL)
			fprintf(f, " reason=%d", w->reason);
		if (w->waker)
			fprintf(f, " waker=%u/%s", w->waker, w->waker_name);
		if (w->waker_function >= 0)
			fprintf(f, "/%s", function_name(m, w->waker_function));
		fprintf(f, " ns=%" PRIu64 " count=%" PRIu64 " longest=%" PRIu64,
			w->ns, w->count, w->longest);
		fprintf(f, "\n");
	}
}

static void dump_async(const struct gn_model *m, FILE *f)
{
	for (size_t i = 0; i < m->nasyncs; i++) {
		const struct gn_model_async *a = &m->asyncs[i];

		fprintf(f,
			"async %s starts=%" PRIu64 " completions=%" PRIu64
			" faulted=%" PRIu64 " in_flight=%" PRIu64
			" most=%" PRIu64 " elapsed=%" PRIu64 " gap=%d"
			" older=%" PRIu64 "\n",
			function_name(m, a->function), a->starts,
			a->completions, a->faulted, a->in_flight, a->most,
			a->elapsed, a->gap, a->older);
		for (size_t k = 0; k < a->nawaits; k++)
			fprintf(f,
				"  at %d count=%" PRIu64 " ns=%" PRIu64
				" waiting=%" PRIu64 " older=%" PRIu64 "\n",
				a->awaits[k].state, a->awaits[k].count,
				a->awaits[k].ns, a->awaits[k].waiting,
				a->awaits[k].older);
	}
}

/* Writes nothing about what was not measured. */
static void dump_costs(const struct gn_model *m, FILE *f)
{
	int c;

	for (c = 0; c < GN_PROBE_CLASS_COUNT; c++) {
		const struct gn_model_cost *k = &m->costs[c];

		if (k->samples)
			fprintf(f,
				"cost %d samples=%u %u+%u spread=%u "
				"hits=%" PRIu64 "\n",
				c, k->samples, k->before_ns, k->after_ns,
				k->spread_ns, k->hits);
	}
	if (!m->raw)
		fprintf(f, "probe cost %" PRIu64 " left %" PRIu64 "\n",
			m->probe_cost, m->probe_cost_left);
}

static void dump_kernel(const struct gn_model_thread *t, FILE *f)
{
	const struct gn_kernel_account *k = &t->kernel;

	if (t->probe_cost)
		fprintf(f, " probe-cost=%" PRIu64, t->probe_cost);
	if (!k->known)
		return;
	fprintf(f,
		" kernel=%" PRIu64 "+%" PRIu64 " own=%" PRIu64 "+%" PRIu64
		" rest=%" PRId64 "+%" PRId64,
		k->cpu, k->delay, k->our_cpu, k->our_delay, k->cpu_rest,
		k->delay_rest);
}

static void dump_threads(const struct gn_model *m, FILE *f)
{
	size_t i;

	for (i = 0; i < m->nthreads; i++) {
		const struct gn_model_thread *t = &m->threads[i];

		fprintf(f, "thread %u/%u %s start=%" PRIu64 " end=%" PRIu64,
			t->pid, t->tid, t->name, t->start, t->end);
		fprintf(f, " elapsed=%" PRIu64 " gaps=%" PRIu64, t->elapsed,
			t->gaps);
		fprintf(f, " records=%" PRIu64, t->records);
		dump_kernel(t, f);
		dump_classes("class", t->classes, f);
		dump_values(&t->v, f);
	}
}

static void dump_tree(const struct gn_model *m, FILE *f)
{
	size_t i;
	int32_t up;
	int depth;

	for (i = 0; i < m->nnodes; i++) {
		depth = 0;
		for (up = m->nodes[i].parent; up >= 0; up = m->nodes[up].parent)
			depth++;
		fprintf(f, "node %*s%s", 2 * depth, "", m->nodes[i].name);
		dump_values(&m->nodes[i].v, f);
	}
}

void dump_model(const struct gn_model *m, FILE *f)
{
	fprintf(f, "session start=%" PRIu64 " end=%" PRIu64 " lost=%" PRIu64,
		m->start, m->end, m->lost);
	dump_values(&m->session, f);
	fprintf(f, "checks");
	/* only values other than 0, so that a new check changes no golden
	 * file */
#define DUMP_CHECK(field, text, error) \
	if (m->checks.field)           \
		fprintf(f, " " #field "=%" PRIu64, m->checks.field);
	GN_CHECK_LIST(DUMP_CHECK)
#undef DUMP_CHECK
	fprintf(f, "\n");
	dump_costs(m, f);
	dump_rows(m, f);
	dump_waits(m, f);
	dump_async(m, f);
	dump_threads(m, f);
	dump_tree(m, f);
}
