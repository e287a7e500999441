// SPDX-License-Identifier: BSD-2-Clause
#include "model/async.h"

#include <errno.h>
#include <stdlib.h>

#include <gnomon/machine_state.h>
#include "model/mem.h"

#define STATE_START	     -1
#define STATE_ITERATOR_START -3

static int find_method(struct gn_asyncs *a, uint32_t fn, uint32_t *out)
{
	*out = gn_table_get(&a->by_fn, fn);
	if (*out != GN_NONE)
		return 0;
	if (gn_grow(&a->methods, &a->methods_cap, (size_t)a->nmethods + 1,
		    sizeof(*a->methods)) ||
	    gn_table_put(&a->by_fn, fn, a->nmethods))
		return -ENOMEM;
	a->methods[a->nmethods] = (struct gn_async_method){.fn = fn};
	*out = a->nmethods++;
	return 0;
}

static int find_point(struct gn_asyncs *a, uint32_t method, int32_t state,
		      struct gn_async_point **out)
{
	uint64_t key = (uint64_t)method << 32 | (uint32_t)state;
	uint32_t i = gn_table_get(&a->by_point, key);

	if (i == GN_NONE) {
		if (gn_grow(&a->points, &a->points_cap, (size_t)a->npoints + 1,
			    sizeof(*a->points)) ||
		    gn_table_put(&a->by_point, key, a->npoints))
			return -ENOMEM;
		i = a->npoints++;
		a->points[i] = (struct gn_async_point){.method = method,
						       .state = state};
	}
	*out = &a->points[i];
	return 0;
}

static void begin(struct gn_span_sum *s, uint64_t time)
{
	s->begun++;
	s->begin_sum += time;
}

static void end(struct gn_span_sum *s, uint64_t time)
{
	s->ended++;
	s->end_sum += time;
}

static uint64_t open_spans(const struct gn_span_sum *s)
{
	return s->begun > s->ended ? s->begun - s->ended : 0;
}

int gn_async_take(struct gn_asyncs *a, const struct gn_rec *r, uint32_t fn,
		  uint32_t *suspended)
{
	int32_t state = gn_state_of(r->key);
	struct gn_async_method *m;
	struct gn_async_point *s;
	uint32_t method, inner = *suspended;
	int err = find_method(a, fn, &method);

	*suspended = 0;
	if (err)
		return err;
	m = &a->methods[method];
	if (r->kind == GN_KIND_ASYNC_COMPLETES ||
	    r->kind == GN_KIND_ASYNC_FAULTS) {
		if (!gn_state_seen(r->key, GN_STATE_STARTED)) {
			m->older++;
			return 0;
		}
		end(&m->lives, r->time);
		m->faulted += r->kind == GN_KIND_ASYNC_FAULTS;
		return 0;
	}
	if (r->kind == GN_KIND_ASYNC_ENTERED &&
	    (state == STATE_START || state == STATE_ITERATOR_START)) {
		begin(&m->lives, r->time);
		if (open_spans(&m->lives) > m->most)
			m->most = open_spans(&m->lives);
		return 0;
	}
	err = find_point(a, method, state, &s);
	if (err)
		return err;
	if (r->kind == GN_KIND_ASYNC_SUSPENDS) {
		begin(&s->waits, r->time);
		if (inner)
			s->inner = inner;
		*suspended = (uint32_t)(s - a->points) + 1;
	} else if (gn_state_seen(r->key, GN_STATE_SUSPENDED))
		end(&s->waits, r->time);
	else
		s->older++;
	return 0;
}

static uint64_t line_key(uint32_t fn, int32_t state)
{
	return (uint64_t)fn << 32 | (uint32_t)state;
}

int gn_async_line(struct gn_asyncs *a, uint32_t fn, int32_t state,
		  uint32_t line)
{
	return gn_table_put(&a->lines, line_key(fn, state), line);
}

void gn_async_free(struct gn_asyncs *a)
{
	free(a->programs);
	gn_table_free(&a->lines);
	gn_table_free(&a->by_fn);
	gn_table_free(&a->by_point);
	free(a->methods);
	free(a->points);
	*a = (struct gn_asyncs){0};
}

/* Returns the total time of all spans; open ones last until `last`. If more
 * ended than began, returns 0 and reports a gap. */
static uint64_t total(const struct gn_span_sum *s, uint64_t last, bool *gap)
{
	int64_t ns =
		(int64_t)(s->end_sum + open_spans(s) * last - s->begin_sum);

	if (s->ended > s->begun || ns < 0) {
		*gap = true;
		return 0;
	}
	return (uint64_t)ns;
}

static int compare_points(const void *left, const void *right)
{
	const struct gn_model_await *a = left, *b = right;

	/* awaits in the order of the code, then yields */
	if ((a->state < 0) != (b->state < 0))
		return a->state < 0 ? 1 : -1;
	if (a->state != b->state)
		return (a->state < b->state) == (a->state >= 0) ? -1 : 1;
	return 0;
}

static int compare_methods(const void *left, const void *right)
{
	const struct gn_model_async *a = left, *b = right;

	if (a->elapsed != b->elapsed)
		return a->elapsed > b->elapsed ? -1 : 1;
	return a->function < b->function ? -1 : a->function > b->function;
}

static void add_method(struct gn_model_async *to,
		       const struct gn_async_method *from, uint64_t last)
{
	to->starts += from->lives.begun;
	to->completions += from->lives.ended;
	to->faulted += from->faulted;
	to->older += from->older;
	to->in_flight += open_spans(&from->lives);
	if (from->most > to->most)
		to->most = from->most;
	to->elapsed += total(&from->lives, last, &to->gap);
}

