/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Muting, as a session needs it; others call gn_session_mute() of session.h. A
 * native function that can be muted has its own links, and muting closes them:
 * first the enter site, then the leave sites, then the return probe. So the end
 * of a call may be missing, but never its beginning. A function of a runtime
 * has a byte in its process, which the hooks of the hook-site library check.
 */
#ifndef GNOMON_CAPTURE_MUTE_H
#define GNOMON_CAPTURE_MUTE_H

#include <gnomon/event.h>
#include "capture/attach.h"
#include "runtime/probes.h"

struct gn_mute;
struct gn_session;

struct gn_mute *gn_mute_new(void);
/* Clears the bytes in living processes. Remove the probes first: otherwise
 * hooks that are no longer muted would still report. */
void gn_mute_free(struct gn_mute *m);

/* Muting functions of this runtime uses the bytes in this library. A library
 * without such bytes, or one that cannot be read, is not an error. -ENOMEM. */
int gn_mute_library(struct gn_mute *m, enum gn_runtime_id runtime,
		    const char *library);

/* gn_session_link() for a group of probes, with its own link for each function
 * if possible. */
int gn_mute_link(struct gn_session *s, enum gn_prog prog,
		 const struct gn_probe_set *set);

/* Call after the last link: the threads that hold the links drop their
 * privileges. */
void gn_mute_settle(struct gn_mute *m);
/* Removes the probes of functions with their own links. */
void gn_mute_detach(struct gn_mute *m);

#endif
