// SPDX-License-Identifier: BSD-2-Clause
#include "top/classes.h"

static const int order[] = {
#define ORDER(name, word, letter, help, front, front256, with) GN_CLASS_##name,
	GN_TOP_CLASS_LIST(ORDER)
#undef ORDER
};

_Static_assert(sizeof(order) / sizeof(order[0]) == GN_CLASS_COUNT,
	       "a class is missing in the list");

static const struct {
	const char *word, *help;
	char letter;
} classes[GN_CLASS_COUNT] = {
#define CLASS(name, word, letter, help, front, front256, with) \
	[GN_CLASS_##name] = {word, help, letter},
	GN_TOP_CLASS_LIST(CLASS)
#undef CLASS
};

const char *gn_top_class_short(int class)
{
	return class >= 0 && class < GN_CLASS_COUNT ? classes[class].word : "?";
}

char gn_top_class_letter(int class)
{
	return class >= 0 && class < GN_CLASS_COUNT ? classes[class].letter
						    : '?';
}

const char *gn_top_class_help(int class)
{
	return class >= 0 && class < GN_CLASS_COUNT ? classes[class].help : "";
}

int gn_top_class_at(int i)
{
	return order[i];
}
