/* SPDX-License-Identifier: BSD-2-Clause */
/* Showing a model: shared by the verbs that end in a report. */
#include <errno.h>
#include <inttypes.h>
#include <langinfo.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "cmd/cmd.h"
#include "cmd/deliver.h"
#include "cmd/timeline.h"
#include "output/header.h"
#include "output/kernel.h"
#include "output/sheet.h"
#include "runtime/roles.h"
#include "trace/trace.h"

/* Cells of a table's lines in a file. */
#define FILE_WIDTH 100
/* Rows that a terminal gets when nobody said how many. */
#define TERMINAL_LIMIT 50

static bool wants_color(void)
{
	const char *no_color = getenv("NO_COLOR"), *term = getenv("TERM");

	return !(no_color && *no_color) && term && strcmp(term, "dumb") != 0;
}

static int terminal_width(int fd)
{
	struct winsize size;

	if (ioctl(fd, TIOCGWINSZ, &size) || size.ws_col < 1)
		return 80;
	return size.ws_col;
}

/* A file has no locale; a terminal has. */
static bool has_utf8(bool terminal)
{
	return !terminal || !strcmp(nl_langinfo(CODESET), "UTF-8");
}

/* What the options of either kind of format depend on. */
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

	if (sampled && !args->columns && args->sort < 0 &&
	    args->limit == GN_LIMIT_DEFAULT)
		return true;
	if (!rows && (args->sort >= 0 || args->limit != GN_LIMIT_DEFAULT ||
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

/* Calls are written by what has a line for each. */
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
	if (args->sort >= 0 || args->limit != GN_LIMIT_DEFAULT ||
	    args->columns) {
		gn_error("calls are in the order of time; leave --sort, "
			 "--limit and --columns out");
		return false;
	}
	return true;
}

/* Names that SQL, Prometheus and JSON take as they are. */
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
			gn_error("--label %s is there already; give each name "
				 "once, and not host",
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
	if (f.binary && (!args->output || !strcmp(args->output, "-")) &&
	    isatty(STDOUT_FILENO)) {
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
	gn_error("--events cannot be '%s'; give some of life, loads, classes, "
		 "jit, searches, inlining, threads, exceptions, handlers, "
		 "transitions, suspension, gc, handles, allocations, code; all "
		 "or "
		 "none",
		 args->events);
	return false;
}

static bool check_sheet(const struct gn_args *args)
{
	if (!gn_by_is_sheet((enum gn_by)args->by) ||
	    (!args->columns && args->sort < 0))
		return true;
	gn_error("--by %s has columns and an order of its own; leave --columns "
		 "and --sort out",
		 gn_by_choice((size_t)args->by));
	return false;
}

bool gn_report_args(const struct gn_args *args, int *status)
{
	*status = GN_EXIT_USAGE;
	if (!check_calls(args) || !gn_labels_check(&args->labels) ||
	    !gn_events_check(args))
		return false;
	if (args->by == GN_BY_CALLS)
		return true;
	if (!check_format(args) || !check_sheet(args))
		return false;
	if (!args->columns)
		return true;
	if (gn_columns_check(args->columns)) {
		gn_error(
			"--columns cannot be '%s'; give default, all, classes, "
			"classes+, or some of calls, unwound, ei, ei%%, ee, "
			"ee%%, ai, ai%%, ae, ae%%, min, avg, max, finished, "
			"lock, lock+ and the other classes",
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

void gn_report_pipeline(struct gn_pipeline_opts *o, const struct gn_args *args)
{
	uint32_t families;

	/* it has been checked */
	gn_events_parse(args->events, GN_FAMILIES_ALL, &families);
	*o = (struct gn_pipeline_opts){
		.classify = (enum gn_classify)args->classify,
		.raw = args->raw,
		.roles = gn_runtime_roles,
		.families = families & gn_sheet_families((enum gn_by)args->by),
		.observed = families,
	};
}

void gn_report_explain_opts(struct gn_explain_opts *o,
			    const struct gn_args *args, FILE *f)
{
	bool terminal = isatty(fileno(f));

	*o = (struct gn_explain_opts){
		.input = args->input,
		.width = terminal ? terminal_width(fileno(f)) : 0,
		.color = terminal && wants_color(),
		.utf8 = has_utf8(terminal),
	};
}

void gn_report_opts_init(struct gn_report_opts *o, const struct gn_args *args,
			 FILE *f)
{
	bool terminal = isatty(fileno(f)), table;

	o->format = gn_output_at((size_t)args->format);
	table = !strcmp(o->format->name, "table");
	o->out = (struct gn_output_opts){
		.by = (enum gn_by)args->by,
		.columns = args->columns,
		.sort = args->sort < 0 ? NULL
				       : gn_sort_choice((size_t)args->sort),
		.limit = args->limit,
		.min_pct = args->min_pct,
		.color = terminal && wants_color(),
		.utf8 = has_utf8(terminal),
		.width = terminal ? terminal_width(fileno(f)) : 0,
		.of = table ? (enum gn_of)args->of : GN_OF_THREADS,
		.ns = args->ns || args->verbose,
		.verbose = args->verbose,
		.bare = args->quiet,
		.tree = args->tree,
		.labels = args->labels.item,
		.nlabels = args->labels.n,
	};
	if (args->limit == GN_LIMIT_DEFAULT)
		o->out.limit = terminal && table ? TERMINAL_LIMIT : 0;
	/* what is asked for by name has its room in a file */
	if (!terminal && table && !args->columns && !args->verbose)
		o->out.width = FILE_WIDTH;
	o->explains = table && !args->quiet;
	gn_report_explain_opts(&o->explain, args, f);
	o->explain.prefix = "# ";
}

void gn_report_timeline_opts(struct gn_timeline_opts *o,
			     const struct gn_args *args, FILE *f)
{
	bool terminal = isatty(fileno(f));

	*o = (struct gn_timeline_opts){
		.only = args->only.item,
		.nonly = args->only.n,
		.threads = args->threads.item,
		.nthreads = args->threads.n,
		.depth = args->depth,
		.min_ns = args->min,
		.utf8 = has_utf8(terminal),
		.width = terminal ? terminal_width(fileno(f)) : 0,
		.ns = args->ns || args->verbose,
		.verbose = args->verbose,
		.bare = args->quiet,
		.labels = args->labels.item,
		.nlabels = args->labels.n,
	};
}

/* Findings, and what parts them from the header. */
static int print_findings(const struct gn_model *m,
			  const struct gn_explain_opts *o, FILE *f)
{
	struct gn_findings findings;
	int err = gn_explain(m, GN_FINDINGS_USUAL, &findings);

	if (!err)
		err = gn_findings_print(m, &findings, o, f);
	gn_findings_clear(&findings);
	if (!err)
		fputs("#\n", f);
	return err;
}

int gn_report_print(const struct gn_model *m, const struct gn_report_opts *o,
		    FILE *f)
{
	struct sigaction ignore = {.sa_handler = SIG_IGN}, before;
	int err;

	sigemptyset(&ignore.sa_mask);
	sigaction(SIGPIPE, &ignore, &before);
	errno = 0;
	err = o->explains ? print_findings(m, &o->explain, f) : 0;
	if (!err)
		err = o->format->write(m, &o->out, f);
	if (!err && fflush(f))
		err = errno > 0 ? -errno : -EIO;
	sigaction(SIGPIPE, &before, NULL);
	return err;
}

int gn_report_open(struct gn_textfile *out, const struct gn_args *args)
{
	int err = gn_textfile_open(out, args->output);

	if (!err)
		return GN_EXIT_OK;
	gn_error("cannot write %s: %s; give another file with -o",
		 args->output ? args->output : "stdout",
		 gn_trace_strerror(err));
	return GN_EXIT_FAILED;
}

int gn_report_close(struct gn_textfile *out, const struct gn_args *args,
		    int err)
{
	if (err)
		gn_textfile_abort(out);
	else
		err = gn_textfile_commit(out);
	/* whoever read stdout has seen enough */
	if (!err || err == -EPIPE)
		return GN_EXIT_OK;
	gn_error("cannot write %s: %s; nothing of it can be used",
		 args->output ? args->output : "stdout",
		 gn_trace_strerror(err));
	return GN_EXIT_FAILED;
}

int gn_report_write(const struct gn_model *m, const struct gn_args *args,
		    struct gn_textfile *out)
{
	struct gn_report_opts opts;
	struct gn_progress progress;
	struct gn_steps steps = {0};
	int err;

	gn_report_opts_init(&opts, args, out->f);
	opts.out.steps = &steps;
	gn_progress_init(&progress, args->quiet);
	err = gn_textfile_watch(out, &progress, &steps);
	if (!err)
		err = gn_report_print(m, &opts, out->f);
	gn_progress_end(&progress);
	return gn_report_close(out, args, err);
}

#define PATIENCE_NS 2000000000u

/* 0 or -errno, after it has said that nobody reads. */
static int deliver(const struct gn_model *m, const struct gn_report_opts *opts,
		   FILE *f)
{
	char *text = NULL;
	size_t size = 0, done = 0;
	FILE *memory = open_memstream(&text, &size);
	int err = memory ? gn_report_print(m, opts, memory) : -ENOMEM;

	if (memory && fclose(memory) && !err)
		err = -ENOMEM;
	if (!err)
		err = gn_deliver(fileno(f), text, size, PATIENCE_NS, &done);
	free(text);
	if (err == -ETIMEDOUT)
		gn_error("nobody reads the report: %zu of %zu bytes were "
			 "taken; write it into a file with -o",
			 done, size);
	return err;
}

int gn_report_deliver(const struct gn_model *m, const struct gn_args *args,
		      struct gn_textfile *out)
{
	struct gn_report_opts opts;
	int err;

	if (!gn_deliver_to(fileno(out->f)))
		return gn_report_write(m, args, out);
	gn_report_opts_init(&opts, args, out->f);
	err = deliver(m, &opts, out->f);
	gn_textfile_abort(out); /* a pipe has nothing to commit */
	if (!err || err == -EPIPE)
		return GN_EXIT_OK;
	if (err != -ETIMEDOUT)
		gn_error("cannot write %s: %s; nothing of it can be used",
			 args->output ? args->output : "stdout",
			 strerror(-err));
	return GN_EXIT_FAILED;
}

int gn_report_status(const struct gn_model *m, bool allow_loss)
{
	if (gn_model_broken(m))
		return GN_EXIT_BROKEN;
	if (gn_model_lossy(m) && !allow_loss)
		return GN_EXIT_LOST;
	return GN_EXIT_OK;
}

/* "threads that differ from the kernel's account: 1 (thread 7 ...)". NULL: no
 * memory. */
static char *failed_checks(const struct gn_model *m)
{
	const char *between = "";
	char *text = NULL, *thread = NULL;
	size_t size = 0;
	FILE *f = open_memstream(&text, &size);

	if (!f)
		return NULL;
#define FAILED(field, what, error)                          \
	if ((error) && m->checks.field) {                   \
		fprintf(f, "%s" what ": %" PRIu64, between, \
			(uint64_t)m->checks.field);         \
		between = ", ";                             \
	}
	GN_CHECK_LIST(FAILED)
#undef FAILED
	for (size_t i = 0; i < m->nthreads && !thread; i++)
		if (gn_kernel_differs(&m->threads[i].kernel))
			thread = gn_kernel_text(&m->threads[i], false);
	if (thread)
		fprintf(f, " (%s)", thread);
	free(thread);
	fclose(f);
	return text;
}

static void warn_broken(const struct gn_model *m)
{
	char *failed = failed_checks(m);

	gn_error("a self-check failed, the numbers cannot be trusted; please "
		 "report it with the trace: %s",
		 failed ? failed : "no memory to say which");
	free(failed);
}

/* "12 records were lost (ring-full 12)". NULL: no memory. */
static char *lost_text(const struct gn_model *m)
{
	char *text = NULL;
	size_t size = 0;
	FILE *f = open_memstream(&text, &size);

	if (!f)
		return NULL;
	if (m->lost)
		fprintf(f, "%" PRIu64 " ", m->lost);
	fputs("records were lost", f);
	gn_loss_causes(m, f);
	fclose(f);
	return text;
}

static void warn_lost(const struct gn_model *m, bool allow_loss)
{
	char *lost = lost_text(m);

	gn_error("%s, the report is not whole; %s",
		 lost ? lost : "records were lost",
		 allow_loss ? "--allow-loss accepts it"
			    : "record fewer functions, or accept it with "
			      "--allow-loss");
	free(lost);
}

void gn_report_warn(const struct gn_model *m, bool allow_loss)
{
	if (gn_model_broken(m))
		warn_broken(m);
	if (m->truncated)
		gn_error("the trace has no end, what followed is lost; the "
			 "report holds what came before");
	if (gn_model_lossy(m) && (m->lost || !m->truncated))
		warn_lost(m, allow_loss);
}
