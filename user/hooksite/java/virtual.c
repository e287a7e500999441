// SPDX-License-Identifier: BSD-2-Clause
#include "virtual.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "calls.h"
#include "hook.h"
#include "session.h"

#define MOUNT	"com.sun.hotspot.events.VirtualThreadMount"
#define UNMOUNT "com.sun.hotspot.events.VirtualThreadUnmount"

/* What a virtual thread that rests has. The JVM keeps the address for it. */
struct kept {
	struct kept *next, **at;
	struct gn_java_resting *resting;
};

static struct {
	pthread_mutex_t lock;
	struct kept *first;
} virtuals = {.lock = PTHREAD_MUTEX_INITIALIZER};

static void keep(gn_jvmti jvmti, gn_jref thread,
		 struct gn_java_resting *resting)
{
	struct kept *k = malloc(sizeof(*k));

	if (!k || gn_api(jvmti, GN_JVMTI_SET_STORAGE, int32_t, gn_jvmti,
			 gn_jref, const void *)(jvmti, thread, k)) {
		free(k);
		free(resting);
		return;
	}
	k->resting = resting;
	pthread_mutex_lock(&virtuals.lock);
	k->next = virtuals.first;
	k->at = &virtuals.first;
	if (k->next)
		k->next->at = &k->next;
	virtuals.first = k;
	pthread_mutex_unlock(&virtuals.lock);
}

/* NULL: it has no open calls. */
static struct gn_java_resting *take(gn_jvmti jvmti, gn_jref thread)
{
	struct gn_java_resting *resting;
	struct kept *k = NULL;

	if (gn_api(jvmti, GN_JVMTI_GET_STORAGE, int32_t, gn_jvmti, gn_jref,
		   struct kept **)(jvmti, thread, &k) ||
	    !k)
		return NULL;
	gn_api(jvmti, GN_JVMTI_SET_STORAGE, int32_t, gn_jvmti, gn_jref,
	       const void *)(jvmti, thread, NULL);
	pthread_mutex_lock(&virtuals.lock);
	*k->at = k->next;
	if (k->next)
		k->next->at = k->at;
	pthread_mutex_unlock(&virtuals.lock);
	resting = k->resting;
	free(k);
	return resting;
}

static void on_mount(gn_jvmti jvmti, gn_jni jni, gn_jref thread)
{
	struct gn_java_resting *resting = take(jvmti, thread);

	(void)jni;
	gn_java_hook_mounted(resting);
	free(resting);
}

static void on_unmount(gn_jvmti jvmti, gn_jni jni, gn_jref thread)
{
	struct gn_java_resting *resting = gn_java_hook_unmounts();

	(void)jni;
	if (resting)
		keep(jvmti, thread, resting);
}

static void set(gn_jvmti jvmti, const struct gn_jvmti_extension *e, void *fn)
{
	gn_api(jvmti, GN_JVMTI_EXTENSION_CALLBACK, int32_t, gn_jvmti, int32_t,
	       void *)(jvmti, e->number, fn);
	/* a function alone is not called */
	gn_java_event(jvmti, e->number, fn);
}

static void set_all(gn_jvmti jvmti, void *mount, void *unmount)
{
	struct gn_jvmti_extension *e = NULL;
	int32_t n = 0;

	if (gn_api(jvmti, GN_JVMTI_EXTENSION_EVENTS, int32_t, gn_jvmti,
		   int32_t *, struct gn_jvmti_extension **)(jvmti, &n, &e))
		return;
	for (int32_t i = 0; i < n; i++) {
		if (!strcmp(e[i].id, MOUNT))
			set(jvmti, &e[i], mount);
		else if (!strcmp(e[i].id, UNMOUNT))
			set(jvmti, &e[i], unmount);
	}
	/* the texts stay: a few hundred bytes a session */
	gn_api(jvmti, GN_JVMTI_DEALLOCATE, int32_t, gn_jvmti, void *)(jvmti, e);
}

void gn_java_virtual_begin(gn_jvmti jvmti)
{
	set_all(jvmti, (void *)on_mount, (void *)on_unmount);
}

void gn_java_virtual_end(gn_jvmti jvmti)
{
	set_all(jvmti, NULL, NULL);
}

void gn_java_virtual_forget(void)
{
	struct kept *k;

	pthread_mutex_lock(&virtuals.lock);
	while ((k = virtuals.first)) {
		virtuals.first = k->next;
		free(k->resting);
		free(k);
	}
	pthread_mutex_unlock(&virtuals.lock);
}
