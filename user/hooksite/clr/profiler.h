/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The callback object that the runtime calls: its state, and the callbacks
 * that do more than pass a site.
 */
#ifndef GNOMON_CLR_PROFILER_H
#define GNOMON_CLR_PROFILER_H

#include <stdbool.h>

#include "arena.h"
#include "classes.h"
#include "cor.h"
#include "ids.h"
#include "image.h"
#include "precompiled.h"
#include "rejit.h"
#include "text.h"
#include "thread.h"
#include "unloads.h"

struct gn_clr {
	void *const *slots; /* first: what makes it a COM object */
	void *info;	    /* ICorProfilerInfo8 */
	void *info9;	    /* the same, newer; NULL: the runtime is older */
	const char *filter; /* of the arena, or NULL */
	const char *values; /* the same: whose values are asked for */
	uint32_t wants;	    /* of the session: enum gn_want */
	uint32_t families;  /* of events that it is told: enum gn_family */
	_Atomic uint32_t session; /* its number: each hears all names */
	bool functions;	      /* some are to be seen, by the runtime's hooks */
	_Atomic bool chooses; /* which precompiled code runs */
	bool asks;	      /* the filter says which */
	bool refuses;	      /* to have them inlined */
	atomic_flag hooks_lock;
	uint32_t hooks; /* compilations that need them; of hooks_lock */
	struct gn_clr_ends ends; /* of threads that had such */
	bool fragile;		 /* to watch exceptions can crash the runtime */
	/* so can hooks in the compiler's helpers, and to compile them anew */
	bool no_helpers, keeps_helpers;
	bool deadlocks; /* where copies are made of what is asked for anew */
	bool edits;	/* modules of debug builds can be edited */
	bool by_il;	/* functions are seen by their IL, not by hooks of the
			   runtime */
	bool fast;	/* hooks make no trap */
	/* nor do compilations and names: their threads can be there at any
	 * time, so the memory must stay */
	bool compiles_fast;
	bool beside;	   /* another profiler: no function can be seen */
	bool asked_beside; /* by the class that the runtime asked for last */
	char *request;	   /* of the first attach, until it is complete */
	struct gn_precompiled precompiled;
	struct gn_arena arena;
	struct gn_ids ids;
	struct gn_rejit rejit;
	struct gn_classes classes;
	struct gn_images images;
	struct gn_unloads unloads;
};

/* A function as it was resolved, once. Stays for good, and each session is
 * told of it when it is first of use there. */
struct gn_name {
	uint16_t name_len;
	uint16_t module_len;
	bool hook;
	bool dynamic; /* a DynamicMethod: the runtime makes it no hooks */
	char text[];  /* the name, a NUL, the module, a NUL */
};

/* The function's name, resolved the first time, and shown the first time of a
 * session. NULL: no memory. */
const struct gn_name *gn_clr_name(struct gn_clr *clr, uint32_t index,
				  gn_cor_id function);

/* The same of anything else that has a name. `resolve` writes it, and returns
 * the module with which it is gone, or 0. */
typedef gn_cor_id (*gn_resolve_fn)(struct gn_images *images, gn_cor_id id,
				   struct gn_text *name,
				   struct gn_text *module);
const struct gn_name *gn_clr_name_by(struct gn_clr *clr, uint32_t index,
				     gn_cor_id id, gn_resolve_fn resolve);

/* The same, and shows nothing: from a thread that the runtime does not know. */
const struct gn_name *gn_clr_resolve(struct gn_clr *clr, uint32_t index,
				     gn_cor_id id, gn_resolve_fn resolve);

/* Shows the name of an index, again if it has been. False: no memory. */
bool gn_clr_show_name(struct gn_clr *clr, uint32_t index, const char *name,
		      const char *module, gn_token token);

/* Whether the session has been shown it. */
bool gn_clr_is_told(const struct gn_clr *clr, uint32_t index);

/* Hooks that make no trap, where gnomon takes them. */
bool gn_clr_start_fast(void);

/* The runtime has taken the library, with the session's events, or not. */
void gn_clr_tell_init(const struct gn_clr *clr, gn_hr hr);

/* Before functions are compiled with hooks of the runtime. */
void gn_clr_watch_ends(struct gn_clr *clr);

/* From the start on functions are seen by their IL. */
gn_hr gn_clr_start_il(struct gn_clr *clr);

/* Has `info`: finds out what kind of runtime it is. */
void gn_clr_look_at_runtime(struct gn_clr *clr);

/* Says whether exceptions are watched where that is a risk. */
void gn_clr_tell_exceptions(const struct gn_clr *clr);

/* Asks the runtime for the events that these wants (enum gn_want) make. */
gn_hr gn_clr_set_events(const struct gn_clr *clr, uint32_t wants);

/* A version of a function is compiled; 0: of its own IL. */
void gn_clr_compiled(struct gn_clr *clr, gn_cor_id function, uint64_t version,
		     gn_hr status);

/* Callbacks. GN_S_OK always, but for initialize. */
gn_hr gn_clr_initialize(struct gn_clr *clr, void *unknown);
gn_hr gn_clr_initialize_attach(struct gn_clr *clr, void *unknown, void *data,
			       uint32_t size);
gn_hr gn_clr_attach_complete(struct gn_clr *clr);
gn_hr gn_clr_notification_only(struct gn_clr *clr, int32_t *answer);
gn_hr gn_clr_jit_started(struct gn_clr *clr, gn_cor_id function, int32_t safe);
gn_hr gn_clr_jit_finished(struct gn_clr *clr, gn_cor_id function, gn_hr status,
			  int32_t safe);
gn_hr gn_clr_dynamic_jit_started(struct gn_clr *clr, gn_cor_id function,
				 int32_t safe, const uint8_t *il, uint32_t n);
gn_hr gn_clr_dynamic_unloaded(struct gn_clr *clr, gn_cor_id function);
gn_hr gn_clr_function_unload(struct gn_clr *clr, gn_cor_id function);
gn_hr gn_clr_module_unloaded(struct gn_clr *clr, gn_cor_id module,
			     gn_hr status);
gn_hr gn_clr_filter_enter(struct gn_clr *clr, gn_cor_id function);
gn_hr gn_clr_filter_leave(struct gn_clr *clr);
gn_hr gn_clr_unwind_enter(struct gn_clr *clr, gn_cor_id function);
gn_hr gn_clr_unwind_leave(struct gn_clr *clr);
gn_hr gn_clr_catcher_enter(struct gn_clr *clr, gn_cor_id function,
			   uint64_t object);

#endif
