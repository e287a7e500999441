/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A runtime that runs already, and into which gnomon brings its hook-site
 * library. Sentences for people go into `why`, which has GN_WHY_MAX bytes.
 */
#ifndef GNOMON_RUNTIME_ATTACH_H
#define GNOMON_RUNTIME_ATTACH_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#define GN_WHY_MAX 512

struct gn_attached;

/* Called while the runtime is waited for, some times a second. */
enum gn_wait {
	GN_WAIT_ON,
	GN_WAIT_WORKS, /* it has begun: with many functions that takes long */
	GN_WAIT_ENOUGH,
};
typedef enum gn_wait (*gn_wait_fn)(void *ctx);

/* What a session wants of the library. */
struct gn_attach_asked {
	const char *filter;
	const char *values; /* functions that -a asks for, as of a launch */
	uint32_t families;
	bool fast;
};

struct gn_runtime_attach {
	/*
	 * Finds the way into process `pid` and keeps it open, so that begin()
	 * and end() need no right but to write to files of other users. Nobody
	 * else's gnomon comes in until close(). `library`: its path.
	 * -EBUSY: another gnomon is there. <0: `why` says what is wrong.
	 */
	int (*open)(pid_t pid, const char *library, struct gn_attached **out,
		    char *why);
	/* Has the library loaded and its hooks made for what the filter asks
	 * for, without traps if that is asked for and can be; it tells of
	 * events of these families (enum gn_family). The library tells by its
	 * sites when it is done, 1: or it does not work here: then it would
	 * have told by now. */
	int (*begin)(struct gn_attached *a, const struct gn_attach_asked *asked,
		     gn_wait_fn wait, void *ctx, char *why);
	/* Has all as it was. Done by itself when this process ends before it,
	 * however it ends. 0 too if the process has gone. */
	int (*end)(struct gn_attached *a, gn_wait_fn wait, void *ctx,
		   char *why);
	void (*close)(struct gn_attached *a); /* may be NULL */
	/* Where the process does not see `library`, as in a container: the
	 * file that it loads in its place, which is the attached one's, and
	 * its path there. -1: it is `library`. */
	int (*file)(const struct gn_attached *a, const char **path);
	uint32_t at_start; /* families that it does not tell any more */
};

#endif
