/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Muting as a session needs it; gn_session_mute() of session.h is what others
 * call.
 *
 * A native function that can be muted has links of its own, which its muting
 * closes: the site where it is entered first, then those where it is left, then
 * the return probe, so that what is cut off is the end of a call and never its
 * beginning. A function of a runtime has a byte in its process, of which its
 * hook-site library's hooks take notice.
 */
#ifndef GNOMON_CAPTURE_MUTE_H
#define GNOMON_CAPTURE_MUTE_H

#include <gnomon/event.h>
#include "capture/attach.h"
#include "runtime/probes.h"

struct gn_mute;
struct gn_session;

struct gn_mute *gn_mute_new(void);
/* Clears the bytes in processes that live. The probes must be gone: a hook that
 * is not muted any more would be seen. */
void gn_mute_free(struct gn_mute *m);

/* The functions of this runtime can be muted by this library's bytes. A library
 * without them is no error. -ENOMEM. */
int gn_mute_library(struct gn_mute *m, enum gn_runtime_id runtime,
		    const char *library);

/* gn_session_link() of a group of probes, a link a function where that can be
 * had. */
int gn_mute_link(struct gn_session *s, enum gn_prog prog,
		 const struct gn_probe_set *set);

/* After the last link; removes all links that are left. */
void gn_mute_settle(struct gn_mute *m);
void gn_mute_detach(struct gn_mute *m);

#endif
