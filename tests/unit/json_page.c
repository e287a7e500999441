/* SPDX-License-Identifier: BSD-2-Clause */
#include "json_page.h"

#include <stdarg.h>
#include <setjmp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#define CELLS 4

__attribute__((format(printf, 2, 3))) static void
complain(struct json_page *p, const char *format, ...)
{
	va_list ap;

	p->wrong++;
	if (p->quiet)
		return;
	va_start(ap, format);
	vprintf(format, ap);
	va_end(ap);
	putchar('\n');
}

/* The state of reading the page. */
struct reader {
	struct json_page *p;
	int line;
	unsigned int outputs; /* of the section, one bit each */
	enum { NO_TABLE, OTHER_TABLE, FIELDS, WORDS } table;
};

static void copy(const struct reader *r, char *to, size_t size,
		 const char *from, size_t len)
{
	if (len >= size)
		fail_msg("line %d: '%.*s' is too long", r->line, (int)len,
			 from);
	memcpy(to, from, len);
	to[len] = '\0';
}

static unsigned int outputs_of(const char *title)
{
	static const struct {
		const char *title;
		unsigned int outputs;
	} sections[] = {
		{"Both of a report and of a line",
		 1u << JSON_REPORT | 1u << JSON_LINE},
		{"A report alone", 1u << JSON_REPORT},
		{"A line of `gnomon top` alone", 1u << JSON_LINE},
		{"`gnomon list`", 1u << JSON_LIST},
		{"`gnomon doctor`", 1u << JSON_DOCTOR},
		{"`gnomon explain`", 1u << JSON_EXPLAIN},
		{"`gnomon diff`", 1u << JSON_DIFF},
	};

	for (size_t i = 0; i < sizeof(sections) / sizeof(*sections); i++)
		if (!strcmp(sections[i].title, title))
			return sections[i].outputs;
	return 0;
}

static void add_row(const struct reader *r, const char *path,
		    char *const cells[CELLS])
{
	struct json_page *p = r->p;

	if (!r->outputs)
		fail_msg("line %d: a field of no output", r->line);
	for (int output = JSON_REPORT; output <= JSON_DIFF; output++) {
		struct json_row *row = &p->row[p->nrows];

		if (!(r->outputs & 1u << output))
			continue;
		if (json_page_row(p, (enum json_output)output, path))
			fail_msg("line %d: %s stands there twice", r->line,
				 path);
		assert_true(p->nrows + 1 < JSON_ROWS);
		p->nrows++;
		row->output = (enum json_output)output;
		row->line = r->line;
		row->optional = *cells[2];
		copy(r, row->path, sizeof(row->path), path, strlen(path));
		copy(r, row->type, sizeof(row->type), cells[1],
		     strlen(cells[1]));
	}
}

/* Adds the path, or each path that its first braces stand for. */
static void add_paths(const struct reader *r, const char *path,
		      char *const cells[CELLS])
{
	const char *open = strchr(path, '{'), *close = strchr(path, '}');
	char one[512];

	if (!open) {
		add_row(r, path, cells);
		return;
	}
	assert_non_null(close);
	for (const char *at = open + 1; at < close;) {
		size_t len = strcspn(at, ",}");

		snprintf(one, sizeof(one), "%.*s%.*s%s", (int)(open - path),
			 path, (int)len, at, close + 1);
		add_paths(r, one, cells);
		at += len + 1;
	}
}

/* The next text between backquotes; NULL after the last one. Advances `at`. */
static const char *code(const char **at, size_t *len)
{
	const char *begin = strchr(*at, '`'), *end;

	end = begin ? strchr(begin + 1, '`') : NULL;
	if (!end)
		return NULL;
	*len = (size_t)(end - begin) - 1;
	*at = end + 1;
	return begin + 1;
}

static void add_words(const struct reader *r, const char *cell)
{
	struct json_words *list = &r->p->list[r->p->nlists - 1];
	const char *word;
	size_t len;

	while ((word = code(&cell, &len))) {
		assert_true(list->n < JSON_WORDS);
		copy(r, list->word[list->n++], sizeof(list->word[0]), word,
		     len);
	}
}

static void begin_table(struct reader *r, const char *cell)
{
	struct json_page *p = r->p;

	r->table = OTHER_TABLE;
	if (!strcmp(cell, "field")) {
		r->table = FIELDS;
	} else if (!strncmp(cell, "`<", 2)) {
		r->table = WORDS;
		assert_true(p->nlists < JSON_LISTS);
		copy(r, p->list[p->nlists].name, sizeof(p->list[0].name),
		     cell + 1, strlen(cell) - 2);
		p->nlists++;
	}
}

/* Splits "| a
 * b |" in place; missing cells are empty. */
