// SPDX-License-Identifier: BSD-2-Clause
#include "valued.h"

#include <gnomon/spec.h>

#include "classes.h"
#include "filter.h"
#include "image.h"
#include "md_columns.h"
#include "md_name.h"
#include "meta.h"
#include "sig.h"
#include "sites.h"

typedef gn_hr (*function_info_fn)(void *, gn_cor_id, uint64_t, gn_cor_id *,
				  gn_cor_id *, gn_token *, uint32_t, uint32_t *,
				  gn_cor_id *);
typedef gn_hr (*sig_token_fn)(void *, const uint8_t *, uint32_t, gn_token *);

/* Whether the function's first argument is `this`. */
static bool of_object(struct gn_clr *clr, gn_cor_id function)
{
	gn_cor_id class, module = 0, arg;
	struct gn_meta_method m = {.type = 0};
	struct gn_meta meta;
	gn_token token = 0;
	uint32_t n;

	if (GN_COM(clr->info, GN_INFO_FUNCTION_INFO2,
		   function_info_fn)(clr->info, function, 0, &class, &module,
				     &token, 1, &n, &arg) < 0 ||
	    !gn_meta_open(&meta, &clr->images, module, token))
		return false;
	gn_meta_method(&meta, token, &m, NULL);
	gn_meta_close(&meta);
	return m.sig.n && *m.sig.at & GN_SIG_OF_OBJECT;
}

void gn_valued_tell(struct gn_clr *clr, uint32_t index, gn_cor_id function,
		    const struct gn_name *name)
{
	const char *module = name->text + name->name_len + 1;
	const char *which;
	int i = gn_filter_which(clr->values, name->text, module, &which);

	if (i >= 0)
		GN_CLR_SITE(valued)
	(index,
	 GN_VALUED((uint32_t)i, of_object(clr, function) ? GN_VALUED_OF_OBJECT
							 : GN_VALUED_PLAIN));
}

static gn_token token_of(void *emit, const struct gn_bytes *type)
{
	gn_token token = 0;

	if (GN_COM(emit, GN_EMIT_TYPESPEC_TOKEN,
		   sig_token_fn)(emit, type->at, (uint32_t)type->n, &token) < 0)
		return 0;
	return token;
}

/* The type parameters of a TypeDef or MethodDef that are constrained to
 * classes, as a mask of their numbers. */
static uint32_t class_parameters(const struct gn_md *md, gn_token owner)
{
	enum { IS_CLASS = 4 };
	uint32_t count, first = gn_md_parameters(md, owner, &count);
	uint32_t known = 0;

	for (uint32_t i = first; i < first + count; i++) {
		uint32_t n = gn_md_cell(md, PARAMETER, i, PARAMETER_NUMBER);

		if (n < 32 &&
		    gn_md_cell(md, PARAMETER, i, PARAMETER_FLAGS) & IS_CLASS)
			known |= 1u << n;
	}
	return known;
}

/* In a method of a value type, `this` is the address of a value, not an
 * object. */
static struct gn_il_objects objects_of(const struct gn_valued_method *method)
{
	uint32_t row = GN_TOKEN_ROW(method->token);
	uint32_t type = gn_md_type_of(method->md, row);

	return (struct gn_il_objects){
		.self = !gn_md_is_value(method->md, type),
		.of_type = class_parameters(method->md,
					    (gn_token)TYPEDEF << 24 | type),
		.of_method = class_parameters(method->md, method->token),
		.md = method->md,
	};
}

static bool has_classes(const struct gn_il_values *v)
{
	bool any = v->result.is_class;

	for (uint32_t i = 0; i < v->nargs; i++)
		any |= v->arg[i].is_class;
	return any;
}

void gn_valued_il(struct gn_clr *clr, const struct gn_valued_method *method,
		  struct gn_il_hooks *hooks)
{
	const struct gn_name *name = gn_id_name(&clr->ids, hooks->index);
	const char *values = clr->rejit.values, *which;
	struct gn_il_objects objects;
	int i = -1;

	hooks->values = (struct gn_il_values){0};
	if (name && values)
		i = gn_filter_which(values, name->text,
				    name->text + name->name_len + 1, &which);
	if (i < 0)
		return;
	objects = objects_of(method);
	gn_il_values(&method->sig, &objects, which, token_of, method->emit,
		     &hooks->values);
	if (has_classes(&hooks->values))
		gn_classes_start(clr);
	hooks->see = (uintptr_t)gn_classes_see;
	hooks->context = (uintptr_t)clr;
	GN_CLR_SITE(valued)
	(hooks->index, GN_VALUED((uint32_t)i, GN_VALUED_PLACES));
}
