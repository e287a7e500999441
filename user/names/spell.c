// SPDX-License-Identifier: BSD-2-Clause
#include "names/spell.h"

#include <string.h>

#include "names/made.h"
#include "names/member.h"

#define DEPTH_MAX 12 /* types that nest deeper stay as they are */

void gn_spell_put(struct gn_spell *o, const char *text, size_t n)
{
	if (n >= o->left) {
		o->full = true;
		return;
	}
	/* `text` may be NULL if it is empty */
	if (n)
		memcpy(o->at, text, n);
	o->at += n;
	o->left -= n;
	*o->at = '\0';
}

void gn_spell_text(struct gn_spell *o, const char *text)
{
	gn_spell_put(o, text, strlen(text));
}

bool gn_span_is(const struct gn_span *s, const char *text)
{
	return s->n == strlen(text) && !memcmp(s->at, text, s->n);
}

bool gn_span_begins(const struct gn_span *s, const char *text)
{
	size_t n = strlen(text);

	return s->n >= n && !memcmp(s->at, text, n);
}

struct gn_span gn_span_from(const struct gn_span *s, size_t n)
{
	return (struct gn_span){s->at + n, s->n - n};
}

static int step(char c)
{
	switch (c) {
	case '<':
	case '(':
	case '[':
		return 1;
	case '>':
	case ')':
	case ']':
		return -1;
	default:
		return 0;
	}
}

size_t gn_span_pair(const struct gn_span *s)
{
	int depth = 0;

	for (size_t i = 0; i < s->n; i++) {
		depth += step(s->at[i]);
		if (!depth)
			return i + 1;
	}
	return 0;
}

size_t gn_span_until(const struct gn_span *s, const char *signs)
{
	int depth = 0;

	for (size_t i = 0; i < s->n; i++) {
		if (!depth && strchr(signs, s->at[i]))
			return i;
		depth += step(s->at[i]);
	}
	return s->n;
}

/* Returns the length without suffixes that make pointers and arrays. */
static size_t core_len(const struct gn_span *s)
{
	size_t n = s->n, open;

	while (n) {
		if (s->at[n - 1] == '*') {
			n--;
			continue;
		}
		if (s->at[n - 1] != ']')
			break;
		for (open = n - 1; open && s->at[open] != '[';)
			open--;
		if (s->at[open] != '[')
			break;
		n = open;
	}
	return n;
}

static const char *keyword(const struct gn_span *s)
{
	static const struct {
		const char *type, *word;
	} words[] = {
		{"System.Boolean", "bool"},
		{"System.Char", "char"},
		{"System.SByte", "sbyte"},
		{"System.Byte", "byte"},
		{"System.Int16", "short"},
		{"System.UInt16", "ushort"},
		{"System.Int32", "int"},
		{"System.UInt32", "uint"},
		{"System.Int64", "long"},
		{"System.UInt64", "ulong"},
		{"System.Single", "float"},
		{"System.Double", "double"},
		{"System.String", "string"},
		{"System.Object", "object"},
		{"System.IntPtr", "nint"},
		{"System.UIntPtr", "nuint"},
		{"System.Void", "void"},
		{"System.Decimal", "decimal"},
		/* a placeholder in code that several types share */
		{"System.__Canon", "T"},
	};

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (gn_span_is(s, words[i].type))
			return words[i].word;
	return NULL;
}

void gn_spell_args(struct gn_spell *o, const struct gn_span *args,
		   unsigned int depth)
{
	if (args->n < 2)
		return;
	gn_spell_text(o, "<");
	gn_spell_types(o, (struct gn_span){args->at + 1, args->n - 2}, depth);
	gn_spell_text(o, ">");
}

/* "N.M.Outer" without "N.M.". */
static struct gn_span without_space(struct gn_span s)
{
	size_t dot;

	while ((dot = gn_span_until(&s, ".")) < s.n)
		s = gn_span_from(&s, dot + 1);
	return s;
}

/* Splits a piece of a type into its name and its arguments. */
static struct gn_span piece_name(const struct gn_span *piece,
				 struct gn_span *args)
{
	size_t n = piece->n && piece->at[0] == '<' ? gn_span_pair(piece) : 0;

	while (n < piece->n && piece->at[n] != '<')
		n++;
	*args = gn_span_from(piece, n);
	return (struct gn_span){piece->at, n};
}

