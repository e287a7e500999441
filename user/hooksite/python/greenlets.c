// SPDX-License-Identifier: BSD-2-Clause
#include "greenlets.h"

#include <string.h>

#include <gnomon/selected.h>
#include "../call_sites.h"
#include "greenlet.h"
#include "switches.h"

typedef struct gn_py *(*switch_fn)(struct gn_py *self, struct gn_py *args,
				   struct gn_py *keywords);
typedef struct gn_py *(*throw_fn)(struct gn_py *self, struct gn_py *args);
typedef struct gn_py *(*throw_in_c_fn)(struct gn_py *self, struct gn_py *type,
				       struct gn_py *value,
				       struct gn_py *traceback);

/* A function of the module: where it is called from, and ours. */
struct replaced {
	gn_greenlet_fn *at, own;
};

bool gn_greenlets_awaited;

static struct {
	void *loaded;
	struct replaced switch_method, throw_method, switch_in_c, throw_in_c;
	bool doubted;	/* gnomon is told */
	char name[256]; /* of the module that is awaited */
} greenlets;

static struct gn_py *switch_method(struct gn_py *self, struct gn_py *args,
				   struct gn_py *keywords)
{
	const void *me = gn_switch_to(self);
	struct gn_py *result =
		((switch_fn)greenlets.switch_method.own)(self, args, keywords);

	gn_switched_to(me);
	return result;
}

static struct gn_py *throw_method(struct gn_py *self, struct gn_py *args)
{
	const void *me = gn_switch_to(self);
	struct gn_py *result =
		((throw_fn)greenlets.throw_method.own)(self, args);

	gn_switched_to(me);
	return result;
}

/* C code can give anything. */
static const void *switch_to_any(struct gn_py *self)
{
	return self && gn_greenlet_is(self) ? gn_switch_to(self) : NULL;
}

static struct gn_py *switch_in_c(struct gn_py *self, struct gn_py *args,
				 struct gn_py *keywords)
{
	const void *me = switch_to_any(self);
	struct gn_py *result =
		((switch_fn)greenlets.switch_in_c.own)(self, args, keywords);

	gn_switched_to(me);
	return result;
}

static struct gn_py *throw_in_c(struct gn_py *self, struct gn_py *type,
				struct gn_py *value, struct gn_py *traceback)
{
	const void *me = switch_to_any(self);
	struct gn_py *result = ((throw_in_c_fn)greenlets.throw_in_c.own)(
		self, type, value, traceback);

	gn_switched_to(me);
	return result;
}

/* An interpreter that begins again loads the module again. */
static void replace(struct replaced *r, gn_greenlet_fn *at, gn_greenlet_fn ours)
{
	if (*at == ours)
		return;
	*r = (struct replaced){at, *at};
	*at = ours;
}

static void give_back(const struct replaced *r)
{
	if (r->at)
		*r->at = r->own;
}

void gn_greenlets_end(void)
{
	give_back(&greenlets.switch_method);
	give_back(&greenlets.throw_method);
	give_back(&greenlets.switch_in_c);
	give_back(&greenlets.throw_in_c);
}

static void replace_in(struct gn_py *module)
{
	struct gn_greenlet_places at;

	if (gn_greenlet_find(greenlets.loaded, module, &at)) {
		replace(&greenlets.switch_method, at.switch_method,
			(gn_greenlet_fn)switch_method);
		replace(&greenlets.throw_method, at.throw_method,
			(gn_greenlet_fn)throw_method);
		replace(&greenlets.switch_in_c, at.switch_in_c,
			(gn_greenlet_fn)switch_in_c);
		replace(&greenlets.throw_in_c, at.throw_in_c,
			(gn_greenlet_fn)throw_in_c);
	} else if (!greenlets.doubted) {
		greenlets.doubted = true;
		gn_site_call_selected(GN_SELECTED_GREENLETS, 1);
	}
}

/* Before 1.0 the package was the extension module. */
static const char *const names[] = {"greenlet._greenlet", "greenlet", NULL};

static bool look_at(const char *name)
{
	struct gn_py *module = gn_py.item(gn_py.modules(), name);

	if (!module || !gn_py.has_attribute(module, "_C_API"))
		return false;
	replace_in(module);
	return true;
}

void gn_greenlets_look(void)
{
	gn_greenlets_awaited = !look_at(greenlets.name);
}

void gn_greenlets_begin(void *loaded, const struct gn_call_hooks *hooks)
{
	const char *const *n = names;

	greenlets.loaded = loaded;
	gn_switches_begin(hooks);
	while (*n && !look_at(*n))
		n++;
}

static const char *text_of(struct gn_py *args, long at)
{
	struct gn_py *text =
		at < gn_py.tuple_size(args) ? gn_py.tuple_item(args, at) : NULL;
	const char *utf8 = text ? gn_py.utf8(text, NULL) : NULL;

	if (!utf8)
		gn_py.clear_error();
	return utf8;
}

/* A package can have a copy of its own, which is a module of it. */
static bool is_greenlet(const char *module)
{
	size_t len = strlen(module);

	for (const char *const *n = names; *n; n++) {
		size_t end = strlen(*n);

		if (len >= end && !strcmp(module + len - end, *n) &&
		    (len == end || module[len - end - 1] == '.'))
			return true;
	}
	return false;
}

void gn_greenlets_see(const char *event, struct gn_py *args)
{
	const char *name = strcmp(event, "import") ? NULL : text_of(args, 0);

	/* an extension module comes with its path */
	if (!name || !is_greenlet(name) || !text_of(args, 1) ||
	    strlen(name) >= sizeof(greenlets.name))
		return;
	strcpy(greenlets.name, name);
	gn_greenlets_awaited = true;
}
