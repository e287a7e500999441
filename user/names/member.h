/* SPDX-License-Identifier: BSD-2-Clause */
/* Methods of .NET as C# writes them, without their types. */
#ifndef GNOMON_NAMES_MEMBER_H
#define GNOMON_NAMES_MEMBER_H

#include "names/spell.h"

struct gn_member {
	struct gn_span name;
	struct gn_span args;   /* with their brackets */
	struct gn_span params; /* without theirs */
	struct gn_span result; /* of a conversion; else empty */
	struct gn_span type;   /* its type's own name */
	bool has_params;       /* false: they are not told */
};

/* Whether it is a lambda or a local function. */
bool gn_member_held(const struct gn_span *name);

void gn_member_put(struct gn_spell *o, const struct gn_member *m);

/* A method that holds others: what a compiler keeps of its name. */
void gn_member_holder(struct gn_spell *o, struct gn_span name,
		      const struct gn_span *type);
/* Its own name: without an interface, or what is around it. */
struct gn_span gn_member_own(struct gn_span name);

#endif
