// SPDX-License-Identifier: BSD-2-Clause
/* Calls for people. A call with inner calls has a line for its begin and one
 * for its end; other calls have one line. */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "output/calls.h"
#include "output/classes.h"
#include "output/header.h"
#include "output/output.h"
#include "output/short_name.h"
#include "output/text.h"

/* Deeper calls are not indented further; they show their level instead. */
#define INDENT_MAX 40
/* The least room for a call behind its indentation. */
#define CALL_CELLS 24
/* Lines of fewer cells have one class of time, not two. */
#define WIDE 120

/* Whether lines are shortened to the width. */
static bool fits(const struct gn_timeline_opts *o)
{
	return o->width > 0 && !o->verbose;
}

static int classes_cells(const struct gn_timeline_opts *o)
{
	return fits(o) && o->width < WIDE ? 10 : 20;
}

/* The cells before a call, as in put_titles(). */
static size_t prefix_cells(const struct gn_timeline_opts *o)
{
	return (size_t)((o->ns ? 14 : 11) + 1 + 14 + 1 + classes_cells(o) + 1 +
			7 + 2);
}

/* The cells for a call without indentation. */
static size_t call_room(const struct gn_timeline_opts *o)
{
	size_t prefix = prefix_cells(o);

	return (size_t)o->width > prefix + CALL_CELLS
		       ? (size_t)o->width - prefix
		       : CALL_CELLS;
}

/* The most levels that are indented. */
static uint32_t indented(const struct gn_timeline_opts *o)
{
	size_t most = fits(o) ? (call_room(o) - CALL_CELLS) / 2 : INDENT_MAX;

	return most < INDENT_MAX ? (uint32_t)most : INDENT_MAX;
}

/* Prints the titles above what put_time(), put_classes() and put_call()
 * print. */
static int put_titles(void *ctx)
{
	const struct gn_calls_out *out = ctx;

	if (!out->opts->bare)
		fprintf(out->f, "#%*s %14s %-*s %7s  call\n",
			out->opts->ns ? 13 : 10, "seconds", "elapsed",
			classes_cells(out->opts), "spent on", "tid");
	return gn_stream_status(out->f);
}

static int set_name(void *ctx, struct gn_calls_function *f)
{
	const struct gn_timeline_opts *o = ((struct gn_calls_out *)ctx)->opts;
	char *text = gn_escape(o->verbose ? f->name : f->shown, o->utf8);

	free(f->text);
	f->text = text;
	return text ? 0 : -ENOMEM;
}

static void put_time(FILE *f, const struct gn_calls_thread *t, uint64_t time,
		     bool ns)
{
	uint64_t since = time > t->start ? time - t->start : 0;
	unsigned int part = (unsigned int)(since % 1000000000);

	fprintf(f, "%4" PRIu64 ".%0*u ", since / 1000000000, ns ? 9 : 6,
		ns ? part : part / 1000);
}

/* Prints the one or two classes with most of the call's time. */
static void put_classes(FILE *f, const struct gn_calls_sums *own, int cells)
{
	char text[2 * GN_CELL] = "";
	int used = 0, last = -1;

	for (int n = 0; n < (cells < 20 ? 1 : 2); n++) {
		int most = -1;
		uint64_t pct;

		for (int i = 0; i < GN_CLASS_COUNT; i++) {
			int k = gn_class_at(i);

			if (k != last && own->classes[k] &&
			    (most < 0 || own->classes[k] > own->classes[most]))
				most = k;
		}
		if (most < 0)
			break;
		pct = (uint64_t)((double)own->classes[most] * 100 /
				 (double)own->elapsed);
		if (n && !pct)
			break;
		used += snprintf(text + used, sizeof(text) - (size_t)used,
				 "%s%s %" PRIu64 "%%", n ? " " : "",
				 gn_class_short(most), pct);
		last = most;
	}
	fprintf(f, " %-*s", cells, text);
}

/* Prints a thread's name before its first call. */
static int put_thread(FILE *f, struct gn_calls_thread *t, bool utf8)
{
	char *name, *process;
	int err = 0;

	if (t->told)
		return 0;
	t->told = true;
	name = gn_escape(t->name, utf8);
	process = gn_escape(t->process_name, utf8);
	if (name && process && !*name) /* the name is not known yet */
		fprintf(f, "# thread %u is of process %u\n", t->tid, t->pid);
	else if (name && process)
		fprintf(f, "# thread %u, %s, is of process %u, %s\n", t->tid,
			name, t->pid, process);
	else
		err = -ENOMEM;
	free(name);
	free(process);
	return err;
}

