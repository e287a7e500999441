/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Runtimes with a hook-site library, as data: which library, which sites mean
 * what, and what the environment of the command needs so that the runtime
 * loads it. runtimes.c is the list; a runtime is one file.
 */
#ifndef GNOMON_RUNTIME_RUNTIME_H
#define GNOMON_RUNTIME_RUNTIME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <gnomon/event.h>
#include <gnomon/hook.h>
#include "runtime/attach.h"
#include "runtime/probes.h"

/* A site of the library and what it means. */
struct gn_runtime_site {
	const char *name; /* in its note */
	enum gn_prog prog;
	enum gn_kind kind;    /* of the record; 0 for GN_PROG_NAME */
	enum gn_source func;  /* where the function's index is */
	enum gn_source frame; /* where the frame key is */
};

/* One that is installed: its folder and its version. <0 ends the search. */
typedef int (*gn_runtime_found_fn)(void *ctx, const char *root,
				   const char *version);

struct gn_runtime {
	enum gn_runtime_id id;
	const char *title;   /* for people */
	const char *library; /* file name */
	const char *provider;
	const struct gn_runtime_site *sites;
	size_t nsites;
	/* A word in the program file of a launcher of this runtime. */
	const char *marker;
	const char *core; /* the name of a file that is mapped where it runs */
	/* The name of a thread that it makes at its start, as the kernel has
	 * it (15 bytes); NULL: none that is only its own. */
	const char *thread;
	/* Whether a name is one that this line of the filter asks for. */
	bool (*matches)(const char *glob, const char *name, const char *module);
	/*
	 * NAME=VALUE strings for the command's environment, ended by NULL, in
	 * memory that gn_environment_free() frees. -EBUSY: the environment
	 * asks for another profiler; `why` gets the variable's name.
	 * `inlining` of traced functions: "keep", "refuse", or ""; `hooks`:
	 * "rejit", or "" for those of the runtime itself.
	 */
	int (*environment)(const char *library, const char *filter,
			   const char *inlining, const char *hooks, char ***env,
			   const char **why);
	/* The variable of the environment by which the runtime will not load
	 * the library, or NULL. */
	const char *(*hindered)(void);
	/*
	 * Calls `each` for every one that is installed; `home` is the traced
	 * user's. NULL: where it is cannot be told. 0 or what `each` said.
	 */
	int (*find)(const char *home, gn_runtime_found_fn each, void *ctx);
	const char *get; /* how to install it: a line, or NULL */
	/* Of processes that run already; NULL: they cannot be had. */
	const struct gn_runtime_attach *attach;
};

/* NULL past the last. */
const struct gn_runtime *gn_runtime_at(size_t i);

void gn_environment_free(char **env);

/* True when the program file looks like a launcher of the runtime. */
bool gn_runtime_starts(const struct gn_runtime *rt, const char *program);

/* The path of a hook-site library: installed, or in the build tree. -ENOENT. */
int gn_runtime_library(const struct gn_runtime *rt, char *path, size_t size);

/*
 * Adds the library's sites to the probes, as those of `file`. `nop5`: attach to
 * the five-byte nop instead of the one-byte nop before it.
 */
int gn_runtime_probes(const struct gn_runtime *rt, const char *library,
		      size_t file, bool nop5, struct gn_probes *probes);

#endif
