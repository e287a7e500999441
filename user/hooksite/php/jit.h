/* SPDX-License-Identifier: BSD-2-Clause */
/* opcache's compiler, whose code would go past the hook. */
#ifndef GNOMON_HOOKSITE_PHP_JIT_H
#define GNOMON_HOOKSITE_PHP_JIT_H

/* The engine, which is starting, does not warn that it turns its compiler off
 * because of the hook: the report says it. */
void gn_jit_begin(void);

#endif
