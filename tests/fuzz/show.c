/* SPDX-License-Identifier: BSD-2-Clause */
#include "show.h"

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fuzz.h"
#include "output/output.h"
#include "top/batch.h"
#include "top/lines.h"
#include "top/prom.h"

/* Whether this is JSON beyond the reader's limits: the depth of a tree, or
 * times above 292 years, which only a forged file has. */
static bool beyond_reader(const json_error_t *error)
{
	return json_error_code(error) == json_error_stack_overflow ||
	       json_error_code(error) == json_error_numeric_overflow;
}

struct text {
	char *bytes;
	size_t size;
	FILE *f;
};

static void text_open(struct text *t)
{
	t->f = open_memstream(&t->bytes, &t->size);
	must(t->f, "there is memory");
}

static void text_close(struct text *t)
{
	must(!fclose(t->f), "there is memory");
}

static bool is_ascii(const struct text *t)
{
	for (size_t i = 0; i < t->size; i++)
		if ((uint8_t)t->bytes[i] > 0x7f)
			return false;
	return true;
}

/* Formats that are always UTF-8, whatever the terminal uses. */
static bool is_always_utf8(const char *format)
{
	static const char *const formats[] = {"speedscope", "markdown",
					      "ndjson", "openmetrics"};

	for (size_t i = 0; i < sizeof(formats) / sizeof(formats[0]); i++)
		if (!strcmp(format, formats[i]))
			return true;
	return false;
}

/* Every CSV record must have as many fields as the first. */
static void check_csv(const struct text *t)
{
	size_t wanted = 0, fields = 1;
	bool quoted = false;

	for (size_t i = 0; i < t->size; i++) {
		char c = t->bytes[i];

		if (c == '"')
			quoted = !quoted;
		if (quoted)
			continue;
		if (c == ',')
			fields++;
		if (c != '\n')
			continue;
		must(i && t->bytes[i - 1] == '\r', "a line ends with both");
		must(!wanted || fields == wanted, "CSV is rectangular");
		wanted = fields;
		fields = 1;
	}
	must(!quoted && fields == 1, "the last record is whole");
}

/* Names must be as in the model. Unless sorted otherwise, functions are in the
 * model's order. */
static void check_names(const struct gn_model *m, const json_t *root)
{
	const json_t *all = json_object_get(root, "functions");

	if (json_array_size(all) != m->nfunctions)
		return;
	for (size_t i = 0; i < m->nfunctions; i++) {
		const char *name = m->functions[i].name;
		const json_t *got =
			json_object_get(json_array_get(all, i), "name");

		must(json_is_string(got), "a function has a name");
		if (gn_fuzz_is_text(name, strlen(name), NULL))
			must(!strcmp(json_string_value(got), name),
			     "a name comes back as it was");
	}
}

static void check_json(const struct gn_model *m, const struct text *t,
		       bool sorted)
{
	json_error_t error;
	json_t *root =
		json_loadb(t->bytes, t->size, JSON_REJECT_DUPLICATES, &error);

	if (!root && beyond_reader(&error))
		return;
	if (!root)
		fprintf(stderr, "%s at %d\n", error.text, error.position);
	must(root, "JSON can be read");
	if (!sorted)
		check_names(m, root);
	json_decref(root);
}

void gn_show(const struct gn_model *m, unsigned int how)
{
	static const char *const sorts[] = {NULL, NULL, "name", "calls"};
	struct gn_output_opts o = {
		.by = (enum gn_by)(how % 8 % GN_BY_COUNT),
		.sort = sorts[how / 8 % 4],
		.utf8 = how / 32 % 2,
		.verbose = how / 64 % 2,
		.width = how / 128 % 2 ? 80 : 0,
	};
	const struct gn_output *format;
	size_t n = 0;
	struct text t;
	int err;

	while (gn_output_at(n))
		n++;
	format = gn_output_at(how / 256 % n);
	if (!format->write) /* not in this build */
		return;
	if (gn_by_has_own_columns(o.by))
		o.sort = NULL;
	text_open(&t);
	err = format->write(m, &o, t.f);
	text_close(&t);
	must(!err, "a model can be written");
	must(format->binary || gn_fuzz_is_text(t.bytes, t.size, "\r\n"),
	     "a terminal does not obey a name");
	if (!strcmp(format->name, "json"))
		check_json(m, &t, o.sort != NULL);
	else if (!strcmp(format->name, "csv"))
		check_csv(&t);
	else if (!format->binary && !is_always_utf8(format->name))
		must(o.utf8 || is_ascii(&t), "ASCII is ASCII");
	free(t.bytes);
}

static void show_prom(const struct gn_top_period *p, FILE *f)
{
	struct gn_top_prom *prom = gn_top_prom_new();

	must(prom, "there is memory");
	gn_top_prom_add(prom, p);
	must(!gn_top_prom_write(prom, f), "a period can be written");
	gn_top_prom_free(prom);
}

/* Each line must be a comment or NAME{LABEL="TEXT",...} NUMBER. */
static void check_prom(const struct text *t)
{
	const char *p = t->bytes, *end = p + t->size;

	while (p < end) {
		const char *line = memchr(p, '\n', (size_t)(end - p));
		bool quoted = false;
		int blanks = 0;

		must(line, "the last line is whole");
		for (; p < line && *line != '#'; p++) {
			if (*p == '\\' && quoted) {
				p++;
				must(*p == '\\' || *p == '"' || *p == 'n',
				     "an escape is one of three");
			} else if (*p == '"') {
				quoted = !quoted;
			} else if (*p == '#' && !quoted) {
				break;
			}
			blanks += !quoted && *p == ' ';
		}
		must(!quoted && (*p == '#' || blanks == 1),
		     "a sample is a name and a number");
		p = line + 1;
	}
}

/* Words contain no blanks, so all rows of a table must have the same number. */
static void check_batch(const struct text *t)
{
	size_t titles = 0, words = 0, begin = 0;

	for (size_t i = 0; i < t->size; i++) {
		char c = t->bytes[i];

		if (c != ' ' && c != '\n' &&
		    (i == begin || t->bytes[i - 1] == ' '))
			words++;
		if (c != '\n')
			continue;
		if (t->bytes[begin] != '#' && i > begin) {
			must(!titles || words == titles,
			     "each row has a word a column");
			titles = words;
		}
		begin = i + 1;
		words = 0;
	}
	must(begin == t->size, "the last line is whole");
}

void gn_show_period(const struct gn_model *m, unsigned int how)
{
	struct gn_top_period p = {
		.m = m,
		.number = 1,
		.length = 1000000000,
		.session = 1000000000,
		.title = m->nthreads ? m->threads[0].name : "",
		.functions = true,
		.machine.cpus = 2,
	};
	struct gn_top_batch_opts batch = {.utf8 = how / 4 % 2};
	struct gn_top_lines_opts lines = {.limit = 0};
	struct text t;

	text_open(&t);
	switch (how % 3) {
	case 0:
		show_prom(&p, t.f);
		break;
	case 1:
		must(!gn_top_batch(&p, &batch, t.f), "rows can be written");
		break;
	default:
		must(!gn_top_lines(&p, &lines, t.f), "a line can be written");
	}
	text_close(&t);
	must(gn_fuzz_is_text(t.bytes, t.size, "\n"),
	     "a terminal does not obey a name");
	if (how % 3 == 0)
		check_prom(&t);
	else if (how % 3 == 1)
		check_batch(&t);
	else
		check_json(m, &t, true);
	free(t.bytes);
}
