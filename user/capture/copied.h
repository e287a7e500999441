/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Files that an overlay has copied since a process mapped them. The process
 * goes on with the file below, and whoever opens the file gets the copy: the
 * kernel puts probes in the copy, and the process hits none.
 */
#ifndef GNOMON_CAPTURE_COPIED_H
#define GNOMON_CAPTURE_COPIED_H

struct gn_session;

/* After the probes are attached: tells on stderr of each such file of the
 * processes that gnomon is attached to. */
void gn_copied_tell(const struct gn_session *s);

#endif
