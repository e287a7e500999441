/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Which functions of Python are traced. A filter is a list of globs, one per
 * line:
 *   GLOB, FILE:GLOB   trace what matches
 *   !GLOB, !FILE:GLOB leave out what matches
 * A later line wins over an earlier one. A function that no line matches is
 * traced only if no line says what to trace.
 *
 * GLOB is matched against the whole name (json.decoder.JSONDecoder.decode). It
 * need not have the module of the main script (__main__) or of builtins. FILE
 * is matched against the path of the source if FILE has a slash, else against
 * the file's name, with .py and without; GLOB may then begin behind any dot of
 * the name.
 */
#ifndef GNOMON_PYTHON_FILTER_H
#define GNOMON_PYTHON_FILTER_H

#include <stdbool.h>

/* `filter` NULL: trace everything. */
bool gn_python_filter(const char *filter, const char *name, const char *module);

#endif
