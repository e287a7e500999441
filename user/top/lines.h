/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * JSON lines: one object per period, on one line. Its fields are those of a
 * report (docs/json.md) about the period, without the tree; and:
 *   "period": "number", "time" (UTC), "wall_ns", "length_ns", "session_ns",
 *     "start_ns", "end_ns" (of CLOCK_MONOTONIC)
 *   "target": "state", "title"; "signal" and "status" after its end, if they
 *     are known
 *   "function_probes": whether functions are traced
 *   "lost_total": "records" since tracing began
 *   "machine_totals": "cpus", "busy_ns", .. of the period ("machine" is the
 *     machine's name, as in a report)
 *   "self": "cpu_ns" of the period, "rss_bytes"
 *   "budget": "pct" if one is set, "slowdown_pct" if it is known, "muted":
 *     functions
 *   of a thread: "runtime", "state"; "doing" and "syscall" if they apply;
 *     "current", "top": functions, if there are any; "functions": its values
 *     in each, and "functions_hidden", which is 0; "stack", the
 *     outermost first, and "stack_depth"; "activities": compilations and
 *     collections in the period
 *   of a function: "index", to which "function" in a thread refers within the
 *     line; null is time outside of any function
 * Functions that did nothing in the period and that nothing refers to are left
 * out. So are fields that are not known.
 */
#ifndef GNOMON_TOP_LINES_H
#define GNOMON_TOP_LINES_H

#include <stdio.h>

#include "top/top.h"

struct gn_top_lines_opts {
	size_t limit; /* of the arrays, 0 = all; "hidden" counts the rest */
};

/* Writes and flushes a period. 0; -errno of the stream (-EPIPE: its reader is
 * gone, -ENOSPC), -ENOMEM, -EBADMSG: the model is invalid. After an error the
 * line is incomplete; write no more lines. */
int gn_top_lines(const struct gn_top_period *p,
		 const struct gn_top_lines_opts *o, FILE *f);

#endif
