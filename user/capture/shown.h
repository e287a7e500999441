/* SPDX-License-Identifier: BSD-2-Clause */
/* Names of a traced process on stderr. */
#ifndef GNOMON_CAPTURE_SHOWN_H
#define GNOMON_CAPTURE_SHOWN_H

struct gn_shown {
	char text[256];
};

/* A name as a terminal may get it: control bytes are escaped, a long one is cut
 * off. */
struct gn_shown gn_shown(const char *name);

#endif
