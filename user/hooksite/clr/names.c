// SPDX-License-Identifier: BSD-2-Clause
#include "names.h"

#include <string.h>

#include "metadata.h"
#include "sig.h"

#define WIDE_MAX  1024 /* metadata has no longer names */
#define ARGS_MAX  16
#define DEPTH_MAX 8

/* What one function's name is put together from. */
struct names {
	void *info;
	void *metadata; /* IMetaDataImport2 of the function's module, or NULL */
	gn_token class_token;
	gn_token method_token;
	gn_cor_id class_args[ARGS_MAX];
	gn_cor_id method_args[ARGS_MAX];
	uint32_t nclass_args;
	uint32_t nmethod_args;
	gn_wchar wide[WIDE_MAX];
};

static const struct gn_guid metadata_import2 = {
	0xfce5efa0,
	0x8bba,
	0x4f8e,
	{0xa0, 0x36, 0x8f, 0x20, 0x22, 0xb0, 0x84, 0x66}};

typedef uint32_t (*release_fn)(void *);
typedef gn_hr (*is_array_fn)(void *, gn_cor_id, uint32_t *, gn_cor_id *,
			     uint32_t *);
typedef gn_hr (*token_and_metadata_fn)(void *, gn_cor_id,
				       const struct gn_guid *, void **,
				       gn_token *);
typedef gn_hr (*module_info2_fn)(void *, gn_cor_id, gn_cor_id *, uint32_t,
				 uint32_t *, gn_wchar *, gn_cor_id *,
				 uint32_t *);
typedef gn_hr (*module_metadata_fn)(void *, gn_cor_id, uint32_t,
				    const struct gn_guid *, void **);
typedef gn_hr (*assembly_info_fn)(void *, gn_cor_id, uint32_t, uint32_t *,
				  gn_wchar *, gn_cor_id *, gn_cor_id *);
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
typedef gn_hr (*typedef_props_fn)(void *, gn_token, gn_wchar *, uint32_t,
				  uint32_t *, uint32_t *, gn_token *);
typedef gn_hr (*typeref_props_fn)(void *, gn_token, gn_token *, gn_wchar *,
				  uint32_t, uint32_t *);
typedef gn_hr (*method_props_fn)(void *, gn_token, gn_token *, gn_wchar *,
				 uint32_t, uint32_t *, uint32_t *,
				 const uint8_t **, uint32_t *, uint32_t *,
				 uint32_t *);
typedef gn_hr (*typespec_fn)(void *, gn_token, const uint8_t **, uint32_t *);
typedef gn_hr (*nested_class_fn)(void *, gn_token, gn_token *);
typedef void (*close_enum_fn)(void *, void *);
typedef gn_hr (*enum_generic_params_fn)(void *, void **, gn_token, gn_token *,
					uint32_t, uint32_t *);
typedef gn_hr (*generic_param_props_fn)(void *, gn_token, uint32_t *,
					uint32_t *, gn_token *, uint32_t *,
					gn_wchar *, uint32_t, uint32_t *);

void gn_names_release(void *object)
{
	if (object)
		GN_COM(object, GN_UNKNOWN_RELEASE, release_fn)(object);
}

/* Length of a type's name without the mark of its arity (`1). */
static size_t plain_len(const gn_wchar *name)
{
	size_t len = 0, at;

	while (len < WIDE_MAX && name[len])
		len++;
	for (at = len; at && name[at - 1] >= '0' && name[at - 1] <= '9';)
		at--;
	return at && at < len && name[at - 1] == '`' ? at - 1 : len;
}

/* Reads a TypeDef's or TypeRef's own name into names->wide. Returns the type
 * that it is nested in, 0 for none. */
static gn_token read_type(struct names *names, void *metadata, gn_token token)
{
	gn_token outer = 0, base;
	uint32_t n, flags;
	gn_hr hr;

	names->wide[0] = '?';
	names->wide[1] = 0;
	if (GN_TOKEN_TABLE(token) == GN_TOKEN_TYPEREF) {
		hr = GN_COM(metadata, GN_MD_TYPEREF_PROPS, typeref_props_fn)(
			metadata, token, &outer, names->wide, WIDE_MAX, &n);
		if (hr < 0 || GN_TOKEN_TABLE(outer) != GN_TOKEN_TYPEREF)
			outer = 0;
	} else if (GN_TOKEN_ROW(token)) {
		hr = GN_COM(metadata, GN_MD_TYPEDEF_PROPS,
			    typedef_props_fn)(metadata, token, names->wide,
					      WIDE_MAX, &n, &flags, &base);
		if (hr < 0 ||
		    GN_COM(metadata, GN_MD_NESTED_CLASS,
			   nested_class_fn)(metadata, token, &outer) < 0)
			outer = 0;
	}
	names->wide[WIDE_MAX - 1] = 0;
	return outer;
}

