/* SPDX-License-Identifier: BSD-2-Clause */
/* Runtimes that are installed, and what gnomon has for each. */
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "process/target.h"
#include "cmd/doctor.h"
#include "runtime/runtime.h"

static const char group[] = "runtimes";

/* A runtime, and how many of its installations were found. */
struct places {
	struct gn_checkup *c;
	const struct gn_runtime *runtime;
	size_t found;
};

static int found(void *ctx, const char *root, const char *version)
{
	struct places *p = ctx;

	gn_finding_add(p->c, group, "runtime", p->runtime->title, GN_FOUND_OK,
		       NULL, "%s%sin %s", version, *version ? " " : "", root);
	p->found++;
	return 0;
}

static void check_installed(struct gn_checkup *c, const struct gn_runtime *rt,
			    const char *home)
{
	struct places p = {.c = c, .runtime = rt};

	if (rt->find && rt->find(home, found, &p))
		c->no_memory = true;
	if (!p.found)
		gn_finding_add(c, group, "runtime", rt->title, GN_FOUND_ABSENT,
			       rt->get, "not found in the usual places");
}

static void check_library(struct gn_checkup *c, const struct gn_runtime *rt)
{
	static const char get[] = "install gnomon again (cmake --install); "
				  "native programs go without it";
	static const char title[] = "  hook-site library";
	struct gn_probes probes = {0};
	struct gn_specs specs = {0};
	char path[PATH_MAX];
	int err = gn_runtime_library(rt, false, path, sizeof(path));

	if (err) {
		gn_finding_add(c, group, "library", title, GN_FOUND_ABSENT, get,
			       "%s: %s", rt->library, strerror(-err));
		return;
	}
	err = gn_runtime_probes(rt, path, 0, GN_FAMILIES_ALL, &specs, &probes);
	gn_specs_free(&specs);
	gn_probes_free(&probes);
	if (err)
		gn_finding_add(c, group, "library", title, GN_FOUND_ABSENT, get,
			       "%s: its hook sites cannot be read (%s)", path,
			       strerror(-err));
	else
		gn_finding_add(c, group, "library", title, GN_FOUND_OK, NULL,
			       "%s, %zu sites used", path, rt->nsites);
}

void gn_checkup_runtimes(struct gn_checkup *c)
{
	const struct gn_runtime *rt;
	struct gn_user user;
	/* whose programs are traced */
	const char *home = !gn_user_find(&user, NULL) && user.home[0]
				   ? user.home
				   : getenv("HOME");

	for (size_t i = 0; (rt = gn_runtime_at(i)); i++) {
		check_installed(c, rt, home);
		if (rt->library || rt->methods)
			check_library(c, rt->library ? rt : rt->methods);
		for (const char *const *l = rt->limits; l && *l; l++)
			gn_finding_add(c, group, "limit", "  limit",
				       GN_FOUND_OK, NULL, "%s", *l);
	}
}
