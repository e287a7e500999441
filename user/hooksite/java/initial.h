/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * In a constructor, which instructions run before the object is initialized by
 * super() or this(), and which ones do that (JVMS 4.10.1.9, invokespecial).
 */
#ifndef GNOMON_JAVA_INITIAL_H
#define GNOMON_JAVA_INITIAL_H

#include "layout.h"

/* Memory for all constructors of a class. */
struct gn_java_states {
	struct gn_java_out store;
	uint32_t *of;	/* of each byte of the code: where its state is */
	uint32_t steps; /* of all constructors until now */
};

/*
 * After gn_java_scan(): follows the code from its begin, and marks all that can
 * run with GN_MARK_RAW or GN_MARK_READY, and calls of super() and this() with
 * GN_MARK_INIT. Returns 0, an enum gn_java_refusal or
 * -ENOMEM.
 */
int gn_java_find_raw(struct gn_java_layout *l, struct gn_java_states *states);

#endif
