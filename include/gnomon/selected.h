/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Counts that a hook-site library reports about the functions that a session
 * selects. */
#ifndef GNOMON_SELECTED_H
#define GNOMON_SELECTED_H

/* Counts of one kind add up. X(enumerator, value, text, meaning). */
#define GN_SELECTED_LIST(X)                                                 \
	/* the last one reported when a session begins, even if 0 */        \
	X(METHODS, 0, "methods",                                            \
	  "methods that get hooks when they are called")                    \
	X(NO_IL, 1, "no_il", "methods without code of their own in IL")     \
	X(MODULES_LEFT, 2, "modules_left",                                  \
	  "modules made in memory, that can be unloaded, or beyond 4,096")  \
	X(FAILED, 3, "failed", "methods that the runtime refused")          \
	X(COPIED, 4, "copied",                                              \
	  "methods that precompiled code can hold copies of, unseen")       \
	X(ASYNC_LEFT, 5, "async_left",                                      \
	  "async methods whose states are not seen")                        \
	X(EXCEPTIONS_LEFT, 6, "exceptions_left",                            \
	  "runtimes whose exceptions are not watched: it can crash them")   \
	X(EXCEPTIONS_RISKED, 7, "exceptions_risked",                        \
	  "such runtimes whose exceptions are watched")                     \
	X(EDITED, 8, "edited",                                              \
	  "methods of modules that edit and continue can change")           \
	X(ALLOCATIONS_LEFT, 9, "allocations_left",                          \
	  "runtimes that do not tell of all boxed values and delegates")    \
	X(BY_RUNTIME, 10, "by_runtime",                                     \
	  "runtimes that make the hooks, for their modules can be edited")  \
	X(ABSTRACT, 11, "abstract",                                         \
	  "abstract methods: what implements them is called")               \
	X(NO_ROOM, 12, "no_room",                                           \
	  "functions beyond those that a process has room for: no hooks")   \
	X(CODE_OFF, 13, "code_off",                                         \
	  "modules whose precompiled code may hold any copies: none runs")  \
	X(AWAITS, 14, "awaits",                                             \
	  "async methods that the runtime suspends: hooks in their IL")     \
	X(PROFILED, 15, "profiled",                                         \
	  "threads in which Python code set a profile function of its own") \
	X(PYTHONS_LEFT, 16, "pythons_left",                                 \
	  "Python interpreters that gnomon does not know: no hooks")        \
	X(GREENLETS, 17, "greenlets",                                       \
	  "Python programs with a greenlet that gnomon does not know")      \
	X(RUBIES_LEFT, 18, "rubies_left",                                   \
	  "Ruby interpreters that are static or not known: no hooks")       \
	X(MONOS_LEFT, 19, "monos_left",                                     \
	  "Mono runtimes that interpret or are not known: no hooks")        \
	X(NO_BYTECODE, 20, "no_bytecode",                                   \
	  "methods of Java that are abstract or native: no hooks")          \
	X(UNCHANGED, 21, "unchanged",                                       \
	  "methods of Java whose bytecode cannot be changed: no hooks")     \
	X(INTERPRETERS, 22, "interpreters",                                 \
	  "processes of Python, Ruby and Mono that gnomon's library is in") \
	X(FOREIGN_THREADS, 23, "foreign_threads",                           \
	  "threads of Python that C code started: seen later or never")     \
	X(SUBINTERPRETERS, 24, "subinterpreters",                           \
	  "interpreters of Python beside the main one: no hooks")           \
	X(JVMS, 25, "jvms",                                                 \
	  "processes with a JVM that gnomon's library is in")               \
	X(JVMS_LEFT, 26, "jvms_left",                                       \
	  "JVMs that write an archive of their classes: no hooks")          \
	X(PHPS_HIDDEN, 27, "phps_hidden",                                   \
	  "processes of PHP whose code an extension runs past the hook")    \
	X(JITS_OFF, 28, "jits_off",                                         \
	  "programs of PHP whose compiler is off because of the hook")      \
	X(RACTORS, 29, "ractors",                                           \
	  "programs of Ruby with Ractors: no hooks but in the main one")

enum gn_selected {
#define GN_SELECTED_ENUM(name, value, text, meaning) \
	GN_SELECTED_##name = (value),
	GN_SELECTED_LIST(GN_SELECTED_ENUM)
#undef GN_SELECTED_ENUM
		GN_SELECTED_COUNT
};

#endif
