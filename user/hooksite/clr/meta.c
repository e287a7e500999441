// SPDX-License-Identifier: BSD-2-Clause
#include "meta.h"

#include "md_columns.h"
#include "md_name.h"
#include "names.h"

#define WIDE_MAX 1024 /* the runtime's limit for names */
#define ARGS_MAX 32

typedef gn_hr (*module_metadata_fn)(void *, gn_cor_id, uint32_t,
				    const struct gn_guid *, void **);
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

/* Asks the runtime for the module's metadata. */
static bool ask(struct gn_meta *m, void *info, gn_cor_id module)
{
	static const struct gn_guid import2 = {
		0xfce5efa0,
		0x8bba,
		0x4f8e,
		{0xa0, 0x36, 0x8f, 0x20, 0x22, 0xb0, 0x84, 0x66}};

	*m = (struct gn_meta){.md = NULL};
	return GN_COM(info, GN_INFO_MODULE_METADATA, module_metadata_fn)(
		       info, module, 0, &import2, &m->import) >= 0 &&
	       m->import;
}

static bool has_row(const struct gn_md *md, gn_token token)
{
	return GN_TOKEN_TABLE(token) < GN_MD_TABLES &&
	       GN_TOKEN_ROW(token) <= md->table[GN_TOKEN_TABLE(token)].count;
}

bool gn_meta_open(struct gn_meta *m, struct gn_images *images, gn_cor_id module,
		  gn_token token)
{
	const struct gn_image *image = gn_images_get(images, module);

	if (!image || !has_row(&image->md, token))
		return ask(m, images->info, module);
	*m = (struct gn_meta){.md = &image->md};
	return true;
}

void gn_meta_close(struct gn_meta *m)
{
	gn_names_release(m->import);
	*m = (struct gn_meta){.md = NULL};
}

/* Reads a type's name, "?" if it has none, and returns its enclosing type. */
static gn_token ask_type(const struct gn_meta *m, gn_token token,
			 gn_wchar wide[WIDE_MAX])
{
	gn_token outer = 0, base;
	uint32_t n, flags;
	gn_hr hr = -1;

	wide[0] = '?';
	wide[1] = 0;
	if (!m->import)
		return 0;
	if (GN_TOKEN_TABLE(token) == GN_TOKEN_TYPEREF) {
		hr = GN_COM(m->import, GN_MD_TYPEREF_PROPS, typeref_props_fn)(
			m->import, token, &outer, wide, WIDE_MAX, &n);
		if (GN_TOKEN_TABLE(outer) != GN_TOKEN_TYPEREF)
			outer = 0;
	} else if (GN_TOKEN_ROW(token)) {
		hr = GN_COM(m->import, GN_MD_TYPEDEF_PROPS, typedef_props_fn)(
			m->import, token, wide, WIDE_MAX, &n, &flags, &base);
		if (GN_COM(m->import, GN_MD_NESTED_CLASS,
			   nested_class_fn)(m->import, token, &outer) < 0)
			outer = 0;
	}
	wide[WIDE_MAX - 1] = 0;
	return hr < 0 ? 0 : outer;
}

gn_token gn_meta_outer(const struct gn_meta *m, gn_token token)
{
	gn_wchar wide[WIDE_MAX];

	return m->md ? gn_md_outer_token(m->md, token)
		     : ask_type(m, token, wide);
}

uint32_t gn_meta_put_own(const struct gn_meta *m, struct gn_text *out,
			 gn_token token)
{
	gn_wchar wide[WIDE_MAX];
	char bytes[3 * WIDE_MAX + GN_TEXT_CAP_MIN];
	struct gn_text own;

	if (m->md)
		return gn_md_put_own(m->md, out, token);
	ask_type(m, token, wide);
	gn_text_init(&own, bytes, sizeof(bytes));
	gn_text_put_utf16(&own, wide, WIDE_MAX);
	return gn_md_put_plain(out, bytes);
}

