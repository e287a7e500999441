// SPDX-License-Identifier: BSD-2-Clause
#include "names/java_name.h"

#include <string.h>

void gn_java_put_class(struct gn_spell *o, struct gn_span class)
{
	for (size_t i = 0; i < class.n && class.at[i]; i++)
		gn_spell_put(o, class.at[i] == '/' ? "." : &class.at[i], 1);
}

/* Writes one type of a descriptor. Returns how many bytes it read; 0: there is
 * no type. */
static size_t put_type(struct gn_spell *o, struct gn_span from)
{
	static const char *const names[26] = {
		['B' - 'A'] = "byte",	['C' - 'A'] = "char",
		['D' - 'A'] = "double", ['F' - 'A'] = "float",
		['I' - 'A'] = "int",	['J' - 'A'] = "long",
		['S' - 'A'] = "short",	['Z' - 'A'] = "boolean"};
	size_t dims = 0, used = 1;
	const char *end;
	char c;

	while (dims < from.n && from.at[dims] == '[')
		dims++;
	if (dims == from.n)
		return 0;
	from = gn_span_from(&from, dims);
	c = *from.at;
	if (c == 'L') {
		end = memchr(from.at, ';', from.n);
		if (!end)
			return 0;
		used = (size_t)(end - from.at) + 1;
		gn_java_put_class(o, (struct gn_span){from.at + 1, used - 2});
	} else if (c >= 'A' && c <= 'Z' && names[c - 'A']) {
		gn_spell_text(o, names[c - 'A']);
	} else {
		return 0;
	}
	for (size_t i = 0; i < dims; i++)
		gn_spell_text(o, "[]");
	return dims + used;
}

void gn_java_put_parameters(struct gn_spell *o, struct gn_span descriptor)
{
	size_t at = 1, used;

	gn_spell_text(o, "(");
	while (at < descriptor.n && descriptor.at[at] != ')') {
		if (at > 1)
			gn_spell_text(o, ", ");
		used = put_type(o, gn_span_from(&descriptor, at));
		if (!used) {
			gn_spell_text(o, "...");
			break;
		}
		at += used;
	}
	gn_spell_text(o, ")");
}

void gn_java_put_method(struct gn_spell *o, struct gn_span class,
			struct gn_span method, struct gn_span descriptor)
{
	gn_java_put_class(o, class);
	gn_spell_text(o, ".");
	gn_spell_put(o, method.at, strnlen(method.at, method.n));
	gn_java_put_parameters(o, descriptor);
}

void gn_java_put_package(struct gn_spell *o, struct gn_span class)
{
	size_t n = 0;

	for (size_t i = 0; i < class.n && class.at[i]; i++)
		if (class.at[i] == '/')
			n = i;
	gn_java_put_class(o, (struct gn_span){class.at, n});
}
