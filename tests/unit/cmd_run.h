/* SPDX-License-Identifier: BSD-2-Clause */
/* Runs the command as a user does, in a shell, in a folder of the test. */
#ifndef GNOMON_TESTS_CMD_RUN_H
#define GNOMON_TESTS_CMD_RUN_H

#include <stddef.h>

/* The result of a command. */
struct ran {
	int status;
	char out[1 << 16], err[4096];
};

/* Makes the folder; removes it. */
int cmd_set_up(void **state);
int cmd_tear_down(void **state);

/* The path of a file in the folder; valid until the next call. */
const char *path_of(const char *name);
/* Reads a file there as text; writes one. */
void slurp(const char *name, char *buf, size_t size);
void put_file(const char *name, const void *bytes, size_t size);

/* Runs `gnomon WORDS`. The result is valid until the next call. */
struct ran *gnomon(const char *words);
size_t count_lines(const char *text, size_t *longest);
/* Checks that the status is 2, and that there is one line with the error and
 * the remedy; `line` if given. */
void bad_usage(const char *words);
void refuses(const char *words, const char *line);

#define CMD_TEST(name) \
	cmocka_unit_test_setup_teardown(name, cmd_set_up, cmd_tear_down)

#endif
