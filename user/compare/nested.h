/* SPDX-License-Identifier: BSD-2-Clause */
/* Functions that can become one item, such as lambdas of one function, and that
 * call each other: both include the callee's time. */
#ifndef GNOMON_COMPARE_NESTED_H
#define GNOMON_COMPARE_NESTED_H

#include "compare/compare.h"

/* Adds to the run's measures the time of functions in calls from others of the
 * same lasting name and module. `item`: of each function. 0 or -ENOMEM. */
int gn_nested_add(const struct gn_model *m, struct gn_item *const *item,
		  size_t run);

#endif
