/* SPDX-License-Identifier: BSD-2-Clause */
/* Where the code of a generator or a coroutine can be suspended. */
#ifndef GNOMON_PYTHON_YIELDS_H
#define GNOMON_PYTHON_YIELDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct gn_yields {
	int first;   /* frames that were suspended are here or further on, in
		      * bytes */
	size_t bits; /* of `at`: one for each two bytes of code */
	uint8_t at[];
};

/* Reads the bytecode of version 3.`minor`. NULL: no memory. */
struct gn_yields *gn_yields_read(const uint8_t *code, size_t len, int minor);

/* Whether a frame whose last instruction is `lasti` has not run yet. */
bool gn_yields_begins(const struct gn_yields *y, int lasti);
/* Whether the last instruction is one that suspends. */
bool gn_yields_at(const struct gn_yields *y, int lasti);

#endif
