/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Memory for tables that most programs need little of. It is taken when it is
 * first needed: what saves all memory of a program, as .NET's full dumps do,
 * saves also what nobody has touched.
 */
#ifndef GNOMON_CLR_LAZY_H
#define GNOMON_CLR_LAZY_H

#include <stdatomic.h>
#include <stddef.h>

/* All zeros is memory that is not there yet. It is never freed. */
typedef _Atomic(void *) gn_lazy;

/* `size` zeroed bytes, which the first call takes. Any thread may call at any
 * time, without waiting. NULL: no memory. */
void *gn_lazy_get(gn_lazy *at, size_t size);

/* The same in place of `old`, unless another thread has replaced it already. */
void *gn_lazy_replace(gn_lazy *at, void *old, size_t size);

#endif
