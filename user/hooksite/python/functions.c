// SPDX-License-Identifier: BSD-2-Clause
#include "functions.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

#include "../call_hooks.h"
#include "codes.h"
#include "filter.h"
#include "names.h"

/* Flags of code objects: a generator, a coroutine, an async generator. */
#define SUSPENDS (0x20 | 0x80 | 0x200)

static struct {
	const char *filter;
	size_t code_at; /* where a frame has its code; 0: a function tells */
} functions;

static const struct gn_function none;

/* The definition of a function in C (struct PyMethodDef, of the stable ABI). */
struct definition {
	const char *name;
	void *function;
	int flags;
	const char *doc;
};

static void free_function(void *extra)
{
	struct gn_function *f = extra;

	if (!f)
		return;
	free(f->yields);
	free(f);
}

/*
 * The functions in C by their definition: an open hash table. A definition that
 * is freed and made anew is noticed by its name and function.
 */
struct native {
	const struct definition *definition; /* NULL: free */
	const char *name;
	void *function;
	uint32_t index;
};

static struct {
	struct native *at;
	size_t room, used;
	bool known; /* where function objects have their definition */
} natives;

/* The function's index; 0: it is not traced. */
static uint32_t choose(const struct gn_names *n)
{
	uint32_t index;

	if (!gn_python_filter(functions.filter, n->name, n->module))
		return 0;
	index = gn_call_new_index();
	if (index)
		gn_call_name(index, n->name, n->module, n->line);
	return index;
}

static struct gn_yields *read_yields(struct gn_py *code)
{
	struct gn_py *bytes = gn_py_attribute(code, "co_code");
	struct gn_yields *y = NULL;
	char *at;
	long len;

	if (bytes && !gn_py.bytes(bytes, &at, &len))
		y = gn_yields_read((const uint8_t *)at, (size_t)len,
				   gn_py.minor);
	else
		gn_py.clear_error();
	if (bytes)
		gn_py.decref(bytes);
	return y;
}

static const struct gn_function *add_code(struct gn_py *frame,
					  struct gn_py *code)
{
	struct gn_function *f = calloc(1, sizeof(*f));
	struct gn_names names;

	if (!f)
		return &none;
	gn_names_of_code(frame, code, &names);
	f->index = choose(&names);
	if (f->index && gn_py_number(code, "co_flags", 0) & SUSPENDS)
		f->yields = read_yields(code);
	if (!gn_codes_keep(code, f)) {
		free_function(f);
		return &none;
	}
	return f;
}

static struct gn_py *code_of(struct gn_py *frame)
{
	struct gn_py *code;

	if (!functions.code_at)
		return gn_py.frame_code(frame);
	code = *(struct gn_py **)((char *)frame + functions.code_at);
	gn_py.incref(code);
	return code;
}

/* The definition of a member (struct PyMemberDef, of the stable ABI). */
struct member {
	const char *name;
	int type;
	size_t offset;
};

/* 3.8 has no function for it, and tells the program's audit hooks of whoever
 * asks for the attribute. */
static bool find_code(void *loaded)
{
	struct gn_py *frames = dlsym(loaded, "PyFrame_Type");
	const struct member *m;

	if (gn_py.frame_code)
		return true;
	m = frames ? gn_py_definition(frames, "f_code",
				      dlsym(loaded, "PyMemberDescr_Type"))
		   : NULL;
	functions.code_at = m ? m->offset : 0;
	return m;
}

const struct gn_function *gn_function_of_frame(struct gn_py *frame)
{
	struct gn_py *code = code_of(frame);
	const struct gn_function *f;

	if (!code) {
		gn_py.clear_error();
		return &none;
	}
	f = gn_codes_get(code) ?: add_code(frame, code);
	/* the frame keeps it alive */
	gn_py.decref(code);
	return f;
}

/* A function object points to its definition behind the head of all objects.
 * Its place is taken only if that of len() is there. */
#define HEAD (2 * sizeof(void *))

static const struct definition *definition_of(struct gn_py *function)
{
	return *(const struct definition *const *)((const char *)function +
						   HEAD);
}

void **gn_function_place(struct gn_py *function, int flags)
{
	struct definition *d = (struct definition *)definition_of(function);

	return d->flags == flags ? &d->function : NULL;
}

static void find_definitions(void)
{
	struct gn_py *builtins = gn_py.builtins();
	struct gn_py *len = builtins ? gn_py.item(builtins, "len") : NULL;
	void *function = len ? gn_py.native_function(len) : NULL;
	const struct definition *d = function ? definition_of(len) : NULL;

	natives.known = d && d->function == function && !strcmp(d->name, "len");
	gn_py.clear_error();
}

bool gn_functions_begin(void *loaded, const char *filter)
{
	functions.filter = filter && *filter ? filter : NULL;
	find_definitions();
	return gn_codes_begin(free_function) && natives.known &&
	       find_code(loaded);
}

static size_t place_of(const struct definition *d, size_t room)
{
	return (size_t)((uintptr_t)d >> 3) * 0x9e3779b97f4a7c15u >> 20 &
	       (room - 1);
}

static bool grow(void)
{
	size_t room = natives.room ? natives.room * 2 : 1024;
	struct native *at = calloc(room, sizeof(*at));

	if (!at)
		return false;
	for (size_t i = 0; i < natives.room; i++) {
		size_t k;

		if (!natives.at[i].definition)
			continue;
		k = place_of(natives.at[i].definition, room);
		while (at[k].definition)
			k = (k + 1) & (room - 1);
		at[k] = natives.at[i];
	}
	free(natives.at);
	natives.at = at;
	natives.room = room;
	return true;
}

static void name_native(struct native *n, struct gn_py *function)
{
	struct gn_names names;

	n->name = n->definition->name;
	n->function = n->definition->function;
	gn_names_of_native(function, n->name, &names);
	n->index = choose(&names);
}

uint32_t gn_index_in_c(struct gn_py *function, const void **definition)
{
	const struct definition *d;
	struct native *n;
	size_t i;

	if (natives.used * 2 >= natives.room && !grow())
		return 0;
	d = definition_of(function);
	*definition = d;
	for (i = place_of(d, natives.room); natives.at[i].definition;
	     i = (i + 1) & (natives.room - 1))
		if (natives.at[i].definition == d)
			break;
	n = &natives.at[i];
	if (!n->definition) {
		n->definition = d;
		natives.used++;
	} else if (n->name == d->name && n->function == d->function) {
		return n->index;
	}
	name_native(n, function);
	return n->index;
}
