/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The variables that a .NET runtime needs. gnomon lends them: this library
 * keeps them from the program, and they are in its environment only while a
 * runtime begins.
 */
#ifndef GNOMON_HOOKSITE_PRELOAD_LENT_H
#define GNOMON_HOOKSITE_PRELOAD_LENT_H

#include <stddef.h>

#define GN_LENT_MOST 20

/* Takes them out of the environment. */
void gn_lent_take(char **envp);

/* Their number, and each of them as it is passed on: with the prefix. */
size_t gn_lent_count(void);
char *gn_lent_entry(size_t i);

/* Copies `n` entries of the environment, with the lent ones in place of the
 * program's own, to `all`, which has room for all of both and NULL. Programs
 * that ask for another profiler keep their own. Async-signal-safe. */
void gn_lent_merge(char **all, char *const *envp, size_t n);

/* A runtime begins. */
void gn_lent_give(void);

/* It has begun. Tells each variable and the program's own value, or NULL. */
typedef void (*gn_lent_back_fn)(void *ctx, const char *name, const char *own);
__attribute__((visibility("default"))) void
gn_lent_take_back(gn_lent_back_fn back, void *ctx);

#endif
