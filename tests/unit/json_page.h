/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * docs/json.md as a program reads it, and JSON that is held against it. A table
 * that begins with "field" has a path a row, with its type and when it is
 * absent; one that begins with `<name>` has the words that the name stands for.
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
#define JSON_LISTS 16
#define JSON_WORDS 32

/* A path of one output. */
struct json_row {
	enum json_output output;
	int line; /* of the page; rows of one pair of braces share it */
	char path[96], type[96];
	bool optional;
	bool seen, lacked, null; /* in what was held against it */
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
	size_t wrong; /* complaints */
	bool quiet;   /* they are only counted */
};

/* Fails the test when the page is not as it must be. json_page_free(). */
struct json_page *json_page_read(const char *path);
void json_page_free(struct json_page *p);

/* Complains, by a line on stdout, of what the page does not say of `root`. */
void json_page_check(struct json_page *p, enum json_output output,
		     const json_t *root);

/* Complains of what the page says of an output, and no object showed: paths,
 * that one can be absent, that one can be null. */
void json_page_left(struct json_page *p, enum json_output output);

/* Complains when the words of a list are others than these. */
void json_page_words(struct json_page *p, const char *name,
		     const char *const *words, size_t n);

/* NULL when there is none. */
struct json_row *json_page_row(struct json_page *p, enum json_output output,
			       const char *path);
const struct json_words *json_page_list(const struct json_page *p,
					const char *name);

#endif
