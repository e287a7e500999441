/* SPDX-License-Identifier: BSD-2-Clause */
/* Parts of sentences. */
#include "explain/rules.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "output/classes.h"
#include "output/header.h"
#include "output/short_name.h"
#include "output/text.h"

/* The width of a name in a sentence, in cells. */
#define NAME_CELLS 44
/* The most classes that a sentence names. */
#define CLASSES_NAMED 4

void gn_put_ns(FILE *f, uint64_t ns)
{
	char text[GN_CELL];

	gn_format_duration(text, ns, false);
	fputs(text, f);
}

void gn_put_pct(FILE *f, uint64_t part, uint64_t whole)
{
	char text[GN_CELL];

	gn_format_pct(text, part, whole);
	fprintf(f, "%s %%", text);
}

void gn_put_count(FILE *f, uint64_t n, const char *one, const char *many)
{
	char text[GN_CELL];

	gn_format_count(text, n);
	fprintf(f, "%s %s", text, gn_word(n, one, many));
}

static void put_name(FILE *f, const char *name)
{
	char *brief = gn_short_name(name, NAME_CELLS);

	fputs(brief ? brief : name, f);
	free(brief);
}

void gn_put_named(FILE *f, const struct gn_model_named *named)
{
	put_name(f, named->shown ? named->shown : named->name);
}

void gn_put_function(FILE *f, const struct gn_model *m, int32_t function)
{
	if (function < 0) {
		fputs(m->nfunctions ? "code outside of the traced functions"
				    : "code that was not traced",
		      f);
		return;
	}
	put_name(f, gn_function_shown(&m->functions[function]));
}

void gn_put_classes(FILE *f, const uint64_t classes[GN_CLASS_COUNT],
		    uint64_t whole)
{
	int top[CLASSES_NAMED];
	int n = gn_top_classes(classes, top, CLASSES_NAMED);

	for (int i = 0; i < n; i++) {
		if (i && classes[top[i]] < whole / 100)
			break;
		fprintf(f, "%s%s ", i ? ", " : "", gn_class_text(top[i]));
		gn_put_pct(f, classes[top[i]], whole);
	}
}

void gn_put_glob(FILE *f, const struct gn_model_function *function)
{
	size_t len = strcspn(function->name, "(");
	bool native = function->runtime == GN_RUNTIME_NATIVE;

	/* all of a name's overloads; managed ones need no parameters */
	fputs("'!", f);
	for (size_t i = 0; i < len; i++)
		fputc(strchr("*?[]\\'", function->name[i]) ? '?'
							   : function->name[i],
		      f);
	fputs(native && function->name[len] ? "(*'" : "'", f);
}

void gn_put_calls(FILE *out, const struct gn_model_function *fn, bool lossy)
{
	if (lossy || gn_calls_missing(&fn->v))
		fputs("at least ", out);
	gn_put_count(out, fn->v.calls, "call", "calls");
}

int gn_top_classes(const uint64_t classes[GN_CLASS_COUNT], int *out, int n)
{
	bool taken[GN_CLASS_COUNT] = {false};
	int found = 0;

	while (found < n) {
		int best = -1;

		for (int c = 0; c < GN_CLASS_COUNT; c++)
			if (!taken[c] && classes[c] &&
			    (best < 0 || classes[c] > classes[best]))
				best = c;
		if (best < 0)
			break;
		taken[best] = true;
		out[found++] = best;
	}
	return found;
}
