/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Attaching to a running runtime: gnomon loads its hook-site library into the
 * process. Messages for the user go to `why`, which has GN_WHY_MAX bytes.
 */
#ifndef GNOMON_RUNTIME_ATTACH_H
#define GNOMON_RUNTIME_ATTACH_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#define GN_WHY_MAX 512

struct gn_attached;

/* Called several times a second while gnomon waits for the runtime. */
enum gn_wait {
	GN_WAIT_ON,
	GN_WAIT_WORKS, /* the library is at work: many functions take long */
	GN_WAIT_ENOUGH,
};
typedef enum gn_wait (*gn_wait_fn)(void *ctx);

/* What a session asks of the library. */
struct gn_attach_asked {
	const char *filter;
	const char *values; /* functions of -a, as in struct gn_launch */
	uint32_t families;
	bool fast;
};

struct gn_runtime_attach {
	/*
	 * Opens what begin() and end() need to reach process `pid`. These then
	 * need only the right to write to files of other users. Locks out any
	 * other gnomon until close(). `library` is the path of the hook-site
	 * library. -EBUSY: another gnomon holds the process. <0: `why` says
	 * what is wrong.
	 */
	int (*open)(pid_t pid, const char *library, struct gn_attached **out,
		    char *why);
	/* Makes the runtime load the library, which hooks the functions that
	 * the filter asks for and reports events of `families` (enum
	 * gn_family). With `fast` the hooks have no traps where possible. 0:
	 * the library reports by its sites when it is done. 1: it may already
	 * have reported that; if it has not, it does not work here. */
	int (*begin)(struct gn_attached *a, const struct gn_attach_asked *asked,
		     gn_wait_fn wait, void *ctx, char *why);
	/* Restores the process. If gnomon ends without this call, however it
	 * ends, this happens all the same. 0 also if the process has ended. */
	int (*end)(struct gn_attached *a, gn_wait_fn wait, void *ctx,
		   char *why);
	void (*close)(struct gn_attached *a); /* may be NULL */
	/* For a process that does not see `library`, as in a container: the
	 * descriptor of the copy that it loads instead, and the path of that
	 * copy there. `a` owns the descriptor. -1: it loads `library`. */
	int (*file)(const struct gn_attached *a, const char **path);
	uint32_t at_start; /* families that only a launch can report */
};

#endif
