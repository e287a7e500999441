/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Processes outside of the capture that the traced threads waited for: servers
 * that were running already, by which a command had its work done. Found from
 * the wakers of waits for sockets, pipes and pollers as the records are
 * drained; a wake-up whose waker the kernel does not tell is not counted.
 */
#ifndef GNOMON_CAPTURE_OUTSIDE_H
#define GNOMON_CAPTURE_OUTSIDE_H

#include <gnomon/event.h>

struct gn_outside;

/* NULL: no memory. */
struct gn_outside *gn_outside_new(void);
void gn_outside_free(struct gn_outside *o);

/* A record of the kernel side, in their order. */
void gn_outside_record(struct gn_outside *o, const struct gn_rec *rec);

/*
 * Tells of those that still run and that the capture waited for during a tenth
 * of its time or more; the longest waits first, a line each: WHAT; WHAT TO DO.
 */
void gn_outside_tell(struct gn_outside *o,
		     void (*tell)(void *ctx, const char *line), void *ctx);

#endif
