/* SPDX-License-Identifier: BSD-2-Clause */
/* The comparisons, as data. */
#ifndef BENCH_COMPARISONS_H
#define BENCH_COMPARISONS_H

#include "compare.h"

extern const struct comparison bench_pair;
extern const struct comparison bench_java;
extern const struct comparison bench_entry;
extern const struct comparison bench_syscalls;
extern const struct comparison bench_libc;
extern const struct comparison bench_faults;

#endif
