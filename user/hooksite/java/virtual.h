/* SPDX-License-Identifier: BSD-2-Clause */
/* Virtual threads (Java 21 and later): their calls rest while they have no
 * thread. */
#ifndef GNOMON_JAVA_VIRTUAL_H
#define GNOMON_JAVA_VIRTUAL_H

#include "api.h"

/* Without such threads it does nothing. */
void gn_java_virtual_begin(gn_jvmti jvmti);
void gn_java_virtual_end(gn_jvmti jvmti);
/* Frees what those have that rest; after gn_java_virtual_end(), when no thread
 * is in a hook. Events can still be under way. */
void gn_java_virtual_forget(void);

#endif
