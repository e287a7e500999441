/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Output to a pipe or socket that nobody may read. A pipe is enlarged so that
 * it holds the whole output, where that is allowed (a megabyte): then a slow
 * reader, such as a pager, blocks nobody.
 */
#ifndef GNOMON_CMD_DELIVER_H
#define GNOMON_CMD_DELIVER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Whether `fd` is of that kind. */
bool gn_deliver_to(int fd);

/* Writes all of it; *done is how much was written. -ETIMEDOUT: the reader took
 * nothing for `patience` nanoseconds; else 0 or -errno. */
int gn_deliver(int fd, const char *text, size_t size, uint64_t patience,
	       size_t *done);

#endif
