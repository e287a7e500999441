/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The functions of an interpreter by their names: each gets its index, and is
 * checked against the filter, once. Only one thread at a time may be in here.
 */
#ifndef GNOMON_HOOKSITE_NAMED_H
#define GNOMON_HOOKSITE_NAMED_H

#include <stdbool.h>
#include <stdint.h>

/* Whether the function is traced. `filter` NULL: everything is. */
typedef bool (*gn_named_filter_fn)(const char *filter, const char *name,
				   const char *module);

/* The filter must stay. */
void gn_named_begin(const char *filter, gn_named_filter_fn asks);

/* The index of the function; 0: it is not traced. Emits its name before it
 * returns the index for the first time. */
uint32_t gn_named_index(const char *name, const char *module, uint32_t line);

#endif
