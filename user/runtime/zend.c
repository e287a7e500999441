/* SPDX-License-Identifier: BSD-2-Clause */
/* PHP without threads, by the hook that a preloaded library puts in front of
 * the engine's function which runs code. */
#include <gnomon/preload.h>

#include "hooksite/clr/filter.h"
#include "runtime/call_sites.h"
#include "runtime/php.h"
#include "runtime/runtime.h"

static const struct gn_runtime_site sites[] = {
	GN_CALL_SITES,
};

const struct gn_runtime gn_runtime_zend = {
	.id = GN_RUNTIME_ZEND,
	.title = "PHP engine",
	.provider = "gnomon_php",
	.library = GN_PHP_LIBRARY,
	.sites = sites,
	.nsites = sizeof(sites) / sizeof(sites[0]),
	.matches = gn_filter_hooks,
};
