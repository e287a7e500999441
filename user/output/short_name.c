/* SPDX-License-Identifier: BSD-2-Clause */
#include "output/short_name.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "output/text.h"

#define LEAST	 8
#define TYPE	 12 /* a type needs this many cells to be useful */
#define CLONE	 " [clone "
#define OPERATOR "operator"

static bool in_word(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
	       (c >= '0' && c <= '9') || c == '_' || c == '$' || c == '`' ||
	       (c & 0x80);
}

/* Where the name of a C++ operator begins: the last word "operator". */
static const char *operator_in(const char *name)
{
	const char *found = NULL, *at = name;

	for (; (at = strstr(at, OPERATOR)); at += sizeof(OPERATOR) - 1)
		if ((at == name || !in_word(at[-1])) &&
		    !in_word(at[sizeof(OPERATOR) - 1]))
			found = at;
	return found;
}

/* Parentheses before a dot are not parameters: Go writes receivers this way. */
size_t gn_name_parameters(const char *name)
{
	const char *close = strrchr(name, ')'), *at, *sign;
	size_t all = strlen(name);
	int depth = 0;

	if (!close || strcspn(close, ".:") < strcspn(close, "~"))
		return all;
	for (at = close; at > name; at--) {
		depth += (*at == ')') - (*at == '(');
		if (!depth)
			break;
	}
	if (at == name || depth)
		return all;
	sign = operator_in(name);
	if (sign && sign < at) /* skip the parentheses of operator() */
		return at > sign + sizeof(OPERATOR) - 1 ? (size_t)(at - name)
							: all;
	return strchr(".:/+ (", at[-1]) ? all : (size_t)(at - name);
}

/* Writes the name without what brackets enclose; `to` may be the name itself,
 * or NULL. Returns how many brackets are not closed. */
static int put_outside(const char *name, char *to)
{
	const char *sign = operator_in(name);
	int depth = 0;
	char last = 0;

	for (const char *from = name; *from; from++) {
		bool opens = *from == '<' || *from == '[';
		bool closes = *from == '>' || *from == ']';

		if (!sign || from < sign) {
			if (opens && (depth || in_word(last))) {
				depth++;
				continue;
			}
			if (depth) {
				depth -= closes;
				continue;
			}
		}
		last = *from;
		if (to)
			*to++ = last;
	}
	if (to)
		*to = '\0';
	return depth;
}

/* "vector<int>::at" becomes "vector::at"; "<Main>b__0" and operators stay.
 * Brackets that do not match do not enclose types. */
static void drop_type_arguments(char *name)
{
	if (!put_outside(name, NULL))
		put_outside(name, name);
}

/* Whether a plus separates types. In Java's hidden classes it precedes an
 * address. */
static bool parts_types(const char *at)
{
	return *at == '+' && strncmp(at, "+0x", 3);
}

/* The part after the outermost type or namespace; NULL: only the name itself is
 * left. */
static const char *next_part(const char *name)
{
	const char *sign = operator_in(name);
	int depth = 0;

	for (const char *c = name; *c && c != sign; c++) {
		bool parts = *c == '.' || parts_types(c) || *c == '/' ||
			     (*c == ':' && c[1] == ':') || *c == ' ';

		depth += (*c == '<' || *c == '(') - (*c == '>' || *c == ')');
		if (depth > 0 || !parts || c == name)
			continue;
		while (*c == ':' && c[1] == ':')
			c++;
		/* a constructor's own name begins with a dot */
		if (c[0] == '.' && c[1] == '.')
			return c + 1;
		return c[1] ? c + 1 : NULL;
	}
	return NULL;
}

/* Takes the compiler's suffixes such as " [clone .constprop.0] [clone .isra.1]"
 * off the end. Returns them as ".constprop.0.isra.1", which the caller frees;
 * NULL: there are none, or no memory. */
static char *take_clones(char *name)
{
	char *first = strstr(name, CLONE), *to, *clones;

	if (!first || first == name)
		return NULL;
	clones = to = malloc(strlen(first) + 1);
	if (!clones)
		return NULL;
	for (char *at = first; at; at = strstr(at, CLONE)) {
		size_t len = strcspn(at += sizeof(CLONE) - 1, "]");

		memcpy(to, at, len);
		to += len;
		at += len;
	}
	*to = '\0';
	*first = '\0';
	return clones;
}

/* Name and suffixes in `width` cells, without the suffixes if these need more
 * than half. The caller frees the result. NULL: no memory. */
static char *with_clones(char *name, char *clones, size_t width)
{
	size_t own = gn_text_width(clones);
	char *text = NULL, *base;

	if (own > width / 2 || own + LEAST > width)
		*clones = '\0';
	base = gn_short_name(name, width - gn_text_width(clones));
	if (base)
		text = malloc(strlen(base) + strlen(clones) + 1);
	if (text)
		strcat(strcpy(text, base), clones);
	free(base);
	return text;
}

/* Shortens the type of "Type.Method" if both stay readable: the type
 * distinguishes methods of the same name. `own`: the method's part of
 * `text`. */
static bool shorten_type(char *text, const char *own, size_t width)
{
	size_t after = gn_text_width(own), type = (size_t)(own - text);
	char *head;

	if (next_part(own) || width < after + TYPE)
		return false;
	head = strndup(text, type);
	if (!head)
		return false;
	gn_text_shorten(head, width - after);
	type = strlen(head);
	memmove(text + type, own, strlen(own) + 1);
	memcpy(text, head, type);
	free(head);
	return true;
}

/* The length of a leading phrase such as "virtual thunk to ": without it, the
 * function would be taken for the method itself. */
static size_t head_of(const char *name)
{
	static const char *const heads[] = {
		"monitor of ",
		"virtual thunk to ",
		"non-virtual thunk to ",
		"covariant return thunk to ",
		"TLS init function for ",
		"TLS wrapper function for ",
	};

	for (size_t i = 0; i < sizeof(heads) / sizeof(heads[0]); i++)
		if (!strncmp(name, heads[i], strlen(heads[i])))
			return strlen(heads[i]);
	return 0;
}

/* Shortens the name after the head, or all of it if both do not fit. Takes
 * `name`; the caller frees the result. */
static char *with_head(char *name, size_t head, size_t width)
{
	char *base, *text = NULL;

	if (head + LEAST > width) {
		name[gn_name_parameters(name)] = '\0';
		gn_text_shorten(name, width);
		return name;
	}
	base = gn_short_name(name + head, width - head);
	if (base)
		text = malloc(head + strlen(base) + 1);
	if (text) {
		memcpy(text, name, head);
		strcpy(text + head, base);
	}
	free(base);
	free(name);
	return text;
}

char *gn_short_name(const char *name, size_t width)
{
	char *text = strdup(name), *clones, *with;
	const char *next;
	size_t head;

	if (width < LEAST)
		width = LEAST;
	if (!text || gn_text_width(text) <= width)
		return text;
	head = head_of(text);
	if (head)
		return with_head(text, head, width);
	clones = take_clones(text);
	if (clones) {
		with = with_clones(text, clones, width);
		free(clones);
		free(text);
		return with;
	}
	text[gn_name_parameters(text)] = '\0';
	if (gn_text_width(text) > width)
		drop_type_arguments(text);
	while (gn_text_width(text) > width && (next = next_part(text)) &&
	       !shorten_type(text, next, width))
		memmove(text, next, strlen(next) + 1);
	gn_text_shorten(text, width);
	return text;
}
