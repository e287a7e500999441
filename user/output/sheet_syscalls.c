// SPDX-License-Identifier: BSD-2-Clause
/* System calls by their number, with all of their time. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "output/sheet.h"
#include "output/syscalls.h"

static int put_name(struct gn_sheet *s, struct gn_cell *c, uint32_t nr)
{
	const char *name = gn_syscall_text(nr);
	char *made;

	if (!name) {
		if (asprintf(&made, "system call %u", nr) < 0)
			return -ENOMEM;
		name = gn_sheet_own(s, made);
	}
	if (!name)
		return -ENOMEM;
	gn_cell_text(c, name);
	return 0;
}

static int put(const struct gn_model_syscall *x, uint64_t whole,
	       struct gn_sheet *s, struct gn_cell *c)
{
	uint64_t elapsed = x->cpu + x->off;

	gn_cell_number(c++, x->calls);
	gn_cell_number(c++, x->failed);
	gn_cell_number(c++, x->begun - x->calls);
	gn_cell_number(c++, elapsed);
	gn_cell_number(c, elapsed);
	c++->whole = whole;
	gn_cell_number(c++, x->cpu);
	gn_cell_number(c++, x->off);
	if (x->calls) {
		gn_cell_number(c, elapsed / x->calls);
		gn_cell_number(c + 1, x->shortest);
		gn_cell_number(c + 2, x->longest);
	}
	return put_name(s, c + 3, x->nr);
}

/* Sets the text for no rows. Returns the time of all calls. */
static uint64_t begin(const struct gn_model *m, struct gn_sheet *s)
{
	const char *timed = gn_model_info(m, "syscalls");
	uint64_t whole = 0;

	s->nothing = timed && !strcmp(timed, "1")
			     ? "no system call was made"
			     : "system calls were not recorded; ask for them "
			       "with --os faults,syscalls";
	for (size_t i = 0; i < m->nsyscalls; i++)
		whole += m->syscalls[i].cpu + m->syscalls[i].off;
	return whole;
}

static int fill_syscalls(const struct gn_model *m, struct gn_sheet *s)
{
	uint64_t whole = begin(m, s);
	int err = 0;

	for (size_t i = 0; i < m->nsyscalls && !err; i++) {
		struct gn_cell *c = gn_sheet_row(s);

		err = c ? put(&m->syscalls[i], whole, s, c) : -ENOMEM;
	}
	return err;
}

static int fill_thread_syscalls(const struct gn_model *m, struct gn_sheet *s)
{
	uint64_t whole = begin(m, s);
	int err = 0;

	for (size_t i = 0; i < m->nthread_syscalls && !err; i++) {
		const struct gn_model_syscall *x = &m->thread_syscalls[i];
		const struct gn_model_thread *t = &m->threads[x->thread];
		struct gn_cell *c = gn_sheet_row(s);

		if (!c)
			return -ENOMEM;
		gn_cell_number(c++, t->pid);
		gn_cell_number(c++, t->tid);
		gn_cell_text(c++, t->name);
		err = put(x, whole, s, c);
	}
	return err;
}

/* clang-format off */
#define COLUMNS \
	{"calls", "calls", GN_CELL_COUNT}, \
	{"errors", "errors", GN_CELL_COUNT}, \
	{"open", "open", GN_CELL_COUNT}, \
	{"elapsed", "elapsed", GN_CELL_TIME}, \
	{"elapsed_pct", "elapsed%", GN_CELL_PCT}, \
	{"cpu", "on a CPU", GN_CELL_TIME}, \
	{"off_cpu", "off CPUs", GN_CELL_TIME}, \
	{"mean", "mean", GN_CELL_TIME}, \
	{"shortest", "shortest", GN_CELL_TIME}, \
	{"longest", "longest", GN_CELL_TIME}, \
	{"name", "system call", GN_CELL_TEXT}
/* clang-format on */

static const struct gn_sheet_column syscalls_columns[] = {COLUMNS};

static const struct gn_sheet_column thread_syscalls_columns[] = {
	{"pid", "pid", GN_CELL_ID},
	{"tid", "tid", GN_CELL_ID},
	{"thread", "thread", GN_CELL_TEXT},
	COLUMNS,
};

#define SPARE "cpu,shortest,off_cpu,mean,longest,open"

const struct gn_sheet_kind gn_sheet_syscalls = {
	.json = "syscalls",
	.column = syscalls_columns,
	.ncolumns = sizeof(syscalls_columns) / sizeof(syscalls_columns[0]),
	.spare = SPARE,
	.fill = fill_syscalls,
};

const struct gn_sheet_kind gn_sheet_thread_syscalls = {
	.json = "thread_syscalls",
	.column = thread_syscalls_columns,
	.ncolumns = sizeof(thread_syscalls_columns) /
		    sizeof(thread_syscalls_columns[0]),
	.spare = "pid," SPARE,
	.fill = fill_thread_syscalls,
};
