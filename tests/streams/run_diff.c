// SPDX-License-Identifier: BSD-2-Clause
/*
 * run_diff BASE NEW PAGE JSON: compares two readable streams as `gnomon diff`
 * does, and writes a page and JSON for check-diff.
 */
#include <errno.h>
#include <string.h>

#include "compare/diff.h"
#include "parse.h"

static int add(struct gn_comparison *c, enum gn_side side, const char *path)
{
	struct gn_pipeline_opts opts = {.raw = true};
	struct gn_pipeline *p = gn_pipeline_new(&opts);
	struct gn_model *m = NULL;
	struct script s = {0};
	int err = script_read(path, &s);

	if (!err)
		err = p ? stream_feed(&s.stream, p) : -ENOMEM;
	if (!err)
		err = gn_pipeline_finish(p, &m);
	if (!err)
		err = gn_comparison_add(c, side, m, 0);
	gn_model_free(m);
	gn_pipeline_free(p);
	script_free(&s);
	return err;
}

static int write_to(const char *path, const struct gn_diff *d,
		    int (*write)(const struct gn_diff *d, FILE *f))
{
	FILE *f = fopen(path, "w");
	int err = f ? write(d, f) : -errno;

	if (f && fclose(f) && !err)
		err = -errno;
	return err;
}

int main(int argc, char **argv)
{
	struct gn_diff_opts opts = {.metric = GN_METRIC_app_excl, .utf8 = true};
	struct gn_comparison c = {0};
	struct gn_diff d = {0};
	int err;

	if (argc != 5) {
		fprintf(stderr, "usage: run_diff BASE NEW PAGE JSON\n");
		return 2;
	}
	err = gn_comparison_begin(&c, 1, 1);
	if (!err)
		err = gn_comparison_keep_paths(&c);
	for (int side = 0; side < GN_SIDE_COUNT && !err; side++)
		err = add(&c, (enum gn_side)side, argv[1 + side]);
	if (!err)
		err = gn_comparison_end(&c);
	if (!err)
		err = gn_diff_make(&c, &opts, &d);
	if (!err)
		err = write_to(argv[3], &d, gn_diff_html);
	if (!err)
		err = write_to(argv[4], &d, gn_diff_json);
	gn_diff_clear(&d);
	gn_comparison_clear(&c);
	if (err)
		fprintf(stderr, "%s: %s\n", argv[2], strerror(-err));
	return err ? 1 : 0;
}
