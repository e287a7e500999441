/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The methods of the process that have, or had, an index. A method keeps its
 * index in later sessions: old frames can call hooks with it for long. Methods
 * with one name, of classes of several loaders, share it.
 */
#ifndef GNOMON_JAVA_METHODS_H
#define GNOMON_JAVA_METHODS_H

#include <stdbool.h>

#include "rewrite.h"

/* A session begins; `filter` (hooksite/clr/filter.h) becomes the table's. NULL:
 * no memory. Any thread may call the other functions meanwhile. */
void gn_java_methods_begin(char *filter, bool fast);
/* No method is selected any more. */
void gn_java_methods_end(void);

/* Whether a method of the class may be selected; a name as in JVMTI's
 * signatures, java/lang/Object. */
bool gn_java_methods_may(const char *class, size_t len);

/* The index of the method, whose name is told to gnomon, or UINT32_MAX: it is
 * not selected. */
uint32_t gn_java_methods_select(const struct gn_java_method *m);
/* The same without an index. */
bool gn_java_methods_asked(const struct gn_java_method *m);

#endif
