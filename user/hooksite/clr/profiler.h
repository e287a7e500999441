/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The callback object that the runtime calls: its state, and the callbacks that
 * do more than pass a site.
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
	void *const *slots; /* first: makes this a COM object */
	void *info;	    /* ICorProfilerInfo8 */
	void *info9;	    /* ICorProfilerInfo9; NULL: the runtime is older */
	const char *filter; /* in the arena, or NULL */
	const char *values; /* in the arena, or NULL: which functions' values
			       are requested */
	const void *lives;  /* a site with a probe while gnomon lives */
	void *_Atomic lender; /* ICorProfilerInfo11, while variables are lent */
	uint32_t wants;	      /* the session's, enum gn_want */
	uint32_t families;    /* families of events that are reported: enum
				 gn_family */
	_Atomic uint32_t session; /* its number: each session gets all names */
	bool functions;		  /* some are seen, by the runtime's hooks */
	_Atomic bool chooses;	  /* which precompiled code runs */
	bool asks;		  /* the filter names functions */
	bool refuses;		  /* to inline functions that are asked for */
	atomic_flag hooks_lock;
	uint32_t hooks; /* compilations that need hooks; under hooks_lock */
	struct gn_clr_ends ends; /* threads that had such compilations */
	bool fragile;		 /* watching exceptions can crash the runtime */
	/* hooks in the JIT compiler's helpers, or recompiling them, can crash
	 * too */
	bool no_helpers, keeps_helpers;
	bool deadlocks; /* inlining a method while it is requested for ReJIT can
			   deadlock */
	bool awaits;	/* the runtime itself can suspend methods with hooks */
	bool edits;	/* modules of debug builds can be edited */
	bool by_il;	/* functions are seen by their IL, not by the runtime's
			   hooks */
	bool fast;	/* hooks do not trap */
	/* nor do compilations and names. Threads can be in them at any time, so
	 * the memory must stay */
	bool compiles_fast;
	bool beside; /* another profiler is loaded: no function can be seen */
	bool asked_beside; /* `beside`, by the class that the runtime requested
			      last */
	char *request;	   /* of the first attach, until it completes */
	struct gn_precompiled precompiled;
	struct gn_arena arena;
	struct gn_ids ids;
	struct gn_rejit rejit;
	struct gn_classes classes;
	struct gn_images images;
	struct gn_unloads unloads;
};

/* A resolved name. It is never freed, and each session reports it when it first
 * uses it. */
struct gn_name {
	uint16_t name_len;
	uint16_t module_len;
	bool hook;
	bool dynamic; /* a DynamicMethod: the runtime gives it no hooks */
	char text[];  /* the name, a NUL, the module, a NUL */
};

/* The function's name. The first call resolves it, and the first call of each
 * session reports it. NULL: out of memory. */
const struct gn_name *gn_clr_name(struct gn_clr *clr, uint32_t index,
				  gn_cor_id function);

/* The same for anything else that has a name. `resolve` writes the name, and
 * returns the module whose unload makes it invalid, or 0. */
typedef gn_cor_id (*gn_resolve_fn)(struct gn_images *images, gn_cor_id id,
				   struct gn_text *name,
				   struct gn_text *module);
const struct gn_name *gn_clr_name_by(struct gn_clr *clr, uint32_t index,
				     gn_cor_id id, gn_resolve_fn resolve);

/* The same without a report, for a thread that the runtime does not know. */
const struct gn_name *gn_clr_resolve(struct gn_clr *clr, uint32_t index,
				     gn_cor_id id, gn_resolve_fn resolve);

/* Reports the name of an index, even if it was reported before. False: out of
 * memory. */
bool gn_clr_show_name(struct gn_clr *clr, uint32_t index, const char *name,
		      const char *module, uint64_t token);

/* Whether the name was reported in this session. */
bool gn_clr_is_told(const struct gn_clr *clr, uint32_t index);

/* Starts hooks that do not trap. False: gnomon does not take them. */
/* gnomon's own site is the one with this number; GN_SITE_OWN_MOST or more: it
 * has none. */
void gn_clr_lives_at(struct gn_clr *clr, unsigned long own);
bool gn_clr_start_fast(void);

/* Reports that the runtime has accepted the library with the session's events,
 * or that it failed with `hr`. */
void gn_clr_tell_init(const struct gn_clr *clr, gn_hr hr);

/* Call before functions are compiled with the runtime's hooks. */
void gn_clr_watch_ends(struct gn_clr *clr);

/* Starts a session from process start that sees functions by their IL. */
gn_hr gn_clr_start_il(struct gn_clr *clr);

/* Needs `info`: finds out what kind of runtime this is. */
void gn_clr_look_at_runtime(struct gn_clr *clr);

/* Where watching exceptions is a risk, reports whether they are watched. */
void gn_clr_tell_exceptions(const struct gn_clr *clr);

/* Says which hooks a function gets: the runtime asks for each that it compiles.
 */
uint64_t gn_clr_map_function(gn_cor_id function, void *clr, int32_t *hook);

/* Requests the events for these wants (enum gn_want) from the runtime. */
gn_hr gn_clr_set_events(const struct gn_clr *clr, uint32_t wants);

/* A version of a function was compiled. 0: the version with its own IL. */
void gn_clr_compiled(struct gn_clr *clr, gn_cor_id function, uint64_t version,
		     gn_hr status);

/* Callbacks. All return GN_S_OK, except the two for initialization. */
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
