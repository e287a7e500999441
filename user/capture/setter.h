/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Sets options of runtimes that begin in traced processes, in their memory
 * (gnomon/setup.h). A thread does it: the ring of records can be long.
 */
#ifndef GNOMON_CAPTURE_SETTER_H
#define GNOMON_CAPTURE_SETTER_H

struct gn_session;

/* Starts the thread, which keeps the caller's privileges, if there is something
 * to set. 0 or -errno. */
int gn_setter_start(struct gn_session *s);
/* Sets nothing more. The session's `unseen` learns which processes were not
 * reached in time. */
void gn_setter_stop(struct gn_session *s);

#endif
