/* SPDX-License-Identifier: BSD-2-Clause */
/* The library of a runtime, which the preloaded library loads before main(). */
#ifndef GNOMON_HOOKSITE_PRELOAD_RUNTIME_H
#define GNOMON_HOOKSITE_PRELOAD_RUNTIME_H

#include "hooksite/preload/environment.h"

typedef int (*gn_preload_run_fn)(void *program);

/* What a library has in front of functions of the program; NULL: nothing. */
struct gn_preload_calls {
	/* before each pthread_create() */
	void (*thread)(void);
	/* in place of ruby_run_node(), which it calls */
	int (*run)(gn_preload_run_fn run, void *program);
	/* at each tzset(), with which PHP begins */
	void (*zone)(void);
	/* when the program has made a JVM, in the thread that did that */
	void (*jvm)(void *jvm);
};

/* Each library has this function. It keeps the filter. */
#define GN_PRELOAD_START "gn_preload_start"
typedef void (*gn_preload_start_fn)(const struct gn_preloaded *asked,
				    struct gn_preload_calls *calls);
__attribute__((visibility("default"))) void
gn_preload_start(const struct gn_preloaded *asked,
		 struct gn_preload_calls *calls);

#endif
