// SPDX-License-Identifier: BSD-2-Clause
#include "names/clr_name.h"

#include <string.h>

#include "names/made.h"
#include "names/member.h"
#include "names/spell.h"

#define PARTS_MAX 64

/* The text between two dots or pluses. */
struct part {
	struct gn_span name, args; /* args: including their brackets */
	bool nested;		   /* it follows a plus */
};

struct parts {
	struct part of[PARTS_MAX];
	size_t n;
	/* indexes of parts: the first type, and the part after the last type */
	size_t first, end;
	bool has_params;
	struct gn_span params, result;
};

static bool digit(char c)
{
	return c >= '0' && c <= '9';
}

/* Splits "(int,string)", and the result type that a conversion has after
 * "~". */
static bool split_params(struct parts *p, struct gn_span rest)
{
	size_t n;

	if (!rest.n)
		return true;
	n = gn_span_pair(&rest);
	if (rest.at[0] != '(' || n < 2)
		return false;
	p->has_params = true;
	p->params = (struct gn_span){rest.at + 1, n - 2};
	p->result = gn_span_from(&rest, n);
	if (!p->result.n)
		return true;
	if (p->result.at[0] != '~')
		return false;
	p->result = gn_span_from(&p->result, 1);
	return true;
}

/* Returns the length of the name at the start of `rest`. A compiler may have
 * put it in brackets; names of constructors begin with a dot. 0: none. */
static size_t name_len(struct gn_span rest)
{
	size_t n = 0;

	if (rest.n && rest.at[0] == '.')
		n = 1;
	else if (rest.n && rest.at[0] == '<' && !(n = gn_span_pair(&rest)))
		return 0;
	while (n < rest.n && !strchr(".+<(", rest.at[n]))
		n++;
	return n == 1 && rest.at[0] == '.' ? 0 : n;
}

/* Sets all of `p` but unused parts, as there are many. */
static bool split(struct parts *p, const char *name)
{
	struct gn_span rest = {name, strlen(name)};
	bool nested = false;

	p->n = p->first = p->end = 0;
	p->has_params = false;
	p->params = p->result = (struct gn_span){0};
	for (;;) {
		struct part *part = &p->of[p->n];
		size_t n = name_len(rest);

		if (!n || p->n == PARTS_MAX)
			return false;
		*part = (struct part){.nested = nested};
		part->name = (struct gn_span){rest.at, n};
		rest = gn_span_from(&rest, n);
		if (rest.n && rest.at[0] == '<') {
			n = gn_span_pair(&rest);
			if (!n)
				return false;
			part->args = (struct gn_span){rest.at, n};
			rest = gn_span_from(&rest, n);
		}
		p->n++;
		/* types have no parameter list */
		if (!rest.n || (rest.at[0] != '.' && rest.at[0] != '+'))
			return !nested && split_params(p, rest);
		nested = rest.at[0] == '+';
		rest = gn_span_from(&rest, 1);
	}
}

/*
 * A method that implements an interface's explicitly has the interface and its
 * name spaces in its name, so nothing in the text says where the type ends. But
 * name spaces have no arguments, and few have, in their middle, a part called
 * System or like the one that begins the text.
 */
static size_t end_of_plain(const struct parts *p)
{
	const struct gn_span *root = &p->of[0].name;

	for (size_t i = 0; i + 2 < p->n; i++) {
		const struct part *next = &p->of[i + 1];

		if (p->of[i].args.n)
			return i + 1;
		if (i + 3 < p->n && !next->args.n &&
		    (gn_span_is(&next->name, "System") ||
		     (next->name.n == root->n &&
		      !memcmp(next->name.at, root->at, root->n))))
			return i + 1;
	}
	return p->n - 1;
}

static void find_type(struct parts *p)
{
	p->end = 0;
	for (size_t i = 1; i < p->n; i++) {
		if (!p->of[i].nested)
			continue;
		if (!p->end)
			p->first = i - 1;
		p->end = i + 1;
	}
	if (p->end || p->n < 2)
		return;
	p->end = end_of_plain(p);
	p->first = p->end - 1;
}