/* Prints what precedes the call. Returns the cells left for the call. */
static size_t put_call(const struct gn_calls_out *out, const struct gn_call *c)
{
	uint32_t level = c->level - 1, most = indented(out->opts);
	int used;

	fprintf(out->f, " %7u  ", c->thread->tid);
	if (level > most)
		used = fprintf(out->f, "%*s[%u] ", (int)(2 * most), "",
			       c->level);
	else
		used = fprintf(out->f, "%*s", (int)(2 * level), "");
	return (size_t)used < call_room(out->opts)
		       ? call_room(out->opts) - (size_t)used
		       : 0;
}

static void put_value(const struct gn_calls_out *out,
		      const struct gn_call_value *v)
{
	const struct gn_calls_function *class = gn_call_class(out, v);
	char number[GN_CELL], *text;

	if (v->flags & GN_F_UNREADABLE) {
		fputs("unreadable", out->f);
	} else if (v->type == GN_VALUE_CLASS && !v->number) {
		fputs("null", out->f);
	} else if (class) {
		fputs(class->text, out->f);
	} else if (v->type != GN_VALUE_STR) {
		gn_call_number(number, v);
		fputs(number, out->f);
	} else if (!v->number) {
		fputs("NULL", out->f);
	} else {
		text = gn_escape_string(v->text, v->len, out->opts->utf8);
		fprintf(out->f, "\"%s\"%s", text ? text : "",
			v->flags & GN_F_CUT ? "..." : "");
		free(text);
	}
}

/* Floating-point parameters are numbered separately. */
static void put_which(FILE *f, const struct gn_call_value *v)
{
	if (v->which == GN_VALUE_THIS)
		fputs("this=", f);
	else
		fprintf(f, "arg%u%s=", v->which,
			v->type == GN_VALUE_F32	  ? "/f32"
			: v->type == GN_VALUE_F64 ? "/f64"
						  : "");
}

/* Names include the parameters in many languages; the arguments replace them.
 * `room`: cells for the name. */
static int put_name(const struct gn_calls_out *out, const struct gn_call *c,
		    bool arguments, size_t room)
{
	bool shortens = fits(out->opts);
	const char *name = c->function->text, *between = "";
	char *shorter = shortens ? gn_short_name(name, room) : NULL;
	size_t all, len, shown = 0;

	if (shortens && !shorter)
		return -ENOMEM;
	name = shorter ?: name;
	all = strlen(name);
	len = gn_name_parameters(name);
	for (size_t i = 0; i < c->nvalues && arguments; i++)
		shown += c->values[i].which > 0;
	fprintf(out->f, "%.*s", (int)(shown ? len : all), name);
	free(shorter);
	if (!shown) {
		fputs(len < all ? "" : "()", out->f);
		return 0;
	}
	fputc('(', out->f);
	for (size_t i = 0; i < c->nvalues; i++) {
		if (!c->values[i].which)
			continue;
		fputs(between, out->f);
		put_which(out->f, &c->values[i]);
		put_value(out, &c->values[i]);
		between = ", ";
	}
	fputc(')', out->f);
	return 0;
}

static void put_result(const struct gn_calls_out *out, const struct gn_call *c)
{
	for (size_t i = 0; i < c->nvalues; i++) {
		if (c->values[i].which)
			continue;
		fputs(" = ", out->f);
		put_value(out, &c->values[i]);
		return;
	}
}

/* Ends the line. Adds a comment with how the call began and ended (NULL: as
 * usual), and with -v its source. */
static int put_notes(const struct gn_calls_out *out, const struct gn_call *c,
		     const char *begin, const char *end)
{
	const struct gn_calls_function *fn = c->function;
	char *file = NULL;

	if (out->opts->verbose && fn->file) {
		file = gn_escape(fn->file, out->opts->utf8);
		if (!file)
			return -ENOMEM;
	}
	if (begin || end || file)
		fprintf(out->f, " /* %s%s%s%s", begin ?: "",
			begin && end ? ", " : "", end ?: "",
			(begin || end) && file ? ", " : "");
	if (file)
		fprintf(out->f, "%s:%" PRIu32, file, fn->line);
	fputs(begin || end || file ? " */\n" : "\n", out->f);
	free(file);
	return 0;
}

