/* SPDX-License-Identifier: BSD-2-Clause */
/* Types of .NET as C# writes them, and text with limited room. */
#ifndef GNOMON_NAMES_SPELL_H
#define GNOMON_NAMES_SPELL_H

#include <stdbool.h>
#include <stddef.h>

struct gn_span {
	const char *at;
	size_t n;
};

/* A text that ends with a NUL. What did not fit is left out: `full`. */
struct gn_spell {
	char *at;
	size_t left; /* with the NUL */
	bool full;
	bool spaces; /* types keep their name spaces, as they are */
};

void gn_spell_put(struct gn_spell *o, const char *text, size_t n);
void gn_spell_text(struct gn_spell *o, const char *text);

bool gn_span_is(const struct gn_span *s, const char *text);
bool gn_span_begins(const struct gn_span *s, const char *text);
/* Without its first `n` bytes. */
struct gn_span gn_span_from(const struct gn_span *s, size_t n);

/* The bytes of the pair of brackets at the span's start; 0: they do not pair.
 */
size_t gn_span_pair(const struct gn_span *s);
/* The bytes up to the first of `signs` outside brackets, at most all. */
size_t gn_span_until(const struct gn_span *s, const char *signs);

/* A type, or a list of types without what encloses it. */
void gn_spell_type(struct gn_spell *o, struct gn_span type, unsigned int depth);
void gn_spell_types(struct gn_spell *o, struct gn_span types,
		    unsigned int depth);
/* "<int,N.Type>"; no arguments are nothing. */
void gn_spell_args(struct gn_spell *o, const struct gn_span *args,
		   unsigned int depth);

#endif
