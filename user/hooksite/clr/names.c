// SPDX-License-Identifier: BSD-2-Clause
#include "names.h"

#include <string.h>

#include "conversion.h"
#include "ids.h"
#include "image.h"
#include "meta.h"
#include "sig.h"

#define ARGS_MAX  16
#define DEPTH_MAX 8

/* The state while one function's name is built. */
struct names {
	struct gn_images *images;
	struct gn_meta meta; /* of the function's module; zeros: none */
	gn_token class_token;
	gn_token method_token;
	gn_cor_id class_args[ARGS_MAX];
	gn_cor_id method_args[ARGS_MAX];
	uint32_t nclass_args;
	uint32_t nmethod_args;
	gn_cor_id gone; /* see gn_names_function() */
};

typedef gn_hr (*is_array_fn)(void *, gn_cor_id, uint32_t *, gn_cor_id *,
			     uint32_t *);
typedef gn_hr (*domain_info_fn)(void *, gn_cor_id, uint32_t, uint32_t *,
				gn_wchar *, gn_cor_id *);
typedef gn_hr (*function_info_fn)(void *, gn_cor_id, uint64_t, gn_cor_id *,
				  gn_cor_id *, gn_token *, uint32_t, uint32_t *,
				  gn_cor_id *);
typedef gn_hr (*class_info_fn)(void *, gn_cor_id, gn_cor_id *, gn_token *,
			       gn_cor_id *, uint32_t, uint32_t *, gn_cor_id *);
typedef gn_hr (*dynamic_info_fn)(void *, gn_cor_id, gn_cor_id *,
				 const uint8_t **, uint32_t *, uint32_t,
				 uint32_t *, gn_wchar *);

/* Notes that the name contains something of this module. A module with an image
 * in gn_images is never unloaded. */
static void note_module(struct names *names, gn_cor_id module)
{
	if (names->gone == module || gn_images_get(names->images, module))
		return;
	names->gone = names->gone ? GN_IDS_ANY_MODULE : module;
}

/* Arguments of a generic type or method. `told`: how many are written. */
struct given {
	const gn_cor_id *args; /* NULL: write the parameters' names */
	uint32_t n, told;
	gn_token owner; /* of the parameters; 0: not known */
	unsigned int depth;
};

static void put_given(struct names *names, struct gn_text *out,
		      struct given *given, uint32_t count);

/* The type and the types that enclose it, innermost first. Returns their
 * number. */
static unsigned int chain_of(const struct gn_meta *meta, gn_token token,
			     gn_token chain[GN_MD_NEST_MAX])
{
	unsigned int n = 0;

	for (; token && n < GN_MD_NEST_MAX; token = gn_meta_outer(meta, token))
		chain[n++] = token;
	return n;
}

/*
 * Appends the name of a TypeDef or TypeRef with its enclosing types, each with
 * its own type arguments: Outer<int>+Inner<string>.
 */
static void put_type(struct names *names, struct gn_text *out,
		     const struct gn_meta *meta, gn_token token,
		     struct given *given)
{
	gn_token chain[GN_MD_NEST_MAX];
	unsigned int n = chain_of(meta, token, chain);

	while (n--) {
		uint32_t own = gn_meta_put_own(meta, out, chain[n]);

		if (given)
			put_given(names, out, given,
				  n ? own : given->n - given->told);
		if (n)
			gn_text_put(out, "+");
	}
}

/* Writes System.Int32 and the like as C# does in a signature: int. */
static void shorten_primitive(struct gn_text *out, size_t from)
{
	static const struct {
		const char *full;
		const char *brief;
	} names[] = {
		{"System.Boolean", "bool"},  {"System.Char", "char"},
		{"System.SByte", "sbyte"},   {"System.Byte", "byte"},
		{"System.Int16", "short"},   {"System.UInt16", "ushort"},
		{"System.Int32", "int"},     {"System.UInt32", "uint"},
		{"System.Int64", "long"},    {"System.UInt64", "ulong"},
		{"System.Single", "float"},  {"System.Double", "double"},
		{"System.String", "string"}, {"System.Object", "object"},
		{"System.IntPtr", "nint"},   {"System.UIntPtr", "nuint"},
	};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		if (out->full || strcmp(out->bytes + from, names[i].full) != 0)
			continue;
		out->len = from;
		gn_text_put(out, names[i].brief);
		return;
	}
}

static void put_class(struct names *names, struct gn_text *out, gn_cor_id class,
		      unsigned int depth);

/* Appends a type argument. If its code is shared by several type arguments,
 * appends the name of the type parameter instead. */
