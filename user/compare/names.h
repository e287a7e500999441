/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Lasting names, which stay the same from one build or run of a program to the
 * next: numbers by compilers and runtimes become a star.
 */
#ifndef GNOMON_COMPARE_NAMES_H
#define GNOMON_COMPARE_NAMES_H

/* The caller frees the names; NULL: no memory. */

/* Of a function. Stars replace a lambda's or local function's ordinal, suffixes
 * of copies (.isra.0) and a Rust hash. */
char *gn_lasting_function(const char *name);

/* Of a thread. Stars replace numbers at its end, or that stand alone:
 * "worker-*". */
char *gn_lasting_thread(const char *name);

/* Of a module: its file's name, without the version. */
char *gn_lasting_module(const char *path);

#endif
