/* SPDX-License-Identifier: BSD-2-Clause */
#include "runtime/sleds.h"

#include <gnomon/sleds.h>

#define SITE(site, what)                                         \
	{                                                        \
		.name = "native_" site, .prog = GN_PROG_MANAGED, \
		.kind = GN_KIND_##what, .func = 1, .frame = 2    \
	}

static const struct gn_runtime_site sites[] = {
	SITE("enter", ENTER),	       SITE("leave", LEAVE),
	SITE("tailcall", TAILCALL),    SITE("fast", RING),
	GN_SITE_LIVES("native_lives"),
};

const struct gn_runtime gn_runtime_sleds = {
	.id = GN_RUNTIME_NATIVE,
	.title = "native code with sleds",
	.provider = GN_SLEDS_PROVIDER,
	.library = GN_SLEDS_LIBRARY,
	.sites = sites,
	.nsites = sizeof(sites) / sizeof(sites[0]),
};
