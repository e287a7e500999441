/* SPDX-License-Identifier: BSD-2-Clause */
/* Function names that gnomon's BPF programs keep, send and forget. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "host.h"

/* Whether the last NAME with this text is for the function of the last ENTER.
 * Also counts the names. */
static bool told(const char *name, size_t *names, uint32_t *func)
{
	const struct gn_rec *r;
	uint32_t named = 0;
	size_t size;

	*names = 0;
	for (size_t i = 0; (r = host_sample(i, &size)); i++) {
		const struct gn_rec_text *text = (const void *)r;

		if (r->kind == GN_KIND_ENTER)
			*func = ((const struct gn_rec_func *)r)->func;
		if (r->kind != GN_KIND_NAME)
			continue;
		*names += 1;
		if (!strcmp(text->text, name))
			named = text->id;
	}
	return named == *func;
}

/* The runtime reports that it has freed memory of names, for example of an
 * unloaded class. The names there are read again. An unchanged name keeps its
 * number. */
static void names_are_forgotten(void **state)
{
	static char text[512] = "GoAe";
	struct host_task *t;
	uint32_t a, b;
	size_t names;

	(void)state;
	host_new(1000000, (struct host_opts){.queue = true});
	t = host_task(7);
	host_trace(t);
	host_named(t, text, 4);
	host_named(t, text, 4);
	assert_true(told("GoAe", &names, &a));
	assert_int_equal(names, 1);
	host_forgets(t);
	host_named(t, text, 4);
	assert_true(told("GoAe", &names, &b));
	assert_int_equal(names, 1);
	assert_int_equal(b, a);
	text[2] = 'B';
	host_forgets(t);
	host_named(t, text, 4);
	assert_true(told("GoBe", &names, &b));
	assert_int_equal(names, 2);
	assert_int_not_equal(b, a);
}

/* Names that share one cache slot take turns. Each has its own number, also in
 * two processes, and is sent once. */
static void names_take_turns(void **state)
{
	static const char text[2][512] = {"GoAe", "GoBe"};
	struct host_task *t, *other;
	uint32_t first[3], func;
	size_t names;

	(void)state;
	host_new(1000000, (struct host_opts){.queue = true});
	t = host_task(7);
	host_trace(t);
	host_clock(1000500);
	other = host_task(8);
	host_trace(other);
	for (int i = 0; i < 6; i++) {
		host_named(i % 3 == 2 ? other : t, text[i % 3 == 1], 4);
		told("", &names, i < 3 ? &first[i] : &func);
		assert_int_equal(names, i < 3 ? i + 1 : 3);
		if (i >= 3)
			assert_int_equal(func, first[i - 3]);
	}
	assert_int_not_equal(first[0], first[1]);
	assert_int_not_equal(first[0], first[2]);
	/* same address, different length */
	host_named(other, text[0], 3);
	told("", &names, &func);
	assert_int_equal(names, 4);
	assert_int_not_equal(func, first[2]);
}

/* A cache slot that another thread is writing is neither used nor written. */
static void names_while_others_write(void **state)
{
	static const char text[2][512] = {"GoAe", "GoBe"};
	uint32_t first[2], func;
	struct host_task *t;
	size_t names;

	(void)state;
	host_new(1000000, (struct host_opts){.queue = true});
	t = host_task(7);
	host_trace(t);
	host_named(t, text[0], 4);
	told("", &names, &first[0]);
	host_writes(true);
	host_named(t, text[1], 4);
	told("", &names, &first[1]);
	host_named(t, text[0], 4);
	told("", &names, &func);
	assert_int_equal(func, first[0]);
	host_writes(false);
	host_named(t, text[0], 4);
	told("", &names, &func);
	assert_int_equal(func, first[0]);
	host_named(t, text[1], 4);
	told("", &names, &func);
	assert_int_equal(func, first[1]);
	assert_int_equal(names, 2);
}

/* Kernel memory after a thread's name must not leak. */
static void only_the_name(void **state)
{
	static const char *const texts[] = {"vx\0left in the heap",
					    "fifteen letters and more"};
	const struct gn_rec_thread *r;
	char want[16];

	(void)state;
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		struct host_task *t;

		host_new(1000000, (struct host_opts){.queue = true});
		t = host_task(7);
		host_trace(t);
		host_rename(t, texts[i]);
		r = host_last(GN_KIND_RENAME);
		assert_non_null(r);
		memset(want, 0, sizeof(want));
		strncpy(want, texts[i], sizeof(want) - 1);
		assert_memory_equal(r->comm, want, sizeof(want));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(names_are_forgotten),
		cmocka_unit_test(names_take_turns),
		cmocka_unit_test(names_while_others_write),
		cmocka_unit_test(only_the_name),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
