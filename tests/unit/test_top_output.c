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

/* Lines that contain their number. */
static void write_lines(struct gn_top_output *o, unsigned int from,
			unsigned int n)
{
	char line[LINE + 1];

	while (n--) {
		snprintf(line, sizeof(line), "line %010u\n", from++);
		assert_int_equal(write(o->fd, line, LINE), LINE);
	}
}

/* The printed lines are a range up to the last one; returns the first. */
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

/* The file uses few blocks, however much is written. */
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
			skip(); /* the file system cannot punch holes */
		}
		assert_true(st.st_blocks * 512 <= MOST + (128 << 10));
	}
	first = printed_from(&o, n);
	assert_int_equal((uint64_t)first * LINE, o.dropped);
	assert_in_range((uint64_t)(n - first) * LINE, MOST / 2, MOST);
	gn_top_output_close(&o);
}

/* A command that writes more than the limit between two looks. */
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

static void what_is_printed_takes_no_space(void **state)
{
	struct gn_top_output o;
	struct stat st;
	unsigned int n;

	(void)state;
	assert_int_equal(gn_top_output_open(&o, &self), 0);
	for (n = 0; n < 4 * MOST / LINE; n += MOST / LINE) {
		write_lines(&o, n, MOST / LINE);
		assert_int_equal(printed_from(&o, n + MOST / LINE), n);
		assert_int_equal(fstat(o.fd, &st), 0);
		if (!o.freed) {
			gn_top_output_close(&o);
			skip();
		}
		assert_true(st.st_blocks * 512 <= 128 << 10);
	}
	assert_int_equal(o.dropped, 0);
	gn_top_output_close(&o);
}

static ssize_t write_more(void *o, const char *text, size_t size)
{
	(void)text;
	write_lines(o, 0, (unsigned int)size / LINE + 1);
	return (ssize_t)size;
}

/* A command that writes faster than its output is printed. */
static void printing_ends(void **state)
{
	struct gn_top_output o;
	FILE *f = fopencookie(&o, "w",
			      (cookie_io_functions_t){.write = write_more});

	(void)state;
	assert_non_null(f);
	assert_int_equal(gn_top_output_open(&o, &self), 0);
	write_lines(&o, 0, 5000);
	gn_top_output_print(&o, f);
	assert_int_equal(o.from, 5000 * LINE);
	fclose(f);
	gn_top_output_close(&o);
}

/* A terminal that was stopped, as by Ctrl-S, and continues. */
static void printing_does_not_wait(void **state)
{
	char buf[1 << 14];
	struct gn_top_output o;
	uint64_t got = 0;
	int fd[2];
	FILE *f;

	(void)state;
	assert_int_equal(pipe(fd), 0);
	f = fdopen(fd[1], "w");
	assert_non_null(f);
	assert_int_equal(gn_top_output_open(&o, &self), 0);
	write_lines(&o, 0, MOST / LINE);
	while (got < MOST) {
		gn_top_output_print_some(&o, f);
		assert_true(o.from > (off_t)got);
		got += (uint64_t)read(fd[0], buf, sizeof(buf));
	}
	assert_int_equal(o.from, MOST);
	assert_int_equal(o.dropped, 0);
	fclose(f);
	close(fd[0]);
	gn_top_output_close(&o);
}

/* As after >/dev/stderr in a shell. */
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
	gn_top_output_print_some(&o, stdout);
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
		cmocka_unit_test(what_is_printed_takes_no_space),
		cmocka_unit_test(printing_ends),
		cmocka_unit_test(printing_does_not_wait),
		cmocka_unit_test(one_that_was_emptied_begins_again),
		cmocka_unit_test(it_is_the_users),
		cmocka_unit_test(nothing_without_a_file),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
