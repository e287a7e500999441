/* SPDX-License-Identifier: BSD-2-Clause */
/* What gnomon top takes of a machine, and how fast its screen is. */
#ifndef BENCH_TOP_H
#define BENCH_TOP_H

#include "process.h"

int top(const struct bench *b);

#endif
