/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Hooks that the hook-site library puts into a method's IL inside the traced
 * program. An input is the length of the signature of the locals, the length of
 * the method's own signature, the two signatures, and the method's body.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "fuzz.h"
#include "hooksite/clr/il.h"

static void check_map(const struct gn_il_body *made)
{
	for (size_t i = 0; i < made->nmap; i++) {
		must(made->map[i].to < made->size,
		     "what is mapped is in the new code");
		must(!i || (made->map[i].from > made->map[i - 1].from &&
			    made->map[i].to > made->map[i - 1].to),
		     "instructions keep their order");
	}
}

/* The new body has the new locals, and can be read and rewritten again. */
static void check_again(const struct gn_il_body *made,
			const struct gn_il_hooks *hooks)
{
	struct gn_il_body again;
	gn_token token;

	must(!gn_il_locals_token(made->bytes, made->size, &token) &&
		     token == hooks->locals,
	     "the header has the new locals");
	must(gn_il_rewrite(made->bytes, made->size, hooks, &again) == 0,
	     "it is a body again");
	gn_il_free(&again);
}

static gn_token type_token(void *ctx, const struct gn_bytes *type)
{
	must(type->n && type->at >= (const uint8_t *)ctx,
	     "a type is of the signature");
	return 7;
}

static enum gn_il_call any_call(const void *ctx, gn_token method)
{
	(void)ctx;
	return (enum gn_il_call)(method % 3);
}

/* As if the runtime suspended the method, with every third call an await. */
static void check_awaits(const uint8_t *body, size_t size,
			 struct gn_il_hooks *hooks)
{
	struct gn_il_awaits list;
	struct gn_il_method m;
	struct gn_il_body made;

	if (gn_il_read(body, size, &m) ||
	    gn_il_find_awaits(&m, any_call, NULL, &list))
		return;
	for (uint32_t i = 0; i < list.n; i++)
		must(list.each[i].begin <= list.each[i].at &&
			     list.each[i].at < m.code_size &&
			     (!i || list.each[i - 1].at < list.each[i].begin),
		     "awaits follow one another in the code");
	hooks->suspends = (struct gn_il_suspends){
		.awaits = 8, .awaited = 9, .resumed = 10, .list = &list};
	if (!gn_il_rewrite(body, size, hooks, &made)) {
		check_map(&made);
		gn_il_free(&made);
	}
	gn_il_awaits_free(&list);
}

void gn_fuzz(const uint8_t *bytes, size_t size)
{
	struct gn_fuzz_in in = {bytes, size};
	struct gn_bytes locals, method, made_locals;
	struct gn_il_hooks hooks = {.enter = 1,
				    .leave = 2,
				    .unwound = 3,
				    .index = 4,
				    .call = 5,
				    .locals = 6};
	struct gn_il_body made;
	size_t n;
	uint8_t *body;

	locals.n = gn_fuzz_take(&in, 1);
	method.n = gn_fuzz_take(&in, 1);
	locals.at = gn_fuzz_take_bytes(&in, &locals.n);
	method.at = gn_fuzz_take_bytes(&in, &method.n);
	n = in.left;
	body = gn_fuzz_take_bytes(&in, &n);
	if (!gn_il_locals(&locals, &method, &made_locals, &hooks.frame,
			  &hooks.result)) {
		must(made_locals.n > 2 && made_locals.at[0] == 7,
		     "it is a signature of locals");
		free((void *)made_locals.at);
	}
	gn_il_values(&method,
		     &(struct gn_il_objects){.self = true, .of_type = 5},
		     "01C2b3zA", type_token, (void *)method.at, &hooks.values);
	if (!gn_il_rewrite(body, n, &hooks, &made)) {
		check_map(&made);
		check_again(&made, &hooks);
		gn_il_free(&made);
	}
	hooks.values = (struct gn_il_values){0};
	hooks.borrowed = (struct gn_il_borrowed){true, true, n & 1, n & 2};
	if (!gn_il_rewrite(body, n, &hooks, &made)) {
		check_map(&made);
		check_again(&made, &hooks);
		gn_il_free(&made);
	}
	hooks.borrowed.is_set = false;
	check_awaits(body, n, &hooks);
	free((void *)locals.at);
	free((void *)method.at);
	free(body);
}
