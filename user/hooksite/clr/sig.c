// SPDX-License-Identifier: BSD-2-Clause
#include "sig.h"

#include <stdlib.h>
#include <string.h>

#include "elements.h"

/* More than fits into a name of the greatest accepted length. */
#define COUNT_MAX 512

const char *gn_sig_primitive(uint8_t element)
{
	static const char *const names[] = {
		[0x01] = "void",   [0x02] = "bool",   [0x03] = "char",
		[0x04] = "sbyte",  [0x05] = "byte",   [0x06] = "short",
		[0x07] = "ushort", [0x08] = "int",    [0x09] = "uint",
		[0x0a] = "long",   [0x0b] = "ulong",  [0x0c] = "float",
		[0x0d] = "double", [0x0e] = "string", [0x16] = "typedref",
		[0x18] = "nint",   [0x19] = "nuint",  [0x1c] = "object",
	};

	return element < sizeof(names) / sizeof(names[0]) ? names[element]
							  : NULL;
}

static bool take_byte(struct gn_sig *sig, uint8_t *out)
{
	if (sig->at >= sig->size)
		return false;
	*out = sig->bytes[sig->at++];
	return true;
}

/* A compressed unsigned number of 1, 2 or 4 bytes. The first byte has the
 * length. */
static bool take_u32(struct gn_sig *sig, uint32_t *out)
{
	uint8_t b;
	unsigned int more;

	if (!take_byte(sig, &b))
		return false;
	if (b < 0x80)
		more = 0;
	else if (b < 0xc0)
		more = 1;
	else if (b < 0xe0)
		more = 3;
	else
		return false;
	*out = more == 0 ? b : more == 1 ? b & 0x3f : b & 0x1f;
	while (more--) {
		if (!take_byte(sig, &b))
			return false;
		*out = *out << 8 | b;
	}
	return true;
}

static bool take_token(struct gn_sig *sig, gn_token *out)
{
	static const uint8_t tables[] = {GN_TOKEN_TYPEDEF, GN_TOKEN_TYPEREF,
					 GN_TOKEN_TYPESPEC};
	uint32_t coded;

	if (!take_u32(sig, &coded) || (coded & 3) == 3)
		return false;
	*out = (gn_token)tables[coded & 3] << 24 | coded >> 2;
	return true;
}

static bool put_named(struct gn_text *out, struct gn_sig *sig,
		      const struct gn_sig_env *env, unsigned int depth)
{
	gn_token token;

	if (!take_token(sig, &token))
		return false;
	if (!out->full)
		env->type(env->ctx, out, token, depth + 1);
	return true;
}

static bool put_arguments(struct gn_text *out, struct gn_sig *sig,
			  const struct gn_sig_env *env, uint32_t n,
			  unsigned int depth)
{
	gn_text_put(out, "<");
	for (uint32_t i = 0; i < n; i++) {
		if (i)
			gn_text_put(out, ",");
		if (!gn_sig_put_type(out, sig, env, depth + 1))
			return false;
	}
	gn_text_put(out, ">");
	return true;
}

static bool put_generic(struct gn_text *out, struct gn_sig *sig,
			const struct gn_sig_env *env, unsigned int depth)
{
	uint8_t kind;
	uint32_t n, own;
	gn_token token;
	bool more = true;

	if (!take_byte(sig, &kind) ||
	    (kind != EL_CLASS && kind != EL_VALUETYPE) ||
	    !take_token(sig, &token) || !take_u32(sig, &n) || n > COUNT_MAX)
		return false;
	for (unsigned int i = 0; more; i++, n -= own) {
		own = n;
		more = !out->full && env->piece &&
		       env->piece(env->ctx, out, token, i, &own);
		if (!out->full && !env->piece)
			env->type(env->ctx, out, token, depth + 1);
		if (!more || own > n)
			own = n;
		if (own && !put_arguments(out, sig, env, own, depth))
			return false;
	}
	return true;
}

/* Skips an array's sizes or lower bounds. */
static bool skip_numbers(struct gn_sig *sig)
{
	uint32_t n, value;

	if (!take_u32(sig, &n) || n > COUNT_MAX)
		return false;
	while (n--)
		if (!take_u32(sig, &value))
			return false;
	return true;
}

static bool put_array(struct gn_text *out, struct gn_sig *sig,
		      const struct gn_sig_env *env, unsigned int depth)
{
	uint32_t rank;

	if (!gn_sig_put_type(out, sig, env, depth + 1) ||
	    !take_u32(sig, &rank) || rank > COUNT_MAX || !skip_numbers(sig) ||
	    !skip_numbers(sig))
		return false;
	gn_text_put(out, "[");
	for (uint32_t i = 1; i < rank; i++)
		gn_text_put(out, ",");
	gn_text_put(out, rank == 1 ? "*]" : "]");
	return true;
}

