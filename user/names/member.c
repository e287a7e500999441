// SPDX-License-Identifier: BSD-2-Clause
#include "names/member.h"

#include <string.h>

#define HELD_MAX 8 /* nesting depth of methods */

/* Takes the name after "op_", and after "Checked" if it has that. */
static const char *operator_of(struct gn_span name)
{
	static const struct {
		const char *name, *sign;
	} all[] = {
		{"Addition", "+"},
		{"Subtraction", "-"},
		{"Multiply", "*"},
		{"Division", "/"},
		{"Modulus", "%"},
		{"ExclusiveOr", "^"},
		{"BitwiseAnd", "&"},
		{"BitwiseOr", "|"},
		{"LeftShift", "<<"},
		{"RightShift", ">>"},
		{"UnsignedRightShift", ">>>"},
		{"Equality", "=="},
		{"Inequality", "!="},
		{"GreaterThan", ">"},
		{"LessThan", "<"},
		{"GreaterThanOrEqual", ">="},
		{"LessThanOrEqual", "<="},
		{"UnaryNegation", "-"},
		{"UnaryPlus", "+"},
		{"LogicalNot", "!"},
		{"OnesComplement", "~"},
		{"Increment", "++"},
		{"Decrement", "--"},
		/* C# 14: operators that change the object itself */
		{"AdditionAssignment", "+="},
		{"SubtractionAssignment", "-="},
		{"MultiplicationAssignment", "*="},
		{"DivisionAssignment", "/="},
		{"ModulusAssignment", "%="},
		{"ExclusiveOrAssignment", "^="},
		{"BitwiseAndAssignment", "&="},
		{"BitwiseOrAssignment", "|="},
		{"LeftShiftAssignment", "<<="},
		{"RightShiftAssignment", ">>="},
		{"UnsignedRightShiftAssignment", ">>>="},
		{"IncrementAssignment", "++"},
		{"DecrementAssignment", "--"},
		{"True", "true"},
		{"False", "false"},
	};

	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++)
		if (gn_span_is(&name, all[i].name))
			return all[i].sign;
	return NULL;
}

static void put_params(struct gn_spell *o, const struct gn_member *m)
{
	if (!m->has_params)
		return;
	gn_spell_text(o, "(");
	gn_spell_types(o, m->params, 0);
	gn_spell_text(o, ")");
}

/* "implicit operator decimal(int)". Without a result, any conversion is
 * meant. */
static void put_conversion(struct gn_spell *o, const struct gn_member *m,
			   const char *words)
{
	gn_spell_text(o, words);
	if (m->result.n) {
		gn_spell_text(o, " ");
		gn_spell_type(o, m->result, 0);
	} else if (!m->has_params || gn_span_is(&m->params, "*")) {
		gn_spell_text(o, "*");
		return;
	}
	put_params(o, m);
}

static bool put_operator(struct gn_spell *o, const struct gn_member *m)
{
	struct gn_span name = m->name;
	bool checked;
	const char *sign;

	if (!gn_span_begins(&name, "op_"))
		return false;
	name = gn_span_from(&name, 3);
	checked = gn_span_begins(&name, "Checked");
	if (checked)
		name = gn_span_from(&name, 7);
	if (gn_span_is(&name, "Implicit") || gn_span_is(&name, "Explicit")) {
		put_conversion(o, m,
			       checked		   ? "explicit operator checked"
			       : name.at[0] == 'I' ? "implicit operator"
						   : "explicit operator");
		return true;
	}
	sign = operator_of(name);
	if (!sign)
		return false;
	gn_spell_text(o, checked ? "operator checked " : "operator ");
	gn_spell_text(o, sign);
	put_params(o, m);
	return true;
}

/* Returns the parameters in an indexer's brackets: a setter's last parameter is
 * the value. */
static struct gn_span index_of(const struct gn_member *m, bool sets)
{
	struct gn_span left = m->params;
	size_t n = 0, part;

