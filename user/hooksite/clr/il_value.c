// SPDX-License-Identifier: BSD-2-Clause
#include "il_value.h"

#include "sig.h"

/* More parameters are not looked at: of these any number can be in floating
 * point. */
#define PARAMS_MAX 32

/* ECMA-335, II.23.1.16 */
enum {
	EL_R4 = 0x0c,
	EL_R8 = 0x0d,
	EL_VALUETYPE = 0x11,
	EL_VAR = 0x13,
	EL_GENERICINST = 0x15,
	EL_TYPEDREF = 0x16,
	EL_MVAR = 0x1e,
};

/* Of the others: that of a reference. */
static int8_t size_of(uint8_t element)
{
	static const int8_t sizes[] = {
		[0x02] = 1, [0x03] = 2,	 [0x04] = -1, [0x05] = 1,  [0x06] = -2,
		[0x07] = 2, [0x08] = -4, [0x09] = 4,  [0x0a] = -8, [0x0c] = 4,
	};

	if (element == EL_TYPEDREF)
		return 0;
	if (element < sizeof(sizes) && sizes[element])
		return sizes[element];
	return 8;
}

/* Whether its size is that of the type, which can depend on type arguments. */
static bool is_open(const struct gn_bytes *type)
{
	switch (type->at[0]) {
	case EL_VALUETYPE:
	case EL_VAR:
	case EL_MVAR:
		return true;
	case EL_GENERICINST:
		return type->n > 1 && type->at[1] == EL_VALUETYPE;
	default:
		return false;
	}
}

static bool is_float(const struct gn_bytes *type)
{
	return type->at[0] == EL_R4 || type->at[0] == EL_R8;
}

/* False: there is no such value, or it is not counted with these. */
static bool is_counted(const struct gn_bytes *type, bool floats)
{
	return type->n && is_float(type) == floats;
}

struct params {
	struct gn_bytes type[PARAMS_MAX];
	uint32_t n;
	bool of_object;
};

/* The place of a parameter by its number among those of its kind, from 1 on. */
static bool find(const struct params *p, bool floats, int which, uint32_t *at)
{
	for (*at = 0; *at < p->n; ++*at)
		if (is_counted(&p->type[*at], floats) && !--which)
			return true;
	return false;
}

static void describe(const struct gn_bytes *type, gn_il_type_fn type_of,
		     void *ctx, struct gn_il_value *v)
{
	v->has = true;
	if (is_open(type))
		v->type = type_of(ctx, type);
	else
		v->size = size_of(type->at[0]);
}

/* -1: it stands for no value. */
static int number_of(char which, bool *floats)
{
	int n = which - GN_ASKED_FLOAT;

	*floats = n >= 0;
	if (!*floats)
		n = which - GN_ASKED_WORD;
	return n >= 0 && n < GN_VALUES_MAX ? n : -1;
}

void gn_il_values(const struct gn_bytes *method, const char *which,
		  gn_il_type_fn type_of, void *ctx, struct gn_il_values *out)
{
	struct params p;
	struct gn_bytes result = {NULL, 0};
	int n;

	*out = (struct gn_il_values){0};
	if (!gn_sig_params(method, p.type, PARAMS_MAX, &p.n, &p.of_object) ||
	    !gn_sig_result(method, &result))
		p.n = 0;
	for (bool floats; (n = number_of(*which, &floats)) >= 0; which++) {
		struct gn_il_value *v = &out->arg[out->nargs];
		uint32_t at;

		if (!n) {
			out->asks_result = true;
			if (is_counted(&result, floats))
				describe(&result, type_of, ctx, &out->result);
			continue;
		}
		if (out->nargs == GN_ARGS_MAX)
			return;
		out->nargs++;
		if (!find(&p, floats, n, &at))
			continue;
		describe(&p.type[at], type_of, ctx, v);
		v->arg = (uint16_t)(at + p.of_object);
	}
}
