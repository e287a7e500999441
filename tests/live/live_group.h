/* SPDX-License-Identifier: BSD-2-Clause */
/* A control group that freezes its processes, as a paused container does. */
#ifndef LIVE_GROUP_H
#define LIVE_GROUP_H

#include "live.h"

/* Makes one of v2 for this test alone; without that, the test is skipped. */
char *live_group(struct live *t);
void live_group_add(struct live *t, const char *group, pid_t pid);
/* Waits until all its processes are frozen, or run. */
void live_group_freeze(struct live *t, const char *group, bool frozen);

#endif
