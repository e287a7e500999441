/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The compilations that one thread has under way. The runtime tells no end of
 * one that throws, as where a method needs an assembly that is not there: what
 * the thread does next shows that it is over.
 */
#ifndef GNOMON_CLR_COMPILING_H
#define GNOMON_CLR_COMPILING_H

#include <stdbool.h>
#include <stdint.h>

#include "cor.h"

/* Compilations in each other: what a compilation runs can need one. A library
 * that is loaded late has little room for each thread. */
#define GN_COMPILING_MAX 4

struct gn_compiling_one {
	uint64_t frame; /* an address in the frame of who was told its begin */
	gn_cor_id function;
	uint32_t index : 31;
	bool hooks : 1; /* the runtime makes hooks meanwhile */
};

/* All zeros is a thread that compiles nothing. */
struct gn_compiling {
	struct gn_compiling_one one[GN_COMPILING_MAX];
	uint32_t n;
	uint32_t session; /* of a caller's; see gn_compiling_in() */
};

/* What began in another session has ended without being told, if it has. */
void gn_compiling_in(struct gn_compiling *c, uint32_t session);

/*
 * Before `function` begins in `frame`: takes one that is over. One that goes on
 * is of another function, and far above it on the stack; and they are not too
 * many. False: all go on.
 */
bool gn_compiling_over(struct gn_compiling *c, uint64_t frame,
		       gn_cor_id function, struct gn_compiling_one *over);

/* There is room, by the above. */
void gn_compiling_begins(struct gn_compiling *c, uint64_t frame,
			 gn_cor_id function, uint32_t index);

/* While the innermost one goes on, the runtime makes hooks. */
void gn_compiling_hooks(struct gn_compiling *c);

/* The function's end is told: takes it (`one->function` is the function), or
 * first one that began in it and is over. False: its begin is not known. */
bool gn_compiling_ends(struct gn_compiling *c, gn_cor_id function,
		       struct gn_compiling_one *one);

#endif
