/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The native functions that the filter takes from a program's files, each with
 * the plan of its probes.
 */
#ifndef GNOMON_RUNTIME_NATIVE_H
#define GNOMON_RUNTIME_NATIVE_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>

#include "site/site.h"
#include "process/files.h"
#include "runtime/filter.h"
#include "runtime/usdt.h"

struct gn_native_opts {
	struct gn_filter *filter;
	/* Called for each USDT probe, with all its sites. NULL: USDT probes are
	 * not looked for. */
	int (*usdt)(void *ctx, size_t file, struct gn_elf *elf,
		    const struct gn_note *site, size_t count);
	/* Whether the result of the function is recorded; NULL: no results
	 * are. */
	bool (*result)(const void *results, size_t file, struct gn_elf *elf,
		       const struct gn_elf_symbol *sym);
	const void *results; /* its context */
	/* Called for each function that handlers of exceptions call as they
	 * begin, with its first site, if any function is taken. NULL: they are
	 * not looked for. */
	int (*landing)(void *ctx, size_t file, const struct gn_site *enter);
	enum gn_leave_mode leave;
	/*
	 * Return probes sit only in traced processes: the kernel lets the enter
	 * decide (session links) or filters by process. Else they sit in every
	 * process that maps the file.
	 */
	bool return_is_private;
	bool follow; /* children can become other programs */
	/* The program has just begun: what else it will map is not known. */
	bool later;
	/* The first file is a library too: any program can map it. */
	bool library;
	bool sleds; /* plans can use sleds */
};

struct gn_native_stats {
	size_t functions;      /* taken */
	size_t usdt;	       /* probes */
	size_t by_return;      /* with a return probe */
	size_t by_ret;	       /* with probes on their own leaves */
	size_t stepped;	       /* of these: with a single-stepped one */
	size_t dear;	       /* of these: a return probe is cheaper */
	size_t begins;	       /* whose enter is single-stepped */
	size_t refused;	       /* that cannot be probed */
	char verdict[256];     /* of the whole-process proof */
	const char *unlisted;  /* its libraries are not known, or NULL */
	const char *unread;    /* a file that cannot be read, or NULL */
	const char *stripped;  /* a file without symbols, or NULL */
	bool stripped_program; /* that file is the program */
	const char *symbols;   /* follows "its debug symbols" of that file */
	const char *aot;       /* a file of .NET's Native AOT, or NULL */
	struct gn_notes_left left; /* USDT probes of the files */
};

/* The message about a glob that matches nothing if there is a Native AOT file;
 * with the glob, the file and gn_native_aot_todo(). */
#define GN_AOT_TEXT                                                       \
	"no function matches '%s': '%s' is .NET compiled to native code " \
	"(Native AOT), %s"

/*
 * Calls `each` for every function that is taken; `file` counts from 0 and
 * changes when elf does. `each` returns <0 to end the walk with that error.
 */
typedef int (*gn_native_fn)(void *ctx, size_t file, struct gn_elf *elf,
			    const struct gn_elf_symbol *sym,
			    const struct gn_plan *plan);

/* 0 or <0. -ENOEXEC: the first file is not an ELF file of this machine;
 * functions of the others are taken all the same. */
int gn_native_walk(const struct gn_files *files,
		   const struct gn_native_opts *opts, gn_native_fn each,
		   void *ctx, struct gn_native_stats *stats);

/* Adds the numbers of functions and probes of `from`, but no texts. */
void gn_native_add(struct gn_native_stats *to,
		   const struct gn_native_stats *from);

/* Writes a message about code of the process that gnomon could not look at to
 * `text`. NULL: there is none. */
#define GN_NATIVE_TEXT (PATH_MAX + 256)
const char *gn_native_unknown(const struct gn_native_stats *stats,
			      char text[GN_NATIVE_TEXT]);

/* The Native AOT file that a glob without a match can mean. NULL: there is
 * none, or the glob names a library. */
const char *gn_native_aot(const struct gn_native_stats *stats,
			  const char *glob);

/* The advice for the user of a Native AOT file. */
const char *gn_native_aot_todo(const struct gn_native_stats *stats);

/* The program, if it is stripped and a glob without a match asks for its
 * functions; else NULL. */
const char *gn_native_stripped(const struct gn_native_stats *stats,
			       const char *glob);

/* For a glob without LIB that no function of the program matches: the library
 * among the files that has most such functions, and how many. NULL: none. That
 * of a runtime which may never start is not meant. */
const char *gn_native_elsewhere(const struct gn_files *files, const char *glob,
				size_t *functions);

/* The message about that, with the glob, GN_ITSELF_TEXT of the statistics, the
 * number, and the library and the glob again. */
#define GN_ELSEWHERE_TEXT                                                 \
	"'%s' matches no function of the program itself%s, but %zu of a " \
	"library; give -f '%s:%s'"
#define GN_ITSELF_TEXT(stats)                                               \
	((stats)->stripped_program ? " (it is stripped; install its debug " \
				     "symbols)"                             \
				   : "")

/* Adds the files of LIB: globs that are not among `files` yet: paths, names in
 * the standard library directories, or libraries of runtimes that `program`
 * (NULL: none) starts. */
int gn_native_libraries(struct gn_files *files, const char *program,
			const struct gn_filter *f);

#endif
