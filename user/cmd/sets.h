/* SPDX-License-Identifier: BSD-2-Clause */
/* Reads sets of captures for `check` and `diff`. */
#ifndef GNOMON_CMD_SETS_H
#define GNOMON_CMD_SETS_H

#include "cmd/options.h"
#include "cmd/repeat.h"
#include "compare/compare.h"

struct gn_sets {
	struct gn_traces of[GN_SIDE_COUNT];
	struct gn_comparison comparison;
	/* one sentence: why they cannot be trusted; NULL: they can be
	 * trusted */
	const char *unsound;
	bool broken; /* a self-check failed */
	/* whether captures time system calls and page faults; 0: unknown */
	char timed[2];
	char *asked;	   /* the -f of the first capture; NULL: unknown */
	bool asked_unlike; /* another capture has a different -f */
};

/*
 * Reads all files of both sides. Reports on stderr which of them lost records
 * or fail a self-check. None of them may be args->output or `junit` (which may
 * be NULL). `paths`: also reads their call trees. Returns GN_EXIT_OK, or
 * another exit status after it has reported the error. Always call
 * gn_sets_clear() afterwards.
 */
int gn_sets_read(struct gn_sets *s, const struct gn_args *args,
		 const char *const *base, size_t nbase, const char *const *new,
		 size_t nnew, const char *junit, bool paths);
void gn_sets_clear(struct gn_sets *s);

#endif