/* How many arguments a type has of its own, by the mark of its arity. */
static uint32_t arity(const gn_wchar *name)
{
	uint32_t n = 0;

	for (size_t at = plain_len(name); at < WIDE_MAX && name[at]; at++)
		if (name[at] != '`' && n <= ARGS_MAX)
			n = n * 10 + name[at] - '0';
	return n;
}

/* Arguments of a generic type or method. */
struct given {
	const gn_cor_id *args; /* NULL: only how its parameters are called */
	uint32_t n, told;
	gn_token owner; /* whose parameters they are; 0: not known */
	unsigned int depth;
};

static void put_given(struct names *names, struct gn_text *out,
		      struct given *given, uint32_t count);

/*
 * Appends a TypeDef's or TypeRef's name with the types that enclose it, each
 * with those of the arguments that are its own: Outer<int>+Inner<string>.
 */
static void put_type(struct names *names, struct gn_text *out, void *metadata,
		     gn_token token, struct given *given)
{
	gn_token chain[GN_MD_NEST_MAX];
	unsigned int n = 0;

	while (token && n < GN_MD_NEST_MAX) {
		chain[n++] = token;
		token = read_type(names, metadata, token);
	}
	while (n--) {
		uint32_t own;

		read_type(names, metadata, chain[n]);
		gn_text_put_utf16(out, names->wide, plain_len(names->wide));
		own = arity(names->wide);
		if (given)
			put_given(names, out, given,
				  n ? own : given->n - given->told);
		if (n)
			gn_text_put(out, "+");
	}
}

/* System.Int32 as an argument is written like in a signature: int. */
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

static bool put_parameter(struct names *names, struct gn_text *out,
			  gn_token owner, uint32_t n);

/* An argument; where code is shared by those of several, its parameter. */
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
	if (!put_parameter(names, out, owner, n))
		gn_text_put(out, "System.__Canon");
}

/* The next `count` of them. */
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
		else if (!put_parameter(names, out, given->owner, given->told))
			gn_text_put(out, "?");
	}
	if (given->told > from)
		gn_text_put(out, given->n > ARGS_MAX && given->told == ARGS_MAX
					 ? ",..>"
					 : ">");
}

static bool put_array(struct names *names, struct gn_text *out, gn_cor_id class,
		      unsigned int depth)
{
	uint32_t element = 0, rank = 0;
	gn_cor_id element_class = 0;
	const char *primitive;

	if (GN_COM(names->info, GN_INFO_IS_ARRAY_CLASS,
		   is_array_fn)(names->info, class, &element, &element_class,
				&rank) != GN_S_OK)
		return false;
	primitive = element < 0x100 ? gn_sig_primitive((uint8_t)element) : NULL;
	if (primitive)
		gn_text_put(out, primitive);
	else
		put_class(names, out, element_class, depth + 1);
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
	void *metadata = NULL;
	uint32_t n = 0;
	gn_token token = 0;

	if (out->full || (class && put_array(names, out, class, depth)))
		return;
	if (!class || depth >= DEPTH_MAX ||
	    GN_COM(names->info, GN_INFO_CLASS_INFO2,
		   class_info_fn)(names->info, class, &module, &token, &parent,
				  ARGS_MAX, &n, args) < 0 ||
	    GN_COM(names->info, GN_INFO_MODULE_METADATA, module_metadata_fn)(
		    names->info, module, 0, &metadata_import2, &metadata) < 0 ||
	    !metadata) {
		gn_text_put(out, "?");
		return;
	}
	put_type(names, out, metadata, token,
		 &(struct given){.args = args, .n = n, .depth = depth + 1});
	gn_names_release(metadata);
}

/* The number of generic parameters. */
static uint32_t parameters(struct names *names, gn_token owner,
			   gn_token params[ARGS_MAX])
{
	uint32_t count = 0;
	void *cursor = NULL;
	gn_hr hr;

	if (!names->metadata || !owner)
		return 0;
	hr = GN_COM(names->metadata, GN_MD_ENUM_GENERIC_PARAMS,
		    enum_generic_params_fn)(names->metadata, &cursor, owner,
					    params, ARGS_MAX, &count);
	if (cursor)
		GN_COM(names->metadata, GN_MD_CLOSE_ENUM, close_enum_fn)
	(names->metadata, cursor);
	return hr < 0 ? 0 : count;
}

