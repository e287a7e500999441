// SPDX-License-Identifier: BSD-2-Clause
/* Formats arguments and results that are numbers, for people. */
#include "output/calls.h"

#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const struct gn_calls_function *gn_call_class(const struct gn_calls_out *out,
					      const struct gn_call_value *v)
{
	if (v->type != GN_VALUE_CLASS || v->class_fn == GN_NONE)
		return NULL;
	return &out->functions[v->class_fn];
}

/* Writes the fewest digits that identify the number. A whole number that people
 * can still read has no exponent: 250, not 2.5e+02. */
static void put_shortest(char buf[GN_CELL], double value, bool is_single)
{
	int most = is_single ? FLT_DECIMAL_DIG : DBL_DECIMAL_DIG;

	/* the type holds every whole number below this limit */
	if (fabs(value) < (is_single ? 1e7 : 1e15) &&
	    value == (double)(int64_t)value) {
		snprintf(buf, GN_CELL, "%.0f", value);
		return;
	}
	for (int digits = 1; digits <= most; digits++) {
		snprintf(buf, GN_CELL, "%.*g", digits, value);
		if (is_single ? strtof(buf, NULL) == (float)value
			      : strtod(buf, NULL) == value)
			return;
	}
}

bool gn_call_float(const struct gn_call_value *v, double *value)
{
	uint32_t low = (uint32_t)v->number;
	float single;

	if (v->type == GN_VALUE_F64) {
		memcpy(value, &v->number, sizeof(*value));
	} else if (v->type == GN_VALUE_F32) {
		memcpy(&single, &low, sizeof(single));
		*value = (double)single;
	} else {
		return false;
	}
	return true;
}

void gn_call_number(char buf[GN_CELL], const struct gn_call_value *v)
{
	double value;

	if (gn_call_float(v, &value)) {
		if (isnan(value)) /* of either sign */
			snprintf(buf, GN_CELL, "nan");
		else
			put_shortest(buf, value, v->type == GN_VALUE_F32);
		return;
	}
	switch (v->type) {
	case GN_VALUE_I8:
	case GN_VALUE_I16:
	case GN_VALUE_I32:
	case GN_VALUE_I64:
		snprintf(buf, GN_CELL, "%" PRId64, (int64_t)v->number);
		break;
	case GN_VALUE_BOOL:
		snprintf(buf, GN_CELL, "%s", v->number ? "true" : "false");
		break;
	case GN_VALUE_PTR:
	case GN_VALUE_CLASS: /* without a name: the method table */
		snprintf(buf, GN_CELL, "0x%" PRIx64, v->number);
		break;
	case GN_VALUE_STRUCT:
		snprintf(buf, GN_CELL, "{...}");
		break;
	default:
		snprintf(buf, GN_CELL, "%" PRIu64, v->number);
	}
}
