/* SPDX-License-Identifier: BSD-2-Clause */
/* Libraries that the program loads while it runs. */
#ifndef GNOMON_HOOKSITE_PRELOAD_DLOPEN_H
#define GNOMON_HOOKSITE_PRELOAD_DLOPEN_H

typedef void *(*gn_dlopen_fn)(const char *file, int mode);

/* Run before the program's dlopen() and dlsym(), and return the C library's. */
gn_dlopen_fn gn_dlopen_before(const char *file, int mode);
void *gn_dlsym_before(void *library, const char *name);

/* The program is about to load this file, a JVM. Loads it, by `next`, and has
 * its methods hooked, if gnomon asks for that. */
void gn_preload_jvm(const char *file, int mode, gn_dlopen_fn next);

#endif