static size_t split(char *line, char *cells[CELLS])
{
	const char *more = NULL;
	size_t n = 0;

	for (size_t i = 0; i < CELLS; i++)
		cells[i] = line + strlen(line);
	for (char *at = line + 1, *bar; n < CELLS && (bar = strchr(at, '|'));
	     at = bar + 1) {
		char *end = bar;

		while (*at == ' ')
			at++;
		while (end > at && end[-1] == ' ')
			end--;
		*end = '\0';
		cells[n++] = at;
		more = strchr(bar + 1, '|');
	}
	return more ? n + 1 : n;
}

static void read_row(struct reader *r, char *line)
{
	char *cells[CELLS];
	size_t n = split(line, cells), len = 0;
	const char *at = cells[0], *path;

	if (!strncmp(cells[0], "--", 2))
		return;
	if (r->table == NO_TABLE) {
		begin_table(r, cells[0]);
	} else if (r->table == WORDS) {
		add_words(r, cells[0]);
	} else if (r->table == FIELDS) {
		path = code(&at, &len);
		if (n != CELLS || !path || *at)
			fail_msg("line %d: no row of a field", r->line);
		cells[0][len + 1] = '\0';
		add_paths(r, path, cells);
	}
}

struct json_page *json_page_read(void)
{
	struct reader r = {.p = calloc(1, sizeof(*r.p))};
	FILE *f = fopen(GN_JSON_PAGE, "r");
	char *line = NULL;
	size_t size = 0;
	ssize_t n;

	assert_non_null(r.p);
	if (!f)
		fail_msg("cannot read %s", GN_JSON_PAGE);
	while ((n = getline(&line, &size, f)) > 0) {
		r.line++;
		line[n - 1] = '\0';
		if (!strncmp(line, "## ", 3))
			r.outputs = outputs_of(line + 3);
		if (*line == '|')
			read_row(&r, line);
		else
			r.table = NO_TABLE;
	}
	free(line);
	fclose(f);
	return r.p;
}

void json_page_free(struct json_page *p)
{
	free(p);
}

void json_page_done(struct json_page *p)
{
	size_t wrong = p->wrong;

	json_page_free(p);
	if (wrong)
		fail_msg("%zu complaints of %s", wrong, GN_JSON_PAGE);
}

struct json_row *json_page_row(struct json_page *p, enum json_output output,
			       const char *path)
{
	for (size_t i = 0; i < p->nrows; i++)
		if (p->row[i].output == output && !strcmp(p->row[i].path, path))
			return &p->row[i];
	return NULL;
}

const struct json_words *json_page_list(const struct json_page *p,
					const char *name)
{
	for (size_t i = 0; i < p->nlists; i++)
		if (!strcmp(p->list[i].name, name))
			return &p->list[i];
	return NULL;
}

static bool in_list(const struct json_page *p, const char *name,
		    const char *word)
{
	const struct json_words *list = json_page_list(p, name);

	for (size_t i = 0; list && i < list->n; i++)
		if (!strcmp(list->word[i], word))
			return true;
	return false;
}

/* The last part of a row's path if the part before is `parent`; otherwise
 * NULL. */
static const char *leaf(const struct json_row *row, const char *parent)
{
	const char *dot = strrchr(row->path, '.');
	size_t len = dot ? (size_t)(dot - row->path) : 0;

	if (strlen(parent) != len || strncmp(row->path, parent, len))
		return NULL;
	return dot ? dot + 1 : row->path;
}

static struct json_row *find(struct json_page *p, enum json_output output,
			     const char *parent, const char *key)
{
	for (size_t i = 0; i < p->nrows; i++) {
		struct json_row *row = &p->row[i];
		const char *name =
			row->output == output ? leaf(row, parent) : NULL;

		if (name && (!strcmp(name, key) || in_list(p, name, key)))
			return row;
	}
	return NULL;
}

/* Whether the text is one of the words after the colon of the type, or in their
 * list. */
static bool is_word(const struct json_page *p, const char *words,
		    const char *text)
{
	const char *word;
	char name[24];
	size_t len;

	while ((word = code(&words, &len))) {
		snprintf(name, sizeof(name), "%.*s", (int)len, word);
		if (*name == '<' ? in_list(p, name, text) : !strcmp(name, text))
			return true;
	}
	return false;
}

static bool is_type(const struct json_page *p, const char *type,
		    const json_t *value)
{
	const char *words = strchr(type, ':');
	char name[16];

	snprintf(name, sizeof(name), "%.*s", (int)strcspn(type, ",;: "), type);
	if (json_is_null(value))
		return strstr(type, " or null");
	if (!strcmp(name, "object"))
		return json_is_object(value);
	if (!strcmp(name, "integer"))
		return json_is_integer(value);
	if (!strcmp(name, "number"))
		return json_is_number(value);
	if (!strcmp(name, "boolean"))
		return json_is_boolean(value);
	return !strcmp(name, "text") && json_is_string(value) &&
	       (!words || is_word(p, words, json_string_value(value)));
}

