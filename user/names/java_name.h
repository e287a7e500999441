/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Names of Java methods as people write them, from the texts of class files and
 * of the JVM. These come from traced programs, so they can be any text.
 */
#ifndef GNOMON_NAMES_JAVA_NAME_H
#define GNOMON_NAMES_JAVA_NAME_H

#include "names/spell.h"

/* "java.lang.Object" of "java/lang/Object". */
void gn_java_put_class(struct gn_spell *o, struct gn_span class);

/* "(java.lang.String, int[])" of "(Ljava/lang/String;[I)V". A descriptor that
 * was cut ends with dots. */
void gn_java_put_parameters(struct gn_spell *o, struct gn_span descriptor);

/* The class, a dot, the method, its parameters. */
void gn_java_put_method(struct gn_spell *o, struct gn_span class,
			struct gn_span method, struct gn_span descriptor);

/* "java.lang" of "java/lang/Object". */
void gn_java_put_package(struct gn_spell *o, struct gn_span class);

#endif
