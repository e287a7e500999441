/* SPDX-License-Identifier: BSD-2-Clause */
/* The cost of gnomon top for a machine, and the speed of its screen. */
#ifndef BENCH_TOP_H
#define BENCH_TOP_H

#include "process.h"

int top(const struct bench *b);

#endif
