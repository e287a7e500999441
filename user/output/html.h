/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * One page that holds a report: the page of html/, with its data as JSON in
 * elements that browsers do not execute. The page's scripts turn the data into
 * text, never into markup, and its Content-Security-Policy forbids everything
 * else.
 */
#ifndef GNOMON_OUTPUT_HTML_H
#define GNOMON_OUTPUT_HTML_H

#include "model/model.h"
#include "output/emit.h"

/* Limits of a page, so that browsers can handle it. The smallest values are
 * left out, and the page says so. */
#define GN_HTML_PATHS (200u << 10)
#define GN_HTML_EDGES (500u << 10)
#define GN_HTML_WAITS (50u << 10)

/* Writes the page before its data, and after it. 0 or -errno. */
int gn_html_begin_page(FILE *f);
int gn_html_end_page(FILE *f);

/* Begin and end a data element, whose JSON the caller emits in between. */
void gn_html_begin_data(struct gn_emit *e, FILE *f, const char *id);
int gn_html_end_data(struct gn_emit *e);

/* Emits JSON text that was made elsewhere, as a value. */
void gn_html_json(struct gn_emit *e, const char *key, const char *json);

/* Emits the classes by number, with what the page shows of each. */
void gn_html_classes(struct gn_emit *e);
/* Emits [class, ns, class, ns, ...] without classes that are 0. */
void gn_html_times(struct gn_emit *e, const char *key,
		   const uint64_t classes[GN_CLASS_COUNT]);

/* Which of many values remain: those above `line`, and `on_it` of those that
 * equal it. */
struct gn_html_cut {
	uint64_t line;
	size_t on_it;
};

/* Computes a cut that leaves at most `most` values. 0 or -ENOMEM. */
int gn_html_cut(const uint64_t *value, size_t n, size_t most,
		struct gn_html_cut *out);
/* Call this once for each value, in a fixed order: of the values on the line,
 * the first ones remain. */
bool gn_html_remains(struct gn_html_cut *cut, uint64_t value);

/* Write the data elements of a model. `findings`: see docs/json.md; NULL: none.
 * 0, -ENOMEM, -EBADMSG, -errno of the stream. */
int gn_html_model(const struct gn_model *m, const char *findings, FILE *f);
int gn_html_paths(const struct gn_model *m, FILE *f);

#endif
