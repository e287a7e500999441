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

/* Text that ends with a NUL. If it does not fit, the rest is left out:
 * `full`. */
struct gn_spell {
	char *at;
	size_t left; /* includes the NUL */
	bool full;
	bool spaces; /* types keep their name spaces and their spelling */
};

void gn_spell_put(struct gn_spell *o, const char *text, size_t n);
void gn_spell_text(struct gn_spell *o, const char *text);

bool gn_span_is(const struct gn_span *s, const char *text);
bool gn_span_begins(const struct gn_span *s, const char *text);
/* The span without its first `n` bytes. */
struct gn_span gn_span_from(const struct gn_span *s, size_t n);

/* The length of the bracket pair at the span's start; 0: it is not closed. */
size_t gn_span_pair(const struct gn_span *s);
/* The length up to the first of `signs` outside brackets, or of all. */
size_t gn_span_until(const struct gn_span *s, const char *signs);

/* Write a type, or a list of types without brackets around it. */
void gn_spell_type(struct gn_spell *o, struct gn_span type, unsigned int depth);
void gn_spell_types(struct gn_spell *o, struct gn_span types,
		    unsigned int depth);
/* Writes "<int,N.Type>", or nothing if there are no arguments. */
void gn_spell_args(struct gn_spell *o, const struct gn_span *args,
		   unsigned int depth);

#endif
