/* SPDX-License-Identifier: BSD-2-Clause */
/* Verdicts as a table, as Markdown, and for GitHub Actions. */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "compare/judge.h"
#include "compare/words.h"
#include "output/markup.h"
#include "output/text.h"

static const char *judged_text(enum gn_judged judged)
{
	static const char *const texts[GN_JUDGED_COUNT] = {
		[GN_JUDGED_OK] = "ok",
		[GN_JUDGED_UNKNOWN] = "unknown",
		[GN_JUDGED_BREACHED] = "breached",
	};

	return texts[judged];
}

static bool compares(const struct gn_verdict *v)
{
	return v->limit->kind >= GN_LIMIT_OVER_PCT;
}

static enum gn_reading reading_of(const struct gn_verdict *v)
{
	return v->limit->kind == GN_LIMIT_SHARE ? GN_READ_SHARE
						: v->limit->reading;
}

static void format(char buf[GN_CELL], const struct gn_verdict *v, double value)
{
	gn_format_reading(buf, v->limit->metric, reading_of(v), value);
}

/* The limit as in the file. A count has no text, because it has no quotes. */
static void format_limit(char buf[GN_CELL], const struct gn_limit *l)
{
	if (l->text)
		snprintf(buf, GN_CELL, "%s", l->text);
	else
		snprintf(buf, GN_CELL, "%.0f", l->value);
}

static const char *subject(const struct gn_verdict *v)
{
	return v->rule->part == GN_PART_TOTAL ? "total" : v->shown;
}

char *gn_verdict_name(const struct gn_verdict *v)
{
	char limit[GN_CELL], *text = NULL;

	format_limit(limit, v->limit);
	return asprintf(&text, "%s: %s %s", subject(v), v->limit->word, limit) <
			       0
		       ? NULL
		       : text;
}

char *gn_verdict_text(const struct gn_verdict *v)
{
	char now[GN_CELL], most[GN_CELL], base[GN_CELL], limit[GN_CELL];
	char *text = NULL;
	int n;

	format(now, v, v->of[GN_NEW].value);
	format(most, v, v->most);
	format(base, v, v->of[GN_BASE].value);
	format_limit(limit, v->limit);
	if (v->why)
		n = asprintf(&text, "%s of %s cannot be judged: %s",
			     v->limit->word, subject(v), v->why);
	else if (compares(v))
		n = asprintf(
			&text,
			"%s of %s is %s; the budget allows %s (%s over the "
			"base's %s)",
			v->limit->word, subject(v), now, most, limit, base);
	else
		n = asprintf(&text, "%s of %s is %s; the budget allows %s",
			     v->limit->word, subject(v), now, limit);
	return n < 0 ? NULL : text;
}

/* --- rows --- */

enum { STATE, WHAT, METRIC, LIMIT, BASE, NOW, CHANGE, COLUMNS };

struct cells {
	char state[GN_CELL], limit[GN_CELL], base[GN_CELL], now[GN_CELL],
		change[GN_CELL];
};

static void fill(struct cells *c, const struct gn_verdict *v)
{
	const struct gn_estimate *base = &v->of[GN_BASE], *now = &v->of[GN_NEW];

	snprintf(c->state, GN_CELL, "%s", judged_text(v->judged));
	format_limit(c->limit, v->limit);
	*c->base = *c->now = *c->change = '\0';
	if (now->n)
		format(c->now, v, now->value);
	if (!base->n || !compares(v))
		return;
	format(c->base, v, base->value);
	if (now->n)
		gn_format_change(c->change, base->value, now->value);
	else
		snprintf(c->change, GN_CELL, "gone");
}

static char *what(const struct gn_verdict *v)
{
	char *plain = gn_escape(subject(v), true);

	if (plain)
		gn_text_shorten(plain, 40);
	return plain;
}

/* Cells of the columns. */
struct widths {
	int name, word, limit, base, now, change;
};

static void widen(int *width, const char *text)
{
	int cells = (int)gn_text_width(text);

	if (cells > *width)
		*width = cells;
}

static int measure(const struct gn_verdicts *v, struct widths *w)
{
	struct cells c;

	*w = (struct widths){0, 0, 5, 4, 3, 6}; /* of the titles */
	for (size_t i = 0; i < v->n; i++) {
		char *name = what(&v->at[i]);

		if (!name)
			return -ENOMEM;
		widen(&w->name, name);
		free(name);
		fill(&c, &v->at[i]);
		widen(&w->word, v->at[i].limit->word);
		widen(&w->limit, c.limit);
		widen(&w->base, c.base);
		widen(&w->now, c.now);
		widen(&w->change, c.change);
	}
	return 0;
}

