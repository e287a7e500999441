/* SPDX-License-Identifier: BSD-2-Clause */
/* Handmade models of captures, for tests of what compares them. Include after
 * cmocka.h. */
#ifndef GNOMON_TESTS_COMPARE_RUNS_H
#define GNOMON_TESTS_COMPARE_RUNS_H

#include "model/model.h"

#define MS 1000000ULL

/* One capture: functions with calls and application time. */
struct run {
	struct gn_model m;
	struct gn_model_function f[4];
	struct gn_model_module mod[2];
	struct gn_model_thread t[2];
	struct gn_model_node node[5];
};

static inline void put(struct run *r, const char *name, const char *module,
		       uint64_t calls, uint64_t ns)
{
	struct gn_model_function *f = &r->f[r->m.nfunctions++];

	*f = (struct gn_model_function){.name = name, .module = module};
	f->v.calls = calls;
	f->v.app_excl = f->v.app_incl = ns;
	f->v.elapsed_excl = f->v.elapsed_incl = ns;
	f->v.class_excl[GN_CLASS_APP] = ns;
	r->m.session.app_incl += ns;
	r->m.session.elapsed_incl += ns;
	r->m.functions = r->f;
}

/* Captures of f, which takes `ns` each, and of g. */
static inline void repeat(struct run *runs, const uint64_t *ns, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		runs[i] = (struct run){0};
		put(&runs[i], "f", "/x/app", 10, ns[i]);
		put(&runs[i], "g", "/x/app", 1, 100 * MS);
	}
}

#endif
