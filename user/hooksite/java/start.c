// SPDX-License-Identifier: BSD-2-Clause
/*
 * The hook-site library for Java. It is loaded with the JVM, if gnomon started
 * the program (gn_preload_start), or is an agent that comes later, once for
 * each session and again for its end (Agent_OnAttach).
 */
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <gnomon/hooksite.h>
#include <gnomon/java.h>
#include "../preload/runtime.h"
#include "session.h"
#include "sites.h"

#define EXPORT __attribute__((visibility("default")))

EXPORT int32_t Agent_OnAttach(gn_jvm jvm, char *options, void *reserved);

/* What the first session is to be. */
static struct gn_preloaded first;

static void begin_first(void *jvm)
{
	char *filter = first.filter;

	first.filter = NULL;
	if (filter)
		gn_java_session_begin(jvm, filter, first.fast, first.own_site);
}

void gn_preload_start(const struct gn_preloaded *asked,
		      struct gn_preload_calls *calls)
{
	first = *asked;
	calls->jvm = begin_first;
}

static void serve(gn_jvm jvm, const char *request)
{
	const size_t word = strlen(GN_JAVA_TRACE);
	char *rest, *filter;
	unsigned long own;
	bool fast;

	if (!strcmp(request, GN_JAVA_END)) {
		gn_java_session_end(jvm);
		return;
	}
	if (strncmp(request, GN_JAVA_TRACE, word) != 0)
		return;
	/* nobody waits any more */
	if (strtoll(request + word, &rest, 10) < time(NULL))
		return;
	fast = strtol(rest, &rest, 10) == 1;
	own = strtoul(rest, &rest, 10);
	if (*rest != '\n' || own >= GN_SITE_OWN_MOST)
		return;
	filter = strdup(rest + 1);
	if (filter)
		gn_java_session_begin(jvm, filter, fast,
				      gn_site_own(gn_site_java_lives, own));
}

/* The JVM would write about any other result than 0. */
int32_t Agent_OnAttach(gn_jvm jvm, char *options, void *reserved)
{
	(void)reserved;
	if (options)
		serve(jvm, options);
	return 0;
}
