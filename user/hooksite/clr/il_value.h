/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Arguments and the result of a method, by its signature, as its hooks in IL
 * are to be given their places. Parameters are counted as they stand in its
 * source, those in floating point apart from the others.
 */
#ifndef GNOMON_CLR_IL_VALUE_H
#define GNOMON_CLR_IL_VALUE_H

#include <stdbool.h>
#include <stdint.h>

#include <gnomon/spec.h>

#include "cor.h"

/* Of the values. */
#define GN_ARGS_MAX GN_VALUES_MAX

struct gn_il_value {
	bool has;      /* the method; else its place is 0 */
	bool is_class; /* of an object, whose class is told */
	int8_t size;   /* bytes; below 0: signed; 0: not known here */
	uint8_t own;   /* enum gn_value_type, if it is told by that; or 0 */
	uint16_t arg;  /* which argument, as IL counts */
	gn_token type; /* what has its size; 0: none */
};

struct gn_il_values {
	uint32_t nargs; /* that are asked for */
	struct gn_il_value arg[GN_ARGS_MAX];
	bool asks_result;
	struct gn_il_value result;
	/* StandAloneSig of the hooks: two arguments, and so many more */
	gn_token enter, leave;
};

struct gn_md;

/* What of a method can only be an object: what it is a method of; and a bit for
 * each of the first type parameters of the type and of its own. `md` tells
 * structures from enums; NULL: nothing does. */
struct gn_il_objects {
	bool self;
	uint32_t of_type, of_method;
	const struct gn_md *md;
};

/* A token for a type of the method's module; 0: there is none. */
typedef gn_token (*gn_il_type_fn)(void *ctx, const struct gn_bytes *type);

/* Those of `which` in a method of this signature, in that order: a character
 * each (GN_ASKED_WORD and so on), up to any other one. It has none if the
 * signature cannot be read. The tokens of hooks are the caller's. */
void gn_il_values(const struct gn_bytes *method,
		  const struct gn_il_objects *objects, const char *which,
		  gn_il_type_fn type, void *ctx, struct gn_il_values *out);

#endif
