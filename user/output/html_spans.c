/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>

#include "model/mem.h"
#include "output/classes.h"
#include "output/html_times.h"

#define FIRST_LENGTH 1024

/* Merges each pair of spans. */
static void fold(int64_t *ns)
{
	int i;

	for (i = 0; i < GN_HTML_SPANS / 2; i++)
		ns[i] = ns[2 * i] + ns[2 * i + 1];
	for (; i < GN_HTML_SPANS; i++)
		ns[i] = 0;
}

static void reach(struct gn_html_spans *s, uint64_t end)
{
	while ((end - 1) / s->length >= GN_HTML_SPANS) {
		for (uint32_t i = 0; i < s->nrows; i++)
			for (int c = 0; c < GN_CLASS_COUNT; c++)
				if (s->rows[i].ns[c])
					fold(s->rows[i].ns[c]);
		s->length *= 2;
	}
}

static int64_t *row(struct gn_html_spans *s, uint32_t thread,
		    enum gn_class class)
{
	int64_t **ns;

	if (gn_grow_to(&s->rows, &s->nrows, &s->rows_cap, thread,
		       sizeof(*s->rows)))
		return NULL;
	ns = &s->rows[thread].ns[class];
	if (!*ns)
		*ns = calloc(GN_HTML_SPANS, sizeof(**ns));
	return *ns;
}

/* The rest of a stretch of time that is split at the spans' borders. */
struct part {
	uint64_t start, end; /* since the origin */
	uint64_t before;     /* time before the origin: counts in the first
			      * span */
};

static struct part part_of(struct gn_html_spans *s, uint64_t start,
			   uint64_t end)
{
	struct part p = {0};

	if (!s->length) {
		s->length = FIRST_LENGTH;
		s->origin = start;
	}
	if (start < s->origin)
		p.before = (end < s->origin ? end : s->origin) - start;
	p.start = start > s->origin ? start - s->origin : 0;
	p.end = end > s->origin ? end - s->origin : 0;
	if (p.end)
		reach(s, p.end);
	return p;
}

/* Takes the next span: sets its number and the time in it. False at the end. */
static bool next_span(const struct gn_html_spans *s, struct part *p,
		      uint32_t *span, int64_t *ns)
{
	uint64_t end;

	*span = (uint32_t)(p->start / s->length);
	end = (*span + (uint64_t)1) * s->length;
	if (end > p->end)
		end = p->end;
	if (p->before) {
		*span = 0;
		*ns = (int64_t)p->before;
		p->before = 0;
		return true;
	}
	if (p->start >= p->end)
		return false;
	*ns = (int64_t)(end - p->start);
	p->start = end;
	return true;
}

int gn_html_spans_add(struct gn_html_spans *s, uint32_t thread,
		      enum gn_class class, uint64_t start, uint64_t end)
{
	struct part p;
	uint32_t span;
	int64_t *to, ns;

	if (start >= end)
		return 0;
	to = row(s, thread, class);
	if (!to)
		return -ENOMEM;
	p = part_of(s, start, end);
	while (next_span(s, &p, &span, &ns))
		to[span] += ns;
	return 0;
}

int gn_html_spans_move(struct gn_html_spans *s, uint32_t thread,
		       const enum gn_class from[2], enum gn_class to, bool all,
		       uint64_t start, uint64_t end)
{
	int64_t *first, *second, *target, ns;
	struct part p;
	uint32_t span;

	if (start >= end)
		return 0;
	first = row(s, thread, from[0]);
	second = row(s, thread, from[1]);
	target = row(s, thread, to);
	if (!first || !second || !target)
		return -ENOMEM;
	p = part_of(s, start, end);
	while (next_span(s, &p, &span, &ns)) {
		int64_t one = ns < first[span] ? ns : first[span];
		int64_t rest = ns - one, two;

		first[span] -= one;
		two = rest < second[span] ? rest : second[span];
		second[span] -= two;
		target[span] += all ? ns : one + two;
	}
	return 0;
}

void gn_html_spans_put(const struct gn_html_spans *s, uint32_t thread,
		       struct gn_emit *e, const char *key)
{
	gn_emit_open(e, key, '{');
	for (int c = 0; thread < s->nrows && c < GN_CLASS_COUNT; c++) {
		const int64_t *ns = s->rows[thread].ns[c];

		if (!ns)
			continue;
		gn_emit_open(e, gn_class_text(c), '[');
		for (uint32_t i = 0; i < GN_HTML_SPANS; i++) {
			if (!ns[i])
				continue;
			gn_emit_u64(e, NULL, i);
			gn_emit_i64(e, NULL, ns[i]);
		}
		gn_emit_close(e, ']');
	}
	gn_emit_close(e, '}');
}

void gn_html_spans_free(struct gn_html_spans *s)
{
	for (uint32_t i = 0; i < s->nrows; i++)
		for (int c = 0; c < GN_CLASS_COUNT; c++)
			free(s->rows[i].ns[c]);
	free(s->rows);
}
