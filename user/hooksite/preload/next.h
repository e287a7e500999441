/* SPDX-License-Identifier: BSD-2-Clause */
/* The C library's functions that this library has functions in front of. */
#ifndef GNOMON_HOOKSITE_PRELOAD_NEXT_H
#define GNOMON_HOOKSITE_PRELOAD_NEXT_H

typedef void *(*gn_dlopen_fn)(const char *file, int mode);
typedef void *(*gn_dlsym_fn)(void *library, const char *name);

/* By their names, this library would call its own. */
gn_dlopen_fn gn_next_dlopen(void);
gn_dlsym_fn gn_next_dlsym(void);

/* The function of this name in a library behind this one. */
void *gn_next(const char *name);

#endif
