/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Finds processes outside of the capture that the traced threads waited for:
 * servers that were already running and worked for the command. As records are
 * drained, it looks at the wakers of waits for sockets, pipes and pollers.
 * Wakeups without a known waker do not count.
 */
#ifndef GNOMON_CAPTURE_OUTSIDE_H
#define GNOMON_CAPTURE_OUTSIDE_H

#include <stdbool.h>

#include <gnomon/event.h>

struct gn_outside;

/* NULL: no memory. */
struct gn_outside *gn_outside_new(void);
void gn_outside_free(struct gn_outside *o);

/* Takes each record of the kernel side, in order. */
void gn_outside_record(struct gn_outside *o, const struct gn_rec *rec);

/*
 * Reports processes that still run and that the capture waited for during at
 * least a tenth of its time, the longest wait first, one line each: WHAT; WHAT
 * TO DO.
 */
void gn_outside_tell(struct gn_outside *o,
		     void (*tell)(void *ctx, const char *line), void *ctx);

/* Reports processes that were in the capture and go on after its end, such as a
 * daemon or a server's new program. `attached`: gnomon was attached to what
 * started them; otherwise the command did. */
void gn_outside_tell_left(const struct gn_outside *o, bool attached,
			  void (*tell)(void *ctx, const char *line), void *ctx);

#endif
