/* SPDX-License-Identifier: BSD-2-Clause */
#include "rewrite.h"

#include <errno.h>

#include "body.h"

/* What was chosen for a method. */
struct choice {
	uint32_t index; /* UINT32_MAX: it stays as it is */
	struct gn_java_call call;
};

struct rewriting {
	struct gn_java_class class;
	struct choice *choice; /* of each method */
	const struct gn_java_hooks *hooks;
	gn_java_refused_fn refused;
	gn_java_alloc_fn alloc;
	void *ctx;
	struct gn_java_added added;
	struct gn_java_work work;
	struct gn_java_out out;
	uint32_t nconstants; /* with those that are added */
};

static void refuse(struct rewriting *r, struct choice *choice, int why)
{
	if (r->refused)
		r->refused(r->ctx, choice->index, (enum gn_java_refusal)why);
	choice->index = UINT32_MAX;
}

/* Constants are added behind the old ones, whose numbers stay. */
static uint16_t add_constant(struct rewriting *r, enum gn_java_tag tag)
{
	gn_java_put_u1(&r->out, tag);
	return (uint16_t)r->nconstants++;
}

static uint16_t add_utf8(struct rewriting *r, const char *text)
{
	size_t n = strlen(text);
	uint16_t index = add_constant(r, GN_JAVA_UTF8);

	gn_java_put_u2(&r->out, (uint32_t)n);
	gn_java_put(&r->out, text, n);
	return index;
}

/* One with one or two numbers of others. */
static uint16_t add_pair(struct rewriting *r, enum gn_java_tag tag, uint16_t a,
			 uint16_t b)
{
	uint16_t index = add_constant(r, tag);

	gn_java_put_u2(&r->out, a);
	if (tag != GN_JAVA_CLASS)
		gn_java_put_u2(&r->out, b);
	return index;
}

static uint16_t add_hook(struct rewriting *r, uint16_t class, uint16_t type,
			 const char *name)
{
	uint16_t utf8 = add_utf8(r, name);
	uint16_t named = add_pair(r, GN_JAVA_NAME_AND_TYPE, utf8, type);

	return add_pair(r, GN_JAVA_METHODREF, class, named);
}

/* How many constants add_constants() adds */
#define ADDED 15

static void add_constants(struct rewriting *r)
{
	struct gn_java_added *a = &r->added;
	uint16_t class, type;

	class = add_utf8(r, r->hooks->class);
	class = add_pair(r, GN_JAVA_CLASS, class, 0);
	type = add_utf8(r, "(I)V");
	a->refs.enter = add_hook(r, class, type, r->hooks->enter);
	a->refs.leave = add_hook(r, class, type, r->hooks->leave);
	a->refs.unwound = add_hook(r, class, type, r->hooks->unwound);
	a->throwable = add_utf8(r, "java/lang/Throwable");
	a->throwable = add_pair(r, GN_JAVA_CLASS, a->throwable, 0);
	a->stack_map_table = add_utf8(r, "StackMapTable");
}

/* The shortest instruction that pushes an index. False: there is no place for
 * a constant. */
static bool make_call(struct rewriting *r, uint32_t index,
		      struct gn_java_call *call)
{
	int32_t v = (int32_t)index;

	if (v >= -1 && v <= 5) {
		*call = (struct gn_java_call){{(uint8_t)(GN_OP_ICONST_0 + v)},
					      1};
		return true;
	}
	if (v >= INT8_MIN && v <= INT8_MAX) {
		*call = (struct gn_java_call){{GN_OP_BIPUSH, (uint8_t)v}, 2};
		return true;
	}
	*call = (struct gn_java_call){{GN_OP_SIPUSH}, 3};
	if (v < INT16_MIN || v > INT16_MAX) {
		if (r->nconstants >= UINT16_MAX)
			return false;
		call->push[0] = GN_OP_LDC_W;
		v = add_constant(r, GN_JAVA_INTEGER);
		gn_java_put_u4(&r->out, index);
	}
	gn_java_set_u2(call->push + 1, (uint32_t)v);
	return true;
}

static void select_method(struct rewriting *r, gn_java_select_fn select,
			  uint16_t i)
{
	const struct gn_java_class *c = &r->class;
	const struct gn_java_member *m = &c->method[i];
	struct gn_java_method method = {
		.class = c->name.at,
		.class_len = c->name.n,
		.name = m->name.at,
		.name_len = m->name.n,
		.descriptor = m->descriptor.at,
		.descriptor_len = m->descriptor.n,
		.access = m->access,
	};
	struct choice *choice = &r->choice[i];

	choice->index = select(r->ctx, &method);
	if (choice->index != UINT32_MAX && !m->code)
		refuse(r, choice, GN_JAVA_NO_CODE);
}