static void put_arg(struct names *names, struct gn_text *out, gn_cor_id arg,
		    gn_token owner, uint32_t n, unsigned int depth)
{
	size_t from = out->len;

	put_class(names, out, arg, depth);
	shorten_primitive(out, from);
	if (out->full || strcmp(out->bytes + from, "System.__Canon") != 0)
		return;
	out->len = from;
	out->bytes[from] = '\0';
	if (!gn_meta_put_parameter(&names->meta, out, owner, n))
		gn_text_put(out, "System.__Canon");
}

/* Appends the next `count` arguments. */
static void put_given(struct names *names, struct gn_text *out,
		      struct given *given, uint32_t count)
{
	uint32_t from = given->told;

	for (; given->told - from < count && given->told < given->n &&
	       given->told < ARGS_MAX;
	     given->told++) {
		gn_text_put(out, given->told == from ? "<" : ",");
		if (given->args)
			put_arg(names, out, given->args[given->told],
				given->owner, given->told, given->depth);
		else if (!gn_meta_put_parameter(&names->meta, out, given->owner,
						given->told))
			gn_text_put(out, "?");
	}
	if (given->told > from)
		gn_text_put(out, given->n > ARGS_MAX && given->told == ARGS_MAX
					 ? ",..>"
					 : ">");
}

/* Appends the element type of an array. For an enum the runtime reports its
 * underlying integer type; the element's class says which enum it is. */
static void put_element(struct names *names, struct gn_text *out,
			uint32_t element, gn_cor_id class, unsigned int depth)
{
	const char *primitive =
		element < 0x100 ? gn_sig_primitive((uint8_t)element) : NULL;
	size_t from = out->len;

	put_class(names, out, class, depth);
	if (!primitive || out->full)
		return;
	shorten_primitive(out, from);
	if (strcmp(out->bytes + from, "?") != 0)
		return;
	out->len = from;
	gn_text_put(out, primitive);
}

static bool put_array(struct names *names, struct gn_text *out, gn_cor_id class,
		      unsigned int depth)
{
	uint32_t element = 0, rank = 0;
	gn_cor_id element_class = 0;

	if (GN_COM(names->images->info, GN_INFO_IS_ARRAY_CLASS,
		   is_array_fn)(names->images->info, class, &element,
				&element_class, &rank) != GN_S_OK)
		return false;
	put_element(names, out, element, element_class, depth + 1);
	gn_text_put(out, "[");
	while (rank-- > 1 && !out->full)
		gn_text_put(out, ",");
	gn_text_put(out, "]");
	return true;
}

static void put_class(struct names *names, struct gn_text *out, gn_cor_id class,
		      unsigned int depth)
{
	gn_cor_id module = 0, parent, args[ARGS_MAX];
	struct gn_meta meta;
	uint32_t n = 0;
	gn_token token = 0;

	if (out->full || (class && put_array(names, out, class, depth)))
		return;
	if (!class || depth >= DEPTH_MAX ||
	    GN_COM(names->images->info, GN_INFO_CLASS_INFO2,
		   class_info_fn)(names->images->info, class, &module, &token,
				  &parent, ARGS_MAX, &n, args) < 0) {
		gn_text_put(out, "?");
		return;
	}
	note_module(names, module);
	if (!gn_meta_open(&meta, names->images, module, token)) {
		gn_text_put(out, "?");
		return;
	}
	put_type(names, out, &meta, token,
		 &(struct given){.args = args, .n = n, .depth = depth + 1});
	gn_meta_close(&meta);
}

static void sig_variable(void *ctx, struct gn_text *out, bool of_method,
			 uint32_t n)
{
	struct names *names = ctx;
	uint32_t known = of_method ? names->nmethod_args : names->nclass_args;
	const gn_cor_id *args =
		of_method ? names->method_args : names->class_args;
	gn_token owner = of_method ? names->method_token : names->class_token;

	if (n < known && n < ARGS_MAX) {
		put_arg(names, out, args[n], owner, n, 1);
		return;
	}
	if (gn_meta_put_parameter(&names->meta, out, owner, n))
		return;
	gn_text_put(out, of_method ? "!!" : "!");
	gn_text_put_u32(out, n);
}

static bool sig_piece(void *ctx, struct gn_text *out, gn_token token,
		      unsigned int i, uint32_t *own)
{
	struct names *names = ctx;
	gn_token chain[GN_MD_NEST_MAX];
	unsigned int n = 0;

	*own = 0;
	if (GN_TOKEN_TABLE(token) != GN_TOKEN_TYPESPEC)
		n = chain_of(&names->meta, token, chain);
	if (i >= n) {
		gn_text_put(out, "?");
		return false;
	}
	if (i)
		gn_text_put(out, "+");
	*own = gn_meta_put_own(&names->meta, out, chain[n - 1 - i]);
	return i + 1 < n;
}

