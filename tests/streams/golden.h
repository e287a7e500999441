/* SPDX-License-Identifier: BSD-2-Clause */
/* Compares texts with golden files. */
#ifndef GNOMON_TESTS_STREAMS_GOLDEN_H
#define GNOMON_TESTS_STREAMS_GOLDEN_H

#include <stdbool.h>
#include <stddef.h>

/* Compares with the file `path`, and prints the difference. GN_UPDATE_GOLDEN=1
 * in the environment writes the file instead. */
bool golden_file(const char *path, const char *text, size_t size);

#endif
