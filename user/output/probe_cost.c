/* SPDX-License-Identifier: BSD-2-Clause */
/* Reports what probes cost, and how much of it was subtracted. */
#include <inttypes.h>

#include "output/header.h"
#include "output/text.h"

const char *gn_probe_class_text(int class)
{
	static const char *const texts[] = {
#define TEXT(name, value, text) [GN_PROBE_##name] = text,
		GN_PROBE_CLASS_LIST(TEXT)
#undef TEXT
	};

	return texts[class];
}

bool gn_probe_cost_known(const struct gn_model *m)
{
	for (int c = 0; c < GN_PROBE_CLASS_COUNT; c++) {
		if (m->costs[c].samples)
			return true;
	}
	return false;
}

static bool any_hits(const struct gn_model *m)
{
	for (int c = GN_PROBE_NONE + 1; c < GN_PROBE_CLASS_COUNT; c++) {
		if (m->costs[c].hits)
			return true;
	}
	return false;
}

/* Prints the classes in use: "emulated 681 +- 5 ns, return not measured". */
static void put_costs(const struct gn_model *m, FILE *f)
{
	const char *between = "";
	char sum[GN_CELL], spread[GN_CELL];

	for (int c = 0; c < GN_PROBE_CLASS_COUNT; c++) {
		const struct gn_model_cost *cost = &m->costs[c];

		if (c == GN_PROBE_NONE || !cost->hits)
			continue;
		fprintf(f, "%s%s ", between, gn_probe_class_text(c));
		between = ", ";
		if (!cost->samples) {
			fputs("not measured", f);
			continue;
		}
		gn_format_count(sum,
				(uint64_t)cost->before_ns + cost->after_ns);
		gn_format_count(spread, cost->spread_ns);
		fprintf(f, "%s +- %s ns", sum, spread);
	}
}

void gn_header_probe_cost(const struct gn_model *m,
			  const struct gn_output_opts *o, FILE *f)
{
	char taken[GN_CELL], of[GN_CELL];
	uint64_t whole;

	if (!any_hits(m) && !m->nfunctions)
		return;
	if (!gn_probe_cost_known(m)) {
		fprintf(f, "# %-11s not measured, so it is in the times\n",
			"probe cost");
		return;
	}
	fprintf(f, "# %-11s ", "probe cost");
	if (!any_hits(m)) {
		fputs("no probe was hit\n", f);
		return;
	}
	put_costs(m, f);
	if (m->raw) {
		fputs("; left in (--raw)\n", f);
		return;
	}
	if (__builtin_add_overflow(m->session.elapsed_incl, m->probe_cost,
				   &whole))
		whole = UINT64_MAX;
	gn_format_duration(taken, m->probe_cost, o->ns);
	gn_format_duration(of, whole, o->ns);
	fprintf(f, "\n# %-11s %s taken out of %s", "", taken, of);
	if (m->hook_waited) {
		gn_format_duration(taken, m->hook_waited, o->ns);
		fprintf(f, ", %s of it waiting for room", taken);
	}
	if (m->own_work) {
		gn_format_duration(taken, m->own_work, o->ns);
		fprintf(f, ", %s of it gnomon's work in the process", taken);
	}
	if (m->probe_cost_left > 0) {
		gn_format_duration(taken, (uint64_t)m->probe_cost_left, o->ns);
		fprintf(f,
			"; %s could not be taken out (functions shorter than "
			"their probes)",
			taken);
	}
	fputc('\n', f);
	if (!m->session.error_incl)
		return;
	gn_format_duration(taken, m->session.error_incl, o->ns);
	fprintf(f,
		"# %-11s all times together can be wrong by %s because of it; "
		"~: by more than a tenth\n",
		"", taken);
}

/* Prints how long programs waited for gnomon before they began. */
void gn_header_gate(const struct gn_model *m, const struct gn_output_opts *o,
		    FILE *f)
{
	uint64_t ns = 0, count = 0;
	char time[GN_CELL];

	for (size_t i = 0; i < m->nwaits; i++) {
		const struct gn_model_wait *w = &m->waits[i];

		if (w->polled == GN_POLLED_GNOMON) {
			ns += w->ns;
			count += w->count;
		}
	}
	if (!ns)
		return;
	gn_format_duration(time, ns, o->ns);
	fprintf(f, "# %-11s %s of poll, ", "for gnomon", time);
	gn_put_counted(f, count, "time", "times");
	fputs(": programs began only when gnomon had looked at them\n", f);
}
