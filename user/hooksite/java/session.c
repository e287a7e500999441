// SPDX-License-Identifier: BSD-2-Clause
#include "session.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <time.h>

#include <gnomon/selected.h>
#include "../call_hooks.h"
#include "../clr/thread.h"
#include "../fast.h"
#include "archive.h"
#include "classes.h"
#include "define.h"
#include "hook.h"
#include "methods.h"
#include "sites.h"
#include "virtual.h"

#define LOOK_NS 200000000 /* whether gnomon is still there */

static struct {
	pthread_mutex_t lock;
	gn_jvmti jvmti; /* NULL: there is none */
	_Atomic uintptr_t number;
	_Atomic bool over; /* the JVM ends */
} session = {.lock = PTHREAD_MUTEX_INITIALIZER};

gn_jvmti gn_java_jvmti(gn_jvm jvm)
{
	gn_jvmti jvmti = NULL;

	return gn_api(jvm, GN_JVM_GET_ENV, int32_t, gn_jvm, gn_jvmti *,
		      int32_t)(jvm, &jvmti, GN_JVMTI_VERSION)
		       ? NULL
		       : jvmti;
}

static gn_jni jni_of(gn_jvm jvm)
{
	gn_jni jni = NULL;

	return gn_api(jvm, GN_JVM_GET_ENV, int32_t, gn_jvm, gn_jni *,
		      int32_t)(jvm, &jni, GN_JNI_VERSION)
		       ? NULL
		       : jni;
}

static void on_death(gn_jvmti jvmti, gn_jni jni)
{
	(void)jvmti, (void)jni;
	atomic_store(&session.over, true);
}

static bool has(const struct gn_jvmti_capabilities *c, int bit)
{
	return c->bits[bit / 64] >> bit % 64 & 1;
}

/* Asks for what the session needs. 0: it has that. */
static int32_t take_capabilities(gn_jvmti jvmti)
{
	static const uint8_t wanted[] = {
		GN_JVMTI_CAN_RETRANSFORM, GN_JVMTI_CAN_RETRANSFORM_ANY,
		GN_JVMTI_CAN_HOOK_ALL, GN_JVMTI_CAN_MONITOR,
		GN_JVMTI_CAN_VIRTUAL};
	struct gn_jvmti_capabilities can = {{0}}, take = {{0}};
	int32_t err;

	err = gn_api(jvmti, GN_JVMTI_POTENTIAL, int32_t, gn_jvmti,
		     struct gn_jvmti_capabilities *)(jvmti, &can);
	if (err)
		return err;
	for (size_t i = 0; i < sizeof(wanted); i++)
		if (has(&can, wanted[i]))
			take.bits[wanted[i] / 64] |= 1ull << wanted[i] % 64;
	if (!has(&take, GN_JVMTI_CAN_RETRANSFORM))
		return -1;
	return gn_api(jvmti, GN_JVMTI_CAPABILITIES, int32_t, gn_jvmti,
		      const struct gn_jvmti_capabilities *)(jvmti, &take);
}

static int32_t set_callbacks(gn_jvmti jvmti)
{
	void *fn[GN_JVMTI_EVENTS] = {
		[GN_JVMTI_CLASS_LOAD - GN_JVMTI_VM_INIT] =
			(void *)gn_java_class_loads,
		[GN_JVMTI_VM_DEATH - GN_JVMTI_VM_INIT] = (void *)on_death,
		[GN_JVMTI_PREPARE - GN_JVMTI_VM_INIT] =
			(void *)gn_java_prepares,
		[GN_JVMTI_CONTENDED - GN_JVMTI_VM_INIT] =
			(void *)gn_java_hook_contends,
	};

	/* older JVMs know fewer, and read as many */
	return gn_api(jvmti, GN_JVMTI_CALLBACKS, int32_t, gn_jvmti,
		      void *const *, int32_t)(jvmti, fn, sizeof(fn));
}

static void dispose(gn_jvmti jvmti)
{
	gn_api(jvmti, GN_JVMTI_DISPOSE, int32_t, gn_jvmti)(jvmti);
}

/* New classes get no more hooks, then loaded ones lose theirs, then hooks do
 * nothing: until the end, calls are counted. */
