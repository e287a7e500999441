// SPDX-License-Identifier: BSD-2-Clause
#include "room.h"

#include <stddef.h>

/* More than the frames of a method that is compiled with those that it calls
 * grow by if the interpreter has to go on with them. */
#define ROOM 4096

static void *method;

void gn_java_room_call(void *idle)
{
	method = idle;
}

/* Before the JVM calls a method of Java from C, it looks for the same room as
 * before it calls a hook. Asks as deep as the next calls may begin. */
__attribute__((noinline)) bool gn_java_room_ask(uintptr_t *safe, gn_jni jni,
						gn_jref class)
{
	uintptr_t before = *safe;
	char below[2 * ROOM];

	/* an agent of the program may have put calls into our method, too */
	*safe = 0;
	__asm__ volatile("" : : "r"(below) : "memory");
	gn_api(jni, GN_JNI_CALL_VOID, void, gn_jni, gn_jref, void *,
	       const void *)(jni, class, method, NULL);
	if (gn_api(jni, GN_JNI_EXCEPTION_CHECK, uint8_t, gn_jni)(jni)) {
		*safe = before;
		return false;
	}
	*safe = (uintptr_t)below + ROOM;
	/* it is in this frame until here */
	__asm__ volatile("" : : "r"(below) : "memory");
	return true;
}
