/* SPDX-License-Identifier: BSD-2-Clause */
/* Descriptors that a child or thread has from gnomon, and must close: else
 * readers of gnomon's output would wait for its end. */
#ifndef GNOMON_CAPTURE_DESCRIPTORS_H
#define GNOMON_CAPTURE_DESCRIPTORS_H

#include <stddef.h>

struct gn_descriptors {
	int *fd;
	size_t n;
};

/* Adds those in a folder like /proc/self/fd that are above the standard ones. 0
 * or -errno: some are lacking. */
int gn_descriptors_list(struct gn_descriptors *d, const char *folder);
/* Closes all but these two; -1: none. Frees the list. */
void gn_descriptors_close(struct gn_descriptors *d, int a, int b);

#endif
