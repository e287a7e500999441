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

/* Events that are under way when a session ends go on for a while: with what
 * they have of an ended session they must do nothing. */
static struct {
	pthread_mutex_t lock;
	struct kept *first;
	uint32_t session; /* even: there is none */
} virtuals = {.lock = PTHREAD_MUTEX_INITIALIZER};

static uint32_t session_now(void)
{
	uint32_t session;

	pthread_mutex_lock(&virtuals.lock);
	session = virtuals.session;
	pthread_mutex_unlock(&virtuals.lock);
	return session;
}

/* Takes it out of the list. False: it is freed, as its session has ended. */
static bool leave_list(const struct kept *k, uint32_t session)
{
	bool is;

	pthread_mutex_lock(&virtuals.lock);
	is = virtuals.session == session;
	if (is) {
		*k->at = k->next;
		if (k->next)
			k->next->at = k->at;
	}
	pthread_mutex_unlock(&virtuals.lock);
	return is;
}

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
	uint32_t session = session_now();
	struct gn_java_resting *resting;
	struct kept *k = NULL;

	if (!(session & 1) ||
	    gn_api(jvmti, GN_JVMTI_GET_STORAGE, int32_t, gn_jvmti, gn_jref,
		   struct kept **)(jvmti, thread, &k) ||
	    !k)
		return NULL;
	gn_api(jvmti, GN_JVMTI_SET_STORAGE, int32_t, gn_jvmti, gn_jref,
	       const void *)(jvmti, thread, NULL);
	if (!leave_list(k, session))
		return NULL;
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
		if (!strcmp(e[i].id, MOUNT)) {
			set(jvmti, &e[i], mount);
		} else if (!strcmp(e[i].id, UNMOUNT)) {
			set(jvmti, &e[i], unmount);
			gn_java_event(jvmti, GN_JVMTI_CONTENDED, unmount);
		}
	}
	/* the texts stay: a few hundred bytes a session */
	gn_api(jvmti, GN_JVMTI_DEALLOCATE, int32_t, gn_jvmti, void *)(jvmti, e);
}

void gn_java_virtual_begin(gn_jvmti jvmti)
{
	pthread_mutex_lock(&virtuals.lock);
	virtuals.session++;
	pthread_mutex_unlock(&virtuals.lock);
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
	virtuals.session++;
	while ((k = virtuals.first)) {
		virtuals.first = k->next;
		free(k->resting);
		free(k);
	}
	pthread_mutex_unlock(&virtuals.lock);
}
