// SPDX-License-Identifier: BSD-2-Clause
/*
 * The hook-site library for Java, an agent: the JVM loads it at its start
 * (Agent_OnLoad), or later, once for each session and again for its end
 * (Agent_OnAttach).
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <gnomon/java.h>
#include <gnomon/preload.h>
#include "../preload/environment.h"
#include "session.h"

#define EXPORT __attribute__((visibility("default")))

EXPORT int32_t Agent_OnLoad(gn_jvm jvm, char *options, void *reserved);
EXPORT int32_t Agent_OnAttach(gn_jvm jvm, char *options, void *reserved);

/* What the first session is to be, when the JVM runs. */
static struct {
	gn_jvm jvm;
	struct gn_preloaded asked;
} start;

static void on_init(gn_jvmti jvmti, gn_jni jni, gn_jref thread)
{
	char *filter = start.asked.filter;

	(void)jni, (void)thread;
	start.asked.filter = NULL;
	gn_java_event(jvmti, GN_JVMTI_VM_INIT, false);
	if (filter)
		gn_java_session_begin(start.jvm, filter, start.asked.fast);
}

/* Whatever it returns but 0 would end the program. */
int32_t Agent_OnLoad(gn_jvm jvm, char *options, void *reserved)
{
	void *fn[GN_JVMTI_EVENTS] = {[0] = (void *)on_init};
	gn_jvmti jvmti = gn_java_jvmti(jvm);

	(void)options, (void)reserved;
	start.asked = gn_environment_take(environ, GN_JAVA_LIBRARY, GN_JAVA_ENV,
					  GN_JAVA_ENV_FILTER, NULL);
	start.jvm = jvm;
	if (jvmti && start.asked.filter &&
	    !gn_api(jvmti, GN_JVMTI_CALLBACKS, int32_t, gn_jvmti, void *const *,
		    int32_t)(jvmti, fn, sizeof(fn)))
		gn_java_event(jvmti, GN_JVMTI_VM_INIT, true);
	return 0;
}

static void serve(gn_jvm jvm, const char *request)
{
	const size_t word = strlen(GN_JAVA_TRACE);
	char *rest, *filter;
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
	if (*rest != '\n')
		return;
	filter = strdup(rest + 1);
	if (filter)
		gn_java_session_begin(jvm, filter, fast);
}

/* The JVM would write about any other result than 0. */
int32_t Agent_OnAttach(gn_jvm jvm, char *options, void *reserved)
{
	(void)reserved;
	if (options)
		serve(jvm, options);
	return 0;
}