static int table_row(const struct gn_verdict *v, const struct widths *w,
		     FILE *f)
{
	char *name = what(v);
	struct cells c;

	if (!name)
		return -ENOMEM;
	fill(&c, v);
	fprintf(f, "%-9s%s%*s  %-*s  %*s  %*s  %*s  %*s\n", c.state, name,
		w->name - (int)gn_text_width(name), "", w->word, v->limit->word,
		w->limit, c.limit, w->base, c.base, w->now, c.now, w->change,
		c.change);
	if (v->why)
		fprintf(f, "         %s\n", v->why);
	free(name);
	return gn_stream_status(f);
}

static void put_sum(const struct gn_verdicts *v, FILE *f)
{
	fprintf(f,
		"%zu of %zu limits kept, %zu breached, %zu could not be "
		"judged\n",
		v->count[GN_JUDGED_OK], v->n, v->count[GN_JUDGED_BREACHED],
		v->count[GN_JUDGED_UNKNOWN]);
}

int gn_verdicts_table(const struct gn_verdicts *v, FILE *f)
{
	struct widths w;
	int err = measure(v, &w);

	if (err)
		return err;
	fprintf(f, "%*s  %*s  %*s  %*s  %*s\n", 9 + w.name + 2 + w.word, "",
		w.limit, "Limit", w.base, "Base", w.now, "New", w.change,
		"Change");
	for (size_t i = 0; i < v->n && !err; i++)
		err = table_row(&v->at[i], &w, f);
	put_sum(v, f);
	return err ? err : gn_stream_status(f);
}

static int markdown_row(const struct gn_verdict *v, FILE *f)
{
	struct cells c;
	int err;

	fill(&c, v);
	fprintf(f, "| %s%s%s | ", v->judged ? "**" : "", c.state,
		v->judged ? "**" : "");
	err = gn_markdown_text(f, subject(v));
	fprintf(f, " | %s | %s | %s | %s | %s |\n", v->limit->word, c.limit,
		c.base, c.now, c.change);
	return err ? err : gn_stream_status(f);
}

int gn_verdicts_markdown(const struct gn_verdicts *v, FILE *f)
{
	int err = 0;

	fputs("### gnomon check: ", f);
	put_sum(v, f);
	fputs("\n| | what | value | limit | base | new | change |\n"
	      "|---|---|---|---:|---:|---:|---:|\n",
	      f);
	for (size_t i = 0; i < v->n && !err; i++)
		err = markdown_row(&v->at[i], f);
	for (size_t i = 0; i < v->n && !err; i++) {
		if (!v->at[i].why)
			continue;
		fputs("\n- ", f);
		err = gn_markdown_text(f, subject(&v->at[i]));
		fprintf(f, ": %s: %s\n", v->at[i].limit->word, v->at[i].why);
	}
	return err ? err : gn_stream_status(f);
}

/* Escapes the characters that end a workflow command, or a property in it:
 * actions/toolkit, core/src/command.ts. */
static void put_command(FILE *f, const char *text, bool property)
{
	for (; *text; text++) {
		bool special = *text == '%' || *text == '\r' || *text == '\n' ||
			       (property && (*text == ':' || *text == ','));

		if (special)
			fprintf(f, "%%%02X", (unsigned char)*text);
		else
			fputc(*text, f);
	}
}

static int put_annotation(const struct gn_verdict *v, FILE *f)
{
	char *name = gn_verdict_name(v), *text = gn_verdict_text(v);
	char *title = name ? gn_escape(name, true) : NULL;
	char *message = text ? gn_escape(text, true) : NULL;
	int err = title && message ? 0 : -ENOMEM;

	if (!err) {
		fprintf(f, "::%s title=",
			v->judged == GN_JUDGED_BREACHED ? "error" : "warning");
		put_command(f, title, true);
		fputs("::", f);
		put_command(f, message, false);
		fputc('\n', f);
		err = gn_stream_status(f);
	}
	free(name);
	free(text);
	free(title);
	free(message);
	return err;
}

int gn_verdicts_github(const struct gn_verdicts *v, FILE *f)
{
	int err = 0;

	for (size_t i = 0; i < v->n && !err; i++)
		if (v->at[i].judged != GN_JUDGED_OK)
			err = put_annotation(&v->at[i], f);
	return err;
}
