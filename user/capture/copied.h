/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Files that an overlay has copied up since a process mapped them. The process
 * goes on with the lower file, but whoever opens the file gets the copy. So the
 * kernel puts probes into the copy, and the process hits none.
 */
#ifndef GNOMON_CAPTURE_COPIED_H
#define GNOMON_CAPTURE_COPIED_H

struct gn_session;

/* Call after the probes are attached. Reports each such file of the processes
 * that gnomon is attached to, on stderr. */
void gn_copied_tell(const struct gn_session *s);

#endif
