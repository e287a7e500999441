/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The id of a function: its runtime in the high 4 bits, and an index. */
#ifndef GNOMON_FUNCTION_ID_H
#define GNOMON_FUNCTION_ID_H

#include <gnomon/types.h>

/* X(enumerator, value, text). Trace files store the values: append only. */
#define GN_RUNTIME_LIST(X)                                    \
	X(NATIVE, 0, "native")                                \
	X(CLR, 1, "clr")                                      \
	X(HOTSPOT, 2, "hotspot")                              \
	X(CPYTHON, 3, "cpython")                              \
	X(RUBY, 4, "ruby")                                    \
	X(PHP, 5, "php")                                      \
	X(MONO, 6, "mono")                                    \
	/* methods of HotSpot with hooks in their bytecode */ \
	X(JAVA, 7, "java")                                    \
	/* functions of PHP with hooks of the library */      \
	X(ZEND, 8, "php")

enum gn_runtime_id {
#define GN_RUNTIME_ENUM(name, value, text) GN_RUNTIME_##name = (value),
	GN_RUNTIME_LIST(GN_RUNTIME_ENUM)
#undef GN_RUNTIME_ENUM
		GN_RUNTIME_COUNT
};

/* A native function's index is unique in the session; that of a runtime's
 * function is unique in its process. Index 0 is no function. */
#define GN_FUNC(runtime, index) ((__u32)(runtime) << 28 | (index))
#define GN_FUNC_RUNTIME(func)	((func) >> 28)
#define GN_FUNC_INDEX(func)	((func)&0x0fffffff)
/* Functions of both runtimes of .NET have names of the same form
 * (names/clr_name.h), and the same library calls them. */
#define GN_RUNTIME_IS_DOTNET(runtime) \
	((runtime) == GN_RUNTIME_CLR || (runtime) == GN_RUNTIME_MONO)
/* By the engine's own probes, or with hooks. */
#define GN_RUNTIME_IS_PHP(runtime) \
	((runtime) == GN_RUNTIME_PHP || (runtime) == GN_RUNTIME_ZEND)
/* Functions of Python and of Ruby share frames of the machine's stack, and so
 * do hooked methods of Java; fibers of PHP have stacks of their own. So the
 * frame key is no address: its low half is a number, which falls with each call
 * within another. Such numbers cannot be compared with the keys of native
 * functions. */
#define GN_FUNC_IS_NUMBERED(func)                       \
	(GN_FUNC_RUNTIME(func) == GN_RUNTIME_CPYTHON || \
	 GN_FUNC_RUNTIME(func) == GN_RUNTIME_RUBY ||    \
	 GN_FUNC_RUNTIME(func) == GN_RUNTIME_JAVA ||    \
	 GN_FUNC_RUNTIME(func) == GN_RUNTIME_ZEND)

#endif
