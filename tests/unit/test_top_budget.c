/* SPDX-License-Identifier: BSD-2-Clause */
/* Which functions are muted to stay within a budget. */
#include <stdarg.h>
#include <setjmp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "top/budget.h"

#define MS   1000000ULL
#define ROOM 128

struct program {
	struct gn_model m;
	struct gn_model_function f[ROOM];
	char names[ROOM][16];
	/* of a running program, for a second */
	uint64_t calls[ROOM], own[ROOM];
	bool muted[ROOM];
};

/* A hit of a managed probe costs 500 ns, an emulated one 700, a single-stepped
 * one 3,000. */
static void make(struct program *p)
{
	memset(p, 0, sizeof(*p));
	p->m.functions = p->f;
	p->m.costs[GN_PROBE_MANAGED] =
		(struct gn_model_cost){1000, 300, 200, 5, 0};
	p->m.costs[GN_PROBE_EMULATED] =
		(struct gn_model_cost){1000, 400, 300, 5, 0};
	p->m.costs[GN_PROBE_STEPPED] =
		(struct gn_model_cost){1000, 1600, 1400, 5, 0};
}

static void add(struct program *p, const char *name, enum gn_runtime_id runtime,
		uint64_t calls, uint64_t own)
{
	uint32_t i = (uint32_t)p->m.nfunctions++;

	assert_true(i < ROOM);
	snprintf(p->names[i], sizeof(p->names[i]), "%s", name);
	p->f[i] = (struct gn_model_function){.index = i,
					     .name = p->names[i],
					     .module = "m",
					     .runtime = runtime};
	p->calls[i] = calls;
	p->own[i] = own;
}

/* The model of the next second. A muted function costs nothing, and its time
 * belongs to its caller: the first function. */
static void run(struct program *p)
{
	int managed = GN_PROBE_MANAGED, emulated = GN_PROBE_EMULATED;
	uint64_t cpu = 0;

	p->m.costs[managed].hits = p->m.costs[emulated].hits = 0;
	for (size_t i = 0; i < p->m.nfunctions; i++) {
		struct gn_values *v = &p->f[i].v;
		bool clr = p->f[i].runtime == GN_RUNTIME_CLR;

		p->f[i].muted = p->muted[i];
		v->calls = p->muted[i] ? 0 : p->calls[i];
		v->elapsed_excl = p->muted[i] ? 0 : p->own[i];
		if (p->muted[i])
			p->f[0].v.elapsed_excl += p->own[i];
		p->m.costs[clr ? managed : emulated].hits += 2 * v->calls;
		cpu += p->own[i];
	}
	p->m.session.class_incl[GN_CLASS_APP] = cpu;
	p->m.probe_cost = p->m.costs[managed].hits * 500 +
			  p->m.costs[emulated].hits * 700;
}

static void near(double got, double wanted)
{
	double off = got - wanted;

	if (off > 1e-6 || off < -1e-6)
		fail_msg("%f instead of %f", got, wanted);
}

static struct gn_top_budget choose(struct program *p, double budget)
{
	struct gn_top_budget_opts o = {.budget = budget};
	struct gn_top_budget b;

	assert_int_equal(gn_top_budget_choose(&p->m, &o, &b), 0);
	near(b.slowdown, gn_top_slowdown(&p->m));
	return b;
}

static void slowdown(void **state)
{
	struct program p;

	(void)state;
	make(&p);
	/* nothing ran */
	near(gn_top_slowdown(&p.m), 0);
	p.m.probe_cost = 40 * MS;
	p.m.probe_cost_left = 10 * MS;
	p.m.session.class_incl[GN_CLASS_APP] = 200 * MS;
	p.m.session.class_incl[GN_CLASS_JIT] = 1 * MS;
	p.m.session.class_incl[GN_CLASS_GC] = 2 * MS;
	p.m.session.class_incl[GN_CLASS_SYSCALL] = 3 * MS;
	p.m.session.class_incl[GN_CLASS_FAULT] = 4 * MS;
	/* time off CPUs does not count */
	p.m.session.class_incl[GN_CLASS_SLEEP] = 9000 * MS;
	p.m.session.class_incl[GN_CLASS_RUNQUEUE] = 9000 * MS;
	p.m.session.class_incl[GN_CLASS_SUSPEND] = 9000 * MS;
	p.m.session.class_incl[GN_CLASS_UNCLASSIFIED] = 9000 * MS;
	/* 50 of 210 - 10 */
	near(gn_top_slowdown(&p.m), 25);
	/* all the time on CPUs was the cost of probes */
	p.m.probe_cost_left = 210 * MS;
	near(gn_top_slowdown(&p.m), GN_TOP_SLOWDOWN_MOST);
	p.m.probe_cost_left = INT64_MAX;
	near(gn_top_slowdown(&p.m), GN_TOP_SLOWDOWN_MOST);
}

