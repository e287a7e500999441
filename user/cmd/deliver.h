/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Output to a pipe or socket that perhaps nobody reads. If allowed (up to a
 * megabyte), a pipe is enlarged to hold the whole output, so that a slow
 * reader, such as a pager, does not block gnomon.
 */
#ifndef GNOMON_CMD_DELIVER_H
#define GNOMON_CMD_DELIVER_H

#include <stdbool.h>
#include <stddef.h>

/* Whether `fd` is a pipe or socket. */
bool gn_deliver_to(int fd);

/* Writes all of it; *done is how much was written. -ETIMEDOUT: the reader took
 * nothing for `patience` milliseconds (-1: as long as it wants); else 0 or
 * -errno. */
int gn_deliver(int fd, const char *text, size_t size, int patience,
	       size_t *done);

#endif
