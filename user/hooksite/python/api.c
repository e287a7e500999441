// SPDX-License-Identifier: BSD-2-Clause
#include "api.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

struct gn_py_api gn_py;

static void *find(void *loaded, const char *name, const char *other)
{
	void *at = dlsym(loaded, name);

	return at || !other ? at : dlsym(loaded, other);
}

/* A build without the global lock calls hooks in several threads at once. */
static int known_minor(const char *version)
{
	char *end;
	long minor;

	if (strncmp(version, "3.", 2) || strstr(version, "free-threading"))
		return -1;
	minor = strtol(version + 2, &end, 10);
	return *end == '.' && minor >= GN_PY_FIRST && minor <= GN_PY_LAST
		       ? (int)minor
		       : -1;
}

bool gn_py_find(void *loaded)
{
	bool all = true;

	gn_py.version = dlsym(loaded, "Py_GetVersion");
	gn_py.minor = gn_py.version ? known_minor(gn_py.version()) : -1;
	if (gn_py.minor < 0)
		return false;
#define FIND(field, result, parameters, name, other, since) \
	*(void **)&gn_py.field = find(loaded, name, other); \
	all &= gn_py.field || !(since) || gn_py.minor < (since);
	GN_PY_LIST(FIND)
#undef FIND
	return all;
}

struct gn_py *gn_py_attribute(struct gn_py *object, const char *name)
{
	struct gn_py *text = gn_py.text(name), *value;

	if (!text)
		return NULL;
	value = gn_py.own_attribute(object, text);
	gn_py.decref(text);
	return value;
}

const char *gn_py_text(struct gn_py *object, const char *attribute,
		       struct gn_py **held)
{
	struct gn_py *value = gn_py_attribute(object, attribute);
	const char *text = value ? gn_py.utf8(value, NULL) : NULL;

	*held = value;
	if (text)
		return text;
	gn_py.clear_error();
	if (value)
		gn_py.decref(value);
	return NULL;
}

long gn_py_number(struct gn_py *object, const char *attribute, long other)
{
	struct gn_py *value = gn_py_attribute(object, attribute);
	long number = value ? gn_py.number(value) : -1;

	if (!value) {
		gn_py.clear_error();
		return other;
	}
	gn_py.decref(value);
	return number;
}

/* What a type has by a name, as its own type says. */
struct descriptor {
	long references;
	const void *type;
	void *of, *name, *qualified, *definition;
};

void *gn_py_definition(struct gn_py *type, const char *name, const void *kind)
{
	struct gn_py *object = gn_py_attribute(type, name);
	const struct descriptor *d = (const void *)object;
	void *definition = NULL;

	if (!object) {
		gn_py.clear_error();
		return NULL;
	}
	if (kind && d->type == kind)
		definition = d->definition;
	gn_py.decref(object); /* the type keeps it */
	return definition;
}