/* Appends the name of generic parameter `n` of a class or method, like T.
 * False: it has none. */
static bool put_parameter(struct names *names, struct gn_text *out,
			  gn_token owner, uint32_t n)
{
	gn_token params[ARGS_MAX], unused;
	uint32_t sequence, flags, reserved, len;

	if (n >= ARGS_MAX || n >= parameters(names, owner, params) ||
	    GN_COM(names->metadata, GN_MD_GENERIC_PARAM_PROPS,
		   generic_param_props_fn)(
		    names->metadata, params[n], &sequence, &flags, &unused,
		    &reserved, names->wide, WIDE_MAX, &len) < 0)
		return false;
	names->wide[WIDE_MAX - 1] = 0;
	gn_text_put_utf16(out, names->wide, WIDE_MAX);
	return true;
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
	if (put_parameter(names, out, owner, n))
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
	if (!names->metadata || GN_TOKEN_TABLE(token) == GN_TOKEN_TYPESPEC) {
		gn_text_put(out, "?");
		return false;
	}
	while (token && n < GN_MD_NEST_MAX) {
		chain[n++] = token;
		token = read_type(names, names->metadata, token);
	}
	if (i >= n)
		return false;
	read_type(names, names->metadata, chain[n - 1 - i]);
	if (i)
		gn_text_put(out, "+");
	gn_text_put_utf16(out, names->wide, plain_len(names->wide));
	*own = arity(names->wide);
	return i + 1 < n;
}

static void sig_type(void *ctx, struct gn_text *out, gn_token token,
		     unsigned int depth)
{
	struct names *names = ctx;
	const struct gn_sig_env env = {ctx, sig_type, sig_variable, sig_piece,
				       NULL};
	struct gn_sig sig = {0};
	uint32_t size = 0;

	if (!names->metadata) {
		gn_text_put(out, "?");
		return;
	}
	if (GN_TOKEN_TABLE(token) != GN_TOKEN_TYPESPEC) {
		put_type(names, out, names->metadata, token, NULL);
		return;
	}
	if (GN_COM(names->metadata, GN_MD_TYPESPEC,
		   typespec_fn)(names->metadata, token, &sig.bytes, &size) >= 0)
		sig.size = sig.bytes ? size : 0;
	if (!gn_sig_put_type(out, &sig, &env, depth))
		gn_text_put(out, "?");
}

/* A path's units that fit into GN_MODULE_MAX, whatever they are, behind dots.
 */
#define PATH_UNITS ((GN_MODULE_MAX - 8) / 3)

/* Reads a module's file name, with its folders, into names->wide; of one that
 * was made in memory, the name of its assembly. Empty if there is none. */
static void read_module(struct names *names, gn_cor_id module)
{
	gn_cor_id base, assembly = 0, domain, manifest;
	uint32_t n, flags = 0;

	names->wide[0] = 0;
	if (GN_COM(names->info, GN_INFO_MODULE_INFO2,
		   module_info2_fn)(names->info, module, &base, WIDE_MAX, &n,
				    names->wide, &assembly, &flags) < 0)
		names->wide[0] = 0;
	if ((names->wide[0] && !(flags & GN_MODULE_DYNAMIC)) || !assembly)
		return;
	if (GN_COM(names->info, GN_INFO_ASSEMBLY_INFO,
		   assembly_info_fn)(names->info, assembly, WIDE_MAX, &n,
				     names->wide, &domain, &manifest) < 0)
		names->wide[0] = 0;
}

static void put_module(struct names *names, struct gn_text *out,
		       gn_cor_id module)
{
	uint32_t from = 0, n = 0;

	read_module(names, module);
	names->wide[WIDE_MAX - 1] = 0;
	while (names->wide[n])
		n++;
	/* of one that is too long the end is what people know it by */
	if (n >= PATH_UNITS) {
		from = n - PATH_UNITS;
		gn_text_put(out, "...");
	}
	gn_text_put_utf16(out, names->wide + from, WIDE_MAX - from);
	if (!out->len)
		gn_text_put(out, "?");
}

