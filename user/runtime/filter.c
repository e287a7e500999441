/* SPDX-License-Identifier: BSD-2-Clause */
#include "runtime/filter.h"

#include <fnmatch.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <gnomon/path.h>
#include "names/native_name.h"

/* A function with a longer own name is matched by its full name only. */
#define OWN_MAX	 1024
#define USDT	 "usdt:"
#define OPERATOR "operator"

struct item {
	const char *text; /* as given */
	char *lib;	  /* NULL = the program */
	char *real;	  /* the real path of LIB, if LIB is a path; or NULL */
	char *folder; /* that of its folder, if only the name is a pattern */
	/* Several threads ask at once: the lock guards `path` and `leads`. */
	pthread_mutex_t lock;
	char *path;	  /* the last path that was asked for, or NULL */
	bool leads;	  /* `path` leads to `real`, too */
	char *provider;	  /* usdt: its glob; NULL = any */
	const char *glob; /* usdt: of NAME */
	bool usdt;
	bool exclude;
	/* Several threads set these. */
	atomic_bool seen; /* its file was seen */
	atomic_bool matched;
	atomic_bool ifunc;  /* an IFUNC has the name */
	atomic_bool missed; /* gn_filter_miss() */
	atomic_bool stripped, mini;
};

struct gn_filter {
	struct item *item;
	size_t count;
};

/* For each function of a file: a flag that is set needs no write. */
static void set(atomic_bool *flag)
{
	if (!atomic_load_explicit(flag, memory_order_relaxed))
		atomic_store_explicit(flag, true, memory_order_relaxed);
}

/* Finds the colon between LIB and GLOB: a single one, because C++ names have
 * pairs. */
static const char *lib_colon(const char *text)
{
	for (const char *c = text; *c; c++) {
		if (*c != ':')
			continue;
		if (c[1] != ':')
			return c == text ? NULL : c;
		c++;
	}
	return NULL;
}

bool gn_filter_is_usdt(const char *text)
{
	text += *text == '!';
	return !strncmp(text, USDT, strlen(USDT)) &&
	       strchr(text + strlen(USDT), ':');
}

bool gn_filter_is_list(const char *text)
{
	int depth = 0;

	for (const char *c = text; *c; c++) {
		depth += strchr("([<", *c) != NULL;
		depth -= strchr(")]>", *c) != NULL;
		if (*c == ',' && depth <= 0)
			return c > text && c[1];
	}
	return false;
}

bool gn_filter_sound(const char *text)
{
	size_t len = strlen(text += *text == '!');

	return len && text[len - 1] != ':' &&
	       (strncmp(text, USDT, strlen(USDT)) || gn_filter_is_usdt(text));
}

/* The real path of the pattern's folder; NULL: it is a pattern, too. */
static char *folder_of(const char *lib)
{
	char *name = strndup(lib, (size_t)(gn_base_name(lib) - lib)), *real;

	if (!name)
		return NULL;
	real = realpath(name, NULL);
	free(name);
	return real;
}

static bool take_library(struct item *it, const char *from, const char *to)
{
	const char *colon = it->usdt ? strchr(to + 1, ':') : NULL;

	it->glob = colon ? colon + 1 : to + 1;
	it->lib = strndup(from, (size_t)(to - from));
	if (colon)
		it->provider = strndup(to + 1, (size_t)(colon - to) - 1);
	if (!it->lib || (colon && !it->provider))
		return false;
	if (it->usdt && (!*it->lib || !strcmp(it->lib, "self"))) {
		free(it->lib);
		it->lib = NULL;
	} else if (strchr(it->lib, '/')) {
		it->real = realpath(it->lib, NULL);
		it->folder = it->real ? NULL : folder_of(it->lib);
	}
	return true;
}

struct gn_filter *gn_filter_new(const char *const *globs, size_t count)
{
	struct gn_filter *f = calloc(1, sizeof(*f));

	if (!f)
		return NULL;
	f->item = calloc(count ? count : 1, sizeof(*f->item));
	if (!f->item)
		goto fail;
	for (size_t i = 0; i < count; i++) {
		struct item *it = &f->item[f->count++];
		const char *colon;

		pthread_mutex_init(&it->lock, NULL);
		it->text = globs[i];
		it->exclude = globs[i][0] == '!';
		it->glob = globs[i] + it->exclude;
		it->usdt = gn_filter_is_usdt(it->glob);
		it->glob += it->usdt ? strlen(USDT) : 0;
		colon = it->usdt ? strchr(it->glob, ':') : lib_colon(it->glob);
		if (colon && !take_library(it, it->glob, colon))
			goto fail;
	}
	return f;
fail:
	gn_filter_free(f);
	return NULL;
}

