/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * run_findings FILE GOLDEN: replays a readable stream. The file's name, up to
 * the first dot, is the only rule that must apply; "none": no rule; "order":
 * several, first the one in the second part of the name. The output, as text
 * and as JSON, is compared with the golden file. GN_UPDATE_GOLDEN=1 in the
 * environment writes that file.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "explain/explain.h"
#include "golden.h"
#include "parse.h"

/* "lock" of "/a/b/lock.stream" and of "/a/b/lock.caller.stream" */
static bool is_named(const char *path, const char *rule)
{
	const char *base = strrchr(path, '/');
	size_t n = strlen(rule);

	base = base ? base + 1 : path;
	return !strncmp(base, rule, n) && base[n] == '.';
}

static bool check_rules(const char *path, const struct gn_findings *f)
{
	bool none = is_named(path, "none");

	if (is_named(path, "order"))
		return f->n > 1 && is_named(strchr(strrchr(path, '/'), '.') + 1,
					    f->finding[0].rule);
	for (size_t i = 0; i < f->n; i++)
		if (none || !is_named(path, f->finding[i].rule))
			printf("%s: rule %s holds\n", path, f->finding[i].rule);
	if (none)
		return f->n == 0;
	if (!f->n)
		printf("%s: no rule holds\n", path);
	return f->n == 1 && is_named(path, f->finding[0].rule);
}

static int write_all(const struct gn_model *m, const struct gn_findings *f,
		     FILE *out)
{
	struct gn_explain_opts opts = {.input = "a b.trace", .utf8 = true};
	int err = gn_findings_print(m, f, &opts, out);

	fputs("== no file, narrow\n", out);
	opts = (struct gn_explain_opts){.prefix = "# ", .width = 60};
	if (!err)
		err = gn_findings_print(m, f, &opts, out);
	fputs("== JSON\n", out);
	if (!err)
		err = gn_findings_json(m, f, opts.input, out);
	return err;
}

static bool check(const char *path, const char *golden,
		  const struct gn_model *m)
{
	struct gn_findings findings;
	char *text = NULL;
	size_t size = 0;
	FILE *out = open_memstream(&text, &size);
	bool ok;
	int err;

	if (!out)
		return false;
	err = gn_explain(m, 0, &findings);
	ok = !err && check_rules(path, &findings);
	if (!err)
		err = write_all(m, &findings, out);
	fclose(out);
	ok &= !err && golden_file(golden, text, size);
	gn_findings_clear(&findings);
	free(text);
	return ok;
}

int main(int argc, char **argv)
{
	struct script s = {0};
	struct gn_model *m;
	bool ok;

	if (argc != 3) {
		fprintf(stderr, "usage: run_findings FILE GOLDEN\n");
		return 2;
	}
	if (script_load(argv[1], &s))
		return 2;
	m = stream_model(&s.stream, GN_CLASSIFY_EXACT);
	ok = check(argv[1], argv[2], m);
	gn_model_free(m);
	script_free(&s);
	return ok ? 0 : 1;
}
