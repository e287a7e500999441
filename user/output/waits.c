/* SPDX-License-Identifier: BSD-2-Clause */
#include "output/waits.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "output/rows.h"
#include "output/syscalls.h"
#include "output/classes.h"
#include "output/text.h"

/* A table without -v shows this many reasons of a function, or one more if that
 * is the last. */
#define REASONS_USUAL 5

int gn_waits_group(const struct gn_model *m, struct gn_wait_groups *out)
{
	size_t n = m->nfunctions;

	out->wait = calloc(m->nwaits + 1, sizeof(*out->wait));
	out->first = calloc(n + 3, sizeof(*out->first));
	if (!out->wait || !out->first)
		return -ENOMEM;
	/* first[f + 3] counts (f begins at -1), then first[f + 2] is where the
	 * next wait goes */
	for (size_t i = 0; i < m->nwaits; i++) {
		int32_t f = m->waits[i].function;

		if (f < -1 || (f >= 0 && (size_t)f >= n))
			return -EBADMSG;
		out->first[f + 3]++;
	}
	for (size_t i = 2; i < n + 3; i++)
		out->first[i] += out->first[i - 1];
	for (size_t i = 0; i < m->nwaits; i++) {
		int32_t f = m->waits[i].function;

		out->wait[out->first[f + 2]++] = &m->waits[i];
	}
	return 0;
}

void gn_waits_clear(struct gn_wait_groups *w)
{
	free(w->wait);
	free(w->first);
}

const struct gn_model_wait *const *gn_waits_of(const struct gn_wait_groups *w,
					       int32_t function, size_t *n)
{
	size_t first = w->first[function + 1];

	*n = w->first[function + 2] - first;
	return w->wait + first;
}

/* Writes what was polled, and what ended the wait. */
static void put_polled(const struct gn_model_wait *w, FILE *f)
{
	static const char *const ends[GN_WAIT_END_COUNT] = {
		[GN_END_BY_UNKNOWN] = "end not known",
		[GN_END_BY_READY] = "ready",
		[GN_END_BY_TIMEOUT] = "timed out",
		[GN_END_BY_SIGNAL] = "ended by a signal",
	};

	switch (w->polled) {
	case GN_POLLED_UNKNOWN:
		fputs(" of what is not known", f);
		break;
	case GN_POLLED_NOTHING:
		fputs(" of nothing", f);
		break;
	case GN_POLLED_SEVERAL:
		fputs(" of several files", f);
		break;
	case GN_POLLED_GNOMON:
		fputs(" for gnomon, until probes were in place", f);
		break;
	default:
		fprintf(f, " of one file: %s", gn_polled_text((int)w->polled));
	}
	if ((unsigned int)w->end < GN_WAIT_END_COUNT)
		fprintf(f, "; %s", ends[w->end]);
}

static void put_waker(const struct gn_model *m, const struct gn_model_wait *w,
		      FILE *f)
{
	if (w->waker && w->waker_name[0])
		fprintf(f, "; woken by %s (%" PRIu32 ")", w->waker_name,
			w->waker);
	else if (w->waker)
		fprintf(f, "; woken by thread %" PRIu32 ", not traced",
			w->waker);
	else if (w->interpreter) /* so Python and Ruby wait, piece by piece */
		fputs("; timed out, to wait again", f);
	else if (w->class == GN_CLASS_LOCK || w->class == GN_CLASS_EVENT ||
		 w->class == GN_CLASS_IPC)
		fputs("; not woken by a traced thread", f);
	if (w->waker && w->waker_function >= 0 &&
	    (size_t)w->waker_function < m->nfunctions)
		fprintf(f, " in %s",
			gn_function_shown(&m->functions[w->waker_function]));
}

char *gn_wait_text(const struct gn_model *m, const struct gn_model_wait *w)
{
	const char *name = gn_syscall_text(w->reason);
	struct gn_text_stream stream;
	FILE *f = gn_text_stream_open(&stream);
	size_t size;
	char *text;

	if (!f)
		return NULL;
	fprintf(f, "%-8s  ", gn_class_text((int)w->class));
	if (name)
		fputs(name, f);
	else if (w->reason != GN_NO_SYSCALL)
		fprintf(f, "system call %u", w->reason);
	else if (w->class == GN_CLASS_DISK)
		fputs("page fault", f);
	else if (*gn_halt_text((int)w->halt))
		fprintf(f, "stopped by a %s", gn_halt_text((int)w->halt));
	else if (w->class == GN_CLASS_OTHER)
		fputs("in no system call", f);
	if (w->class == GN_CLASS_POLL)
		put_polled(w, f);
	if (w->idle)
		fputs("; an idle worker", f);
	if (w->interpreter)
		fputs(", the interpreter's lock", f);
	put_waker(m, w, f);
	text = gn_text_stream_close(&stream);
	if (!text)
		return NULL;
	size = stream.size;
	/* a class without details leaves blanks */
	while (size && text[size - 1] == ' ')
		text[--size] = '\0';
	return text;
}

