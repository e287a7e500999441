/* SPDX-License-Identifier: BSD-2-Clause */
#include "compare/words.h"

#include <math.h>

/* From here on, a value computed from a percentage of a base may not fit an
 * integer. */
#define LARGE 1e18

void gn_format_reading(char buf[GN_CELL], int metric, enum gn_reading reading,
		       double value)
{
	if (reading == GN_READ_SHARE)
		snprintf(buf, GN_CELL, "%.2f %%", value);
	else if (gn_metric_is_time(metric) &&
		 (fabs(value) < 1e3 || fabs(value) >= LARGE))
		snprintf(buf, GN_CELL, "%.0f ns", value);
	else if (gn_metric_is_time(metric))
		gn_format_difference(buf, (int64_t)value, false);
	else if (value == floor(value) && value >= 0 && value < LARGE)
		gn_format_count(buf, (uint64_t)value);
	else
		snprintf(buf, GN_CELL, "%.1f", value);
}

void gn_format_change(char buf[GN_CELL], double base, double now)
{
	if (base == now)
		snprintf(buf, GN_CELL, "%s", base > 0 ? "0.0 %" : "");
	else if (base <= 0)
		snprintf(buf, GN_CELL, "from 0");
	else if (now / base > 100)
		snprintf(buf, GN_CELL, "x %.0f", now / base);
	else
		snprintf(buf, GN_CELL, "%+.1f %%", 100 * (now / base - 1));
}
