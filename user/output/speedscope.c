// SPDX-License-Identifier: BSD-2-Clause
/*
 * The file format of speedscope.app: frames, and one profile per column. The
 * samples of a profile are call paths, weighted by their own values.
 */
#include <errno.h>

#include "output/caveats.h"
#include "output/emit.h"
#include "output/formats.h"
#include "output/paths.h"

#define SCHEMA "https://www.speedscope.app/file-format-schema.json"
#define USUAL  "ae,ee,classes"

static int put_frame(struct gn_emit *e, const char *name, const char *file)
{
	gn_emit_line(e);
	gn_emit_open(e, NULL, '{');
	gn_emit_text(e, "name", name);
	if (file[0])
		gn_emit_text(e, "file", file);
	gn_emit_close(e, '}');
	return gn_stream_status(e->f);
}

static int put_frames(struct gn_emit *e, const struct gn_model *m,
		      const struct gn_paths *p)
{
	int err = 0;

	gn_emit_open(e, "shared", '{');
	gn_emit_open(e, "frames", '[');
	for (size_t i = 0; i < m->nfunctions && !err; i++)
		err = put_frame(e, gn_function_shown(&m->functions[i]),
				m->functions[i].module);
	for (size_t i = 0; i < m->nactivities && !err; i++)
		err = put_frame(
			e, gn_activity_text((enum gn_activity_node)(i + 1)),
			"");
	for (size_t i = 0; i < p->rows.n && !err; i++)
		if (p->rows.row[i].depth == 1)
			err = put_frame(e, p->rows.row[i].name, "");
	gn_emit_close(e, ']');
	gn_emit_close(e, '}');
	return err;
}

/* Writes the frames of all paths that have the value, or their values. */
static int put_paths(struct gn_emit *e, const struct gn_model *m,
		     struct gn_paths *p, int column, bool weights)
{
	size_t process = 0, seen = 0;
	const struct gn_row *r;
	int err = 0;

	p->at = 0;
	while (!err && (r = gn_paths_next(p))) {
		uint64_t value = gn_paths_value(r, column);

		if (r->depth == 1)
			process = seen++;
		if (!value)
			continue;
		gn_emit_line(e);
		if (weights) {
			gn_emit_u64(e, NULL, value);
			continue;
		}
		gn_emit_open(e, NULL, '[');
		for (uint32_t i = 1; i <= r->depth; i++)
			gn_emit_u64(e, NULL,
				    gn_paths_frame(m, p->path[i], process));
		gn_emit_close(e, ']');
		err = gn_stream_status(e->f);
	}
	return err;
}

static int put_profile(struct gn_emit *e, const struct gn_model *m,
		       struct gn_paths *p, int column)
{
	const struct gn_row *r;
	uint64_t all = 0;
	int err;

	p->at = 0;
	while ((r = gn_paths_next(p)))
		all += gn_paths_value(r, column);
	gn_emit_line(e);
	gn_emit_open(e, NULL, '{');
	gn_emit_text(e, "type", "sampled");
	gn_emit_text(e, "name", gn_column_name(column));
	gn_emit_text(e, "unit",
		     column == GN_COLUMN_CALLS ? "none" : "nanoseconds");
	gn_emit_u64(e, "startValue", 0);
	gn_emit_u64(e, "endValue", all);
	gn_emit_open(e, "samples", '[');
	err = put_paths(e, m, p, column, false);
	gn_emit_close(e, ']');
	gn_emit_open(e, "weights", '[');
	if (!err)
		err = put_paths(e, m, p, column, true);
	gn_emit_close(e, ']');
	gn_emit_close(e, '}');
	return err;
}

int gn_speedscope_write(const struct gn_model *m,
			const struct gn_output_opts *o, FILE *f)
{
	struct gn_emit e = {.f = f};
	struct gn_paths p;
	int err = gn_paths_make(m, o, USUAL, &p);

	if (!err) {
		gn_emit_open(&e, NULL, '{');
		gn_emit_text(&e, "$schema", SCHEMA);
		gn_emit_text(&e, "exporter", "gnomon");
		gn_caveats_emit(m, &e);
		err = put_frames(&e, m, &p);
		gn_emit_open(&e, "profiles", '[');
	}
	/* put_profile() reads all rows three times; one time is counted
	 * already */
	gn_steps_more(p.steps, p.rows.n * (3 * (uint64_t)p.picks.n - 1));
	for (int i = 0; i < p.picks.n && !err; i++)
		err = put_profile(&e, m, &p, p.picks.pick[i].column);
	if (!err) {
		gn_emit_close(&e, ']');
		gn_emit_close(&e, '}');
		fputc('\n', f);
		err = gn_stream_status(f);
	}
	gn_paths_clear(&p);
	return err;
}
