// SPDX-License-Identifier: BSD-2-Clause
#include "names.h"

#include <string.h>

#include "hooksite/clr/conversion.h"
#include "hooksite/clr/text.h"
#include "written.h"

static void put_list(struct gn_text *out, const char *list)
{
	gn_mono_put_types(out, list, strlen(list));
}

/* Only conversions show it. */
static void put_result(struct gn_text *out, const char *name, gn_mono signature)
{
	char *type;

	if (!gn_is_conversion(name))
		return;
	type = gn_mono_api.type_name(gn_mono_api.result(signature));
	gn_text_put(out, "~");
	put_list(out, type);
	gn_mono_api.free(type);
}

/* Type arguments of the method itself are behind its name. */
static void put_args(struct gn_text *out, gn_mono method, size_t before)
{
	char *full = gn_mono_api.full_name(method, 0);
	size_t n = strlen(full);

	if (n > before + 2 && full[before] == '<') {
		gn_text_put(out, "<");
		gn_mono_put_types(out, full + before + 1, n - before - 2);
		gn_text_put(out, ">");
	}
	gn_mono_api.free(full);
}

static void put_params(struct gn_text *out, const char *name, gn_mono signature)
{
	char *params;

	gn_text_put(out, "(");
	if (signature) {
		params = gn_mono_api.params(signature, 1);
		put_list(out, params);
		gn_mono_api.free(params);
	}
	gn_text_put(out, ")");
	if (signature)
		put_result(out, name, signature);
}

static void put_module(struct gn_text *out, gn_mono class)
{
	const char *file =
		gn_mono_api.image_file(gn_mono_api.class_image(class));

	gn_text_put(out, file ? file : "?");
}

void gn_names_of_class(gn_mono class, struct gn_names *n)
{
	char *type = gn_mono_api.type_name(gn_mono_api.class_type(class));
	struct gn_text name, module;

	gn_text_init(&name, n->name, sizeof(n->name));
	gn_text_init(&module, n->module, sizeof(n->module));
	put_list(&name, type);
	put_module(&module, class);
	n->token = 0;
	gn_mono_api.free(type);
}

void gn_names_of(gn_mono method, struct gn_names *n)
{
	gn_mono class = gn_mono_api.method_class(method);
	const char *own = gn_mono_api.method_name(method);
	char *type = gn_mono_api.type_name(gn_mono_api.class_type(class));
	struct gn_text name, module;

	gn_text_init(&name, n->name, sizeof(n->name));
	gn_text_init(&module, n->module, sizeof(n->module));
	put_list(&name, type);
	gn_text_put(&name, ".");
	gn_text_put(&name, own);
	put_args(&name, method, strlen(type) + 1 + strlen(own));
	put_params(&name, own, gn_mono_api.method_signature(method));
	put_module(&module, class);
	n->token = gn_mono_api.method_token(method);
	gn_mono_api.free(type);
}
