/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Arguments and the result of a method that are told by hooks in its IL, by its
 * signature. Parameters are counted as they stand in its source; those in
 * floating point are not, as where hooks are not in the IL.
 */
#ifndef GNOMON_CLR_IL_VALUE_H
#define GNOMON_CLR_IL_VALUE_H

#include <stdint.h>

#include <gnomon/spec.h>

#include "cor.h"

struct gn_il_value {
	uint8_t which; /* 1 to 6: an argument, 0: the result */
	int8_t size;   /* bytes; below 0: signed; 0: not known here */
	uint16_t arg;  /* the argument, as IL counts */
	gn_token type; /* what has its size; 0: none */
};

struct gn_il_values {
	uint32_t asked; /* by which option of the session's */
	uint32_t n;
	struct gn_il_value value[GN_VALUES_MAX];
};

/* A token for a type of the method's module; 0: there is none. */
typedef gn_token (*gn_il_type_fn)(void *ctx, const struct gn_bytes *type);

/* Those of `which` that a method of this signature has, in that order: a digit
 * each, up to anything else. None if the signature cannot be read. `asked`
 * stays as it is. */
void gn_il_values(const struct gn_bytes *method, const char *which,
		  gn_il_type_fn type, void *ctx, struct gn_il_values *out);

#endif
