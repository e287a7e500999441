// SPDX-License-Identifier: BSD-2-Clause
#include "top/batch.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "output/emit.h"
#include "output/text.h"
#include "top/batch_head.h"
#include "top/view_columns.h"
#include "top/words.h"

/* X(enumerator, name, title, least width, it stands on the left). The classes
 * stand between CPU and CALLS. */
#define COLUMN_LIST(X)                         \
	X(PID, "pid", "PID", 7, 0)             \
	X(TID, "tid", "TID", 7, 0)             \
	X(NAME, "name", "NAME", 4, 1)          \
	X(RUNTIME, "runtime", "RUNTIME", 7, 1) \
	X(STATE, "state", "STATE", 8, 1)       \
	X(DOING, "doing", "DOING", 5, 1)       \
	X(SECONDS, "seconds", "SECONDS", 9, 0) \
	X(CPU, "cpu", "CPU", 5, 0)

#define TAIL_LIST(X)                        \
	X(CALLS, "calls", "CALLS/S", 11, 0) \
	X(NOW, "now", "NOW", 3, 1)          \
	X(MOST, "most", "MOST", 4, 1)

enum column {
#define COLUMN_ENUM(id, name, title, width, left) COLUMN_##id,
	COLUMN_LIST(COLUMN_ENUM)
		COLUMN_CLASS, /* in the order of gn_top_class_at() */
	COLUMN_LAST_CLASS = COLUMN_CLASS + GN_CLASS_COUNT - 1,
	TAIL_LIST(COLUMN_ENUM)
#undef COLUMN_ENUM
		COLUMN_COUNT
};

/* Names of generic methods can be very long: columns have a limit. */
#define WIDEST 40

