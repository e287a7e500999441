// SPDX-License-Identifier: BSD-2-Clause
#include "greenlet.h"

#include <dlfcn.h>
#include <stdint.h>
#include <string.h>

/* What the module lends to others in C (greenlet.h), alike in all versions. */
enum { TYPE = 0, GET_CURRENT = 4, THROW = 5, SWITCH = 6 };

/* The definition of a method, and of an attribute (struct PyMethodDef, struct
 * PyGetSetDef, of the stable ABI). */
struct method {
	const char *name;
	gn_greenlet_fn function;
	int flags;
};
struct attribute {
	const char *name;
	struct gn_py *(*get)(struct gn_py *self, void *closure);
	void *set;
	const char *doc;
	void *closure;
};

#define ARGUMENTS 1 /* METH_VARARGS */
#define KEYWORDS  2 /* METH_KEYWORDS */

static struct {
	struct gn_py *type; /* of greenlets; NULL: none was found */
	struct gn_py *(*get_current)(void);
	const struct attribute *parent, *dead;
	const void *none, *yes; /* None, True */
} greenlet;

static gn_greenlet_fn *method(struct gn_py *type, const char *name, int flags,
			      const void *kind)
{
	struct method *m = gn_py_definition(type, name, kind);

	return m && m->flags == flags ? &m->function : NULL;
}

static void **lent_by(struct gn_py *module)
{
	struct gn_py *capsule = gn_py_attribute(module, "_C_API");
	void **lent =
		capsule ? gn_py.capsule(capsule, "greenlet._C_API") : NULL;

	if (!lent)
		gn_py.clear_error();
	if (capsule)
		gn_py.decref(capsule);
	return lent;
}

bool gn_greenlet_find(void *loaded, struct gn_py *module,
		      struct gn_greenlet_places *places)
{
	const void *methods = dlsym(loaded, "PyMethodDescr_Type");
	const void *attributes = dlsym(loaded, "PyGetSetDescr_Type");
	void **lent = lent_by(module);
	struct gn_py *type = lent ? lent[TYPE] : NULL;

	if (!type || (greenlet.type && greenlet.type != type))
		return false;
	greenlet.none = dlsym(loaded, "_Py_NoneStruct");
	greenlet.yes = dlsym(loaded, "_Py_TrueStruct");
	greenlet.parent = gn_py_definition(type, "parent", attributes);
	greenlet.dead = gn_py_definition(type, "dead", attributes);
	memcpy(&greenlet.get_current, &lent[GET_CURRENT], sizeof(void *));
	*places = (struct gn_greenlet_places){
		method(type, "switch", ARGUMENTS | KEYWORDS, methods),
		method(type, "throw", ARGUMENTS, methods),
		(gn_greenlet_fn *)&lent[SWITCH],
		(gn_greenlet_fn *)&lent[THROW],
	};
	if (!greenlet.none || !greenlet.yes || !greenlet.parent ||
	    !greenlet.dead || !places->switch_method || !places->throw_method)
		return false;
	greenlet.type = type;
	return true;
}

bool gn_greenlet_is(struct gn_py *object)
{
	struct gn_py *type = gn_py.type_of(object);
	bool is = type && gn_py.is_subtype(type, greenlet.type);

	if (type)
		gn_py.decref(type);
	return is;
}

const void *gn_greenlet_current(void)
{
	struct gn_py *current = greenlet.get_current();

	if (current)
		gn_py.decref(current);
	else
		gn_py.clear_error();
	return current;
}

/* A program can define these anew in classes of its own: that is not asked. */
static const void *ask(const struct attribute *a, const void *of)
{
	struct gn_py *value = a->get((struct gn_py *)(uintptr_t)of, a->closure);

	if (value)
		gn_py.decref(value);
	return value;
}

const void *gn_greenlet_parent(const void *of)
{
	const void *parent = ask(greenlet.parent, of);

	return parent == greenlet.none ? NULL : parent;
}

bool gn_greenlet_is_dead(const void *of)
{
	return ask(greenlet.dead, of) == greenlet.yes;
}
