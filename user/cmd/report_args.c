/* SPDX-License-Identifier: BSD-2-Clause */
/* Checks that the options of a report fit each other and its format. */
#include <string.h>

#include "cmd/cmd.h"
#include "cmd/outfile.h"
#include "cmd/timeline.h"
#include "output/sheet.h"

/* The properties of a format (of a report or a timeline) that options depend
 * on. */
struct format {
	const char *name, *needs;
	bool built, binary;
	enum gn_shape shape;
	bool timeline; /* has neither rows nor columns */
};

static struct format format_of(const struct gn_args *args)
{
	const struct gn_timeline *t = gn_timeline_of(args);
	const struct gn_output *o;

	if (t)
		return (struct format){.name = t->name,
				       .needs = t->needs,
				       .built = t->begin,
				       .binary = t->binary,
				       .timeline = true};
	o = gn_output_at((size_t)args->format);
	return (struct format){.name = o->name,
			       .needs = o->needs,
			       .built = o->write,
			       .binary = o->binary,
			       .shape = o->shape};
}

static bool check_rows(const struct format *f, const struct gn_args *args)
{
	bool rows = f->shape == GN_SHAPE_ROWS && !f->timeline;
	bool sampled = args->by == GN_BY_SAMPLES && f->name &&
		       !strcmp(f->name, "collapsed");

	if (sampled && !args->columns && !args->sort &&
	    args->limit == GN_LIMIT_DEFAULT)
		return true;
	if (!rows && (args->sort || args->limit != GN_LIMIT_DEFAULT ||
		      args->by != GN_BY_FUNCTION)) {
		gn_error("%s has no rows to choose; leave --by, --sort and "
			 "--limit out",
			 f->name);
		return false;
	}
	if ((f->timeline || f->shape == GN_SHAPE_ALL) && args->columns) {
		gn_error("%s has no columns to choose; leave --columns out",
			 f->name);
		return false;
	}
	if (f->shape == GN_SHAPE_STACKS && args->columns &&
	    gn_paths_check(args->columns)) {
		gn_error("%s cannot have '%s' as --columns; give some of "
			 "calls, ee, ae and the classes (lock, ...)",
			 f->name, args->columns);
		return false;
	}
	return true;
}

/* Only formats with a line for each call can write calls. */
static bool check_calls(const struct gn_args *args)
{
	bool chosen =
		args->only.n || args->threads.n || args->depth || args->min;

	if (args->by != GN_BY_CALLS) {
		if (chosen)
			gn_error("--only, --thread, --depth and --min choose "
				 "calls; add --by calls");
		return !chosen;
	}
	if (!gn_timeline_of(args)) {
		gn_error("--by calls cannot be written as %s; give --format "
			 "table or ndjson",
			 gn_format_choice((size_t)args->format));
		return false;
	}
	if (args->sort || args->limit != GN_LIMIT_DEFAULT || args->columns) {
		gn_error("calls are in the order of time; leave --sort, "
			 "--limit and --columns out");
		return false;
	}
	return true;
}

/* Whether the name is valid in JSON and as a database column. */
static bool label_name(const char *label)
{
	size_t len = strcspn(label, "=");

	return label[len] && len && len <= GN_LABEL_KEY &&
	       strspn(label, "abcdefghijklmnopqrstuvwxyz"
			     "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_") == len;
}

static bool twice(const struct gn_list *labels, size_t i)
{
	size_t len = strcspn(labels->item[i], "=") + 1;

	for (size_t k = 0; k < i; k++)
		if (!strncmp(labels->item[i], labels->item[k], len))
			return true;
	return !strncmp(labels->item[i], "host=", 5);
}

bool gn_labels_check(const struct gn_list *labels)
{
	for (size_t i = 0; i < labels->n; i++) {
		if (!label_name(labels->item[i])) {
			gn_error("--label cannot be '%s'; give NAME=VALUE, the "
				 "name of at most %d letters, digits and _",
				 labels->item[i], GN_LABEL_KEY);
			return false;
		}
		if (twice(labels, i)) {
			gn_error("--label %s is taken; give each name once, "
				 "and not host",
				 labels->item[i]);
			return false;
		}
	}
	return true;
}

static bool check_format(const struct gn_args *args)
{
	struct format f = format_of(args);

	if (!f.built) {
		gn_error("this gnomon was built without the format %s; build "
			 "it where %s is installed",
			 f.name, f.needs);
		return false;
	}
	if (f.binary && gn_is_terminal(args->output)) {
		gn_error("%s is not for a terminal; name a file with -o FILE",
			 f.name);
		return false;
	}
	return check_rows(&f, args);
}

bool gn_events_check(const struct gn_args *args)
{
	uint32_t families;

	if (!gn_events_parse(args->events, 0, &families))
		return true;
	gn_error("--events cannot be '%s'; give some of usual, life, loads, "
		 "classes, jit, searches, inlining, threads, exceptions, "
		 "handlers, transitions, suspension, gc, handles, "
		 "allocations, code with commas; all; or none alone",
		 args->events);
	return false;
}