struct gn_bytes gn_meta_typespec(const struct gn_meta *m, gn_token token)
{
	struct gn_bytes sig = {NULL, 0};
	uint32_t size = 0;

	if (m->md)
		return gn_md_blob(m->md, gn_md_cell(m->md, TYPESPEC,
						    GN_TOKEN_ROW(token), 0));
	if (m->import && GN_COM(m->import, GN_MD_TYPESPEC, typespec_fn)(
				 m->import, token, &sig.at, &size) >= 0)
		sig.n = sig.at ? size : 0;
	return sig;
}

static bool ask_method(const struct gn_meta *m, gn_token token,
		       struct gn_meta_method *method, struct gn_text *name)
{
	gn_wchar wide[WIDE_MAX];
	uint32_t n, flags, size = 0, address;

	if (!m->import ||
	    GN_COM(m->import, GN_MD_METHOD_PROPS, method_props_fn)(
		    m->import, token, &method->type, wide, WIDE_MAX, &n, &flags,
		    &method->sig.at, &size, &address, &method->impl) < 0)
		return false;
	method->sig.n = method->sig.at ? size : 0;
	/* the runtime returns no type for a global method: it is in <Module> */
	if (!GN_TOKEN_ROW(method->type))
		method->type = (gn_token)TYPEDEF << 24 | 1;
	wide[WIDE_MAX - 1] = 0;
	if (name)
		gn_text_put_utf16(name, wide, WIDE_MAX);
	return true;
}

bool gn_meta_method(const struct gn_meta *m, gn_token token,
		    struct gn_meta_method *method, struct gn_text *name)
{
	uint32_t row = GN_TOKEN_ROW(token);
	struct gn_md_method own;

	*method = (struct gn_meta_method){.type = 0};
	if (!m->md)
		return ask_method(m, token, method, name);
	if (!row || row > m->md->table[METHOD].count)
		return false;
	gn_md_method(m->md, row, &own);
	method->type = (gn_token)TYPEDEF << 24 | gn_md_type_of(m->md, row);
	method->sig = gn_md_method_sig(m->md, row);
	method->impl = own.impl;
	if (name)
		gn_text_put(name, own.name);
	return true;
}

static uint32_t ask_parameters(const struct gn_meta *m, gn_token owner,
			       gn_token params[ARGS_MAX])
{
	uint32_t count = 0;
	void *cursor = NULL;
	gn_hr hr;

	if (!m->import || !owner)
		return 0;
	hr = GN_COM(m->import, GN_MD_ENUM_GENERIC_PARAMS,
		    enum_generic_params_fn)(m->import, &cursor, owner, params,
					    ARGS_MAX, &count);
	if (cursor)
		GN_COM(m->import, GN_MD_CLOSE_ENUM, close_enum_fn)
	(m->import, cursor);
	return hr < 0 ? 0 : count;
}

uint32_t gn_meta_parameters(const struct gn_meta *m, gn_token owner)
{
	gn_token params[ARGS_MAX];
	uint32_t count;

	if (!m->md)
		return ask_parameters(m, owner, params);
	gn_md_parameters(m->md, owner, &count);
	return count;
}

bool gn_meta_put_parameter(const struct gn_meta *m, struct gn_text *out,
			   gn_token owner, uint32_t n)
{
	uint32_t sequence, flags, reserved, len;
	gn_token params[ARGS_MAX], unused;
	gn_wchar wide[WIDE_MAX];

	if (m->md)
		return gn_md_put_parameter(m->md, out, owner, n);
	if (n >= ask_parameters(m, owner, params) ||
	    GN_COM(m->import, GN_MD_GENERIC_PARAM_PROPS,
		   generic_param_props_fn)(m->import, params[n], &sequence,
					   &flags, &unused, &reserved, wide,
					   WIDE_MAX, &len) < 0)
		return false;
	wide[WIDE_MAX - 1] = 0;
	gn_text_put_utf16(out, wide, WIDE_MAX);
	return true;
}
