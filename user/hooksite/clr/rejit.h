/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Functions by IL: the methods that a filter asks for are compiled again with
 * hooks in them, and with their own code again when the session is over. All
 * other code stays as it is, and it works in a process that runs already.
 *
 * A method has one index, whatever its type arguments. A session is begun and
 * ended by one thread; callbacks come on any.
 */
#ifndef GNOMON_CLR_REJIT_H
#define GNOMON_CLR_REJIT_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>

#include "arena.h"
#include "cor.h"
#include "filter.h"
#include "ids.h"
#include "il_value.h"
#include "metadata.h"
#include "methods.h"

/* Of a module whose methods are rewritten. */
struct gn_rejit_module {
	void *emit;	/* IMetaDataEmit */
	gn_token quick; /* type of the hooks' calling convention */
	/* StandAloneSig of hooks by the number of values, of methods that
	 * native code calls and of others; 0: not made yet */
	gn_token call[2][GN_ARGS_MAX + 1];
	uint32_t session; /* that has looked through it */
	uint32_t rows;	  /* methods of its file; edits add more */
};

struct gn_rejit {
	pthread_mutex_t lock; /* of what callbacks change, but atomics */
	void *info;	      /* ICorProfilerInfo10 */
	char *filter;	      /* of the session; NULL: there is none */
	struct gn_filter_lines lines; /* of `filter`; `lock` */
	char *values;		      /* the same: whose values are asked for */
	_Atomic uint32_t session;     /* which; 0: none */
	uint32_t sessions;	      /* that there have been */
	bool from_start; /* the session began before any code ran */
	struct gn_modules modules;
	struct gn_rejit_module module[GN_MODULES_MAX]; /* by place, from 0 */
	_Atomic uint8_t chosen[GN_IDS_MAX + 1];	       /* by index */
	/* Async methods by index: their machines may have tags in their states.
	 * Their own code must not run again: it would not know such a state,
	 * and begin from the start. */
	_Atomic uint8_t tagged[GN_IDS_MAX + 1];
	/* Methods by index of which precompiled code holds copies. */
	_Atomic uint8_t copied[GN_IDS_MAX + 1];
	/* What the session has compiled anew only so that it holds no copies.
	 * `lock` */
	struct gn_method_set held;
	_Atomic bool probed;	 /* in the session from the start on */
	_Atomic bool copies_off; /* no compilation may copy a method */
};

/* In the ids: what stands for a method. No FunctionID is like it. */
#define GN_REJIT_ID_OF(method)	  ((gn_cor_id)1 << 63 | (method))
#define GN_REJIT_ID(place, token) GN_REJIT_ID_OF(GN_METHOD(place, token))
#define GN_REJIT_METHOD_PLACE(id) GN_METHOD_MODULE((id) & ~(1ull << 63))
#define GN_REJIT_METHOD_TOKEN(id) \
	((gn_token)GN_TOKEN_METHODDEF << 24 | GN_TOKEN_ROW(id))

struct gn_clr;

/* Once. `info`: any ICorProfilerInfo. GN_S_OK, or it is too old. */
gn_hr gn_rejit_init(struct gn_clr *clr, void *info);

/* A session for modules that are still to come. `values`: `n` bytes of them. */
void gn_rejit_open(struct gn_clr *clr, const char *filter, const char *values,
		   size_t n);
/* Chooses the methods of all modules. A session under way is ended. */
void gn_rejit_begin(struct gn_clr *clr, const char *filter, const char *values,
		    size_t n);
void gn_rejit_end(struct gn_clr *clr);

/* Callbacks. */
void gn_rejit_module_loaded(struct gn_clr *clr, gn_cor_id module);
void gn_rejit_module_unloaded(struct gn_clr *clr, gn_cor_id module);
gn_hr gn_clr_rejit_parameters(struct gn_clr *clr, gn_cor_id module,
			      gn_token method, void *control);
gn_hr gn_clr_rejit_failed(struct gn_clr *clr, gn_cor_id module, gn_token method,
			  gn_cor_id function, gn_hr status);

/* The runtime compiles a function anew. */
void gn_rejit_compiles(struct gn_clr *clr, gn_cor_id function);
/* Ends a session from the start on whose gnomon is gone; call now and then,
 * from no hook. What was compiled without copies stays as it is: which
 * that is, the runtime does not tell. */
void gn_rejit_check(struct gn_clr *clr);

/* The index of the method that a function is of, 0: it is not chosen. */
uint32_t gn_rejit_index(struct gn_clr *clr, gn_cor_id function);

/* Methods to ask the runtime for: modules and tokens. */
struct gn_rejit_list {
	gn_cor_id *modules;
	gn_token *tokens;
	uint32_t n, room;
};

/* rejit_scan.c: adds what the filter asks for of a module. The lock is held. */
void gn_rejit_scan(struct gn_clr *clr, gn_cor_id module,
		   struct gn_rejit_list *list);
/* rejit_added.c: tells of what edits have added to a module and the filter asks
 * for; the lock is held. And the runtime compiles a function, which can be. */
void gn_rejit_added(struct gn_clr *clr, gn_cor_id module, uint32_t place);
void gn_rejit_compiles_added(struct gn_clr *clr, gn_cor_id function);
/* False: no memory. */
bool gn_rejit_list_add(struct gn_rejit_list *list, gn_cor_id module,
		       gn_token token);

#endif
