/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The verbs, and what they share. A verb is a function that takes its own words
 * (argv[0] is the verb) and returns gnomon's exit status.
 */
#ifndef GNOMON_CMD_CMD_H
#define GNOMON_CMD_CMD_H

#include <stdbool.h>
#include <stdio.h>

#include "capture/tell.h"
#include "cmd/options.h"
#include "explain/explain.h"
#include "model/pipeline.h"
#include "output/output.h"
#include "output/timeline.h"

/* Exit statuses of the gnomon command itself. A traced command's own status,
 * or 128 + N when signal N killed it, takes the place of GN_EXIT_OK. */
enum gn_exit {
	GN_EXIT_OK = 0,
	GN_EXIT_FAILED = 1, /* gnomon failed */
	GN_EXIT_USAGE = 2,  /* bad arguments, or a bad input file */
	GN_EXIT_LOST = 3,   /* records were lost */
	GN_EXIT_BROKEN = 4, /* a self-check failed */
	/* of the verb `check`: a budget is breached. Whatever prevents a
	 * verdict has the status LOST there, also a self-check that failed. */
	GN_EXIT_BREACHED = 4,
	GN_EXIT_NOT_EXECUTABLE = 126,
	GN_EXIT_NOT_FOUND = 127,
};

#define GN_DEFAULT_TRACE "gnomon.trace"

int gn_cmd_run(int argc, char **argv);
int gn_cmd_record(int argc, char **argv);
int gn_cmd_report(int argc, char **argv);
int gn_cmd_explain(int argc, char **argv);
int gn_cmd_list(int argc, char **argv);
int gn_cmd_doctor(int argc, char **argv);
int gn_cmd_top(int argc, char **argv);
int gn_cmd_export(int argc, char **argv);
int gn_cmd_check(int argc, char **argv);
int gn_cmd_diff(int argc, char **argv);

/* Flushes stdout. Returns GN_EXIT_OK, or GN_EXIT_FAILED after it has reported
 * the error. */
int gn_cmd_written(void);

/*
 * Parses the arguments of a verb; prints its help, or what is wrong. True: go
 * on. False: return *status. Call gn_args_clear() in both cases.
 */
bool gn_cmd_parse(const struct gn_verb_usage *usage, int argc, char **argv,
		  struct gn_args *args, int *status);

/* Checks that the options of a report fit each other. False: it has reported
 * the error, and *status is the exit status. */
bool gn_report_args(const struct gn_args *args, int *status);

/* The same for --label alone, and for --events. */
bool gn_labels_check(const struct gn_list *labels);
bool gn_events_check(const struct gn_args *args);

/* The options of the pipeline that makes the model. */
void gn_report_pipeline(struct gn_pipeline_opts *o, const struct gn_args *args);

struct gn_report_opts {
	const struct gn_output *format;
	struct gn_output_opts out;
	bool explains; /* findings come above the report */
	struct gn_explain_opts explain;
};

/* The options of a report that goes to `f`. If that is a terminal, finds its
 * width and whether it has colours. */
void gn_report_opts_init(struct gn_report_opts *o, const struct gn_args *args,
			 FILE *f);

/* The same for a timeline that has rows. `o` refers to `args`. */
void gn_report_timeline_opts(struct gn_timeline_opts *o,
			     const struct gn_args *args, FILE *f);

/* The options of findings that go to `f`. args->input is the trace file. */
void gn_report_explain_opts(struct gn_explain_opts *o,
			    const struct gn_args *args, FILE *f);

struct gn_textfile;

/* Prints the report that `args` ask for into `out`, and always closes `out`.
 * GN_EXIT_OK, or GN_EXIT_FAILED after it has reported the error. */
int gn_report_write(const struct gn_model *m, const struct gn_args *args,
		    struct gn_textfile *out);

/* The same after a capture. `hurries`: a pipe that nobody reads for two seconds
 * is an error. */
int gn_report_deliver(const struct gn_model *m, const struct gn_args *args,
		      struct gn_textfile *out, bool hurries);

/* GN_EXIT_BROKEN, GN_EXIT_LOST or GN_EXIT_OK. */
int gn_report_status(const struct gn_model *m, bool allow_loss);

/* Reports on stderr why gn_report_status() is not GN_EXIT_OK. */
void gn_report_warn(const struct gn_model *m, bool allow_loss);

#endif