/* Sets what the await waits for: a point of another method. */
static void add_inner(struct gn_model_await *to, const struct gn_asyncs *a,
		      const struct gn_async_point *from,
		      const uint32_t *function_of)
{
	const struct gn_async_point *inner;

	if (!from->inner)
		return;
	inner = &a->points[from->inner - 1];
	to->inner = (int32_t)function_of[a->methods[inner->method].fn];
	to->inner_state = inner->state;
}

int gn_async_lasts(struct gn_asyncs *a, uint32_t program, uint64_t time,
		   bool lost)
{
	int err = gn_grow_to(&a->programs, &a->nprograms, &a->programs_cap,
			     program, sizeof(*a->programs));

	if (err)
		return err;
	if (time > a->programs[program].end)
		a->programs[program].end = time;
	a->programs[program].lost |= lost;
	return 0;
}

/* The rows under construction. A hostile file can have a new point or method in
 * each record, so look-ups use tables. */
struct rows {
	const struct gn_asyncs *a;
	const struct gn_fn *fns;
	const uint32_t *function_of;
	struct gn_model *m;
	uint32_t *of;		     /* method -> row */
	struct gn_table by_function; /* function -> row */
	struct gn_table by_point; /* row << 32 | state -> index in its awaits */
};

static struct gn_async_program program_of(const struct rows *r, uint32_t fn)
{
	uint32_t program = r->fns[fn].program;

	return program < r->a->nprograms ? r->a->programs[program]
					 : (struct gn_async_program){0};
}

/* A function has one row, whichever processes ran it. */
static int find_row(struct rows *r, uint32_t function, uint32_t *out)
{
	*out = gn_table_get(&r->by_function, function);
	if (*out != GN_NONE)
		return 0;
	*out = (uint32_t)r->m->nasyncs;
	if (gn_table_put(&r->by_function, function, *out))
		return -ENOMEM;
	r->m->asyncs[r->m->nasyncs++].function = (int32_t)function;
	return 0;
}

static int add_methods(struct rows *r)
{
	for (uint32_t i = 0; i < r->a->nmethods; i++) {
		const struct gn_async_method *method = &r->a->methods[i];
		struct gn_async_program of = program_of(r, method->fn);

		if (find_row(r, r->function_of[method->fn], &r->of[i]))
			return -ENOMEM;
		add_method(&r->m->asyncs[r->of[i]], method, of.end);
		r->m->asyncs[r->of[i]].gap |= of.lost;
	}
	return 0;
}

/* Allocates each row's awaits for all its points, though some will merge. */
static int make_room(struct rows *r)
{
	struct gn_model *m = r->m;

	for (uint32_t i = 0; i < r->a->npoints; i++)
		m->asyncs[r->of[r->a->points[i].method]].nawaits++;
	for (size_t i = 0; i < m->nasyncs; i++) {
		struct gn_model_async *to = &m->asyncs[i];

		if (!to->nawaits)
			continue;
		to->awaits = calloc(to->nawaits, sizeof(*to->awaits));
		if (!to->awaits)
			return -ENOMEM;
		to->nawaits = 0;
	}
	return 0;
}

static int find_await(struct rows *r, uint32_t row, int32_t state,
		      struct gn_model_await **out)
{
	struct gn_model_async *to = &r->m->asyncs[row];
	uint64_t key = (uint64_t)row << 32 | (uint32_t)state;
	uint32_t i = gn_table_get(&r->by_point, key);

	if (i == GN_NONE) {
		i = (uint32_t)to->nawaits;
		if (gn_table_put(&r->by_point, key, i))
			return -ENOMEM;
		to->awaits[to->nawaits++] =
			(struct gn_model_await){.state = state, .inner = -1};
	}
	*out = &to->awaits[i];
	return 0;
}

static int add_points(struct rows *r)
{
	for (uint32_t i = 0; i < r->a->npoints; i++) {
		const struct gn_async_point *from = &r->a->points[i];
		uint32_t fn = r->a->methods[from->method].fn;
		uint32_t row = r->of[from->method];
		uint32_t line =
			gn_table_get(&r->a->lines, line_key(fn, from->state));
		struct gn_model_await *to;

		if (find_await(r, row, from->state, &to))
			return -ENOMEM;
		if (line != GN_NONE)
			to->line = line;
		to->count += from->waits.begun;
		to->older += from->older;
		to->waiting += open_spans(&from->waits);
		to->ns += total(&from->waits, program_of(r, fn).end,
				&r->m->asyncs[row].gap);
		add_inner(to, r->a, from, r->function_of);
	}
	return 0;
}

int gn_async_build(const struct gn_asyncs *a, const struct gn_fn *fns,
		   const uint32_t *function_of, struct gn_model *m)
{
	struct rows r = {
		.a = a, .fns = fns, .function_of = function_of, .m = m};
	int err = -ENOMEM;

	m->asyncs = calloc((size_t)a->nmethods + 1, sizeof(*m->asyncs));
	r.of = calloc((size_t)a->nmethods + 1, sizeof(*r.of));
	if (m->asyncs && r.of)
		err = add_methods(&r);
	if (!err)
		err = make_room(&r);
	if (!err)
		err = add_points(&r);
	gn_table_free(&r.by_function);
	gn_table_free(&r.by_point);
	free(r.of);
	return err;
}

void gn_async_order(struct gn_model *m)
{
	for (size_t i = 0; i < m->nasyncs; i++)
		if (m->asyncs[i].nawaits)
			qsort(m->asyncs[i].awaits, m->asyncs[i].nawaits,
			      sizeof(*m->asyncs[i].awaits), compare_points);
	if (m->nasyncs)
		qsort(m->asyncs, m->nasyncs, sizeof(*m->asyncs),
		      compare_methods);
}
