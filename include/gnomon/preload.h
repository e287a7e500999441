/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What gnomon and the libraries that are loaded into a command agree on. A
 * library removes its variables from the command's environment: the kind of
 * hooks, and a filter (filter.h of the runtime's hook-site library).
 */
#ifndef GNOMON_PRELOAD_H
#define GNOMON_PRELOAD_H

/* The dynamic linker loads this one, which loads the library of the runtime
 * that the program runs. */
#define GN_PRELOAD_LIBRARY    "libgnomon-preload.so"
#define GN_PRELOAD_PROVIDER   "gnomon_preload"
#define GN_PRELOAD_ENV	      "GNOMON_PRELOAD"
#define GN_PRELOAD_ENV_FILTER "GNOMON_PRELOAD_FILTER"
/* families of events (enum gn_family), in hexadecimal */
#define GN_PRELOAD_ENV_EVENTS "GNOMON_PRELOAD_EVENTS"
/* set: methods of JVMs get hooks in their bytecode */
#define GN_PRELOAD_ENV_JVM "GNOMON_PRELOAD_JVM"
/* the abstract name of a socket: a program that starts another one sends that
 * one's file there, and waits until gnomon closes its end */
#define GN_PRELOAD_ENV_GATE "GNOMON_PRELOAD_GATE"

/* What follows the prefix is a variable that a .NET runtime needs. The program
 * sees it only while the runtime begins. */
#define GN_PRELOAD_LENT "GNOMON_LENT_"

#define GN_PYTHON_LIBRARY "libgnomon-python.so"
#define GN_RUBY_LIBRARY	  "libgnomon-ruby.so"
#define GN_MONO_LIBRARY	  "libgnomon-mono.so"
#define GN_JAVA_LIBRARY	  "libgnomon-java.so"
#define GN_PHP_LIBRARY	  "libgnomon-php.so"

/* The kinds of hooks. */
#define GN_PRELOAD_FAST	  "fast"
#define GN_PRELOAD_PROBES "probes"
/* no library of an interpreter is loaded */
#define GN_PRELOAD_NONE "none"

/* The number of gnomon's own site in the library (GN_SITE_OWN_MOST) follows the
 * kind. */
#define GN_PRELOAD_OWN "."

#endif
