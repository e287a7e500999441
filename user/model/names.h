/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Which function a function id means. Ids of native functions are of the
 * session; those of a runtime's functions are of a program, that is of a
 * process between two execs. Names may come after the first use of an id, and
 * an id may be given to another function later.
 */
#ifndef GNOMON_MODEL_NAMES_H
#define GNOMON_MODEL_NAMES_H

#include <stdbool.h>
#include <stdint.h>

#include <gnomon/roles.h>
#include "model/pool.h"
#include "model/table.h"
#include "names/own_name.h"

/* What an observer was told of a function. */
enum gn_told { GN_TOLD_NOTHING, GN_TOLD_ID, GN_TOLD_NAME };

struct gn_fn {
	uint32_t func;	    /* its id in the records */
	uint32_t program;   /* 0: native; GN_NONE: one that is over */
	const char *name;   /* NULL: not known (yet) */
	const char *module; /* NULL: see module_id */
	uint32_t module_id; /* of a MODULE record; 0 = none */
	uint32_t inlined;   /* call sites that may have a copy of it */
	bool unhooked;	    /* its calls cannot be seen */
	bool refused;	    /* to run as precompiled code */
	bool leave_return;  /* its leaves come from return probes */
	bool unprobed;	    /* calls were not seen, and no model says so yet */
	uint8_t enter_class, leave_class; /* enum gn_probe_class */
	uint8_t told;			  /* enum gn_told */
	uint8_t role;			  /* enum gn_role, by its name */
	uint64_t owed; /* probe cost that found no room in its intervals */
};

/* How far a look-up follows processes that were forked from one another. */
#define GN_FORKS_MAX 64

struct gn_names {
	struct gn_pool pool;
	struct gn_fn *fns;
	uint32_t nfns, fns_cap;
	/* bounds of what a traced program can make more of, 0: none */
	uint32_t most_fns;	 /* not native ones */
	size_t most_texts;	 /* of names of functions */
	struct gn_table by_func; /* program << 32 | func -> index in fns */
	const char **modules;	 /* names of MODULE records */
	uint32_t nmodules, modules_cap;
	struct gn_table by_module; /* id -> index in modules */
	uint32_t *forked;	   /* program -> the one it was forked from */
	uint32_t nprograms, forked_cap;
	struct gn_table by_muted; /* as by_func -> index in muted */
	uint32_t *muted;	  /* functions, by index in fns */
	uint32_t nmuted, muted_cap;
};

int gn_names_init(struct gn_names *n);
void gn_names_free(struct gn_names *n);

/* A new program; `forked_from` is the one whose functions it has, 0 = none.
 * 0 or -ENOMEM. */
int gn_names_program(struct gn_names *n, uint32_t forked_from, uint32_t *out);

/* The function that `func` means in `program` now. 0, -ENOMEM, or -ENOSPC: it
 * is not known, and there is no room for one more. */
int gn_names_find(struct gn_names *n, uint32_t program, uint32_t func,
		  uint32_t *out);

/* The same of a native function that was defined or used; else GN_NONE. */
uint32_t gn_names_native(const struct gn_names *n, uint32_t func);

/* From NAME (module text) and FUNCTION (module id) records. Calls that were
 * made before a different definition keep theirs. 0, -ENOMEM, -ENOSPC. */
int gn_names_define(struct gn_names *n, const struct gn_fn *def);
int gn_names_module(struct gn_names *n, uint32_t id, const char *name);

/* Calls of the module's functions are missing. */
void gn_names_unprobed(struct gn_names *n, uint32_t module);

/* From now on `func` is not seen any more in `program`. 0, -ENOMEM, -ENOSPC. */
int gn_names_mute(struct gn_names *n, uint32_t program, uint32_t func);
bool gn_names_muted(const struct gn_names *n, uint32_t program, uint32_t func);

/* For display; never NULL but when there is no memory. */
const char *gn_names_text(struct gn_names *n, uint32_t fn);
/* The name by which people know one that is called `name`; false: by that. */
bool gn_names_own(const struct gn_fn *fn, const char *name, char *own,
		  size_t size);
const char *gn_names_module_text(struct gn_names *n, uint32_t fn);

#endif
