/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A runtime that starts in a traced process, so that user space can write its
 * options. These messages have a ring of their own, which is nearly always
 * empty: only a few milliseconds are left to act.
 */
#ifndef GNOMON_SETUP_H
#define GNOMON_SETUP_H

#include <gnomon/types.h>

/* How long a runtime waits for its options before it reads them. */
#define GN_SETUP_WAIT_NS 20000000u

enum gn_setup_state {
	GN_SETUP_BEGINS, /* its options can be set, and are not read soon */
	GN_SETUP_WAITS,	 /* it waits for its options, not yet written */
	GN_SETUP_LATE,	 /* it has stopped waiting and goes on without */
};

struct gn_setup {
	__u32 pid;
	__u32 which; /* of the session's setups */
	__u64 at;    /* the site's address; BEGINS has another one */
	__u32 state; /* enum gn_setup_state */
	__u32 pad;
};

_Static_assert(sizeof(struct gn_setup) == 24, "setup");

#endif
