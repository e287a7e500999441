// SPDX-License-Identifier: BSD-2-Clause
#include "classes.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include <gnomon/selected.h>
#include "classfile.h"
#include "define.h"
#include "methods.h"
#include "sites.h"

#define ROOM 256 /* a power of two */

/* Names of the classes that have hooks; and counts. */
static struct {
	pthread_mutex_t lock;
	char **at;
	uint32_t room, n;
	_Atomic uint64_t methods;
} hooked = {.lock = PTHREAD_MUTEX_INITIALIZER};

static uint32_t hash_of(const char *text)
{
	uint32_t hash = 0x811c9dc5;

	while (*text)
		hash = (hash ^ (unsigned char)*text++) * 0x01000193;
	return hash ^ hash >> 15;
}

/* Where the name is, or goes. */
static char **place_of(char **at, uint32_t room, const char *name)
{
	uint32_t i = hash_of(name) & (room - 1);

	while (at[i] && strcmp(at[i], name) != 0)
		i = (i + 1) & (room - 1);
	return &at[i];
}

static bool grow(void)
{
	uint32_t room = hooked.room ? hooked.room * 2 : ROOM;
	char **at = calloc(room, sizeof(*at));

	if (!at)
		return false;
	for (uint32_t i = 0; i < hooked.room; i++)
		if (hooked.at[i])
			*place_of(at, room, hooked.at[i]) = hooked.at[i];
	free(hooked.at);
	hooked.at = at;
	hooked.room = room;
	return true;
}

/* False: no memory. The class then must not get hooks, which would stay. */
static bool note_hooked(const char *name)
{
	bool done = false;
	char **at;

	pthread_mutex_lock(&hooked.lock);
	if (hooked.n * 2 < hooked.room || grow()) {
		at = place_of(hooked.at, hooked.room, name);
		if (!*at) {
			*at = strdup(name);
			hooked.n += *at != NULL;
		}
		done = *at;
	}
	pthread_mutex_unlock(&hooked.lock);
	return done;
}

/* A class that began to load before the end can still be noted by its thread.
 */
static bool is_hooked(const char *name)
{
	bool is;

	pthread_mutex_lock(&hooked.lock);
	is = hooked.n && *place_of(hooked.at, hooked.room, name);
	pthread_mutex_unlock(&hooked.lock);
	return is;
}

static void forget_hooked(void)
{
	pthread_mutex_lock(&hooked.lock);
	for (uint32_t i = 0; i < hooked.room; i++)
		free(hooked.at[i]);
	free(hooked.at);
	hooked.at = NULL;
	hooked.room = hooked.n = 0;
	pthread_mutex_unlock(&hooked.lock);
}

/* What one class needs while it is rewritten. */
struct block {
	struct block *next;
	max_align_t bytes[];
};

struct rewrite {
	struct block *blocks;
	uint64_t refused[2]; /* without code; that could not be changed */
};

static void *take_memory(void *ctx, size_t size)
{
	struct rewrite *r = ctx;
	struct block *b = malloc(sizeof(*b) + size);

	if (!b)
		return NULL;
	b->next = r->blocks;
	r->blocks = b;
	return b->bytes;
}

static void free_memory(struct rewrite *r)
{
	struct block *b;

	while ((b = r->blocks)) {
		r->blocks = b->next;
		free(b);
	}
}

static uint32_t choose(void *ctx, const struct gn_java_method *m)
{
	(void)ctx;
	return gn_java_methods_select(m);
}

static void refuse(void *ctx, uint32_t index, enum gn_java_refusal why)
{
	struct rewrite *r = ctx;

	(void)index;
	r->refused[why != GN_JAVA_NO_CODE]++;
}

