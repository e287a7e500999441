// SPDX-License-Identifier: BSD-2-Clause
/* Calls for programs: one object a line, written when the call ends. docs/ci.md
 * describes the columns. */
#include <math.h>
#include <string.h>

#include "output/calls.h"
#include "output/classes.h"
#include "output/emit.h"
#include "output/ndjson.h"

static void begin(struct gn_emit *e, const char *row,
		  const struct gn_calls_thread *t)
{
	gn_emit_open(e, NULL, '{');
	gn_emit_text(e, "row", row);
	gn_emit_u64(e, "capture", t->start);
	gn_emit_u64(e, "pid", t->pid);
	gn_emit_u64(e, "tid", t->tid);
	gn_emit_text(e, "thread", t->name);
}

static int end(struct gn_emit *e, const struct gn_timeline_opts *o)
{
	gn_emit_open(e, "labels", '{');
	gn_ndjson_labels(e, o->labels, o->nlabels);
	gn_emit_close(e, '}');
	gn_emit_close(e, '}');
	fputc_unlocked('\n', e->f);
	return gn_stream_status(e->f);
}

/* The name of an object's class, or else its method table. */
static void put_class(const struct gn_calls_out *out, struct gn_emit *e,
		      const struct gn_call_value *v)
{
	const struct gn_calls_function *class = gn_call_class(out, v);

	if (!v->number) {
		gn_emit_null(e, "value");
	} else if (!class) {
		gn_emit_u64(e, "method_table", v->number);
	} else {
		gn_emit_text(e, "value", class->name);
		if (strcmp(class->shown, class->name) != 0)
			gn_emit_text(e, "short", class->shown);
	}
}

static void put_value(const struct gn_calls_out *out, struct gn_emit *e,
		      const struct gn_call_value *v)
{
	static const char *const types[] = {
#define TYPE(name, value, text, size) [GN_VALUE_##name] = text,
		GN_VALUE_LIST(TYPE)
#undef TYPE
	};
	char number[GN_CELL];
	double value;

	gn_emit_text(e, "type", types[v->type]);
	if (v->flags & GN_F_UNREADABLE) {
		gn_emit_bool(e, "unreadable", true);
	} else if (v->type == GN_VALUE_CLASS) {
		put_class(out, e, v);
	} else if (v->type == GN_VALUE_STRUCT) {
		return;
	} else if (gn_call_float(v, &value) && !isfinite(value)) {
		gn_call_number(number, v);
		gn_emit_text(e, "value", number);
	} else if (v->type != GN_VALUE_STR && v->type != GN_VALUE_PTR) {
		gn_call_number(number, v);
		gn_emit_number(e, "value", number);
	} else if (v->type == GN_VALUE_PTR) {
		gn_emit_u64(e, "value", v->number);
	} else if (!v->number) {
		gn_emit_null(e, "value");
	} else {
		gn_emit_string(e, "value", v->text, v->len);
		if (v->flags & GN_F_CUT)
			gn_emit_bool(e, "cut", true);
	}
}

/* The arguments, and the result. */
static void put_values(const struct gn_calls_out *out, struct gn_emit *e,
		       const struct gn_call *c)
{
	char name[8];

	if (!c->nvalues)
		return;
	gn_emit_open(e, "arguments", '[');
	for (size_t i = 0; i < c->nvalues; i++) {
		if (!c->values[i].which)
			continue;
		gn_emit_open(e, NULL, '{');
		if (c->values[i].which == GN_VALUE_THIS)
			snprintf(name, sizeof(name), "this");
		else
			snprintf(name, sizeof(name), "arg%u",
				 c->values[i].which);
		gn_emit_text(e, "name", name);
		put_value(out, e, &c->values[i]);
		gn_emit_close(e, '}');
	}
	gn_emit_close(e, ']');
	for (size_t i = 0; i < c->nvalues; i++) {
		if (c->values[i].which)
			continue;
		gn_emit_open(e, "result", '{');
		put_value(out, e, &c->values[i]);
		gn_emit_close(e, '}');
		return;
	}
}

static int close_call(void *ctx, const struct gn_call *c, bool opened)
{
	const struct gn_calls_out *out = ctx;
	struct gn_emit e = {.f = out->f, .flat = true};
	const char *how = gn_timeline_end_text(c->how);
	char key[GN_CELL];

	(void)opened;
	begin(&e, "call", c->thread);
	gn_emit_text(&e, "name", c->function->name);
	if (strcmp(c->function->shown, c->function->name) != 0)
		gn_emit_text(&e, "short", c->function->shown);
	gn_emit_text(&e, "module", c->function->module);
	if (c->function->file) {
		gn_emit_text(&e, "file", c->function->file);
		gn_emit_u64(&e, "line", c->function->line);
	}
	gn_emit_u64(&e, "call", c->id);
	if (c->parent)
		gn_emit_u64(&e, "parent", c->parent);
	gn_emit_u64(&e, "depth", c->level);
	gn_emit_u64(&e, "start_ns", c->start);
	gn_emit_u64(&e, "end_ns", c->end);
	if (c->begin == GN_BEGIN_INHERITED)
		gn_emit_bool(&e, "inherited", true);
	if (c->begin == GN_BEGIN_RESUMED)
		gn_emit_bool(&e, "resumed", true);
	if (how)
		gn_emit_text(&e, "end", how);
	gn_emit_u64(&e, "elapsed_ns", c->own.elapsed);
	gn_emit_u64(&e, "application_ns", c->own.app);
	for (int i = 0; i < GN_CLASS_COUNT; i++) {
		if (!c->own.classes[i])
			continue;
		snprintf(key, sizeof(key), "%s_ns", gn_class_text(i));
		gn_emit_u64(&e, key, c->own.classes[i]);
	}
	put_values(out, &e, c);
	return end(&e, out->opts);
}

static int lost(void *ctx, struct gn_calls_thread *t, uint64_t start,
		uint64_t until)
{
	const struct gn_calls_out *out = ctx;
	struct gn_emit e = {.f = out->f, .flat = true};

	begin(&e, "lost", t);
	gn_emit_u64(&e, "start_ns", start);
	gn_emit_u64(&e, "end_ns", until);
	return end(&e, out->opts);
}

const struct gn_calls_writer gn_calls_ndjson = {
	.close = close_call,
	.lost = lost,
};
