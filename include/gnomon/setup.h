/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A runtime that begins in a traced process, to whose options user space then
 * writes. It is told of by a ring of its own, which is always nearly empty: the
 * time that there is for it is a few milliseconds.
 */
#ifndef GNOMON_SETUP_H
#define GNOMON_SETUP_H

#include <gnomon/types.h>

/* How long a runtime waits for its options where it will read them. */
#define GN_SETUP_WAIT_NS 20000000u

enum gn_setup_state {
	GN_SETUP_BEGINS, /* its file is mapped, and nothing of it ran */
	GN_SETUP_WAITS,	 /* it has read its options, and was not reached yet */
	GN_SETUP_LATE,	 /* it waits no longer: it goes on without */
};

struct gn_setup {
	__u32 pid;
	__u32 which; /* of the session's setups */
	__u64 at;    /* the site's address: BEGINS has another than the rest */
	__u32 state; /* enum gn_setup_state */
	__u32 pad;
};

_Static_assert(sizeof(struct gn_setup) == 24, "setup");

#endif
