/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A verb's options as data: one table for the parser and the help. Common
 * options are rows (GN_OPT_*) that the tables of verbs share, so they read and
 * behave the same everywhere.
 */
#ifndef GNOMON_CMD_OPTIONS_H
#define GNOMON_CMD_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/types.h>

#include "output/output.h"

/* What kind of value a row stores at its offset, with the type of the field. */
enum gn_option_type {
	GN_OPTION_FLAG,	    /* bool: set to true */
	GN_OPTION_UNFLAG,   /* bool: set to false */
	GN_OPTION_TEXT,	    /* const char *: of argv; not empty */
	GN_OPTION_LIST,	    /* struct gn_list: each use adds an item */
	GN_OPTION_PIDS,	    /* struct gn_pids: each use adds items */
	GN_OPTION_DURATION, /* uint64_t: nanoseconds, not 0 */
	GN_OPTION_SIZE,	    /* uint64_t: bytes, not 0 */
	GN_OPTION_COUNT,    /* uint64_t: any number */
	GN_OPTION_PERCENT,  /* double: 0..100 */
	GN_OPTION_RATE,	    /* uint64_t: per second, 1 to GN_RATE_MOST */
	GN_OPTION_CHOICE,   /* int: the index for choice(), from 0 */
};

struct gn_option {
	int short_name;	  /* 0 = none */
	const char *name; /* the long name */
	enum gn_option_type type;
	size_t offset;	 /* of the field, in the verb's struct */
	const char *arg; /* the name of the argument; NULL: CHOICE lists its
			    words */
	/* "": the row shares a line with the next one, whose text is for
	 * both */
	const char *help;
	/* CHOICE: the i-th text; NULL after the last */
	const char *(*choice)(size_t i);
};

/* What follows the options. */
enum gn_rest {
	GN_REST_NONE,	 /* nothing may follow */
	GN_REST_COMMAND, /* a command and its arguments */
	GN_REST_FILES,	 /* arguments, also between options */
};

/* A verb for its help and its parser. All data is static. */
struct gn_verb_usage {
	const char *name;
	const char *synopsis; /* what follows "gnomon NAME " */
	const char *summary;  /* a sentence or two, lines of <= 80 columns */
	const struct gn_option *options;
	size_t noptions;
	enum gn_rest rest;
	const char *examples; /* lines, or NULL */
};

struct gn_list {
	const char **item; /* the texts are those of argv */
	size_t n;
};

struct gn_pids {
	pid_t *pid; /* without duplicates */
	size_t n;
};

enum gn_leave_choice {
	GN_LEAVE_CHOICE_AUTO = 0,
	GN_LEAVE_CHOICE_RETURN,
	GN_LEAVE_CHOICE_RET,
};

/*
 * The fields of the common options. A verb with more options makes a struct
 * that has this as its first member. Start with gn_args_init(), end with
 * gn_args_clear().
 */
struct gn_args {
	struct gn_pids pids;
	char **command; /* NULL-terminated, of argv; NULL = none was given */
	int ncommand;
	const char *output; /* NULL = not given */
	const char *input;
	uint64_t duration; /* 0 = not given */
	bool quiet;
	bool verbose;
	struct gn_list functions;
	int leave; /* enum gn_leave_choice */
	bool follow;
	int classify;	  /* enum gn_classify */
	const char *sort; /* NULL = not given; --by limits the words */
	int by;		  /* enum gn_by */
	int format; /* an index for gn_output_at(), then for gn_timeline_at() */
	uint64_t limit; /* GN_LIMIT_DEFAULT = not given, 0 = all */
	double min_pct; /* of the tree and the callers */
	bool ns;	/* exact nanoseconds in tables */
	bool allow_loss;
	bool raw;	     /* the cost of probes is not subtracted */
	const char *columns; /* NULL = not given */
	int of;		     /* enum gn_of, for tables */
	bool tree;	     /* JSON: also the call tree */
	struct gn_list labels;
	/* for --by calls */
	struct gn_list only;
	struct gn_list threads;
	uint64_t depth;	    /* 0 = all */
	uint64_t min;	    /* ns */
	const char *events; /* NULL = not given; see gn_events_parse() */
};

#define GN_RATE_MOST 10000

#define GN_LIMIT_DEFAULT UINT64_MAX

