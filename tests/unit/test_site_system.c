// SPDX-License-Identifier: BSD-2-Clause
/*
 * Every function of every file that this test maps, including libc: whatever
 * the plan is, it must keep the promises of plans.
 */
#include <link.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "site/site.h"

#define FILES 64

static struct {
	struct gn_elf *files[FILES];
	size_t n;
} all;

static int add_file(struct dl_phdr_info *info, size_t size, void *arg)
{
	const char *path =
		*info->dlpi_name ? info->dlpi_name : "/proc/self/exe";

	(void)size;
	(void)arg;
	/* the vdso is not a file */
	if (all.n < FILES && !gn_elf_open(path, &all.files[all.n]))
		all.n++;
	return 0;
}

static int setup(void **state)
{
	(void)state;
	dl_iterate_phdr(add_file, NULL);
	return all.n < 3;
}

static int teardown(void **state)
{
	(void)state;
	while (all.n)
		gn_elf_close(all.files[--all.n]);
	return 0;
}

static const uint8_t *code(struct gn_elf *elf, uint64_t addr, size_t *size)
{
	const uint8_t *bytes = NULL;

	for (*size = 16; *size && !bytes; --*size)
		bytes = gn_elf_code(elf, addr, *size);
	++*size;
	assert_non_null(bytes);
	return bytes;
}

static void check_site(struct gn_elf *elf, const struct gn_site *site)
{
	uint64_t offset;
	size_t size;
	const uint8_t *bytes = code(elf, site->addr, &size);

	assert_int_equal(gn_elf_offset(elf, site->addr, &offset), 0);
	assert_int_equal(site->offset, offset);
	assert_int_equal(gn_cost_of(bytes, size, site->addr, NULL, NULL),
			 site->cost);
	assert_true(site->cost == GN_COST_EMULATED ||
		    site->cost == GN_COST_STEPPED);
	assert_true(site->adjust >= 8 && site->adjust <= 0xfff);
	assert_true(memchr(site->insn, 0, sizeof(site->insn)) != NULL);
}

/* The byte with which a leave begins, after a prefix. */
static void check_leave(struct gn_elf *elf, const struct gn_site *site)
{
	size_t size;
	const uint8_t *b = code(elf, site->addr, &size);
	bool jcc;

	if (*b == 0xf2 || *b == 0xf3 || *b == 0x66 || (*b & 0xf0) == 0x40)
		b++;
	jcc = (*b & 0xf0) == 0x70 || (*b == 0x0f && (b[1] & 0xf0) == 0x80);
	if (site->when)
		assert_true(jcc && site->cost == GN_COST_EMULATED);
	else if (site->cost == GN_COST_EMULATED)
		assert_true(jcc || *b == 0xe9 || *b == 0xeb || *b == 0x90 ||
			    (*b & 0xf8) == 0x50 ||
			    (*b == 0x0f && b[1] == 0x1f));
	else if (site->kind == GN_SITE_LEAVE)
		assert_true(*b == 0xc3 || *b == 0xc2);
	else
		assert_true(*b == 0xff && (b[1] & 0x38) == 0x20);
	if (site->cost == GN_COST_STEPPED)
		assert_int_equal(site->adjust, 8);
}

static void check_plan(struct gn_elf *elf, const struct gn_elf_symbol *sym,
		       const struct gn_plan *plan)
{
	size_t size;
	const uint8_t *first;

	if (plan->refused) {
		assert_true(strlen(plan->refused) > 0);
		return;
	}
	assert_true(strlen(plan->reason) > 0);
	assert_int_equal(plan->enter.kind, GN_SITE_ENTER);
	assert_true(plan->enter.addr - sym->addr < sym->size);
	check_site(elf, &plan->enter);
	/* a push at the beginning is never skipped */
	first = code(elf, sym->addr, &size);
	if ((*first & 0xf8) == 0x50)
		assert_int_equal(plan->enter.addr, sym->addr);
	if (plan->leave == GN_LEAVE_RETURN) {
		assert_int_equal(plan->enter.adjust, 8);
		assert_int_equal(plan->nleaves, 0);
	}
	for (size_t i = 0; i < plan->nleaves; i++) {
		check_site(elf, &plan->leaves[i]);
		check_leave(elf, &plan->leaves[i]);
		assert_true(plan->leaves[i].addr != plan->enter.addr);
	}
}

static void plan_all(enum gn_leave_mode wanted)
{
	struct gn_planner *p = gn_planner_new(wanted);
	size_t good = 0, total = 0;

	assert_non_null(p);
	for (size_t f = 0; f < all.n; f++) {
		const struct gn_elf_symbol *syms;
		size_t n = gn_elf_symbols(all.files[f], &syms);

		for (size_t i = 0; i < n; i++) {
			struct gn_plan plan;

			assert_int_equal(gn_planner_plan(p, all.files[f],
							 &syms[i], &plan),
					 0);
			check_plan(all.files[f], &syms[i], &plan);
			good += !plan.refused;
			total++;
			gn_plan_clear(&plan);
		}
	}
	/* a planner that refuses everything is correct, but useless */
	assert_true(total > 1000);
	assert_true(good * 10 > total * 8);
	gn_planner_free(p);
}

static void test_auto(void **state)
{
	(void)state;
	plan_all(GN_LEAVE_AUTO);
}

static void test_ret(void **state)
{
	(void)state;
	plan_all(GN_LEAVE_RET);
}

static void test_return(void **state)
{
	(void)state;
	plan_all(GN_LEAVE_RETURN);
}

static void test_scan(void **state)
{
	struct gn_planner *p = gn_planner_new(GN_LEAVE_AUTO);

	(void)state;
	assert_non_null(p);
	assert_int_equal(gn_planner_scan(p, all.files, all.n), 0);
	assert_true(strlen(gn_planner_verdict(p)) > 0);
	gn_planner_free(p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_auto),
		cmocka_unit_test(test_ret),
		cmocka_unit_test(test_return),
		cmocka_unit_test(test_scan),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
