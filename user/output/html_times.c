/* SPDX-License-Identifier: BSD-2-Clause */
/* Writes the timeline's data element: threads with their spans, and lanes of
 * kept items. */
#include "output/html_times.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "model/mem.h"
#include "output/html.h"
#include "output/syscalls.h"

/* The page numbers functions by their index in the model. Functions that the
 * model lacks, such as those only compiled, follow. */
struct numbers {
	const struct gn_model *m;
	struct gn_html_times *w;
	uint32_t *sorted; /* the model's functions by name and module */
	uint32_t *more;	  /* fn of the functions that follow */
	uint32_t nmore, more_cap;
};

static int compare_names(const char *name, const char *module,
			 const struct gn_model_function *f)
{
	int order = strcmp(name, f->name);

	return order ? order : strcmp(module, f->module);
}

static int by_name(const void *left, const void *right, void *ctx)
{
	const struct gn_model_function *functions = ctx;
	const struct gn_model_function *a = &functions[*(const uint32_t *)left];
	const struct gn_model_function *b =
		&functions[*(const uint32_t *)right];

	return compare_names(a->name, a->module, b);
}

static int begin_numbers(struct numbers *n)
{
	size_t all = n->m->nfunctions;

	n->sorted = calloc(all + 1, sizeof(*n->sorted));
	if (!n->sorted)
		return -ENOMEM;
	for (size_t i = 0; i < all; i++)
		n->sorted[i] = (uint32_t)i;
	qsort_r(n->sorted, all, sizeof(*n->sorted), by_name, n->m->functions);
	for (uint32_t i = 0; i < n->w->nfunctions; i++)
		n->w->functions[i].index = INT32_MIN;
	return 0;
}

static int32_t find(const struct numbers *n, const struct gn_html_function *f)
{
	size_t low = 0, high = n->m->nfunctions;

	while (low < high) {
		size_t mid = low + (high - low) / 2;
		uint32_t i = n->sorted[mid];
		int order =
			compare_names(f->name, f->module, &n->m->functions[i]);

		if (!order)
			return (int32_t)i;
		if (order < 0)
			high = mid;
		else
			low = mid + 1;
	}
	return -1;
}

static int number(struct numbers *n, uint32_t fn, int32_t *out)
{
	struct gn_html_function *f;

	*out = -1;
	if (fn == GN_NONE)
		return 0;
	f = &n->w->functions[fn];
	if (f->index == INT32_MIN) {
		f->index = find(n, f);
		if (f->index < 0) {
			if (gn_grow(&n->more, &n->more_cap,
				    (size_t)n->nmore + 1, sizeof(*n->more)))
				return -ENOMEM;
			f->index = (int32_t)(n->m->nfunctions + n->nmore);
			n->more[n->nmore++] = fn;
		}
	}
	*out = f->index;
	return 0;
}

static void put_threads(struct gn_emit *e, const struct gn_html_times *w)
{
	gn_emit_open(e, "threads", '[');
	for (uint32_t i = 0; i < w->nthreads; i++) {
		const struct gn_html_thread *t = &w->threads[i];

		gn_emit_line(e);
		gn_emit_open(e, NULL, '{');
		gn_emit_u64(e, "pid", t->pid);
		gn_emit_u64(e, "tid", t->tid);
		gn_emit_text(e, "name", t->name ? t->name : "");
		gn_emit_text(e, "process", t->process ? t->process : "");
		gn_emit_u64(e, "start_ns", t->start);
		gn_emit_u64(e, "end_ns", t->end);
		gn_html_spans_put(&w->spans, i, e, "spans");
		gn_emit_close(e, '}');
	}
	gn_emit_close(e, ']');
}

/* The kept items of one lane, from `at` up to `end`. */
struct part {
	const struct gn_html_kept *at, *end;
};

static int put_functions(struct gn_emit *e, struct numbers *n,
			 const struct part *p)
{
	int err = 0;

	gn_emit_open(e, "function", '[');
	for (const struct gn_html_kept *k = p->at; k < p->end && !err; k++) {
		int32_t index;

		err = number(n, k->fn, &index);
		gn_emit_i64(e, NULL, index);
	}
	gn_emit_close(e, ']');
	return err;
}

#define COLUMN(e, key, p, value)                                           \
	do {                                                               \
		gn_emit_open(e, key, '[');                                 \
		for (const struct gn_html_kept *k = (p)->at; k < (p)->end; \
		     k++)                                                  \
			gn_emit_u64(e, NULL, value);                       \
		gn_emit_close(e, ']');                                     \
	} while (0)