static void check_object(struct json_page *p, enum json_output output,
			 const char *path, const json_t *object);

static void check_value(struct json_page *p, struct json_row *row,
			const char *path, const char *type, const json_t *value)
{
	char *text;

	if (!is_type(p, type, value)) {
		text = json_dumps(value, JSON_ENCODE_ANY | JSON_COMPACT);
		complain(p, "line %d: %s is no %s: %.60s", row->line, path,
			 type, text);
		free(text);
	}
	row->null = row->null || json_is_null(value);
	if (json_is_object(value))
		check_object(p, row->output, path, value);
}

static void check_field(struct json_page *p, struct json_row *row,
			const json_t *value)
{
	static const char array[] = "array of ";
	const char *like = strstr(row->type, " as `");
	char path[sizeof(row->path) + 2];
	const json_t *element;
	size_t i, len = sizeof(array) - 1;

	row->seen = true;
	if (strncmp(row->type, array, len)) {
		check_value(p, row, row->path, row->type, value);
		return;
	}
	if (!json_is_array(value))
		complain(p, "line %d: %s is no array", row->line, row->path);
	if (like)
		snprintf(path, sizeof(path), "%.*s",
			 (int)strcspn(like + 5, "`"), like + 5);
	else
		snprintf(path, sizeof(path), "%s[]", row->path);
	json_array_foreach(value, i, element)
		check_value(p, row, path, row->type + len, element);
}

/* Checks that a field, or each one that its name stands for, is in the
 * object. */
static void check_there(struct json_page *p, struct json_row *row,
			const char *name, const json_t *object)
{
	const struct json_words *list = json_page_list(p, name);
	size_t n = list ? list->n : 1;

	for (size_t i = 0; i < n; i++) {
		if (json_object_get(object, list ? list->word[i] : name))
			continue;
		row->lacked = true;
		if (!row->optional)
			complain(p, "line %d: %s is absent (%s)", row->line,
				 row->path, list ? list->word[i] : name);
	}
}

static void check_object(struct json_page *p, enum json_output output,
			 const char *path, const json_t *object)
{
	const json_t *value;
	const char *key;

	json_object_foreach((json_t *)(uintptr_t)object, key, value)
	{
		struct json_row *row = find(p, output, path, key);

		if (row)
			check_field(p, row, value);
		else
			complain(p, "not on the page: %s%s%s", path,
				 *path ? "." : "", key);
	}
	for (size_t i = 0; i < p->nrows; i++) {
		struct json_row *row = &p->row[i];
		const char *name =
			row->output == output ? leaf(row, path) : NULL;

		if (name)
			check_there(p, row, name, object);
	}
}

void json_page_check(struct json_page *p, enum json_output output,
		     const json_t *root)
{
	if (!json_is_object(root))
		complain(p, "no object");
	check_object(p, output, "", root);
}

static bool among(const char *const *texts, size_t n, const char *text)
{
	for (size_t i = 0; i < n; i++)
		if (!strcmp(texts[i], text))
			return true;
	return false;
}

void json_page_left(struct json_page *p, enum json_output output)
{
	for (size_t i = 0; i < p->nrows; i++) {
		const struct json_row *row = &p->row[i], *other;
		bool lacked = false, null = false;

		if (row->output != output)
			continue;
		if (!row->seen)
			complain(p, "line %d: no output has %s", row->line,
				 row->path);
		/* a row of the same braces that was seen is enough for all of
		 * them */
		for (other = p->row; other < p->row + p->nrows; other++) {
			if (other->output != output || other->line != row->line)
				continue;
			lacked = lacked || other->lacked;
			null = null || other->null;
		}
		if (row->optional && !lacked)
			complain(p, "line %d: %s is never absent", row->line,
				 row->path);
		if (strstr(row->type, " or null") && !null)
			complain(p, "line %d: %s is never null", row->line,
				 row->path);
	}
}

void json_page_words(struct json_page *p, const char *name,
		     const char *const *words, size_t n)
{
	const struct json_words *list = json_page_list(p, name);

	if (!list) {
		complain(p, "no table of %s", name);
		return;
	}
	for (size_t i = 0; i < n; i++)
		if (!in_list(p, name, words[i]))
			complain(p, "%s: no row of '%s'", name, words[i]);
	for (size_t i = 0; i < list->n; i++)
		if (!among(words, n, list->word[i]))
			complain(p, "%s: '%s' is no word", name, list->word[i]);
}
