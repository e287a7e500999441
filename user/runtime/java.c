/* SPDX-License-Identifier: BSD-2-Clause */
#include "runtime/java.h"

#include <gnomon/preload.h>
#include "hooksite/clr/filter.h"
#include "runtime/call_sites.h"

static const struct gn_runtime_site sites[] = {
	GN_CALL_SITES,
	GN_SITE_LIVES("java_lives"),
	{"java_own_begin", NULL, GN_PROG_MANAGED, GN_KIND_OWN_BEGIN, .func = 0},
	{"java_own_end", NULL, GN_PROG_MANAGED, GN_KIND_OWN_END, .func = 0},
};

const struct gn_runtime gn_runtime_java = {
	.id = GN_RUNTIME_JAVA,
	.title = "HotSpot JVM",
	.provider = "gnomon_java",
	.library = GN_JAVA_LIBRARY,
	.sites = sites,
	.nsites = sizeof(sites) / sizeof(sites[0]),
	.matches = gn_filter_hooks,
	.roles = &gn_hotspot_roles,
	.attached = "only threads, time classes and events of its JVM are seen",
	.attach = &gn_java_attach,
};