	if (!sets || gn_span_is(&left, "*"))
		return left;
	while ((part = gn_span_until(&left, ",")) < left.n) {
		n = (size_t)(left.at + part - m->params.at);
		left = gn_span_from(&left, part + 1);
	}
	return (struct gn_span){m->params.at, n};
}

/* A property with parameters and a name that the C# compiler gives to
 * indexers. */
static bool is_indexer(const struct gn_span *name, const struct gn_span *index)
{
	return index->n &&
	       (gn_span_is(name, "Item") || gn_span_is(name, "Chars"));
}

/* Other properties with parameters are those of an extension, which takes the
 * extended object, and of Visual Basic. A glob without parameters means them
 * all. */
static void put_taken(struct gn_spell *o, const struct gn_span *index)
{
	if (!index->n)
		return;
	if (gn_span_is(index, "*")) {
		gn_spell_text(o, "*");
		return;
	}
	gn_spell_text(o, "(");
	gn_spell_types(o, *index, 0);
	gn_spell_text(o, ")");
}

static void put_property(struct gn_spell *o, const struct gn_member *m,
			 struct gn_span name, const char *verb,
			 const struct gn_span *index)
{
	bool indexer = is_indexer(&name, index);

	if (indexer)
		gn_spell_text(o, "this");
	else
		gn_spell_put(o, name.at, name.n);
	gn_spell_args(o, &m->args, 0);
	if (indexer) {
		gn_spell_text(o, "[");
		gn_spell_types(o, *index, 0);
		gn_spell_text(o, "]");
	}
	gn_spell_text(o, ".");
	gn_spell_text(o, verb);
	if (!indexer)
		put_taken(o, index);
}

static bool put_accessor(struct gn_spell *o, const struct gn_member *m)
{
	static const char *const verbs[] = {"get", "set", "add", "remove"};
	struct gn_span index = {0};

	for (size_t i = 0; i < sizeof(verbs) / sizeof(verbs[0]); i++) {
		size_t n = strlen(verbs[i]);

		if (!gn_span_begins(&m->name, verbs[i]) || m->name.n < n + 2 ||
		    m->name.at[n] != '_')
			continue;
		if (i < 2)
			index = index_of(m, i == 1);
		put_property(o, m, gn_span_from(&m->name, n + 1), verbs[i],
			     &index);
		return true;
	}
	return false;
}

static bool put_constructor(struct gn_spell *o, const struct gn_member *m)
{
	bool ends = gn_span_is(&m->name, "Finalize") && !m->params.n;
	/* in the name of a type made from the method, dots are dashes */
	bool of_type = gn_span_is(&m->name, ".cctor") ||
		       gn_span_is(&m->name, "-cctor");

	if (!of_type && !ends && !gn_span_is(&m->name, ".ctor") &&
	    !gn_span_is(&m->name, "-ctor"))
		return false;
	gn_spell_text(o, of_type ? "static " : ends ? "~" : "");
	gn_spell_put(o, m->type.at, m->type.n);
	/* without parameters, any is meant */
	if (ends && !m->has_params)
		gn_spell_text(o, "*");
	put_params(o, m);
	return true;
}

/* "<Main>b__0_1": splits the name in the brackets from what follows. */
static bool split_made(const struct gn_span *name, struct gn_span *holder,
		       struct gn_span *rest)
{
	size_t n = name->n && name->at[0] == '<' ? gn_span_pair(name) : 0;

	if (n < 3)
		return false;
	*holder = (struct gn_span){name->at + 1, n - 2};
	*rest = gn_span_from(name, n);
	return rest->n;
}

bool gn_member_held(const struct gn_span *name)
{
	struct gn_span holder, rest;

	return split_made(name, &holder, &rest) &&
	       (gn_span_begins(&rest, "b__") || gn_span_begins(&rest, "g__") ||
		gn_span_begins(&rest, "m__"));
}

/* Returns where the method's own name begins, after an interface. That has dots
 * in a method's name, and dashes in a type's. */
