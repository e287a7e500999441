// SPDX-License-Identifier: BSD-2-Clause
#include "expect.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static bool find_value(const struct gn_values *v, const char *field,
		       uint64_t *out)
{
#define VALUE(text, expr)           \
	if (!strcmp(field, text)) { \
		*out = v->expr;     \
		return true;        \
	}
	VALUE("calls", calls)
	VALUE("unwound", unwound)
	VALUE("ei", elapsed_incl)
	VALUE("ee", elapsed_excl)
	VALUE("ai", app_incl)
	VALUE("ae", app_excl)
	VALUE("min", min)
	VALUE("max", max)
	VALUE("finished", finished)
	VALUE("gap", gap)
	VALUE("moved", moved)
#define CLASS(name, value, text, ...)          \
	VALUE("incl." text, class_incl[value]) \
	VALUE("excl." text, class_excl[value])
	GN_CLASS_LIST(CLASS)
#undef CLASS
#undef VALUE
	return false;
}

static bool find_thread_field(const struct gn_model_thread *t,
			      const char *field, uint64_t *out)
{
#define VALUE(text, expr)           \
	if (!strcmp(field, text)) { \
		*out = t->expr;     \
		return true;        \
	}
	VALUE("pid", pid)
	VALUE("start", start)
	VALUE("end", end)
	VALUE("elapsed", elapsed)
	VALUE("gaps", gaps)
	VALUE("records", records)
	VALUE("probe-cost", probe_cost)
	VALUE("kernel-known", kernel.known)
	VALUE("kernel-cpu", kernel.cpu)
	VALUE("kernel-delay", kernel.delay)
	VALUE("cpu", kernel.our_cpu)
	VALUE("delay", kernel.our_delay)
	VALUE("irq", kernel.irq)
	VALUE("stolen", kernel.stolen)
	VALUE("switches", kernel.switches)
	VALUE("switching", kernel.cpu_switch)
	VALUE("delay-switching", kernel.delay_switch)
	VALUE("rest", kernel.cpu_rest)
	VALUE("delay-rest", kernel.delay_rest)
#define CLASS(name, value, text, ...) VALUE("class." text, classes[value])
	GN_CLASS_LIST(CLASS)
#undef CLASS
#undef VALUE
	return find_value(&t->v, field, out);
}

