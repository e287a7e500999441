// SPDX-License-Identifier: BSD-2-Clause
#include "written.h"

#include <stdbool.h>
#include <string.h>

#define DEPTH_MAX  16
#define PARTS_MAX  16
#define SHARED	   "_REF"
#define SHARED_LEN (sizeof(SHARED) - 1)

/* A type and the types that enclose it, outermost first. */
struct part {
	struct {
		const char *at;
		size_t n;
	} name;
	size_t arity;
};

struct written {
	const char *at;
	size_t left;
	unsigned int depth;
};

static void put(struct gn_text *out, const char *text, size_t n)
{
	char piece[64];

	while (n && !out->full) {
		size_t len = n < sizeof(piece) ? n : sizeof(piece) - 1;

		/* no character is cut */
		while (len > 1 && len < n && (text[len] & 0xc0) == 0x80)
			len--;
		memcpy(piece, text, len);
		piece[len] = '\0';
		gn_text_put(out, piece);
		text += len;
		n -= len;
	}
}

static void skip(struct written *w, size_t n)
{
	w->at += n;
	w->left -= n;
}

static bool at(const struct written *w, char c)
{
	return w->left && *w->at == c;
}

/* The length of the pair of brackets at the start; all that is left if it is
 * not closed. */
static size_t pair_len(const struct written *w)
{
	size_t n = 0, open = 0;

	while (n < w->left) {
		char c = w->at[n++];

		open += c == '<';
		if (c == '>' && !--open)
			break;
	}
	return n;
}

/* Takes one part of a name. Compilers put brackets at the start of names. */
static void take_part(struct written *w, struct part *p)
{
	size_t n = 0;

	for (;;) {
		struct written rest = {w->at + n, w->left - n, 0};

		if (!rest.left || strchr("/`,>[&* ", *rest.at))
			break;
		if (*rest.at != '<')
			n++;
		else if (!n || rest.at[-1] == '.')
			n += pair_len(&rest);
		else
			break;
	}
	p->name.at = w->at;
	p->name.n = n;
	p->arity = 0;
	skip(w, n);
	if (!at(w, '`'))
		return;
	skip(w, 1);
	while (w->left && *w->at >= '0' && *w->at <= '9' && p->arity < 1000) {
		p->arity = p->arity * 10 + (size_t)(*w->at - '0');
		skip(w, 1);
	}
}

static bool is(const struct part *p, const char *text)
{
	return strlen(text) == p->name.n &&
	       !memcmp(p->name.at, text, p->name.n);
}

/* Where code is shared, Mono adds to the name of a type parameter what it is
 * shared for. */
static bool is_shared(const struct part *p)
{
	return p->name.n > SHARED_LEN && !memchr(p->name.at, '.', p->name.n) &&
	       !memcmp(p->name.at + p->name.n - SHARED_LEN, SHARED, SHARED_LEN);
}

static void put_name(struct gn_text *out, const struct part *p, bool alone)
{
	static const char *const words[][2] = {
		{"int16", "short"}, {"uint16", "ushort"}, {"single", "float"},
		{"intptr", "nint"}, {"uintptr", "nuint"},
	};

	for (size_t i = 0; alone && i < sizeof(words) / sizeof(*words); i++)
		if (is(p, words[i][0])) {
			gn_text_put(out, words[i][1]);
			return;
		}
	put(out, p->name.at,
	    p->name.n - (alone && is_shared(p) ? SHARED_LEN : 0));
}

static void put_type(struct gn_text *out, struct written *w);

static void skip_space(struct written *w)
{
	while (at(w, ' '))
		skip(w, 1);
}

/* Writes `n` arguments, or all if n is 0. */
static void put_args(struct gn_text *out, struct written *args, size_t n)
{
	const char *before = "<";
	bool any = false;

	for (size_t i = 0; args->left && (!n || i < n); i++) {
		gn_text_put(out, before);
		put_type(out, args);
		before = ",";
		any = true;
		if (at(args, ','))
			skip(args, 1);
		skip_space(args);
	}
	if (any)
		gn_text_put(out, ">");
}

/* What follows the name: arrays, pointers, references; modifiers are left
 * out. */
static void put_suffix(struct gn_text *out, struct written *w)
{
	unsigned int open = 0;
	bool left_out = false;

	while (w->left && (open || !strchr(",>", *w->at))) {
		char c = *w->at;

		if (c == ' ' && !open)
			left_out = true;
		open += c == '[' || c == '(';
		if (!left_out)
			put(out, w->at, 1);
		open -= open && (c == ']' || c == ')');
		if (c == ')' && !open)
			left_out = false;
		skip(w, 1);
	}
}

static void put_type(struct gn_text *out, struct written *w)
{
	struct part part[PARTS_MAX];
	struct written args = {.depth = w->depth + 1};
	size_t n = 0, arity = 0;

	if (args.depth > DEPTH_MAX) {
		gn_text_put(out, "?");
		w->left = 0;
		return;
	}
	do {
		if (n)
			skip(w, 1);
		take_part(w, &part[n]);
		arity += part[n++].arity;
	} while (at(w, '/') && n < PARTS_MAX);
	if (at(w, '<')) {
		size_t len = pair_len(w);

		args.at = w->at + 1;
		args.left = len > 1 ? len - 2 : 0;
		skip(w, len);
	}
	for (size_t i = 0; i < n; i++) {
		bool last = i + 1 == n;

		if (i)
			gn_text_put(out, "+");
		put_name(out, &part[i], n == 1 && !arity);
		if (last)
			put_args(out, &args, 0);
		else if (part[i].arity)
			put_args(out, &args, part[i].arity);
	}
	put_suffix(out, w);
}

void gn_mono_put_types(struct gn_text *out, const char *types, size_t n)
{
	struct written w = {.at = types, .left = n};

	while (w.left && !out->full) {
		put_type(out, &w);
		/* what cannot be read is left out */
		if (w.left && !at(&w, ','))
			skip(&w, 1);
		if (!at(&w, ','))
			continue;
		gn_text_put(out, ",");
		skip(&w, 1);
		skip_space(&w);
	}
}
