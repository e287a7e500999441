// SPDX-License-Identifier: BSD-2-Clause
/*
 * The JVM writes a warning if native methods of a class like ours are
 * registered by code that no such class has called. So they are registered
 * while the JVM prepares the class for its own Class.forName().
 */
#include "define.h"

#include <stdint.h>
#include <string.h>

#include "class.h"
#include "hook.h"
#include "room.h"
#include "session.h"

static char class_name[GN_JAVA_CLASS_NAME];

struct gn_java_hooks gn_java_hooks = {
	.class = class_name,
	.enter = GN_JAVA_ENTER,
	.leave = GN_JAVA_LEAVE,
	.unwound = GN_JAVA_UNWOUND,
};

static struct {
	gn_jref class; /* while it is added: a global reference */
	bool done;
} define;

/* A library that is loaded twice, or another build of it, is elsewhere. */
static void choose_name(void)
{
	static const char digits[] = "0123456789abcdef";
	uintptr_t at = (uintptr_t)&define >> 4;
	char *to = stpcpy(class_name, GN_JAVA_CLASS "_");

	for (; at; at >>= 4)
		*to++ = digits[at & 15];
	*to = '\0';
}

static void clear_exception(gn_jni jni)
{
	gn_api(jni, GN_JNI_EXCEPTION_CLEAR, void, gn_jni)(jni);
}

static gn_jref find_class(gn_jni jni, const char *name)
{
	return gn_api(jni, GN_JNI_FIND_CLASS, gn_jref, gn_jni,
		      const char *)(jni, name);
}

void gn_java_prepares(gn_jvmti jvmti, gn_jni jni, gn_jref thread, gn_jref class)
{
	const struct gn_jni_native natives[] = {
		{GN_JAVA_ENTER, "(I)V", (void *)gn_java_hook_enter},
		{GN_JAVA_LEAVE, "(I)V", (void *)gn_java_hook_leave},
		{GN_JAVA_UNWOUND, "(I)V", (void *)gn_java_hook_leave},
	};

	(void)jvmti, (void)thread;
	if (!define.class ||
	    !gn_api(jni, GN_JNI_IS_SAME, uint8_t, gn_jni, gn_jref,
		    gn_jref)(jni, define.class, class))
		return;
	define.done = !gn_api(jni, GN_JNI_REGISTER_NATIVES, int32_t, gn_jni,
			      gn_jref, const struct gn_jni_native *,
			      int32_t)(jni, class, natives, 3);
	if (!define.done)
		clear_exception(jni);
}

/* Class.forName() of the class, which prepares it. */
static void prepare(gn_jni jni)
{
	gn_jref of = find_class(jni, "java/lang/Class"), name;
	char dotted[GN_JAVA_CLASS_NAME];
	union {
		gn_jref object;
		uint8_t boolean;
	} args[3] = {{NULL}};
	void *method;

	for (size_t i = 0; i < sizeof(dotted); i++)
		dotted[i] = class_name[i] == '/' ? '.' : class_name[i];
	name = gn_api(jni, GN_JNI_NEW_TEXT, gn_jref, gn_jni,
		      const char *)(jni, dotted);
	method = of && name ? gn_api(jni, GN_JNI_STATIC_METHOD, void *, gn_jni,
				     gn_jref, const char *, const char *)(
				      jni, of, "forName",
				      "(Ljava/lang/String;ZLjava/lang/"
				      "ClassLoader;)Ljava/lang/Class;")
			    : NULL;
	args[0].object = name;
	args[1].boolean = 1;
	if (method)
		gn_api(jni, GN_JNI_CALL_STATIC, gn_jref, gn_jni, gn_jref,
		       void *, const void *)(jni, of, method, args);
	clear_exception(jni);
}

/* The event comes in a frame of its own, where local references of this one are
 * not valid. */
static gn_jref add_class(gn_jni jni)
{
	uint8_t bytes[GN_JAVA_CLASS_MAX];
	gn_jref class = gn_api(jni, GN_JNI_DEFINE_CLASS, gn_jref, gn_jni,
			       const char *, gn_jref, const uint8_t *, int32_t)(
		jni, class_name, NULL, bytes,
		(int32_t)gn_java_class_put(bytes, class_name));

	return class ? gn_api(jni, GN_JNI_NEW_GLOBAL, gn_jref, gn_jni,
			      gn_jref)(jni, class)
		     : NULL;
}

/* The method that does nothing. */
static bool find_room(gn_jni jni)
{
	void *method = gn_api(jni, GN_JNI_STATIC_METHOD, void *, gn_jni,
			      gn_jref, const char *, const char *)(
		jni, define.class, GN_JAVA_ROOM, "()V");

	if (!method)
		clear_exception(jni);
	gn_java_room_call(method);
	return method;
}

bool gn_java_define(gn_jvmti jvmti, gn_jni jni)
{
	if (define.done)
		return true;
	choose_name();
	define.class = add_class(jni);
	if (!define.class) {
		clear_exception(jni);
		return false;
	}
	if (!gn_java_event(jvmti, GN_JVMTI_PREPARE, true)) {
		prepare(jni);
		gn_java_event(jvmti, GN_JVMTI_PREPARE, false);
	}
	define.done = define.done && find_room(jni);
	gn_api(jni, GN_JNI_DELETE_GLOBAL, void, gn_jni, gn_jref)(jni,
								 define.class);
	define.class = NULL;
	return define.done;
}
