/* SPDX-License-Identifier: BSD-2-Clause */
#include "runtime/preload.h"

#include <gnomon/preload.h>
#include "hooksite/preload/program.h"
#include "runtime/runtime.h"

static const struct gn_runtime_site sites[] = {
	{.name = "preload_selected",
	 .prog = GN_PROG_MANAGED,
	 .kind = GN_KIND_SELECTED,
	 .func = 1,
	 .frame = 2},
	GN_SITE_LIVES("preload_lives"),
};

const struct gn_runtime gn_runtime_preload = {
	.id = GN_RUNTIME_NATIVE,
	.title = "programs that start interpreters",
	.provider = GN_PRELOAD_PROVIDER,
	.library = GN_PRELOAD_LIBRARY,
	.sites = sites,
	.nsites = sizeof(sites) / sizeof(sites[0]),
};

const char gn_preload_privileged[] = "the program gets privileges";

const char *gn_preload_unfit(const char *program, uid_t uid)
{
	static const char *const why[] = {
		[GN_PROGRAM_FITS] = NULL,
		[GN_PROGRAM_FOREIGN] = "the program is static, or uses another "
				       "C library than this machine",
		[GN_PROGRAM_PRIVILEGED] = gn_preload_privileged,
		[GN_PROGRAM_SANITIZED] = "the program has a sanitizer",
		[GN_PROGRAM_ALONE] = NULL,
	};

	return why[gn_program_fit(program, uid)];
}
