/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The environment of a program with a preloaded hook-site library. gnomon adds
 * the library to LD_PRELOAD, and variables with which the library works. The
 * program sees neither: these functions change the strings in place, so that
 * main()'s third argument does not have them either.
 */
#ifndef GNOMON_HOOKSITE_PRELOAD_ENVIRONMENT_H
#define GNOMON_HOOKSITE_PRELOAD_ENVIRONMENT_H

#include <stdbool.h>
#include <stdint.h>

/* What gnomon asks the library of a runtime for (gnomon/preload.h). */
struct gn_preloaded {
	char *filter; /* NULL: none */
	bool fast;
	uint32_t families; /* enum gn_family */
	char **argv;	   /* of the program */
	/* has a probe while gnomon lives; NULL: there is no such site */
	const void *own_site;
	/* of dlopen(): the library that has the runtime; NULL: the program has
	 * it from its start on */
	void *loaded;
};

/* The variable's value; NULL: it is not set. */
const char *gn_environment_get(char **envp, const char *name);
/* Whether the value of the variable of hooks is of this kind. */
bool gn_environment_is_kind(const char *hooks, const char *kind);
/* The number of gnomon's own site in that value; GN_SITE_OWN_MOST: it has
 * none. */
unsigned int gn_environment_own(const char *hooks);
/* Removes the variable. */
void gn_environment_drop(char **envp, const char *name);
/* Removes this entry. */
void gn_environment_drop_at(char **entry);
/* Removes the library with this file name from LD_PRELOAD; other entries
 * stay. */
void gn_environment_drop_library(char **envp, const char *library);

/* Removes all that gnomon added for the preloaded library: its file name, and
 * the variables of its hooks, its filter and its families of events. The caller
 * owns the filter. */
struct gn_preloaded gn_environment_take(char **envp);

/* Whether this list of libraries has a library of this name. */
bool gn_environment_has_library(const char *list, const char *library);

#endif