/* A row of an option table; its field is one of struct gn_args. */
#define GN_OPT_ROW(short, name, kind, field, word, text, choice)            \
	{                                                                   \
		short, name, GN_OPTION_##kind,                              \
			offsetof(struct gn_args, field), word, text, choice \
	}

#define GN_OPT_PIDS_AS(text) \
	GN_OPT_ROW('p', "pid", PIDS, pids, "PID[,PID]", text, NULL)
#define GN_OPT_PIDS GN_OPT_PIDS_AS("trace running processes")
#define GN_OPT_OUTPUT(text) \
	GN_OPT_ROW('o', "output", TEXT, output, "FILE", text, NULL)
#define GN_OPT_INPUT                                  \
	GN_OPT_ROW('i', "input", TEXT, input, "FILE", \
		   "the trace file (gnomon.trace)", NULL)
#define GN_OPT_DURATION                                         \
	GN_OPT_ROW('d', "duration", DURATION, duration, "TIME", \
		   "stop after TIME: 10s, 500ms, 2m", NULL)
#define GN_OPT_QUIET(text) \
	GN_OPT_ROW('q', "quiet", FLAG, quiet, NULL, text, NULL)
#define GN_OPT_VERBOSE(text) \
	GN_OPT_ROW('v', "verbose", FLAG, verbose, NULL, text, NULL)
#define GN_OPT_FUNCTION                                      \
	GN_OPT_ROW('f', "function", LIST, functions, "GLOB", \
		   "trace these: GLOB, LIB:GLOB, usdt:LIB:NAME, !GLOB", NULL)
#define GN_OPT_LEAVE_AS(text) \
	GN_OPT_ROW(0, "leave", CHOICE, leave, NULL, text, gn_leave_choice)
#define GN_OPT_LEAVE GN_OPT_LEAVE_AS("how a function's end is seen")
/* In the help, GN_OPT_USER follows it. */
#define GN_OPT_NO_FOLLOW \
	GN_OPT_ROW(0, "no-follow", UNFLAG, follow, NULL, "", NULL)
#define GN_OPT_CLASSIFY                                   \
	GN_OPT_ROW(0, "classify", CHOICE, classify, NULL, \
		   "how application time is computed", gn_classify_choice)
#define GN_OPT_SORT                                 \
	GN_OPT_ROW(0, "sort", TEXT, sort, "COLUMN", \
		   "all, or some of calls, ei, ai, lock, ...", gn_sort_choice)
/* In the help, GN_OPT_EVENTS follows it. */
#define GN_OPT_BY GN_OPT_ROW(0, "by", CHOICE, by, "WHAT", "", gn_by_choice)
#define GN_OPT_FORMAT                                     \
	GN_OPT_ROW(0, "format", CHOICE, format, "FORMAT", \
		   "table, csv, json (with the tree), ...", gn_format_choice)
/* In the help, GN_OPT_MIN_PCT follows it. */
#define GN_OPT_LIMIT GN_OPT_ROW(0, "limit", COUNT, limit, "N", "", NULL)
#define GN_OPT_MIN_PCT                                  \
	GN_OPT_ROW(0, "min-pct", PERCENT, min_pct, "X", \
		   "N rows, 0 = all; tree: >= X %", NULL)
#define GN_OPT_NS GN_OPT_ROW(0, "ns", FLAG, ns, NULL, "", NULL)
/* In the help, GN_OPT_FORMAT follows it. */
#define GN_OPT_TREE GN_OPT_ROW(0, "tree", FLAG, tree, NULL, "", NULL)
#define GN_OPT_LABEL                                       \
	GN_OPT_ROW(0, "label", LIST, labels, "NAME=VALUE", \
		   "in each row of ndjson; can be repeated", NULL)
/* In the help, GN_OPT_OF and GN_OPT_NS precede it. */
#define GN_OPT_RAW                            \
	GN_OPT_ROW(0, "raw", FLAG, raw, NULL, \
		   "% of busy, threads, wall; ns; probes' cost left in", NULL)
#define GN_OPT_EVENTS_AS(text) \
	GN_OPT_ROW(0, "events", TEXT, events, "LIST", text, NULL)