/* Looks up the class's arguments, for its own name and the signature's. */
static void put_declaring_class(struct names *names, struct gn_text *out,
				gn_cor_id class)
{
	gn_token unused[ARGS_MAX];
	gn_cor_id module, parent;
	struct given given = {.owner = names->class_token, .depth = 1};

	/* Before 10 the runtime does not say of which instantiations it is
	 * when they share their code: then all are T. */
	if (!class ||
	    GN_COM(names->info, GN_INFO_CLASS_INFO2, class_info_fn)(
		    names->info, class, &module, unused, &parent, ARGS_MAX,
		    &names->nclass_args, names->class_args) < 0)
		names->nclass_args = 0;
	if (names->nclass_args)
		given.args = names->class_args;
	given.n = given.args ? names->nclass_args
			     : parameters(names, given.owner, unused);
	put_type(names, out, names->metadata, names->class_token, &given);
}

/* The method's properties, its own name in names->wide. */
static gn_hr read_method(struct names *names, struct gn_sig *sig)
{
	uint32_t n, flags, size = 0, rva, impl;
	gn_hr hr;

	sig->bytes = NULL;
	hr = GN_COM(names->metadata, GN_MD_METHOD_PROPS, method_props_fn)(
		names->metadata, names->method_token, &names->class_token,
		names->wide, WIDE_MAX, &n, &flags, &sig->bytes, &size, &rva,
		&impl);
	sig->size = sig->bytes ? size : 0;
	names->wide[WIDE_MAX - 1] = 0;
	return hr;
}

/* Those differ by what they make, too. */
static bool is_conversion(const char *name)
{
	return !strcmp(name, "op_Implicit") || !strcmp(name, "op_Explicit") ||
	       !strcmp(name, "op_CheckedExplicit");
}

static void put_result(struct gn_text *out, const struct gn_sig *method,
		       const struct gn_sig_env *env)
{
	struct gn_bytes type;
	struct gn_sig sig;

	gn_text_put(out, "~");
	if (gn_sig_result(&(struct gn_bytes){method->bytes, method->size},
			  &type)) {
		sig = (struct gn_sig){.bytes = type.at, .size = type.n};
		if (gn_sig_put_type(out, &sig, env, 0))
			return;
	}
	gn_text_put(out, "?");
}

static void put_method(struct names *names, struct gn_text *out,
		       gn_cor_id class)
{
	const struct gn_sig_env env = {names, sig_type, sig_variable, sig_piece,
				       NULL};
	struct given given = {.owner = names->method_token, .depth = 1};
	gn_token unused[ARGS_MAX];
	struct gn_sig sig = {0};
	bool converts;
	size_t from;

	if (read_method(names, &sig) < 0) {
		gn_text_put(out, "?");
		return;
	}
	put_declaring_class(names, out, class);
	gn_text_put(out, ".");
	/* again: the names of types went through the same buffer */
	read_method(names, &sig);
	from = out->len;
	gn_text_put_utf16(out, names->wide, WIDE_MAX);
	converts = is_conversion(out->bytes + from);
	if (names->nmethod_args)
		given.args = names->method_args;
	given.n = given.args ? names->nmethod_args
			     : parameters(names, given.owner, unused);
	put_given(names, out, &given, given.n);
	gn_sig_put_params(out, sig.bytes, sig.size, &env);
	if (converts)
		put_result(out, &sig, &env);
}

void *gn_names_metadata(void *info, gn_cor_id module)
{
	void *metadata = NULL;

	if (GN_COM(info, GN_INFO_MODULE_METADATA, module_metadata_fn)(
		    info, module, 0, &metadata_import2, &metadata) < 0)
		return NULL;
	return metadata;
}

bool gn_names_suspends(void *info, gn_cor_id module, gn_token method)
{
	uint32_t n, flags, size, address, impl = 0;
	void *metadata = gn_names_metadata(info, module);
	const uint8_t *sig;
	gn_token class;

	if (!metadata)
		return false;
	if (GN_COM(metadata, GN_MD_METHOD_PROPS,
		   method_props_fn)(metadata, method, &class, NULL, 0, &n,
				    &flags, &sig, &size, &address, &impl) < 0)
		impl = 0;
	gn_names_release(metadata);
	return impl & GN_MD_IMPL_ASYNC;
}

void gn_names_module(void *info, gn_cor_id module, struct gn_text *name)
{
	struct names names = {.info = info};

	put_module(&names, name, module);
}

