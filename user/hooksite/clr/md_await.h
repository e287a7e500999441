/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Runtime async, from .NET 11 on: async methods without a state machine. The
 * compiler emits a call of AsyncHelpers.Await() for each await, and the runtime
 * itself suspends the method there. It then leaves the frames of all methods of
 * the chain of awaits, and calls a method of the chain's task with the address
 * of a structure in the frame below them.
 */
#ifndef GNOMON_CLR_MD_AWAIT_H
#define GNOMON_CLR_MD_AWAIT_H

#include "il_await.h"
#include "metadata.h"

/* The method that is called for a suspension, and the field of its argument
 * that has the address. */
struct gn_md_suspends {
	gn_token method, field;
};

/* Finds them in the core library. False: this runtime has none. */
bool gn_md_find_suspends(const struct gn_md *core,
			 struct gn_md_suspends *found);

/* What a call of the method does. `md`: a struct gn_md. */
enum gn_il_call gn_md_call(const void *md, gn_token method);

/* Whether a method belongs to the code that suspends and resumes others. Its
 * frames are there while those are not. */
bool gn_md_suspends_others(const char *name);

#endif
