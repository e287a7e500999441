// SPDX-License-Identifier: BSD-2-Clause
#include "events.h"

#include <stddef.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <gnomon/fnv.h>
#include <gnomon/runtime_event.h>
#include "methods.h"
#include "names.h"
#include "sites.h"

/* Ends at the first method that has a name: the one that throws. */
static int take_method(gn_mono method, int offset, int il, int managed,
		       void *thrower)
{
	(void)offset, (void)il;
	if (!managed || !gn_mono_api.method_token(method))
		return 0;
	*(gn_mono *)thrower = method;
	return 1;
}

static void tell_thrower(void)
{
	gn_mono thrower = NULL;
	uint32_t index;

	gn_mono_api.walk_stack(take_method, &thrower);
	index = thrower ? gn_method_compiled(thrower) : 0;
	if (index)
		gn_site_thrown_in(index);
}

static void on_throw(void *profiler, gn_mono exception)
{
	gn_mono class = gn_mono_api.object_class(exception);
	struct gn_names names;

	(void)profiler;
	gn_names_of_class(class, &names);
	gn_site_throw(gn_method_name_of(class, names.name, names.module));
	tell_thrower();
}

static void on_image_begin(void *profiler, gn_mono image)
{
	(void)profiler, (void)image;
	gn_site_module_load_begin();
}

static void tell_loaded(gn_mono image, int64_t status)
{
	const char *file = gn_mono_api.image_file(image);

	gn_site_module_load_end(file ? gn_method_name_of(image, file, "") : 0,
				status);
}

static void on_image_failed(void *profiler, gn_mono image)
{
	(void)profiler;
	tell_loaded(image, -1);
}

static void on_image_end(void *profiler, gn_mono image)
{
	(void)profiler;
	tell_loaded(image, 0);
}

/* It begins to run. */
static void on_thread(void *profiler, uintptr_t thread)
{
	(void)profiler;
	gn_site_thread_create(thread);
	gn_site_thread_bind(thread, (uint64_t)syscall(SYS_gettid));
}

static void on_thread_end(void *profiler, uintptr_t thread)
{
	(void)profiler;
	gn_site_thread_destroy(thread);
}

/* The same names come again and again: the text identifies them. */
static const void *name_id(const char *name)
{
	/* no object has such an address */
	return (const void *)(uintptr_t)(gn_fnv(GN_FNV, name, strlen(name)) |
					 1);
}

static void on_thread_name(void *profiler, uintptr_t thread, const char *name)
{
	(void)profiler;
	gn_site_thread_name(gn_method_name_of(name_id(name), name, ""), thread);
}

static void on_shutdown(void *profiler)
{
	(void)profiler;
	gn_site_shutdown();
}

void gn_events_set(gn_mono profiler, uint32_t families)
{
#define SET(event, family) \
	gn_mono_api.on_##event(profiler, families &(family) ? on_##event : NULL)
	SET(throw, GN_FAMILY_EXCEPTIONS);
	SET(image_begin, GN_FAMILY_LOADS);
	SET(image_failed, GN_FAMILY_LOADS);
	SET(image_end, GN_FAMILY_LOADS);
	SET(thread, GN_FAMILY_THREADS);
	SET(thread_end, GN_FAMILY_THREADS);
	SET(thread_name, GN_FAMILY_THREADS);
	SET(shutdown, GN_FAMILY_LIFE);
#undef SET
}
