/* SPDX-License-Identifier: BSD-2-Clause */
/* The line that long work shows. */
#include <stdarg.h>
#include <setjmp.h>
#include <stdint.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

#include "cmd/progress.h"

#define SECOND 1000000000ull

/* What `work` writes to stderr. */
static char *written(void (*work)(struct gn_progress *p))
{
	struct gn_progress p = {.on = true};
	static char text[1024];
	FILE *f = tmpfile();
	int saved = dup(STDERR_FILENO);
	size_t n;

	assert_non_null(f);
	fflush(stderr);
	assert_true(dup2(fileno(f), STDERR_FILENO) >= 0);
	work(&p);
	fflush(stderr);
	assert_true(dup2(saved, STDERR_FILENO) >= 0);
	close(saved);
	rewind(f);
	n = fread(text, 1, sizeof(text) - 1, f);
	text[n] = '\0';
	fclose(f);
	return text;
}

static void short_work(struct gn_progress *p)
{
	gn_progress_show(p, SECOND, "reading", "MiB", 0, 10, 1);
	gn_progress_show(p, SECOND + SECOND / 4, "reading", "MiB", 9, 10, 1);
	gn_progress_end(p);
}

static void long_work(struct gn_progress *p)
{
	gn_progress_show(p, SECOND, "reading", "MiB", 0, 30 << 20, 1 << 20);
	gn_progress_show(p, 3 * SECOND, "reading", "MiB", 10 << 20, 30 << 20,
			 1 << 20);
	/* too soon */
	gn_progress_show(p, 3 * SECOND + 1, "reading", "MiB", 11 << 20,
			 30 << 20, 1 << 20);
	gn_progress_end(p);
	gn_progress_end(p);
}

static void endless_work(struct gn_progress *p)
{
	gn_progress_show(p, SECOND, "reading", "MiB", 0, 0, 1);
	gn_progress_show(p, 2 * SECOND, "reading", "MiB", 5, 0, 1);
}

static void only_long_work_is_shown(void **state)
{
	(void)state;
	assert_string_equal(written(short_work), "");
	assert_string_equal(written(long_work),
			    "\r\033[Kgnomon: reading 10 of 30 MiB, 5 a "
			    "second, 4 s left\r\033[K");
	assert_string_equal(written(endless_work),
			    "\r\033[Kgnomon: reading 5 MiB, 5 a second");
}

static void start(struct gn_progress *p)
{
	/* stderr is a file here */
	gn_progress_init(p, false);
	assert_false(p->on);
	long_work(p);
}

static void only_a_terminal_has_it(void **state)
{
	(void)state;
	assert_string_equal(written(start), "");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(only_long_work_is_shown),
		cmocka_unit_test(only_a_terminal_has_it),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
