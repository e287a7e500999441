// SPDX-License-Identifier: BSD-2-Clause
/* The whole-process proof, on compiled programs and the libraries they map. */
#include <link.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "site/site_internal.h"

#define FILES 8

/* A program with libc and the dynamic linker, as in a process. */
struct world {
	struct gn_elf *files[FILES];
	size_t n;
	struct gn_planner *planner;
};

static void add_file(struct world *w, const char *path)
{
	assert_true(w->n < FILES);
	assert_int_equal(gn_elf_open(path, &w->files[w->n]), 0);
	assert_int_equal(gn_planner_scan(w->planner, &w->files[w->n], 1), 0);
	w->n++;
}

static int add_libc(struct dl_phdr_info *info, size_t size, void *arg)
{
	(void)size;
	if (strstr(info->dlpi_name, "/libc.so.6") ||
	    strstr(info->dlpi_name, "/ld-linux"))
		add_file(arg, info->dlpi_name);
	return 0;
}

static void setup(struct world *w, enum gn_leave_mode wanted, const char *path)
{
	*w = (struct world){.planner = gn_planner_new(wanted)};
	assert_non_null(w->planner);
	add_file(w, path);
	dl_iterate_phdr(add_libc, w);
	assert_true(w->n >= 2);
}

static void teardown(struct world *w)
{
	gn_planner_free(w->planner);
	while (w->n--)
		gn_elf_close(w->files[w->n]);
}

static struct gn_plan plan_any(struct world *w, const char *name)
{
	const struct gn_elf_symbol *all;
	size_t n = gn_elf_symbols(w->files[0], &all);
	struct gn_plan plan = {0};

	for (size_t i = 0; i < n; i++) {
		if (strcmp(all[i].name, name))
			continue;
		assert_int_equal(gn_planner_plan(w->planner, w->files[0],
						 &all[i], &plan),
				 0);
		return plan;
	}
	fail_msg("no symbol %s", name);
	return plan;
}

/* The plan of a function of the program. */
static struct gn_plan plan(struct world *w, const char *name)
{
	struct gn_plan plan = plan_any(w, name);

	if (plan.refused)
		fail_msg("%s: %s", name, plan.refused);
	return plan;
}

static void verdict_has(struct world *w, const char *piece)
{
	if (!strstr(gn_planner_verdict(w->planner), piece))
		fail_msg("verdict: %s", gn_planner_verdict(w->planner));
}

static enum gn_leave_mode leave_of(struct world *w, const char *name)
{
	struct gn_plan p = plan(w, name);
	enum gn_leave_mode leave = p.leave;

	gn_plan_clear(&p);
	return leave;
}

static void reason_has(struct world *w, const char *name, const char *piece)
{
	struct gn_plan p = plan(w, name);

	if (!strstr(p.reason, piece))
		fail_msg("%s: %s", name, p.reason);
	gn_plan_clear(&p);
}

static const char *const plain[] = {
	"add",	   "calls_add", "fib",	  "through_pointer", "tail",
	"lengths", "aligned",	"chosen", "mostly",
};

/* Whether --leave return would be recommended for the function. */
static bool is_dear(struct world *w, const char *name)
{
	struct gn_plan p = plan(w, name);
	bool dear = p.dear;

	gn_plan_clear(&p);
	return dear;
}

/* Nothing unwinds: a return probe if it is the cheaper one. */
static void test_plain(void **state)
{
	struct world w;

	(void)state;
	setup(&w, GN_LEAVE_AUTO, GN_SITE_PLAIN);
	verdict_has(&w, "no file of the process");
	for (size_t i = 0; i < sizeof(plain) / sizeof(plain[0]); i++) {
		struct gn_plan p = plan(&w, plain[i]);

		assert_true(p.leave == GN_LEAVE_RETURN ||
			    strstr(p.reason, "not cheaper"));
		gn_plan_clear(&p);
	}
	/* the target of the jump is unknown */
	assert_int_equal(leave_of(&w, "tail_pointer"), GN_LEAVE_RET);
	teardown(&w);
}

/* Code that is loaded later can install a handler. */
static void test_open(void **state)
{
	struct world w;

	(void)state;
	setup(&w, GN_LEAVE_AUTO, GN_SITE_PLAIN);
	gn_planner_open_world(w.planner, "children are followed");
	verdict_has(&w, "children are followed");
	for (size_t i = 0; i < sizeof(plain) / sizeof(plain[0]); i++)
		assert_int_equal(leave_of(&w, plain[i]), GN_LEAVE_RET);
	reason_has(&w, "add", "code to come");
	teardown(&w);
}

static void test_ret(void **state)
{
	struct world w;

	(void)state;
	setup(&w, GN_LEAVE_RET, GN_SITE_PLAIN);
	for (size_t i = 0; i < sizeof(plain) / sizeof(plain[0]); i++) {
		struct gn_plan p = plan(&w, plain[i]);

		assert_int_equal(p.leave, GN_LEAVE_RET);
		assert_true(p.nleaves > 0);
		gn_plan_clear(&p);
	}
	teardown(&w);
}

