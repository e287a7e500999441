/* SPDX-License-Identifier: BSD-2-Clause */
/* Control groups, as containers have them. */
#ifndef LIVE_GROUP_H
#define LIVE_GROUP_H

#include "live.h"

/* Makes one of v2 that can freeze its processes, for this test alone; without
 * that, the test is skipped. */
char *live_group(struct live *t);
/* The same, of any version, whose processes have so much memory together. */
char *live_group_memory(struct live *t, int bytes);
void live_group_add(struct live *t, const char *group, pid_t pid);
/* Waits until all its processes are frozen, or run. */
void live_group_freeze(struct live *t, const char *group, bool frozen);

/* Waits until it is empty. One that a failed test leaves goes after the test.
 */
void live_group_remove(struct live *t, const char *group);

#endif
