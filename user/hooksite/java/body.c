/* SPDX-License-Identifier: BSD-2-Clause */
#include "body.h"

#include "debug.h"
#include "stackmap.h"

/* From this version on frames are checked; before, there were none. */
#define STACK_MAP_MAJOR 50

/* Whether our handler covers an instruction. */
static bool is_covered(const struct gn_java_layout *l, uint32_t at)
{
	if (gn_java_returns(l->old.code[at]))
		return false;
	/* what never runs may have the object in any state */
	return !l->constructor || l->mark[at] & GN_MARK_READY;
}

/* Writes the ranges that our handler covers. Returns how many they are. Returns
 * and the calls of leave before them are in none. */
static uint32_t put_our_handler(const struct gn_java_layout *l,
				struct gn_java_out *out)
{
	bool open = false;
	uint32_t n = 0;

	for (uint32_t at = 0; at <= l->old.len; at++) {
		bool end = at == l->old.len;

		if (!end && !(l->mark[at] & GN_MARK_OP))
			continue;
		if ((!end && is_covered(l, at)) == open)
			continue;
		gn_java_put_u2(out, l->map[at]);
		if (open) {
			gn_java_put_u2(out, l->handler);
			gn_java_put_u2(out, 0);
		}
		n += open;
		open = !open;
	}
	return n;
}

/* The method's own handlers, which come first, then ours. */
static int put_handlers(const struct gn_java_layout *l, struct gn_java_out *out)
{
	const uint8_t *p = l->old.handler;
	uint32_t n = l->old.nhandlers;
	size_t begin = out->n;

	gn_java_put_u2(out, 0);
	for (uint32_t i = 0; i < n; i++, p += 8) {
		for (int k = 0; k < 6; k += 2)
			gn_java_put_u2(out, l->map[gn_java_get_u2(p + k)]);
		gn_java_put(out, p + 6, 2);
	}
	n += put_our_handler(l, out);
	if (n > UINT16_MAX)
		return GN_JAVA_TOO_LARGE;
	gn_java_patch_u2(out, begin, n);
	return 0;
}

/* The content of one of the code's attributes. */
static int put_content(const struct gn_java_layout *l, struct gn_java_text name,
		       struct gn_java_in *in, uint16_t throwable,
		       struct gn_java_out *out)
{
	if (gn_java_is(name, "StackMapTable"))
		return gn_java_put_frames(l, in, throwable, out);
	if (gn_java_is(name, "LineNumberTable"))
		return gn_java_put_lines(l, in, out);
	if (gn_java_is(name, "LocalVariableTable") ||
	    gn_java_is(name, "LocalVariableTypeTable"))
		return gn_java_put_variables(l, in, out);
	if (gn_java_is(name, "RuntimeVisibleTypeAnnotations") ||
	    gn_java_is(name, "RuntimeInvisibleTypeAnnotations"))
		gn_java_put_annotations(l, in, out);
	else
		gn_java_put(out, in->at, in->n);
	return 0;
}

static void patch_len(struct gn_java_out *out, size_t at)
{
	gn_java_patch_u4(out, at, (uint32_t)(out->n - at - 4));
}

/* One of the code's attributes, which is called `name`. */
static int put_attribute(const struct gn_java_layout *l, uint16_t index,
			 struct gn_java_text name, struct gn_java_in *in,
			 uint16_t throwable, struct gn_java_out *out)
{
	size_t len_at;
	int err;

	gn_java_put_u2(out, index);
	len_at = out->n;
	gn_java_put_u4(out, 0);
	err = put_content(l, name, in, throwable, out);
	patch_len(out, len_at);
	return err;
}

static int put_attributes(const struct gn_java_layout *l,
			  const struct gn_java_added *added,
			  struct gn_java_out *out)
{
	static const char frames[] = "StackMapTable";
	struct gn_java_in in = l->old.attributes, none = {0};
	uint32_t n = l->old.nattributes;
	bool missing = l->class->major >= STACK_MAP_MAJOR;
	size_t begin = out->n;
	int err = 0;

	gn_java_put_u2(out, n);
	for (uint32_t i = 0; i < n && !err; i++) {
		uint16_t index = gn_java_u2(&in);
		uint32_t len = gn_java_u4(&in);
		struct gn_java_in content = {gn_java_take(&in, len), len, 0,
					     false};
		struct gn_java_text name = gn_java_utf8(l->class, index);

		/* it could become the name of one that is added */
		if (!name.at)
			return GN_JAVA_MALFORMED;
		missing &= !gn_java_is(name, frames);
		err = put_attribute(l, index, name, &content, added->throwable,
				    out);
	}
	if (!missing || err)
		return err;
	if (n == UINT16_MAX)
		return GN_JAVA_TOO_LARGE;
	gn_java_patch_u2(out, begin, n + 1);
	return put_attribute(l, added->stack_map_table,
			     (struct gn_java_text){frames, sizeof(frames) - 1},
			     &none, added->throwable, out);
}

static int put_code(const struct gn_java_layout *l,
		    const struct gn_java_member *m,
		    const struct gn_java_added *added, struct gn_java_out *out)
{
	/* the index is on top of a result; a handler has an exception below */
	uint32_t stack = l->old.max_stack + 1u;
	size_t len_at;
	int err;

	if (stack > UINT16_MAX)
		return GN_JAVA_TOO_LARGE;
	/* the attribute's name */
	gn_java_put(out, l->class->at + m->code, 2);
	len_at = out->n;
	gn_java_put_u4(out, 0);
	gn_java_put_u2(out, stack > 2 ? stack : 2);
	gn_java_put_u2(out, l->old.max_locals);
	gn_java_put_u4(out, l->len);
	gn_java_put_code(l, &added->refs, out);
	err = put_handlers(l, out);
	if (!err)
		err = put_attributes(l, added, out);
	patch_len(out, len_at);
	return err;
}

/* The object of a constructor is not initialized at its begin, except that of
 * java/lang/Object. */
static bool begins_raw(const struct gn_java_class *c,
		       const struct gn_java_member *m)
{
	return gn_java_is(m->name, "<init>") &&
	       !(m->access & GN_JAVA_ACC_STATIC) &&
	       !gn_java_is(c->name, "java/lang/Object");
}

/* It is known by its length alone. */
static bool is_empty_finalizer(const struct gn_java_member *m,
			       const struct gn_java_code *code)
{
	return code->len == 1 && gn_java_is(m->name, "finalize") &&
	       gn_java_is(m->descriptor, "()V");
}

int gn_java_put_body(const struct gn_java_class *c,
		     const struct gn_java_member *m,
		     const struct gn_java_added *added,
		     const struct gn_java_call *call, struct gn_java_work *work,
		     struct gn_java_out *out)
{
	struct gn_java_layout l = {.class = c,
				   .call = *call,
				   .map = work->map,
				   .mark = work->mark};
	int err;

	l.constructor = begins_raw(c, m);
	if (!gn_java_code_read(c, m, &l.old))
		return GN_JAVA_MALFORMED;
	if (is_empty_finalizer(m, &l.old))
		return GN_JAVA_EMPTY_FINALIZER;
	err = gn_java_scan(&l);
	if (!err && l.constructor)
		err = gn_java_find_raw(&l, &work->states);
	if (!err)
		err = gn_java_lay_out(&l);
	return err ? err : put_code(&l, m, added, out);
}
