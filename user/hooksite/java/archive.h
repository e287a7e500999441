/* SPDX-License-Identifier: BSD-2-Clause */
/* JVMs that write what other JVMs load as their classes. */
#ifndef GNOMON_JAVA_ARCHIVE_H
#define GNOMON_JAVA_ARCHIVE_H

#include <stdbool.h>

#include "api.h"

/* Whether the JVM writes an archive of its classes, or their names for one.
 * Hooks would be in it, or the classes that have them would not. */
bool gn_java_archives(gn_jvm jvm);

#endif
