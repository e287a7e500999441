// SPDX-License-Identifier: BSD-2-Clause
#include "names/native_name.h"

#include <string.h>

#define OPERATOR  "operator"
#define ANONYMOUS "(anonymous namespace)::"
#define DEDUCED	  "decltype(auto) " /* a result type with brackets */

struct own {
	char *to;
	size_t size, n;
	bool full;
};

/* Suffixes of a whole C function: a copy that the compiler specialized, or a
 * local function that link-time optimization renamed. */
static bool is_whole(const char *suffix)
{
	static const char *const words[] = {"isra",   "constprop", "lto_priv",
					    "llvm",   "actor",	   "destroy",
					    "resume", "cleanup"};

	while (*suffix++ == '.') {
		size_t len = strcspn(suffix, "."), i = 0;
		size_t n = sizeof(words) / sizeof(words[0]);

		while (i < n && (strlen(words[i]) != len ||
				 strncmp(suffix, words[i], len) != 0))
			i++;
		if (i == n && (!len || strspn(suffix, "0123456789") != len))
			return false;
		suffix += len;
		if (!*suffix)
			return true;
	}
	return false;
}

static void put(struct own *o, const char *from, size_t n)
{
	if (n >= o->size - o->n) {
		o->full = true;
		return;
	}
	memcpy(o->to + o->n, from, n);
	o->n += n;
	o->to[o->n] = '\0';
}

/* Returns the end of the pair that this bracket opens; NULL: it is not
 * closed. */
static const char *past(const char *bracket)
{
	int depth = 0;

	for (const char *c = bracket; *c; c++) {
		depth += strchr("(<[{", *c) != NULL;
		depth -= strchr(")>]}", *c) != NULL;
		if (!depth)
			return c + 1;
	}
	return NULL;
}

static bool is_operator(const struct own *o, const char *c)
{
	static const char after[] = " ()<>=!+-*/%^&|~[,\"";
	size_t len = sizeof(OPERATOR) - 1;

	return (!o->n || o->to[o->n - 1] == ':') &&
	       !strncmp(c, OPERATOR, len) && c[len] && strchr(after, c[len]);
}

/* Returns the length of an operator's sign. Template arguments can follow it,
 * and a sign can begin with '<' itself. */
static size_t sign_length(const char *sign)
{
	size_t n = strspn(sign, "<");

	if (!n)
		return strcspn(sign, "<(");
	n += sign[n] == '=';
	return n + (n == 2 && sign[1] == '=' && sign[2] == '>');
}

/* Writes the operator's name, up to its parameters or template arguments. If a
 * space follows "operator", the name is a word, as in operator new, or a
 * type. */
static const char *put_operator(struct own *o, const char *c)
{
	size_t len = sizeof(OPERATOR) - 1;

	if (!strncmp(c + len, "()", 2))
		len += 2;
	else if (strchr(" \"", c[len]))
		len += strcspn(c + len, "(");
	else
		len += sign_length(c + len);
	put(o, c, len);
	return c + len + !strncmp(c + len, " <", 2);
}

/* Skips parameters: of the function, of an enclosing one, or of a type before
 * the name. `ends`: nothing follows. NULL: the brackets do not pair. */
static const char *skip_parameters(const struct own *o, const char *c,
				   bool *ends)
{
	const char *end = past(c);

	if (!end)
		return NULL;
	if (!strncmp(end, " const::", 8))
		end += sizeof(" const") - 1;
	*ends = o->n && strncmp(end, "::", 2) != 0;
	return end;
}

static const char *next(struct own *o, const char *c, bool *ends)
{
	const char *end;

	if (is_operator(o, c))
		return put_operator(o, c);
	if (!strncmp(c, ANONYMOUS, sizeof(ANONYMOUS) - 1))
		return c + sizeof(ANONYMOUS) - 1;
	switch (*c) {
	case '(':
		return skip_parameters(o, c, ends);
	case '<':
	case '[':
		return past(c);
	case '{':
		end = past(c);
		if (end)
			put(o, c, (size_t)(end - c));
		return end;
	case ' ': /* what came before is the result type */
		o->n = 0;
		return c + 1;
	default:
		put(o, c, 1);
		return c + 1;
	}
}

bool gn_native_name(const char *name, const char *demangled, char *to,
		    size_t size)
{
	struct own o = {.to = to, .size = size};
	const char *c = demangled;
	bool ends = false;

	if (!strcmp(name, demangled)) {
		c = strchr(name, '.');
		if (c && is_whole(c))
			put(&o, name, (size_t)(c - name));
		return o.n && !o.full;
	}
	if (strstr(demangled, "thunk to ") ||
	    strstr(demangled, "[clone .part.") ||
	    strstr(demangled, "[clone .cold"))
		return false;
	if (!strncmp(c, DEDUCED, sizeof(DEDUCED) - 1))
		c += sizeof(DEDUCED) - 1;
	while (c && *c && !ends && !o.full)
		c = next(&o, c, &ends);
	return ends && !o.full;
}