/* Skips a type. */
static bool skip_type(struct gn_sig *sig, const struct gn_sig_env *env,
		      unsigned int depth)
{
	char byte = '\0';
	struct gn_text nowhere = {.bytes = &byte, .cap = 1, .full = true};

	return gn_sig_put_type(&nowhere, sig, env, depth);
}

/* A function pointer: its parameters and, last, its result. The result comes
 * first in the blob, so it is read twice. Charging a quarter of the depth for
 * each read bounds the doubling. */
static bool put_pointer_to_method(struct gn_text *out, struct gn_sig *sig,
				  const struct gn_sig_env *env,
				  unsigned int depth)
{
	uint8_t call;
	uint32_t n, unused;
	struct gn_sig result;

	if (!take_byte(sig, &call) ||
	    ((call & GN_SIG_GENERIC) && !take_u32(sig, &unused)) ||
	    !take_u32(sig, &n) || n > COUNT_MAX)
		return false;
	result = *sig;
	if (!skip_type(sig, env, GN_SIG_DEPTH_MAX / 4 + depth))
		return false;
	gn_text_put(out, "delegate*<");
	for (uint32_t i = 0; i < n; i++) {
		if (!gn_sig_put_type(out, sig, env, depth + 1))
			return false;
		gn_text_put(out, ",");
	}
	if (!gn_sig_put_type(out, &result, env, GN_SIG_DEPTH_MAX / 4 + depth))
		return false;
	gn_text_put(out, ">");
	return true;
}

/* Skips modifiers and pins, which mean nothing to a reader of names. */
static bool take_element(struct gn_sig *sig, uint8_t *element)
{
	gn_token token;

	for (;;) {
		if (!take_byte(sig, element))
			return false;
		if (*element == EL_CMOD_REQD || *element == EL_CMOD_OPT) {
			if (!take_token(sig, &token))
				return false;
		} else if (*element != EL_PINNED) {
			return true;
		}
	}
}

bool gn_sig_put_type(struct gn_text *out, struct gn_sig *sig,
		     const struct gn_sig_env *env, unsigned int depth)
{
	uint8_t element;
	uint32_t n;
	const char *suffix;

	if (depth >= GN_SIG_DEPTH_MAX || !take_element(sig, &element))
		return false;
	if (gn_sig_primitive(element)) {
		gn_text_put(out, gn_sig_primitive(element));
		return true;
	}
	switch (element) {
	case EL_CLASS:
	case EL_VALUETYPE:
		return put_named(out, sig, env, depth);
	case EL_GENERICINST:
		return put_generic(out, sig, env, depth);
	case EL_ARRAY:
		return put_array(out, sig, env, depth);
	case EL_FNPTR:
		return put_pointer_to_method(out, sig, env, depth);
	case EL_VAR:
	case EL_MVAR:
		if (!take_u32(sig, &n))
			return false;
		env->variable(env->ctx, out, element == EL_MVAR, n);
		return true;
	case EL_PTR:
	case EL_BYREF:
	case EL_SZARRAY:
		suffix = element == EL_PTR     ? "*"
			 : element == EL_BYREF ? "&"
					       : "[]";
		if (!gn_sig_put_type(out, sig, env, depth + 1))
			return false;
		gn_text_put(out, suffix);
		return true;
	default:
		return env->other &&
		       env->other(env->ctx, out, sig, element, depth);
	}
}

/* True at the mark before the variable arguments of a vararg call. */
static bool take_sentinel(struct gn_sig *sig)
{
	if (sig->at >= sig->size || sig->bytes[sig->at] != EL_SENTINEL)
		return false;
	sig->at++;
	return true;
}

static bool put_list(struct gn_text *out, struct gn_sig *sig,
		     const struct gn_sig_env *env)
{
	uint8_t call;
	uint32_t n, unused;

	if (!take_byte(sig, &call) ||
	    ((call & GN_SIG_GENERIC) && !take_u32(sig, &unused)) ||
	    !take_u32(sig, &n) || !skip_type(sig, env, 0))
		return false;
	for (uint32_t i = 0; i < n && !out->full; i++) {
		if (i)
			gn_text_put(out, ",");
		if (take_sentinel(sig))
			gn_text_put(out, "...,");
		if (!gn_sig_put_type(out, sig, env, 0))
			return false;
	}
	return true;
}

void gn_sig_put_params(struct gn_text *out, const uint8_t *bytes, size_t size,
		       const struct gn_sig_env *env)
{
	struct gn_sig sig = {.bytes = bytes, .size = size};

	gn_text_put(out, "(");
	if (!put_list(out, &sig, env))
		gn_text_put(out, "?");
	gn_text_put(out, ")");
}

static void no_type(void *ctx, struct gn_text *out, gn_token token,
		    unsigned int depth)
{
	(void)ctx, (void)out, (void)token, (void)depth;
}

static void no_variable(void *ctx, struct gn_text *out, bool of_method,
			uint32_t n)
{
	(void)ctx, (void)out, (void)of_method, (void)n;
}

