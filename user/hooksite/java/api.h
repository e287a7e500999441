/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The parts of JNI and of JVMTI that the library uses, by the numbers of their
 * functions in the tables: these never change. So no JDK is needed to build the
 * library, and one library serves all versions.
 */
#ifndef GNOMON_JAVA_API_H
#define GNOMON_JAVA_API_H

#include <stdint.h>

/* JavaVM, JNIEnv and jvmtiEnv: each points to its table of functions. */
typedef void **gn_jvm, **gn_jni, **gn_jvmti;
typedef void *gn_jref; /* a reference to an object */

/* gn_api(table, number, result, types)(arguments) */
#define gn_api(table, number, result, ...) \
	((result(*)(__VA_ARGS__))((void ***)(table))[0][number])

#define GN_JNI_VERSION	 0x00010008
#define GN_JVMTI_VERSION 0x30010200 /* 1.2, of Java 6 and later */

enum gn_jvm_number {
	GN_JVM_DETACH = 5,
	GN_JVM_GET_ENV = 6,
	GN_JVM_ATTACH_DAEMON = 7,
};

enum gn_jni_number {
	GN_JNI_DEFINE_CLASS = 5,
	GN_JNI_FIND_CLASS = 6,
	GN_JNI_EXCEPTION_CLEAR = 17,
	GN_JNI_PUSH_FRAME = 19,
	GN_JNI_POP_FRAME = 20,
	GN_JNI_NEW_GLOBAL = 21,
	GN_JNI_DELETE_GLOBAL = 22,
	GN_JNI_DELETE_LOCAL = 23,
	GN_JNI_IS_SAME = 24,
	GN_JNI_ENSURE_LOCAL = 26,
	GN_JNI_STATIC_METHOD = 113,
	GN_JNI_CALL_STATIC = 116, /* of an object, arguments in an array */
	GN_JNI_CALL_VOID = 143,	  /* static, arguments in an array */
	GN_JNI_NEW_TEXT = 167,
	GN_JNI_REGISTER_NATIVES = 215,
	GN_JNI_EXCEPTION_CHECK = 228,
};

/* One less than in the specification, which counts from 1. */
enum gn_jvmti_number {
	GN_JVMTI_SET_EVENT = 1,
	GN_JVMTI_MODIFIABLE = 44,
	GN_JVMTI_ALLOCATE = 45,
	GN_JVMTI_DEALLOCATE = 46,
	GN_JVMTI_CLASS_SIGNATURE = 47,
	GN_JVMTI_CLASS_METHODS = 51,
	GN_JVMTI_METHOD_NAME = 63,
	GN_JVMTI_LOADED_CLASSES = 77,
	GN_JVMTI_GET_STORAGE = 101,
	GN_JVMTI_SET_STORAGE = 102,
	GN_JVMTI_CALLBACKS = 121,
	GN_JVMTI_EXTENSION_EVENTS = 124,
	GN_JVMTI_EXTENSION_CALLBACK = 125,
	GN_JVMTI_DISPOSE = 126,
	GN_JVMTI_POTENTIAL = 139,
	GN_JVMTI_CAPABILITIES = 141,
	GN_JVMTI_RETRANSFORM = 151,
};

/* Events, and their places among the callbacks. */
enum gn_jvmti_event {
	GN_JVMTI_VM_INIT = 50,
	GN_JVMTI_VM_DEATH = 51,
	GN_JVMTI_CLASS_LOAD = 54, /* ClassFileLoadHook */
	GN_JVMTI_PREPARE = 56,
	GN_JVMTI_CONTENDED = 75, /* MonitorContendedEnter */
};
#define GN_JVMTI_EVENTS 39 /* callbacks, from VM_INIT on */

/* Bits of the capabilities, which have 128. */
enum gn_jvmti_capability {
	GN_JVMTI_CAN_HOOK_ALL = 26, /* can_generate_all_class_hook_events */
	GN_JVMTI_CAN_MONITOR = 28,  /* can_generate_monitor_events */
	GN_JVMTI_CAN_RETRANSFORM = 37,
	GN_JVMTI_CAN_RETRANSFORM_ANY = 38,
	GN_JVMTI_CAN_VIRTUAL = 44, /* can_support_virtual_threads */
};

struct gn_jvmti_capabilities {
	uint64_t bits[2];
};

struct gn_jni_native {
	const char *name, *signature;
	void *function;
};

struct gn_jvm_thread {
	int32_t version;
	const char *name;
	gn_jref group;
};

/* of com.sun.hotspot.events.* */
struct gn_jvmti_extension {
	int32_t number;
	const char *id, *description;
	int32_t nparams;
	void *params;
};

#endif
