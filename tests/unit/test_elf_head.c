/* SPDX-License-Identifier: BSD-2-Clause */
/* A program is recognised in memory, and only that memory is written. */
#include <errno.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "elf/elf_head.h"
#include "elf/elf_image.h"
#include "process/maps.h"

static struct gn_elf_head own_head(void)
{
	struct gn_elf_head head;
	struct gn_image image;

	assert_int_equal(gn_image_open("/proc/self/exe", &image), 0);
	assert_int_equal(gn_elf_head_read(&image, &head), 0);
	gn_image_close(&image);
	return head;
}

/* The place of this test's file in memory. */
static uint64_t own_place(void)
{
	uint64_t at = 0, end = 0;
	struct gn_mapping m;
	struct gn_maps maps;

	assert_int_equal(gn_maps_open(&maps, 0), 0);
	while (end <= (uintptr_t)own_place && gn_maps_next(&maps, &m) > 0) {
		at = m.offset ? at : m.start;
		end = m.end;
	}
	gn_maps_close(&maps);
	return at;
}

/* A copy of this program that executes another one on command. */
static pid_t begin(int *go)
{
	int pipes[2];
	pid_t pid;
	char byte;

	assert_int_equal(pipe(pipes), 0);
	pid = fork();
	assert_true(pid >= 0);
	if (!pid) {
		close(pipes[1]);
		if (read(pipes[0], &byte, 1) != 1)
			_exit(0);
		execlp("sleep", "sleep", "60", NULL);
		_exit(1);
	}
	close(pipes[0]);
	*go = pipes[1];
	return pid;
}

static volatile char mark = 1;

static void only_where_it_is(void **state)
{
	struct gn_elf_head head = own_head();
	uint64_t at = own_place();
	char value = 2;
	int mem;

	(void)state;
	assert_int_equal(gn_elf_head_open(&head, getpid(), at + GN_ELF_HEAD),
			 -ENOENT);
	assert_int_equal(gn_elf_head_open(&head, getpid(), 0), -ENOENT);
	mem = gn_elf_head_open(&head, getpid(), at);
	assert_true(mem >= 0);
	assert_int_equal(pwrite(mem, &value, 1, (off_t)(uintptr_t)&mark), 1);
	assert_int_equal(mark, value);
	close(mem);
}

/* Nothing at these addresses changes in the next program. */
static void not_in_the_next_program(void **state)
{
	struct gn_elf_head head = own_head();
	uint64_t at = own_place();
	char value = 2;
	int go, mem, err;
	pid_t pid = begin(&go);

	(void)state;
	mem = gn_elf_head_open(&head, pid, at);
	assert_true(mem >= 0);
	assert_int_equal(write(go, &value, 1), 1);
	while (!gn_elf_head_check(&head, mem, at))
		usleep(1000);
	assert_int_equal(gn_elf_head_check(&head, mem, at), -ESRCH);
	assert_int_equal(pwrite(mem, &value, 1, (off_t)(uintptr_t)&mark), 0);
	err = gn_elf_head_open(&head, pid, at);
	assert_int_equal(err, -ENOENT);
	close(mem);
	close(go);
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(only_where_it_is),
		cmocka_unit_test(not_in_the_next_program),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
