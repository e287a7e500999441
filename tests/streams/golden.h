/* SPDX-License-Identifier: BSD-2-Clause */
/* Texts that must be what they were. */
#ifndef GNOMON_TESTS_STREAMS_GOLDEN_H
#define GNOMON_TESTS_STREAMS_GOLDEN_H

#include <stdbool.h>
#include <stddef.h>

/* Compares with the file `path`, and says how it differs. GN_UPDATE_GOLDEN=1 in
 * the environment writes the file instead. */
bool golden_file(const char *path, const char *text, size_t size);

#endif
