/* SPDX-License-Identifier: BSD-2-Clause */
/* Differences as an HTML page: those of the JSON, and the call trees of both
 * sides. */
#include <errno.h>
#include <stdlib.h>

#include "compare/diff.h"
#include "compare/paths.h"
#include "output/html.h"

static int put_changes(const struct gn_diff *d, FILE *f)
{
	struct gn_text_stream stream;
	FILE *memory = gn_text_stream_open(&stream);
	struct gn_emit e;
	int err = memory ? gn_diff_json(d, memory) : -ENOMEM;
	char *text = memory ? gn_text_stream_close(&stream) : NULL;

	if (!text && !err)
		err = -ENOMEM;
	if (!err) {
		gn_html_begin_data(&e, f, "model");
		gn_emit_text(&e, "kind", "diff");
		gn_html_classes(&e);
		gn_html_json(&e, "diff", text);
		err = gn_html_end_data(&e);
	}
	free(text);
	return err;
}

static uint64_t weight(const struct gn_path *path)
{
	uint64_t base = path->of[GN_BASE].elapsed;
	uint64_t new = path->of[GN_NEW].elapsed;

	return base > new ? base : new;
}

/* The paths that a page has, and the index of each path in that list. */
struct kept {
	uint32_t *path;
	int32_t *at;
	size_t n;
};

static int choose(const struct gn_paths_of_both *p, struct kept *k)
{
	uint64_t *value = calloc((size_t)p->n + 1, sizeof(*value));
	struct gn_html_cut cut;
	int err = -ENOMEM;

	k->path = calloc((size_t)p->n + 1, sizeof(*k->path));
	k->at = calloc((size_t)p->n + 1, sizeof(*k->at));
	if (value && k->path && k->at) {
		for (uint32_t i = 0; i < p->n; i++)
			value[i] = weight(&p->path[i]);
		err = gn_html_cut(value, p->n, GN_HTML_PATHS, &cut);
	}
	for (uint32_t i = 0; i < p->n && !err; i++) {
		if (!gn_html_remains(&cut, value[i]))
			continue;
		k->at[i] = (int32_t)k->n;
		k->path[k->n++] = i;
	}
	free(value);
	return err;
}

#define COLUMN(e, key, how, value)                                         \
	do {                                                               \
		gn_emit_line(e);                                           \
		gn_emit_open(e, key, '[');                                 \
		for (size_t i = 0; i < k->n; i++) {                        \
			const struct gn_path *path = &p->path[k->path[i]]; \
			gn_emit_##how(e, NULL, value);                     \
		}                                                          \
		gn_emit_close(e, ']');                                     \
	} while (0)

/* The values of a side are sums over its captures; the page shows means. */
static void put_tree(struct gn_emit *e, const struct gn_paths_of_both *p,
		     const struct kept *k)
{
	COLUMN(e, "parent", i64, path->parent < 0 ? -1 : k->at[path->parent]);
	COLUMN(e, "name", u64, path->name);
	COLUMN(e, "base_ei", u64, path->of[GN_BASE].elapsed);
	COLUMN(e, "base_ai", u64, path->of[GN_BASE].app);
	COLUMN(e, "base_calls", u64, path->of[GN_BASE].calls);
	COLUMN(e, "new_ei", u64, path->of[GN_NEW].elapsed);
	COLUMN(e, "new_ai", u64, path->of[GN_NEW].app);
	COLUMN(e, "new_calls", u64, path->of[GN_NEW].calls);
	gn_emit_u64(e, "left_out", p->n - k->n);
	gn_emit_line(e);
	gn_emit_open(e, "names", '[');
	for (uint32_t i = 0; i < p->nnames; i++)
		gn_emit_text(e, NULL, p->names[i]);
	gn_emit_close(e, ']');
}

static int put_paths(const struct gn_diff *d, FILE *f)
{
	const struct gn_paths_of_both *p = d->c->paths;
	struct kept k = {0};
	struct gn_emit e;
	int err = choose(p, &k);

	if (!err) {
		gn_html_begin_data(&e, f, "paths");
		put_tree(&e, p, &k);
		err = gn_html_end_data(&e);
	}
	free(k.path);
	free(k.at);
	return err;
}

int gn_diff_html(const struct gn_diff *d, FILE *f)
{
	int err = d->c->paths ? gn_html_begin_page(f) : -EINVAL;

	if (!err)
		err = put_changes(d, f);
	if (!err)
		err = put_paths(d, f);
	return err ? err : gn_html_end_page(f);
}