static void slowdown_raw(void **state)
{
	struct program p;

	(void)state;
	make(&p);
	p.m.raw = true;
	p.m.costs[GN_PROBE_EMULATED].hits = 10000; /* 7 ms */
	p.m.costs[GN_PROBE_STEPPED].hits = 1000;   /* 3 ms */
	p.m.session.class_incl[GN_CLASS_APP] = 110 * MS;
	near(gn_top_slowdown(&p.m), 10);
}

static void slowdown_unknown(void **state)
{
	struct gn_top_budget b;
	struct program p;

	(void)state;
	make(&p);
	add(&p, "hot", GN_RUNTIME_CLR, 1000000, 1 * MS);
	run(&p);
	/* a probe of another class is hit; its cost is unknown */
	p.m.costs[GN_PROBE_RETURN].hits = 1;
	near(gn_top_slowdown(&p.m), -1);
	b = choose(&p, 1);
	assert_int_equal(b.n, 0);
	near(b.expected, -1);
	/* records without a probe do not count */
	p.m.costs[GN_PROBE_RETURN].hits = 0;
	p.m.costs[GN_PROBE_NONE].hits = 1;
	assert_true(gn_top_slowdown(&p.m) > 0);
	/* nor do probes that are hit once per process */
	p.m.costs[GN_PROBE_FIRST].hits = 1;
	assert_true(gn_top_slowdown(&p.m) > 0);
	memset(p.m.costs, 0, sizeof(p.m.costs));
	near(gn_top_slowdown(&p.m), -1);
}

static void within_budget(void **state)
{
	struct gn_top_budget b;
	struct program p;

	(void)state;
	make(&p);
	/* 50,000 calls of 1 us in a second: 5 % */
	add(&p, "hot", GN_RUNTIME_CLR, 50000, 1000 * MS);
	run(&p);
	b = choose(&p, 5);
	near(b.slowdown, 5);
	near(b.expected, 5);
	assert_int_equal(b.n, 0);
	b = choose(&p, 4.9);
	assert_int_equal(b.n, 1);
	near(b.expected, 0);
}

/*
 * 1 s on CPUs. A call costs 1 us:
 * tiny-a: 100,000 calls of 1 us: 10 %, tiny
 * tiny-b: 40,000 calls of 5 us: 4 %, tiny
 * tiny-c: 30,000 calls of 10 us: 3 %, just tiny
 * mid: 150,000 calls of 2.5 us: 15 % (the tests change it)
 * main: 1 call with the rest
 */
static void make_worked(struct program *p)
{
	make(p);
	add(p, "main", GN_RUNTIME_CLR, 0, 25 * MS);
	add(p, "tiny-c", GN_RUNTIME_CLR, 30000, 300 * MS);
	add(p, "tiny-a", GN_RUNTIME_CLR, 100000, 100 * MS);
	add(p, "tiny-b", GN_RUNTIME_CLR, 40000, 200 * MS);
	add(p, "mid", GN_RUNTIME_CLR, 150000, 375 * MS);
}

static void most_saved_first(void **state)
{
	struct gn_top_budget b;
	struct program p;

	(void)state;
	make_worked(&p);
	run(&p);
	/* 32 %, to 80 % of 20 %: without mid's 15 %, 17 remain, so tiny-a is
	 * muted, too */
	b = choose(&p, 20);
	near(b.slowdown, 32);
	assert_int_equal(b.n, 2);
	assert_int_equal(b.function[0], 4);
	assert_int_equal(b.function[1], 2);
	near(b.expected, 7);
	/* to 80 % of 22 %: muting only mid leaves 17 */
	b = choose(&p, 22);
	assert_int_equal(b.n, 1);
	near(b.expected, 17);
}

