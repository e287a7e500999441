/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * JSON lines: an object a period, on one line. Its fields are those of a
 * report (see the design, section 9), of the period, but for the tree; and:
 *   "period": "number", "time" (UTC), "wall_ns", "length_ns", "session_ns",
 *     "start_ns", "end_ns" (as the clock has it)
 *   "target": "state", "title"; "signal" and "status" once it is over, as
 *     far as they are known
 *   "function_probes": whether functions are seen at all
 *   "lost_total": "records" since tracing began
 *   "machine_totals": "cpus", "busy_ns", .. of the period ("machine" is the
 *     machine's name, as in a report)
 *   "self": "cpu_ns" of the period, "rss_bytes"
 *   "budget": "pct" when one is set, "slowdown_pct" when it is known, "muted":
 *     functions
 *   a thread's: "runtime", "state"; "doing" and "syscall" when they say
 *     something; "current", "top": functions, when there are any;
 *     "functions": its part of each, and "functions_hidden": how many a limit
 *     left out; "stack", the outermost first, and "stack_depth"; "activities":
 *     compilations and collections that fell in the period
 *   a function's "index", which "function" in a thread refers to within the
 *     line; null is what is outside of any
 * Functions that did nothing in the period and that nothing refers to are left
 * out. A field that is not known is left out.
 */
#ifndef GNOMON_TOP_LINES_H
#define GNOMON_TOP_LINES_H

#include <stdio.h>

#include "top/top.h"

struct gn_top_lines_opts {
	size_t limit;  /* of the arrays, 0 = all; "hidden" tells the rest */
	size_t shares; /* of a thread's "functions", 0 = all */
	bool stacks;   /* "stack" is told */
};

/* Writes and flushes a period. 0; -errno of the stream (-EPIPE: its reader went
 * away, -ENOSPC), -ENOMEM, -EBADMSG: the model is none. After an error the line
 * is not whole, and no more is to be written. */
int gn_top_lines(const struct gn_top_period *p,
		 const struct gn_top_lines_opts *o, FILE *f);

#endif
