/* SPDX-License-Identifier: BSD-2-Clause */
/* What virtual threads of Java keep while they rest, with a JVM that is made
 * up. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>

#include "hooksite/java/calls.h"
#include "hooksite/java/hook.h"
#include "hooksite/java/virtual.h"

#define FUNCTIONS 160

enum { MOUNT, UNMOUNT, EVENTS };

typedef void (*event_fn)(gn_jvmti jvmti, gn_jni jni, gn_jref thread);

static struct {
	event_fn event[EVENTS];
	void *storage; /* of the only virtual thread */
	bool ends;     /* the session, when the storage has been read */
	uint32_t mounted, calls;
} jvm;

static int32_t get_storage(gn_jvmti jvmti, gn_jref thread, void **to)
{
	(void)jvmti, (void)thread;
	*to = jvm.storage;
	if (jvm.ends)
		gn_java_virtual_forget();
	return 0;
}

static int32_t set_storage(gn_jvmti jvmti, gn_jref thread, void *to)
{
	(void)jvmti, (void)thread;
	jvm.storage = to;
	return 0;
}

static int32_t set_event(gn_jvmti jvmti, int mode, int event, gn_jref thread)
{
	(void)jvmti, (void)mode, (void)event, (void)thread;
	return 0;
}

static int32_t get_events(gn_jvmti jvmti, int32_t *n,
			  struct gn_jvmti_extension **to)
{
	static const char *const ids[] = {
		"com.sun.hotspot.events.VirtualThreadMount",
		"com.sun.hotspot.events.VirtualThreadUnmount"};

	(void)jvmti;
	*n = EVENTS;
	*to = calloc(EVENTS, sizeof(**to));
	assert_non_null(*to);
	for (int i = 0; i < EVENTS; i++)
		(*to)[i] =
			(struct gn_jvmti_extension){.number = i, .id = ids[i]};
	return 0;
}

static int32_t set_callback(gn_jvmti jvmti, int32_t number, void *fn)
{
	(void)jvmti;
	jvm.event[number] = (event_fn)fn;
	return 0;
}

static int32_t deallocate(gn_jvmti jvmti, void *p)
{
	(void)jvmti;
	free(p);
	return 0;
}

static void *functions[FUNCTIONS] = {
	[GN_JVMTI_SET_EVENT] = (void *)set_event,
	[GN_JVMTI_DEALLOCATE] = (void *)deallocate,
	[GN_JVMTI_GET_STORAGE] = (void *)get_storage,
	[GN_JVMTI_SET_STORAGE] = (void *)set_storage,
	[GN_JVMTI_EXTENSION_EVENTS] = (void *)get_events,
	[GN_JVMTI_EXTENSION_CALLBACK] = (void *)set_callback,
};
static void *table = functions;

void gn_java_hook_mounted(struct gn_java_resting *resting)
{
	jvm.mounted++;
	jvm.calls = resting ? resting->n : 0;
}

struct gn_java_resting *gn_java_hook_unmounts(void)
{
	struct gn_java_resting *r = malloc(sizeof(*r));

	assert_non_null(r);
	r->n = 7;
	return r;
}

static void tell(int event)
{
	jvm.event[event](&table, NULL, NULL);
}

static int begin(void **state)
{
	(void)state;
	jvm.storage = NULL;
	jvm.ends = false;
	jvm.mounted = 0;
	gn_java_virtual_begin(&table);
	return 0;
}

static void rests(void **state)
{
	(void)state;
	tell(UNMOUNT);
	tell(MOUNT);
	assert_int_equal(jvm.mounted, 1);
	assert_int_equal(jvm.calls, 7);
	tell(MOUNT);
	assert_int_equal(jvm.calls, 0);
	tell(UNMOUNT);
	gn_java_virtual_end(&table);
	gn_java_virtual_forget();
}

/* A thread is in the function for an event while the session ends, which frees
 * what its virtual thread keeps. */
static void ends_meanwhile(void **state)
{
	(void)state;
	tell(UNMOUNT);
	assert_non_null(jvm.storage);
	jvm.ends = true;
	tell(MOUNT);
	assert_int_equal(jvm.mounted, 1);
	assert_int_equal(jvm.calls, 0);
}

/* Another one comes to it only after the end. */
static void comes_late(void **state)
{
	event_fn late = jvm.event[MOUNT];

	(void)state;
	tell(UNMOUNT);
	gn_java_virtual_end(&table);
	gn_java_virtual_forget();
	assert_non_null(jvm.storage);
	late(&table, NULL, NULL);
	assert_int_equal(jvm.calls, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(rests, begin),
		cmocka_unit_test_setup(ends_meanwhile, begin),
		cmocka_unit_test_setup(comes_late, begin),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
