/* SPDX-License-Identifier: BSD-2-Clause */
/* Helpers that the tests of files share. */
#ifndef LIVE_FILES_H
#define LIVE_FILES_H

#include "live.h"

/* Makes `visited` call libc ten thousand times. */
#define FILES_LIBC "libc 10000"

/* Copies a fixture into the test's folder, as a separate file. */
char *files_copy(struct live *t, const char *fixture, const char *name);
/* Starts a fixture that waits for commands. Returns its process. */
pid_t files_start(struct live *t, const char *path, struct live_talk *talk);
/* The bytes of a function as the fixture `serve` reads them. */
char *files_bytes(struct live *t, struct live_talk *serve);

void files_expect(struct live *t, const json_t *report, const char *module,
		  const char *name, uint64_t want);
/* Whether the report says that calls of a function are missing. */
bool files_unprobed(const json_t *report, const char *name);

/* How long the fixture `visited` takes for a command, in ns. */
uint64_t files_ask(struct live *t, const struct live_talk *talk,
		   const char *what);
/* The shortest of several times. A probe makes all of them longer, other work
 * of the machine only some. */
uint64_t files_least(struct live *t, const struct live_talk *talk,
		     const char *what);

#endif
