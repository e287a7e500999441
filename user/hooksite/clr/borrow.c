// SPDX-License-Identifier: BSD-2-Clause
#include "borrow.h"

#include <string.h>

#include "elements.h"
#include "md_columns.h"
#include "sig.h"

/* The compiler looks at each local, also at those that no code uses. */
#define MORE_MAX 4

#define LOCALS_MAX 0xfff0
#define PARAMS_MAX 32

/* A type that is read without loading another: a primitive type, an object or a
 * string. */
static bool is_built_in(uint8_t element)
{
	return (element >= EL_BOOLEAN && element <= EL_STRING) ||
	       element == EL_I || element == EL_U || element == EL_OBJECT;
}

static bool is_word(uint8_t element)
{
	return element == EL_I8 || element == EL_U8 || element == EL_I ||
	       element == EL_U;
}

/* The parameter takes an address, or a number as long as one. */
static bool takes_address(const struct gn_bytes *sig, bool *by_ref)
{
	*by_ref = sig->at[3] == EL_BYREF;
	return *by_ref ? sig->n == 5 && is_built_in(sig->at[4])
		       : sig->n == 4 && is_word(sig->at[3]);
}

gn_token gn_borrow_call(const struct gn_md *md, struct gn_il_borrowed *out)
{
	for (uint32_t i = 1; i <= md->table[METHOD].count; i++) {
		struct gn_bytes sig = gn_md_method_sig(md, i);

		if (sig.n < 4 || sig.at[0] != GN_SIG_OF_OBJECT ||
		    sig.at[1] != 1 || !takes_address(&sig, &out->by_ref))
			continue;
		out->pops = sig.at[2] != EL_VOID;
		if (!out->pops || is_built_in(sig.at[2]))
			return (gn_token)GN_TOKEN_METHODDEF << 24 | i;
	}
	return 0;
}

static bool same(const struct gn_bytes *a, const struct gn_bytes *b)
{
	return a->n == b->n && !memcmp(a->at, b->at, a->n);
}

/* What a slot has to hold. */
struct held {
	const struct gn_md *md;
	struct gn_bytes type; /* the result's; empty: nothing */
};

/* The type's element; for an enum of this module, that of its numbers. */
static uint8_t element_of(const struct held *h)
{
	gn_token token = gn_sig_value_type(&h->type);
	uint8_t number = token ? gn_md_enum(h->md, token) : 0;

	return number ? number : h->type.at[0];
}

/* Objects are alike to the compiler, and so are numbers that take as much of
 * the evaluation stack. */
static bool can_hold(const struct held *h, const struct gn_bytes *slot)
{
	uint8_t has = slot->at[0], element;

	if (!h->type.n || same(slot, &h->type))
		return true;
	if (gn_sig_is_object(&h->type))
		return gn_sig_is_object(slot);
	element = element_of(h);
	if (element >= EL_BOOLEAN && element <= EL_U4)
		return has == EL_I4 || has == EL_U4;
	return (is_word(element) || element == EL_PTR) && is_word(has);
}

/* Whether the slot's address can be taken, and the result put into it. */
static bool serves(const struct held *h, const struct gn_bytes *slot)
{
	switch (slot->at[0]) {
	case EL_BYREF:
	case EL_TYPEDREF:
	case EL_PINNED:
	case EL_CMOD_REQD:
	case EL_CMOD_OPT:
		return false;
	default:
		return can_hold(h, slot);
	}
}

/* The number of the first of `n` slots that serves. `n`: none does. */
static uint32_t find_slot(const struct held *h, struct gn_bytes types,
			  uint32_t n)
{
	struct gn_bytes type;

	for (uint32_t i = 0; i < n && gn_sig_take(&types, &type); i++)
		if (serves(h, &type))
			return i;
	return n;
}

/* Whether the compiler loads no other type for these slots. */
static bool loads_none(const struct held *h, struct gn_bytes types, uint32_t n)
{
	struct gn_bytes type;

	for (; n; n--)
		if (!gn_sig_take(&types, &type) ||
		    (!same(&type, &h->type) &&
		     !(type.n == 1 && is_built_in(type.at[0]))))
			return false;
	return true;
}

/* Looks for the signature with the fewest locals behind `n` others, of which
 * one serves. */
static bool find_more(const struct held *h, const struct gn_bytes *types,
		      uint32_t n, struct gn_il_hooks *hooks)
{
	uint32_t best = MORE_MAX + 1;

	for (uint32_t i = 1; best > 1 && i <= h->md->table[SIG].count; i++) {
		struct gn_bytes blob =
			gn_md_blob(h->md, gn_md_cell(h->md, SIG, i, 0));
		struct gn_bytes all;
		uint32_t count, at;

		if (!gn_sig_locals(&blob, &count, &all) || count <= n ||
		    count - n >= best || all.n < types->n ||
		    (types->n && memcmp(all.at, types->at, types->n) != 0))
			continue;
		all.at += types->n;
		all.n -= types->n;
		at = find_slot(h, all, count - n);
		if (at == count - n || !loads_none(h, all, count - n))
			continue;
		best = count - n;
		hooks->locals = (gn_token)GN_TOKEN_SIG << 24 | i;
		hooks->frame = (uint16_t)(n + at);
	}
	return best <= MORE_MAX;
}

/* A method's object can hold another one, but not one that is a value. */
static bool own_object_serves(const struct held *h, uint32_t method)
{
	return !gn_md_is_value(h->md, gn_md_type_of(h->md, method)) &&
	       (!h->type.n || gn_sig_is_object(&h->type));
}

static bool find_argument(const struct held *h, uint32_t method,
			  const struct gn_bytes *sig, struct gn_il_hooks *hooks)
{
	struct gn_bytes type[PARAMS_MAX];
	bool of_object;
	uint32_t n, i = 0;

	if (!gn_sig_params(sig, type, PARAMS_MAX, &n, &of_object))
		return false;
	while (i < n && (!type[i].n || !serves(h, &type[i])))
		i++;
	hooks->frame = i < n ? (uint16_t)(i + of_object) : 0;
	return hooks->borrowed.in_arg =
		       i < n || (of_object && own_object_serves(h, method));
}

/* The types of `n` locals, without what follows them. False: unreadable. */
static bool cut(struct gn_bytes *types, uint32_t n)
{
	struct gn_bytes rest = *types, type;

	while (n--)
		if (!gn_sig_take(&rest, &type))
			return false;
	types->n -= rest.n;
	return true;
}

bool gn_borrow_slot(const struct gn_md *md, uint32_t method, gn_token locals,
		    struct gn_il_hooks *hooks)
{
	struct gn_bytes own = gn_md_locals(md, locals), types = {NULL, 0};
	struct gn_bytes sig = gn_md_method_sig(md, method);
	struct held h = {.md = md};
	uint32_t n = 0, at;

	if ((locals && !own.n) ||
	    (own.n && (!gn_sig_locals(&own, &n, &types) || !cut(&types, n))) ||
	    n > LOCALS_MAX || !gn_sig_result(&sig, &h.type))
		return false;
	hooks->result = h.type.n > 0;
	hooks->borrowed.in_arg = false;
	if (find_more(&h, &types, n, hooks))
		return true;
	hooks->locals = locals;
	at = find_slot(&h, types, n);
	hooks->frame = (uint16_t)at;
	return at < n || find_argument(&h, method, &sig, hooks);
}
