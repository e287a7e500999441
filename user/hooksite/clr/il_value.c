// SPDX-License-Identifier: BSD-2-Clause
#include "il_value.h"

#include <gnomon/event.h>

#include "elements.h"
#include "metadata.h"
#include "sig.h"

/* How many parameters are looked at. Any number of them can be floating point.
 */
#define PARAMS_MAX 32

/* Bytes of a value, below 0: signed; 0: not known. Other elements have the size
 * of a reference. */
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

/* Whether the size must be taken from the type: it can depend on type
 * arguments. */
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

/* Whether the type parameter's bit is set in `known`. Only numbers below 32,
 * which take one byte, have a bit. */
static bool is_among(const struct gn_bytes *type, uint32_t known)
{
	return type->n == 2 && type->at[1] < 32 && known >> type->at[1] & 1;
}

/* Whether it is an object for all type arguments. */
static bool is_object(const struct gn_bytes *type,
		      const struct gn_il_objects *objects)
{
	return gn_sig_is_object(type) ||
	       (type->at[0] == EL_VAR && is_among(type, objects->of_type)) ||
	       (type->at[0] == EL_MVAR && is_among(type, objects->of_method));
}

static bool is_float(const struct gn_bytes *type)
{
	return type->at[0] == EL_R4 || type->at[0] == EL_R8;
}

static bool is_struct(const struct gn_bytes *type,
		      const struct gn_il_objects *objects)
{
	gn_token token = gn_sig_value_type(type);

	return type->at[0] == EL_TYPEDREF ||
	       (token && objects->md && gn_md_is_struct(objects->md, token));
}

/* enum gn_value_type; 0: not a number. */
static uint8_t number_type(uint8_t element)
{
	static const uint8_t types[] = {
		[0x02] = GN_VALUE_BOOL, [0x03] = GN_VALUE_U16,
		[0x04] = GN_VALUE_I8,	[0x05] = GN_VALUE_U8,
		[0x06] = GN_VALUE_I16,	[0x07] = GN_VALUE_U16,
		[0x08] = GN_VALUE_I32,	[0x09] = GN_VALUE_U32,
		[0x0a] = GN_VALUE_I64,	[0x0b] = GN_VALUE_U64,
		[EL_R4] = GN_VALUE_F32, [EL_R8] = GN_VALUE_F64,
	};

	if (element == EL_U)
		return GN_VALUE_U64;
	return element < sizeof(types) ? types[element] : 0;
}

/* The type's element; for an enum that is known here, that of its numbers. */
static uint8_t element_of(const struct gn_bytes *type,
			  const struct gn_il_objects *objects)
{
	gn_token token = gn_sig_value_type(type);
	uint8_t number = 0;

	if (token && objects->md)
		number = gn_md_enum(objects->md, token);
	return number_type(number) ? number : type->at[0];
}

/* enum gn_value_type; 0: an enum of another module, or not known here. */
static uint8_t own_type(const struct gn_bytes *type,
			const struct gn_il_objects *objects)
{
	uint8_t element = element_of(type, objects);

	if (number_type(element))
		return number_type(element);
	if (element == EL_STRING)
		return GN_VALUE_NETSTR;
	if (is_object(type, objects))
		return GN_VALUE_CLASS;
	if (element == EL_PTR || element == EL_BYREF || element == EL_FNPTR)
		return GN_VALUE_PTR;
	return is_struct(type, objects) ? GN_VALUE_STRUCT : 0;
}

/* Which value is asked for, and as what. */
struct asked {
	bool is_float, is_class, is_this, is_own;
	int number; /* among its kind; 0: the result; below 0: none */
};

/* Whether this is a value of the kind that is asked for. */
static bool is_counted(const struct gn_bytes *type, const struct asked *a)
{
	if (a->is_own && !a->number)
		return type->n && type->at[0] != EL_VOID;
	return type->n && is_float(type) == a->is_float;
}

struct params {
	const struct gn_il_objects *objects;
	struct gn_bytes type[PARAMS_MAX];
	uint32_t n;
	bool of_object;
};

/* Finds a parameter by its number among those of its kind, from 1 on. */
static bool find(const struct params *p, const struct asked *a, uint32_t *at)
{
	int number = a->number;

	for (*at = 0; *at < p->n; ++*at)
		if (is_counted(&p->type[*at], a) && !--number)
			return true;
	return false;
}

static void describe(const struct params *p, const struct gn_bytes *type,
		     const struct asked *a, gn_il_type_fn type_of, void *ctx,
		     struct gn_il_value *v)
{
	v->has = !a->is_class || is_object(type, p->objects);
	v->own = a->is_own ? own_type(type, p->objects) : 0;
	v->is_class = a->is_class || v->own == GN_VALUE_CLASS;
	if (v->is_class)
		v->size = 8;
	else if (v->own == GN_VALUE_STRUCT)
		v->size = 0; /* the value is not read */
	else if (is_open(type) && element_of(type, p->objects) == type->at[0])
		v->type = type_of(ctx, type);
	else
		v->size = size_of(element_of(type, p->objects));
}

static struct asked asked_by(char which)
{
	struct asked a = {.is_this = which == GN_ASKED_THIS};

	a.is_class = a.is_this || which >= GN_ASKED_CLASS;
	a.is_own = !a.is_class && which >= GN_ASKED_OWN;
	a.is_float = !a.is_class && !a.is_own && which >= GN_ASKED_FLOAT;
	a.number = a.is_this ? 1
			     : which - (a.is_class   ? GN_ASKED_CLASS
					: a.is_own   ? GN_ASKED_OWN
					: a.is_float ? GN_ASKED_FLOAT
						     : GN_ASKED_WORD);
	if (a.number >= GN_VALUES_MAX)
		a.number = -1;
	return a;
}

/* Takes an argument. IL counts a method's object as the first one. */
static void take(const struct params *p, const struct asked *a,
		 gn_il_type_fn type_of, void *ctx, struct gn_il_value *v)
{
	uint32_t at;

	if (a->is_this) {
		v->is_class = true;
		v->has = p->objects->self && p->of_object;
		v->size = 8;
	} else if (find(p, a, &at)) {
		describe(p, &p->type[at], a, type_of, ctx, v);
		v->arg = (uint16_t)(at + p->of_object);
	}
}

void gn_il_values(const struct gn_bytes *method,
		  const struct gn_il_objects *objects, const char *which,
		  gn_il_type_fn type_of, void *ctx, struct gn_il_values *out)
{
	struct params p = {.objects = objects};
	struct gn_bytes result = {NULL, 0};
	struct asked a;

	*out = (struct gn_il_values){0};
	if (!gn_sig_params(method, p.type, PARAMS_MAX, &p.n, &p.of_object) ||
	    !gn_sig_result(method, &result)) {
		p.n = 0;
		p.of_object = false;
	}
	for (; (a = asked_by(*which)).number >= 0; which++) {
		if (!a.number) {
			out->asks_result = true;
			if (is_counted(&result, &a))
				describe(&p, &result, &a, type_of, ctx,
					 &out->result);
			continue;
		}
		if (out->nargs == GN_ARGS_MAX)
			return;
		take(&p, &a, type_of, ctx, &out->arg[out->nargs++]);
	}
}