/* Visual Basic: "_Closure$__" and "_Closure$__5-0" contain "_Lambda$__5-1" and
 * "_Lambda$__1", both of the method with number 5. */
static const char basic_closure[] = "_Closure$__";
static const char basic_lambda[] = "_Lambda$__";

static const char mono_lambda[] = "<>m__";

/* Mono's compiler: 4 of "<Main>c__AnonStorey4", which contains "<>m__0". */
static struct gn_span storey_number(const struct part *part)
{
	static const char mark[] = "c__AnonStorey";
	struct gn_span rest = part->name;
	size_t n = rest.at[0] == '<' ? gn_span_pair(&rest) : 0;

	rest = gn_span_from(&rest, n);
	if (n < 3 || !part->nested || !gn_span_begins(&rest, mark))
		return (struct gn_span){0};
	return gn_span_from(&rest, sizeof(mark) - 1);
}

/* Types that contain lambdas. */
static bool is_closure(const struct part *part)
{
	struct gn_span unused;

	return (part->nested && gn_made_closure(part->name, &unused)) ||
	       storey_number(part).n;
}

/* F#: what a function, or a bound value's code, became: "main@50-2". Returns
 * the length up to "@"; 0: it is no such name. */
static size_t fsharp_len(const struct part *part)
{
	const struct gn_span *name = &part->name;
	size_t n = name->n;

	while (n && (digit(name->at[n - 1]) || name->at[n - 1] == '-'))
		n--;
	return part->nested && n > 1 && n < name->n && name->at[n - 1] == '@' &&
			       digit(name->at[n])
		       ? n - 1
		       : 0;
}

static bool machine_of(const struct part *part, struct gn_span *method)
{
	return part->nested && gn_made_machine(part->name, method);
}

struct spelling {
	struct gn_spell o;
	const struct parts *p;
	const struct part *method;
	/* name of the last type, as in its constructors */
	struct gn_span last;
	struct gn_span args; /* of a closure: its method's arguments */
	struct gn_span held; /* of a closure: its method's, or its number */
	bool machine;	     /* the last type is one, and was written */
};

static bool any_method(const struct spelling *s)
{
	return gn_span_is(&s->method->name, "*");
}

/* Whether a type is left out, because its method names what it contains. */
static bool left_out(const struct spelling *s, size_t i)
{
	const struct parts *p = s->p;
	struct gn_span unused;

	if (!is_closure(&p->of[i]))
		return false;
	if (i + 1 < p->end)
		return machine_of(&p->of[i + 1], &unused);
	return any_method(s) || gn_member_held(&s->method->name) ||
	       gn_span_begins(&s->method->name, basic_lambda);
}

/* "lambda#5-1": the method's number, and the lambda's number in it. */
static bool put_lambda(struct spelling *s, struct gn_span name)
{
	bool basic = gn_span_begins(&name, basic_lambda);

	if (!basic && (!s->held.n || !gn_span_begins(&name, mono_lambda)))
		return false;
	name = gn_span_from(
		&name,
		(basic ? sizeof(basic_lambda) : sizeof(mono_lambda)) - 1);
	gn_spell_text(&s->o, "lambda#");
	if (s->held.n && !memchr(name.at, '-', name.n)) {
		gn_spell_put(&s->o, s->held.at, s->held.n);
		gn_spell_text(&s->o, "-");
	}
	gn_spell_put(&s->o, name.at, name.n);
	return true;
}

/* F# runs a task or sequence expression by MoveNext or GenerateNext. */
static bool fsharp_moves(const struct gn_span *method)
{
	return gn_span_is(method, "MoveNext") ||
	       gn_span_is(method, "GenerateNext");
}

static bool is_fsharp(const struct spelling *s, size_t i)
{
	return i + 1 == s->p->end && fsharp_len(&s->p->of[i]);
}

