/* SPDX-License-Identifier: BSD-2-Clause */
/* Reads sets of captures, for check and diff. */
#ifndef GNOMON_CMD_SETS_H
#define GNOMON_CMD_SETS_H

#include "cmd/options.h"
#include "cmd/repeat.h"
#include "compare/compare.h"

struct gn_sets {
	struct gn_traces of[GN_SIDE_COUNT];
	struct gn_comparison comparison;
	/* one sentence: why they cannot be trusted; NULL: they can */
	const char *unsound;
	bool broken; /* a self-check failed */
	/* whether captures time system calls and page faults; 0: not known */
	char timed[2];
	char *asked; /* what -f of the first capture named; NULL: not known */
	bool asked_unlike; /* another one's -f named something else */
};

/*
 * Reads all files of both sides. Reports on stderr which of them lost records
 * or fail a self-check. None may be args->output or `junit`, which can be NULL.
 * `paths`: with their call trees. Returns GN_EXIT_OK, or
 * another exit status after it has reported the error. Call gn_sets_clear() in
 * each case.
 */
int gn_sets_read(struct gn_sets *s, const struct gn_args *args,
		 const char *const *base, size_t nbase, const char *const *new,
		 size_t nnew, const char *junit, bool paths);
void gn_sets_clear(struct gn_sets *s);

#endif
