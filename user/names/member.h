/* SPDX-License-Identifier: BSD-2-Clause */
/* Names of .NET methods as C# writes them, without their types. */
#ifndef GNOMON_NAMES_MEMBER_H
#define GNOMON_NAMES_MEMBER_H

#include "names/spell.h"

struct gn_member {
	struct gn_span name;
	struct gn_span args;   /* including their brackets */
	struct gn_span params; /* without their brackets */
	struct gn_span result; /* of a conversion; else empty */
	struct gn_span type;   /* own name of its type */
	bool has_params;       /* false: not known */
};

/* Whether it is a lambda or a local function. */
bool gn_member_held(const struct gn_span *name);

void gn_member_put(struct gn_spell *o, const struct gn_member *m);

/* Writes a method that contains others, given the compiler's form of its
 * name. */
void gn_member_holder(struct gn_spell *o, struct gn_span name,
		      const struct gn_span *type);
/* The method's own name, without an interface or enclosing methods. */
struct gn_span gn_member_own(struct gn_span name);

#endif
