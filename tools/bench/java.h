/* SPDX-License-Identifier: BSD-2-Clause */
/* The places where the JVM of the command `java` reports that a method begins
 * and ends. */
#ifndef BENCH_JAVA_H
#define BENCH_JAVA_H

#include "bare.h"

/* -ENOENT: there is no java, or it has no such probes. */
int java_sites(struct bare_sites *out);

#endif
