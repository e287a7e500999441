/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GNOMON_TRACE_BLOCKING_H
#define GNOMON_TRACE_BLOCKING_H

/*
 * Makes writes to `fd` wait for room. Whoever started gnomon can have left the
 * open file non-blocking; then a write to a full pipe fails, and the output is
 * cut. A pipe is opened once more, so that the flag of others stays. A terminal
 * or a socket cannot be, and stays as it is.
 */
void gn_make_blocking(int fd);

#endif
