/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The methods that the runtime asks about: each gets an index and a name, and
 * the filter decides whether it is traced. Any thread may call anything here,
 * without waiting for another one.
 */
#ifndef GNOMON_MONO_METHODS_H
#define GNOMON_MONO_METHODS_H

#include <stdbool.h>
#include <stdint.h>

#include "api.h"

/* `filter` must stay; NULL: trace everything. False: no memory. */
bool gn_methods_begin(const char *filter);

/* The index of a method that has hooks; 0: it has none. */
uint32_t gn_method_hooked(gn_mono method);

/* The same, and decides about a method that is new. `compiles`: its code is
 * being made, so that it is not another method in the place of one that was
 * unloaded: then it is new. */
uint32_t gn_method_ask(gn_mono method, bool compiles);

/* The index under which the compilation of a method is reported, whether it has
 * hooks or not; 0: there is no room. */
uint32_t gn_method_compiled(gn_mono method);

/* The index of a class, a module or anything else whose name this is; 0: there
 * is no room. `of` identifies it as long as it lives. */
uint32_t gn_method_name_of(const void *of, const char *name,
			   const char *module);

/* The method has code without hooks, after all. */
void gn_method_unhooked(gn_mono method);

#endif
