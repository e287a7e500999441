/* SPDX-License-Identifier: BSD-2-Clause */
/* What a check of the machine found, as rows. */
#ifndef GNOMON_CMD_CHECKUP_H
#define GNOMON_CMD_CHECKUP_H

#include <stdbool.h>
#include <stddef.h>

/* X(enumerator, text, colour on a terminal). */
#define GN_FOUND_LIST(X)                                          \
	X(OK, "ok", "32")	    /* it is there */             \
	X(MISSING, "missing", "31") /* it is needed */            \
	X(ABSENT, "no", "33")	    /* gnomon works without it */ \
	X(UNKNOWN, "unknown", "33") /* it could not be tried */   \
	X(FACT, "-", "0")	    /* for information, not needed */

enum gn_found {
#define GN_FOUND_ENUM(name, text, color) GN_FOUND_##name,
	GN_FOUND_LIST(GN_FOUND_ENUM)
#undef GN_FOUND_ENUM
};

struct gn_finding {
	const char *group, *id, *title; /* static texts */
	enum gn_found state;
	char *detail;	    /* owned */
	const char *advice; /* a static line: how to get it; or NULL */
};

struct gn_checkup {
	struct gn_finding *row;
	size_t n;
	bool no_memory;
	bool barred; /* nothing that needs BPF could be tried */
};

/* Adds a row. If there is no memory, leaves it out and sets `no_memory`. */
__attribute__((format(printf, 7, 8))) void
gn_finding_add(struct gn_checkup *c, const char *group, const char *id,
	       const char *title, enum gn_found state, const char *advice,
	       const char *format, ...);

void gn_checkup_clear(struct gn_checkup *c);

#endif
