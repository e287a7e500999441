/* SPDX-License-Identifier: BSD-2-Clause */
/* Methods of a HotSpot JVM by hooks in their bytecode, as a runtime beside that
 * of the JVM's own probes. */
#ifndef GNOMON_RUNTIME_JAVA_H
#define GNOMON_RUNTIME_JAVA_H

#include "runtime/runtime.h"

extern const struct gn_runtime gn_runtime_java;

/* Which methods of Java wait, as for the JVM's own probes. */
extern const struct gn_role_list gn_hotspot_roles;

extern const struct gn_runtime_attach gn_java_attach;

#endif
