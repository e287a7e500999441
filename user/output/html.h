/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * One page that holds a report: the page of html/, and what it shows as JSON in
 * elements that no browser runs. The page's scripts make text of it, never
 * markup, and its Content-Security-Policy forbids all else.
 */
#ifndef GNOMON_OUTPUT_HTML_H
#define GNOMON_OUTPUT_HTML_H

#include "model/model.h"
#include "output/emit.h"

/* What a page can have at most, so that browsers bear it. What is left out is
 * the least, and the page says so. */
#define GN_HTML_PATHS (200u << 10)
#define GN_HTML_EDGES (500u << 10)
#define GN_HTML_WAITS (50u << 10)

/* The page up to its data, and what comes behind. 0 or -errno. */
int gn_html_begin_page(FILE *f);
int gn_html_end_page(FILE *f);

/* One element of data, whose JSON the caller emits in between. */
void gn_html_begin_data(struct gn_emit *e, FILE *f, const char *id);
int gn_html_end_data(struct gn_emit *e);

/* JSON that was made elsewhere, as a value. */
void gn_html_json(struct gn_emit *e, const char *key, const char *json);

/* Classes by number: what the page tells of them. */
void gn_html_classes(struct gn_emit *e);
/* [class, ns, class, ns, ...] of those that are not 0. */
void gn_html_times(struct gn_emit *e, const char *key,
		   const uint64_t classes[GN_CLASS_COUNT]);

/* What remains of many values: those above the line, and so many that are on
 * it. */
struct gn_html_cut {
	uint64_t line;
	size_t on_it;
};

/* So that at most `most` remain. 0 or -ENOMEM. */
int gn_html_cut(const uint64_t *value, size_t n, size_t most,
		struct gn_html_cut *out);
/* To be asked once for each, in one order: of those on the line the first ones
 * remain. */
bool gn_html_remains(struct gn_html_cut *cut, uint64_t value);

/* The elements of a model; `findings`: docs/json.md, NULL: none. 0, -ENOMEM,
 * -EBADMSG, -errno of the stream. */
int gn_html_model(const struct gn_model *m, const char *findings, FILE *f);
int gn_html_paths(const struct gn_model *m, FILE *f);

#endif
