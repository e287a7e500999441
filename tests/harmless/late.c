/* SPDX-License-Identifier: BSD-2-Clause */
/* Steps in libraries that are loaded for them. A library exports late_counts_of
 * and its fragments. */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

#include "driver.h"

#define MAX_LATE 16

static void *kept[MAX_LATE];
static size_t n_kept;

static void counts_of(void *library)
{
	void (*counts)(void);

	*(void **)&counts = dlsym(library, "late_counts_of");
	if (counts)
		counts();
}

static void keep(void *library)
{
	size_t i;

	for (i = 0; i < n_kept; i++)
		if (kept[i] == library)
			return;
	if (n_kept < MAX_LATE)
		kept[n_kept++] = library;
}

long late_run(const struct step *s)
{
	void *library = dlopen(s->library, s->how & 1 ? RTLD_NOW : RTLD_LAZY);
	long (*run)(unsigned int how), result;
	char name[128];

	if (!library) {
		fprintf(stderr, "%s\n", dlerror());
		return -1;
	}
	snprintf(name, sizeof(name), "fragment_%s", s->name);
	*(void **)&run = dlsym(library, name);
	result = run ? run(s->how) : -2;
	if (s->keep) {
		keep(library);
	} else {
		counts_of(library);
		dlclose(library);
	}
	return result;
}

void late_counts(void)
{
	size_t i;

	for (i = 0; i < n_kept; i++)
		counts_of(kept[i]);
}
