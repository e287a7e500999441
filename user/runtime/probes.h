/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The probes of a capture before they are attached: offsets, counters and
 * cookies, grouped by file and program.
 */
#ifndef GNOMON_RUNTIME_PROBES_H
#define GNOMON_RUNTIME_PROBES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The BPF program of a probe. X(enumerator, is it a return probe). */
#define GN_PROG_LIST(X)                                                   \
	X(SESSION, 0)	    /* enter and return of a native function */   \
	X(NATIVE, 0)	    /* one site, function in the cookie */        \
	X(NATIVE_RETURN, 1) /* a native function's return */              \
	X(MANAGED, 0)	    /* a site of a runtime */                     \
	X(NAME, 0)	    /* a site where a name is told */             \
	X(INTERNED, 0)	    /* a site that names its function by texts */ \
	X(SETUP, 0)	    /* a site of a runtime that begins */

enum gn_prog {
#define GN_PROG_ENUM(name, ret) GN_PROG_##name,
	GN_PROG_LIST(GN_PROG_ENUM)
#undef GN_PROG_ENUM
		GN_PROG_COUNT
};

struct gn_probe_group {
	size_t file; /* which, of a list of the caller's */
	enum gn_prog prog;
	uint64_t *offsets;
	uint64_t *cookies;
	/* where in the file a counter is that says that somebody listens to the
	 * probe (a USDT semaphore), 0 = there is none */
	uint64_t *counters;
	size_t count, room;
};

struct gn_probes {
	struct gn_probe_group *group;
	size_t count;
};

/* 0 or -ENOMEM. */
int gn_probes_add(struct gn_probes *p, size_t file, enum gn_prog prog,
		  uint64_t offset, uint64_t counter, uint64_t cookie);
/* Adds all that `from` has, which is empty then. -ENOMEM. */
int gn_probes_move(struct gn_probes *p, struct gn_probes *from);
/* Moves the sites of a hook-site library's file to their second place
 * (GN_SITE_NOP5), not the functions of the library itself. Whether it has
 * any. */
bool gn_probes_take_nop5(struct gn_probes *p, size_t file);
void gn_probes_free(struct gn_probes *p);

#endif
