/* SPDX-License-Identifier: BSD-2-Clause */
/* Helpers that the tests on Java share. */
#ifndef JAVA_H
#define JAVA_H

#include "live.h"

/* The results of two runs: without gnomon and with it. */
struct java_pair {
	struct live_end plain, traced;
	json_t *report;
};

/* Skips the test if there is no JDK. */
void java_need(struct live *t);
/* Takes a JDK that has virtual threads, and warns of agents that come later. */
void java_need_later(struct live *t);

/* The command `java OPTIONS Demo TOPIC`. */
void java_demo(struct live *t, struct live_args *a, const char *options,
	       const char *topic);

/* Makes a copy of the JVM at `home`: the files that it maps as code are
 * copied. */
void java_home(struct live *t, const char *home);

/* Runs the command with and without gnomon: the program prints and does the
 * same, and gnomon loses nothing. */
void java_pair(struct live *t, const struct live_args *command,
	       struct java_pair *pair);

/* Runs the topic with and without gnomon. The program prints and does the same,
 * nothing is lost, and the report agrees with the program's output. */
void java_run(struct live *t, const char *options, const char *topic,
	      unsigned int flags, struct java_pair *pair);

#endif
