// SPDX-License-Identifier: BSD-2-Clause
#include "methods.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include <gnomon/event.h>
#include <gnomon/fnv.h>
#include "../call_hooks.h"
#include "../clr/filter.h"
#include "../fast_names.h"
#include "class.h"
#include "names/java_name.h"
#include "sites.h"

#define FIRST_ROOM 256 /* a power of two */

struct named {
	char *name, *module; /* name NULL: free */
	uint64_t hash;
	uint32_t index;
	uint32_t told; /* the last session that knows the name */
};

static struct {
	pthread_mutex_t lock;
	char *filter; /* NULL: no session */
	struct gn_filter_lines lines;
	bool fast;
	uint32_t session;
	struct named *at;
	uint32_t room, n;
} methods = {.lock = PTHREAD_MUTEX_INITIALIZER};

struct names {
	char name[GN_SENT_NAME_MAX];
	char module[GN_SENT_MODULE_MAX];
};

void gn_java_methods_begin(char *filter, bool fast)
{
	pthread_mutex_lock(&methods.lock);
	methods.filter = filter;
	methods.fast = fast;
	methods.session++;
	if (!gn_filter_parse(filter, &methods.lines))
		memset(&methods.lines, 0, sizeof(methods.lines));
	pthread_mutex_unlock(&methods.lock);
}

void gn_java_methods_end(void)
{
	pthread_mutex_lock(&methods.lock);
	gn_filter_lines_free(&methods.lines);
	free(methods.filter);
	methods.filter = NULL;
	pthread_mutex_unlock(&methods.lock);
}

/*
 * Methods that run while a virtual thread moves to a thread or away from it.
 * The JVM does not say on which of the two they are.
 */
static bool moves_threads(struct gn_span class)
{
	static const char *const classes[] = {
		"java/lang/VirtualThread", "java/lang/BaseVirtualThread",
		"java/lang/ThreadBuilders$BoundVirtualThread",
		"jdk/internal/vm/Continuation"};

	for (size_t i = 0; i < sizeof(classes) / sizeof(classes[0]); i++) {
		size_t n = strlen(classes[i]);

		if (gn_span_begins(&class, classes[i]) &&
		    (class.n == n || class.at[n] == '$'))
			return true;
	}
	return false;
}

/* Hooks call a method of this class. */
static bool is_hooks(struct gn_span class)
{
	return gn_span_begins(&class, GN_JAVA_CLASS);
}

static void spell(const struct gn_java_method *m, struct names *n)
{
	const struct gn_span class = {m->class, m->class_len};
	struct gn_spell name = {.at = n->name, .left = sizeof(n->name)};
	struct gn_spell module = {.at = n->module, .left = sizeof(n->module)};

	*n->name = *n->module = '\0';
	gn_java_put_method(&name, class, (struct gn_span){m->name, m->name_len},
			   (struct gn_span){m->descriptor, m->descriptor_len});
	gn_java_put_package(&module, class);
}

static bool asks_for(const struct gn_java_method *m, const struct names *n)
{
	const struct gn_span class = {m->class, m->class_len};

	return methods.filter && !moves_threads(class) && !is_hooks(class) &&
	       gn_filter_hooks(methods.filter, n->name, n->module);
}

bool gn_java_methods_may(const char *class, size_t len)
{
	struct gn_java_method m = {.class = class,
				   .class_len = (uint16_t)len,
				   .name = "*",
				   .name_len = 1};
	struct names n;
	bool may;

	if (len > UINT16_MAX)
		return false;
	spell(&m, &n);
	/* it ends with .*(), and parameters are not known here */
	n.name[strcspn(n.name, "(")] = '\0';
	pthread_mutex_lock(&methods.lock);
	may = methods.filter &&
	      gn_filter_may_hook(&methods.lines, GN_FILTER_ALL, n.name,
				 n.module);
	pthread_mutex_unlock(&methods.lock);
	return may;
}

bool gn_java_methods_asked(const struct gn_java_method *m)
{
	struct names n;
	bool asked;

	spell(m, &n);
	pthread_mutex_lock(&methods.lock);
	asked = asks_for(m, &n);
	pthread_mutex_unlock(&methods.lock);
	return asked;
}

static void tell(struct named *f)
{
	const struct gn_fast_text name = {f->name, (uint16_t)strlen(f->name)};
	const struct gn_fast_text module = {f->module,
					    (uint16_t)strlen(f->module)};

	f->told = methods.session;
	if (!methods.fast || !gn_fast_tell_name(f->index, 0, name, module))
		gn_site_call_name(f->index, f->name, name.len, f->module,
				  module.len, 0);
}

static bool grow(void)
{
	uint32_t room = methods.room ? methods.room * 2 : FIRST_ROOM;
	struct named *at = calloc(room, sizeof(*at));

	if (!at)
		return false;
	for (uint32_t i = 0; i < methods.room; i++) {
		const struct named *f = &methods.at[i];
		uint32_t k = (uint32_t)f->hash & (room - 1);

		if (!f->name)
			continue;
		while (at[k].name)
			k = (k + 1) & (room - 1);
		at[k] = *f;
	}
	free(methods.at);
	methods.at = at;
	methods.room = room;
	return true;
}

static uint64_t hash_of(const char *text)
{
	uint64_t hash = gn_fnv(GN_FNV, text, strlen(text));

	return hash ^ hash >> 32;
}

static struct named *add(struct named *f, const struct names *n, uint64_t hash)
{
	uint32_t index = gn_call_new_index();
	char *name, *module;

	if (!index)
		return NULL;
	name = strdup(n->name);
	module = strdup(n->module);
	if (!name || !module) {
		free(name);
		free(module);
		return NULL;
	}
	*f = (struct named){
		.name = name, .module = module, .hash = hash, .index = index};
	methods.n++;
	return f;
}

/* NULL: there is no room. */
static struct named *find(const struct names *n)
{
	uint64_t hash = hash_of(n->name);
	struct named *f;
	uint32_t i;

	if (methods.n * 2 >= methods.room && !grow())
		return NULL;
	i = (uint32_t)hash & (methods.room - 1);
	while ((f = &methods.at[i])->name) {
		if (f->hash == hash && !strcmp(f->name, n->name))
			return f;
		i = (i + 1) & (methods.room - 1);
	}
	return add(f, n, hash);
}

uint32_t gn_java_methods_select(const struct gn_java_method *m)
{
	uint32_t index = UINT32_MAX;
	struct named *f = NULL;
	struct names n;

	spell(m, &n);
	pthread_mutex_lock(&methods.lock);
	if (asks_for(m, &n))
		f = find(&n);
	if (f) {
		index = f->index;
		if (f->told != methods.session)
			tell(f);
	}
	pthread_mutex_unlock(&methods.lock);
	return index;
}
