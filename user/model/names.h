/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Resolves function ids. Ids of native functions belong to the session; ids of
 * a runtime's functions belong to a program: a process between two execs. A
 * name can come after the first use of an id, and a runtime can give an id to
 * another function later.
 */
#ifndef GNOMON_MODEL_NAMES_H
#define GNOMON_MODEL_NAMES_H

#include <stdbool.h>
#include <stdint.h>

#include <gnomon/roles.h>
#include "model/pool.h"
#include "model/table.h"
#include "names/clr_name.h"

/* What an observer already knows of a function. */
enum gn_told { GN_TOLD_NOTHING, GN_TOLD_ID, GN_TOLD_NAME };

struct gn_module {
	const char *name;
	bool moves_stacks; /* GN_F_MOVES_STACKS */
	bool unprobed;	   /* calls were missed: not told to its functions */
};

struct gn_fn {
	uint32_t func; /* its id in the records */
	/* 0: native; GN_NONE: of a program that has ended */
	uint32_t program;
	const char *name;   /* NULL: not known (yet) */
	const char *module; /* NULL: see module_id */
	uint32_t module_id; /* of a MODULE record; 0 = none */
	const char *file;   /* of its source; NULL: not known */
	uint32_t line;	    /* in it, from 1 */
	uint32_t inlined;   /* call sites that may have an inlined copy of it */
	uint32_t compiled;  /* times that it was, where rows are kept */
	bool unhooked;	    /* its calls cannot be seen */
	bool refused;	    /* its precompiled code was refused */
	bool clr_name;	    /* a native id, and a name of .NET */
	bool leave_return;  /* its leaves come from return probes */
	/* calls were missed, and no model has reported that yet */
	bool unprobed;
	uint8_t enter_class, leave_class; /* enum gn_probe_class */
	uint8_t told;			  /* enum gn_told */
	uint8_t role;			  /* enum gn_role, from the name */
	/* probe cost that could not be subtracted from its intervals */
	uint64_t owed;
};

/* How many forks back a look-up follows the parents of a process. */
#define GN_FORKS_MAX 64

struct gn_names {
	struct gn_pool pool;
	struct gn_fn *fns;
	uint32_t nfns, fns_cap;
	/* limits for what a traced program can create; 0 = none */
	uint32_t most_fns;	 /* not native ones */
	size_t most_texts;	 /* of names of functions */
	struct gn_table by_func; /* program << 32 | func -> index in fns */
	/* from 1; another one when what records mean by a function can have
	 * changed */
	uint32_t epoch;
	/* the last answer of by_func; GN_NONE: ask it */
	uint64_t last_key;
	uint32_t last_fn;
	struct gn_module *modules; /* of MODULE records */
	uint32_t nmodules, modules_cap;
	bool unprobed;		   /* one of them is */
	struct gn_table by_module; /* id -> index in modules */
	/* program -> the program that it was forked from */
	uint32_t *forked;
	uint32_t nprograms, forked_cap;
	/* program -> when it had all probes, if it ran before; else 0 */
	uint64_t *late;
	uint32_t late_cap;
	struct gn_table by_muted; /* as by_func -> index in muted */
	uint32_t *muted;	  /* functions, by index in fns */
	uint32_t nmuted, muted_cap;
};

int gn_names_init(struct gn_names *n);
void gn_names_free(struct gn_names *n);

/* Adds a program. It has the functions of `forked_from`; 0 = of none. 0 or
 * -ENOMEM. */
int gn_names_program(struct gn_names *n, uint32_t forked_from, uint32_t *out);

/* Resolves `func` in `program`. 0, -ENOMEM, or -ENOSPC: it is new, and the
 * limit of functions has been reached. */
int gn_names_find(struct gn_names *n, uint32_t program, uint32_t func,
		  uint32_t *out);

/* The same for a native function that was defined or used; else GN_NONE. */
uint32_t gn_names_native(struct gn_names *n, uint32_t func);

/*
 * Defines a function by a NAME record (module as text) or a FUNCTION record
 * (module id). Earlier calls keep an earlier definition. 0, -ENOMEM, -ENOSPC.
 */
int gn_names_define(struct gn_names *n, const struct gn_fn *def);
/* Where the source of a function is that was defined; others are left out. */
void gn_names_source(struct gn_names *n, uint32_t program, uint32_t func,
		     const char *file, uint32_t line);
int gn_names_module(struct gn_names *n, uint32_t id,
		    const struct gn_module *module);
/* Whether the native function's module changes stacks by its own means. */
bool gn_names_moves_stacks(struct gn_names *n, uint32_t func);

/* Adds one that no record has an id of, by its name. 0 or -ENOMEM. */
int gn_names_made(struct gn_names *n, const char *name, uint32_t *out);

/* Calls of the module's functions are missing. Returns its name; NULL: it has
 * none. */
const char *gn_names_unprobed(struct gn_names *n, uint32_t module);
/* Tells the functions, of all such modules at once. */
void gn_names_tell_unprobed(struct gn_names *n);

/* From now on `func` is muted in `program`. 0, -ENOMEM, -ENOSPC. */
int gn_names_mute(struct gn_names *n, uint32_t program, uint32_t func);
bool gn_names_muted(const struct gn_names *n, uint32_t program, uint32_t func);

/* The name for display. NULL only when there is no memory. */
const char *gn_names_text(struct gn_names *n, uint32_t fn);
/* How people write the name of one that is called `name`; false: like that. */
bool gn_names_short(const struct gn_fn *fn, const char *name, char *text,
		    size_t size);
/* The same for what is a class. */
bool gn_names_short_class(const struct gn_fn *fn, const char *name, char *text,
			  size_t size);
const char *gn_names_module_text(struct gn_names *n, uint32_t fn);

#endif
