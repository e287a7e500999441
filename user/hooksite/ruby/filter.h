/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Which methods of Ruby are traced. A filter is a list of globs, one per line:
 *   GLOB, FILE:GLOB   trace what matches
 *   !GLOB, !FILE:GLOB leave out what matches
 * A later line wins over an earlier one. A method that no line matches is
 * traced only if no line says what to trace.
 *
 * GLOB is matched against the whole name (Foo::Bar#baz, Foo.qux, block in
 * Foo#bar). It need not have the Object# or Kernel# of methods that belong to
 * no class of the program. FILE is matched against the path of the source if
 * FILE has a slash, else against the file's name, with .rb and without.
 */
#ifndef GNOMON_RUBY_FILTER_H
#define GNOMON_RUBY_FILTER_H

#include <stdbool.h>

/* `filter` NULL: trace everything. */
bool gn_ruby_filter(const char *filter, const char *name, const char *module);

#endif
