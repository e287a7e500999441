// SPDX-License-Identifier: BSD-2-Clause
/* Functions by the samples that --snapshot took. */
#include <errno.h>
#include <inttypes.h>

#include <gnomon/interpreter.h>

#include "output/header.h"
#include "output/sheet.h"

static void put_pct(struct gn_cell *c, uint64_t n, uint64_t whole)
{
	gn_cell_number(c, n);
	c->whole = whole;
}

static int fill_samples(const struct gn_model *m, struct gn_sheet *s)
{
	s->nothing =
		gn_model_info(m, "samples.rate")
			? "no sample was taken: the threads were not on a CPU"
			: "no samples were taken; ask for them with "
			  "--snapshot 99";
	for (size_t i = 0; i < m->nsamples; i++) {
		const struct gn_model_sample *x = &m->samples[i];
		struct gn_cell *c = gn_sheet_row(s);

		if (!c)
			return -ENOMEM;
		gn_cell_number(c++, x->self);
		put_pct(c++, x->self, m->sampled);
		gn_cell_number(c++, x->total);
		put_pct(c++, x->total, m->sampled);
		gn_cell_name(c++, &x->of);
		gn_cell_module(c++, x->of.module);
		if (x->line)
			gn_cell_number(c, x->line);
	}
	return 0;
}

static const struct gn_sheet_column samples_columns[] = {
	{"self", "self", GN_CELL_COUNT},
	{"self_pct", "self%", GN_CELL_PCT},
	{"total", "total", GN_CELL_COUNT},
	{"total_pct", "total%", GN_CELL_PCT},
	{"name", "function", GN_CELL_TEXT},
	{"module", "module", GN_CELL_TEXT},
	{"line", "line", GN_CELL_ID},
};

const struct gn_sheet_kind gn_sheet_samples = {
	.json = "samples",
	.column = samples_columns,
	.ncolumns = sizeof(samples_columns) / sizeof(samples_columns[0]),
	.fill = fill_samples,
};

static void put_part(FILE *f, const char *before, uint64_t n, const char *what)
{
	char count[GN_CELL];

	gn_format_count(count, n);
	fprintf(f, "%s%s %s", before, count, what);
}

/* How many samples have functions of the interpreter, and why others have not,
 * or not all. */
static void put_interpreted(const struct gn_model *m,
			    enum gn_interpreter_kind kind, const char *word,
			    FILE *f)
{
	static const struct {
		enum gn_interpreted_counter counter;
		const char *what;
	} parts[] = {
		{GN_INTERPRETED_OUTSIDE, "in threads that ran none"},
		{GN_INTERPRETED_EARLY, "before gnomon knew the process"},
		{GN_INTERPRETED_UNKNOWN, "of an unknown version"},
		{GN_INTERPRETED_UNREAD, "unreadable"},
		{GN_INTERPRETED_STRANGE, "not as its version has them"},
		{GN_INTERPRETED_CUT, "with more callers"},
		{GN_INTERPRETED_NAMES, "names lost"},
	};
	const uint64_t *counters =
		&m->counters[GN_COUNTER_INTERPRETED(kind, 0)];
	const char *before = "; ";
	uint64_t any = counters[GN_INTERPRETED_STACKS];

	for (size_t i = 0; i < sizeof(parts) / sizeof(*parts); i++)
		any |= counters[parts[i].counter];
	if (!any)
		return;
	fprintf(f, "# %-11s ", word);
	put_part(f, "", counters[GN_INTERPRETED_STACKS],
		 "samples with its functions");
	for (size_t i = 0; i < sizeof(parts) / sizeof(*parts); i++) {
		if (!counters[parts[i].counter])
			continue;
		put_part(f, before, counters[parts[i].counter], parts[i].what);
		before = ", ";
	}
	fputc('\n', f);
}

/* Samples are not times: a lost sample makes no time wrong. */
void gn_header_samples(const struct gn_model *m, FILE *f)
{
	uint64_t rate, lost = m->counters[GN_COUNTER_SAMPLES_FULL] +
			      m->counters[GN_COUNTER_SAMPLES_BUSY] +
			      m->counters[GN_COUNTER_SAMPLES_EMPTY] +
			      m->counters[GN_COUNTER_SAMPLES_LATE];
	char n[GN_CELL], missing[GN_CELL];

	if (!gn_info_number(m, "samples.rate", &rate))
		return;
	gn_format_count(n, m->sampled);
	gn_format_count(missing, lost);
	fprintf(f,
		"# %-11s %" PRIu64 " a second of each CPU: %s, and %s lost; "
		"--by samples shows them\n",
		"samples", rate, n, missing);
	put_interpreted(m, GN_INTERPRETER_PYTHON, "python", f);
	put_interpreted(m, GN_INTERPRETER_RUBY, "ruby", f);
	put_interpreted(m, GN_INTERPRETER_PHP, "php", f);
}
