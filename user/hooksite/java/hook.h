/* SPDX-License-Identifier: BSD-2-Clause */
/* What hooked methods call. Sessions follow each other, and between them hooks
 * do nothing. */
#ifndef GNOMON_JAVA_HOOK_H
#define GNOMON_JAVA_HOOK_H

#include <stdbool.h>

#include "api.h"

/* What the methods of the library's class do (define.h). */
void gn_java_hook_enter(gn_jni jni, gn_jref class, int32_t index);
/* An exception that leaves a method ends it like a return. */
void gn_java_hook_leave(gn_jni jni, gn_jref class, int32_t index);

/* From now on hooks report. With `fast` they do without traps if gnomon takes
 * that. False: they cannot. */
bool gn_java_hook_begin(bool fast);
/* Whether they do without traps. */
bool gn_java_hook_is_fast(void);
/* From now on hooks do nothing. Waits until no thread is in one. */
void gn_java_hook_end(void);

/* A virtual thread is mounted on this thread, or unmounted; `resting` is what
 * it has kept meanwhile, or NULL. */
struct gn_java_resting;
void gn_java_hook_mounted(struct gn_java_resting *resting);
struct gn_java_resting *gn_java_hook_unmounts(void);
/* The thread is about to wait for a monitor. A virtual thread is then unmounted
 * (from Java 24 on), and the JVM's own probes do not tell that. */
void gn_java_hook_contends(void);

#endif
