/* SPDX-License-Identifier: BSD-2-Clause */
/* Where the instructions of a method go when hooks come between them. */
#ifndef GNOMON_JAVA_LAYOUT_H
#define GNOMON_JAVA_LAYOUT_H

#include "bytecode.h"

enum gn_java_mark {
	GN_MARK_OP = 1,	    /* an instruction begins here */
	GN_MARK_TARGET = 2, /* of a branch or a handler */
	GN_MARK_WIDE = 4,   /* a branch that needs four bytes */
	/* in constructors: it runs before, or after the object is initialized
	 */
	GN_MARK_RAW = 8,
	GN_MARK_READY = 16,
	GN_MARK_PENDING = 32, /* to be looked at (initial.c) */
	GN_MARK_INIT = 64,    /* initializes the object of the constructor */
};

/* A call of a hook: the index is pushed, then it is called. */
struct gn_java_call {
	uint8_t push[3];
	uint8_t npush;
};

#define GN_JAVA_INVOKE_LEN 3

struct gn_java_layout {
	const struct gn_java_class *class;
	struct gn_java_code old;
	struct gn_java_call call;
	/* Of each byte of the old code, and of its end, where it is in the new
	 * code: of an instruction, where what is put before it begins. The
	 * bytes within an instruction are where it begins. */
	uint32_t *map;
	uint8_t *mark; /* of each byte of the old code: enum gn_java_mark */
	uint32_t returns;
	/* a constructor: it is entered when its object is initialized */
	bool constructor;
	uint32_t handler; /* of ours, in the new code */
	uint32_t len;	  /* of the new code */
};

/* Finds the instructions and the targets of the old code, which is set, as are
 * map and mark. Returns 0 or an enum gn_java_refusal. */
int gn_java_scan(struct gn_java_layout *l);

/* Then, for constructors after gn_java_find_raw(): finds where all is in the
 * new code. Returns 0 or an enum gn_java_refusal. */
int gn_java_lay_out(struct gn_java_layout *l);

/* Whether an instruction of the old code begins at this offset. */
static inline bool gn_java_is_op(const struct gn_java_layout *l, uint32_t at)
{
	return at < l->old.len && l->mark[at] & GN_MARK_OP;
}

/* Where a line or a variable begins: the first ones have the call of enter. */
static inline uint32_t gn_java_begin(const struct gn_java_layout *l,
				     uint32_t at)
{
	return at ? l->map[at] : 0;
}

/* Methodrefs of the hooks. */
struct gn_java_refs {
	uint16_t enter, leave, unwound;
};

/* Then: writes the new code. */
void gn_java_put_code(const struct gn_java_layout *l,
		      const struct gn_java_refs *refs, struct gn_java_out *out);

#endif
