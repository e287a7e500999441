// SPDX-License-Identifier: BSD-2-Clause
#include "names.h"

#include <stdbool.h>
#include <string.h>

/* Cuts a text that is too long at the start of a character. */
static void put(char *to, size_t size, const char *text)
{
	size_t at = strlen(to), len = strlen(text);

	if (len > size - 1 - at) {
		len = size - 1 - at;
		while (len && ((unsigned char)text[len] & 0xc0) == 0x80)
			len--;
	}
	memcpy(to + at, text, len);
	to[at + len] = '\0';
}

static void put_name(struct gn_names *n, const char *text)
{
	put(n->name, sizeof(n->name), text);
}

/* Appends an attribute's text. False: there is none. */
static bool put_attribute(struct gn_names *n, struct gn_py *object,
			  const char *attribute)
{
	struct gn_py *held;
	const char *text = gn_py_text(object, attribute, &held);

	if (!text)
		return false;
	put_name(n, text);
	gn_py.decref(held);
	return true;
}

/* The module in which the frame's code runs. */
static void put_import_name(struct gn_names *n, struct gn_py *frame)
{
	struct gn_py *globals = gn_py_attribute(frame, "f_globals");
	struct gn_py *module = globals ? gn_py.item(globals, "__name__") : NULL;
	const char *text = module ? gn_py.utf8(module, NULL) : NULL;

	if (text) {
		put_name(n, text);
		put_name(n, ".");
	} else {
		gn_py.clear_error();
	}
	if (globals)
		gn_py.decref(globals);
}

void gn_names_of_code(struct gn_py *frame, struct gn_py *code,
		      struct gn_names *n)
{
	struct gn_py *held;
	const char *file = gn_py_text(code, "co_filename", &held);
	long line = gn_py_number(code, "co_firstlineno", 0);

	*n->name = *n->module = '\0';
	put_import_name(n, frame);
	/* since 3.11 */
	if (!put_attribute(n, code, "co_qualname") &&
	    !put_attribute(n, code, "co_name"))
		put_name(n, "?");
	put(n->module, sizeof(n->module), file ? file : "?");
	if (file)
		gn_py.decref(held);
	n->line = line > 0 && line <= INT32_MAX ? (uint32_t)line : 0;
}

/* The class that defines the method, among those of an object of `type`. */
static struct gn_py *definer(struct gn_py *type, const char *name)
{
	struct gn_py *order = gn_py_attribute(type, "__mro__"), *found = NULL;
	long size = order ? gn_py.tuple_size(order) : 0;

	for (long i = 0; i < size && !found; i++) {
		struct gn_py *class = gn_py.tuple_item(order, i);
		struct gn_py *dict =
			class ? gn_py_attribute(class, "__dict__") : NULL;

		if (dict && gn_py.has_key(dict, name) > 0) {
			found = class;
			gn_py.incref(found);
		}
		if (dict)
			gn_py.decref(dict);
	}
	gn_py.clear_error();
	if (order)
		gn_py.decref(order);
	return found;
}

/* Appends the name of the class of `self`; classes of builtins have no
 * module. */
static void put_class(struct gn_names *n, struct gn_py *self, const char *name)
{
	struct gn_py *own = gn_py.type_of(self);
	struct gn_py *type = own ? definer(own, name) : NULL;
	struct gn_py *class = type ? type : own, *held;
	const char *module =
		class ? gn_py_text(class, "__module__", &held) : NULL;

	put(n->module, sizeof(n->module), module ? module : "builtins");
	if (module && strcmp(module, "builtins")) {
		put_name(n, module);
		put_name(n, ".");
	}
	if (module)
		gn_py.decref(held);
	if (class && put_attribute(n, class, "__qualname__"))
		put_name(n, ".");
	if (type)
		gn_py.decref(type);
	if (own)
		gn_py.decref(own);
	gn_py.clear_error();
}

/* A function of a module has the module's name as an attribute; a method has
 * only its object. */
void gn_names_of_native(struct gn_py *function, const char *name,
			struct gn_names *n)
{
	struct gn_py *self = gn_py.native_self(function), *held;
	const char *module = gn_py_text(function, "__module__", &held);

	*n->name = *n->module = '\0';
	n->line = 0;
	if (module) {
		put(n->module, sizeof(n->module), module);
		put_name(n, module);
		put_name(n, ".");
		gn_py.decref(held);
	} else if (self) {
		put_class(n, self, name);
	}
	gn_py.clear_error();
	put_name(n, name);
}
