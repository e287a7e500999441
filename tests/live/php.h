/* SPDX-License-Identifier: BSD-2-Clause */
/* Helpers that the tests on PHP share. */
#ifndef PHP_H
#define PHP_H

#include "live.h"

/* Skips the test if there is no PHP. */
void php_need(struct live *t);

/* The same if PHP has no USDT probes, as Debian's since 13. */
void php_need_probes(struct live *t);

/* The command `php OPTIONS demo.php TOPIC`. */
void php_demo(struct live *t, struct live_args *a, const char *options,
	      const char *topic);

/* Runs the command with and without gnomon: the program prints and does the
 * same, nothing is lost, and the report agrees with what it printed. */
void php_pair(struct live *t, const struct live_args *command,
	      unsigned int flags, json_t **report);

/* The same, with options of gnomon. */
void php_pair_with(struct live *t, const char *options,
		   const struct live_args *command, unsigned int flags,
		   json_t **report);

#endif