static void tiny_first(void **state)
{
	struct gn_top_budget b;
	struct program p;

	(void)state;
	make_worked(&p);
	/* 20 us per call: muting it saves most, but it is worth seeing */
	p.own[4] = 3000 * MS;
	p.own[0] = 400 * MS;
	run(&p); /* 4 s on CPUs: 8 % */
	b = choose(&p, 7);
	near(b.slowdown, 8);
	/* to 5.6 %: tiny-a removes 2.5 */
	assert_int_equal(b.n, 1);
	assert_int_equal(b.function[0], 2);
	near(b.expected, 5.5);
	/* to 0.8 %: mid, too, because all tiny functions are not enough */
	b = choose(&p, 1);
	assert_int_equal(b.n, 4);
	assert_int_equal(b.function[0], 2);
	assert_int_equal(b.function[1], 3);
	assert_int_equal(b.function[2], 1);
	assert_int_equal(b.function[3], 4);
	near(b.expected, 0);
	/* a waiting function is not tiny, however short it runs */
	make_worked(&p);
	run(&p);
	p.f[2].v.elapsed_excl = 100000 * 11000;
	b = choose(&p, 1);
	assert_int_equal(b.function[b.n - 1], 2);
}

/* A native pair costs twice the mean of a native hit. */
static void native_pairs(void **state)
{
	struct gn_top_budget b;
	struct program p;

	(void)state;
	make(&p);
	add(&p, "clr", GN_RUNTIME_CLR, 10000, 100 * MS);
	add(&p, "native", GN_RUNTIME_NATIVE, 8000, 800 * MS);
	run(&p);
	p.m.costs[GN_PROBE_EMULATED].hits = 8000;
	p.m.costs[GN_PROBE_STEPPED].hits = 8000;
	p.m.session.class_incl[GN_CLASS_APP] = 1000 * MS;
	/* 10 ms, and 8000 x (700 + 3000) ns = 29.6 ms */
	p.m.probe_cost = 39600000;
	b = choose(&p, 3);
	near(b.slowdown, 3.96);
	/* clr is tiny: 10 us per call, 1 us per pair. native is not: 100 us per
	 * call, 3.7 us per pair. Without clr 2.96 % remain, more than 80 % of 3
	 * % */
	assert_int_equal(b.n, 2);
	assert_int_equal(b.function[0], 0);
	assert_int_equal(b.function[1], 1);
	near(b.expected, 0);
	/* the first hit of a process is not part of a pair */
	p.m.costs[GN_PROBE_FIRST] = (struct gn_model_cost){
		.hits = 8000, .samples = 8, .after_ns = 1000000};
	assert_int_equal(choose(&p, 3).function[0], 0);
}

static void nothing_to_save(void **state)
{
	struct gn_top_budget b;
	struct program p;

	(void)state;
	make(&p);
	add(&p, "never", GN_RUNTIME_CLR, 0, 500 * MS);
	add(&p, "rare", GN_RUNTIME_CLR, 1, 500 * MS);
	run(&p);
	/* 100 ms for probes that belong to no function: compilations */
	p.m.probe_cost += 100 * MS;
	b = choose(&p, 5);
	near(b.slowdown, 10.0001);
	/* muting `rare` would remove 1 us of 100 ms */
	assert_int_equal(b.n, 0);
	near(b.expected, 10.0001);
}

/*
 * Almost only probes ran. A call costs 1 us, so of 1 s of probes:
 * hot: 985,000 calls: 98.5 %
 * some: 10,000 calls: 1 %, just worth it
 * few: 4,990 calls: 0.499 %
 * once: 10 calls: 0.001 %
 */
static void make_saturated(struct program *p)
{
	make(p);
	add(p, "once", GN_RUNTIME_CLR, 10, 0);
	add(p, "few", GN_RUNTIME_CLR, 4990, 0);
	add(p, "some", GN_RUNTIME_CLR, 10000, 0);
	add(p, "hot", GN_RUNTIME_CLR, 985000, 0);
}

static void rare_is_let_be(void **state)
{
	struct gn_top_budget b;
	struct program p;

	(void)state;
	make_saturated(&p);
	run(&p);
	b = choose(&p, 5);
	near(b.slowdown, GN_TOP_SLOWDOWN_MOST);
	assert_int_equal(b.n, 2);
	assert_int_equal(b.function[0], 3);
	assert_int_equal(b.function[1], 2);
	near(b.expected, GN_TOP_SLOWDOWN_MOST);
	/* nor beside a muted function that was called before the muting took
	 * effect */
	p.f[3].muted = p.f[2].muted = true;
	b = choose(&p, 5);
	assert_int_equal(b.n, 0);
	/* hot is muted, and the program makes progress: 15 ms of 1 s, 1.5 % */
	p.muted[3] = true;
	p.own[1] = 1000 * MS;
	run(&p);
	b = choose(&p, 5);
	near(b.slowdown, 1.5);
	assert_int_equal(b.n, 0);
	/* of those 15 ms, few has a third: now it matters. To 0.008 %: without
	 * some 0.5 % remain, without few 0.001 % */
	b = choose(&p, 0.01);
	assert_int_equal(b.n, 2);
	assert_int_equal(b.function[0], 2);
	assert_int_equal(b.function[1], 1);
	near(b.expected, 0.001);
}

