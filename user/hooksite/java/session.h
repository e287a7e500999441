/* SPDX-License-Identifier: BSD-2-Clause */
/* A session: from when hooks are put into methods until they are taken out. */
#ifndef GNOMON_JAVA_SESSION_H
#define GNOMON_JAVA_SESSION_H

#include <stdbool.h>
#include <stddef.h>

#include "api.h"

/* Begins one; another one ends. It takes `filter`, from malloc(). `own_site`:
 * see gn_fast_lives_at(). The calling thread is one of the JVM's, which runs
 * already. Reports by the sites how that went. If gnomon is gone, the session
 * ends by itself. */
void gn_java_session_begin(gn_jvm jvm, char *filter, bool fast,
			   const void *own_site);

/* Ends it, if there is one. */
void gn_java_session_end(gn_jvm jvm);

/* An environment of JVMTI, or NULL. */
gn_jvmti gn_java_jvmti(gn_jvm jvm);
/* 0: the event's function is called from now on. */
static inline int32_t gn_java_event(gn_jvmti jvmti, int32_t event, bool on)
{
	return gn_api(jvmti, GN_JVMTI_SET_EVENT, int32_t, gn_jvmti, int, int,
		      gn_jref)(jvmti, on, event, NULL);
}

#endif
