/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Tables with their own columns, whose rows are not functions but events of
 * runtimes, samples, or system calls. Each format that has rows can print a
 * sheet.
 */
#ifndef GNOMON_OUTPUT_SHEET_H
#define GNOMON_OUTPUT_SHEET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "model/model.h"
#include "output/emit.h"
#include "output/output.h"

enum gn_cell_kind {
	GN_CELL_TEXT,
	GN_CELL_COUNT,
	GN_CELL_ID,   /* a number without commas */
	GN_CELL_TIME, /* nanoseconds */
	GN_CELL_FLAG,
	GN_CELL_PCT, /* a percent of `whole` */
};

struct gn_sheet_column {
	const char *key;   /* in CSV and JSON, where a time has _ns appended;
			    * for --sort */
	const char *title; /* of tables */
	enum gn_cell_kind kind;
};

/* A cell. An unknown value is an empty cell, and is absent in JSON; `shown` can
 * still tell people what is known. */
struct gn_cell {
	bool known;
	uint64_t n, whole;
	const char *text;
	const char *shown; /* what people read; NULL: the value itself */
};

struct gn_sheet;

/* The most columns that a sheet has. */
#define GN_SHEET_COLUMNS 32

/* What is the same in all sheets of one enum gn_by. */
struct gn_sheet_kind {
	const char *json; /* its key in JSON */
	const struct gn_sheet_column *column;
	size_t ncolumns; /* GN_SHEET_COLUMNS at most */
	/* keys, separated by commas, of the columns that a table leaves out if
	 * lines are too narrow, in this order */
	const char *spare;
	/* Adds the rows, in their usual order. 0 or -ENOMEM. */
	int (*fill)(const struct gn_model *m, struct gn_sheet *s);
};

struct gn_sheet {
	const struct gn_sheet_kind *kind;
	const char *nothing;  /* printed if there is no row */
	struct gn_cell *cell; /* row by row */
	size_t n, room;	      /* rows */
	size_t limited;	      /* rows that a limit left out */
	char **own;	      /* texts that the sheet owns */
	size_t nown, own_room;
	char *note; /* a line above the table, or NULL */
	/* with --columns: `kind` points to this */
	struct gn_sheet_kind chosen;
	struct gn_sheet_column chosen_column[GN_SHEET_COLUMNS];
};

static inline bool gn_by_is_sheet(enum gn_by by)
{
	return by >= GN_BY_GC && by <= GN_BY_THREAD_SYSCALLS;
}

/* The families of events that the sheet needs, as bits: enum gn_family. */
uint32_t gn_sheet_families(enum gn_by by);

/* The i-th word that rows of `by` can be sorted by, NULL past the last. */
const char *gn_sheet_sort_word(enum gn_by by, size_t i);
/* The column with this key or title, for --sort and --columns. -1: none. */
int gn_sheet_column(enum gn_by by, const char *word);
const struct gn_sheet_kind *gn_sheet_kind(enum gn_by by);

/* The columns of a --columns list, in its order. Returns their number, or
 * -EINVAL: a word is unknown, or there are too many. */
int gn_sheet_columns(enum gn_by by, const char *list,
		     size_t column[GN_SHEET_COLUMNS]);
/* Removes all columns from a sheet that are not in `list`. The sheet must not
 * be moved afterwards: its `kind` points into it. 0, -EINVAL, -ENOMEM. */
int gn_sheet_choose(struct gn_sheet *s, enum gn_by by, const char *list);

/* 0, -ENOMEM, or -EINVAL: o->sort or o->columns has a name that is not a
 * column. Call gn_sheet_clear() in each case. */
int gn_sheet_make(const struct gn_model *m, const struct gn_output_opts *o,
		  struct gn_sheet *out);
void gn_sheet_clear(struct gn_sheet *s);

/* 0, -errno of the stream, -ENOMEM. */
int gn_sheet_table(const struct gn_sheet *s, const struct gn_output_opts *o,
		   FILE *f);
int gn_sheet_csv(const struct gn_sheet *s, FILE *f);
int gn_sheet_markdown(const struct gn_sheet *s, const struct gn_output_opts *o,
		      FILE *f);
int gn_sheet_json(const struct gn_sheet *s, struct gn_emit *e);

/* Why there are no rows: `text`, followed by GN_SHEET_AOT if a program ran
 * whose runtime reports nothing. */
#define GN_SHEET_NOTHING(m, text) (gn_sheet_aot(m) ? text GN_SHEET_AOT : (text))
bool gn_sheet_aot(const struct gn_model *m);
#define GN_SHEET_AOT "; Native AOT (.NET compiled to native code) reports none"

/* For code that fills a sheet. Adds a row of unknown cells. NULL: no memory. */
struct gn_cell *gn_sheet_row(struct gn_sheet *s);
void gn_cell_text(struct gn_cell *c, const char *text); /* "": not known */
/* Shown without its directories. */
void gn_cell_module(struct gn_cell *c, const char *path);
/* A name, shown to people in its short form. */
void gn_cell_name(struct gn_cell *c, const struct gn_model_named *of);
void gn_cell_number(struct gn_cell *c, uint64_t n);
/* The sheet owns `text` from now on. NULL: no memory. */
const char *gn_sheet_own(struct gn_sheet *s, char *text);

/* Sorts the rows by a column: texts, ids and times since the start ascending,
 * everything else descending, unknown values last. 0 or -ENOMEM. */
int gn_sheet_sort(struct gn_sheet *s, size_t column);

/* In the files sheet_*.c. */
extern const struct gn_sheet_kind gn_sheet_events;
extern const struct gn_sheet_kind gn_sheet_loads;
extern const struct gn_sheet_kind gn_sheet_jit;
extern const struct gn_sheet_kind gn_sheet_exceptions;
extern const struct gn_sheet_kind gn_sheet_allocations;
extern const struct gn_sheet_kind gn_sheet_gc;
extern const struct gn_sheet_kind gn_sheet_samples;
extern const struct gn_sheet_kind gn_sheet_syscalls;
extern const struct gn_sheet_kind gn_sheet_thread_syscalls;

/* What an event of a runtime says besides its name, for people. "": nothing.
 * NULL: no memory. The caller frees it. */
char *gn_event_detail(uint16_t event, const uint64_t value[GN_RT_VALUES]);

#endif
