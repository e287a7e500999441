/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Muting, as a session needs it; others call gn_session_mute() of session.h. A
 * native function that can be muted has its own links, and muting closes them:
 * first the site where it is entered, then those where it is left, then the
 * return probe. So the end of a call may be missing, but never its beginning. A
 * function of a runtime has a byte in its process; the hooks of the hook-site
 * library check it.
 */
#ifndef GNOMON_CAPTURE_MUTE_H
#define GNOMON_CAPTURE_MUTE_H

#include <gnomon/event.h>
#include "capture/attach.h"
#include "runtime/probes.h"

struct gn_mute;
struct gn_session;

struct gn_mute *gn_mute_new(void);
/* Clears the bytes in living processes. The probes must be gone before, or a
 * hook that is no longer muted would be seen. */
void gn_mute_free(struct gn_mute *m);

/* Muting of this runtime's functions uses the bytes of this library. A library
 * without such bytes is no error. -ENOMEM. */
int gn_mute_library(struct gn_mute *m, enum gn_runtime_id runtime,
		    const char *library);

/* gn_session_link() for a group of probes, with one link a function if
 * possible. */
int gn_mute_link(struct gn_session *s, enum gn_prog prog,
		 const struct gn_probe_set *set);

/* Call after the last link; removes */
void gn_mute_settle(struct gn_mute *m);
void gn_mute_detach(struct gn_mute *m);

#endif
