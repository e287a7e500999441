/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Resolves function ids. Ids of native functions belong to the session. Ids of
 * a runtime's functions belong to a program, which is a process between two
 * execs. A name can come after the first use of its id, and a runtime can reuse
 * an id for another function.
 */
#ifndef GNOMON_MODEL_NAMES_H
#define GNOMON_MODEL_NAMES_H

#include <stdbool.h>
#include <stdint.h>

#include <gnomon/roles.h>
#include "model/pool.h"
#include "model/table.h"
#include "names/clr_name.h"

/* What an observer already knows about a function. */
enum gn_told { GN_TOLD_NOTHING, GN_TOLD_ID, GN_TOLD_NAME };

struct gn_module {
	const char *name;
	bool moves_stacks; /* GN_F_MOVES_STACKS */
	bool unprobed; /* calls were missed; its functions are not marked yet */
};

struct gn_fn {
	uint32_t func; /* its id in records */
	/* 0: native; GN_NONE: the program has ended */
	uint32_t program;
	const char *name;   /* NULL: not known yet */
	const char *module; /* NULL: use module_id */
	uint32_t module_id; /* of a MODULE record; 0: none */
	const char *file;   /* source file; NULL: not known */
	uint32_t line;	    /* source line, from 1 */
	uint32_t inlined;   /* call sites that may have inlined it */
	uint32_t compiled;  /* number of compilations, if rows are kept */
	bool moved;	    /* its calls moved, see gn_names_moved() */
	bool unhooked;	    /* its calls cannot be seen */
	bool refused;	    /* its precompiled code was rejected */
	bool suspends;	    /* the runtime itself suspends its calls */
	bool clr_name;	    /* a native id with a .NET name */
	bool leave_return;  /* return probes report its leaves */
	/* calls were missed, and no model has reported it yet */
	bool unprobed;
	uint8_t enter_class, leave_class; /* enum gn_probe_class */
	uint8_t told;			  /* enum gn_told */
	uint8_t role;			  /* enum gn_role, from the name */
	/* probe cost that could not be subtracted from its intervals */
	uint64_t owed;
};

/* How many forks back a look-up searches the parents of a process. */
#define GN_FORKS_MAX 64

struct gn_names {
	bool any_suspends; /* of the functions */
	struct gn_pool pool;
	struct gn_fn *fns;
	uint32_t nfns, fns_cap;
	/* limits of what a traced program can create; 0: none */
	uint32_t most_fns;	 /* of runtimes' functions */
	size_t most_texts;	 /* size of function names */
	struct gn_table by_func; /* program << 32 | func -> index in fns */
	/* from 1; changes when a function in records may mean another one */
	uint32_t epoch;
	/* the last look-up in by_func; GN_NONE: none is valid */
	uint64_t last_key;
	uint32_t last_fn;
	struct gn_module *modules; /* from MODULE records */
	uint32_t nmodules, modules_cap;
	bool unprobed;		   /* some module's `unprobed` is set */
	struct gn_table by_module; /* id -> index in modules */
	/* program -> the program that it was forked from */
	uint32_t *forked;
	uint32_t nprograms, forked_cap;
	/* program -> when all its probes were attached, if it ran before that;
	 * else 0 */
	uint64_t *late;
	uint32_t late_cap;
	struct gn_table by_muted; /* key as in by_func -> index in muted */
	uint32_t *muted;	  /* indexes in fns */
	uint32_t nmuted, muted_cap;
};

int gn_names_init(struct gn_names *n);
void gn_names_free(struct gn_names *n);

/* Adds a program, which inherits the functions of `forked_from` (0: none). 0 or
 * -ENOMEM. */
int gn_names_program(struct gn_names *n, uint32_t forked_from, uint32_t *out);

/* Resolves `func` in `program`. 0, -ENOMEM, or -ENOSPC: it is new, but the
 * limit of functions is reached. */
int gn_names_find(struct gn_names *n, uint32_t program, uint32_t func,
		  uint32_t *out);

/* The same for a native function; GN_NONE if it is neither defined nor used. */
uint32_t gn_names_native(struct gn_names *n, uint32_t func);

/*
 * Defines a function by a NAME record (with its module's text) or a FUNCTION
 * record (with a module id). Calls made before keep the earlier definition. 0,
 * -ENOMEM, -ENOSPC.
 */
int gn_names_define(struct gn_names *n, const struct gn_fn *def);
/* Sets the source of a function, if it is defined. */
void gn_names_source(struct gn_names *n, uint32_t program, uint32_t func,
		     const char *file, uint32_t line);
int gn_names_module(struct gn_names *n, uint32_t id,
		    const struct gn_module *module);
/*
 * A call of the native function ended where none began. Returns whether its
 * module moves calls between stacks and threads by itself: that is no fault of
 * the trace then, but what its calls took is not known.
 */
bool gn_names_moved(struct gn_names *n, uint32_t func);

/* Adds a function by its name, for which no record has an id. 0 or -ENOMEM. */
int gn_names_made(struct gn_names *n, const char *name, uint32_t *out);

/* Calls of the module's functions were missed. Returns the module's name; NULL:
 * it has none. */
const char *gn_names_unprobed(struct gn_names *n, uint32_t module);
/* Marks the functions of all such modules at once. */
void gn_names_tell_unprobed(struct gn_names *n);

/* Mutes `func` in `program` from now on. 0, -ENOMEM, -ENOSPC. */
int gn_names_mute(struct gn_names *n, uint32_t program, uint32_t func);
bool gn_names_muted(const struct gn_names *n, uint32_t program, uint32_t func);

/* The name for display. NULL: no memory. */
const char *gn_names_text(struct gn_names *n, uint32_t fn);
/* The short form of a function called `name`. False: it is `name` itself. */
bool gn_names_short(const struct gn_fn *fn, const char *name, char *text,
		    size_t size);
/* The same for a class. */
bool gn_names_short_class(const struct gn_fn *fn, const char *name, char *text,
			  size_t size);
const char *gn_names_module_text(struct gn_names *n, uint32_t fn);

#endif
