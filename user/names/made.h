/* SPDX-License-Identifier: BSD-2-Clause */
/* Types that compilers make, and that nobody wrote: of closures, of async
 * methods and iterators, anonymous ones, and those of one file. */
#ifndef GNOMON_NAMES_MADE_H
#define GNOMON_NAMES_MADE_H

#include "names/spell.h"

/* All take the name of a type that is nested in another one, without
 * arguments. */

/*
 * Gets the method that a state machine was made from: Fetch of "<Fetch>d__3",
 * which later versions of an edited program extend, of "<Fetch>c__async3", or
 * of "VB$StateMachine_3_Fetch".
 */
bool gn_made_machine(struct gn_span name, struct gn_span *method);

/* "<>c", "<>c__DisplayClass2_0", "_Closure$__5-0": it contains lambdas. Gets
 * what comes behind: "", "2_0", "5-0". */
bool gn_made_closure(struct gn_span name, struct gn_span *number);

/* Writes the name of any type, which need not be nested: "closure#2_0", "Local"
 * of "<Program>F1A2B__Local", "AnonymousType0" of "<>f__AnonymousType0".
 * Returns what its constructors are called. */
struct gn_span gn_made_put(struct gn_spell *o, struct gn_span name);

#endif
