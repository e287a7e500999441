// SPDX-License-Identifier: BSD-2-Clause
#include "names.h"

#include <string.h>

#define NATIVE "C" /* the module of functions in C */

/* Appends what fits. A character is not cut in its middle. */
static void put(struct gn_names *n, const char *text)
{
	size_t have = strlen(n->name), room = sizeof(n->name) - 1 - have;
	size_t len = strnlen(text, room + 1);

	if (len > room)
		for (len = room; len && (text[len] & 0xc0) == 0x80;)
			len--;
	memcpy(n->name + have, text, len);
	n->name[have + len] = '\0';
}

/* Texts of the interpreter end with a NUL. */
static const char *text_of(gn_rb_value string)
{
	return gn_rb.text(&string);
}

static bool is_nothing(gn_rb_value v)
{
	return v == GN_RB_FALSE || v == gn_rb.nil;
}

static bool is_kind(gn_rb_value v, gn_rb_value class)
{
	return !is_nothing(gn_rb.is_kind(v, class));
}

/* Names of what is in a class without a name have its address: #<Class:0x..>::A
 */
static void put_path(struct gn_names *n, const char *path)
{
	const char *address;

	while ((address = strstr(path, ":0x"))) {
		char part[GN_SENT_NAME_MAX];
		size_t len = (size_t)(address - path);

		if (len < sizeof(part)) {
			memcpy(part, path, len);
			part[len] = '\0';
			put(n, part);
		}
		path = address + 3;
		path += strspn(path, "0123456789abcdef");
	}
	put(n, path);
}

static void put_unnamed(struct gn_names *n, gn_rb_value class)
{
	gn_rb_value refined = gn_rb.variable(class, gn_rb.refined_id), name;

	if (!is_nothing(refined)) {
		name = gn_rb.module_name(refined);
		put(n, "#<refinement:");
		put_path(n, is_nothing(name) ? "?" : text_of(name));
	} else {
		put(n, is_kind(class, *gn_rb.class_class) ? "#<Class"
							  : "#<Module");
	}
	put(n, ">");
	n->unnamed = true;
}

static void put_module(struct gn_names *n, gn_rb_value module)
{
	gn_rb_value name = gn_rb.module_name(module);

	if (is_nothing(name))
		put_unnamed(n, module);
	else
		put_path(n, text_of(name));
}

static gn_rb_value attached_to(gn_rb_value class)
{
	return gn_rb.attached ? gn_rb.attached(class)
			      : gn_rb.variable(class, gn_rb.attached_id);
}

/* Appends the class and what separates it from its method. */
static void put_class(struct gn_names *n, gn_rb_value class)
{
	gn_rb_value object;

	if (gn_rb.real_class(class) == class) {
		put_module(n, class);
		put(n, "#");
		return;
	}
	object = attached_to(class);
	if (object == gn_rb.main) {
		put(n, "main");
	} else if (is_kind(object, *gn_rb.module_class)) {
		if (gn_rb.real_class(object) == object)
			put_module(n, object);
		else
			put(n, "#<Class>");
	} else {
		put(n, "#<");
		put_module(n, gn_rb.class_of(object));
		put(n, ">");
	}
	put(n, ".");
}

static void put_file(struct gn_names *n, struct gn_rb_event *e)
{
	gn_rb_value path = gn_rb.event_path(e);
	const char *text = is_nothing(path) ? "?" : text_of(path);
	size_t len = strnlen(text, sizeof(n->module) - 1);

	memcpy(n->module, text, len);
	n->module[len] = '\0';
}

/* The event of a call is at the method's first line, a Fixnum. */
static uint32_t line_of(struct gn_rb_event *e)
{
	intptr_t line = (intptr_t)gn_rb.event_line(e) >> 1;

	return line > 0 && line <= INT32_MAX ? (uint32_t)line : 0;
}

void gn_names_of(struct gn_rb_event *e, enum gn_call_kind kind,
		 gn_rb_value class, gn_rb_id id, gn_rb_value frame,
		 struct gn_names *n)
{
	const char *method = class ? gn_rb.id_text(id) : NULL;
	gn_rb_value label;

	*n->name = '\0';
	n->unnamed = false;
	n->line = kind == GN_CALL_METHOD ? line_of(e) : 0;
	if (kind == GN_CALL_C)
		strcpy(n->module, NATIVE);
	else
		put_file(n, e);
	if (!class) {
		label = frame ? gn_rb.frame_label(frame) : GN_RB_FALSE;
		put(n, is_nothing(label) ? "block" : text_of(label));
		return;
	}
	if (kind == GN_CALL_BLOCK)
		put(n, "block in ");
	put_class(n, class);
	put(n, method ? method : "?");
}