void gn_filter_free(struct gn_filter *f)
{
	if (!f)
		return;
	for (size_t i = 0; i < f->count; i++) {
		pthread_mutex_destroy(&f->item[i].lock);
		free(f->item[i].lib);
		free(f->item[i].real);
		free(f->item[i].folder);
		free(f->item[i].path);
		free(f->item[i].provider);
	}
	free(f->item);
	free(f);
}

bool gn_filter_positive(const struct gn_filter *f)
{
	for (size_t i = 0; i < f->count; i++)
		if (!f->item[i].exclude)
			return true;
	return false;
}

bool gn_filter_libraries(const struct gn_filter *f)
{
	for (size_t i = 0; i < f->count; i++)
		if (!f->item[i].exclude && f->item[i].lib)
			return true;
	return false;
}

/* Whether the names are equal up to the first dot: libz.so and libz.so.1. */
static bool is_alike(const char *a, const char *b)
{
	size_t len = strcspn(a, ".");

	return len == strcspn(b, ".") && !strncmp(a, b, len);
}

static void look_up(struct item *it, const char *path)
{
	char *real = realpath(path, NULL);

	it->leads = real && !strcmp(real, it->real);
	free(real);
	free(it->path);
	it->path = strdup(path); /* NULL: the next call looks it up again */
}

/* One file can have several paths, through links. This runs for each function:
 * names rule most files out, and the last path is not looked up again. */
static bool is_same(struct item *it, const char *path)
{
	const char *name = gn_base_name(path);
	bool leads;

	if (!it->real || (!is_alike(name, gn_base_name(it->lib)) &&
			  !is_alike(name, gn_base_name(it->real))))
		return false;
	pthread_mutex_lock(&it->lock);
	if (!it->path || strcmp(it->path, path) != 0)
		look_up(it, path);
	leads = it->leads;
	pthread_mutex_unlock(&it->lock);
	return leads;
}

/* Whether the path is in the pattern's folder, which the user may have given
 * otherwise: from the current folder, or through a link. */
static bool is_in_folder(const struct item *it, const char *path)
{
	size_t n = it->folder ? strlen(it->folder) : 0;

	return n && !strncmp(path, it->folder, n) && path[n] == '/' &&
	       !fnmatch(gn_base_name(it->lib), path + n + 1, 0);
}

/* Whether `lib` ends before a dot of the name: libstdc++ or libstdc++.so.6 for
 * libstdc++.so.6.0.30. */
static bool is_short(const char *lib, const char *name)
{
	size_t len = strlen(lib);

	return !strncmp(name, lib, len) && name[len] == '.';
}

static bool file_matches(struct item *it, const char *path, bool program)
{
	const char *name = gn_base_name(path);

	if (!it->lib)
		return program;
	return !fnmatch(it->lib, path, 0) || !fnmatch(it->lib, name, 0) ||
	       is_same(it, path) || is_in_folder(it, path) ||
	       (it->usdt && is_short(it->lib, name));
}

unsigned int gn_filter_file(const struct gn_filter *f, const char *path,
			    bool program)
{
	unsigned int takes = 0;

	for (size_t i = 0; i < f->count; i++)
		if (!f->item[i].exclude &&
		    file_matches(&f->item[i], path, program))
			takes |= f->item[i].usdt ? GN_TAKES_USDT
						 : GN_TAKES_FUNCTIONS;
	return takes;
}

/* Where the name of a C++ operator begins: operator new, X::operator<<. */
static const char *operator_in(const char *glob)
{
	const char *at = glob;

	while ((at = strstr(at, OPERATOR)) && at != glob &&
	       !strchr(":*", at[-1]))
		at += strlen(OPERATOR);
	return at;
}

/* A glob with a bracket or a space is for whole names, unless these belong to
 * an operator, whose own name can have them too. */
static bool is_of_whole(const char *glob)
{
	const char *op = operator_in(glob);
	size_t n = strcspn(glob, "(< ");

	return glob[n] && (!op || glob + n < op);
}

static bool name_matches(const struct item *it, const char *name,
			 const char *demangled, const char *own)
{
	return !fnmatch(it->glob, name, 0) ||
	       !fnmatch(it->glob, demangled, 0) ||
	       (*own && !is_of_whole(it->glob) && !fnmatch(it->glob, own, 0));
}

