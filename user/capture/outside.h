/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Finds processes outside of the capture that the traced threads waited for:
 * servers that were already running and did work for the command. They are
 * found from the wakers of waits for sockets, pipes and pollers, as the records
 * are drained. A wakeup without a known waker does not count.
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
 * Reports those that still run and that the capture waited for during at least
 * a tenth of its time, the longest wait first, one line each: WHAT; WHAT TO DO.
 */
void gn_outside_tell(struct gn_outside *o,
		     void (*tell)(void *ctx, const char *line), void *ctx);

/* Reports those that were in the capture and run on after its end, as a daemon
 * does, or a server's new program: the command has started them, or what gnomon
 * was attached to. */
void gn_outside_tell_left(const struct gn_outside *o, bool attached,
			  void (*tell)(void *ctx, const char *line), void *ctx);

#endif
