/* SPDX-License-Identifier: BSD-2-Clause */
/* What the tests on Java share. */
#ifndef JAVA_H
#define JAVA_H

#include "live.h"

/* A program, both ways. */
struct java_pair {
	struct live_end plain, traced;
	json_t *report;
};

/* Skips the test where there is no JDK. */
void java_need(struct live *t);

/* The command `java OPTIONS Demo TOPIC`. */
void java_demo(struct live *t, struct live_args *a, const char *options,
	       const char *topic);

/* Runs the topic with and without gnomon. It does and says the same, nothing of
 * it is lost, and the report says what it says of itself. */
void java_run(struct live *t, const char *options, const char *topic,
	      unsigned int flags, struct java_pair *pair);

#endif
