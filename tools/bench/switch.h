/* SPDX-License-Identifier: BSD-2-Clause */
/* The cost of a switch with gnomon attached, and for whom. */
#ifndef BENCH_SWITCH_H
#define BENCH_SWITCH_H

#include "process.h"

int bench_switch(const struct bench *b);

#endif
