// SPDX-License-Identifier: BSD-2-Clause
/*
 * run_calls FILE GOLDEN: replays a readable stream and shows its calls, all of
 * them and selections, in the forms for people and for programs. The output is
 * compared with the golden file. GN_UPDATE_GOLDEN=1 in the environment writes
 * that file.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "golden.h"
#include "output/calls.h"
#include "parse.h"

static int show(const struct stream *s, const char *format,
		const struct gn_timeline_opts *opts, FILE *out)
{
	const struct gn_timeline *t = gn_calls_timeline(format);
	struct gn_pipeline_opts popts = {0};
	struct gn_observer observer;
	struct gn_model *m = NULL;
	struct gn_pipeline *p;
	int err = t->begin(&observer, out, opts);

	popts.observer = &observer;
	p = gn_pipeline_new(&popts);
	if (!err)
		err = p ? stream_feed(s, p) : -ENOMEM;
	if (!err)
		err = gn_pipeline_finish(p, &m);
	if (!err)
		err = t->finish(&observer, m, NULL);
	gn_model_free(m);
	gn_pipeline_free(p);
	t->free(&observer);
	return err;
}

static int show_all(const struct stream *s, FILE *out)
{
	static const char *const only[] = {"f", "g*"}, *const threads[] = {"1"},
				 *const labels[] = {"build=42"};
	static const struct {
		const char *what, *format;
		struct gn_timeline_opts opts;
	} shows[] = {
		{"all", "table", {.utf8 = true, .ns = true}},
		{"of at least 30 ns", "table", {.min_ns = 30, .bare = true}},
		{"of f and g*, two levels",
		 "table",
		 {.only = only, .nonly = 2, .depth = 2}},
		{"of thread 1, narrow",
		 "table",
		 {.threads = threads, .nthreads = 1, .width = 80}},
		{"with all that is known", "table", {.verbose = true}},
		{"rows",
		 "ndjson",
		 {.utf8 = true, .labels = labels, .nlabels = 1}},
	};
	int err = 0;

	for (size_t i = 0; i < sizeof(shows) / sizeof(shows[0]) && !err; i++) {
		fprintf(out, "== %s\n", shows[i].what);
		err = show(s, shows[i].format, &shows[i].opts, out);
	}
	return err;
}

int main(int argc, char **argv)
{
	struct script s = {0};
	char *text = NULL;
	size_t size = 0;
	FILE *out = open_memstream(&text, &size);
	bool ok;
	int err;

	if (argc != 3 || !out) {
		fprintf(stderr, "usage: run_calls FILE GOLDEN\n");
		return 2;
	}
	err = script_read(argv[1], &s);
	if (!err)
		err = show_all(&s.stream, out);
	fclose(out);
	if (err)
		fprintf(stderr, "%s: %s\n", argv[1], strerror(-err));
	ok = !err && golden_file(argv[2], text, size);
	free(text);
	script_free(&s);
	return !ok;
}
