// SPDX-License-Identifier: BSD-2-Clause
#include "md_name.h"

#include <string.h>

#include "conversion.h"
#include "md_columns.h"
#include "sig.h"

/* Element types in signatures of precompiled code (corhdr.h of the runtime):
 * the type that stands for all type arguments that share code, and a type whose
 * tokens belong to another module. */
#define EL_CANON  0x3e
#define EL_MODULE 0x3f
#define CANON	  "System.__Canon"

struct names {
	const struct gn_md *md;
	const struct gn_md_instance *of; /* NULL also inside a type argument */
	uint32_t type, method; /* rows of the type and of the method */
	bool foreign;	       /* tokens belong to another module */
};

gn_token gn_md_outer_token(const struct gn_md *md, gn_token token)
{
	uint32_t row = GN_TOKEN_ROW(token), scope;

	if (GN_TOKEN_TABLE(token) == TYPEDEF) {
		row = gn_md_outer(md, row);
		return row ? (gn_token)TYPEDEF << 24 | row : 0;
	}
	scope = gn_md_cell(md, TYPEREF, row, TYPEREF_SCOPE);
	/* II.24.2.6 */
	return (scope & 3) == 3 ? (gn_token)TYPEREF << 24 | scope >> 2 : 0;
}

uint32_t gn_md_put_own(const struct gn_md *md, struct gn_text *out,
		       gn_token token)
{
	bool def = GN_TOKEN_TABLE(token) == TYPEDEF;
	unsigned int table = def ? TYPEDEF : TYPEREF;
	uint32_t row = GN_TOKEN_ROW(token);
	const char *name, *space;

	name = gn_md_string(md, table, row, def ? TYPEDEF_NAME : TYPEREF_NAME);
	space = gn_md_string(md, table, row,
			     def ? TYPEDEF_SPACE : TYPEREF_SPACE);
	if (*space) {
		gn_text_put(out, space);
		gn_text_put(out, ".");
	}
	return gn_md_put_plain(out, *name ? name : "?");
}

/* The type and the types that enclose it, innermost first. Returns their
 * number. */
static unsigned int chain_of(const struct names *n, gn_token token,
			     gn_token chain[GN_MD_NEST_MAX])
{
	unsigned int len = 0;

	for (; token && len < GN_MD_NEST_MAX;
	     token = gn_md_outer_token(n->md, token))
		chain[len++] = token;
	return len;
}

uint32_t gn_md_parameters(const struct gn_md *md, gn_token owner,
			  uint32_t *count)
{
	/* II.24.2.6: the coded index of an owner of generic parameters */
	uint32_t coded =
		GN_TOKEN_ROW(owner) << 1 | (GN_TOKEN_TABLE(owner) == METHOD);
	uint32_t all = md->table[PARAMETER].count;
	uint32_t first = gn_md_first(md, PARAMETER, PARAMETER_OF, coded);
	uint32_t i = first;

	while (i <= all && i - first < GN_MD_ARGS_MAX &&
	       gn_md_cell(md, PARAMETER, i, PARAMETER_OF) == coded)
		i++;
	*count = i - first;
	return first;
}

bool gn_md_put_parameter(const struct gn_md *md, struct gn_text *out,
			 gn_token owner, uint32_t n)
{
	uint32_t count, first = gn_md_parameters(md, owner, &count);

	if (n >= count)
		return false;
	gn_text_put(out,
		    gn_md_string(md, PARAMETER, first + n, PARAMETER_NAME));
	return true;
}

static gn_token owner_of(const struct names *n, bool of_method)
{
	return of_method ? (gn_token)METHOD << 24 | n->method
			 : (gn_token)TYPEDEF << 24 | n->type;
}

static bool put_type(struct names *n, struct gn_text *out,
		     const struct gn_bytes *type);

/* Appends a type argument. If its code is shared by several type arguments,
 * appends the name of the type parameter instead. */
