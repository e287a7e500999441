/* SPDX-License-Identifier: BSD-2-Clause */
/* The parts of a capture's JSON that are not rows. */
#include <errno.h>

#include <jansson.h>

#include "output/header.h"
#include "output/classes.h"
#include "output/json.h"

#define JSON_VERSION 2

/* Writes the command's words. If its record is not a JSON array, it is one
 * word. */
static int put_command(struct gn_json *w)
{
	const char *text = gn_model_info(w->m, "command");
	json_t *array = NULL;

	if (text && gn_command_words(text, &array))
		return -ENOMEM;
	gn_emit_open(&w->e, "command", '[');
	for (size_t i = 0; i < json_array_size(array); i++) {
		const char *word = json_string_value(json_array_get(array, i));

		gn_emit_text(&w->e, NULL, word ? word : "");
	}
	if (text && !json_is_array(array))
		gn_emit_text(&w->e, NULL, text);
	gn_emit_close(&w->e, ']');
	json_decref(array);
	return 0;
}

static void put_info_as(struct gn_json *w, const char *key, const char *name)
{
	const char *text = gn_model_info(w->m, key);

	if (text)
		gn_emit_text(&w->e, name, text);
}

static void put_info(struct gn_json *w, const char *key)
{
	put_info_as(w, key, key);
}

static void put_probe_cost(struct gn_json *w)
{
	const struct gn_model *m = w->m;
	struct gn_emit *e = &w->e;

	gn_emit_line(e);
	gn_emit_open(e, "probe_cost", '{');
	gn_emit_bool(e, "subtracted", !m->raw && gn_probe_cost_known(m));
	gn_emit_u64(e, "ns", m->probe_cost);
	gn_emit_u64(e, "waited_ns", m->hook_waited);
	gn_emit_u64(e, "own_work_ns", m->own_work);
	gn_emit_u64(e, "left_ns",
		    m->probe_cost_left > 0 ? (uint64_t)m->probe_cost_left : 0);
	gn_emit_open(e, "classes", '[');
	for (int c = 0; c < GN_PROBE_CLASS_COUNT; c++) {
		const struct gn_model_cost *cost = &m->costs[c];

		if (!cost->samples && !cost->hits)
			continue;
		gn_emit_open(e, NULL, '{');
		gn_emit_text(e, "name", gn_probe_class_text(c));
		gn_emit_u64(e, "samples", cost->samples);
		gn_emit_u64(e, "before_ns", cost->before_ns);
		gn_emit_u64(e, "after_ns", cost->after_ns);
		gn_emit_u64(e, "spread_ns", cost->spread_ns);
		gn_emit_u64(e, "hits", cost->hits);
		gn_emit_close(e, '}');
	}
	gn_emit_close(e, ']');
	gn_emit_close(e, '}');
}

int gn_json_head(struct gn_json *w)
{
	const struct gn_model *m = w->m;
	const char *version = gn_model_info(m, "version");
	const char *clock = gn_model_info(m, "clock");
	uint64_t attached, children;
	struct gn_emit *e = &w->e;
	int err;

	gn_emit_u64(e, "version", JSON_VERSION);
	gn_emit_text(e, "gnomon", version ? version : "");
	err = put_command(w);
	if (err)
		return err;
	put_info(w, "machine");
	put_info(w, "kernel");
	gn_emit_text(e, "classify",
		     m->classify == GN_CLASSIFY_EXACT ? "exact" : "interval");
	gn_emit_text(e, "clock", clock ? clock : "monotonic");
	gn_emit_line(e);
	gn_emit_open(e, "session", '{');
	gn_emit_u64(e, "elapsed_ns", m->session.elapsed_incl);
	gn_emit_u64(e, "application_ns", m->session.app_incl);
	gn_emit_u64(e, "wall_ns", m->end > m->start ? m->end - m->start : 0);
	if (gn_info_number(m, "attached_ns", &attached))
		gn_emit_u64(e, "attached_ns", attached);
	if (gn_children_of(m, &children))
		gn_emit_u64(e, "children_untraced", children);
	gn_json_classes(e, "classes", m->session.class_incl);
	gn_emit_close(e, '}');
	put_probe_cost(w);
	return 0;
}

