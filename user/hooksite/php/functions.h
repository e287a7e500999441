/* SPDX-License-Identifier: BSD-2-Clause */
/* The indexes of PHP functions. */
#ifndef GNOMON_PHP_FUNCTIONS_H
#define GNOMON_PHP_FUNCTIONS_H

#include <stdint.h>

#include "engine.h"

/* The filter must stay. */
void gn_functions_begin(const char *filter);

/* The function of the frame that runs; 0: it is not traced. */
uint32_t gn_function_of(const struct gn_php_frame *frame);

#endif
