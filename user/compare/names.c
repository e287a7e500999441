/* SPDX-License-Identifier: BSD-2-Clause */
#include "compare/names.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include <gnomon/path.h>

/*
 * Texts before a number that a compiler assigns. C#: the Roslyn compiler's
 * GeneratedNames ("<Main>b__0_1", "<>c__DisplayClass3_0", "<Main>g__Local|0_0",
 * "<Main>d__5"); Visual Basic's ("_Lambda$__5-0"); gnomon's own for these. C++:
 * Itanium's "{lambda(int)#2}". Java: javac's "lambda$f$0", HotSpot's
 * "$$Lambda$14". GCC's suffixes of copies.
 */
static const char *const before[] = {
	">b__",	      ".lambda#",   ".closure#",   "DisplayClass",     ">d__",
	">g__",	      "_Lambda$__", "_Closure$__", "VB$StateMachine_", ")#",
	"$$Lambda$",  "$anonfun$",  ".isra.",	   ".constprop.",      ".part.",
	".lto_priv.", ".cold.",	    ".llvm.",	   ".localalias.",
};

static size_t ends_with_any(const char *text, size_t at)
{
	for (size_t i = 0; i < sizeof(before) / sizeof(before[0]); i++) {
		size_t len = strlen(before[i]);

		if (at >= len && !memcmp(text + at - len, before[i], len))
			return len;
	}
	return 0;
}

/* "<Main>g__Local|0_0": the number is after the bar. */
static bool local_function(const char *name, size_t at)
{
	return at && name[at - 1] == '|' && memmem(name, at, ">g__", 4);
}

/* "lambda$main$0" */
static bool java_lambda(const char *name, size_t at)
{
	return at && name[at - 1] == '$' && memmem(name, at, "lambda$", 7);
}

/* "::h" and 16 hexadecimal digits at the end. */
static bool rust_hash(const char *name, size_t at)
{
	return at >= 3 && !memcmp(name + at - 3, "::h", 3) &&
	       strspn(name + at, "0123456789abcdef") == 16 && !name[at + 16];
}

/* HotSpot names hidden classes by their address: in its probes as
 * "$$Lambda$14+0x0000000800c03000.apply()", in Java's own names with a
 * slash. */
static bool hidden_class(const char *name, size_t at)
{
	return at >= 3 &&
	       (!memcmp(name + at - 3, "+0x", 3) ||
		!memcmp(name + at - 3, "/0x", 3)) &&
	       strspn(name + at, "0123456789abcdef") == 16 &&
	       name[at + 16] == '.';
}

/* PHP names closures and anonymous classes by the line where they are written:
 * "{closure:app.php:12}", "class@anonymous:app.php:12::run". */
static bool written_line(const char *name, size_t at)
{
	size_t len = strspn(name + at, "0123456789");

	return at && name[at - 1] == ':' &&
	       ((name[at + len] == '}' && memmem(name, at, "{closure:", 9)) ||
		(!strncmp(name + at + len, "::", 2) &&
		 memmem(name, at, "@anonymous:", 11)));
}

/* F# names closures by the line where they are written, and numbers those of a
 * line: "P.main@50-2(int)". Returns the length of this. */
static size_t fsharp_line(const char *name, size_t at)
{
	size_t len = strspn(name + at, "0123456789");

	if (!at || name[at - 1] != '@' || !len)
		return 0;
	if (name[at + len] == '-')
		len += 1 + strspn(name + at + len + 1, "0123456789");
	return strchr(".(<", name[at + len]) ? len : 0;
}

/* The length of the assigned number at `at`; 0: none. */
static size_t ordinal(const char *name, size_t at)
{
	if (hidden_class(name, at) || rust_hash(name, at))
		return 16;
	if (fsharp_line(name, at))
		return fsharp_line(name, at);
	if (!ends_with_any(name, at) && !local_function(name, at) &&
	    !java_lambda(name, at) && !written_line(name, at))
		return 0;
	return isdigit((unsigned char)name[at])
		       ? strspn(name + at, "0123456789_-")
		       : 0;
}

char *gn_lasting_function(const char *name)
{
	char *text = strdup(name), *to = text;

	if (!text)
		return NULL;
	for (size_t at = 0; name[at];) {
		size_t len = ordinal(name, at);

		*to++ = len ? '*' : name[at];
		at += len ? len : 1;
	}
	*to = '\0';
	return text;
}

char *gn_lasting_thread(const char *name)
{
	char *text = strdup(name), *to = text;

	if (!text)
		return NULL;
	for (size_t at = 0; name[at];) {
		size_t len = strspn(name + at, "0123456789");
		bool alone = at && !isalpha((unsigned char)name[at - 1]);

		if (len && (alone || !name[at + len])) {
			*to++ = '*';
			at += len;
			continue;
		}
		do
			*to++ = name[at++];
		while (len-- > 1);
	}
	*to = '\0';
	return text;
}

char *gn_lasting_module(const char *path)
{
	const char *name = gn_base_name(path);
	char *text = strdup(name), *to = text;

	if (!text)
		return NULL;
	for (size_t at = 0; name[at];) {
		size_t len = strspn(name + at, "0123456789.");

		/* a version begins after a dash or a dot: libz.so.1.2.13 */
		if (at && len && (name[at] == '.' || name[at - 1] == '-') &&
		    strpbrk(name + at, "0123456789") &&
		    strpbrk(name + at, "0123456789") < name + at + len) {
			*to++ = name[at] == '.' ? '.' : '*';
			if (name[at] == '.')
				*to++ = '*';
			at += len;
			if (name[at - 1] == '.')
				*to++ = '.';
			continue;
		}
		*to++ = name[at++];
	}
	*to = '\0';
	return text;
}
