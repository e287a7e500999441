/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The compilations under way on one thread. The runtime does not report the end
 * of a compilation that throws, as when a method needs an assembly that is
 * missing. What the thread does next shows that this compilation is over.
 */
#ifndef GNOMON_CLR_COMPILING_H
#define GNOMON_CLR_COMPILING_H

#include <stdbool.h>
#include <stdint.h>

#include "cor.h"

/* Nested compilations: a compilation can run code that must be compiled. A
 * library that is loaded late has little memory for each thread. */
#define GN_COMPILING_MAX 4

struct gn_compiling_one {
	uint64_t frame; /* an address in the frame of its begin's callback */
	gn_cor_id function;
	uint32_t index : 31;
	bool hooks : 1; /* the runtime makes hooks meanwhile */
};

/* All zeros is a thread that compiles nothing. */
struct gn_compiling {
	struct gn_compiling_one one[GN_COMPILING_MAX];
	uint32_t n;
	uint32_t session; /* see gn_compiling_in() */
};

/* Forgets compilations that began in another session: their ends may not have
 * been reported. */
void gn_compiling_in(struct gn_compiling *c, uint32_t session);

/*
 * Call it before `function` begins in `frame`: it takes a compilation that is
 * over. One that is still under way is of another function, and its frame is
 * far above this one on the stack. If there are too many, it takes the oldest.
 * False: all are under way.
 */
bool gn_compiling_over(struct gn_compiling *c, uint64_t frame,
		       gn_cor_id function, struct gn_compiling_one *over);

/* gn_compiling_over() has made room. */
void gn_compiling_begins(struct gn_compiling *c, uint64_t frame,
			 gn_cor_id function, uint32_t index);

/* The runtime makes hooks during the innermost compilation. */
void gn_compiling_hooks(struct gn_compiling *c);

/* The runtime reports the end of `function`. Takes its compilation
 * (`one->function` is `function`), or first one that began in it and is over.
 * False: its begin is not known. */
bool gn_compiling_ends(struct gn_compiling *c, gn_cor_id function,
		       struct gn_compiling_one *one);

#endif
