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
	       struct gn_sheet *s)
{
	struct gn_cell *c = gn_sheet_row(s);
	uint64_t elapsed = x->cpu + x->off;

	if (!c)
		return -ENOMEM;
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
		gn_cell_number(c + 1, x->longest);
	}
	c += 2;
	return put_name(s, c, x->nr);
}

int gn_sheet_syscalls(const struct gn_model *m, struct gn_sheet *s)
{
	static const struct gn_sheet_column columns[] = {
		{"calls", "calls", GN_CELL_COUNT},
		{"errors", "errors", GN_CELL_COUNT},
		{"open", "open", GN_CELL_COUNT},
		{"elapsed_ns", "elapsed", GN_CELL_TIME},
		{"elapsed_pct", "elapsed%", GN_CELL_PCT},
		{"cpu_ns", "on a CPU", GN_CELL_TIME},
		{"off_cpu_ns", "off CPUs", GN_CELL_TIME},
		{"mean_ns", "mean", GN_CELL_TIME},
		{"longest_ns", "longest", GN_CELL_TIME},
		{"name", "system call", GN_CELL_TEXT},
	};
	const char *timed = gn_model_info(m, "syscalls");
	uint64_t whole = 0;
	int err = 0;

	s->column = columns;
	s->ncolumns = sizeof(columns) / sizeof(columns[0]);
	s->spare = 0xfU << 5; /* from cpu_ns to longest_ns */
	s->json = "syscalls";
	s->nothing = timed && !strcmp(timed, "1")
			     ? "no system call was made"
			     : "system calls were not recorded; ask for them "
			       "with --os faults,syscalls";
	for (size_t i = 0; i < m->nsyscalls; i++)
		whole += m->syscalls[i].cpu + m->syscalls[i].off;
	for (size_t i = 0; i < m->nsyscalls && !err; i++)
		err = put(&m->syscalls[i], whole, s);
	return err;
}
