/* SPDX-License-Identifier: BSD-2-Clause */
/* The formats of reports; see output.h for the functions' contract. */
#ifndef GNOMON_OUTPUT_FORMATS_H
#define GNOMON_OUTPUT_FORMATS_H

#include "output/needs.h"
#include "output/output.h"

/* X(name, help, of stacks, binary, what it needs: needs.h). The function is
 * gn_NAME_write(). */
/* clang-format off */
#define GN_FORMAT_LIST(X) \
	X(table, "aligned columns, for people", false, false, NOTHING) \
	X(csv, "RFC 4180, exact nanoseconds", false, false, NOTHING) \
	X(json, "everything, exact nanoseconds", false, false, NOTHING) \
	X(collapsed, "stacks for flame graphs", true, false, NOTHING) \
	X(speedscope, "stacks for speedscope.app", true, false, NOTHING) \
	X(pprof, "stacks for go tool pprof", true, true, PROTOBUF) \
	X(callgrind, "calls for callgrind_annotate and KCachegrind", true, false, NOTHING)
/* clang-format on */

#define GN_FORMAT_FUNCTION(name, ...)                   \
	int gn_##name##_write(const struct gn_model *m, \
			      const struct gn_output_opts *o, FILE *f);
GN_FORMAT_LIST(GN_FORMAT_FUNCTION)
#undef GN_FORMAT_FUNCTION

#endif
