// SPDX-License-Identifier: BSD-2-Clause
/* Which probe made a record, and what that probe costs. */
#include "model/threads.h"

void gn_cost_take(struct gn_pipeline *p, const struct gn_rec_cost *r)
{
	struct gn_model_cost *c;

	/* classes of a later version cost nothing: nothing refers to them */
	if (r->id == GN_PROBE_NONE || r->id >= GN_PROBE_CLASS_COUNT ||
	    !r->samples)
		return;
	c = &p->costs[r->id];
	c->samples = r->samples;
	c->before_ns = r->before_ns;
	c->after_ns = r->after_ns;
	c->spread_ns = r->spread_ns;
	p->costed = true;
}

static enum gn_probe_class native_class(const struct gn_names *n,
					const struct gn_rec_func *r)
{
	uint32_t fn = gn_names_native(n, r->func);

	if (fn == GN_NONE)
		return GN_PROBE_NONE;
	return r->h.kind == GN_KIND_ENTER ? n->fns[fn].enter_class
					  : n->fns[fn].leave_class;
}

enum gn_probe_class gn_cost_class(const struct gn_pipeline *p,
				  const struct gn_rec_func *r)
{
	switch (r->h.kind) {
	case GN_KIND_ENTER:
	case GN_KIND_LEAVE:
	case GN_KIND_TAILCALL:
		if (GN_FUNC_RUNTIME(r->func) == GN_RUNTIME_NATIVE)
			return native_class(&p->stage.names, r);
		return GN_PROBE_MANAGED;
	case GN_KIND_EXIT:
	case GN_KIND_STOP:
	case GN_KIND_EXEC:
		return GN_PROBE_NONE; /* of the kernel, not of a probe */
	default:
		return GN_PROBE_MANAGED;
	}
}