/* The cost is spread over many functions, each with less than one per cent. */
static void many_small(void **state)
{
	struct gn_top_budget b;
	struct program p;
	char name[16];

	(void)state;
	make(&p);
	add(&p, "main", GN_RUNTIME_CLR, 1, 500 * MS);
	for (int i = 0; i < 120; i++) {
		snprintf(name, sizeof(name), "f%03d", i);
		add(&p, name, GN_RUNTIME_CLR, i < 20 ? 10000 : 4999, 4 * MS);
	}
	run(&p);
	/* 200 + 499.9 ms and 1 us are 71.4 % of 980 ms; f000 is 1.4 % of it */
	b = choose(&p, 5);
	assert_int_equal(b.n, 20);
	for (uint32_t i = 0; i < b.n; i++)
		assert_int_equal(b.function[i], 1 + i);
	/* with 310 ms of no function, f000 has 10 of 1009.9 ms: none has one
	 * per cent, and the best is twice as good as the rest */
	p.m.probe_cost += 310 * MS;
	b = choose(&p, 5);
	assert_int_equal(b.n, 20);
	assert_int_equal(b.function[0], 1);
	assert_int_equal(b.function[19], 20);
	/* all of them together have less than one per cent */
	p.m.probe_cost = 70000 * MS;
	b = choose(&p, 5);
	assert_int_equal(b.n, 0);
}

static bool keep_mid(void *ctx, const struct gn_model_function *f)
{
	++*(int *)ctx;
	return !strcmp(f->name, "mid");
}

static void kept(void **state)
{
	int asked = 0;
	struct gn_top_budget_opts o = {
		.budget = 20, .keep = keep_mid, .ctx = &asked};
	struct gn_top_budget b;
	struct program p;

	(void)state;
	make_worked(&p);
	run(&p);
	assert_int_equal(gn_top_budget_choose(&p.m, &o, &b), 0);
	assert_true(asked > 0);
	/* 32 - 10 - 4 - 3 = 15 %, below 16 */
	assert_int_equal(b.n, 3);
	assert_int_equal(b.function[0], 2);
	near(b.expected, 15);
}

/* The period of a muting still has calls of the function: they do not mute
 * more. */
static void already_muted(void **state)
{
	struct gn_top_budget b;
	struct program p;

	(void)state;
	make_worked(&p);
	run(&p);
	p.f[4].muted = true;
	b = choose(&p, 22);
	near(b.slowdown, 32);
	near(b.expected, 17);
	assert_int_equal(b.n, 0);
	/* and a muted function is not chosen again */
	b = choose(&p, 1);
	assert_int_equal(b.n, 3);
	for (uint32_t i = 0; i < b.n; i++)
		assert_int_not_equal(b.function[i], 4);
}

/* As above, but most of its hits, or all, have no calls. */
static void hits_of_muted(void **state)
{
	struct gn_top_budget_opts o = {.budget = 10, .muted = true};
	struct gn_top_budget b;
	struct program p;

	(void)state;
	make(&p);
	add(&p, "batch", GN_RUNTIME_NATIVE, 5000, 200 * MS);
	add(&p, "tiny", GN_RUNTIME_NATIVE, 20000, 0);
	run(&p);
	p.f[1].muted = true;
	/* hits of 100,000 more calls than reported: 125,000 pairs of 1.4 us are
	 * 175 ms */
	p.m.costs[GN_PROBE_EMULATED].hits += 200000;
	p.m.probe_cost += 140 * MS;
	b = choose(&p, 10);
	near(b.slowdown, 87.5);
	/* the other 5,000: 7 ms of 200 */
	near(b.expected, 3.5);
	assert_int_equal(b.n, 0);
	p.f[1].v.calls = 0;
	assert_int_equal(gn_top_budget_choose(&p.m, &o, &b), 0);
	near(b.expected, 3.5);
	assert_int_equal(b.n, 0);
	/* what stays exceeds the budget: at once */
	o.budget = 3;
	assert_int_equal(gn_top_budget_choose(&p.m, &o, &b), 0);
	assert_int_equal(b.n, 1);
	near(b.expected, 0);
}