static void put_name(struct spelling *s, size_t i)
{
	const struct part *part = &s->p->of[i];
	struct gn_span name = part->name;

	if (is_fsharp(s, i) &&
	    (any_method(s) || fsharp_moves(&s->method->name)))
		name.n = fsharp_len(part);
	s->last = gn_made_put(&s->o, name);
}

/* "_Closure$__5-0": 5. */
static struct gn_span number_of(const struct part *closure)
{
	struct gn_span rest = closure->name;

	if (!gn_span_begins(&rest, basic_closure))
		return (struct gn_span){0};
	rest = gn_span_from(&rest, sizeof(basic_closure) - 1);
	rest.n = gn_span_until(&rest, "-");
	return rest;
}

static void put_type(struct spelling *s, size_t i)
{
	const struct part *part = &s->p->of[i], *next = part + 1;
	struct gn_span method;

	if (left_out(s, i)) {
		/* arguments of a plain "<>c" are its outer type's, which writes
		 * them */
		if (part->name.n > 3)
			s->args = part->args;
		s->held = number_of(part);
		return;
	}
	if (i > s->p->first)
		gn_spell_text(&s->o, ".");
	s->machine = machine_of(part, &method);
	if (s->machine) {
		struct gn_span type = s->last;

		if (!put_lambda(s, method))
			gn_member_holder(&s->o, method, &type);
		s->last = gn_member_own(method);
	} else {
		put_name(s, i);
	}
	if (storey_number(part).n)
		s->held = storey_number(part);
	/* for a glob of all methods: names have only this much in common */
	if (is_fsharp(s, i) && any_method(s))
		return;
	if (!part->args.n && i + 1 < s->p->end && is_closure(next) &&
	    next->name.n == 3)
		gn_spell_args(&s->o, &next->args, 0);
	gn_spell_args(&s->o, part->args.n ? &part->args : &s->args, 0);
	s->args = (struct gn_span){0};
}

/* Writes the interface whose method is implemented explicitly. */
static void put_interface(struct spelling *s)
{
	const struct parts *p = s->p;
	size_t i = s->o.spaces ? p->end : p->n - 2;

	for (; i + 1 < p->n; i++) {
		gn_spell_text(&s->o, ".");
		gn_spell_put(&s->o, p->of[i].name.at, p->of[i].name.n);
		gn_spell_args(&s->o, &p->of[i].args, 0);
	}
}

/* Whether the type's name already says all but the parameters. */
static bool put_fsharp(struct spelling *s, const struct gn_member *m)
{
	const struct parts *p = s->p;
	struct gn_member invoke = *m;

	if (!p->end || p->n != p->end + 1 || !is_fsharp(s, p->end - 1))
		return false;
	if (any_method(s))
		gn_spell_text(&s->o, "*");
	else if (gn_span_is(&m->name, "Invoke")) {
		invoke.name.n = 0;
		gn_member_put(&s->o, &invoke);
	} else if (!fsharp_moves(&m->name)) {
		return false;
	}
	return true;
}

static void put_method(struct spelling *s)
{
	const struct parts *p = s->p;
	struct gn_member member = {
		.name = s->method->name,
		.args = s->method->args.n ? s->method->args : s->args,
		.params = p->params,
		.result = p->result,
		.type = s->last,
		.has_params = p->has_params,
	};

	if (put_fsharp(s, &member))
		return;
	if (s->machine && any_method(s)) {
		gn_spell_text(&s->o, "*");
		return;
	}
	if (s->machine && p->n == p->end + 1 &&
	    gn_span_is(&member.name, "MoveNext") &&
	    (!p->params.n || gn_span_is(&p->params, "*")))
		return;
	if (p->n > p->end + 1 && p->end)
		put_interface(s);
	if (p->end)
		gn_spell_text(&s->o, ".");
	/* a state machine is not named; its constructor is its method's */
	if (put_lambda(s, member.name)) {
		member.name.n = 0;
	} else if (s->machine && gn_span_is(&member.name, ".ctor")) {
		gn_spell_text(&s->o, "new");
		member.name.n = 0;
	}
	gn_member_put(&s->o, &member);
}