/* A copy that the JVM frees, or NULL. */
static uint8_t *copy_for(gn_jvmti jvmti, const uint8_t *bytes, size_t len)
{
	uint8_t *copy = NULL;

	if (len > INT32_MAX ||
	    gn_api(jvmti, GN_JVMTI_ALLOCATE, int32_t, gn_jvmti, int64_t,
		   uint8_t **)(jvmti, (int64_t)len, &copy))
		return NULL;
	memcpy(copy, bytes, len);
	return copy;
}

/* A class loader need not tell the JVM the name: then it is in the class file
 * only. NULL: it is malformed, or there is no memory. */
static const char *name_in(const uint8_t *bytes, size_t len, struct rewrite *r)
{
	struct gn_java_class c;
	char *name;

	if (gn_java_class_read(&c, bytes, len, take_memory, r))
		return NULL;
	name = take_memory(r, c.name.n + (size_t)1);
	if (!name)
		return NULL;
	memcpy(name, c.name.at, c.name.n);
	name[c.name.n] = '\0';
	return name;
}

/* The class with hooks, in memory of the JVM. NULL: it stays as it is. */
static uint8_t *hook_class(gn_jvmti jvmti, const char *name,
			   const uint8_t *bytes, size_t len, struct rewrite *r,
			   size_t *out_len)
{
	uint8_t *out = NULL, *copy;
	int n;

	if (!name || !gn_java_methods_may(name, strlen(name)))
		return NULL;
	n = gn_java_rewrite(bytes, len, &gn_java_hooks, choose, refuse,
			    take_memory, r, &out, out_len);
	if (n <= 0 || !note_hooked(name))
		return NULL;
	copy = copy_for(jvmti, out, *out_len);
	if (copy)
		atomic_fetch_add(&hooked.methods, (uint64_t)n);
	return copy;
}

void gn_java_class_loads(gn_jvmti jvmti, gn_jni jni, gn_jref redefined,
			 gn_jref loader, const char *name, gn_jref domain,
			 int32_t len, const uint8_t *bytes, int32_t *new_len,
			 uint8_t **new_bytes)
{
	struct rewrite r = {.blocks = NULL};
	size_t out_len = 0;
	uint8_t *out;

	(void)jni, (void)redefined, (void)loader, (void)domain;
	if (len < 0)
		return;
	if (!name)
		name = name_in(bytes, (size_t)len, &r);
	out = hook_class(jvmti, name, bytes, (size_t)len, &r, &out_len);
	if (out) {
		*new_bytes = out;
		*new_len = (int32_t)out_len;
	}
	free_memory(&r);
	if (r.refused[0])
		gn_site_call_selected(GN_SELECTED_NO_BYTECODE, r.refused[0]);
	if (r.refused[1])
		gn_site_call_selected(GN_SELECTED_UNCHANGED, r.refused[1]);
}

static void free_text(gn_jvmti jvmti, void *text)
{
	if (text)
		gn_api(jvmti, GN_JVMTI_DEALLOCATE, int32_t, gn_jvmti,
		       void *)(jvmti, text);
}

static bool asks_method(gn_jvmti jvmti, const char *class, size_t len,
			void *method)
{
	char *name = NULL, *descriptor = NULL;
	struct gn_java_method m = {.class = class, .class_len = (uint16_t)len};
	bool asks = false;

	if (!gn_api(jvmti, GN_JVMTI_METHOD_NAME, int32_t, gn_jvmti, void *,
		    char **, char **,
		    char **)(jvmti, method, &name, &descriptor, NULL)) {
		m.name = name;
		m.name_len = (uint16_t)strnlen(name, UINT16_MAX);
		m.descriptor = descriptor;
		m.descriptor_len = (uint16_t)strnlen(descriptor, UINT16_MAX);
		asks = gn_java_methods_asked(&m);
	}
	free_text(jvmti, name);
	free_text(jvmti, descriptor);
	return asks;
}

/* Whether a method of the class is selected. The JVM does not say it of a class
 * that it has not linked: then one may be. */