/* Only trees, callers and stacks have branches that can be left out. */
static bool has_branches(const struct gn_args *args)
{
	const char *name = gn_format_choice((size_t)args->format);
	bool timeline = gn_timeline_of(args);

	if (!strcmp(name, "json"))
		return args->tree || args->by == GN_BY_TREE;
	if (args->by == GN_BY_TREE || args->by == GN_BY_CALLERS)
		return true;
	return args->by == GN_BY_FUNCTION && !timeline &&
	       gn_output_at((size_t)args->format)->shape == GN_SHAPE_STACKS &&
	       strcmp(name, "callgrind") != 0;
}

static bool check_branches(const struct gn_args *args)
{
	if (args->min_pct <= 0 || has_branches(args))
		return true;
	gn_error("--min-pct leaves branches out of a tree, and there is none; "
		 "add --by tree, --by callers or, for json, --tree, or leave "
		 "it out");
	return false;
}

/* Whether the rows have percentages of thread times. */
static bool has_times(const struct gn_args *args)
{
	return args->by != GN_BY_CALLS && args->by != GN_BY_ASYNC &&
	       !gn_by_is_sheet((enum gn_by)args->by);
}

/* Rejects options that would have no effect. */
static bool check_idle(const struct gn_args *args)
{
	const char *name = gn_format_choice((size_t)args->format);
	const char *option = NULL, *formats = NULL;

	if (args->labels.n && strcmp(name, "ndjson") != 0) {
		option = "label";
		formats = "ndjson";
	} else if (args->tree && strcmp(name, "json") != 0) {
		option = "tree";
		formats = "json";
	} else if (args->of != GN_OF_BUSY && strcmp(name, "table") != 0) {
		option = "of";
		formats = "table";
	} else if (args->of != GN_OF_BUSY && !has_times(args)) {
		gn_error("--by %s has no percents that --of is for; leave it "
			 "out",
			 gn_by_choice((size_t)args->by));
		return false;
	}
	if (option)
		gn_error("%s takes no --%s; give --format %s, or leave it out",
			 name, option, formats);
	return !option;
}

/* Whether the rows have the column to sort by. */
static bool check_sort(const struct gn_args *args)
{
	enum gn_by by = (enum gn_by)args->by;
	char keys[GN_SORT_KEYS];

	if (!args->sort || by == GN_BY_CALLS || gn_sort_fits(args->sort, by))
		return true;
	gn_sort_keys(keys, by);
	gn_error("--by %s has no %s to sort by; give %s, or leave --sort out",
		 gn_by_choice((size_t)args->by), args->sort, keys);
	return false;
}

static bool check_sheet(const struct gn_args *args)
{
	enum gn_by by = (enum gn_by)args->by;
	size_t column[GN_SHEET_COLUMNS];
	char keys[GN_SORT_KEYS];

	if (!strcmp(args->columns, "default") ||
	    !strcmp(args->columns, "all") ||
	    gn_sheet_columns(by, args->columns, column) > 0)
		return true;
	gn_sort_keys(keys, by);
	gn_error("--columns of --by %s cannot be '%s'; give default, all, or "
		 "some of %s",
		 gn_by_choice((size_t)args->by), args->columns, keys);
	return false;
}

/* Whether --events, which is valid, leaves any of the rows. */
static bool check_events(const struct gn_args *args)
{
	uint32_t shown = gn_sheet_families((enum gn_by)args->by), families;

	gn_events_parse(args->events, shown, &families);
	if (!args->events || !shown || gn_timeline_of(args) ||
	    families & shown || !families)
		return true;
	gn_error("--by %s shows nothing of --events %s; leave --events out",
		 gn_by_choice((size_t)args->by), args->events);
	return false;
}

bool gn_report_args(const struct gn_args *args, int *status)
{
	*status = GN_EXIT_USAGE;
	if (!check_calls(args) || !gn_labels_check(&args->labels) ||
	    !gn_events_check(args) || !check_events(args) ||
	    !check_idle(args) || !check_branches(args) || !check_sort(args))
		return false;
	if (args->by == GN_BY_CALLS)
		return true;
	if (!check_format(args))
		return false;
	if (!args->columns)
		return true;
	if (gn_by_is_sheet((enum gn_by)args->by))
		return check_sheet(args);
	if (gn_columns_check(args->columns)) {
		gn_error(
			"--columns cannot be '%s'; give default, all, classes, "
			"classes+, or some of calls, unwound, ei, ei%%, ee, "
			"ee%%, ai, ai%%, ae, ae%%, min, avg, max, finished, "
			"error, error+, lock, lock+ and the other classes",
			args->columns);
		return false;
	}
	if (gn_by_has_own_columns((enum gn_by)args->by)) {
		gn_error("--by waits and --by async have columns of their own; "
			 "leave --columns out");
		return false;
	}
	return true;
}
