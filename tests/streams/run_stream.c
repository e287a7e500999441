// SPDX-License-Identifier: BSD-2-Clause
/*
 * run_stream FILE GOLDEN: replays a readable stream with both classifications
 * and without subtracting the cost of probes, checks the truths in the file,
 * and compares the whole model with the golden one. GN_UPDATE_GOLDEN=1 in the
 * environment writes the golden file.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "dump.h"
#include "golden.h"
#include "parse.h"

/* Checks what holds for each model, whatever was lost. */
static bool closes(const struct gn_model *m)
{
	if (!m->checks.account_error_ns)
		return true;
	printf("the account does not close by %" PRIu64 " ns\n",
	       m->checks.account_error_ns);
	return false;
}

static bool has_costs(const struct gn_model *m)
{
	for (int c = 0; c < GN_PROBE_CLASS_COUNT; c++)
		if (m->costs[c].samples)
			return true;
	return false;
}

static bool check(const struct script *s, int how, FILE *dump)
{
	static const char *const titles[] = {"exact", "interval", "raw"};
	struct gn_model *m = how == EXPECT_RAW ? stream_raw_model(&s->stream)
					       : stream_model(&s->stream, how);
	bool ok = closes(m);
	size_t i;

	for (i = 0; i < s->nexpects; i++)
		ok &= expect_holds(&s->expects[i], m, how, stdout);
	/* if nothing was subtracted, it equals the first one */
	if (how != EXPECT_RAW || has_costs(m)) {
		fprintf(dump, "== %s\n", titles[how]);
		dump_model(m, dump);
	}
	gn_model_free(m);
	return ok;
}

int main(int argc, char **argv)
{
	struct script s;
	char *text = NULL;
	size_t size = 0;
	FILE *dump;
	bool ok;

	if (argc != 3) {
		fprintf(stderr, "usage: run_stream FILE GOLDEN\n");
		return 2;
	}
	if (script_load(argv[1], &s))
		return 2;
	dump = open_memstream(&text, &size);
	if (!dump)
		return 2;
	ok = s.nexpects > 0;
	if (!ok)
		printf("%s asserts nothing\n", argv[1]);
	ok &= check(&s, GN_CLASSIFY_EXACT, dump);
	ok &= check(&s, GN_CLASSIFY_INTERVAL, dump);
	ok &= check(&s, EXPECT_RAW, dump);
	fclose(dump);
	ok &= golden_file(argv[2], text, size);
	free(text);
	script_free(&s);
	return ok ? 0 : 1;
}
