// SPDX-License-Identifier: BSD-2-Clause
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "cmd/top_output.h"

#define LINE 16
#define MOST (1 << 20)

static const struct gn_user self;

/* Lines that say which they are. */
static void write_lines(struct gn_top_output *o, unsigned int from,
			unsigned int n)
{
	char line[LINE + 1];

	while (n--) {
		snprintf(line, sizeof(line), "line %010u\n", from++);
		assert_int_equal(write(o->fd, line, LINE), LINE);
	}
}

/* What is printed is the lines from some on to the last: which. */
static unsigned int printed_from(struct gn_top_output *o, unsigned int last)
{
	unsigned int first = 0, next = 0, got;
	char *text = NULL;
	size_t size = 0, at;
	FILE *f = open_memstream(&text, &size);

	assert_non_null(f);
	gn_top_output_print(o, f);
	fclose(f);
	assert_int_equal(size % LINE, 0);
	for (at = 0; at < size; at += LINE) {
		assert_int_equal(sscanf(text + at, "line %10u\n", &got), 1);
		first = at ? first : got;
		assert_int_equal(got, at ? next : first);
		next = got + 1;
	}
	assert_int_equal(next, last);
	free(text);
	return first;
}

static void all_is_printed_once(void **state)
{
	struct gn_top_output o;

	(void)state;
	assert_int_equal(gn_top_output_open(&o, &self), 0);
	write_lines(&o, 0, 100);
	gn_top_output_bound(&o);
	assert_int_equal(printed_from(&o, 100), 0);
	write_lines(&o, 100, 50);
	assert_int_equal(printed_from(&o, 150), 100);
	assert_int_equal(o.dropped, 0);
	gn_top_output_close(&o);
}

/* The blocks of the file stay as few, however much is written. */
static void of_too_much_the_last_is_kept(void **state)
{
	struct gn_top_output o;
	struct stat st;
	unsigned int n, first;

	(void)state;
	assert_int_equal(gn_top_output_open(&o, &self), 0);
	o.most = MOST;
	for (n = 0; n < 20 * MOST / LINE; n += 4096) {
		write_lines(&o, n, 4096);
		gn_top_output_bound(&o);
		assert_int_equal(fstat(o.fd, &st), 0);
		assert_int_equal(st.st_size, (n + 4096) * LINE);
		if (!o.dropped && st.st_size > MOST + (64 << 10)) {
			gn_top_output_close(&o);
			skip(); /* the file system takes nothing back */
		}
		assert_true(st.st_blocks * 512 <= MOST + (128 << 10));
	}
	first = printed_from(&o, n);
	assert_int_equal((uint64_t)first * LINE, o.dropped);
	assert_in_range((uint64_t)(n - first) * LINE, MOST / 2, MOST);
	gn_top_output_close(&o);
}

/* A command that writes more than that between two looks. */
static void a_burst_is_bounded(void **state)
{
	struct gn_top_output o;

	(void)state;
	assert_int_equal(gn_top_output_open(&o, &self), 0);
	o.most = MOST;
	write_lines(&o, 0, 5 * MOST / LINE);
	gn_top_output_bound(&o);
	if (!o.dropped) {
		gn_top_output_close(&o);
		skip();
	}
	assert_int_equal((uint64_t)printed_from(&o, 5 * MOST / LINE) * LINE,
			 o.dropped);
	gn_top_output_close(&o);
}

/* As of a shell's >/dev/stderr. */
static void one_that_was_emptied_begins_again(void **state)
{
	struct gn_top_output o;

	(void)state;
	assert_int_equal(gn_top_output_open(&o, &self), 0);
	write_lines(&o, 0, 100);
	assert_int_equal(printed_from(&o, 100), 0);
	assert_int_equal(ftruncate(o.fd, 0), 0);
	write_lines(&o, 100, 50);
	gn_top_output_bound(&o);
	assert_int_equal(printed_from(&o, 150), 100);
	assert_int_equal(o.dropped, 0);
	gn_top_output_close(&o);
}

static void it_is_the_users(void **state)
{
	static const struct gn_user nobody = {
		.other = true, .uid = 65534, .gid = 65534};
	struct gn_top_output o;
	struct stat st;

	(void)state;
	if (geteuid())
		skip();
	assert_int_equal(gn_top_output_open(&o, &nobody), 0);
	assert_int_equal(fstat(o.fd, &st), 0);
	assert_int_equal(st.st_uid, nobody.uid);
	assert_int_equal(st.st_gid, nobody.gid);
	assert_int_equal(st.st_mode & 0777, 0600);
	gn_top_output_close(&o);
}

static void nothing_without_a_file(void **state)
{
	struct gn_top_output o = {0};

	(void)state;
	gn_top_output_bound(&o);
	gn_top_output_print(&o, stdout);
	gn_top_output_close(&o);
	assert_int_equal(o.dropped, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(all_is_printed_once),
		cmocka_unit_test(of_too_much_the_last_is_kept),
		cmocka_unit_test(a_burst_is_bounded),
		cmocka_unit_test(one_that_was_emptied_begins_again),
		cmocka_unit_test(it_is_the_users),
		cmocka_unit_test(nothing_without_a_file),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
