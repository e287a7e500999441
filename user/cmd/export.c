/* SPDX-License-Identifier: BSD-2-Clause */
/* gnomon export: a trace file into several formats at once. */
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "cmd/cmd.h"
#include "cmd/load.h"
#include "cmd/outfile.h"
#include "cmd/repeat.h"
#include "cmd/timeline.h"
#include "trace/trace.h"

#define FORMATS_MAX 32

struct export_args {
	struct gn_args args; /* must be first: option tables hold offsets */
	const char *formats;
};

static const struct gn_option options[] = {
	GN_OPT_INPUT,
	GN_OPT_OUTPUT("name of the files; each gets its format's ending"),
	GN_OPT_TREE,
	{0, "format", GN_OPTION_TEXT, offsetof(struct export_args, formats),
	 "LIST", "json (with the tree),ndjson,pprof,...", NULL},
	GN_OPT_CLASSIFY,
	GN_OPT_LABEL,
	{0, "raw", GN_OPTION_FLAG, offsetof(struct gn_args, raw), NULL,
	 "leave the probes' cost in", NULL},
	GN_OPT_ALLOW_LOSS,
	GN_OPT_QUIET("do not name the files"),
};

static const struct gn_verb_usage usage = {
	.name = "export",
	.synopsis = "-i FILE --format LIST [options]",
	.summary =
		"Write what a trace file holds in several formats, reading "
		"it once, and once\nmore for each timeline beyond the first.",
	.options = options,
	.noptions = sizeof(options) / sizeof(options[0]),
	.rest = GN_REST_NONE,
	.examples = "  gnomon export -i app.trace --format "
		    "json,pprof,speedscope\n"
		    "  gnomon export -i app.trace --format ndjson "
		    "--label build=42\n",
};

/* A file to write, and the options that `report` would need for it. */
struct item {
	struct gn_args args;
	char *path;
};

struct items {
	struct item at[FORMATS_MAX];
	size_t n;
};

static int find_format(const char *word, size_t len)
{
	const char *name;

	for (size_t i = 0; (name = gn_format_choice(i)); i++)
		if (strlen(name) == len && !strncmp(name, word, len))
			return (int)i;
	return -1;
}

static void say_unknown(const char *word, size_t len)
{
	char names[256];

	gn_choices_join(gn_format_choice, ", ", names, sizeof(names));
	gn_error("'%.*s' is not a format; give some of %s", (int)len, word,
		 names);
}

static const char *ending_of(const struct gn_args *args)
{
	const struct gn_timeline *t = gn_timeline_of(args);

	return t ? t->ending : gn_output_at((size_t)args->format)->ending;
}

static int add(struct items *items, const struct export_args *a,
	       const char *path, int format)
{
	const char *name = a->args.output      ? a->args.output
			   : strcmp(path, "-") ? path
					       : GN_DEFAULT_TRACE;
	struct item *item = &items->at[items->n];
	int status;

	for (size_t i = 0; i < items->n; i++)
		if (items->at[i].args.format == format)
			return GN_EXIT_OK;
	if (items->n == FORMATS_MAX)
		return GN_EXIT_USAGE;
	item->args = a->args;
	item->args.input = path;
	item->args.format = format;
	if (asprintf(&item->path, "%s.%s", name, ending_of(&item->args)) < 0) {
		gn_error("no memory for a name; free some");
		return GN_EXIT_FAILED;
	}
	item->args.output = item->path;
	/* other formats have no use for these */
	if (strcmp(gn_format_choice((size_t)format), "ndjson") != 0)
		item->args.labels.n = 0;
	if (strcmp(gn_format_choice((size_t)format), "json") != 0)
		item->args.tree = false;
	items->n++;
	if (gn_overwrites(item->path, path))
		return GN_EXIT_USAGE;
	return gn_report_args(&item->args, &status) ? GN_EXIT_OK : status;
}

/* Whether the trace can be read often enough: each timeline reads it, and a
 * pipe can be read only once. */
static bool can_read(const struct items *items, const char *path)
{
	size_t timelines = 0;
	struct stat st;

	for (size_t i = 0; i < items->n; i++)
		timelines += gn_timeline_of(&items->at[i].args) != NULL;
	if (timelines < 2 ||
	    (strcmp(path, "-") && (stat(path, &st) || S_ISREG(st.st_mode))))
		return true;
	gn_error("%s can be read once only, and each timeline reads it; give "
		 "one, or a file with -i",
		 gn_load_name(path));
	return false;
}

/* Checks all formats and names first: if one is wrong, nothing is written. */
static int choose(struct items *items, const struct export_args *a,
		  const char *path)
{
	const char *at = a->formats;
	int status = GN_EXIT_OK;

	if (!gn_labels_check(&a->args.labels))
		return GN_EXIT_USAGE;
	if (a->args.output && !gn_names_files(a->args.output))
		return GN_EXIT_USAGE;
	if (!at) {
		gn_error("no format is given; give some with --format, as "
			 "json,pprof");
		return GN_EXIT_USAGE;
	}
	while (!status && at) {
		size_t len = strcspn(at, ",");
		int format = find_format(at, len);

		if (format < 0) {
			say_unknown(at, len);
			return GN_EXIT_USAGE;
		}
		status = add(items, a, path, format);
		at = at[len] ? at + len + 1 : NULL;
	}
	if (!status && !can_read(items, path))
		return GN_EXIT_USAGE;
	return status;
}

/* Writes a timeline, and keeps the model that was read for it. */
static int draw(const struct item *item, const char *path,
		struct gn_model **model)
{
	gn_model_free(*model);
	return gn_load_drawn(path, &item->args, model);
}

static int print(const struct item *item, const struct gn_model *m)
{
	struct gn_textfile out;
	int status = gn_textfile_begin(&out, item->path);

	return status ? status : gn_report_write(m, &item->args, &out);
}

static int write_all(const struct items *items, const char *path,
		     struct gn_model **model)
{
	int status = GN_EXIT_OK;

	for (size_t i = 0; i < items->n && !status; i++)
		if (gn_timeline_of(&items->at[i].args))
			status = draw(&items->at[i], path, model);
	if (!status && !*model)
		status = gn_load(path, &items->at[0].args, model);
	for (size_t i = 0; i < items->n && !status; i++)
		if (!gn_timeline_of(&items->at[i].args))
			status = print(&items->at[i], *model);
	return status;
}

static int export(const struct export_args *a)
{
	const char *path = a->args.input ? a->args.input : GN_DEFAULT_TRACE;
	struct gn_model *model = NULL;
	struct items items = {.n = 0};
	int status;

	status = choose(&items, a, path);
	if (!status)
		status = write_all(&items, path, &model);
	if (!status) {
		gn_report_warn(model, a->args.allow_loss);
		status = gn_report_status(model, a->args.allow_loss);
		for (size_t i = 0; i < items.n && !a->args.quiet; i++)
			gn_error("%s is in %s",
				 gn_format_choice(
					 (size_t)items.at[i].args.format),
				 items.at[i].path);
	}
	for (size_t i = 0; i < items.n; i++)
		free(items.at[i].path);
	gn_model_free(model);
	return status;
}

int gn_cmd_export(int argc, char **argv)
{
	struct export_args a = {0};
	int status;

	gn_args_init(&a.args);
	if (gn_cmd_parse(&usage, argc, argv, &a.args, &status))
		status = export(&a);
	gn_args_clear(&a.args);
	return status;
}
