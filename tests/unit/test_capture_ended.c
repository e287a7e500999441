/* SPDX-License-Identifier: BSD-2-Clause */
/* Links of processes that have ended. */
#include <errno.h>
#include <poll.h>
#include <semaphore.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <unistd.h>

#include <cmocka.h>

#include "capture/later_parts.h"

#define MOST 3

struct bpf_program;

/* What stands for the kernel: a link is one end of a pipe. */
static int link_of[MOST], other_end[MOST];
static size_t nlinks;
static sem_t may_remove;

long __wrap_syscall(long number, ...);
long __wrap_syscall(long number, ...)
{
	int ends[2];

	(void)number;
	assert_true(nlinks < MOST);
	assert_int_equal(pipe(ends), 0);
	other_end[nlinks] = ends[0];
	link_of[nlinks] = ends[1];
	return link_of[nlinks++];
}

int __wrap_bpf_program__fd(const struct bpf_program *prog);
int __wrap_bpf_program__fd(const struct bpf_program *prog)
{
	(void)prog;
	return 0;
}

void __real_gn_links_clear(struct gn_links *l);
void __wrap_gn_links_clear(struct gn_links *l);
void __wrap_gn_links_clear(struct gn_links *l)
{
	while (sem_wait(&may_remove))
		;
	__real_gn_links_clear(l);
}

static void add_link(struct gn_links *l, uint32_t pid)
{
	static const uint64_t zero;
	const struct gn_probe_set set = {.path = "/bin/program",
					 .offsets = &zero,
					 .cookies = &zero,
					 .count = 1,
					 .key = pid};
	size_t refused = 0;

	assert_int_equal(gn_links_add(l, GN_ATTACH_MULTI, &set, &refused), 0);
	assert_int_equal(refused, 0);
}

/* Waits up to so many ms. */
static bool is_removed(size_t i, int ms)
{
	struct pollfd end = {.fd = other_end[i]};

	return poll(&end, 1, ms) > 0;
}

/* The thread that lets programs start goes on meanwhile. */
static void nobody_waits_for_their_removal(void **state)
{
	struct gn_session session = {.links = gn_links_new()};
	struct gn_later l = {.session = &session, .links = gn_links_new()};

	(void)state;
	assert_int_equal(sem_init(&may_remove, 0, 0), 0);
	pthread_mutex_init(&l.lock, NULL);
	assert_int_equal(gn_later_ended_new(&l), 0);
	add_link(l.links, 7);
	add_link(session.links, 7);
	add_link(l.links, 8);
	gn_later_unlink_ended(&l, 7);
	assert_false(is_removed(0, 0) || is_removed(1, 0));
	assert_int_equal(gn_links_count(l.links), 1);
	assert_int_equal(gn_links_count(session.links), 0);
	sem_post(&may_remove);
	assert_true(is_removed(0, -1) && is_removed(1, -1));
	assert_false(is_removed(2, 0));

	/* the session ends: it removes what is left */
	gn_later_unlink_ended(&l, 8);
	sem_post(&may_remove);
	pthread_mutex_lock(&l.lock);
	l.quit = true;
	pthread_cond_signal(&l.ends);
	pthread_mutex_unlock(&l.lock);
	gn_later_ended_free(&l, NULL);
	assert_true(is_removed(2, 0));
	gn_links_free(l.links, NULL);
	gn_links_free(session.links, NULL);
	pthread_mutex_destroy(&l.lock);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(nobody_waits_for_their_removal),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
