/* SPDX-License-Identifier: BSD-2-Clause */
#include "output/classes.h"

static const struct {
	const char *text, *brief, *help;
	char letter;
} classes[GN_CLASS_COUNT + 1] = {
#define CLASS(name, value, text, brief, letter, group, where, front, front256, \
	      weight, help)                                                    \
	[GN_CLASS_##name] = {text, brief, help, letter},
	GN_CLASS_LIST(CLASS)
#undef CLASS
		[GN_CLASS_COUNT] = {"unknown", "?", "", '?'},
};

static int index_of(int class)
{
	return class >= 0 && class < GN_CLASS_COUNT ? class : GN_CLASS_COUNT;
}

const char *gn_class_text(int class)
{
	return classes[index_of(class)].text;
}

const char *gn_class_short(int class)
{
	return classes[index_of(class)].brief;
}

char gn_class_letter(int class)
{
	return classes[index_of(class)].letter;
}

const char *gn_class_help(int class)
{
	return classes[index_of(class)].help;
}

int gn_class_at(int i)
{
	static const int order[] = {
#define CLASS(name, ...) GN_CLASS_##name,
		GN_CLASS_LIST(CLASS)
#undef CLASS
	};

	return order[i];
}

uint64_t gn_class_cpu_ns(const uint64_t classes[GN_CLASS_COUNT])
{
	uint64_t sum = 0;

	for (int c = 0; c < GN_CLASS_COUNT; c++)
		sum += gn_class_on_cpu((enum gn_class)c) ? classes[c] : 0;
	return sum;
}