static void sig_type(void *ctx, struct gn_text *out, gn_token token,
		     unsigned int depth)
{
	struct names *names = ctx;
	const struct gn_sig_env env = {ctx, sig_type, sig_variable, sig_piece,
				       NULL};
	struct gn_bytes blob;
	struct gn_sig sig = {0};

	if (GN_TOKEN_TABLE(token) != GN_TOKEN_TYPESPEC) {
		put_type(names, out, &names->meta, token, NULL);
		return;
	}
	blob = gn_meta_typespec(&names->meta, token);
	sig.bytes = blob.at;
	sig.size = blob.n;
	if (!gn_sig_put_type(out, &sig, &env, depth))
		gn_text_put(out, "?");
}

/* In signatures of methods that are made at run time (corhdr.h of the runtime):
 * the type itself, by its address. Bit 1 is set in what is not a class. */
#define EL_INTERNAL 0x21
#define NO_CLASS    0x02

static bool sig_internal(void *ctx, struct gn_text *out, struct gn_sig *sig,
			 uint8_t element, unsigned int depth)
{
	gn_cor_id class;
	size_t from = out->len;

	if (element != EL_INTERNAL || sig->size - sig->at < sizeof(class))
		return false;
	memcpy(&class, sig->bytes + sig->at, sizeof(class));
	sig->at += sizeof(class);
	put_class(ctx, out, class & NO_CLASS ? 0 : class, depth);
	shorten_primitive(out, from);
	return true;
}

/* The same, from the image if there is one. */
static void put_module(struct gn_images *images, struct gn_text *out,
		       gn_cor_id module)
{
	const struct gn_image *image = gn_images_get(images, module);

	if (image)
		gn_text_put(out, image->path);
	else
		gn_names_module(images->info, module, out);
}

/* Reads the class's type arguments, for its own name and for the signature. */
static void put_declaring_class(struct names *names, struct gn_text *out,
				gn_cor_id class)
{
	gn_cor_id module, parent;
	gn_token token;
	struct given given = {.owner = names->class_token, .depth = 1};

	/* Before 10 the runtime does not say which of the instantiations that
	 * share code a function belongs to: the name shows type parameters,
	 * such as T. */
	if (!class ||
	    GN_COM(names->images->info, GN_INFO_CLASS_INFO2, class_info_fn)(
		    names->images->info, class, &module, &token, &parent,
		    ARGS_MAX, &names->nclass_args, names->class_args) < 0)
		names->nclass_args = 0;
	if (names->nclass_args)
		given.args = names->class_args;
	given.n = given.args ? names->nclass_args
			     : gn_meta_parameters(&names->meta, given.owner);
	put_type(names, out, &names->meta, names->class_token, &given);
}

static void put_result(struct gn_text *out, const struct gn_bytes *method,
		       const struct gn_sig_env *env)
{
	struct gn_bytes type;
	struct gn_sig sig;

	gn_text_put(out, "~");
	if (gn_sig_result(method, &type)) {
		sig = (struct gn_sig){.bytes = type.at, .size = type.n};
		if (gn_sig_put_type(out, &sig, env, 0))
			return;
	}
	gn_text_put(out, "?");
}

/* False: there is no such method. */
static bool put_method(struct names *names, struct gn_text *out,
		       gn_cor_id class)
{
	const struct gn_sig_env env = {names, sig_type, sig_variable, sig_piece,
				       NULL};
	struct given given = {.owner = names->method_token, .depth = 1};
	struct gn_meta_method method;
	bool converts;
	size_t from;

	if (!gn_meta_method(&names->meta, given.owner, &method, NULL))
		return false;
	names->class_token = method.type;
	put_declaring_class(names, out, class);
	gn_text_put(out, ".");
	from = out->len;
	gn_meta_method(&names->meta, given.owner, &method, out);
	converts = gn_is_conversion(out->bytes + from);
	if (names->nmethod_args)
		given.args = names->method_args;
	given.n = given.args ? names->nmethod_args
			     : gn_meta_parameters(&names->meta, given.owner);
	put_given(names, out, &given, given.n);
	gn_sig_put_params(out, method.sig.at, method.sig.n, &env);
	if (converts)
		put_result(out, &method.sig, &env);
	return true;
}

bool gn_names_suspends(struct gn_images *images, gn_cor_id module,
		       gn_token method)
{
	struct gn_meta_method m = {.impl = 0};
	struct gn_meta meta;

	if (!gn_meta_open(&meta, images, module, method))
		return false;
	gn_meta_method(&meta, method, &m, NULL);
	gn_meta_close(&meta);
	return m.impl & GN_MD_IMPL_ASYNC;
}

gn_cor_id gn_names_function(struct gn_images *images, gn_cor_id function,
			    struct gn_text *name, struct gn_text *module)
{
	struct names names = {.images = images};
	gn_cor_id class = 0, module_id = 0;

