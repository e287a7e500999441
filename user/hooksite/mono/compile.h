/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Compilations. The runtime reports the begin of each, then asks which hooks
 * the method shall have, then reports the end. It reports precompiled code that
 * it takes in the same way, but does not ask.
 */
#ifndef GNOMON_MONO_COMPILE_H
#define GNOMON_MONO_COMPILE_H

#include <stdbool.h>
#include <stdint.h>

#include "api.h"

/* `families`: of events. If those of compilations are among them, each method
 * has its name. */
void gn_compile_init(uint32_t families);

void gn_compile_begins(gn_mono method, uint64_t frame);
/* `code` NULL: it failed. */
void gn_compile_ends(gn_mono method, gn_mono code);

/* The runtime asks about a method. True: it is the one that this thread
 * compiles. */
bool gn_compile_asks(void);

#endif
