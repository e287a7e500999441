/* SPDX-License-Identifier: BSD-2-Clause */
/* Trace files into models. */
#ifndef GNOMON_CMD_LOAD_H
#define GNOMON_CMD_LOAD_H

#include "cmd/options.h"
#include "cmd/timeline.h"
#include "model/model.h"

/*
 * The model of a trace file. `t`: a timeline of it to write meanwhile, or NULL;
 * when that could not be written, which it says itself, there is no model.
 * GN_EXIT_OK, or another exit status after it has said why; then *model is
 * NULL.
 */
int gn_load(const char *path, const struct gn_args *args,
	    struct gn_timeline_file *t, struct gn_model **model);

/* The same, while an observer is told of the walk. */
int gn_load_watched(const char *path, const struct gn_args *args,
		    const struct gn_observer *observer,
		    struct gn_model **model);

#endif
