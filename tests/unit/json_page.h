/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Parses docs/json.md, and checks JSON against it. A table that begins with
 * "field" has one path per row, with its type and when it is absent. A table
 * that begins with `<name>` has the words that the name stands for.
 */
#ifndef TESTS_UNIT_JSON_PAGE_H
#define TESTS_UNIT_JSON_PAGE_H

#include <stdbool.h>
#include <stddef.h>

#include <jansson.h>

enum json_output {
	JSON_REPORT,
	JSON_LINE,
	JSON_LIST,
	JSON_DOCTOR,
	JSON_EXPLAIN,
	JSON_DIFF
};

#define JSON_ROWS  1024
#define JSON_LISTS 32
#define JSON_WORDS 64

/* A path of one output. */
struct json_row {
	enum json_output output;
	int line; /* of the page; rows from the same braces share it */
	char path[96], type[96];
	bool optional;
	bool seen, lacked, null; /* in the JSON that was checked */
};

struct json_words {
	char name[24]; /* "<class>" */
	char word[JSON_WORDS][24];
	size_t n;
};

struct json_page {
	struct json_row row[JSON_ROWS];
	size_t nrows;
	struct json_words list[JSON_LISTS];
	size_t nlists;
	size_t wrong; /* number of complaints */
	bool quiet;   /* complaints are only counted */
};

/* Fails the test if the page has errors. Free it with json_page_free(). */
struct json_page *json_page_read(void);
void json_page_free(struct json_page *p);
/* The same; fails the test if there were complaints. */
void json_page_done(struct json_page *p);

/* Prints a complaint for each difference between `root` and the page. */
void json_page_check(struct json_page *p, enum json_output output,
		     const json_t *root);

/* Complains about everything on the page for an output that no object showed: a
 * path, that it can be absent, that it can be null. */
void json_page_left(struct json_page *p, enum json_output output);

/* Complains if the words of a list differ from these. */
void json_page_words(struct json_page *p, const char *name,
		     const char *const *words, size_t n);

/* NULL if there is none. */
struct json_row *json_page_row(struct json_page *p, enum json_output output,
			       const char *path);
const struct json_words *json_page_list(const struct json_page *p,
					const char *name);

#endif
