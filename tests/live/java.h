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

/* Runs the command under gnomon, with these options of gnomon's. */
void java_trace(struct live *t, const struct live_args *command,
		const char *options, struct live_end *end, json_t **report);

/* Runs it with and without gnomon: the program says and does the same, and
 * nothing of it was lost. */
void java_pair(struct live *t, const struct live_args *command,
	       struct java_pair *pair);

/* Runs the topic with and without gnomon. It does and says the same, nothing of
 * it is lost, and the report says what it says of itself. */
void java_run(struct live *t, const char *options, const char *topic,
	      unsigned int flags, struct java_pair *pair);

#endif
