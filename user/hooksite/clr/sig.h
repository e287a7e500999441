/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Metadata signatures (ECMA-335, II.23.2) as text. The blob is untrusted: work
 * is bounded by its bytes, by depth and by the size of the text.
 */
#ifndef GNOMON_CLR_SIG_H
#define GNOMON_CLR_SIG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cor.h"
#include "text.h"

#define GN_SIG_DEPTH_MAX 32 /* F# functions of many arguments nest */

/* In the first byte of a method's signature. */
#define GN_SIG_GENERIC	      0x10
#define GN_SIG_OF_OBJECT      0x20
#define GN_SIG_OBJECT_IN_LIST 0x40 /* and is listed among the parameters */
/* The first byte of a signature of locals. */
#define GN_SIG_LOCALS 0x07

struct gn_sig {
	const uint8_t *bytes;
	size_t size;
	size_t at;
};

/* How to find names of the program's own types. */
struct gn_sig_env {
	void *ctx;
	/* Appends the name of a TypeDef, TypeRef or TypeSpec. `depth` is the
	 * nesting so far, from which a TypeSpec continues to count. */
	void (*type)(void *ctx, struct gn_text *out, gn_token token,
		     unsigned int depth);
	/* Appends type argument `n` of the generic type, or of the method. */
	void (*variable)(void *ctx, struct gn_text *out, bool of_method,
			 uint32_t n);
	/* Appends the name of number `i` of the types that enclose each other,
	 * outermost first, after a separator if it is not the first. `own`: the
	 * number of its own type arguments. True: another one follows. NULL:
	 * all arguments follow the whole name. */
	bool (*piece)(void *ctx, struct gn_text *out, gn_token token,
		      unsigned int i, uint32_t *own);
	/* Appends a type whose first byte ECMA-335 does not define. False:
	 * unreadable. NULL: there are none. */
	bool (*other)(void *ctx, struct gn_text *out, struct gn_sig *sig,
		      uint8_t element, unsigned int depth);
};

/* Appends "(int,string)" for a method's signature. "?" stands for an unreadable
 * part, and ends the list. */
void gn_sig_put_params(struct gn_text *out, const uint8_t *bytes, size_t size,
		       const struct gn_sig_env *env);

/* Appends one type. False: it cannot be read to its end. */
bool gn_sig_put_type(struct gn_text *out, struct gn_sig *sig,
		     const struct gn_sig_env *env, unsigned int depth);

/* The return type of a method with this signature, without leading modifiers.
 * Empty if the method returns nothing. False: unreadable. */
bool gn_sig_result(const struct gn_bytes *method, struct gn_bytes *type);

/*
 * The signature of the IL of a method that the runtime itself suspends: where
 * the method's own signature says Task<T>, the IL returns a T, and nothing
 * where it says Task. From malloc(); NULL: unreadable, or no memory.
 */
struct gn_bytes gn_sig_awaited(const struct gn_bytes *method);

/* The types of a method's first parameters, at most `max`, without leading
 * modifiers. `of_object`: the method also takes an object (`this`), which comes
 * first and is not counted. False: the signature is unreadable. */
bool gn_sig_params(const struct gn_bytes *method, struct gn_bytes *types,
		   uint32_t max, uint32_t *count, bool *of_object);

/* The token of a value type, without its type arguments. 0: not a value type,
 * or a type parameter. */
gn_token gn_sig_value_type(const struct gn_bytes *type);

/* Whether a type is that of objects, whatever type arguments there are. */
bool gn_sig_is_object(const struct gn_bytes *type);

/* The number of locals in a signature, and their types. False: not a signature
 * of locals. */
bool gn_sig_locals(const struct gn_bytes *locals, uint32_t *count,
		   struct gn_bytes *types);

/* Takes the first type, with its modifiers, from the front of a list of types.
 * False: it is unreadable. */
bool gn_sig_take(struct gn_bytes *types, struct gn_bytes *type);

/* The C#-like name of a primitive element type, or NULL. */
const char *gn_sig_primitive(uint8_t element);

#endif