static void end(gn_jni jni)
{
	if (!session.jvmti)
		return;
	gn_site_java_own_begin();
	session.number++;
	gn_java_event(session.jvmti, GN_JVMTI_CLASS_LOAD, false);
	gn_java_methods_end();
	gn_java_classes_restore(session.jvmti, jni);
	gn_java_virtual_end(session.jvmti);
	gn_java_hook_end();
	gn_java_virtual_forget();
	dispose(session.jvmti);
	session.jvmti = NULL;
	gn_site_java_own_end();
}

/* Ends the session if gnomon is gone. */
static void *watch(void *ctx)
{
	const struct timespec ns = {.tv_nsec = LOOK_NS};
	struct gn_jvm_thread as = {.version = GN_JNI_VERSION, .name = "gnomon"};
	uintptr_t number = ((uintptr_t *)ctx)[0];
	gn_jvm jvm = ((gn_jvm *)ctx)[1];
	gn_jni jni = NULL;

	free(ctx);
	/* it has the name of the thread that started it */
	prctl(PR_SET_NAME, "gnomon");
	while (!gn_call_is_over()) {
		nanosleep(&ns, NULL);
		if (atomic_load(&session.over) || session.number != number)
			return NULL;
	}
	if (gn_api(jvm, GN_JVM_ATTACH_DAEMON, int32_t, gn_jvm, gn_jni *,
		   struct gn_jvm_thread *)(jvm, &jni, &as))
		return NULL;
	pthread_mutex_lock(&session.lock);
	if (session.number == number && !atomic_load(&session.over))
		end(jni);
	pthread_mutex_unlock(&session.lock);
	gn_api(jvm, GN_JVM_DETACH, int32_t, gn_jvm)(jvm);
	return NULL;
}

static void start_watch(gn_jvm jvm)
{
	uintptr_t *ctx = malloc(2 * sizeof(*ctx));

	if (!ctx)
		return;
	ctx[0] = session.number;
	ctx[1] = (uintptr_t)jvm;
	if (!gn_clr_thread(watch, ctx))
		free(ctx);
}

/* The program may be in a frame of its own: it finds no reference of ours
 * there. Whether there is a new frame, which pop_frame() ends. */
static bool push_frame(gn_jni jni)
{
	return jni && !gn_api(jni, GN_JNI_PUSH_FRAME, int32_t, gn_jni,
			      int32_t)(jni, 16);
}

static void pop_frame(gn_jni jni)
{
	gn_api(jni, GN_JNI_POP_FRAME, gn_jref, gn_jni, gn_jref)(jni, NULL);
}

/* False: nothing is hooked. */
static bool begin(gn_jvm jvm, gn_jni jni, char *filter, bool fast)
{
	gn_jvmti jvmti = gn_java_jvmti(jvm);

	if (!jvmti)
		return false;
	if (take_capabilities(jvmti) || set_callbacks(jvmti) ||
	    !gn_java_define(jvmti, jni) || !gn_java_hook_begin(fast)) {
		dispose(jvmti);
		return false;
	}
	session.jvmti = jvmti;
	gn_java_methods_begin(filter, gn_java_hook_is_fast());
	gn_java_virtual_begin(jvmti);
	gn_java_event(jvmti, GN_JVMTI_VM_DEATH, true);
	gn_java_event(jvmti, GN_JVMTI_CLASS_LOAD, true);
	start_watch(jvm);
	return true;
}

void gn_java_session_begin(gn_jvm jvm, char *filter, bool fast,
			   const void *own_site)
{
	gn_jni jni = jni_of(jvm);
	bool framed = push_frame(jni);

	pthread_mutex_lock(&session.lock);
	gn_site_java_own_begin();
	end(jni);
	session.number++;
	gn_fast_lives_at(own_site);
	if (gn_java_archives(jvm)) {
		gn_site_call_init(0);
		gn_site_call_selected(GN_SELECTED_JVMS_LEFT, 1);
		gn_site_call_selected(GN_SELECTED_METHODS, 0);
		free(filter);
	} else if (jni && begin(jvm, jni, filter, fast)) {
		gn_site_call_init(0);
		gn_site_call_selected(GN_SELECTED_METHODS,
				      gn_java_classes_hook(session.jvmti, jni));
	} else {
		gn_site_call_init(-1);
		free(filter);
	}
	gn_site_java_own_end();
	pthread_mutex_unlock(&session.lock);
	if (framed)
		pop_frame(jni);
}

void gn_java_session_end(gn_jvm jvm)
{
	gn_jni jni = jni_of(jvm);

	pthread_mutex_lock(&session.lock);
	if (jni)
		end(jni);
	pthread_mutex_unlock(&session.lock);
}