/* Adds waits to a row's sums. */
static void sum(struct gn_row *row, const struct gn_model_wait *const *wait,
		size_t n)
{
	for (size_t i = 0; i < n; i++) {
		row->wait.ns += wait[i]->ns;
		row->wait.count += wait[i]->count;
		if (wait[i]->longest > row->wait.longest)
			row->wait.longest = wait[i]->longest;
	}
}

static int by_time(const void *left, const void *right)
{
	const struct gn_row *a = left, *b = right;

	if (a->wait.ns != b->wait.ns)
		return a->wait.ns < b->wait.ns ? 1 : -1;
	return a->id < b->id ? -1 : a->id > b->id;
}

/* Makes a row for each function that waited, in order. The id of a row is its
 * function + 1. */
static int add_functions(const struct gn_model *m,
			 const struct gn_output_opts *o,
			 const struct gn_wait_groups *w, struct gn_rows *out)
{
	static const struct gn_values none;
	size_t room = 0, n;

	for (int32_t f = -1; f < (int32_t)m->nfunctions; f++) {
		const struct gn_model_wait *const *wait = gn_waits_of(w, f, &n);
		struct gn_row *row;

		if (!n)
			continue;
		row = gn_rows_add(out, &room);
		if (!row)
			return -ENOMEM;
		gn_row_function(row, m, f, f < 0 ? &none : &m->functions[f].v);
		row->id = (uint32_t)(f + 1);
		sum(row, wait, n);
	}
	if (out->n && !o->sort)
		qsort(out->row, out->n, sizeof(*out->row), by_time);
	return gn_rows_order(out, o);
}

/* Adds a row below that of a function. `wait` NULL: a row for `more`
 * reasons. */
static struct gn_row *add_reason(const struct gn_model *m,
				 const struct gn_row *function,
				 const struct gn_model_wait *wait, size_t more,
				 struct gn_rows *out, size_t *room)
{
	struct gn_row *row = gn_rows_add(out, room);

	if (!row)
		return NULL;
	row->kind = GN_ROW_REASON;
	row->v = function->v;
	row->classes = function->classes;
	row->module = "";
	row->parent = -1;
	row->wait.of = wait;
	if (wait)
		row->own = gn_wait_text(m, wait);
	else if (asprintf(&row->own, "(%zu more; -v shows them)", more) < 0)
		row->own = NULL;
	row->name = row->own;
	return row->own ? row : NULL;
}

static int add_reasons(const struct gn_model *m, const struct gn_output_opts *o,
		       const struct gn_wait_groups *w,
		       const struct gn_row *function, struct gn_rows *out,
		       size_t *room)
{
	size_t n, shown;
	const struct gn_model_wait *const *wait =
		gn_waits_of(w, (int32_t)function->id - 1, &n);

	/* do not print "1 more": show that one */
	shown = o->verbose || n <= REASONS_USUAL + 1 ? n : REASONS_USUAL;
	for (size_t i = 0; i < shown; i++) {
		struct gn_row *row =
			add_reason(m, function, wait[i], 0, out, room);

		if (!row)
			return -ENOMEM;
		sum(row, &wait[i], 1);
	}
	if (shown < n) {
		struct gn_row *row =
			add_reason(m, function, NULL, n - shown, out, room);

		if (!row)
			return -ENOMEM;
		sum(row, wait + shown, n - shown);
	}
	return 0;
}

int gn_rows_waits(const struct gn_model *m, const struct gn_output_opts *o,
		  struct gn_rows *out)
{
	struct gn_rows functions = {0};
	struct gn_wait_groups w = {0};
	size_t room = 0;
	int err = gn_waits_group(m, &w);

	if (!err)
		err = add_functions(m, o, &w, &functions);
	out->limited = functions.limited;
	for (size_t i = 0; !err && i < functions.n; i++) {
		struct gn_row *row = gn_rows_add(out, &room);

		if (!row) {
			err = -ENOMEM;
			break;
		}
		*row = functions.row[i];
		err = add_reasons(m, o, &w, &functions.row[i], out, &room);
	}
	gn_rows_clear(&functions);
	gn_waits_clear(&w);
	return err;
}