	if (GN_COM(images->info, GN_INFO_FUNCTION_INFO2, function_info_fn)(
		    images->info, function, 0, &class, &module_id,
		    &names.method_token, ARGS_MAX, &names.nmethod_args,
		    names.method_args) < 0 ||
	    !GN_TOKEN_ROW(names.method_token) ||
	    !gn_meta_open(&names.meta, images, module_id, names.method_token))
		return gn_names_dynamic(images, function, name, module);
	note_module(&names, module_id);
	put_module(images, module, module_id);
	if (!put_method(&names, name, class))
		gn_text_put(name, "?");
	gn_meta_close(&names.meta);
	return names.gone;
}

bool gn_names_method(struct gn_images *images, gn_cor_id module,
		     gn_token method, struct gn_text *name,
		     struct gn_text *path)
{
	struct names names = {.images = images, .method_token = method};
	bool is = gn_meta_open(&names.meta, images, module, method);

	if (is) {
		put_module(images, path, module);
		is = put_method(&names, name, 0);
	}
	gn_meta_close(&names.meta);
	return is;
}

#define DYNAMIC "DynamicClass."
#define STUB	DYNAMIC "IL_STUB"

bool gn_names_is_stub(const char *name)
{
	return !strncmp(name, STUB, sizeof(STUB) - 1);
}

gn_cor_id gn_names_dynamic(struct gn_images *images, gn_cor_id function,
			   struct gn_text *name, struct gn_text *module)
{
	struct names names = {.images = images};
	const struct gn_sig_env env = {&names, sig_type, sig_variable,
				       sig_piece, sig_internal};
	gn_cor_id module_id = 0;
	const uint8_t *sig = NULL;
	gn_wchar wide[GN_WIDE_MAX];
	uint32_t size = 0, n;

	if (GN_COM(images->info, GN_INFO_DYNAMIC_FUNCTION_INFO,
		   dynamic_info_fn)(images->info, function, &module_id, &sig,
				    &size, GN_WIDE_MAX, &n, wide) < 0) {
		gn_text_put(name, "?");
		gn_text_put(module, "?");
		return 0;
	}
	wide[GN_WIDE_MAX - 1] = 0;
	gn_text_put(name, DYNAMIC);
	gn_text_put_utf16(name, wide, GN_WIDE_MAX);
	gn_sig_put_params(name, sig, sig ? size : 0, &env);
	put_module(images, module, module_id);
	return module_id;
}

gn_cor_id gn_names_class(struct gn_images *images, gn_cor_id class,
			 struct gn_text *name, struct gn_text *module)
{
	struct names names = {.images = images};
	gn_cor_id module_id = 0, parent, args[ARGS_MAX];
	gn_token token;
	uint32_t n;

	put_class(&names, name, class, 0);
	if (GN_COM(images->info, GN_INFO_CLASS_INFO2,
		   class_info_fn)(images->info, class, &module_id, &token,
				  &parent, ARGS_MAX, &n, args) < 0)
		module_id = 0;
	if (module_id)
		put_module(images, module, module_id);
	return names.gone;
}

gn_cor_id gn_names_module_id(struct gn_images *images, gn_cor_id module,
			     struct gn_text *name, struct gn_text *folder)
{
	(void)folder;
	put_module(images, name, module);
	return 0;
}

gn_cor_id gn_names_assembly(struct gn_images *images, gn_cor_id assembly,
			    struct gn_text *name, struct gn_text *module)
{
	gn_wchar wide[GN_WIDE_MAX];
	gn_cor_id domain, manifest;
	uint32_t n;

	(void)module;
	if (GN_COM(images->info, GN_INFO_ASSEMBLY_INFO,
		   gn_assembly_info_fn)(images->info, assembly, GN_WIDE_MAX, &n,
					wide, &domain, &manifest) < 0)
		wide[0] = 0;
	wide[GN_WIDE_MAX - 1] = 0;
	gn_text_put_utf16(name, wide, GN_WIDE_MAX);
	return 0;
}

gn_cor_id gn_names_domain(struct gn_images *images, gn_cor_id domain,
			  struct gn_text *name, struct gn_text *module)
{
	gn_wchar wide[GN_WIDE_MAX];
	gn_cor_id process;
	uint32_t n;

	(void)module;
	if (GN_COM(images->info, GN_INFO_APPDOMAIN_INFO, domain_info_fn)(
		    images->info, domain, GN_WIDE_MAX, &n, wide, &process) < 0)
		wide[0] = 0;
	wide[GN_WIDE_MAX - 1] = 0;
	gn_text_put_utf16(name, wide, GN_WIDE_MAX);
	return 0;
}
