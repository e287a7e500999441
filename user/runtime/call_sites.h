/* SPDX-License-Identifier: BSD-2-Clause */
/* What the sites of hooksite/call_sites.h mean: the first rows of a runtime's
 * table. */
#ifndef GNOMON_RUNTIME_CALL_SITES_H
#define GNOMON_RUNTIME_CALL_SITES_H

#define GN_CALL_SITE(site, program, what, ...)                                 \
	{                                                                      \
		.name = "call_" site, .prog = GN_PROG_##program, .kind = what, \
		__VA_ARGS__                                                    \
	}
#define GN_CALL_EVENT(site, what) \
	GN_CALL_SITE(site, MANAGED, GN_KIND_##what, .func = 1, .frame = 2)

/* The frame key of `fast` is what is offered or taken, that of `init` whether
 * there are hooks, and that of `name` the line. */
#define GN_CALL_SITES                                                       \
	GN_CALL_EVENT("enter", ENTER), GN_CALL_EVENT("leave", LEAVE),       \
		GN_CALL_EVENT("resumed", RESUMED),                          \
		GN_CALL_EVENT("suspended", SUSPENDED),                      \
		GN_CALL_EVENT("fast", RING),                                \
		GN_CALL_EVENT("selected", SELECTED),                        \
		GN_CALL_SITE("init", MANAGED, GN_KIND_RUNTIME, .frame = 1), \
		GN_CALL_SITE("lock", MANAGED, 0, .func = 1, .frame = 2,     \
			     .flags = GN_SPEC_LOCK),                        \
		GN_CALL_SITE("name", NAME, 0, .func = 1, .frame = 6,        \
			     .text = {2, 4})

#endif
