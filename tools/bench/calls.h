/* SPDX-License-Identifier: BSD-2-Clause */
/* Checks that gnomon's count of the calls of fib is right: the cost means
 * nothing if calls are missing. */
#ifndef BENCH_CALLS_H
#define BENCH_CALLS_H

#include "process.h"

int check_calls(const struct bench *b);

#endif
