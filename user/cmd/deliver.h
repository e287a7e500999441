/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Output into a pipe or a socket that perhaps nobody reads. A pipe is made
 * large enough to hold it where that is allowed (a megabyte): then a reader
 * that takes its time, as a pager does, keeps nobody waiting.
 */
#ifndef GNOMON_CMD_DELIVER_H
#define GNOMON_CMD_DELIVER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Whether `fd` is of that kind. */
bool gn_deliver_to(int fd);

/* Writes all of it; *done is how much was taken. -ETIMEDOUT: of the rest
 * nothing was taken for `patience` nanoseconds; else 0 or -errno. */
int gn_deliver(int fd, const char *text, size_t size, uint64_t patience,
	       size_t *done);

#endif
