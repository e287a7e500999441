/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Metadata signatures (ECMA-335, II.23.2) as text. The blob is hostile: it is
 * bounded in bytes, in depth and by the size of the text.
 */
#ifndef GNOMON_CLR_SIG_H
#define GNOMON_CLR_SIG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cor.h"
#include "text.h"

#define GN_SIG_DEPTH_MAX 16

/* In the first byte of a method's signature. */
#define GN_SIG_GENERIC	      0x10
#define GN_SIG_OF_OBJECT      0x20
#define GN_SIG_OBJECT_IN_LIST 0x40 /* and it is among the parameters */
/* The first byte of a signature of locals. */
#define GN_SIG_LOCALS 0x07

struct gn_sig {
	const uint8_t *bytes;
	size_t size;
	size_t at;
};

/* How names of the program's own types are found. */
struct gn_sig_env {
	void *ctx;
	/* Appends the name of a TypeDef, TypeRef or TypeSpec. `depth` counts
	 * what is nested so far; a TypeSpec goes on counting from it. */
	void (*type)(void *ctx, struct gn_text *out, gn_token token,
		     unsigned int depth);
	/* Appends argument `n` of the generic class, or of the method. */
	void (*variable)(void *ctx, struct gn_text *out, bool of_method,
			 uint32_t n);
	/* Of the types that enclose each other, the outermost first: appends
	 * the name of number `i` of them, what parts it from the one before
	 * it first. `own`: the type arguments that are its own. True: there is
	 * another. NULL: arguments stand behind the name of all. */
	bool (*piece)(void *ctx, struct gn_text *out, gn_token token,
		      unsigned int i, uint32_t *own);
	/* Appends a type whose first byte ECMA-335 does not know; false: it
	 * cannot be read. NULL: there are none. */
	bool (*other)(void *ctx, struct gn_text *out, struct gn_sig *sig,
		      uint8_t element, unsigned int depth);
};

/* Appends "(int,string)" for a method's signature. What cannot be read is a
 * "?", and ends the list. */
void gn_sig_put_params(struct gn_text *out, const uint8_t *bytes, size_t size,
		       const struct gn_sig_env *env);

/* Appends one type. False: it could not be read to its end. */
bool gn_sig_put_type(struct gn_text *out, struct gn_sig *sig,
		     const struct gn_sig_env *env, unsigned int depth);

/* The type that a method of this signature returns, without modifiers in front;
 * none if it returns nothing. False: it cannot be read. */
bool gn_sig_result(const struct gn_bytes *method, struct gn_bytes *type);

/* The types of a method's first parameters, at most `max` of them, as above.
 * `of_object`: the object that it is a method of comes before them, and is none
 * of them. False: the signature cannot be read. */
bool gn_sig_params(const struct gn_bytes *method, struct gn_bytes *types,
		   uint32_t max, uint32_t *count, bool *of_object);

/* The token of the structure or enum that a type is, its arguments left out; 0:
 * it is none, or what only type arguments say. */
gn_token gn_sig_value_type(const struct gn_bytes *type);

/* The number of locals in a signature, and their types. False: it is none. */
bool gn_sig_locals(const struct gn_bytes *locals, uint32_t *count,
		   struct gn_bytes *types);

/* The C#-like name of a primitive element type, or NULL. */
const char *gn_sig_primitive(uint8_t element);

#endif
