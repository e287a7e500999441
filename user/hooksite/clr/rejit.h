/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Functions by IL. The methods that a filter asks for are recompiled with hooks
 * in their IL, and get their own code back when the session ends. All other
 * code stays as it is. This also works in a process that runs already.
 *
 * A method has one index, whatever its type arguments. One thread begins and
 * ends a session. Callbacks come on any thread.
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
#include "il.h"
#include "md_await.h"
#include "metadata.h"
#include "methods.h"

/* A module whose methods are rewritten. */
struct gn_rejit_module {
	void *emit;	/* IMetaDataEmit */
	gn_token quick; /* type that names the hooks' calling convention */
	/* StandAloneSig tokens for calls of hooks, by the number of values.
	 * Index 1: in methods that native code calls; 0: in others. A token of
	 * 0 is not made yet. */
	gn_token call[2][GN_ARGS_MAX + 1];
	/* what hooks borrow; 0: nothing was found, or not looked for yet */
	gn_token borrowed_call;
	struct gn_il_borrowed borrowed;
	bool looked, borrows;
	uint32_t session; /* the last one that scanned this module */
	uint32_t rows;	  /* methods in its file; edits add more */
	/* it was loaded in that session, and its methods requested then */
	_Atomic bool loaded;
};

/* The core library's method that is called when the runtime suspends methods.
 */
struct gn_rejit_awaits {
	bool known; /* the core library was looked at */
	gn_cor_id core;
	struct gn_md_suspends suspends;
	uint32_t index; /* 0: this runtime has none */
	_Atomic bool wanted, on;
};

/* Whether hooks may borrow signatures, and when the last suspension began. A
 * session begins with GN_BORROWING_NONE. */
#define GN_BORROWING_NONE 0
struct gn_borrowing {
	_Atomic uint32_t state;
	uint64_t since;
};

struct gn_rejit {
	pthread_mutex_t lock; /* for what callbacks change, not atomics */
	pthread_mutex_t ends; /* for the end of a session from the start */
	/* Only one thread requests methods, begins or ends a session. The
	 * runtime reports compilations until this is over: while they are not
	 * reported, none can be kept from inlining. Taken before `lock`. */
	pthread_mutex_t requests;
	void *info;   /* ICorProfilerInfo10 */
	char *filter; /* the session's; NULL: there is no session */
	struct gn_filter_lines lines; /* parsed `filter`; under `lock` */
	char *values; /* the session's: which functions' values are requested */
	_Atomic uint32_t session; /* its number; 0: none */
	uint32_t sessions;	  /* number of sessions so far */
	_Atomic bool from_start;  /* the session began before any code ran */
	bool only_awaits; /* all others are seen by the runtime's hooks */
	struct gn_modules modules;
	struct gn_rejit_module module[GN_MODULES_MAX]; /* by place - 1 */
	/* Methods that the session recompiled only to remove copies from them.
	 * Under `lock`. */
	struct gn_method_set held;
	struct gn_rejit_awaits awaits; /* under `lock`, but for its atomics */
	struct gn_borrowing borrowing;
	_Atomic bool probed;	 /* in a session from the start */
	_Atomic bool copies_off; /* no compilation may copy a method */
	/* chosen methods are recompiled only to remove copies from them, but
	 * for those of modules that were loaded in the session */
	_Atomic bool removes;
};

/* Stands for a method in the ids. No FunctionID has this form. */
#define GN_REJIT_ID_OF(method)	  ((gn_cor_id)1 << 63 | (method))
#define GN_REJIT_ID(place, token) GN_REJIT_ID_OF(GN_METHOD(place, token))
#define GN_REJIT_METHOD_PLACE(id) GN_METHOD_MODULE((id) & ~(1ull << 63))
#define GN_REJIT_METHOD_TOKEN(id) \
	((gn_token)GN_TOKEN_METHODDEF << 24 | GN_TOKEN_ROW(id))

struct gn_clr;

/* Call once. `info`: any ICorProfilerInfo. Fails if the runtime is too old. */
gn_hr gn_rejit_init(struct gn_clr *clr, void *info);

/* Opens a session for modules that are still to be loaded. `values` has `n`
 * bytes. */
void gn_rejit_open(struct gn_clr *clr, const char *filter, const char *values,
		   size_t n);
/* The same from the start, for methods that the runtime itself suspends. */
void gn_rejit_open_awaits(struct gn_clr *clr);
/* Begins a session and chooses the methods of all loaded modules. Ends the
 * current session first. */
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

