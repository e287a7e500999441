/* SPDX-License-Identifier: BSD-2-Clause */
/* The progress line of long work. */
#include <stdarg.h>
#include <setjmp.h>
#include <stdint.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <cmocka.h>

#include "cmd/outfile.h"
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

static void waiting(struct gn_progress *p)
{
	gn_progress_wait(p, SECOND, "waiting");
	gn_progress_wait(p, SECOND + SECOND / 4, "waiting");
	gn_progress_wait(p, 2 * SECOND + SECOND / 2, "waiting");
	gn_progress_end(p);
	/* other work, which has taken no time yet */
	gn_progress_wait(p, 3 * SECOND, "waiting");
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
	assert_string_equal(written(waiting),
			    "\r\033[Kgnomon: waiting, 1.5 s\r\033[K");
}

#define MIB ((size_t)1 << 20)

/* A file of 3 MiB; the first MiB took a second. */
static void writing(struct gn_progress *p)
{
	char *path = GN_BUILD_DIR "/progress.test", *bytes = calloc(1, MIB);
	struct gn_steps steps = {.all = 3};
	struct gn_textfile out;
	struct stat st;

	assert_non_null(bytes);
	assert_int_equal(gn_textfile_open(&out, path), 0);
	assert_int_equal(gn_textfile_watch(&out, p, &steps), 0);
	for (int i = 0; i < 3; i++) {
		assert_int_equal(fwrite(bytes, 1, MIB, out.f), MIB);
		assert_int_equal(fflush(out.f), 0);
		steps.done++;
		if (i)
			continue;
		p->began -= SECOND;
	}
	gn_progress_end(p);
	assert_int_equal(gn_textfile_commit(&out), 0);
	assert_int_equal(stat(path, &st), 0);
	assert_int_equal(st.st_size, 3 * MIB);
	unlink(path);
	free(bytes);
}

static void a_file_that_is_written_shows_itself(void **state)
{
	char *text = written(writing);

	(void)state;
	assert_non_null(strstr(text, "gnomon: writing 1 of 3 MiB, "));
	assert_non_null(strstr(text, " a second, 2 s left\r\033[K"));
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
		cmocka_unit_test(a_file_that_is_written_shows_itself),
		cmocka_unit_test(only_a_terminal_has_it),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
