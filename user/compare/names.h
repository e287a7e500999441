/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Names that stay the same from one build or run of a program to the next:
 * what compilers and runtimes number in them is a star.
 */
#ifndef GNOMON_COMPARE_NAMES_H
#define GNOMON_COMPARE_NAMES_H

/* All of them: freed by the caller, NULL when there is no memory. */

/* Of a function: a lambda's or local function's ordinal, what a compiler adds
 * to copies (.isra.0), a Rust hash. */
char *gn_lasting_function(const char *name);

/* Of a thread: numbers at its end, or that stand alone: "worker-*". */
char *gn_lasting_thread(const char *name);

/* Of a module: its file's name, without what a version numbers. */
char *gn_lasting_module(const char *path);

#endif
