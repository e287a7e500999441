/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What a capture was asked for and has not seen: programs that ran a runtime
 * without its hook-site library, and -f that matched nothing. Found from the
 * records as they are drained, so the shortest program counts: a runtime is
 * known by a thread that it names (struct gn_runtime), its library by the
 * RUNTIME record that it causes when it is loaded.
 */
#ifndef GNOMON_CAPTURE_UNSEEN_H
#define GNOMON_CAPTURE_UNSEEN_H

#include <stddef.h>
#include <stdint.h>

#include <gnomon/event.h>

struct gn_filter;
struct gn_unseen;

/* A line for people: WHAT; WHAT TO DO. */
typedef void (*gn_unseen_fn)(void *ctx, const char *line);

/* `uid`: whom the command runs as. NULL: no memory. */
struct gn_unseen *gn_unseen_new(uint32_t uid);
void gn_unseen_free(struct gn_unseen *u);

/* A record of the kernel side, in their order. `filter` learns which of its
 * globs match names of a runtime. */
void gn_unseen_record(struct gn_unseen *u, const struct gn_rec *rec,
		      struct gn_filter *filter);

/* Tells of the runtimes. */
void gn_unseen_runtimes(const struct gn_unseen *u, gn_unseen_fn tell,
			void *ctx);

/* Tells of each glob that nothing matched. */
void gn_unseen_globs(const struct gn_unseen *u, const struct gn_filter *filter,
		     gn_unseen_fn tell, void *ctx);

#endif
