/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The globs of -f against names from hostile programs: the filter of native
 * functions, and the filter in the CLR's hook-site library. An input is lines:
 * the name, the module, then the globs.
 */
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

#include "fuzz.h"
#include "hooksite/clr/filter.h"
#include "runtime/filter.h"

#define GLOBS_MAX 16
#define TEXT_MAX  4096 /* of an input, in bytes */

/* Whether glob and text have only characters that mean the same to both kinds
 * of globs. */
static bool is_simple(const char *glob, const char *text)
{
	static const char chars[] = "abcdefghijklmnopqrstuvwxyz.:()";

	return strspn(text, chars) == strlen(text) &&
	       glob[strspn(glob, "abcdefghijklmnopqrstuvwxyz.:()?*")] == '\0';
}

static void check_glob(const char *glob, const char *text)
{
	bool ours = gn_glob(glob, strlen(glob), text, strlen(text));

	/* fnmatch() takes exponential time for many stars */
	if (is_simple(glob, text) && strlen(glob) < 12 && strlen(text) < 64)
		must(ours == !fnmatch(glob, text, 0),
		     "both globs say the same");
}

static void check_native(const char *const *globs, size_t n, const char *name,
			 const char *module)
{
	struct gn_filter *f = gn_filter_new(globs, n);
	const char *unmatched;
	bool past = false, some = false;

	must(f, "there is memory");
	for (int i = 0; i < 4; i++) {
		bool program = i & 1;
		const char *symbol = i & 2 ? "_Z" : name;
		bool takes =
			gn_filter_function(f, module, program, symbol, name);

		must(!takes || gn_filter_file(f, module, program),
		     "a function is taken of a file that is asked for");
		must(!takes || gn_filter_positive(f),
		     "what is taken was asked for");
	}
	for (size_t i = 0; !past; i++)
		some |= gn_filter_library(f, i, &past) != NULL;
	unmatched = gn_filter_unmatched(f);
	must(!unmatched || *unmatched != '!', "what is asked for can miss");
	must(n || !some, "no glob, no library");
	gn_filter_free(f);
}

void gn_fuzz(const uint8_t *bytes, size_t size)
{
	struct gn_fuzz_in in = {bytes, size < TEXT_MAX ? size : TEXT_MAX};
	char *name = gn_fuzz_take_text(&in, '\n', NULL);
	char *module = gn_fuzz_take_text(&in, '\n', NULL);
	struct gn_fuzz_in lines = in;
	char *all = gn_fuzz_take_text(&lines, '\0', NULL);
	const char *globs[GLOBS_MAX];
	size_t n = 0;

	gn_filter_hooks(all, name, module);
	if (gn_filter_hooks_nothing(all))
		must(!gn_filter_hooks(all, name, module), "nothing is nothing");
	while (in.left && n < GLOBS_MAX) {
		globs[n] = gn_fuzz_take_text(&in, '\n', NULL);
		check_glob(globs[n++], name);
	}
	check_native(globs, n, name, module);
	while (n)
		free((char *)(uintptr_t)globs[--n]);
	free(all);
	free(module);
	free(name);
}