static const struct {
	const char *title;
	size_t width;
	bool left;
} infos[COLUMN_COUNT] = {
#define COLUMN_INFO(id, name, title, width, left) \
	[COLUMN_##id] = {title, width, left},
	COLUMN_LIST(COLUMN_INFO) TAIL_LIST(COLUMN_INFO)
#undef COLUMN_INFO
};

struct row {
	const struct gn_model_thread *t;
	/* the sort key, ascending; text NULL: the number */
	const char *text;
	double number;
	char *word[COLUMN_COUNT]; /* of text columns */
};

struct batch {
	const struct gn_top_period *p;
	const struct gn_top_batch_opts *o;
	FILE *f;
	struct row *rows;
	size_t n, shown;
	size_t width[COLUMN_COUNT];
};

/* The words of the classes are their titles in small letters. */
static const char *const names[] = {
#define COLUMN_TEXT(id, name, title, width, left)   name,
#define CLASS_TEXT(id, value, text, group, meaning) text,
	COLUMN_LIST(COLUMN_TEXT) TAIL_LIST(COLUMN_TEXT)
		GN_CLASS_LIST(CLASS_TEXT)
#undef CLASS_TEXT
#undef COLUMN_TEXT
			NULL,
};

const char *const *gn_top_batch_columns(void)
{
	return names;
}

static int find_column(const char *name)
{
	if (!name)
		return COLUMN_CPU;
#define COLUMN_FIND(id, text, title, width, left) \
	if (!strcmp(name, text))                  \
		return COLUMN_##id;
	COLUMN_LIST(COLUMN_FIND)
	TAIL_LIST(COLUMN_FIND)
#undef COLUMN_FIND
	for (int i = 0; i < GN_CLASS_COUNT; i++) {
		if (!strcmp(name, gn_class_text(gn_top_class_at(i))))
			return COLUMN_CLASS + i;
	}
	return -EINVAL;
}

static const char *function_name(const struct gn_model *m, int32_t index)
{
	const struct gn_model_function *fn = gn_top_function(m, index);

	return fn ? fn->name : "";
}

static const char *doing(const struct gn_model_thread *t)
{
	return t->live && gn_top_state_does(t->live->state)
		       ? gn_class_text((int)t->live->doing)
		       : "";
}

/* The text of a column, NULL when it is a number's. */
static const char *text_of(const struct batch *b,
			   const struct gn_model_thread *t, int column)
{
	const struct gn_model *m = b->p->m;

	switch (column) {
	case COLUMN_NAME:
		return t->name;
	case COLUMN_RUNTIME:
		return strcmp(gn_top_runtime(m, t), "-") != 0
			       ? gn_top_runtime(m, t)
			       : "";
	case COLUMN_STATE:
		return gn_top_state_word(t->live ? t->live->state
						 : GN_THREAD_UNKNOWN);
	case COLUMN_DOING:
		return doing(t);
	case COLUMN_NOW:
		return function_name(m, gn_top_current(t));
	case COLUMN_MOST:
		return function_name(m, gn_top_hottest(t));
	default:
		return NULL;
	}
}

static double number_of(const struct batch *b, const struct gn_model_thread *t,
			int column)
{
	switch (column) {
	case COLUMN_PID:
		return t->pid;
	case COLUMN_TID:
		return t->tid;
	case COLUMN_SECONDS:
		return (double)t->elapsed / 1e9;
	case COLUMN_CPU:
		return gn_pct(gn_top_cpu_ns(t->classes), t->elapsed);
	case COLUMN_CALLS:
		return gn_top_rate(t->v.calls, b->p->length);
	default:
		return gn_pct(
			t->classes[gn_top_class_at(column - COLUMN_CLASS)],
			t->elapsed);
	}
}

static int up(uint64_t a, uint64_t b)
{
	return a < b ? -1 : a > b;
}

static int compare(const void *left, const void *right)
{
	const struct row *a = left, *b = right;
	int order = 0;

	if (a->text)
		order = strcmp(a->text, b->text);
	else if (a->number != b->number)
		order = a->number < b->number ? -1 : 1;
	if (!order)
		order = strcmp(a->t->name, b->t->name);
	if (!order)
		order = up(a->t->tid, b->t->tid);
	if (!order)
		order = up(a->t->pid, b->t->pid);
	/* a TID can come twice: it ended and was used again in the period */
	return order ? order : up(a->t->start, b->t->start);
}

static int make_rows(struct batch *b, int column)
{
	const struct gn_model *m = b->p->m;

	b->n = m->nthreads;
	b->shown = b->o->limit && b->o->limit < b->n ? b->o->limit : b->n;
	b->rows = calloc(b->n ? b->n : 1, sizeof(*b->rows));
	if (!b->rows)
		return -ENOMEM;
	for (size_t i = 0; i < b->n; i++) {
		struct row *r = &b->rows[i];

		r->t = &m->threads[i];
		r->text = text_of(b, r->t, column);
		if (r->text)
			continue;
		r->number = number_of(b, r->t, column);
		if (column != COLUMN_PID && column != COLUMN_TID)
			r->number = -r->number;
	}
	qsort(b->rows, b->n, sizeof(*b->rows), compare);
	return 0;
}

static const char *title_of(int column, char buf[GN_CELL])
{
	const char *text;
	size_t i = 0;

	if (column < COLUMN_CLASS || column > COLUMN_LAST_CLASS)
		return infos[column].title;
	text = gn_class_text(gn_top_class_at(column - COLUMN_CLASS));
	for (; text[i] && i < GN_CELL - 1; i++)
		buf[i] = text[i] >= 'a' && text[i] <= 'z'
				 ? (char)(text[i] - 'a' + 'A')
				 : text[i];
	buf[i] = '\0';
	return buf;
}

/* Makes the words of the rows to be shown, and the widths of the columns. */
static int make_words(struct batch *b)
{
	char title[GN_CELL];

	for (int c = 0; c < COLUMN_COUNT; c++) {
		bool class = c >= COLUMN_CLASS && c <= COLUMN_LAST_CLASS;

		b->width[c] = class ? 5 : infos[c].width;
		if (class && strlen(title_of(c, title)) > 5)
			b->width[c] = strlen(title);
	}
	for (size_t i = 0; i < b->shown; i++) {
		for (int c = 0; c < COLUMN_COUNT; c++) {
			const char *text = text_of(b, b->rows[i].t, c);
			size_t width;

			if (!text)
				continue;
			b->rows[i].word[c] = gn_top_word(text, b->o->utf8);
			if (!b->rows[i].word[c])
				return -ENOMEM;
			width = gn_text_width(b->rows[i].word[c]);
			if (width > b->width[c])
				b->width[c] = width < WIDEST ? width : WIDEST;
		}
	}
	return 0;
}

static void free_rows(struct batch *b)
{
	for (size_t i = 0; b->rows && i < b->shown; i++) {
		for (int c = 0; c < COLUMN_COUNT; c++)
			free(b->rows[i].word[c]);
	}
	free(b->rows);
}

static void put_blanks(FILE *f, size_t n)
{
	while (n--)
		fputc_unlocked(' ', f);
}

static void put_cell(const struct batch *b, int column, const char *text)
{
	bool left = infos[column].left; /* the classes' are numbers */
	size_t width = gn_text_width(text);
	size_t pad = width < b->width[column] ? b->width[column] - width : 0;

	if (column)
		fputc_unlocked(' ', b->f);
	if (!left)
		put_blanks(b->f, pad);
	fputs_unlocked(text, b->f);
	if (left && column + 1 < COLUMN_COUNT)
		put_blanks(b->f, pad);
}

static void put_titles(const struct batch *b)
{
	char title[GN_CELL];

	for (int c = 0; c < COLUMN_COUNT; c++)
		put_cell(b, c, title_of(c, title));
	fputc_unlocked('\n', b->f);
}

static void put_row(const struct batch *b, const struct row *r)
{
	char number[GN_CELL];
	int decimals;

	for (int c = 0; c < COLUMN_COUNT; c++) {
		if (r->word[c]) {
			put_cell(b, c, r->word[c]);
			continue;
		}
		decimals = c == COLUMN_PID || c == COLUMN_TID ? 0
			   : c == COLUMN_SECONDS	      ? 6
							      : 1;
		gn_format_fixed(number, number_of(b, r->t, c), decimals);
		put_cell(b, c, number);
	}
	fputc_unlocked('\n', b->f);
}

static int put_all(const struct batch *b)
{
	int err = gn_top_batch_head(b->p, b->shown, b->o->utf8, b->f);

	if (err)
		return err;
	put_titles(b);
	for (size_t i = 0; i < b->shown && !err; i++) {
		put_row(b, &b->rows[i]);
		err = gn_stream_status(b->f);
	}
	if (err)
		return err;
	fputc('\n', b->f);
	/* flushing reports no error when an earlier write failed already */
	fflush(b->f);
	return gn_stream_status(b->f);
}

int gn_top_batch(const struct gn_top_period *p,
		 const struct gn_top_batch_opts *o, FILE *f)
{
	struct batch b = {.p = p, .o = o, .f = f};
	int column = find_column(o->sort);
	int err;

	if (column < 0)
		return column;
	err = make_rows(&b, column);
	if (!err)
		err = make_words(&b);
	if (!err)
		err = put_all(&b);
	free_rows(&b);
	return err;
}
