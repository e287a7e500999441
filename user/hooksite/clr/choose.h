/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Chooses which code runs, so that calls of the functions asked for are seen:
 * with hooks or without, precompiled or not, with calls or with inlined copies.
 */
#ifndef GNOMON_CLR_CHOOSE_H
#define GNOMON_CLR_CHOOSE_H

#include "profiler.h"

/* Chooses by the filter and the environment; call it before anything else. */
void gn_choose_start(struct gn_clr *clr);

/* Around the compilation of a function with hooks: the runtime makes hooks only
 * while it is asked for them. Meanwhile it takes no precompiled code from
 * modules that it loads. */
void gn_choose_hooks_on(struct gn_clr *clr);
void gn_choose_hooks_off(struct gn_clr *clr);

/* Callbacks. They always return GN_S_OK. */
gn_hr gn_clr_module_loaded(struct gn_clr *clr, gn_cor_id module, gn_hr status);
gn_hr gn_clr_search_started(struct gn_clr *clr, gn_cor_id function,
			    int32_t *use);
gn_hr gn_clr_inlining(struct gn_clr *clr, gn_cor_id caller, gn_cor_id callee,
		      int32_t *inlines);

#endif
