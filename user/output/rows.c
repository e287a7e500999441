/* SPDX-License-Identifier: BSD-2-Clause */
#include "output/rows.h"

#include <string.h>

int gn_rows_make(const struct gn_model *m, const struct gn_output_opts *o,
		 struct gn_rows *out)
{
	memset(out, 0, sizeof(*out));
	if (o->by == GN_BY_TREE)
		return gn_rows_tree(m, o, out);
	if (o->by == GN_BY_CALLERS)
		return gn_rows_callers(m, o, out);
	if (o->by == GN_BY_WAITS)
		return gn_rows_waits(m, o, out);
	if (o->by == GN_BY_ASYNC)
		return gn_rows_async(m, o, out);
	return gn_rows_flat(m, o, out);
}