/* The runtime recompiles a function. */
void gn_rejit_compiles(struct gn_clr *clr, gn_cor_id function);
/* Ends a session from the start if its gnomon is gone. Call now and then, but
 * from no hook. Methods that were compiled without copies stay as they are,
 * because the runtime does not say which these are. */
void gn_rejit_check(struct gn_clr *clr);

/* Whether an attach can have a session. Before, it ends one from the start
 * whose gnomon is gone. */
bool gn_rejit_is_free(struct gn_clr *clr);

/* The index of a function's method. 0: it is not chosen. */
uint32_t gn_rejit_index(struct gn_clr *clr, gn_cor_id function);

/* Methods to request from the runtime: modules and tokens. */
struct gn_rejit_list {
	gn_cor_id *modules;
	gn_token *tokens;
	uint32_t n, room;
};

/* rejit_scan.c: adds the methods of a module that the filter asks for, unless
 * the session has scanned it. `loaded`: it is being loaded. The caller holds
 * the lock. */
void gn_rejit_scan(struct gn_clr *clr, gn_cor_id module, bool loaded,
		   struct gn_rejit_list *list);
/* Calls `each` for each loaded module. */
void gn_rejit_each_module(struct gn_clr *clr,
			  void (*each)(void *ctx, gn_cor_id module), void *ctx);
/* rejit_await.c: whether hooks can tell when the runtime suspends a method of
 * the module; the caller holds the lock. gn_rejit_is_base(): whether the method
 * with this index is the one that is called then, and has its hook.
 * gn_rejit_base_on(): adds it to the list if it gets its hook now. False:
 * nothing was added. gn_rejit_base_off(): adds it if it loses its hook. */
bool gn_rejit_can_await(struct gn_clr *clr, gn_cor_id module);
bool gn_rejit_is_base(const struct gn_clr *clr, uint32_t index);
bool gn_rejit_base_on(struct gn_clr *clr, struct gn_rejit_list *list);
void gn_rejit_base_off(struct gn_clr *clr, struct gn_rejit_list *list);
/* rejit_added.c: reports methods that edits have added to a module and that the
 * filter asks for; the caller holds the lock. gn_rejit_compiles_added(): the
 * runtime compiles a function, which can be such a method. */
void gn_rejit_added(struct gn_clr *clr, gn_cor_id module, uint32_t place);
void gn_rejit_compiles_added(struct gn_clr *clr, gn_cor_id function);
/* rejit_borrow.c: prepares the call of a method's hooks and its locals, if the
 * module has the signatures; the caller holds the lock. False: it has not, or
 * the method needs more. */
bool gn_rejit_borrow(struct gn_clr *clr, struct gn_rejit_module *m,
		     const struct gn_md *md, gn_token token,
		     const struct gn_bytes *body, struct gn_il_hooks *hooks);
/* The runtime begins to suspend its threads, has suspended them, and lets them
 * run again. */
void gn_borrowing_suspends(struct gn_borrowing *b);
void gn_borrowing_suspended(struct gn_borrowing *b);
void gn_borrowing_check(struct gn_clr *clr);
/* Requests methods of the session again, those that `fn` adds to the list. Does
 * nothing between sessions. */
typedef void (*gn_rejit_list_fn)(struct gn_clr *clr,
				 struct gn_rejit_list *list);
void gn_rejit_again(struct gn_clr *clr, gn_rejit_list_fn fn);
/* rejit_list.c. The index of a method that was chosen; 0: it was not. */
uint32_t gn_rejit_chosen(struct gn_clr *clr, uint64_t method);
void gn_rejit_list_free(struct gn_rejit_list *list);
/* The place of the module of the method with this index, if the method is
 * chosen; else 0. And adds such a method to the list, if its module is loaded.
 */
uint32_t gn_rejit_place_of(struct gn_clr *clr, uint32_t index);
void gn_rejit_list_index(struct gn_clr *clr, struct gn_rejit_list *list,
			 uint32_t index);
/* False: out of memory. */
bool gn_rejit_list_add(struct gn_rejit_list *list, gn_cor_id module,
		       gn_token token);

/*
 * Adds the methods of a module whose precompiled code holds copies of chosen
 * methods. They are recompiled from their own IL, and the compiler does not
 * inline rewritten methods. In a session from the start their precompiled code
 * is refused instead. `chosen`: how many methods of the module are chosen.
 */
void gn_rejit_add_holders(struct gn_clr *clr, gn_cor_id module, uint32_t chosen,
			  struct gn_rejit_list *list);

#endif
