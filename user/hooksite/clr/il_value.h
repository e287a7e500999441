/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Finds the arguments and the result of a method by its signature, so that its
 * hooks in IL get their places. Parameters are counted in the order of the
 * source, floating point ones separately from the others.
 */
#ifndef GNOMON_CLR_IL_VALUE_H
#define GNOMON_CLR_IL_VALUE_H

#include <stdbool.h>
#include <stdint.h>

#include <gnomon/spec.h>

#include "cor.h"

/* Any of the values can be an argument. */
#define GN_ARGS_MAX GN_VALUES_MAX

struct gn_il_value {
	bool has;      /* the method has it; else its place is 0 */
	bool is_class; /* an object whose class is reported */
	int8_t size;   /* bytes; below 0: signed; 0: not known here */
	uint8_t own;   /* enum gn_value_type, if reported by its type; or 0 */
	uint16_t arg;  /* which argument, as IL counts */
	gn_token type; /* the type that gives its size; 0: none */
};

struct gn_il_values {
	uint32_t nargs; /* that are asked for */
	struct gn_il_value arg[GN_ARGS_MAX];
	bool asks_result;
	struct gn_il_value result;
	/* StandAloneSig of the hooks: two arguments, then the places */
	gn_token enter, leave;
};

struct gn_md;

/* What can only be an object: `self`, of which it is a method; and a bit for
 * each of the first 32 type parameters of the type and of the method. `md`
 * distinguishes structures from enums; NULL: they are not known. */
struct gn_il_objects {
	bool self;
	uint32_t of_type, of_method;
	const struct gn_md *md;
};

/* A token for a type of the method's module; 0: there is none. */
typedef gn_token (*gn_il_type_fn)(void *ctx, const struct gn_bytes *type);

/* Finds the values in `which`, in that order, for a method of this signature.
 * `which` has a character for each value (GN_ASKED_WORD and so on); any other
 * character ends it. If the signature cannot be read, the method has none of
 * them. The caller sets the tokens of the hooks. */
void gn_il_values(const struct gn_bytes *method,
		  const struct gn_il_objects *objects, const char *which,
		  gn_il_type_fn type, void *ctx, struct gn_il_values *out);

#endif
