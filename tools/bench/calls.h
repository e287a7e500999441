/* SPDX-License-Identifier: BSD-2-Clause */
/* Whether gnomon's count of the calls of fib is the true one: a cost is worth
 * nothing when what it pays for is missing. */
#ifndef BENCH_CALLS_H
#define BENCH_CALLS_H

#include "process.h"

int check_calls(const struct bench *b);

#endif
