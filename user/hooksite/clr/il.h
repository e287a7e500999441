/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Hooks in a method's IL (ECMA-335, II.25.4 and III): a call at its start, and
 * one wherever it ends. The body is hostile: a malformed one is refused.
 *
 * The hooks get the method's index and the address of a local. That address is
 * the same during one activation, and lower in its callees. They also get the
 * places of the values that are asked for (GN_PLACE_SIZE): of arguments, or of
 * the local that holds the result.
 */
#ifndef GNOMON_CLR_IL_H
#define GNOMON_CLR_IL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cor.h"
#include "il_async.h"
#include "il_await.h"
#include "il_value.h"

/* COR_IL_MAP: where an instruction of the old code is in the new one. */
struct gn_il_map {
	uint32_t from;
	uint32_t to;
	int32_t accurate;
};

/* What is done to an async state machine. */
enum gn_il_how {
	GN_IL_STATES, /* reports its states */
	GN_IL_TAGS,   /* and puts tags into them (gnomon/machine_state.h) */
	GN_IL_UNTAGS, /* reports nothing, but understands tagged states */
};

/* Hooks of an async state machine: void(uint, int) with index and state. */
struct gn_il_async {
	enum gn_il_how how;
	uint32_t session; /* for tags: the session's number */
	struct gn_il_machine machine;
	uint64_t entered;
	uint64_t suspends, completes, faults; /* before the store, or call */
};

/*
 * Hooks for methods that the runtime itself suspends (md_await.h): void(uint,
 * uint) with the index and a number or an address. The frame's local holds the
 * number of the latest await, and is kept while the method is suspended.
 */
struct gn_il_suspends {
	/* before an await: its number; then, after it and at the begin of each
	 * handler, its number and the frame's address. 0: the runtime does not
	 * suspend the method. */
	uint64_t awaits, awaited, resumed;
	const struct gn_il_awaits *list;
	/* At the start of the method that the runtime calls for a suspension:
	 * the value of this field of its first argument. The frames below that
	 * address are suspended. 0: another method */
	uint64_t suspended;
	gn_token field;
	/* Where the session's number is, and the number that it must be: calls
	 * outlast their session. NULL: they cannot. */
	const _Atomic uint32_t *now;
	uint32_t session;
};

/*
 * For hooks that need nothing new in the metadata (borrow.h): the signature of
 * their call is that of a method with one parameter. Its object is the index.
 */
struct gn_il_borrowed {
	bool is_set; /* false: the others have no meaning */
	bool by_ref; /* the parameter is a reference, not a number */
	bool pops;   /* the method returns something */
	bool in_arg; /* the frame's slot is an argument */
};

struct gn_il_hooks {
	/* addresses: void(uint, uint, ...); 0: calls are not seen */
	uint64_t enter, leave, unwound;
	/* void(place, context), called before those for an object whose class
	 * is reported */
	uint64_t see, context;
	uint32_t index;
	gn_token call;	 /* signature of hooks that get no values */
	gn_token locals; /* of the signature from gn_il_locals() */
	uint16_t frame;	 /* the local whose address the hooks get */
	/* the method returns a value, in local frame + 1, or in the borrowed
	 * slot of the frame; otherwise that local is for tags */
	bool result;
	struct gn_il_borrowed borrowed;
	const struct gn_il_async *async; /* NULL: no async state machine */
	struct gn_il_suspends suspends;
	struct gn_il_values values;
};

/* From malloc(). The caller frees it with gn_il_free(). */
struct gn_il_body {
	uint8_t *bytes;
	size_t size;
	struct gn_il_map *map;
	size_t nmap;
};

/* Reads the token of a body's locals; 0: it has none. Returns 0 or -EINVAL. */
int gn_il_locals_token(const uint8_t *body, size_t size, gn_token *token);

/*
 * Makes the signature of a method's locals: those of `old`, which may be empty,
 * then one for the frame, and one for the result, or for tags if there is none.
 * Both input signatures are of the method's module. `frame`: the number of the
 * frame's local. `out` is from malloc(). Returns 0, -EINVAL, -ENOMEM or -E2BIG.
 */
int gn_il_locals(const struct gn_bytes *old, const struct gn_bytes *method,
		 struct gn_bytes *out, uint16_t *frame, bool *result);

/*
 * Makes the body with hooks. A method with tail calls (tail. prefix) has its
 * leave before each of them, and none if an exception ends it. Returns 0,
 * -EINVAL or -ENOMEM; -EOPNOTSUPP: the method has a jmp.
 */
int gn_il_rewrite(const uint8_t *body, size_t size,
		  const struct gn_il_hooks *hooks, struct gn_il_body *out);
void gn_il_free(struct gn_il_body *body);

#endif