static void put_arg(struct names *n, struct gn_text *out, bool of_method,
		    uint32_t i)
{
	const struct gn_md_instance *of = n->of;
	const struct gn_md_args *args =
		of_method ? &of->of_method : &of->of_type;
	size_t from = out->len;

	n->of = NULL;
	if (!put_type(n, out, &args->arg[i]))
		gn_text_put(out, "?");
	n->of = of;
	if (out->full || strcmp(out->bytes + from, CANON) != 0)
		return;
	out->len = from;
	out->bytes[from] = '\0';
	if (!gn_md_put_parameter(n->md, out, owner_of(n, of_method), i))
		gn_text_put(out, CANON);
}

/* The number of type arguments to append. */
static uint32_t count_args(const struct names *n, bool of_method)
{
	uint32_t count;

	if (n->of)
		return of_method ? n->of->of_method.n : n->of->of_type.n;
	gn_md_parameters(n->md, owner_of(n, of_method), &count);
	return count;
}

/* Appends type arguments `first` to `end` - 1. */
static void put_args(struct names *n, struct gn_text *out, bool of_method,
		     uint32_t first, uint32_t end)
{
	for (uint32_t i = first; i < end; i++) {
		gn_text_put(out, i == first ? "<" : ",");
		if (n->of)
			put_arg(n, out, of_method, i);
		else
			gn_md_put_parameter(n->md, out, owner_of(n, of_method),
					    i);
	}
	if (first < end)
		gn_text_put(out, ">");
}

/* Appends the method's type with its enclosing types and their type arguments:
 * Outer<int>+Inner<string>. */
static void put_declaring(struct names *n, struct gn_text *out)
{
	uint32_t all = count_args(n, false), told = 0;
	gn_token chain[GN_MD_NEST_MAX];
	unsigned int len =
		chain_of(n, (gn_token)TYPEDEF << 24 | n->type, chain);

	while (len--) {
		uint32_t own = gn_md_put_own(n->md, out, chain[len]);

		if (!len || own > all - told)
			own = all - told;
		put_args(n, out, false, told, told + own);
		told += own;
		if (len)
			gn_text_put(out, "+");
	}
}

static void sig_variable(void *ctx, struct gn_text *out, bool of_method,
			 uint32_t i)
{
	struct names *n = ctx;

	if (n->of && i < count_args(n, of_method)) {
		put_arg(n, out, of_method, i);
		return;
	}
	if (gn_md_put_parameter(n->md, out, owner_of(n, of_method), i))
		return;
	gn_text_put(out, of_method ? "!!" : "!");
	gn_text_put_u32(out, i);
}

static bool sig_piece(void *ctx, struct gn_text *out, gn_token token,
		      unsigned int i, uint32_t *own)
{
	struct names *n = ctx;
	gn_token chain[GN_MD_NEST_MAX];
	unsigned int len = 0;

	*own = 0;
	if (!n->foreign && GN_TOKEN_TABLE(token) != TYPESPEC)
		len = chain_of(n, token, chain);
	if (i >= len) {
		gn_text_put(out, "?");
		return false;
	}
	if (i)
		gn_text_put(out, "+");
	*own = gn_md_put_own(n->md, out, chain[len - 1 - i]);
	return i + 1 < len;
}

static void sig_type(void *ctx, struct gn_text *out, gn_token token,
		     unsigned int depth);
static bool sig_other(void *ctx, struct gn_text *out, struct gn_sig *sig,
		      uint8_t element, unsigned int depth);

static struct gn_sig_env env_of(struct names *n)
{
	return (struct gn_sig_env){n, sig_type, sig_variable, sig_piece,
				   sig_other};
}