static const char *begin_text(const struct gn_call *c)
{
	return c->begin == GN_BEGIN_INHERITED ? "inherited"
	       : c->begin == GN_BEGIN_RESUMED ? "resumed"
					      : NULL;
}

/* The cells of `room` that a text leaves free. */
static size_t beside(size_t room, const char *text)
{
	size_t len = strlen(text);

	return room > len ? room - len : 0;
}

static int open_call(void *ctx, const struct gn_call *c)
{
	const struct gn_calls_out *out = ctx;
	int err = put_thread(out->f, c->thread, out->opts->utf8);
	size_t room;

	put_time(out->f, c->thread, c->start, out->opts->ns);
	fprintf(out->f, "%14s %-*s", "", classes_cells(out->opts), "");
	room = put_call(out, c);
	if (!err)
		err = put_name(out, c, true, beside(room, "() {"));
	fputs(" {", out->f);
	if (!err)
		err = put_notes(out, c, begin_text(c), NULL);
	return err ? err : gn_stream_status(out->f);
}

static int close_call(void *ctx, const struct gn_call *c, bool opened)
{
	const struct gn_calls_out *out = ctx;
	const char *how = gn_timeline_end_text(c->how);
	char elapsed[GN_CELL];
	size_t room;
	int err = put_thread(out->f, c->thread, out->opts->utf8);

	gn_format_time(elapsed, c->own.elapsed, out->opts->ns);
	put_time(out->f, c->thread, opened ? c->end : c->start, out->opts->ns);
	fprintf(out->f, "%14s", elapsed);
	put_classes(out->f, &c->own, classes_cells(out->opts));
	room = put_call(out, c);
	if (opened)
		fputs("}", out->f);
	else if (!err)
		err = put_name(out, c, true, beside(room, "();"));
	put_result(out, c);
	if (opened) {
		fputs(" /* ", out->f);
		if (!err)
			err = put_name(out, c, false,
				       beside(room, "} /* () */"));
	}
	if (opened) {
		fprintf(out->f, "%s%s */\n", how ? ": " : "", how ? how : "");
	} else {
		fputc(';', out->f);
		if (!err)
			err = put_notes(out, c, begin_text(c), how);
	}
	return err ? err : gn_stream_status(out->f);
}

static int lost(void *ctx, struct gn_calls_thread *t, uint64_t start,
		uint64_t end)
{
	const struct gn_calls_out *out = ctx;
	char length[GN_CELL];
	int err = put_thread(out->f, t, out->opts->utf8);

	gn_format_duration(length, end - start, out->opts->ns);
	put_time(out->f, t, start, out->opts->ns);
	fprintf(out->f, "%14s %-*s %7u  # records were lost within %s\n", "",
		classes_cells(out->opts), "", t->tid, length);
	return err ? err : gn_stream_status(out->f);
}

static void put_moved(const struct gn_model *m, FILE *f)
{
	bool moved = false;

	for (size_t i = 0; i < m->nfunctions && !moved; i++)
		moved = m->functions[i].v.moved;
	if (moved)
		fputs("# calls moved to other threads or stacks, as in Go: "
		      "their times and\n"
		      "# callers can be wrong\n",
		      f);
}

static int finish(void *ctx, const struct gn_model *m, uint64_t shown,
		  uint64_t all)
{
	const struct gn_calls_out *out = ctx;
	char a[GN_CELL], b[GN_CELL];

	gn_format_count(a, shown);
	gn_format_count(b, all);
	if (!out->opts->bare)
		fprintf(out->f, "# %s %s of %s\n", a,
			gn_word(shown, "call", "calls"), b);
	put_moved(m, out->f);
	if (gn_model_lossy(m))
		fprintf(out->f, "# INCOMPLETE: records were lost\n");
	gn_header_late(m,
		       &(struct gn_output_opts){.utf8 = out->opts->utf8,
						.ns = out->opts->ns},
		       out->f);
	return gn_stream_status(out->f);
}

const struct gn_calls_writer gn_calls_table = {
	.begin = put_titles,
	.name = set_name,
	.open = open_call,
	.close = close_call,
	.lost = lost,
	.finish = finish,
};
