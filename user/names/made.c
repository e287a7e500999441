// SPDX-License-Identifier: BSD-2-Clause
#include "names/made.h"

#include <string.h>

static bool digit(char c)
{
	return c >= '0' && c <= '9';
}

/* Mono's compiler: state machines, and types that contain lambdas. */
static const char *const mono_marks[] = {"c__Iterator", "c__async",
					 "c__AnonStorey"};

/* The length of what the compilers put behind "<Fetch>", without a number; 0:
 * the type is not such a one. */
static size_t mark_len(const struct gn_span *rest)
{
	for (size_t i = 0; i < sizeof(mono_marks) / sizeof(*mono_marks); i++)
		if (gn_span_begins(rest, mono_marks[i]))
			return strlen(mono_marks[i]);
	if (!gn_span_begins(rest, "d"))
		return 0;
	return gn_span_begins(rest, "d__") ? 3 : 1;
}

bool gn_made_machine(struct gn_span rest, struct gn_span *method)
{
	static const char basic[] = "VB$StateMachine_";
	size_t n;

	if (gn_span_begins(&rest, basic)) {
		rest = gn_span_from(&rest, sizeof(basic) - 1);
		while (rest.n && digit(rest.at[0]))
			rest = gn_span_from(&rest, 1);
		*method = rest.n ? gn_span_from(&rest, 1) : rest;
		return method->n && rest.at[0] == '_';
	}
	n = rest.n && rest.at[0] == '<' ? gn_span_pair(&rest) : 0;
	if (n < 3)
		return false;
	*method = (struct gn_span){rest.at + 1, n - 2};
	rest = gn_span_from(&rest, n);
	n = mark_len(&rest);
	if (!n)
		return false;
	rest = gn_span_from(&rest, n);
	while (rest.n && strchr("0123456789#*", rest.at[0]))
		rest = gn_span_from(&rest, 1);
	return !rest.n;
}

bool gn_made_closure(struct gn_span name, struct gn_span *number)
{
	static const char *const marks[] = {"_Closure$__", "<>c__DisplayClass",
					    "<>c__"};

	for (size_t i = 0; i < sizeof(marks) / sizeof(*marks); i++)
		if (gn_span_begins(&name, marks[i])) {
			*number = gn_span_from(&name, strlen(marks[i]));
			return true;
		}
	*number = (struct gn_span){0};
	return gn_span_is(&name, "<>c");
}

static struct gn_span without_mark(struct gn_span name)
{
	struct gn_span mark;
	size_t n = name.n && name.at[0] == '<' ? gn_span_pair(&name) : 0;

	if (!n || n == name.n)
		return name;
	mark = gn_span_from(&name, n);
	if (mark.at[0] != 'F' && mark.at[0] != 'f')
		return name;
	for (size_t i = 0; i + 2 < mark.n; i++)
		if (mark.at[i] == '_' && mark.at[i + 1] == '_')
			return gn_span_from(&mark, i + 2);
	return name;
}

struct gn_span gn_made_put(struct gn_spell *o, struct gn_span name)
{
	static const char word[] = "closure";
	struct gn_span number;

	if (!gn_made_closure(name, &number)) {
		name = without_mark(name);
		gn_spell_put(o, name.at, name.n);
		return name;
	}
	gn_spell_text(o, word);
	if (number.n)
		gn_spell_text(o, "#");
	gn_spell_put(o, number.at, number.n);
	return (struct gn_span){word, sizeof(word) - 1};
}