/* A part of a type's name that may show where the type ends (end_of_plain). */
static bool is_mark(const char *name, size_t from, size_t n)
{
	size_t root = strcspn(name, ".");

	return from &&
	       ((n == root && !memcmp(name + from, name, n)) ||
		(n == strlen("System") && !memcmp(name + from, "System", n)));
}

/*
 * Returns where the type begins in "Some.Space.Type+Nested.*" whose parts are
 * words of letters and digits, with nothing to spell differently: filters ask
 * for each type of a program like that. PLAIN_NOT: it is not such a name.
 */
#define PLAIN_NOT ((size_t)-1)
#define PLAIN_MAX 120 /* short enough for PARTS_MAX parts */

static size_t plain_type(const char *name, size_t *len)
{
	size_t type = 0, word = 0, n = 0;
	bool nested = false;

	for (; n < PLAIN_MAX; n++) {
		char c = name[n];

		if (digit(c) || (c >= 'a' && c <= 'z') ||
		    (c >= 'A' && c <= 'Z') || c == '_')
			continue;
		if ((c != '.' && c != '+') || n == word ||
		    is_mark(name, word, n - word))
			return PLAIN_NOT;
		word = n + 1;
		if (c == '.' && !strcmp(name + word, "*")) {
			*len = n;
			return type;
		}
		if (c == '.' && nested)
			return PLAIN_NOT;
		nested |= c == '+';
		if (c == '.')
			type = word;
	}
	return PLAIN_NOT;
}

static bool spell_plain(const char *name, size_t len, char *text, size_t size)
{
	if (size < len + sizeof(".*"))
		return false;
	for (size_t i = 0; i < len; i++)
		text[i] = name[i] == '+' ? '.' : name[i];
	memcpy(text + len, ".*", sizeof(".*"));
	return true;
}

static bool spell(const char *name, enum gn_clr_form form, char *text,
		  size_t size)
{
	struct parts p;
	struct spelling s = {
		.o = {text, size, false, form == GN_CLR_LONG},
		.p = &p,
	};

	if (!size || !split(&p, name))
		return false;
	*text = '\0';
	find_type(&p);
	s.method = &p.of[p.n - 1];
	for (size_t i = 0; s.o.spaces && i < p.first; i++) {
		gn_spell_put(&s.o, p.of[i].name.at, p.of[i].name.n);
		gn_spell_text(&s.o, ".");
	}
	for (size_t i = p.first; i < p.end; i++)
		put_type(&s, i);
	put_method(&s);
	return !s.o.full && *text;
}

bool gn_clr_spell(const char *name, enum gn_clr_form form, char *text,
		  size_t size)
{
	size_t len, type = plain_type(name, &len);

	if (type == PLAIN_NOT)
		return spell(name, form, text, size);
	if (form == GN_CLR_LONG)
		type = 0;
	return spell_plain(name + type, len - type, text, size);
}

bool gn_clr_spell_type(const char *name, char *text, size_t size)
{
	struct gn_spell o = {text, size, false, false};

	if (!size)
		return false;
	*text = '\0';
	gn_spell_type(&o, (struct gn_span){name, strlen(name)}, 0);
	return !o.full && *text;
}

/* Whether the bracket at `at` begins the parameters, and is not part of the
 * name, as in F#'s ``adds (two) numbers``. *end: index behind the pair; `at` if
 * it is not paired. */
static bool is_parameters(const struct gn_span *name, size_t at, size_t *end)
{
	struct gn_span rest = gn_span_from(name, at);

	*end = at + gn_span_pair(&rest);
	return *end == name->n || name->at[*end] == '~';
}

size_t gn_clr_plain(const char *name)
{
	struct gn_span s = {name, strlen(name)}, rest;
	size_t first = gn_span_until(&s, "("), at = first, end;

	/* brackets are not paired, as in operator < */
	if (first == s.n)
		return strcspn(name, "(");
	while (at < s.n && !is_parameters(&s, at, &end) && end > at) {
		rest = gn_span_from(&s, end);
		at = end + gn_span_until(&rest, "(");
	}
	return at < s.n ? at : first;
}