static void put_unseen(struct gn_emit *e, const char *key,
		       const struct gn_model_unseen *all, size_t n, bool sites)
{
	gn_emit_open(e, key, '[');
	for (size_t i = 0; i < n; i++) {
		gn_emit_open(e, NULL, '{');
		gn_emit_text(e, "name", all[i].name);
		gn_emit_text(e, "module", all[i].module);
		if (sites)
			gn_emit_u64(e, "sites", all[i].sites);
		gn_emit_close(e, '}');
	}
	gn_emit_close(e, ']');
}

/* Writes what compilers did with managed functions. */
static void put_code(struct gn_json *w)
{
	const struct gn_model_code *code = &w->m->code;
	struct gn_emit *e = &w->e;
	uint64_t refused;

	gn_emit_line(e);
	gn_emit_open(e, "code", '{');
	gn_emit_u64(e, "compilations", code->compiled);
	gn_emit_u64(e, "compilations_thrown", code->thrown);
	gn_emit_u64(e, "precompiled_refused", code->refused);
	gn_emit_u64(e, "copies_ran", code->copies_ran);
	gn_emit_u64(e, "inlined_sites", code->sites);
	gn_emit_open(e, "selected", '{');
#define EMIT(name, value, text, meaning) \
	gn_emit_u64(e, text, code->selected[GN_SELECTED_##name]);
	GN_SELECTED_LIST(EMIT)
#undef EMIT
	gn_emit_close(e, '}');
	if (!e->flat) { /* reports only, not the live view */
		if (gn_info_number(w->m, "functions.refused", &refused))
			gn_emit_u64(e, "refused", refused);
		put_info_as(w, "functions.refused.first", "refused_first");
		put_info(w, "inlining");
		put_info_as(w, "clr.unhooked", "unhooked");
		put_info_as(w, "runtime.silent", "silent");
		put_unseen(e, "inlined", code->inlined, code->ninlined, true);
		put_unseen(e, "untraced", code->unhooked, code->nunhooked,
			   false);
	}
	gn_emit_close(e, '}');
}

void gn_json_counts(struct gn_json *w, uint64_t lost)
{
	const struct gn_model *m = w->m;
	struct gn_emit *e = &w->e;

	gn_emit_line(e);
	gn_emit_open(e, "lost", '{');
	gn_emit_u64(e, "records", lost);
	gn_emit_bool(e, "truncated", m->truncated);
	gn_emit_open(e, "causes", '{');
#define CAUSE(name, value, text, loss, meaning) \
	if (loss)                               \
		gn_emit_u64(e, text, m->counters[GN_COUNTER_##name]);
	GN_COUNTER_LIST(CAUSE)
#undef CAUSE
	gn_emit_close(e, '}');
	gn_emit_close(e, '}');
	gn_emit_line(e);
	gn_emit_open(e, "checks", '{');
#define CHECK(field, text, error) gn_emit_u64(e, #field, m->checks.field);
	GN_CHECK_LIST(CHECK)
#undef CHECK
	gn_emit_close(e, '}');
	gn_emit_line(e);
	gn_emit_open(e, "counters", '{');
#define COUNTER(name, value, text, loss, meaning) \
	gn_emit_u64(e, text, m->counters[GN_COUNTER_##name]);
	GN_COUNTER_LIST(COUNTER)
#undef COUNTER
	gn_emit_close(e, '}');
	put_code(w);
}

void gn_json_classes(struct gn_emit *e, const char *key,
		     const uint64_t classes[GN_CLASS_COUNT])
{
	gn_emit_open(e, key, '{');
	for (int c = 0; c < GN_CLASS_COUNT; c++)
		gn_emit_u64(e, gn_class_text(c), classes[c]);
	gn_emit_close(e, '}');
}