/* Writes each start relative to the one before, which keeps numbers short. */
static void put_times(struct gn_emit *e, const struct part *p)
{
	uint64_t before = 0;

	gn_emit_open(e, "start", '[');
	for (const struct gn_html_kept *k = p->at; k < p->end; k++) {
		gn_emit_u64(e, NULL, k->start - before);
		before = k->start;
	}
	gn_emit_close(e, ']');
	COLUMN(e, "length", p, k->length);
}

static int put_lane(struct gn_emit *e, struct numbers *n, const struct part *p)
{
	static const char *const kinds[] = {
		[GN_HTML_CALLS] = "calls",
		[GN_HTML_SLICES] = "slices",
		[GN_HTML_DOES] = "does",
	};
	const struct gn_html_lane *lane = &n->w->lanes[p->at->lane];
	int err;

	gn_emit_line(e);
	gn_emit_open(e, NULL, '{');
	gn_emit_u64(e, "thread", lane->thread);
	gn_emit_text(e, "kind", kinds[lane->kind]);
	gn_emit_u64(e, "stack", lane->stack);
	put_times(e, p);
	err = put_functions(e, n, p);
	if (lane->kind == GN_HTML_SLICES) {
		COLUMN(e, "class", p, k->what >> 16);
		COLUMN(e, "syscall", p, k->what & 0xffff);
		COLUMN(e, "waker", p, k->waker);
	} else {
		COLUMN(e, "what", p, k->what);
	}
	gn_emit_close(e, '}');
	return err ? err : gn_stream_status(e->f);
}

static int put_lanes(struct gn_emit *e, struct numbers *n)
{
	const struct gn_html_keep *keep = &n->w->keep;
	const struct gn_html_kept *end = keep->kept + keep->n;
	struct part p = {.at = keep->kept};
	int err = 0;

	gn_emit_line(e);
	gn_emit_open(e, "lanes", '[');
	for (; p.at < end && !err; p.at = p.end) {
		for (p.end = p.at + 1;
		     p.end < end && p.end->lane == p.at->lane;)
			p.end++;
		err = put_lane(e, n, &p);
	}
	gn_emit_close(e, ']');
	return err;
}

static void put_syscalls(struct gn_emit *e, const struct gn_html_times *w)
{
	uint8_t told[(UINT16_MAX + 1) / 8] = {0};

	gn_emit_open(e, "syscalls", '{');
	for (uint32_t i = 0; i < w->keep.n; i++) {
		const struct gn_html_kept *k = &w->keep.kept[i];
		uint32_t nr = k->what & 0xffff;
		char key[8];

		if (w->lanes[k->lane].kind != GN_HTML_SLICES ||
		    told[nr / 8] & 1 << nr % 8 || !gn_syscall_text(nr))
			continue;
		told[nr / 8] |= (uint8_t)(1 << nr % 8);
		snprintf(key, sizeof(key), "%u", nr);
		gn_emit_text(e, key, gn_syscall_text(nr));
	}
	gn_emit_close(e, '}');
}

static void put_more(struct gn_emit *e, const struct numbers *n)
{
	gn_emit_open(e, "more_functions", '[');
	for (uint32_t i = 0; i < n->nmore; i++)
		gn_emit_text(e, NULL, n->w->functions[n->more[i]].shown);
	gn_emit_close(e, ']');
}

int gn_html_times_put(struct gn_html_times *w, const struct gn_model *m)
{
	struct numbers n = {.m = m, .w = w};
	struct gn_emit e;
	int err = begin_numbers(&n);

	gn_html_keep_sort(&w->keep);
	if (!err) {
		gn_html_begin_data(&e, w->f, "times");
		gn_emit_u64(&e, "origin_ns", w->spans.origin);
		gn_emit_u64(&e, "span_ns", w->spans.length);
		gn_emit_u64(&e, "spans", GN_HTML_SPANS);
		gn_emit_u64(&e, "calls", w->calls);
		gn_emit_u64(&e, "kept", w->keep.n);
		gn_emit_u64(&e, "left_out", w->keep.left_out);
		gn_emit_u64(&e, "shortest_ns", w->keep.shortest);
		put_threads(&e, w);
		err = put_lanes(&e, &n);
	}
	if (!err) {
		put_syscalls(&e, w);
		put_more(&e, &n);
		err = gn_html_end_data(&e);
	}
	free(n.sorted);
	free(n.more);
	return err;
}
