/* SPDX-License-Identifier: BSD-2-Clause */
/* Methods of a HotSpot JVM by hooks in their bytecode, as a runtime beside that
 * of the JVM's own probes. */
#ifndef GNOMON_RUNTIME_JAVA_H
#define GNOMON_RUNTIME_JAVA_H

#include "runtime/runtime.h"

#define GN_HOTSPOT_CORE "libjvm.so" /* the file that is the JVM */

extern const struct gn_runtime gn_runtime_java;

/* Which methods of Java wait, as for the JVM's own probes. */
extern const struct gn_role_list gn_hotspot_roles;
/* Functions that gnomon shows although nothing names them: the wait for a
 * monitor begins so. */
#define GN_MONITOR_OF "monitor of "
extern const char *const gn_hotspot_always[];

extern const struct gn_runtime_attach gn_java_attach;

#endif
