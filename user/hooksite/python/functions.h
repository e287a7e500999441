/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The functions of the program: each code object and each function in C gets an
 * index and a name when it is first called, and the filter decides then whether
 * it is traced. Call these with the global lock of the interpreter.
 */
#ifndef GNOMON_PYTHON_FUNCTIONS_H
#define GNOMON_PYTHON_FUNCTIONS_H

#include <stdbool.h>
#include <stdint.h>

#include "api.h"
#include "yields.h"

struct gn_function {
	uint32_t index;		  /* 0: it is not traced */
	struct gn_yields *yields; /* NULL: it is never suspended */
};

/* `filter` must stay. False: the interpreter does not let us keep data with
 * code objects. */
bool gn_functions_begin(void *loaded, const char *filter);

/* The function of a frame; NULL: there is none. */
const struct gn_function *gn_function_of_frame(struct gn_py *frame);

/* Where the definition of a function in C has its code; NULL: it has other
 * flags. */
void **gn_function_place(struct gn_py *function, int flags);

/* The index of a function in C; 0: it is not traced. Its definition tells calls
 * of different functions apart. */
uint32_t gn_index_in_c(struct gn_py *function, const void **definition);

#endif
