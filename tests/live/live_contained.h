/* SPDX-License-Identifier: BSD-2-Clause */
/* A program that cannot see gnomon's libraries: it has its own mounts, as in a
 * container, and its own PIDs. */
#ifndef LIVE_CONTAINED_H
#define LIVE_CONTAINED_H

#include "live.h"

/* `unshare` is what the test started, `inside` the program as gnomon sees
 * it. */
struct live_contained {
	struct live_talk unshare, inside;
};

/* Its folder for temporary files. */
char *live_contained_folder(struct live *t);

/* Starts the command without the folder `hidden`, after these mounts; it says
 * "ready". Its folder for temporary files is a mount with these options. */
void live_contain(struct live *t, const char *hidden, const char *options,
		  const char *mounts, const struct live_args *command,
		  struct live_contained *c);

/* Mounts after which programs can be run from no such folder. */
char *live_contained_noexec(struct live *t);

/* Checks that gnomon refuses to attach to it, as it finds no folder for the
 * copy. */
void live_contained_no_room(struct live *t, const struct live_contained *c,
			    const char *filter);

/* Checks that no file of gnomon is in its folder for temporary files, or in
 * another folder of it. */
void live_contained_empty(struct live *t, const struct live_contained *c,
			  const char *folder);

/* The same, and ends the program. */
void live_contained_finish(struct live *t, struct live_contained *c);

#endif