static bool asks_class(gn_jvmti jvmti, gn_jref class, const char *name,
		       size_t len)
{
	void **method = NULL;
	bool asks = false;
	int32_t n = 0;

	if (len > UINT16_MAX || !gn_java_methods_may(name, len))
		return false;
	if (gn_api(jvmti, GN_JVMTI_CLASS_METHODS, int32_t, gn_jvmti, gn_jref,
		   int32_t *, void ***)(jvmti, class, &n, &method))
		return true;
	for (int32_t i = 0; i < n && !asks; i++)
		asks = asks_method(jvmti, name, len, method[i]);
	free_text(jvmti, method);
	return asks;
}

/* A class of a lambda up to Java 14: its name ends with a slash and a number.
 * The JVM would not find it any more after a change. */
static bool is_nameless(const char *name)
{
	const char *slash = strrchr(name, '/');

	return slash && slash[1] >= '0' && slash[1] <= '9';
}

/* Whether the class is to be changed: it gets hooks, or has them. */
static bool is_meant(gn_jvmti jvmti, gn_jref class, bool restore)
{
	char *name = NULL;
	uint8_t can = 0;
	bool is = false;
	size_t len;

	if (gn_api(jvmti, GN_JVMTI_CLASS_SIGNATURE, int32_t, gn_jvmti, gn_jref,
		   char **, char **)(jvmti, class, &name, NULL))
		return false;
	len = strlen(name);
	/* not an array: L, the name, a semicolon */
	if (*name == 'L' && len > 2 && !is_nameless(name)) {
		name[len - 1] = '\0';
		is = restore ? is_hooked(name + 1)
			     : asks_class(jvmti, class, name + 1, len - 2);
	}
	free_text(jvmti, name);
	if (is)
		gn_api(jvmti, GN_JVMTI_MODIFIABLE, int32_t, gn_jvmti, gn_jref,
		       uint8_t *)(jvmti, class, &can);
	return is && can;
}

static int32_t retransform(gn_jvmti jvmti, int32_t n, const gn_jref *class)
{
	return n ? gn_api(jvmti, GN_JVMTI_RETRANSFORM, int32_t, gn_jvmti,
			  int32_t, const gn_jref *)(jvmti, n, class)
		 : 0;
}

static void change_loaded(gn_jvmti jvmti, gn_jni jni, bool restore)
{
	gn_jref *class = NULL;
	int32_t n = 0, meant = 0;
	uint64_t failed = 0;

	if (gn_api(jvmti, GN_JVMTI_LOADED_CLASSES, int32_t, gn_jvmti, int32_t *,
		   gn_jref **)(jvmti, &n, &class))
		return;
	/* -Xcheck:jni would warn of so many references */
	gn_api(jni, GN_JNI_ENSURE_LOCAL, int32_t, gn_jni, int32_t)(jni, n);
	for (int32_t i = 0; i < n; i++)
		if (is_meant(jvmti, class[i], restore))
			class[meant++] = class[i];
		else
			gn_api(jni, GN_JNI_DELETE_LOCAL, void, gn_jni,
			       gn_jref)(jni, class[i]);
	/* if the JVM refuses one of them, it changes none */
	if (retransform(jvmti, meant, class))
		for (int32_t i = 0; i < meant; i++)
			failed += retransform(jvmti, 1, &class[i]) != 0;
	for (int32_t i = 0; i < meant; i++)
		gn_api(jni, GN_JNI_DELETE_LOCAL, void, gn_jni,
		       gn_jref)(jni, class[i]);
	free_text(jvmti, class);
	if (failed && !restore)
		gn_site_call_selected(GN_SELECTED_UNCHANGED, failed);
}

uint64_t gn_java_classes_hook(gn_jvmti jvmti, gn_jni jni)
{
	atomic_store(&hooked.methods, 0);
	change_loaded(jvmti, jni, false);
	return atomic_load(&hooked.methods);
}

void gn_java_classes_restore(gn_jvmti jvmti, gn_jni jni)
{
	change_loaded(jvmti, jni, true);
	forget_hooked();
}
