/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Source lines of .NET functions. They are resolved when a function gets its
 * name: then the files are those that run, in the process's own mount
 * namespace, and a trace can be read on a machine without them.
 */
#ifndef GNOMON_CAPTURE_SOURCES_H
#define GNOMON_CAPTURE_SOURCES_H

#include <stdbool.h>
#include <stddef.h>

#include <gnomon/event.h>

struct gn_sources;

/* `put` gets the records that are made. `attached`: the processes ran before.
 * NULL: no memory. */
struct gn_sources *
gn_sources_new(int (*put)(void *ctx, const struct gn_rec *rec, size_t size),
	       void *ctx, bool attached);
void gn_sources_free(struct gn_sources *s);

/* Call it with each record of the kernel side, after the record was put. */
void gn_sources_record(struct gn_sources *s, const struct gn_rec *rec);

#endif