/* Asks for all methods. Returns whether there are any to hook, and the length
 * of the longest Code attribute of them. */
static bool select_methods(struct rewriting *r, gn_java_select_fn select,
			   uint32_t *longest)
{
	const struct gn_java_class *c = &r->class;
	bool any = false;

	*longest = 0;
	for (uint16_t i = 0; i < c->nmethods; i++) {
		const struct gn_java_member *m = &c->method[i];

		select_method(r, select, i);
		if (r->choice[i].index == UINT32_MAX)
			continue;
		any = true;
		if (m->code_end - m->code > *longest)
			*longest = m->code_end - m->code;
	}
	return any;
}

/* The new pool: what the methods need is added to it. */
static void put_pool(struct rewriting *r)
{
	const struct gn_java_class *c = &r->class;

	gn_java_put(&r->out, c->at, c->pool_end);
	r->nconstants = c->nconstants;
	if (r->nconstants + ADDED <= UINT16_MAX)
		add_constants(r);
	for (uint16_t i = 0; i < c->nmethods; i++) {
		struct choice *choice = &r->choice[i];

		if (choice->index == UINT32_MAX)
			continue;
		if (!r->added.refs.enter ||
		    !make_call(r, choice->index, &choice->call))
			refuse(r, choice, GN_JAVA_TOO_LARGE);
	}
	gn_java_patch_u2(&r->out, 8, r->nconstants);
}

/* Returns 1 if the method got hooks, 0 or -ENOMEM. */
static int put_method(struct rewriting *r, uint16_t i)
{
	const struct gn_java_class *c = &r->class;
	const struct gn_java_member *m = &c->method[i];
	struct choice *choice = &r->choice[i];
	size_t begin = r->out.n;
	int err;

	if (choice->index != UINT32_MAX) {
		gn_java_put(&r->out, c->at + m->begin, m->code - m->begin);
		err = gn_java_put_body(c, m, &r->added, &choice->call, &r->work,
				       &r->out);
		if (!err) {
			gn_java_put(&r->out, c->at + m->code_end,
				    m->end - m->code_end);
			return r->out.failed ? -ENOMEM : 1;
		}
		if (err < 0)
			return err;
		refuse(r, choice, err);
		r->out.n = begin;
	}
	gn_java_put(&r->out, c->at + m->begin, m->end - m->begin);
	return r->out.failed ? -ENOMEM : 0;
}

static int put_class(struct rewriting *r)
{
	const struct gn_java_class *c = &r->class;
	int hooked = 0;

	put_pool(r);
	gn_java_put(&r->out, c->at + c->pool_end,
		    c->methods_begin - c->pool_end);
	for (uint16_t i = 0; i < c->nmethods; i++) {
		int n = put_method(r, i);

		if (n < 0)
			return n;
		hooked += n;
	}
	gn_java_put(&r->out, c->at + c->methods_end, c->len - c->methods_end);
	return r->out.failed ? -ENOMEM : hooked;
}

/* Memory for methods whose Code attribute is at most so long. */
static bool get_memory(struct rewriting *r, uint32_t longest)
{
	struct gn_java_work *w = &r->work;
	size_t n = longest;

	w->map = r->alloc(r->ctx, n * (2 * sizeof(uint32_t) + 1));
	if (!w->map)
		return false;
	w->states.of = w->map + n;
	w->mark = (uint8_t *)(w->states.of + n);
	w->states.store.alloc = r->out.alloc = r->alloc;
	w->states.store.ctx = r->out.ctx = r->ctx;
	/* for all that is added, most often */
	r->out.size = r->class.len + r->class.len / 4 + 1024;
	r->out.at = r->alloc(r->ctx, r->out.size);
	return r->out.at;
}

int gn_java_rewrite(const uint8_t *bytes, size_t len,
		    const struct gn_java_hooks *hooks, gn_java_select_fn select,
		    gn_java_refused_fn refused, gn_java_alloc_fn alloc,
		    void *ctx, uint8_t **out, size_t *out_len)
{
	struct rewriting r = {
		.hooks = hooks, .refused = refused, .alloc = alloc, .ctx = ctx};
	uint32_t longest;
	int n;

	n = gn_java_class_read(&r.class, bytes, len, alloc, ctx);
	if (n || !r.class.nmethods)
		return n;
	r.choice = alloc(ctx, r.class.nmethods * sizeof(*r.choice));
	if (!r.choice)
		return -ENOMEM;
	if (!select_methods(&r, select, &longest))
		return 0;
	if (!get_memory(&r, longest))
		return -ENOMEM;
	n = put_class(&r);
	if (n > 0) {
		*out = r.out.at;
		*out_len = r.out.n;
	}
	return n;
}
