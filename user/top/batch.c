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

/* Columns with their minimum width. The classes come between the time on a CPU
 * and the calls. */
static const struct {
	int id;
	size_t width;
} head[] =
	{
		{GN_COLUMN_PID, 7},    {GN_COLUMN_TID, 7},
		{GN_COLUMN_NAME, 4},   {GN_COLUMN_RUNTIME, 7},
		{GN_COLUMN_STATE, 8},  {GN_COLUMN_DOING, 5},
		{GN_COLUMN_LENGTH, 9}, {GN_COLUMN_ON_CPU, 5},
},
  tail[] = {
	  {GN_COLUMN_CALLS, 11},
	  {GN_COLUMN_NOW, 3},
	  {GN_COLUMN_MOST, 4},
};

#define HEAD	(int)(sizeof(head) / sizeof(head[0]))
#define TAIL	(HEAD + GN_CLASS_COUNT)
#define COLUMNS (TAIL + (int)(sizeof(tail) / sizeof(tail[0])))

/* The largest width of a column, because names of generic methods can be very
 * long. */
#define WIDEST 40

/* The i-th column; enum gn_column_id. */
static int column_at(int i)
{
	if (i < HEAD)
		return head[i].id;
	return i < TAIL ? GN_COLUMN_CLASS + gn_class_at(i - HEAD)
			: tail[i - TAIL].id;
}

struct row {
	struct gn_row r;
	/* the sort key, ascending; text NULL: the number */
	const char *text;
	double number;
	char *word[COLUMNS]; /* of text columns */
};

struct batch {
	const struct gn_top_period *p;
	const struct gn_top_batch_opts *o;
	FILE *f;
	struct row *rows;
	size_t n, shown;
	size_t width[COLUMNS];
};

const char *gn_top_batch_column(size_t i)
{
	return i < (size_t)COLUMNS ? gn_column_name(column_at((int)i)) : NULL;
}

static int find_column(const char *name)
{
	if (!name)
		return GN_COLUMN_ON_CPU;
	for (int i = 0; i < COLUMNS; i++) {
		if (!strcmp(name, gn_column_name(column_at(i))))
			return column_at(i);
	}
	return -EINVAL;
}

/* The text of a column; NULL if it is a number. Here the state and what a
 * thread does have columns of their own. */
static const char *text_of(const struct batch *b, const struct gn_row *r,
			   int column)
{
	const struct gn_model_live *live = r->thread->live;

	if (column == GN_COLUMN_STATE)
		return gn_top_state_word(live ? live->state
					      : GN_THREAD_UNKNOWN);
	return gn_column_text(b->p->m, r, column);
}

static double number_of(const struct batch *b, const struct gn_row *r,
			int column)
{
	uint64_t value = gn_column_value(r, column);

	switch (column) {
	case GN_COLUMN_PID:
	case GN_COLUMN_TID:
		return (double)value;
	case GN_COLUMN_LENGTH:
		return (double)value / 1e9;
	case GN_COLUMN_CALLS:
		return gn_top_rate(value, b->p->length);
	default:
		return gn_pct(value, gn_row_own(r));
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
		order = strcmp(a->r.name, b->r.name);
	if (!order)
		order = up(a->r.tid, b->r.tid);
	if (!order)
		order = up(a->r.pid, b->r.pid);
	/* a TID can occur twice: its thread ended and it was reused in the
	 * period */
	return order ? order : up(a->r.thread->start, b->r.thread->start);
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

		gn_row_make(&r->r, m, GN_BY_THREAD, (uint32_t)i);
		r->text = text_of(b, &r->r, column);
		if (r->text)
			continue;
		r->number = number_of(b, &r->r, column);
		if (!gn_top_column_up(column))
			r->number = -r->number;
	}
	qsort(b->rows, b->n, sizeof(*b->rows), compare);
	return 0;
}

/* The column's name in capitals. */
static void title_of(int i, char buf[GN_CELL])
{
	snprintf(buf, GN_CELL, "%s%s", gn_column_name(column_at(i)),
		 column_at(i) == GN_COLUMN_CALLS ? "/s" : "");
	for (; *buf; buf++)
		if (*buf >= 'a' && *buf <= 'z')
			*buf = (char)(*buf - 'a' + 'A');
}

static size_t least_width(int i)
{
	size_t width = strlen(gn_column_name(column_at(i)));

	if (i < HEAD)
		return head[i].width;
	return i >= TAIL ? tail[i - TAIL].width : width > 5 ? width : 5;
}

/* Makes the words of the rows to be shown, and the widths of the columns. */
static int make_words(struct batch *b)
{
	for (int c = 0; c < COLUMNS; c++)
		b->width[c] = least_width(c);
	for (size_t i = 0; i < b->shown; i++) {
		for (int c = 0; c < COLUMNS; c++) {
			const char *text =
				text_of(b, &b->rows[i].r, column_at(c));
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
		for (int c = 0; c < COLUMNS; c++)
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
	bool left = gn_column_show(column_at(column)) == GN_SHOW_TEXT;
	size_t width = gn_text_width(text);
	size_t pad = width < b->width[column] ? b->width[column] - width : 0;

	if (column)
		fputc_unlocked(' ', b->f);
	if (!left)
		put_blanks(b->f, pad);
	fputs_unlocked(text, b->f);
	if (left && column + 1 < COLUMNS)
		put_blanks(b->f, pad);
}

static void put_titles(const struct batch *b)
{
	char title[GN_CELL];

	for (int c = 0; c < COLUMNS; c++) {
		title_of(c, title);
		put_cell(b, c, title);
	}
	fputc_unlocked('\n', b->f);
}

static void put_row(const struct batch *b, const struct row *r)
{
	char number[GN_CELL];
	int id, decimals;

	for (int c = 0; c < COLUMNS; c++) {
		if (r->word[c]) {
			put_cell(b, c, r->word[c]);
			continue;
		}
		id = column_at(c);
		decimals = gn_column_show(id) == GN_SHOW_ID ? 0
			   : id == GN_COLUMN_LENGTH	    ? 6
							    : 1;
		gn_format_fixed(number, number_of(b, &r->r, id), decimals);
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