/* The next type, without leading modifiers. Empty if it is void. */
static bool take_type(struct gn_sig *sig, struct gn_bytes *type)
{
	const struct gn_sig_env env = {NULL, no_type, no_variable, NULL, NULL};
	uint8_t element;
	size_t from;

	if (!take_element(sig, &element))
		return false;
	from = sig->at - 1;
	type->at = sig->bytes + from;
	type->n = 0;
	if (element == EL_VOID)
		return true;
	sig->at = from;
	if (!skip_type(sig, &env, 0))
		return false;
	type->n = sig->at - from;
	return true;
}

/* Reads the head of a method's signature. */
static bool take_method(struct gn_sig *sig, uint8_t *call, uint32_t *params)
{
	uint32_t unused;

	return take_byte(sig, call) &&
	       (!(*call & GN_SIG_GENERIC) || take_u32(sig, &unused)) &&
	       take_u32(sig, params);
}

/* The argument of a generic type that has one. A void: the type has none. */
static struct gn_bytes argument_of(const struct gn_bytes *type)
{
	static const uint8_t nothing = EL_VOID;
	struct gn_sig sig = {.bytes = type->at, .size = type->n};
	struct gn_bytes none = {&nothing, 1}, argument;
	uint8_t element, kind;
	gn_token token;
	uint32_t n;

	return take_byte(&sig, &element) && element == EL_GENERICINST &&
			       take_byte(&sig, &kind) &&
			       take_token(&sig, &token) && take_u32(&sig, &n) &&
			       n == 1 && take_type(&sig, &argument)
		       ? argument
		       : none;
}

struct gn_bytes gn_sig_awaited(const struct gn_bytes *method)
{
	struct gn_bytes type, given, made = {NULL, 0};
	size_t before, after;
	uint8_t *bytes;

	if (!gn_sig_result(method, &type) || !type.n)
		return made;
	given = argument_of(&type);
	before = (size_t)(type.at - method->at);
	after = method->n - before - type.n;
	bytes = malloc(before + given.n + after);
	if (!bytes)
		return made;
	memcpy(bytes, method->at, before);
	memcpy(bytes + before, given.at, given.n);
	memcpy(bytes + before + given.n, type.at + type.n, after);
	made.at = bytes;
	made.n = before + given.n + after;
	return made;
}

bool gn_sig_result(const struct gn_bytes *method, struct gn_bytes *type)
{
	struct gn_sig sig = {.bytes = method->at, .size = method->n};
	uint32_t n;
	uint8_t call;

	return take_method(&sig, &call, &n) && take_type(&sig, type);
}

bool gn_sig_params(const struct gn_bytes *method, struct gn_bytes *types,
		   uint32_t max, uint32_t *count, bool *of_object)
{
	struct gn_sig sig = {.bytes = method->at, .size = method->n};
	struct gn_bytes result;
	uint32_t n;
	uint8_t call;

	if (!take_method(&sig, &call, &n) || !take_type(&sig, &result))
		return false;
	*of_object = (call & (GN_SIG_OF_OBJECT | GN_SIG_OBJECT_IN_LIST)) ==
		     GN_SIG_OF_OBJECT;
	*count = n < max ? n : max;
	for (uint32_t i = 0; i < *count; i++)
		if (!take_type(&sig, &types[i]))
			return false;
	return true;
}

gn_token gn_sig_value_type(const struct gn_bytes *type)
{
	struct gn_sig sig = {.bytes = type->at, .size = type->n};
	uint8_t element;
	gn_token token;

	if (!take_byte(&sig, &element) ||
	    (element == EL_GENERICINST && !take_byte(&sig, &element)) ||
	    element != EL_VALUETYPE || !take_token(&sig, &token))
		return 0;
	return token;
}

bool gn_sig_is_object(const struct gn_bytes *type)
{
	switch (type->at[0]) {
	case EL_STRING:
	case EL_CLASS:
	case EL_ARRAY:
	case EL_OBJECT:
	case EL_SZARRAY:
		return true;
	case EL_GENERICINST:
		return type->n > 1 && type->at[1] == EL_CLASS;
	default:
		return false;
	}
}

bool gn_sig_locals(const struct gn_bytes *locals, uint32_t *count,
		   struct gn_bytes *types)
{
	struct gn_sig sig = {.bytes = locals->at, .size = locals->n};
	uint8_t what;

	if (!take_byte(&sig, &what) || what != GN_SIG_LOCALS ||
	    !take_u32(&sig, count))
		return false;
	*types = (struct gn_bytes){locals->at + sig.at, sig.size - sig.at};
	return true;
}

bool gn_sig_take(struct gn_bytes *types, struct gn_bytes *type)
{
	struct gn_sig sig = {.bytes = types->at, .size = types->n};
	struct gn_bytes plain;

	if (!take_type(&sig, &plain))
		return false;
	*type = (struct gn_bytes){types->at, sig.at};
	*types = (struct gn_bytes){types->at + sig.at, types->n - sig.at};
	return true;
}
