/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What gnomon list found. listing.c, listing_sites.c and listing_managed.c fill
 * it; listing_table.c, listing_managed.c and listing_data.c write it.
 */
#ifndef GNOMON_CMD_LISTING_H
#define GNOMON_CMD_LISTING_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "capture/attach.h"
#include "elf/notes.h"
#include "elf/sleds.h"
#include "runtime/native.h"
#include "runtime/runtime.h"

/* A native function and its probes. */
struct gn_list_function {
	size_t file; /* in listing.files */
	char *name; /* demangled. The row owns all its texts except those of the
		       plan. */
	char *symbol; /* as linked; can be the same text as `name` */
	uint64_t addr;
	uint64_t size;
	struct gn_plan plan;
	size_t rets, tails; /* of plan.leaves */
	/* the number of sleds at its beginning and at its ends, all of one
	 * kind */
	size_t sleds, end_sleds;
	enum gn_sled_kind sled;
};

/* An instruction of a note. */
struct gn_list_insn {
	uint64_t offset; /* in the file */
	enum gn_cost cost;
	char text[32];
};

/* A site of a hook-site library. */
struct gn_list_hook {
	char name[GN_NOTE_NAME];
	const struct gn_runtime_site
		*site; /* NULL: this version of gnomon does not probe it */
	struct gn_list_insn nop1, nop5;
};

/* A runtime that the program starts or can start. */
struct gn_list_runtime {
	const struct gn_runtime *runtime;
	const char *why; /* a static text: why it is listed */
	int error;	 /* of the library: 0 or -errno */
	char library[PATH_MAX];
	struct gn_list_hook *hook;
	size_t nhooks;
};

/* A USDT probe. */
struct gn_list_usdt {
	size_t file;
	struct gn_note note;
	struct gn_list_insn insn;
};

/* A module that a running process has loaded. */
struct gn_list_module {
	char *path; /* as struct gn_managed_module */
	bool in_memory;
	int error;
	size_t functions, generic;
	size_t unhooked[GN_UNHOOKED_COUNT]; /* functions by reason */
};

/* A function of a module. */
struct gn_list_managed {
	size_t module;
	char *name;
	enum gn_unhooked unhooked;
	bool generic;
};

struct gn_listing {
	struct gn_files files; /* the first is the one that the user named */
	enum gn_attach_mode links;
	bool links_known; /* if not, `links` is an assumption */
	bool library;	  /* the first file is a library */
	struct gn_list_function *function;
	size_t nfunctions;
	size_t text; /* bytes of their long names */
	struct gn_list_runtime *runtime;
	size_t nruntimes;
	struct gn_list_usdt *usdt;
	size_t nusdt;
	const struct gn_runtime *running; /* of the modules; NULL: none runs */
	struct gn_list_module *module;
	size_t nmodules;
	struct gn_list_managed *managed; /* the requested functions */
	size_t nmanaged;
	size_t npacked; /* processes whose modules are in their program */
	struct gn_notes_left left; /* USDT probes */
	struct gn_native_stats stats;
	size_t rets, tails;	     /* of all functions */
	size_t sleds[GN_SLED_KINDS]; /* functions whose sleds a run uses */
	size_t broken_sleds;
};

void gn_listing_clear(struct gn_listing *l);

/* Adds a zeroed *row to a list of `n` rows of `size` bytes, which is full at
 * each power of two. Returns the list; NULL: no memory, and nothing changed. */
void *gn_list_more(void *list, size_t n, size_t size, void **row);

/* Adds the functions of l->files that the filter includes, with their plans. 0,
 * -ENOEXEC, or another error of reading or memory. */
int gn_listing_functions(struct gn_listing *l,
			 const struct gn_native_opts *opts);

/* Counts the sleds of the listed functions. 0 or -ENOMEM. */
int gn_listing_sleds(struct gn_listing *l);

/* Adds the USDT probes of the files whose NAME or PROVIDER:NAME matches a glob
 * of the filter; `all`: every one. 0 or -ENOMEM. A file without notes has
 * none. */
int gn_listing_usdt(struct gn_listing *l, struct gn_filter *filter, bool all);

/* Whether gnomon knows where the i-th argument is. */
static inline bool gn_list_readable(const struct gn_note *note, size_t i)
{
	return i < note->nargs && note->arg[i].how != GN_HOW_NONE;
}

/* The arguments as in the note. Those that gnomon cannot read are marked. */
#define GN_LIST_ARGUMENTS 2048
void gn_list_arguments(const struct gn_note *note,
		       char text[GN_LIST_ARGUMENTS]);

/*
 * Adds the runtimes that the program launches; `any`: all runtimes. With
 * `itself` the program can be a hook-site library, too. 0 or -ENOMEM. If a
 * library is missing, its row says so.
 */
int gn_listing_runtimes(struct gn_listing *l, bool any, const char *why_any,
			bool itself);

struct gn_args;

/*
 * Adds the modules of the processes of -p that run a runtime, and their
 * functions that -f asks for (`modules`: none). `filter` notes which globs
 * matched. 0, -ENOMEM, or -errno of what cannot be read.
 */
int gn_listing_managed(struct gn_listing *l, const struct gn_args *args,
		       struct gn_filter *filter, bool modules);
void gn_listing_clear_managed(struct gn_listing *l);
/* Writes a name from the traced program between two texts, escaped. 0 or
 * -ENOMEM. */
int gn_list_put_name(FILE *f, const char *before, const char *name,
		     const char *after);
/* Writes the functions, or the modules; `verbose`: both. */
int gn_list_managed_table(const struct gn_listing *l, bool verbose, FILE *f);

/* The reason for no hooks as a word ("yes": it gets hooks), and as a sentence
 * (NULL: it gets hooks). */
const char *gn_list_unhooked_word(enum gn_unhooked unhooked);
const char *gn_list_unhooked_why(enum gn_unhooked unhooked);

const char *gn_list_kind_name(const struct gn_list_hook *h);

/* Writes on stderr how many functions and sites there are. `automatic`: gnomon
 * chooses how their ends are seen. */
void gn_listing_summary(const struct gn_listing *l, bool automatic);

/* The writers: 0 or -errno. */
int gn_listing_table(const struct gn_listing *l, bool verbose, FILE *f);
int gn_listing_csv(const struct gn_listing *l, bool verbose, FILE *f);
int gn_listing_json(const struct gn_listing *l, bool verbose, FILE *f);

#endif
