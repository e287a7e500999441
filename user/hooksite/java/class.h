/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The class whose methods hooked methods call. It is in the package that every
 * module and class loader sees. The methods of hooks are native.
 */
#ifndef GNOMON_JAVA_CLASS_H
#define GNOMON_JAVA_CLASS_H

#include <stddef.h>
#include <stdint.h>

/* The start of its name; each library in a process has one of its own. */
#define GN_JAVA_CLASS	"java/lang/GnomonHooks"
#define GN_JAVA_ENTER	"enter"
#define GN_JAVA_LEAVE	"leave"
#define GN_JAVA_UNWOUND "unwound"
#define GN_JAVA_ROOM	"room" /* of type ()V, and does nothing: see room.h */

#define GN_JAVA_CLASS_MAX  256
#define GN_JAVA_CLASS_NAME 64

/* Writes the class file of that name; returns the length. */
size_t gn_java_class_put(uint8_t to[GN_JAVA_CLASS_MAX], const char *name);

#endif
