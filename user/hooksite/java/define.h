/* SPDX-License-Identifier: BSD-2-Clause */
/* Adds the class that hooked methods call to the JVM. */
#ifndef GNOMON_JAVA_DEFINE_H
#define GNOMON_JAVA_DEFINE_H

#include <stdbool.h>

#include "api.h"
#include "rewrite.h"

/* The class and its methods; valid after gn_java_define(). */
extern struct gn_java_hooks gn_java_hooks;

/* Adds the class, once in the life of the process. `jvmti` has the callback
 * gn_java_prepares(). False: the JVM does not take it. */
bool gn_java_define(gn_jvmti jvmti, gn_jni jni);

/* JVMTI's ClassPrepare. */
void gn_java_prepares(gn_jvmti jvmti, gn_jni jni, gn_jref thread,
		      gn_jref class);

#endif
