/* SPDX-License-Identifier: BSD-2-Clause */
/* The columns that the live view's tables can have. */
#ifndef GNOMON_TOP_VIEW_COLUMNS_H
#define GNOMON_TOP_VIEW_COLUMNS_H

#include "top/classes.h"
#include "top/view.h"

enum gn_top_column {
	GN_TOP_NAME = 0,
	GN_TOP_MODULE,
	GN_TOP_PID,
	GN_TOP_TID,
	GN_TOP_RUNTIME,
	GN_TOP_STATE,
	GN_TOP_BAR, /* of the classes: nothing to sort by */
	GN_TOP_CPU, /* all classes on a CPU */
	GN_TOP_EI,
	GN_TOP_EE,
	GN_TOP_AI,
	GN_TOP_AE,
	GN_TOP_CALLS,
	GN_TOP_CURRENT, /* the function on top of the stack */
	GN_TOP_HOTTEST, /* that with most exclusive time in the period */
	GN_TOP_CLASS,	/* the classes follow */
	GN_TOP_COLUMNS = GN_TOP_CLASS + GN_CLASS_COUNT,
};

/* A table's columns in the order in which they stand. */
struct gn_top_columns {
	int n;
	int column[GN_TOP_COLUMNS];
};

void gn_top_columns(enum gn_top_mode mode, struct gn_top_columns *out);

/* The same without those that nothing can be sorted by. */
void gn_top_sort_columns(enum gn_top_mode mode, struct gn_top_columns *out);

/* What a table is sorted by at first. */
int gn_top_usual_sort(enum gn_top_mode mode);

/* Its title in the table, at most 7 columns but for text columns, and what it
 * is in the chooser. */
const char *gn_top_column_title(int column, enum gn_top_mode mode);
const char *gn_top_column_word(int column, enum gn_top_mode mode);

/* True for text, which sorts upwards; else a number, which sorts downwards. */
bool gn_top_column_text(int column);

/* The function with an index of the model, NULL when there is none. */
const struct gn_model_function *gn_top_function(const struct gn_model *m,
						int32_t index);

/* -1 = none: the indexes of the functions that a thread is in now, and that
 * took the most of its time. */
int32_t gn_top_current(const struct gn_model_thread *t);
int32_t gn_top_hottest(const struct gn_model_thread *t);

/* The runtime of what a thread ran or has on its stack; "-": not known. */
const char *gn_top_runtime(const struct gn_model *m,
			   const struct gn_model_thread *t);
const char *gn_top_runtime_text(enum gn_runtime_id runtime);

/* "R", "Q", what it waits for, "X"; "-": not known. */
const char *gn_top_state(const struct gn_model_thread *t);

/* Time on a CPU. */
uint64_t gn_top_cpu_ns(const uint64_t classes[GN_CLASS_COUNT]);

/* A number a second, of a count in a period of `length` nanoseconds. */
double gn_top_rate(uint64_t count, uint64_t length);

#endif
