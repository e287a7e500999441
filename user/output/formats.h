/* SPDX-License-Identifier: BSD-2-Clause */
/* The formats of reports; see output.h for the functions' contract. */
#ifndef GNOMON_OUTPUT_FORMATS_H
#define GNOMON_OUTPUT_FORMATS_H

#include "output/needs.h"
#include "output/output.h"

/* X(name, help, shape, binary, needed library (needs.h), file name ending). The
 * function is gn_NAME_write(). */
/* clang-format off */
#define GN_FORMAT_LIST(X) \
	X(table, "aligned columns, for people", ROWS, false, NOTHING, "txt") \
	X(csv, "RFC 4180, exact nanoseconds", ROWS, false, NOTHING, "csv") \
	X(json, "everything, exact nanoseconds", ROWS, false, NOTHING, "json") \
	X(markdown, "a table for a pull request", ROWS, false, NOTHING, "md") \
	X(ndjson, "rows for a database", ALL, false, NOTHING, "ndjson") \
	X(openmetrics, "gauges for Prometheus", ALL, false, NOTHING, "prom") \
	X(collapsed, "stacks for flame graphs", STACKS, false, NOTHING, "folded") \
	X(speedscope, "stacks for speedscope.app", STACKS, false, NOTHING, "speedscope.json") \
	X(pprof, "stacks for go tool pprof", STACKS, true, PROTOBUF, "pb.gz") \
	X(callgrind, "calls for callgrind_annotate and KCachegrind", STACKS, false, NOTHING, "callgrind")
/* clang-format on */

#define GN_FORMAT_FUNCTION(name, ...)                   \
	int gn_##name##_write(const struct gn_model *m, \
			      const struct gn_output_opts *o, FILE *f);
GN_FORMAT_LIST(GN_FORMAT_FUNCTION)
#undef GN_FORMAT_FUNCTION

#endif
