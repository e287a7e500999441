// SPDX-License-Identifier: BSD-2-Clause
#include "names/own_name.h"

#include <string.h>

struct out {
	char *at;
	size_t left; /* with the NUL */
	bool full;
};

static void put(struct out *o, const char *text, size_t n)
{
	if (n >= o->left) {
		o->full = true;
		return;
	}
	memcpy(o->at, text, n);
	o->at += n;
	o->left -= n;
	*o->at = '\0';
}

/* Behind the bracket that pairs with the one at `at`; NULL: none does. */
static const char *behind_pair(const char *at)
{
	int depth = 0;

	for (; *at; at++) {
		depth += (*at == '<') - (*at == '>');
		if (!depth)
			return at + 1;
	}
	return NULL;
}

/* What follows the machine's type: its arguments, then its method or a glob. */
static bool split_rest(const char *rest, const char **method)
{
	static const char name[] = ".MoveNext";

	if (*rest == '<')
		rest = behind_pair(rest);
	if (!rest)
		return false;
	*method = rest;
	if (!strcmp(rest, ".*"))
		return true;
	if (strncmp(rest, name, sizeof(name) - 1) != 0)
		return false;
	rest += sizeof(name) - 1;
	return !*rest || *rest == '(';
}

/* "d__3", and what later versions of an edited program have behind it. */
static const char *behind_mark(const char *at)
{
	if (*at++ != 'd')
		return NULL;
	if (at[0] == '_' && at[1] == '_')
		at += 2;
	return at + strspn(at, "0123456789#");
}

/* One of an interface that is implemented explicitly has its dots as dashes. */
static void put_method(struct out *o, const char *name, size_t n)
{
	for (size_t i = 0; i < n; i++)
		put(o, name[i] == '-' ? "." : name + i, 1);
}

/* C#: a type whose name begins with the method's in brackets. */
static bool by_brackets(const char *name, struct out *o)
{
	const char *at = name, *end, *rest, *method;

	while ((at = strstr(at, "+<"))) {
		end = behind_pair(at + 1);
		rest = end && end - at > 3 ? behind_mark(end) : NULL;
		if (rest && split_rest(rest, &method)) {
			put(o, name, (size_t)(at - name));
			put(o, ".", 1);
			put_method(o, at + 2, (size_t)(end - 1 - (at + 2)));
			put(o, rest, (size_t)(method - rest));
			return true;
		}
		at += 2;
	}
	return false;
}

/* Visual Basic: "C+VB$StateMachine_3_Fetch.MoveNext()". */
static bool by_prefix(const char *name, struct out *o)
{
	static const char mark[] = "+VB$StateMachine_";
	const char *at = strstr(name, mark), *own, *rest, *method;

	if (!at)
		return false;
	own = at + sizeof(mark) - 1;
	own += strspn(own, "0123456789");
	if (*own++ != '_')
		return false;
	rest = own + strcspn(own, ".<");
	if (rest == own || !split_rest(rest, &method))
		return false;
	put(o, name, (size_t)(at - name));
	put(o, ".", 1);
	put(o, own, (size_t)(method - own));
	return true;
}

bool gn_own_name(const char *name, char *own, size_t size)
{
	struct out o = {own, size, false};

	return (by_brackets(name, &o) || by_prefix(name, &o)) && !o.full;
}
