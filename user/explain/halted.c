/* SPDX-License-Identifier: BSD-2-Clause */
/* The rule about threads that something outside of the program stopped. */
#include "explain/rules.h"
#include "output/text.h"

static uint64_t halted_by(const struct gn_model *m, enum gn_halt halt)
{
	uint64_t ns = 0;

	for (size_t i = 0; i < m->nwaits; i++)
		if (m->waits[i].halt == halt)
			ns += m->waits[i].ns;
	return ns;
}

uint64_t gn_halted_ns(const struct gn_model *m, enum gn_halt *most)
{
	uint64_t sum = 0, best = 0;

	*most = GN_HALT_NONE;
	for (int h = GN_HALT_NONE + 1; h < GN_HALT_COUNT; h++) {
		uint64_t ns = halted_by(m, (enum gn_halt)h);

		sum += ns;
		if (ns > best)
			*most = (enum gn_halt)h;
		best = ns > best ? ns : best;
	}
	return sum;
}

int gn_look_halted(const struct gn_facts *f, struct gn_subject *s)
{
	s->ns = f->halted;
	s->whole = f->m->session.elapsed_incl;
	s->share = gn_share(s->ns, s->whole);
	return 0;
}

void gn_say_halted(const struct gn_facts *f, const struct gn_subject *s,
		   FILE *out)
{
	static const char *const by[GN_HALT_COUNT] = {
		[GN_HALT_SIGNAL] =
			"by a signal (kill -STOP, Ctrl-Z, or a "
			"terminal that a job in the background uses)",
		[GN_HALT_DEBUGGER] = "by a debugger, strace or the like",
		[GN_HALT_FREEZER] = "with their control group (a paused "
				    "container), or with the machine",
	};

	fputs("The program was stopped from outside: its threads for ", out);
	gn_put_ns(out, s->ns);
	fputs(", ", out);
	gn_put_pct(out, s->ns, s->whole);
	fprintf(out,
		" of their time, most of it %s. Elapsed times include this, "
		"application times do not.",
		by[f->halted_by]);
}

void gn_next_halted(const struct gn_facts *f, const struct gn_subject *s,
		    FILE *out)
{
	(void)f;
	(void)s;
	fputs("--by thread --sort other --limit 10", out);
}
