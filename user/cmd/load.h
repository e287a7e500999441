/* SPDX-License-Identifier: BSD-2-Clause */
/* Reads trace files into models. */
#ifndef GNOMON_CMD_LOAD_H
#define GNOMON_CMD_LOAD_H

#include "cmd/options.h"
#include "cmd/timeline.h"
#include "model/model.h"

/*
 * Reads a trace file into a model. Returns GN_EXIT_OK, or another exit status
 * after it has reported the error; then *model is NULL.
 */
int gn_load(const char *path, const struct gn_args *args,
	    struct gn_model **model);

/* The same, and writes the timeline of `args` meanwhile. If that cannot be
 * written, there may be no model. */
int gn_load_drawn(const char *path, const struct gn_args *args,
		  struct gn_model **model);

/* The same, with an observer of the replay. */
int gn_load_watched(const char *path, const struct gn_args *args,
		    const struct gn_observer *observer,
		    struct gn_model **model);

/* What messages call a trace: "-" is stdin. */
const char *gn_load_name(const char *path);

#endif
