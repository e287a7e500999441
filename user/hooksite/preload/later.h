/* SPDX-License-Identifier: BSD-2-Clause */
/* A program that loads its runtime while it runs. */
#ifndef GNOMON_HOOKSITE_PRELOAD_LATER_H
#define GNOMON_HOOKSITE_PRELOAD_LATER_H

#include "hooksite/preload/next.h"

/* Loads the library of a runtime that has come since the program began. */
void gn_later_look(void);

/* The program is about to load this file, a JVM. Loads it, by `next`, and has
 * its methods hooked, if gnomon asks for that. */
void gn_later_jvm(const char *file, int mode, gn_dlopen_fn next);

#endif
