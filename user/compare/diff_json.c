/* SPDX-License-Identifier: BSD-2-Clause */
/* Differences as JSON: docs/json.md has each field. */
#include <errno.h>
#include <math.h>

#include "compare/diff.h"
#include "output/classes.h"
#include "output/emit.h"

static void put_pair(struct gn_emit *e, const char *key,
		     const struct gn_estimate of[GN_SIDE_COUNT], bool noise)
{
	gn_emit_open(e, key, '{');
	gn_emit_u64(e, "base", (uint64_t)llround(of[GN_BASE].value));
	gn_emit_u64(e, "new", (uint64_t)llround(of[GN_NEW].value));
	if (noise) {
		gn_emit_u64(e, "base_noise",
			    (uint64_t)llround(gn_diff_noise(&of[GN_BASE])));
		gn_emit_u64(e, "new_noise",
			    (uint64_t)llround(gn_diff_noise(&of[GN_NEW])));
	}
	gn_emit_close(e, '}');
}

static int put_metric(const struct gn_diff *d, struct gn_emit *e,
		      const struct gn_item *item, int metric, const char *key)
{
	struct gn_estimate of[GN_SIDE_COUNT];

	for (int i = 0; i < GN_SIDE_COUNT; i++)
		if (gn_estimate(d->c, item, (enum gn_side)i, metric,
				GN_READ_PLAIN, true, &of[i]))
			return -ENOMEM;
	put_pair(e, key, of, gn_diff_knows_noise(d));
	return 0;
}

static int put_values(const struct gn_diff *d, struct gn_emit *e,
		      const struct gn_item *item)
{
	static const struct {
		int metric;
		const char *key;
	} of[] = {
		{GN_METRIC_calls, "calls"},
		{GN_METRIC_elapsed_incl, "elapsed_inclusive_ns"},
		{GN_METRIC_elapsed_excl, "elapsed_exclusive_ns"},
		{GN_METRIC_app_incl, "application_inclusive_ns"},
		{GN_METRIC_app_excl, "application_exclusive_ns"},
	};
	int err = 0;

	for (size_t i = 0; i < sizeof(of) / sizeof(of[0]) && !err; i++)
		err = put_metric(d, e, item, of[i].metric, of[i].key);
	gn_emit_open(e, "classes", '{');
	for (int i = 0; i < GN_CLASS_COUNT && !err; i++)
		err = put_metric(d, e, item, GN_METRIC_CLASS + i,
				 gn_class_text(i));
	gn_emit_close(e, '}');
	return err;
}

static const char *state(const struct gn_diff_row *r)
{
	if (!r->item->in[GN_BASE])
		return "new";
	return r->item->in[GN_NEW] ? "both" : "gone";
}

static int put_row(const struct gn_diff *d, struct gn_emit *e,
		   const struct gn_diff_row *r)
{
	int err;

	gn_emit_line(e);
	gn_emit_open(e, NULL, '{');
	if (r->kind != GN_DIFF_TOTAL)
		gn_emit_text(e, "name", r->name);
	if (r->kind == GN_DIFF_FUNCTION && r->item->shown)
		gn_emit_text(e, "short", r->item->shown);
	if (r->kind == GN_DIFF_FUNCTION)
		gn_emit_text(e, "module", r->item->module);
	gn_emit_text(e, "state", state(r));
	if (gn_diff_knows_noise(d))
		gn_emit_bool(e, "within_noise", gn_diff_within_noise(d, r));
	if (r->kind != GN_DIFF_TOTAL)
		gn_emit_bool(e, "incomplete", gn_diff_incomplete(d, r));
	err = put_values(d, e, r->item);
	gn_emit_close(e, '}');
	return err;
}

static int put_rows(const struct gn_diff *d, struct gn_emit *e, const char *key,
		    enum gn_diff_kind kind)
{
	int err = 0;

	gn_emit_line(e);
	gn_emit_open(e, key, '[');
	for (size_t i = 0; i < d->nrows && !err; i++)
		if (d->rows[i].kind == kind)
			err = put_row(d, e, &d->rows[i]);
	gn_emit_close(e, ']');
	return err ? err : gn_stream_status(e->f);
}

static int put_total(const struct gn_diff *d, struct gn_emit *e)
{
	int err;

	gn_emit_line(e);
	gn_emit_open(e, "total", '{');
	err = put_values(d, e, d->c->items[0]);
	gn_emit_close(e, '}');
	return err;
}

static void put_head(const struct gn_diff *d, struct gn_emit *e)
{
	gn_emit_u64(e, "version", 1);
	gn_emit_u64(e, "base_captures", d->c->runs[GN_BASE]);
	gn_emit_u64(e, "new_captures", d->c->runs[GN_NEW]);
	gn_emit_bool(e, "noise_known", gn_diff_knows_noise(d));
	gn_emit_text(e, "ordered_by", gn_metric_word(d->opts.metric));
}

int gn_diff_json(const struct gn_diff *d, FILE *f)
{
	struct gn_emit e = {.f = f};
	int err;

	gn_emit_open(&e, NULL, '{');
	put_head(d, &e);
	err = put_total(d, &e);
	if (!err)
		err = put_rows(d, &e, "functions", GN_DIFF_FUNCTION);
	if (!err)
		err = put_rows(d, &e, "modules", GN_DIFF_MODULE);
	if (!err)
		err = put_rows(d, &e, "threads", GN_DIFF_THREAD);
	gn_emit_line(&e);
	gn_emit_open(&e, "hidden", '{');
	gn_emit_u64(&e, "functions", d->hidden[GN_DIFF_FUNCTION]);
	gn_emit_u64(&e, "modules", d->hidden[GN_DIFF_MODULE]);
	gn_emit_u64(&e, "threads", d->hidden[GN_DIFF_THREAD]);
	gn_emit_close(&e, '}');
	gn_emit_close(&e, '}');
	fputc('\n', f);
	return err ? err : gn_stream_status(f);
}
