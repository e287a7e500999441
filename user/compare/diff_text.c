/* SPDX-License-Identifier: BSD-2-Clause */
/* Differences as a table for people, and as Markdown. */
#include <errno.h>
#include <stdlib.h>

#include "compare/diff.h"
#include "compare/words.h"
#include "output/markup.h"
#include "output/text.h"

/* With this a row has 100 columns, unless the calls have many digits. */
#define NAME_WIDTH 27

struct cells {
	char base[GN_CELL], now[GN_CELL], change[GN_CELL], pct[GN_CELL],
		noise[GN_CELL], calls[GN_CELL];
};

/* "2,000", "2,000 > 2,200" */
static void format_calls(char buf[GN_CELL], const struct gn_diff_row *r)
{
	char base[GN_CELL], now[GN_CELL];

	gn_format_reading(base, GN_METRIC_calls, GN_READ_PLAIN,
			  r->calls[GN_BASE].value);
	gn_format_reading(now, GN_METRIC_calls, GN_READ_PLAIN,
			  r->calls[GN_NEW].value);
	if (r->kind == GN_DIFF_CLASS)
		*buf = '\0';
	else if (r->calls[GN_BASE].value == r->calls[GN_NEW].value)
		snprintf(buf, GN_CELL, "%s", now);
	else
		snprintf(buf, GN_CELL, "%.20s > %.20s", base, now);
}

static void fill(const struct gn_diff *d, const struct gn_diff_row *r,
		 struct cells *c)
{
	const struct gn_estimate *base = &r->of[GN_BASE], *now = &r->of[GN_NEW];
	char amount[GN_CELL];
	double change = now->value - base->value;

	gn_format_reading(c->base, r->metric, GN_READ_PLAIN, base->value);
	gn_format_reading(c->now, r->metric, GN_READ_PLAIN, now->value);
	gn_format_reading(amount, r->metric, GN_READ_PLAIN, change);
	snprintf(c->change, GN_CELL, "%s%.40s", change > 0 ? "+" : "", amount);
	/* an item of both sides can have no time on one of them */
	if (r->item->in[GN_BASE] && r->item->in[GN_NEW])
		gn_format_change(c->pct, base->value, now->value);
	else
		snprintf(c->pct, GN_CELL, "%s",
			 r->item->in[GN_NEW] ? "new" : "gone");
	*c->noise = '\0';
	if (gn_diff_knows_noise(d))
		gn_format_reading(c->noise, r->metric, GN_READ_PLAIN,
				  gn_diff_noise(base) + gn_diff_noise(now));
	format_calls(c->calls, r);
}

static const char *title(enum gn_diff_kind kind)
{
	static const char *const titles[GN_DIFF_KIND_COUNT] = {
		[GN_DIFF_TOTAL] = "Total",
		[GN_DIFF_CLASS] = "Classes, of all threads",
		[GN_DIFF_THREAD] = "Threads",
		[GN_DIFF_MODULE] = "Modules",
		[GN_DIFF_FUNCTION] = "Functions",
	};

	return titles[kind];
}

static const char *mark(const struct gn_diff *d, const struct gn_diff_row *r)
{
	return gn_diff_within_noise(d, r) ? "~" : "";
}

/* A class has the total's item, whose calls it does not count. */
static bool incomplete(const struct gn_diff *d, const struct gn_diff_row *r)
{
	return r->kind != GN_DIFF_CLASS && gn_diff_incomplete(d, r);
}

static void put_incomplete(const struct gn_diff *d, const char *what, FILE *f)
{
	for (size_t i = 0; i < d->nrows; i++) {
		if (!incomplete(d, &d->rows[i]))
			continue;
		fprintf(f,
			"\n%s: calls are missing in some captures, or may "
			"be; their reports tell why.\n",
			what);
		return;
	}
}