/* The name of a type parameter of an anonymous type, which has that of a
 * member: "<Id>j__TPar". */
static bool put_parameter(struct gn_spell *o, const struct gn_span *piece)
{
	static const char mark[] = "j__TPar";
	size_t n = piece->n && piece->at[0] == '<' ? gn_span_pair(piece) : 0;
	struct gn_span rest = gn_span_from(piece, n);

	if (n < 3 || !gn_span_is(&rest, mark))
		return false;
	gn_spell_put(o, piece->at + 1, n - 2);
	return true;
}

/* Writes one of the types that enclose each other, and its arguments. *last is
 * what the constructors of the one that encloses it are called, and then its
 * own. */
static void put_piece(struct gn_spell *o, const struct gn_span *piece,
		      struct gn_span *last, unsigned int depth)
{
	struct gn_span name, args, method;

	if (put_parameter(o, piece))
		return;
	name = piece_name(piece, &args);
	if (last->n && gn_made_machine(name, &method)) {
		gn_member_holder(o, method, last);
		*last = gn_member_own(method);
	} else {
		*last = gn_made_put(o, name);
	}
	gn_spell_args(o, &args, depth + 1);
}

/* Whether a closure is left out, because the state machine in it names the
 * method. */
static bool left_out(const struct gn_span *piece, struct gn_span rest)
{
	struct gn_span name, args, unused;

	name = piece_name(piece, &args);
	if (!gn_made_closure(name, &unused))
		return false;
	rest.n = gn_span_until(&rest, "+");
	return gn_made_machine(piece_name(&rest, &args), &unused);
}

/* Writes types that C# has special syntax for: int? and (int, string). */
static bool put_special(struct gn_spell *o, const struct gn_span *s,
			unsigned int depth)
{
	static const char nullable[] = "System.Nullable<";
	static const char tuple[] = "System.ValueTuple<";
	bool has = gn_span_begins(s, nullable), pairs;
	size_t from = has ? sizeof(nullable) - 1 : sizeof(tuple) - 1;
	struct gn_span args, all;

	if (!has && !gn_span_begins(s, tuple))
		return false;
	all = gn_span_from(s, from - 1);
	if (gn_span_pair(&all) != all.n)
		return false;
	args = (struct gn_span){all.at + 1, all.n - 2};
	pairs = gn_span_until(&args, ",") < args.n;
	if (has == pairs)
		return false;
	if (pairs)
		gn_spell_text(o, "(");
	gn_spell_types(o, args, depth + 1);
	gn_spell_text(o, pairs ? ")" : "?");
	return true;
}

static void put_core(struct gn_spell *o, struct gn_span s, unsigned int depth)
{
	const char *word = keyword(&s);
	struct gn_span last = {0};

	if (word || put_special(o, &s, depth)) {
		if (word)
			gn_spell_text(o, word);
		return;
	}
	for (bool first = true; s.n; first = false) {
		struct gn_span piece = {s.at, gn_span_until(&s, "+")};

		s = gn_span_from(&s, piece.n + (piece.n < s.n));
		if (first)
			piece = without_space(piece);
		else if (left_out(&piece, s))
			continue;
		else
			gn_spell_text(o, ".");
		put_piece(o, &piece, &last, depth);
	}
}

void gn_spell_type(struct gn_spell *o, struct gn_span s, unsigned int depth)
{
	size_t core;

	if (o->spaces || depth > DEPTH_MAX) {
		gn_spell_put(o, s.at, s.n);
		return;
	}
	if (s.n && s.at[s.n - 1] == '&') {
		gn_spell_text(o, "ref ");
		s.n--;
	}
	core = core_len(&s);
	put_core(o, (struct gn_span){s.at, core}, depth);
	gn_spell_put(o, s.at + core, s.n - core);
}

void gn_spell_types(struct gn_spell *o, struct gn_span types,
		    unsigned int depth)
{
	while (types.n) {
		struct gn_span type = {types.at, gn_span_until(&types, ",")};
		bool more = type.n < types.n;

		gn_spell_type(o, type, depth);
		if (more)
			gn_spell_text(o, o->spaces ? "," : ", ");
		types = gn_span_from(&types, type.n + more);
	}
}
