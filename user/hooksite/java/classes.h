/* SPDX-License-Identifier: BSD-2-Clause */
/* Puts hooks into the classes of the JVM, and takes them out again. */
#ifndef GNOMON_JAVA_CLASSES_H
#define GNOMON_JAVA_CLASSES_H

#include <stdint.h>

#include "api.h"

/* JVMTI's ClassFileLoadHook: the class gets hooks if methods of it are
 * selected. */
void gn_java_class_loads(gn_jvmti jvmti, gn_jni jni, gn_jref redefined,
			 gn_jref loader, const char *name, gn_jref domain,
			 int32_t len, const uint8_t *bytes, int32_t *new_len,
			 uint8_t **new_bytes);

/* Hooks the classes that are loaded already. Returns how many methods of them
 * have hooks now. `jvmti` must have the event. */
uint64_t gn_java_classes_hook(gn_jvmti jvmti, gn_jni jni);

/* Gives the classes that got hooks in this session their own code again.
 * `jvmti` has no more events. */
void gn_java_classes_restore(gn_jvmti jvmti, gn_jni jni);

#endif
