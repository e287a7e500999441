/* SPDX-License-Identifier: BSD-2-Clause */
#include <stdarg.h>
#include <setjmp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <cmocka.h>

#include "cmd_run.h"

static char dir[256];

void slurp(const char *name, char *buf, size_t size)
{
	char path[512];
	size_t n;
	FILE *f;

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	f = fopen(path, "r");
	assert_non_null(f);
	n = fread(buf, 1, size - 1, f);
	buf[n] = '\0';
	fclose(f);
}

struct ran *gnomon(const char *words)
{
	static struct ran r;
	char line[1024];
	int status;

	memset(&r, 0, sizeof(r));
	snprintf(line, sizeof(line), "cd '%s' && { '%s' %s; } >out 2>err", dir,
		 GN_COMMAND, words);
	status = system(line);
	assert_true(WIFEXITED(status));
	r.status = WEXITSTATUS(status);
	slurp("out", r.out, sizeof(r.out));
	slurp("err", r.err, sizeof(r.err));
	return &r;
}

const char *path_of(const char *name)
{
	static char path[512];

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	return path;
}

void put_file(const char *name, const void *bytes, size_t size)
{
	FILE *f = fopen(path_of(name), "w");

	assert_non_null(f);
	assert_int_equal(fwrite(bytes, 1, size, f), size);
	fclose(f);
}

int cmd_set_up(void **state)
{
	(void)state;
	snprintf(dir, sizeof(dir), "%s/cmd.XXXXXX", GN_BUILD_DIR);
	return mkdtemp(dir) ? 0 : -1;
}

int cmd_tear_down(void **state)
{
	char line[512];

	(void)state;
	snprintf(line, sizeof(line), "rm -r '%s'", dir);
	return system(line);
}

size_t count_lines(const char *text, size_t *longest)
{
	size_t lines = 0;

	*longest = 0;
	while (*text) {
		size_t n = strcspn(text, "\n");

		*longest = n > *longest ? n : *longest;
		lines++;
		text += n + (text[n] == '\n');
	}
	return lines;
}

void bad_usage(const char *words)
{
	struct ran *r = gnomon(words);
	size_t width;

	if (r->status != 2 || strncmp(r->err, "gnomon: ", 8) != 0 ||
	    count_lines(r->err, &width) != 1 || !strchr(r->err, ';'))
		fail_msg("'%s': status %d, '%s'", words, r->status, r->err);
	assert_string_equal(r->out, "");
}

void refuses(const char *words, const char *line)
{
	char wanted[512];
	struct ran *r;

	bad_usage(words);
	r = gnomon(words);
	snprintf(wanted, sizeof(wanted), "gnomon: %s\n", line);
	assert_string_equal(r->err, wanted);
}
