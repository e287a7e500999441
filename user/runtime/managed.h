/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The managed functions that a running process has loaded, by the names that -f
 * uses. They are read from the files of its modules: nothing is loaded into the
 * process, and it is not asked.
 */
#ifndef GNOMON_RUNTIME_MANAGED_H
#define GNOMON_RUNTIME_MANAGED_H

#include <stdbool.h>
#include <sys/types.h>

/* Why a function of a running process gets no hooks. X(enumerator, word, why)
 */
#define GN_UNHOOKED_LIST(X)                                                 \
	X(NO_IL, "no-il",                                                   \
	  "it has no IL: a P/Invoke, an internal call or what the runtime " \
	  "makes itself")                                                   \
	X(SUSPENDED, "suspended",                                           \
	  "the runtime itself suspends it, and hooks would break that")     \
	X(POLL, "poll",                                                     \
	  "the runtime calls it from hooks: it would call "                 \
	  "itself")                                                         \
	X(HELPER, "helper",                                                 \
	  "before .NET 10: the compiler calls it by itself, and hooks in "  \
	  "it can end the program")

enum gn_unhooked {
	GN_UNHOOKED_NOT, /* it gets hooks */
#define GN_UNHOOKED_ENUM(name, word, why) GN_UNHOOKED_##name,
	GN_UNHOOKED_LIST(GN_UNHOOKED_ENUM)
#undef GN_UNHOOKED_ENUM
		GN_UNHOOKED_COUNT
};

struct gn_managed_module {
	/* The path as the process sees it; the name of the assembly if the
	 * module was loaded from memory. Valid until the call returns. */
	const char *path;
	bool in_memory;
	int error; /* -errno if its functions cannot be read */
};

struct gn_managed_function {
	const char *name; /* valid until the call returns */
	enum gn_unhooked unhooked;
	bool generic; /* all its instances get hooks together */
};

/* Each returns 0, or <0 to end. */
struct gn_managed_take {
	int (*module)(void *ctx, const struct gn_managed_module *m);
	/* of the last module; not abstract ones */
	int (*function)(void *ctx, const struct gn_managed_function *f);
	void *ctx;
};

#endif
