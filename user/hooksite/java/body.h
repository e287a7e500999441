/* SPDX-License-Identifier: BSD-2-Clause */
/* A method with hooks: its Code attribute, written anew. */
#ifndef GNOMON_JAVA_BODY_H
#define GNOMON_JAVA_BODY_H

#include "initial.h"

/* What the constants that are added to the class are. */
struct gn_java_added {
	struct gn_java_refs refs;
	uint16_t throwable;	  /* Class */
	uint16_t stack_map_table; /* Utf8 */
};

/* Memory that the methods of a class use one after the other, for the longest
 * code of them and its end. */
struct gn_java_work {
	uint32_t *map;
	uint8_t *mark;
	struct gn_java_states states;
};

/*
 * Writes the Code attribute of a method, which has one. Returns 0, an enum
 * gn_java_refusal or -ENOMEM; then what was written is to be taken back.
 */
int gn_java_put_body(const struct gn_java_class *c,
		     const struct gn_java_member *m,
		     const struct gn_java_added *added,
		     const struct gn_java_call *call, struct gn_java_work *work,
		     struct gn_java_out *out);

#endif
