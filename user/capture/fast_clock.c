/* SPDX-License-Identifier: BSD-2-Clause */
#include "capture/fast_clock.h"

#include <cpuid.h>
#include <stddef.h>
#include <string.h>

#include "capture/clock.h"
#include "capture/clocks.h"

#define CPUS_MAX 1024
#define TRIES	 6
#define ROUNDS	 10	  /* of TRIES each, while all are disturbed */
#define NEAR_NS	 1000000u /* nearer to the one before, a moment is replaced */
#define RATE_NS	 100000000u
#define GOOD_NS	 200u /* between two readings that nothing disturbed */

/* Whether the counter's rate is the same in all states of the processor. */
static bool is_invariant(void)
{
	unsigned int a, b, c, d;

	return __get_cpuid(0x80000007, &a, &b, &c, &d) && d & 1u << 8;
}

/* Moments on the CPUs in turn, then on the first one again. */
struct moments {
	struct gn_fast_moment of[CPUS_MAX + 1];
	size_t n;
	bool disturbed; /* one of them is too inexact */
	bool last;	/* the first CPU's second moment is there */
};

static void take_moment(struct moments *all)
{
	struct gn_fast_moment m = gn_fast_moment_now();

	all->disturbed |= m.apart > GOOD_NS;
	all->of[all->n++] = m;
}

static void look(void *ctx, int cpu)
{
	struct moments *all = ctx;

	(void)cpu;
	if (all->n < CPUS_MAX)
		take_moment(all);
}

static void look_again(void *ctx, int cpu)
{
	struct moments *all = ctx;

	(void)cpu;
	if (!all->last) {
		take_moment(all);
		all->last = true;
	}
}

static bool counters_agree(void)
{
	struct moments all = {.n = 0};

	return gn_clocks_each_cpu(look, &all) &&
	       gn_clocks_each_cpu(look_again, &all) && !all.disturbed &&
	       gn_fast_moments_agree(all.of, all.n);
}

const char *gn_fast_clock_unfit(void)
{
	char source[64];

	if (!is_invariant())
		return "the processor's time-stamp counter is not invariant";
	if (!gn_clock_source(source, sizeof(source)) ||
	    !gn_clock_source_steady(source))
		return "the kernel's clock source is not the time-stamp "
		       "counter";
	/* the kernel compares the CPUs' counters before it chooses the TSC */
	if (strcmp(source, "tsc") != 0 && !counters_agree())
		return "the processors' time-stamp counters are not the same";
	return NULL;
}

uint64_t gn_fast_ticks(void)
{
	return __builtin_ia32_rdtsc();
}

void gn_fast_moment_try(struct gn_fast_tries *t, uint64_t a, uint64_t ns,
			uint64_t b)
{
	if (!t->least || b - a < t->least) {
		t->least = b - a;
		t->best.ticks = a + (b - a) / 2;
		t->best.ns = ns;
	}
	t->best.apart = 1000;
	if (ns > t->ns && a > t->ticks)
		t->best.apart =
			(uint32_t)(t->least * (ns - t->ns) / (a - t->ticks));
}

static struct gn_fast_moment try_some(void)
{
	struct gn_fast_tries t = {.ns = gn_now_ns()};

	t.ticks = gn_fast_ticks();
	for (int i = 0; i < TRIES; i++) {
		uint64_t a = gn_fast_ticks(), ns = gn_now_ns();

		gn_fast_moment_try(&t, a, ns, gn_fast_ticks());
	}
	return t.best;
}

struct gn_fast_moment gn_fast_moment_now(void)
{
	struct gn_fast_moment best = try_some();

	for (int i = 1; i < ROUNDS && best.apart > GOOD_NS; i++) {
		struct gn_fast_moment m = try_some();

		if (m.apart < best.apart)
			best = m;
	}
	return best;
}

static const struct gn_fast_moment *moment(const struct gn_fast_clock *c,
					   uint64_t i)
{
	return &c->at[i % GN_FAST_MOMENTS];
}

static double slope_of(const struct gn_fast_moment *a,
		       const struct gn_fast_moment *b)
{
	return (double)(b->ns - a->ns) / (double)(b->ticks - a->ticks);
}

bool gn_fast_moments_agree(const struct gn_fast_moment *m, size_t n)
{
	const struct gn_fast_moment *z;

	if (n < 2)
		return false;
	z = &m[n - 1];
	if (z->ticks <= m->ticks || z->ns <= m->ns)
		return false;
	for (size_t i = 1; i < n - 1; i++) {
		double ticks = (double)(int64_t)(m[i].ticks - m->ticks);
		double off = (double)(int64_t)(m[i].ns - m->ns) -
			     slope_of(m, z) * ticks;
		double most = (double)m->apart + m[i].apart + z->apart;

		if (off > most || off < -most)
			return false;
	}
	return true;
}

