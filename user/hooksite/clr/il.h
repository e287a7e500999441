/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Hooks in a method's IL (ECMA-335, II.25.4 and III): a call at its begin and
 * one where it ends, whichever way. The body is hostile: what does not hold
 * together is refused.
 *
 * The hooks are given the method's index and the address of a local, which is
 * the same all through one activation and lower in what it calls; and the
 * places of values that are asked for (GN_PLACE_SIZE): of arguments, or of the
 * local that holds the result.
 */
#ifndef GNOMON_CLR_IL_H
#define GNOMON_CLR_IL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cor.h"
#include "il_async.h"
#include "il_value.h"

/* COR_IL_MAP: where an instruction of the old code is in the new one. */
struct gn_il_map {
	uint32_t from;
	uint32_t to;
	int32_t accurate;
};

/* What is done to an async state machine. */
enum gn_il_how {
	GN_IL_STATES, /* its states are told */
	GN_IL_TAGS,   /* and tags put into them (gnomon/machine_state.h) */
	GN_IL_UNTAGS, /* nothing is told, and it understands tagged states */
};

/* Of an async state machine: void(uint, int) with the index and the state. */
struct gn_il_async {
	enum gn_il_how how;
	uint32_t session; /* for tags: its number */
	struct gn_il_machine machine;
	uint64_t entered;
	uint64_t suspends, completes, faults; /* before the store, or call */
};

struct gn_il_hooks {
	/* addresses: void(uint, uint, ...); 0: no calls are seen */
	uint64_t enter, leave, unwound;
	/* void(place, context), before those, of an object whose class is told
	 */
	uint64_t see, context;
	uint32_t index;
	gn_token call;	 /* StandAloneSig of hooks that get no values */
	gn_token locals; /* that of the locals of gn_il_locals() */
	uint16_t frame;	 /* the local whose address is given */
	/* it returns a value; its local is frame + 1, which else is for tags */
	bool result;
	const struct gn_il_async *async; /* NULL: it is no such machine's */
	struct gn_il_values values;
};

/* From malloc(), the caller's. */
struct gn_il_body {
	uint8_t *bytes;
	size_t size;
	struct gn_il_map *map;
	size_t nmap;
};

/* The token of a body's locals, 0: it has none. -EINVAL. */
int gn_il_locals_token(const uint8_t *body, size_t size, gn_token *token);

/*
 * The signature of a method's locals, `old` may be empty, with two more: the
 * one for the frame and one for the method's value, or for tags if it has none.
 * Both signatures are of the method's module. `frame`: the number of the first
 * one. The text is from malloc(). -EINVAL, -ENOMEM, -E2BIG.
 */
int gn_il_locals(const struct gn_bytes *old, const struct gn_bytes *method,
		 struct gn_bytes *out, uint16_t *frame, bool *result);

/*
 * The body with hooks. A method that goes on in another one (tail. call) has
 * its leave before that, and none when an exception ends it. -EINVAL, -ENOMEM;
 * -EOPNOTSUPP: it ends by a jmp.
 */
int gn_il_rewrite(const uint8_t *body, size_t size,
		  const struct gn_il_hooks *hooks, struct gn_il_body *out);
void gn_il_free(struct gn_il_body *body);

#endif
