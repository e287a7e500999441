/* SPDX-License-Identifier: BSD-2-Clause */
/* The probes of native functions, in the order in which they are attached. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include <gnomon/hook.h>
#include "capture/functions.h"

static int put(void *ctx, const struct gn_rec *rec, size_t size)
{
	(void)ctx;
	(void)rec;
	(void)size;
	return 0;
}

static void take(struct gn_functions *f, size_t file, uint64_t at,
		 struct gn_site *leaves, size_t nleaves)
{
	static const struct gn_elf_symbol sym = {.name = "f", .demangled = "f"};
	const struct gn_plan plan = {
		.enter = {.offset = at},
		.leave = nleaves ? GN_LEAVE_RET : GN_LEAVE_RETURN,
		.leaves = leaves,
		.nleaves = nleaves,
	};
	struct gn_elf *elf;

	assert_int_equal(gn_elf_open("/proc/self/exe", &elf), 0);
	assert_int_equal(gn_functions_take(f, file, elf, &sym, &plan), 0);
	gn_elf_close(elf);
}

static bool is_enter(uint64_t cookie)
{
	return GN_COOKIE_SPEC(cookie) == GN_SPEC_ENTER;
}

/* A cut name ends as cut names do. */
static void test_refused(void **state)
{
	static const struct {
		int length, shown;
	} names[] = {{77, 77}, {78, 80}};
	const struct gn_plan plan = {.refused = "no"};

	(void)state;
	for (size_t i = 0; i < 2; i++) {
		struct gn_functions f = {.nrefused = 0};
		struct gn_file file = {.path = "/a"};
		const struct gn_files files = {.file = &file, .count = 1};
		char name[100] = "";
		const struct gn_elf_symbol sym = {.name = "f",
						  .demangled = name};

		memset(name, 'x', (size_t)names[i].length);
		f.files = &files;
		assert_int_equal(gn_functions_take(&f, 0, NULL, &sym, &plan),
				 0);
		assert_int_equal(strcspn(f.refused, ":"), names[i].shown);
		assert_int_equal(strstr(f.refused, "...: no") != NULL, i);
	}
}

/* Until everything is attached, a function has no calls or complete ones. */
static void test_leaves_first(void **state)
{
	struct gn_site leave[3] = {
		{.offset = 20}, {.offset = 30}, {.offset = 40}};
	struct gn_file file[2] = {{.path = "/a"}, {.path = "/b"}};
	const struct gn_files files = {.file = file, .count = 2};
	struct gn_probes probes = {0};
	struct gn_functions f = {
		.files = &files, .probes = &probes, .next = 1, .put = put};
	bool entered[8] = {false};
	size_t sites = 0;

	(void)state;
	take(&f, 0, 10, leave, 3);
	take(&f, 0, 50, leave, 2);
	take(&f, 0, 60, NULL, 0);
	take(&f, 1, 10, leave, 1);
	take(&f, 1, 70, NULL, 0);
	for (size_t i = 0; i < probes.count; i++) {
		const struct gn_probe_group *g = &probes.group[i];

		/* the groups of a file follow one another */
		assert_true(!i || g->file >= probes.group[i - 1].file);
		for (size_t k = 0; k < g->count; k++, sites++) {
			uint32_t func =
				GN_FUNC_INDEX(GN_COOKIE_FUNC(g->cookies[k]));

			assert_false(entered[func]);
			entered[func] = is_enter(g->cookies[k]);
		}
	}
	assert_int_equal(sites, 13);
	for (uint32_t i = 1; i < f.next; i++)
		assert_true(entered[i]);
	gn_probes_free(&probes);
	gn_functions_clear(&f);
}

#define VALUES 100 /* any spec of values */

/* The address of the entry point's enter, and its spec, if the planner's is
 * 10. */
static uint64_t enter_valued(bool begins_again, uint32_t *spec)
{
	static const struct gn_value_specs values = {
		.value = {{.type = GN_VALUE_I64, .which = 1}}};
	struct gn_file file = {.path = "/a", .program = true};
	const struct gn_files files = {.file = &file, .count = 1};
	const char *glob = "f";
	struct gn_valued valued = {.filter = gn_filter_new(&glob, 1),
				   .enter = VALUES,
				   .leave = VALUES,
				   .values = &values};
	struct gn_probes probes = {0};
	struct gn_functions f = {.files = &files,
				 .probes = &probes,
				 .next = 1,
				 .put = put,
				 .session = true,
				 .valued = &valued,
				 .nvalued = 1};
	const struct gn_plan plan = {.enter = {.offset = 10},
				     .leave = GN_LEAVE_RETURN,
				     .begins_again = begins_again};
	struct gn_elf_symbol sym = {.name = "f", .demangled = "f"};
	struct gn_elf *elf;
	uint64_t offset;

	assert_non_null(valued.filter);
	assert_int_equal(gn_elf_open("/proc/self/exe", &elf), 0);
	sym.addr = gn_elf_entry(elf);
	assert_int_equal(gn_functions_take(&f, 0, elf, &sym, &plan), 0);
	assert_int_equal(probes.count, 1);
	assert_int_equal(probes.group->count, 1);
	*spec = GN_COOKIE_SPEC(*probes.group->cookies);
	offset = *probes.group->offsets;
	gn_elf_close(elf);
	gn_probes_free(&probes);
	gn_functions_clear(&f);
	gn_filter_free(valued.filter);
	return offset;
}

/* Values are read at the beginning of the function, but not if a call can run
 * that again, because each time would count as a call. */
static void test_begins_again(void **state)
{
	uint32_t spec;

	(void)state;
	assert_int_not_equal(enter_valued(false, &spec), 10);
	assert_int_equal(spec, VALUES);
	assert_int_equal(enter_valued(true, &spec), 10);
	assert_int_equal(spec, GN_SPEC_ENTER);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_refused),
		cmocka_unit_test(test_leaves_first),
		cmocka_unit_test(test_begins_again),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