/* A process that was not examined proves nothing. */
static void test_unscanned(void **state)
{
	struct world w = {.planner = gn_planner_new(GN_LEAVE_AUTO)};

	(void)state;
	assert_int_equal(gn_elf_open(GN_SITE_PLAIN, &w.files[w.n++]), 0);
	verdict_has(&w, "not been looked at");
	assert_int_equal(leave_of(&w, "through_pointer"), GN_LEAVE_RET);
	teardown(&w);
}

struct use {
	const char *path, *piece;
};

/* Features that do not affect functions without calls. */
static void test_by_call(void **state)
{
	static const struct use uses[] = {
		{GN_SITE_CONTEXT, "switches stacks"},
		{GN_SITE_ASM_HOP, "may switch stacks"},
		{GN_SITE_ALLOCA, "may switch stacks"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(uses) / sizeof(uses[0]); i++) {
		struct world w;

		setup(&w, GN_LEAVE_AUTO, uses[i].path);
		verdict_has(&w, uses[i].piece);
		reason_has(&w, "add", "own return");
		assert_false(is_dear(&w, "add"));
		teardown(&w);
	}
}

/* Features that can do harm at any point of a thread. */
static void test_any_time(void **state)
{
	static const struct use uses[] = {
		{GN_SITE_DLOPEN, "further code"},
		{GN_SITE_ALTSTACK, "handlers"},
		{GN_SITE_ACTION, "install signal handlers"},
		{GN_SITE_SYSCALL, "system calls"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(uses) / sizeof(uses[0]); i++) {
		struct world w;

		setup(&w, GN_LEAVE_AUTO, uses[i].path);
		verdict_has(&w, uses[i].piece);
		reason_has(&w, "add", "interrupt");
		assert_int_equal(leave_of(&w, "add"), GN_LEAVE_RET);
		teardown(&w);
	}
}

/* Return probes are recommended for their cost, but not in a program that
 * throws, where they would end it. */
static void test_dear(void **state)
{
	struct world w;

	(void)state;
	setup(&w, GN_LEAVE_AUTO, GN_SITE_ACTION);
	assert_true(is_dear(&w, "add"));
	teardown(&w);
	setup(&w, GN_LEAVE_AUTO, GN_SITE_AOT);
	assert_false(is_dear(&w, "add"));
	teardown(&w);
#ifdef GN_SITE_THROW
	setup(&w, GN_LEAVE_AUTO, GN_SITE_THROW);
	assert_false(is_dear(&w, "_Z7throweri"));
	assert_false(is_dear(&w, "_Z6passesi"));
	teardown(&w);
#endif
}

/* A collection of Native AOT meets the return addresses of all functions. The
 * returns of a handler, which the runtime calls, are not those of its function,
 * and data that looks like code could be one. */
static void test_aot(void **state)
{
	struct world w;
	struct gn_plan p;

	(void)state;
	setup(&w, GN_LEAVE_RETURN, GN_SITE_AOT);
	reason_has(&w, "add", "reads its return address");
	p = plan(&w, "with_handler");
	assert_int_equal(p.leave, GN_LEAVE_RET);
	assert_int_equal(p.nleaves, 1);
	assert_int_equal(p.leaves[0].exit - p.enter.addr, 7);
	gn_plan_clear(&p);
	p = plan_any(&w, "constants");
	assert_non_null(p.refused);
	assert_non_null(strstr(p.refused, "data among"));
	gn_plan_clear(&p);
	teardown(&w);
	setup(&w, GN_LEAVE_RETURN, GN_SITE_ACTION);
	assert_int_equal(leave_of(&w, "add"), GN_LEAVE_RETURN);
	teardown(&w);
}

/* The list is searched by bisection. */
static void test_sorted(void **state)
{
	size_t n;
	const struct gn_use *uses = gn_uses(&n);

	(void)state;
	for (size_t i = 0; i < n; i++) {
		assert_ptr_equal(gn_use_of(uses[i].symbol), &uses[i]);
		if (i)
			assert_true(strcmp(uses[i - 1].symbol, uses[i].symbol) <
				    0);
	}
	assert_null(gn_use_of("strlen"));
}

static void test_throw(void **state)
{
	struct world w;

	(void)state;
#ifdef GN_SITE_THROW
	setup(&w, GN_LEAVE_AUTO, GN_SITE_THROW);
	verdict_has(&w, "exceptions");
	assert_int_equal(leave_of(&w, "_Z7throweri"), GN_LEAVE_RET);
	assert_int_equal(leave_of(&w, "_Z6passesi"), GN_LEAVE_RET);
	reason_has(&w, "_Z3addii", "own return");
	teardown(&w);
#else
	(void)w;
	skip();
#endif
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_plain),
		cmocka_unit_test(test_open),
		cmocka_unit_test(test_ret),
		cmocka_unit_test(test_unscanned),
		cmocka_unit_test(test_by_call),
		cmocka_unit_test(test_any_time),
		cmocka_unit_test(test_dear),
		cmocka_unit_test(test_aot),
		cmocka_unit_test(test_sorted),
		cmocka_unit_test(test_throw),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
