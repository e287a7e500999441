/* SPDX-License-Identifier: BSD-2-Clause */
/* gnomon check: captures against a budget, and against a base. */
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/cmd.h"
#include "cmd/outfile.h"
#include "cmd/sets.h"
#include "compare/judge.h"

/* A larger file cannot be a budget. */
#define BUDGET_MAX (1u << 20)

struct check_args {
	struct gn_args args; /* must be first: option tables hold offsets */
	struct gn_list base, inputs;
	const char *budget, *junit;
	bool github, markdown;
};

static const struct gn_option options[] = {
	{0, "budget", GN_OPTION_TEXT, offsetof(struct check_args, budget),
	 "FILE", "the limits: see ci.md in share/doc/gnomon", NULL},
	{'i', "input", GN_OPTION_LIST, offsetof(struct check_args, inputs),
	 "FILE", "a capture, or NAME of record -r: the whole set", NULL},
	{'b', "base", GN_OPTION_LIST, offsetof(struct check_args, base), "FILE",
	 "the same for the base, for limits with a plus", NULL},
	GN_OPT_OUTPUT("write the result there, not to stdout"),
	{0, "junit", GN_OPTION_TEXT, offsetof(struct check_args, junit), "FILE",
	 "write JUnit XML there, too", NULL},
	{0, "markdown", GN_OPTION_FLAG, offsetof(struct check_args, markdown),
	 NULL, "the result as Markdown", NULL},
	{0, "github", GN_OPTION_FLAG, offsetof(struct check_args, github), NULL,
	 "on stdout, annotations of GitHub Actions, too", NULL},
	GN_OPT_CLASSIFY,
	GN_OPT_ALLOW_LOSS,
	GN_OPT_QUIET("no progress, and no result but the exit status"),
};

static const struct gn_verb_usage usage = {
	.name = "check",
	.synopsis = "--budget FILE [-b FILE]... -i FILE... [options]",
	.summary = "Compare captures with a budget, and with captures of a "
		   "base.\nExit status: 0 within it, 3 the records do not "
		   "suffice to judge, 4 exceeded.",
	.options = options,
	.noptions = sizeof(options) / sizeof(options[0]),
	.rest = GN_REST_NONE,
	.examples = "  sudo gnomon record -r 5 -o new -f hot -- ./app\n"
		    "  gnomon check --budget budget.json -b base -i new\n",
};

/* The file's text, freed by the caller. 0 or -errno. */
static int slurp(const char *path, char **text, size_t *size)
{
	FILE *f = fopen(path, "re");
	int err = 0;

	*text = f ? malloc(BUDGET_MAX + 1) : NULL;
	if (!*text) {
		err = f ? -ENOMEM : -errno;
	} else {
		errno = 0;
		*size = fread(*text, 1, BUDGET_MAX + 1, f);
		if (ferror(f))
			err = errno ? -errno : -EIO;
		else if (*size > BUDGET_MAX)
			err = -EFBIG;
	}
	if (f)
		fclose(f);
	return err;
}

static int read_budget(const struct check_args *a, struct gn_budget *b)
{
	char why[512] = "", *text = NULL;
	size_t size = 0;
	int err = slurp(a->budget, &text, &size);

	if (err) {
		gn_error("cannot read %s: %s; name a budget with --budget FILE",
			 a->budget, strerror(-err));
	} else {
		err = gn_budget_read(b, text, size, why, sizeof(why));
		if (err == -EINVAL)
			gn_error("%s is not a budget: %s", a->budget, why);
		else if (err)
			gn_error("no memory to read %s; free some", a->budget);
	}
	free(text);
	if (err)
		return err == -ENOMEM ? GN_EXIT_FAILED : GN_EXIT_USAGE;
	if (gn_budget_compares(b) && !a->base.n) {
		gn_error("%s compares with a base; name its captures with -b "
			 "FILE",
			 a->budget);
		return GN_EXIT_USAGE;
	}
	return GN_EXIT_OK;
}

typedef int (*write_fn)(const struct gn_verdicts *v, FILE *f);

/* `option` names the file. */
static int write_to(const char *path, const char *option,
		    const struct gn_verdicts *v, write_fn write)
{
	struct gn_textfile out;
	int err = gn_textfile_open(&out, path);

	if (err)
		return gn_textfile_refused(path, err, option);
	errno = 0;
	return gn_textfile_end(&out, path, write(v, out.f));
}

static int tell(const struct check_args *a, const struct gn_verdicts *v)
{
	int status = GN_EXIT_OK;

	signal(SIGPIPE, SIG_IGN);
	if (!a->args.quiet || a->args.output)
		status = write_to(a->args.output, "-o", v,
				  a->markdown ? gn_verdicts_markdown
					      : gn_verdicts_table);
	if (!status && a->github)
		status = write_to(NULL, ">", v, gn_verdicts_github);
	if (!status && a->junit)
		status = write_to(a->junit, "--junit", v, gn_verdicts_junit);
	if (status)
		return status;
	if (v->count[GN_JUDGED_BREACHED])
		return GN_EXIT_BREACHED;
	return v->count[GN_JUDGED_UNKNOWN] ? GN_EXIT_LOST : GN_EXIT_OK;
}

static int check(const struct check_args *a, const struct gn_budget *b)
{
	struct gn_verdicts v = {0};
	struct gn_sets s;
	int status;

	status = gn_sets_read(&s, &a->args, a->base.item, a->base.n,
			      a->inputs.item, a->inputs.n, a->junit, false);
	if (!status) {
		if (!gn_judge(b, &s.comparison, s.unsound, &v)) {
			status = tell(a, &v);
		} else {
			gn_error("no memory to judge; free some");
			status = GN_EXIT_FAILED;
		}
	}
	gn_verdicts_clear(&v);
	gn_sets_clear(&s);
	return status;
}

static bool complete(const struct check_args *a)
{
	if (!a->budget)
		gn_error("no budget is given; name one with --budget FILE");
	else if (!a->inputs.n)
		gn_error("nothing to check; name captures with -i FILE");
	else
		return !gn_overwrites(a->args.output, a->budget) &&
		       !gn_overwrites(a->junit, a->budget) &&
		       !gn_outputs_collide(a->args.output, a->junit);
	return false;
}

int gn_cmd_check(int argc, char **argv)
{
	struct gn_budget budget = {0};
	struct check_args a = {0};
	int status;

	gn_args_init(&a.args);
	if (gn_cmd_parse(&usage, argc, argv, &a.args, &status)) {
		status =
			complete(&a) ? read_budget(&a, &budget) : GN_EXIT_USAGE;
		if (!status)
			status = check(&a, &budget);
	}
	gn_budget_clear(&budget);
	free(a.base.item);
	free(a.inputs.item);
	gn_args_clear(&a.args);
	return status;
}