#define GN_OPT_EVENTS GN_OPT_EVENTS_AS("function, tree, waits, syscalls, ...")
/* In the help, GN_OPT_SORT follows it. */
#define GN_OPT_COLUMNS GN_OPT_ROW(0, "columns", TEXT, columns, "LIST", "", NULL)
/* In the help, GN_OPT_NS follows it. */
#define GN_OPT_OF GN_OPT_ROW(0, "of", CHOICE, of, "WHAT", "", gn_of_choice)
#define GN_OPT_ALLOW_LOSS_AS(text) \
	GN_OPT_ROW(0, "allow-loss", FLAG, allow_loss, NULL, text, NULL)
#define GN_OPT_ALLOW_LOSS \
	GN_OPT_ALLOW_LOSS_AS("lost records do not make the exit status 3")

/* In the help, these four share one line. */
#define GN_OPT_ONLY   GN_OPT_ROW(0, "only", LIST, only, "GLOB", "", NULL)
#define GN_OPT_THREAD GN_OPT_ROW(0, "thread", LIST, threads, "GLOB", "", NULL)
#define GN_OPT_DEPTH  GN_OPT_ROW(0, "depth", COUNT, depth, "N", "", NULL)
#define GN_OPT_MIN \
	GN_OPT_ROW(0, "min", DURATION, min, "TIME", "which of --by calls", NULL)

/* The options that choose what a report shows, and how. Put it after
 * GN_OPT_BY. */
#define GN_OPTS_REPORT                                                       \
	GN_OPT_EVENTS, GN_OPT_ONLY, GN_OPT_THREAD, GN_OPT_DEPTH, GN_OPT_MIN, \
		GN_OPT_TREE, GN_OPT_FORMAT, GN_OPT_COLUMNS, GN_OPT_SORT,     \
		GN_OPT_LIMIT, GN_OPT_MIN_PCT, GN_OPT_CLASSIFY, GN_OPT_OF,    \
		GN_OPT_NS, GN_OPT_RAW

/* The i-th of an array of words; NULL past the last one. */
#define GN_CHOICE(words, i) \
	((i) < sizeof(words) / sizeof((words)[0]) ? (words)[i] : NULL)

/* The choices of the rows above; each returns NULL past its last one. */
const char *gn_leave_choice(size_t i);
const char *gn_classify_choice(size_t i);
const char *gn_by_choice(size_t i);
const char *gn_of_choice(size_t i);
const char *gn_format_choice(size_t i);
/* Writes all choices, with a text between them. */
void gn_choices_join(const char *(*choice)(size_t i), const char *between,
		     char *buf, size_t size);

/* Parses --events into families (enum gn_family). `list` NULL: the usual ones.
 * The words are the names of families, "usual" and "all"; "none" only if it is
 * the whole list. 0 or -EINVAL. */
int gn_events_parse(const char *list, uint32_t usual, uint32_t *families);

void gn_args_init(struct gn_args *args);
void gn_args_clear(struct gn_args *args);

/* What gn_options_parse() returns besides negative errno values. */
enum gn_parsed {
	GN_PARSED_OK = 0,
	GN_PARSED_HELP, /* -h or --help: print the help, exit with 0 */
};

/*
 * Parses argv (argv[0] is the verb) into `args`, the verb's struct. The command
 * begins after "--", or at the first argument that is not an option
 * (GN_REST_COMMAND: it is kept in args->command). Returns enum gn_parsed;
 * -EINVAL for bad arguments, with one sentence in `err`; -ENOMEM. Not thread
 * safe, because getopt is not.
 */
int gn_options_parse(const struct gn_verb_usage *usage, int argc, char **argv,
		     struct gn_args *args, char *err, size_t errsize);

void gn_options_help(const struct gn_verb_usage *usage, FILE *f);

/*
 * Strict parsers of a whole text. -EINVAL: it is malformed; -ERANGE: the value
 * is too large. Durations: a number (up to 9 decimals) and ns, us, ms, s, m or
 * h; without a unit, seconds. Sizes: a whole number and K, M or G (powers of
 * 1024).
 */
int gn_parse_u64(const char *text, uint64_t *out);
int gn_parse_duration(const char *text, uint64_t *ns);
int gn_parse_size(const char *text, uint64_t *bytes);
int gn_parse_percent(const char *text, double *out);
/* Adds the PIDs of "1,2,3". After an error `pids` is unchanged. */
int gn_parse_pids(const char *text, struct gn_pids *pids);

#endif