gn_cor_id gn_names_function(void *info, gn_cor_id function,
			    struct gn_text *name, struct gn_text *module)
{
	struct names names = {.info = info};
	gn_cor_id class = 0, module_id = 0;

	if (GN_COM(info, GN_INFO_FUNCTION_INFO2, function_info_fn)(
		    info, function, 0, &class, &module_id, &names.method_token,
		    ARGS_MAX, &names.nmethod_args, names.method_args) < 0 ||
	    GN_COM(info, GN_INFO_TOKEN_AND_METADATA, token_and_metadata_fn)(
		    info, function, &metadata_import2, &names.metadata,
		    &names.method_token) < 0 ||
	    !names.metadata)
		return gn_names_dynamic(info, function, name, module);
	put_module(&names, module, module_id);
	put_method(&names, name, class);
	gn_names_release(names.metadata);
	return module_id;
}

bool gn_names_method(void *info, gn_cor_id module, gn_token method,
		     struct gn_text *name, struct gn_text *path)
{
	struct names names = {.info = info, .method_token = method};
	struct gn_sig sig;
	bool is;

	names.metadata = gn_names_metadata(info, module);
	is = names.metadata && read_method(&names, &sig) >= 0;
	if (is) {
		put_module(&names, path, module);
		put_method(&names, name, 0);
	}
	gn_names_release(names.metadata);
	return is;
}

gn_cor_id gn_names_dynamic(void *info, gn_cor_id function, struct gn_text *name,
			   struct gn_text *module)
{
	struct names names = {.info = info};
	const struct gn_sig_env env = {&names, sig_type, sig_variable,
				       sig_piece, NULL};
	gn_cor_id module_id = 0;
	const uint8_t *sig = NULL;
	uint32_t size = 0, n;

	if (GN_COM(info, GN_INFO_DYNAMIC_FUNCTION_INFO,
		   dynamic_info_fn)(info, function, &module_id, &sig, &size,
				    WIDE_MAX, &n, names.wide) < 0) {
		gn_text_put(name, "?");
		gn_text_put(module, "?");
		return 0;
	}
	names.wide[WIDE_MAX - 1] = 0;
	gn_text_put(name, "DynamicClass.");
	gn_text_put_utf16(name, names.wide, WIDE_MAX);
	gn_sig_put_params(name, sig, sig ? size : 0, &env);
	put_module(&names, module, module_id);
	return module_id;
}

gn_cor_id gn_names_class(void *info, gn_cor_id class, struct gn_text *name,
			 struct gn_text *module)
{
	struct names names = {.info = info};
	gn_cor_id module_id = 0, parent, args[ARGS_MAX];
	gn_token token;
	uint32_t n;

	put_class(&names, name, class, 0);
	if (GN_COM(info, GN_INFO_CLASS_INFO2,
		   class_info_fn)(info, class, &module_id, &token, &parent,
				  ARGS_MAX, &n, args) < 0)
		module_id = 0;
	if (module_id)
		put_module(&names, module, module_id);
	return module_id;
}

gn_cor_id gn_names_module_id(void *info, gn_cor_id module, struct gn_text *name,
			     struct gn_text *folder)
{
	struct names names = {.info = info};

	(void)folder;
	put_module(&names, name, module);
	return 0;
}

gn_cor_id gn_names_assembly(void *info, gn_cor_id assembly,
			    struct gn_text *name, struct gn_text *module)
{
	struct names names = {.info = info};
	gn_cor_id domain, manifest;
	uint32_t n;

	(void)module;
	if (GN_COM(info, GN_INFO_ASSEMBLY_INFO,
		   assembly_info_fn)(info, assembly, WIDE_MAX, &n, names.wide,
				     &domain, &manifest) < 0)
		names.wide[0] = 0;
	names.wide[WIDE_MAX - 1] = 0;
	gn_text_put_utf16(name, names.wide, WIDE_MAX);
	return 0;
}

gn_cor_id gn_names_domain(void *info, gn_cor_id domain, struct gn_text *name,
			  struct gn_text *module)
{
	struct names names = {.info = info};
	gn_cor_id process;
	uint32_t n;

	(void)module;
	if (GN_COM(info, GN_INFO_APPDOMAIN_INFO, domain_info_fn)(
		    info, domain, WIDE_MAX, &n, names.wide, &process) < 0)
		names.wide[0] = 0;
	names.wide[WIDE_MAX - 1] = 0;
	gn_text_put_utf16(name, names.wide, WIDE_MAX);
	return 0;
}
