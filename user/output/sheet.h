/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Tables whose rows are no functions, with columns of their own: what runtimes
 * told of themselves. One sheet is printed by each format that has rows.
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
	GN_CELL_PCT, /* a percent: of `whole` */
};

struct gn_sheet_column {
	const char *key;   /* of CSV and JSON; times end with _ns */
	const char *title; /* of tables */
	enum gn_cell_kind kind;
};

/* What is not known is no cell: empty, and in JSON absent. */
struct gn_cell {
	bool known;
	uint64_t n, whole;
	const char *text;
	const char *shown; /* what people read; NULL: text */
};

struct gn_sheet {
	const char *json;    /* its key in JSON */
	const char *nothing; /* said when there is no row */
	const struct gn_sheet_column *column;
	size_t ncolumns;      /* 32 at most */
	struct gn_cell *cell; /* row by row */
	size_t n, room;	      /* rows */
	size_t limited;	      /* that a limit left out */
	char **own;	      /* texts that were made */
	size_t nown, own_room;
	char *note; /* a line above the table, or NULL */
};

static inline bool gn_by_is_sheet(enum gn_by by)
{
	return by >= GN_BY_GC && by <= GN_BY_SAMPLES;
}

/* Families of events whose rows the sheet needs: enum gn_family. */
uint32_t gn_sheet_families(enum gn_by by);

/* 0 or -ENOMEM; gn_sheet_clear() in each case. */
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

/* For those that fill one. A new row, of unknown cells; NULL: no memory. */
struct gn_cell *gn_sheet_row(struct gn_sheet *s);
void gn_cell_text(struct gn_cell *c, const char *text); /* "": not known */
/* People read a file's last name only. */
void gn_cell_module(struct gn_cell *c, const char *path);
/* The name of something, and how people write it. */
void gn_cell_name(struct gn_cell *c, const struct gn_model_named *of);
void gn_cell_number(struct gn_cell *c, uint64_t n);
/* A text that the sheet owns from now on; NULL: no memory. */
const char *gn_sheet_own(struct gn_sheet *s, char *text);

/* Of the files sheet_*.c: they fill one. */
int gn_sheet_events(const struct gn_model *m, struct gn_sheet *s);
int gn_sheet_loads(const struct gn_model *m, struct gn_sheet *s);
int gn_sheet_jit(const struct gn_model *m, struct gn_sheet *s);
int gn_sheet_exceptions(const struct gn_model *m, struct gn_sheet *s);
int gn_sheet_allocations(const struct gn_model *m, struct gn_sheet *s);
int gn_sheet_gc(const struct gn_model *m, struct gn_sheet *s);
int gn_sheet_samples(const struct gn_model *m, struct gn_sheet *s);

/* What an event of a runtime tells beside its name, for people. "": nothing.
 * NULL: no memory. Freed by the caller. */
char *gn_event_detail(uint16_t event, const uint64_t value[GN_RT_VALUES]);

#endif