static bool find_check(const struct gn_model *m, const char *field,
		       uint64_t *out)
{
	if (!strcmp(field, "lost")) {
		*out = m->lost;
		return true;
	}
#define CHECK(name, text, error)       \
	if (!strcmp(field, #name)) {   \
		*out = m->checks.name; \
		return true;           \
	}
	GN_CHECK_LIST(CHECK)
#undef CHECK
	return false;
}

static bool find_count(const struct gn_model *m, const char *field,
		       uint64_t *out)
{
#define COUNT(what)                  \
	if (!strcmp(field, #what)) { \
		*out = m->n##what;   \
		return true;         \
	}
	COUNT(functions)
	COUNT(modules)
	COUNT(threads)
	COUNT(processes)
	COUNT(nodes)
	COUNT(edges)
	COUNT(waits)
	COUNT(asyncs)
#undef COUNT
	return false;
}

static int32_t function_index(const struct gn_model *m, const char *name)
{
	size_t i;

	for (i = 0; i < m->nfunctions; i++)
		if (!strcmp(m->functions[i].name, name))
			return (int32_t)i;
	return -1;
}

static const struct gn_values *find_edge(const struct gn_model *m,
					 const char *from, const char *to)
{
	int32_t caller = function_index(m, from), callee;
	size_t i;

	callee = function_index(m, to);
	if (callee < 0 || (caller < 0 && strcmp(from, "-")))
		return NULL;
	for (i = 0; i < m->nedges; i++)
		if (m->edges[i].caller == caller &&
		    m->edges[i].callee == callee)
			return &m->edges[i].v;
	return NULL;
}

static const struct gn_values *find_node(const struct gn_model *m,
					 const char *path)
{
	int32_t i = 0;
	size_t len;

	for (;; path += len + 1) {
		len = strcspn(path, "/");
		for (i = m->nodes[i].first_child; i >= 0; i = m->nodes[i].next)
			if (!strncmp(m->nodes[i].name, path, len) &&
			    !m->nodes[i].name[len])
				break;
		if (i < 0)
			return NULL;
		if (!path[len])
			return &m->nodes[i].v;
	}
}

static const struct gn_values *find_module(const struct gn_model *m,
					   const char *name)
{
	size_t i;

	for (i = 0; i < m->nmodules; i++)
		if (!strcmp(m->modules[i].name, name))
			return &m->modules[i].v;
	return NULL;
}

static const struct gn_values *find_process(const struct gn_model *m,
					    const char *pid)
{
	size_t i;

	for (i = 0; i < m->nprocesses; i++)
		if (m->processes[i].pid == strtoul(pid, NULL, 0))
			return &m->processes[i].v;
	return NULL;
}

/* TID, or TID@START if several threads had it. */
static const struct gn_model_thread *find_thread(const struct gn_model *m,
						 const char *tid)
{
	const char *at = strchr(tid, '@');
	size_t i;

	for (i = 0; i < m->nthreads; i++)
		if (m->threads[i].tid == strtoul(tid, NULL, 0) &&
		    (!at || m->threads[i].start == strtoull(at + 1, NULL, 0)))
			return &m->threads[i];
	return NULL;
}

static bool is_function(const struct gn_model *m, int32_t i, const char *name)
{
	return i < 0 ? !strcmp(name, "-") : !strcmp(m->functions[i].name, name);
}

static bool is_number(uint32_t n, uint32_t none, const char *text)
{
	return n == none ? !strcmp(text, "-") : n == strtoul(text, NULL, 0);
}

static const struct gn_model_wait *find_wait(const struct gn_model *m,
					     const char *const *words)
{
	static const char *const classes[] = {
#define CLASS(name, value, text, ...) [value] = text,
		GN_CLASS_LIST(CLASS)
#undef CLASS
	};
	size_t i;

	for (i = 0; i < m->nwaits; i++) {
		const struct gn_model_wait *w = &m->waits[i];

		if (is_function(m, w->function, words[0]) &&
		    !strcmp(classes[w->class], words[1]) &&
		    is_number(w->reason, GN_NO_SYSCALL, words[2]) &&
		    is_number(w->waker, 0, words[3]) &&
		    is_function(m, w->waker_function, words[4]))
			return w;
	}
	return NULL;
}

static bool find_wait_field(const struct gn_model_wait *w, const char *field,
			    uint64_t *out)
{
	if (!strcmp(field, "ns"))
		*out = w->ns;
	else if (!strcmp(field, "count"))
		*out = w->count;
	else if (!strcmp(field, "longest"))
		*out = w->longest;
	else
		return false;
	return true;
}

static const struct gn_model_async *find_async(const struct gn_model *m,
					       const char *name)
{
	for (size_t i = 0; i < m->nasyncs; i++)
		if (is_function(m, m->asyncs[i].function, name))
			return &m->asyncs[i];
	return NULL;
}

static bool find_async_field(const struct gn_model_async *a, const char *field,
			     uint64_t *out)
{
#define FIELD(what)                  \
	if (!strcmp(field, #what)) { \
		*out = a->what;      \
		return true;         \
	}
	FIELD(starts)
	FIELD(completions)
	FIELD(faulted)
	FIELD(in_flight)
	FIELD(most)
	FIELD(elapsed)
	FIELD(gap)
	FIELD(older)
	FIELD(nawaits)
#undef FIELD
	return false;
}

static const struct gn_model_await *find_await(const struct gn_model_async *a,
					       const char *state)
{
	for (size_t i = 0; a && i < a->nawaits; i++)
		if (a->awaits[i].state == atoi(state))
			return &a->awaits[i];
	return NULL;
}

static bool find_await_field(const struct gn_model_await *a, const char *field,
			     uint64_t *out)
{
	if (!strcmp(field, "count"))
		*out = a->count;
	else if (!strcmp(field, "ns"))
		*out = a->ns;
	else if (!strcmp(field, "waiting"))
		*out = a->waiting;
	else if (!strcmp(field, "older"))
		*out = a->older;
	else
		return false;
	return true;
}

static const struct gn_model_cost *find_cost(const struct gn_model *m,
					     const char *class)
{
#define PROBE(name, value, text)  \
	if (!strcmp(class, text)) \
		return &m->costs[value];
	GN_PROBE_CLASS_LIST(PROBE)
#undef PROBE
	return NULL;
}

static bool find_cost_field(const struct gn_model_cost *c, const char *field,
			    uint64_t *out)
{
	if (!strcmp(field, "hits"))
		*out = c->hits;
	else if (!strcmp(field, "samples"))
		*out = c->samples;
	else if (!strcmp(field, "before"))
		*out = c->before_ns;
	else if (!strcmp(field, "after"))
		*out = c->after_ns;
	else if (!strcmp(field, "spread"))
		*out = c->spread_ns;
	else
		return false;
	return true;
}

static bool find_probes_field(const struct gn_model *m, const char *field,
			      uint64_t *out)
{
	if (!strcmp(field, "raw"))
		*out = m->raw;
	else if (!strcmp(field, "cost"))
		*out = m->probe_cost;
	else if (!strcmp(field, "left"))
		*out = m->probe_cost_left;
	else
		return false;
	return true;
}

/* The object of a truth, and the word after it. */
struct object {
	const struct gn_model *m;
	const struct gn_values *v;
	const struct gn_model_thread *t;
	const struct gn_model_wait *w;
	const struct gn_model_cost *c;
	const struct gn_model_async *async;
	const struct gn_model_await *await;
	bool checks, counts, probes;
	size_t fields;
};

static bool find_object(const struct expect *e, struct object *o)
{
	const char *kind = e->words[0];
	const char *arg = e->nwords > 1 ? e->words[1] : "";
	int32_t f;

	o->fields = 2;
	if (!strcmp(kind, "session") || !strcmp(kind, "checks") ||
	    !strcmp(kind, "count") || !strcmp(kind, "probes")) {
		o->fields = 1;
		o->probes = kind[0] == 'p';
		o->v = kind[0] == 's' ? &o->m->session : NULL;
		o->checks = !strcmp(kind, "checks");
		o->counts = !strcmp(kind, "count");
		return true;
	}
	if (!strcmp(kind, "wait") && e->nwords > 6) {
		o->fields = 6;
		return (o->w = find_wait(o->m, e->words + 1));
	}
	if (!strcmp(kind, "async"))
		return (o->async = find_async(o->m, arg));
	if (!strcmp(kind, "await") && e->nwords > 2) {
		o->fields = 3;
		o->await = find_await(find_async(o->m, arg), e->words[2]);
		return o->await;
	}
	if (!strcmp(kind, "cost"))
		return (o->c = find_cost(o->m, arg));
	if (!strcmp(kind, "thread"))
		return (o->t = find_thread(o->m, arg));
	if (!strcmp(kind, "edge") && e->nwords > 2) {
		o->fields = 3;
		o->v = find_edge(o->m, arg, e->words[2]);
	} else if (!strcmp(kind, "function")) {
		f = function_index(o->m, arg);
		o->v = f < 0 ? NULL : &o->m->functions[f].v;
	} else if (!strcmp(kind, "module")) {
		o->v = find_module(o->m, arg);
	} else if (!strcmp(kind, "process")) {
		o->v = find_process(o->m, arg);
	} else if (!strcmp(kind, "node")) {
		o->v = find_node(o->m, arg);
	}
	return o->v;
}

static bool find_field(const struct object *o, const char *field, uint64_t *out)
{
	if (o->checks)
		return find_check(o->m, field, out);
	if (o->counts)
		return find_count(o->m, field, out);
	if (o->probes)
		return find_probes_field(o->m, field, out);
	if (o->w)
		return find_wait_field(o->w, field, out);
	if (o->async)
		return find_async_field(o->async, field, out);
	if (o->await)
		return find_await_field(o->await, field, out);
	if (o->c)
		return find_cost_field(o->c, field, out);
	if (o->t)
		return find_thread_field(o->t, field, out);
	return find_value(o->v, field, out);
}

static bool field_holds(const struct expect *e, const struct object *o,
			const char *word, FILE *out)
{
	const char *value = strchr(word, '=');
	uint64_t want, got;
	char field[64];
	char *end;

	if (!value || (size_t)(value - word) >= sizeof(field)) {
		fprintf(out, "line %zu: %s: no FIELD=VALUE\n", e->line, word);
		return false;
	}
	memcpy(field, word, (size_t)(value - word));
	field[value - word] = '\0';
	want = strtoull(value + 1, &end, 0);
	if (*end || !value[1] || !find_field(o, field, &got)) {
		fprintf(out, "line %zu: %s: no such field\n", e->line, word);
		return false;
	}
	if (got == want)
		return true;
	fprintf(out, "line %zu: %s %s: %s is %" PRIu64 ", not %" PRIu64 "\n",
		e->line, e->words[0], e->nwords > 1 ? e->words[1] : "", field,
		got, want);
	return false;
}

bool expect_holds(const struct expect *e, const struct gn_model *m, int how,
		  FILE *out)
{
	struct object o = {.m = m};
	bool ok = true;
	size_t i;

	if (e->classify != how && (e->classify >= 0 || how == EXPECT_RAW))
		return true;
	if (!strcmp(e->words[0], "none") && e->nwords == 3)
		return function_index(m, e->words[2]) < 0;
	if (!find_object(e, &o)) {
		fprintf(out, "line %zu: no such %s\n", e->line, e->words[0]);
		return false;
	}
	if (o.fields == e->nwords) {
		fprintf(out, "line %zu: nothing is said\n", e->line);
		return false;
	}
	for (i = o.fields; i < e->nwords; i++)
		ok &= field_holds(e, &o, e->words[i], out);
	return ok;
}
