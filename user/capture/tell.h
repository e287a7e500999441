/* SPDX-License-Identifier: BSD-2-Clause */
/* Messages on stderr. */
#ifndef GNOMON_CAPTURE_TELL_H
#define GNOMON_CAPTURE_TELL_H

/* Writes one line to stderr, an error ("gnomon: WHAT is wrong; WHAT to do") or
 * a note. It escapes what is not printable, so pass paths and names as they
 * are.
 */
__attribute__((format(printf, 1, 2))) void gn_error(const char *format, ...);

#endif
