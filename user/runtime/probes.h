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
	X(NAME, 0)	    /* a site that reports a name */              \
	X(INTERNED, 0)	    /* a site that names its function by texts */ \
	X(SETUP, 0)	    /* a site in the start of a runtime */

enum gn_prog {
#define GN_PROG_ENUM(name, ret) GN_PROG_##name,
	GN_PROG_LIST(GN_PROG_ENUM)
#undef GN_PROG_ENUM
		GN_PROG_COUNT
};

struct gn_probe_group {
	size_t file; /* index in a list of the caller */
	enum gn_prog prog;
	uint64_t *offsets;
	uint64_t *cookies;
	/* file offset of the counter of listeners to the probe (a USDT
	 * semaphore); 0: none */
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
/* Moves all groups of `from`, which is empty then. 0 or -ENOMEM. */
int gn_probes_move(struct gn_probes *p, struct gn_probes *from);
/* Moves the probes of a hook-site library's sites to the second place in each
 * site (GN_SITE_NOP5). Probes of native functions in that file stay. Returns
 * whether there are such sites. */
bool gn_probes_take_nop5(struct gn_probes *p, size_t file);
void gn_probes_free(struct gn_probes *p);

#endif