bool gn_filter_function(const struct gn_filter *f, const char *path,
			bool program, const char *name, const char *demangled)
{
	char own[OWN_MAX];
	bool take = false;

	if (!gn_native_name(name, demangled, own, sizeof(own)))
		*own = '\0';
	for (size_t i = 0; i < f->count; i++) {
		struct item *it = &f->item[i];

		if (it->usdt)
			continue;
		/* !GLOB leaves out functions of every file */
		if (!(it->exclude && !it->lib) &&
		    !file_matches(it, path, program))
			continue;
		set(&it->seen);
		if (!name_matches(it, name, demangled, own))
			continue;
		set(&it->matched);
		take = !it->exclude;
	}
	return take;
}

void gn_filter_ifunc(struct gn_filter *f, const char *path, bool program,
		     const char *name)
{
	for (size_t i = 0; i < f->count; i++) {
		struct item *it = &f->item[i];

		if (!it->usdt && file_matches(it, path, program) &&
		    !fnmatch(it->glob, name, 0))
			set(&it->ifunc);
	}
}

bool gn_filter_names_ifunc(const struct gn_filter *f, const char *text,
			   char *to, size_t size)
{
	const struct item *it = f->item, *end = f->item + f->count;

	while (it < end && (it->text != text || it->matched || !it->ifunc))
		it++;
	if (it == end)
		return false;
	snprintf(to, size, "%s%s*%s*", it->lib ? it->lib : "",
		 it->lib ? ":" : "", it->glob);
	return true;
}

void gn_filter_strip(struct gn_filter *f, const char *path, bool program,
		     bool mini)
{
	for (size_t i = 0; i < f->count; i++) {
		if (f->item[i].usdt ||
		    !file_matches(&f->item[i], path, program))
			continue;
		set(&f->item[i].stripped);
		if (mini)
			set(&f->item[i].mini);
	}
}

bool gn_filter_mini(const struct gn_filter *f, const char *text)
{
	for (size_t i = 0; i < f->count; i++)
		if (f->item[i].text == text)
			return f->item[i].mini;
	return false;
}

bool gn_filter_stripped(const struct gn_filter *f, const char *text)
{
	for (size_t i = 0; i < f->count; i++)
		if (f->item[i].text == text)
			return f->item[i].lib && f->item[i].stripped;
	return false;
}

bool gn_filter_lacks(const struct gn_filter *f, const char *text)
{
	for (size_t i = 0; i < f->count; i++)
		if (f->item[i].text == text)
			return f->item[i].lib && !f->item[i].seen;
	return false;
}

void gn_filter_miss(struct gn_filter *f, const char *path)
{
	for (size_t i = 0; i < f->count; i++)
		if (file_matches(&f->item[i], path, false))
			set(&f->item[i].missed);
}

bool gn_filter_missed(const struct gn_filter *f, const char *text)
{
	for (size_t i = 0; i < f->count; i++)
		if (f->item[i].text == text)
			return f->item[i].missed;
	return false;
}

bool gn_filter_usdt(struct gn_filter *f, const char *path, bool program,
		    const char *provider, const char *name)
{
	bool take = false;

	for (size_t i = 0; i < f->count; i++) {
		struct item *it = &f->item[i];

		if (!it->usdt || !file_matches(it, path, program))
			continue;
		set(&it->seen);
		if (!provider || fnmatch(it->provider ?: "*", provider, 0) ||
		    fnmatch(it->glob, name, 0))
			continue;
		set(&it->matched);
		take = !it->exclude;
	}
	return take;
}

const char *gn_filter_unmatched_next(const struct gn_filter *f, size_t *at)
{
	while (*at < f->count) {
		const struct item *it = &f->item[(*at)++];

		if (!it->exclude && !it->matched)
			return it->text;
	}
	return NULL;
}

const char *gn_filter_awaited(const struct gn_filter *f, size_t *at)
{
	while (*at < f->count) {
		const struct item *it = &f->item[(*at)++];

		if (!it->exclude && it->lib && !it->seen)
			return it->text;
	}
	return NULL;
}

const char *gn_filter_unmatched(const struct gn_filter *f)
{
	size_t at = 0;

	return gn_filter_unmatched_next(f, &at);
}

void gn_filter_managed(struct gn_filter *f,
		       bool (*matches)(const char *glob, const char *name,
				       const char *module),
		       const char *name, const char *module)
{
	for (size_t i = 0; i < f->count; i++) {
		struct item *it = &f->item[i];

		if (!it->exclude && !it->matched)
			it->matched = matches(it->text, name, module);
	}
}

const char *gn_filter_library(const struct gn_filter *f, size_t i, bool *past)
{
	*past = i >= f->count;
	return *past ? NULL : f->item[i].lib;
}
