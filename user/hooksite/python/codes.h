/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Data that is kept with code objects, and freed with them. An interpreter has
 * slots for it. But as soon as the program has a slot, too, data in ours makes
 * the interpreter call the program's free function for each code object, at a
 * time when it may be gone. From then on a table has the data. Call these with
 * the global lock of the interpreter.
 */
#ifndef GNOMON_PYTHON_CODES_H
#define GNOMON_PYTHON_CODES_H

#include <stdbool.h>

#include "api.h"

/* False: the interpreter does not let us keep data with code objects. `release`
 * is called with NULL, too. */
bool gn_codes_begin(void (*release)(void *data));
/* Prepares the subinterpreter that runs. False: code there cannot have our
 * data. */
bool gn_codes_fit(void);

/* NULL: there is none. */
void *gn_codes_get(struct gn_py *code);
/* False: it could not be kept, and is still the caller's. */
bool gn_codes_keep(struct gn_py *code, void *data);

#endif
