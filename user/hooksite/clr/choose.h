/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Which code runs, so that the calls of what is asked for can be seen: code
 * with hooks, or without; precompiled code or not; calls, or copies inlined.
 */
#ifndef GNOMON_CLR_CHOOSE_H
#define GNOMON_CLR_CHOOSE_H

#include "profiler.h"

/* By the filter and the environment, before anything else. */
void gn_choose_start(struct gn_clr *clr);

/* Around the compilation of a function with hooks: the runtime makes hooks
 * while it is asked for them, and as long as it is, it takes no precompiled
 * code from modules that are loaded meanwhile. */
void gn_choose_hooks_on(struct gn_clr *clr);
void gn_choose_hooks_off(struct gn_clr *clr);

/* Callbacks. GN_S_OK always. */
gn_hr gn_clr_module_loaded(struct gn_clr *clr, gn_cor_id module, gn_hr status);
gn_hr gn_clr_search_started(struct gn_clr *clr, gn_cor_id function,
			    int32_t *use);
gn_hr gn_clr_inlining(struct gn_clr *clr, gn_cor_id caller, gn_cor_id callee,
		      int32_t *inlines);

#endif