static void sig_type(void *ctx, struct gn_text *out, gn_token token,
		     unsigned int depth)
{
	struct names *n = ctx;
	const struct gn_sig_env env = env_of(n);
	struct gn_bytes blob;
	struct gn_sig sig = {0};
	uint32_t own;

	if (GN_TOKEN_TABLE(token) != TYPESPEC || n->foreign) {
		for (unsigned int i = 0; sig_piece(n, out, token, i, &own); i++)
			;
		return;
	}
	blob = gn_md_blob(n->md,
			  gn_md_cell(n->md, TYPESPEC, GN_TOKEN_ROW(token), 0));
	sig.bytes = blob.at;
	sig.size = blob.n;
	if (!gn_sig_put_type(out, &sig, &env, depth))
		gn_text_put(out, "?");
}

static bool sig_other(void *ctx, struct gn_text *out, struct gn_sig *sig,
		      uint8_t element, unsigned int depth)
{
	struct names *n = ctx;
	const struct gn_sig_env env = env_of(n);
	struct gn_bytes rest = {sig->bytes + sig->at, sig->size - sig->at};
	bool was = n->foreign, put;
	uint32_t module;

	if (element == EL_CANON) {
		gn_text_put(out, CANON);
		return true;
	}
	if (element != EL_MODULE || !gn_md_number(&rest, &module))
		return false;
	sig->at = sig->size - rest.n;
	n->foreign = module != 0;
	put = gn_sig_put_type(out, sig, &env, depth + 1);
	n->foreign = was;
	return put;
}

static bool put_type(struct names *n, struct gn_text *out,
		     const struct gn_bytes *type)
{
	const struct gn_sig_env env = env_of(n);
	struct gn_sig sig = {.bytes = type->at, .size = type->n};

	return gn_sig_put_type(out, &sig, &env, 1);
}

/* Only conversions show it. */
static void put_result(struct names *n, struct gn_text *out, const char *name,
		       const struct gn_bytes *sig)
{
	struct gn_bytes type;

	if (!gn_is_conversion(name))
		return;
	gn_text_put(out, "~");
	if (!gn_sig_result(sig, &type) || !put_type(n, out, &type))
		gn_text_put(out, "?");
}

void gn_md_put_method(const struct gn_md *md, uint32_t row,
		      const struct gn_md_instance *of, struct gn_text *name)
{
	struct names n = {.md = md,
			  .of = of,
			  .type = gn_md_type_of(md, row),
			  .method = row};
	const struct gn_sig_env env = env_of(&n);
	const char *own = gn_md_string(md, METHOD, row, METHOD_NAME);
	struct gn_bytes sig = gn_md_method_sig(md, row);

	put_declaring(&n, name);
	gn_text_put(name, ".");
	gn_text_put(name, *own ? own : "?");
	put_args(&n, name, true, 0, count_args(&n, true));
	gn_sig_put_params(name, sig.at, sig.n, &env);
	put_result(&n, name, own, &sig);
}

bool gn_md_generic(const struct gn_md *md, uint32_t row)
{
	const struct names n = {
		.md = md, .type = gn_md_type_of(md, row), .method = row};

	return count_args(&n, false) || count_args(&n, true);
}

const char *gn_md_assembly(const struct gn_md *md)
{
	return gn_md_string(md, ASSEMBLY, 1, ASSEMBLY_NAME);
}

uint32_t gn_md_assembly_major(const struct gn_md *md)
{
	return gn_md_cell(md, ASSEMBLY, 1, ASSEMBLY_MAJOR);
}

bool gn_md_skip_type(struct gn_bytes *b)
{
	static const struct gn_md none;
	struct names n = {.md = &none};
	const struct gn_sig_env env = env_of(&n);
	char byte = '\0';
	struct gn_text nowhere = {.bytes = &byte, .cap = 1, .full = true};
	struct gn_sig sig = {.bytes = b->at, .size = b->n};

	if (!gn_sig_put_type(&nowhere, &sig, &env, 0))
		return false;
	*b = (struct gn_bytes){b->at + sig.at, b->n - sig.at};
	return true;
}