static size_t qualified(const struct gn_span *name)
{
	struct gn_span left = *name;
	size_t part, at = 0;

	while ((part = gn_span_until(&left, ".-")) < left.n) {
		/* the dot of a constructor */
		if (!part)
			break;
		left = gn_span_from(&left, part + 1);
		at = (size_t)(left.at - name->at);
	}
	return at;
}

struct gn_span gn_member_own(struct gn_span name)
{
	struct gn_span holder, rest;

	for (int i = 0; i < HELD_MAX; i++) {
		name = gn_span_from(&name, qualified(&name));
		if (!split_made(&name, &holder, &rest))
			break;
		name = holder;
	}
	return name;
}

static void put_held(struct gn_spell *o, struct gn_span name,
		     const struct gn_span *type, unsigned int depth);

/* Writes a lambda's number within its method, or a local function's name. */
static bool put_made(struct gn_spell *o, const struct gn_span *name,
		     const struct gn_span *type, unsigned int depth)
{
	struct gn_span holder, rest;

	if (!split_made(name, &holder, &rest))
		return false;
	if (gn_span_is(&rest, "$")) {
		put_held(o, holder, type, depth + 1);
	} else if (gn_span_begins(&rest, "b__") ||
		   gn_span_begins(&rest, "m__")) {
		put_held(o, holder, type, depth + 1);
		for (size_t i = rest.n; i-- > 2;)
			if (rest.at[i] == '_') {
				rest = gn_span_from(&rest, i + 1);
				break;
			}
		gn_spell_text(o, ".lambda#");
		gn_spell_put(o, rest.at, rest.n);
	} else if (gn_span_begins(&rest, "g__")) {
		put_held(o, holder, type, depth + 1);
		gn_spell_text(o, ".");
		rest = gn_span_from(&rest, 3);
		gn_spell_put(o, rest.at, gn_span_until(&rest, "|"));
	} else {
		return false;
	}
	return true;
}

/* "IGet<System-Int32>": dashes stand for dots. */
static void put_dashed(struct gn_spell *o, struct gn_span type)
{
	char dotted[512];
	struct gn_span args = {dotted, type.n};
	size_t own;

	if (type.n > sizeof(dotted)) {
		gn_spell_put(o, type.at, type.n);
		return;
	}
	for (size_t i = 0; i < type.n; i++)
		dotted[i] = type.at[i] == '-' ? '.' : type.at[i];
	own = gn_span_until(&args, "<");
	gn_spell_put(o, dotted, own);
	args = gn_span_from(&args, own);
	gn_spell_args(o, &args, 0);
}

/* Writes the interface in a name: "IDisposable." for "System-IDisposable-".
 * Returns the rest. */
static struct gn_span put_interface(struct gn_spell *o, struct gn_span name)
{
	size_t own = qualified(&name);
	struct gn_span type = {name.at, own ? own - 1 : 0};

	if (!own)
		return name;
	if (!o->spaces)
		type = gn_span_from(&type, qualified(&type));
	put_dashed(o, type);
	gn_spell_text(o, ".");
	return gn_span_from(&name, own);
}

static void put_held(struct gn_spell *o, struct gn_span name,
		     const struct gn_span *type, unsigned int depth)
{
	struct gn_member m;

	name = put_interface(o, name);
	m = (struct gn_member){.name = name, .type = *type};
	if (depth < HELD_MAX && put_made(o, &name, type, depth))
		return;
	if (gn_span_is(&name, "Finalize") ||
	    (!put_constructor(o, &m) && !put_accessor(o, &m) &&
	     !put_operator(o, &m)))
		gn_spell_put(o, name.at, name.n);
}

void gn_member_holder(struct gn_spell *o, struct gn_span name,
		      const struct gn_span *type)
{
	put_held(o, name, type, 0);
}

void gn_member_put(struct gn_spell *o, const struct gn_member *m)
{
	if (put_constructor(o, m) || put_operator(o, m) || put_accessor(o, m))
		return;
	if (!put_made(o, &m->name, &m->type, 0))
		gn_spell_put(o, m->name.at, m->name.n);
	gn_spell_args(o, &m->args, 0);
	put_params(o, m);
}
