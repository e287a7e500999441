/* SPDX-License-Identifier: BSD-2-Clause */
/* How many records per second user space can process: the model's pipeline
 * (run), the trace file's writer (record), and the reader with the pipeline
 * (report). */
#ifndef BENCH_DRAIN_H
#define BENCH_DRAIN_H

#include "process.h"

int drain(const struct bench *b);

#endif