static void note_off(struct gn_fast_clock *c, double ns)
{
	double off = ns < 0 ? -ns : ns;

	if (off > c->off)
		c->off = off > 1e9 ? 1000000000u : (uint32_t)(off + 1);
}

/* Notes how far the middle one of the last three moments is off the line of its
 * neighbours. */
static void check_middle(struct gn_fast_clock *c)
{
	const struct gn_fast_moment *a = moment(c, c->n - 3);
	const struct gn_fast_moment *b = moment(c, c->n - 2);
	const struct gn_fast_moment *z = moment(c, c->n - 1);
	double at = slope_of(a, z) * (double)(b->ticks - a->ticks);

	note_off(c, (double)(b->ns - a->ns) - at);
}

/* Takes the rate over stretches that are long enough, and notes its largest
 * change. */
static void check_rate(struct gn_fast_clock *c, const struct gn_fast_moment *m)
{
	double rate, change;

	if (c->since.ns && m->ns - c->since.ns < RATE_NS)
		return;
	if (c->since.ns) {
		rate = slope_of(&c->since, m);
		change = c->first == 0 ? 0 : rate / c->first - 1;
		change = change < 0 ? -change : change;
		if (c->first == 0)
			c->first = rate;
		if (change > c->drift)
			c->drift = change;
	}
	c->since = *m;
}

void gn_fast_clock_add(struct gn_fast_clock *c, const struct gn_fast_moment *m)
{
	const struct gn_fast_moment *last = c->n ? moment(c, c->n - 1) : NULL;
	bool near = c->n > 1 && last->ns - moment(c, c->n - 2)->ns < NEAR_NS;

	if (last && m->ticks <= last->ticks && m->ns > last->ns)
		note_off(c, (double)(m->ns - last->ns));
	if (last && (m->ticks <= last->ticks || m->ns <= last->ns))
		return;
	c->from = c->to = 0;
	if (near) {
		if (m->apart > c->apart)
			c->apart = m->apart;
		c->at[(c->n - 1) % GN_FAST_MOMENTS] = *m;
		return;
	}
	check_rate(c, m);
	if (m->apart > c->apart)
		c->apart = m->apart;
	c->at[c->n++ % GN_FAST_MOMENTS] = *m;
	if (c->n > 3)
		check_middle(c);
}

/* Finds the line between two moments that applies to `ticks`. */
static void find_line(struct gn_fast_clock *c, uint64_t ticks)
{
	uint64_t oldest = c->n > GN_FAST_MOMENTS ? c->n - GN_FAST_MOMENTS : 0;
	uint64_t i = c->n - 1;
	const struct gn_fast_moment *a, *b;

	while (i > oldest + 1 && moment(c, i - 1)->ticks > ticks)
		i--;
	a = moment(c, i - 1);
	b = moment(c, i);
	c->from = i - 1 == oldest ? 0 : a->ticks;
	c->to = i == c->n - 1 ? UINT64_MAX : b->ticks;
	c->base = a->ticks;
	c->slope = slope_of(a, b);
	c->base_ns = a->ns;
}

uint64_t gn_fast_clock_ns(struct gn_fast_clock *c, uint64_t ticks)
{
	if (c->n < 2)
		return 0;
	if (ticks < c->from || ticks >= c->to)
		find_line(c, ticks);
	if (ticks < c->base) {
		double before = c->slope * (double)(c->base - ticks);

		return before < (double)c->base_ns
			       ? c->base_ns - (uint64_t)before
			       : 0;
	}
	return c->base_ns + (uint64_t)(c->slope * (double)(ticks - c->base));
}

uint32_t gn_fast_clock_bound(const struct gn_fast_clock *c)
{
	return (c->apart + 1) / 2 + c->off;
}

uint64_t gn_fast_clock_ticks(const struct gn_fast_clock *c, uint64_t ns)
{
	const struct gn_fast_moment *a, *z;

	if (c->n < 2)
		return ns * 4; /* the rate is not known yet: assume 4 GHz */
	a = moment(c, c->n > GN_FAST_MOMENTS ? c->n - GN_FAST_MOMENTS : 0);
	z = moment(c, c->n - 1);
	return (uint64_t)((double)ns / slope_of(a, z));
}