static void put_head(const struct gn_diff *d, FILE *f)
{
	fprintf(f, "%zu base and %zu new %s. ", d->c->runs[GN_BASE],
		d->c->runs[GN_NEW],
		gn_word(d->c->runs[GN_NEW], "capture", "captures"));
	if (gn_diff_knows_noise(d))
		fputs("Values are medians; the noise is the width of the\n"
		      "middle half, or the error because of probes if that is "
		      "more, of both sides\ntogether; ~ marks what is no more "
		      "than that.\n",
		      f);
	else
		fputs("How much of a change is noise cannot be\nknown from a "
		      "single capture a side: record both with -r 5.\n",
		      f);
	fprintf(f, "Modules and functions are compared by %s (--sort).\n",
		gn_metric_word(d->opts.metric));
}

static int table_row(const struct gn_diff *d, const struct gn_diff_row *r,
		     FILE *f)
{
	char *name = gn_escape(gn_diff_shown(r), d->opts.utf8);
	struct cells c;

	if (!name)
		return -ENOMEM;
	gn_text_shorten(name, NAME_WIDTH);
	fill(d, r, &c);
	fprintf(f, "%1s%1s %s%*s %10s %10s %11s %9s %10s  %s\n", mark(d, r),
		incomplete(d, r) ? "<" : "", name,
		(int)(NAME_WIDTH - gn_text_width(name)), "", c.base, c.now,
		c.change, c.pct, c.noise, c.calls);
	free(name);
	return gn_stream_status(f);
}

static void put_hidden(const struct gn_diff *d, enum gn_diff_kind kind, FILE *f)
{
	if (d->hidden[kind])
		fprintf(f, "  %zu more; --limit 0 shows all\n",
			d->hidden[kind]);
}

int gn_diff_table(const struct gn_diff *d, FILE *f)
{
	int err = 0, last = -1;

	put_head(d, f);
	for (size_t i = 0; i < d->nrows && !err; i++) {
		const struct gn_diff_row *r = &d->rows[i];

		if ((int)r->kind != last) {
			if (last >= 0)
				put_hidden(d, (enum gn_diff_kind)last, f);
			fprintf(f, "\n   %-*s %10s %10s %11s %9s %10s  %s\n",
				NAME_WIDTH, title(r->kind), "Base", "New",
				"Change", "", "Noise",
				r->kind == GN_DIFF_CLASS ? "" : "Calls");
		}
		last = (int)r->kind;
		err = table_row(d, r, f);
	}
	if (last >= 0)
		put_hidden(d, (enum gn_diff_kind)last, f);
	put_incomplete(d, "<", f);
	return err ? err : gn_stream_status(f);
}

static int markdown_row(const struct gn_diff *d, const struct gn_diff_row *r,
			FILE *f)
{
	struct cells c;
	int err;

	fill(d, r, &c);
	fputs("| ", f);
	err = gn_markdown_text(f, gn_diff_shown(r));
	fprintf(f, "%s | %s | %s | %s | %s%s%s | %s | %s |\n",
		incomplete(d, r) ? " (incomplete)" : "", c.base, c.now,
		c.change, mark(d, r), *mark(d, r) ? " " : "", c.pct, c.noise,
		c.calls);
	return err ? err : gn_stream_status(f);
}

int gn_diff_markdown(const struct gn_diff *d, FILE *f)
{
	int err = 0, last = -1;

	fputs("### gnomon diff\n\n", f);
	put_head(d, f);
	for (size_t i = 0; i < d->nrows && !err; i++) {
		const struct gn_diff_row *r = &d->rows[i];

		if ((int)r->kind != last)
			fprintf(f,
				"\n| %s | base | new | change | | noise | "
				"calls "
				"|\n|---|---:|---:|---:|---:|---:|---:|\n",
				title(r->kind));
		last = (int)r->kind;
		err = markdown_row(d, r, f);
	}
	put_incomplete(d, "incomplete", f);
	return err ? err : gn_stream_status(f);
}
