/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The stack that the end of a call needs. Where it overflows, the JVM throws a
 * StackOverflowError instead of calling a hook. At a call's begin that is
 * right: the call does not begin. At its end the end would be lost. The hook of
 * an end can need some hundred bytes more than that of the begin, as if only
 * one of them was compiled. So a call begins only where there is room for that:
 * otherwise the JVM is made to throw its error at once.
 */
#ifndef GNOMON_JAVA_ROOM_H
#define GNOMON_JAVA_ROOM_H

#include <stdbool.h>

#include "api.h"

/* A static method of the class of hooks, of type ()V, which does nothing. */
void gn_java_room_call(void *method);

bool gn_java_room_ask(uintptr_t *safe, gn_jni jni, gn_jref class);

/* Whether a call may begin. `safe`: the thread's deepest address where one may,
 * at first UINTPTR_MAX. False: a StackOverflowError is pending. */
static inline bool gn_java_room_is(uintptr_t *safe, gn_jni jni, gn_jref class)
{
	return (uintptr_t)__builtin_frame_address(0) >= *safe ||
	       gn_java_room_ask(safe, jni, class);
}

#endif
