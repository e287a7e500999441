/* SPDX-License-Identifier: BSD-2-Clause */
/* The indexes of functions. Only one thread at a time is in here: the one that
 * holds the interpreter's lock. */
#ifndef GNOMON_RUBY_FUNCTIONS_H
#define GNOMON_RUBY_FUNCTIONS_H

#include <stdbool.h>
#include <stdint.h>

#include "api.h"
#include "../fiber_calls.h"

void gn_functions_begin(const char *filter);

/* The function of this event; 0: it is not traced. */
uint32_t gn_function_of(struct gn_rb_event *e, enum gn_call_kind kind);

/* The code outside of all methods. */
uint32_t gn_function_main(void);

/* Classes may be gone, and others be in their places. */
void gn_functions_collected(void);

#endif