static void mute(struct program *p, const struct gn_top_budget *b)
{
	for (uint32_t i = 0; i < b->n; i++) {
		assert_false(p->muted[b->function[i]]);
		p->muted[b->function[i]] = true;
	}
}

/* Period by period until it is within the budget, and then never again. */
static void settles(void **state)
{
	struct gn_top_budget b;
	struct program p;
	char name[16];
	int periods = 0;

	(void)state;
	make(&p);
	add(&p, "main", GN_RUNTIME_CLR, 1, 500 * MS);
	for (uint64_t i = 0; i < 100; i++) {
		snprintf(name, sizeof(name), "f%d", (int)i);
		add(&p, name, GN_RUNTIME_CLR, 10000 + i * 10, 5 * MS);
	}
	/* 105 % of a second on CPUs: each of the hundred about one */
	for (;; periods++) {
		run(&p);
		b = choose(&p, 5);
		if (b.slowdown <= 5)
			break;
		assert_true(b.n > 0);
		mute(&p, &b);
	}
	/* 96 are muted, 32 per period: those called least remain */
	assert_int_equal(periods, 3);
	near(b.slowdown, 4.0061);
	for (int i = 0; i < 10; i++) {
		/* small changes of all numbers do not change the choice */
		for (int k = 1; k <= 100; k++)
			p.calls[k] = p.calls[k] * (i % 2 ? 100 : 110) / 105;
		run(&p);
		b = choose(&p, 5);
		assert_int_equal(b.n, 0);
	}
	assert_false(p.muted[0]);
}

/* The same choice in any order of the model's functions. */
static void by_values_only(void **state)
{
	static struct program p, q;
	struct gn_top_budget a, b;
	char name[16];

	(void)state;
	make(&p);
	for (int i = 0; i < 40; i++) {
		snprintf(name, sizeof(name), "f%02d", i * 7 % 40);
		add(&p, name, GN_RUNTIME_CLR, 10000, 5 * MS);
	}
	run(&p);
	make(&q);
	for (int i = 39; i >= 0; i--)
		add(&q, p.names[i], GN_RUNTIME_CLR, 10000, 5 * MS);
	run(&q);
	a = choose(&p, 1);
	b = choose(&q, 1);
	assert_int_equal(a.n, GN_TOP_BUDGET_MOST);
	assert_int_equal(b.n, a.n);
	for (uint32_t i = 0; i < a.n; i++) {
		snprintf(name, sizeof(name), "f%02d", (int)i);
		assert_string_equal(p.names[a.function[i]], name);
		assert_string_equal(q.names[b.function[i]], name);
	}
}

static void hostile(void **state)
{
	struct gn_top_budget b;
	struct program p;

	(void)state;
	make_worked(&p);
	run(&p);
	for (int i = 0; i < 5; i++) {
		p.f[i].v.calls = UINT64_MAX;
		p.f[i].v.elapsed_excl = UINT64_MAX;
		p.f[i].muted = i == 3;
	}
	for (int c = 0; c < GN_CLASS_COUNT; c++)
		p.m.session.class_incl[c] = UINT64_MAX;
	p.m.probe_cost = p.m.probe_cost_left = INT64_MAX;
	for (int c = 0; c < GN_PROBE_CLASS_COUNT; c++)
		p.m.costs[c] = (struct gn_model_cost){1, UINT32_MAX, UINT32_MAX,
						      0, UINT64_MAX};
	b = choose(&p, 1e-9);
	assert_true(b.n <= 5);
	p.m.nfunctions = 0;
	b = choose(&p, 1e-9);
	assert_int_equal(b.n, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(slowdown),
		cmocka_unit_test(slowdown_raw),
		cmocka_unit_test(slowdown_unknown),
		cmocka_unit_test(within_budget),
		cmocka_unit_test(most_saved_first),
		cmocka_unit_test(tiny_first),
		cmocka_unit_test(native_pairs),
		cmocka_unit_test(nothing_to_save),
		cmocka_unit_test(rare_is_let_be),
		cmocka_unit_test(many_small),
		cmocka_unit_test(kept),
		cmocka_unit_test(already_muted),
		cmocka_unit_test(hits_of_muted),
		cmocka_unit_test(settles),
		cmocka_unit_test(by_values_only),
		cmocka_unit_test(hostile),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
