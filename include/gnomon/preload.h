/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What gnomon and the libraries that are loaded into a command agree on. A
 * library removes its two variables from the command's environment: the kind of
 * hooks, and a filter (filter.h of the runtime's hook-site library).
 */
#ifndef GNOMON_PRELOAD_H
#define GNOMON_PRELOAD_H

#define GN_PYTHON_LIBRARY    "libgnomon-python.so"
#define GN_PYTHON_ENV	     "GNOMON_PYTHON"
#define GN_PYTHON_ENV_FILTER "GNOMON_PYTHON_FILTER"

#define GN_RUBY_LIBRARY	   "libgnomon-ruby.so"
#define GN_RUBY_ENV	   "GNOMON_RUBY"
#define GN_RUBY_ENV_FILTER "GNOMON_RUBY_FILTER"

#define GN_MONO_LIBRARY	   "libgnomon-mono.so"
#define GN_MONO_ENV	   "GNOMON_MONO"
#define GN_MONO_ENV_FILTER "GNOMON_MONO_FILTER"
/* families of events (enum gn_family), in hexadecimal */
#define GN_MONO_ENV_EVENTS "GNOMON_MONO_EVENTS"

/* Loaded by the JVM itself, as an agent. */
#define GN_JAVA_LIBRARY	   "libgnomon-java.so"
#define GN_JAVA_ENV	   "GNOMON_JAVA"
#define GN_JAVA_ENV_FILTER "GNOMON_JAVA_FILTER"

/* The kinds of hooks. */
#define GN_PRELOAD_FAST	  "fast"
#define GN_PRELOAD_PROBES "probes"

#endif
