// SPDX-License-Identifier: BSD-2-Clause
/* System calls from their parts, which are slices. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include <gnomon/time_class.h>
#include "model/syscalls.h"
#include "model_feed.h"

#define READ  0
#define FUTEX 202
#define EXIT  60

struct slices {
	struct gn_syscalls all;
	struct gn_syscall_open open;
	uint32_t thread;
	uint64_t now;
};

static void slice(struct slices *f, enum gn_class class, uint16_t nr,
		  uint64_t ns, uint64_t flags)
{
	struct gn_rec_slice s = {.h = {.time = f->now + ns, .flags = flags},
				 .start = f->now,
				 .class = (uint8_t) class,
				 .reason = nr};

	f->now += ns;
	assert_int_equal(gn_syscalls_take(&f->all, f->thread, &f->open, &s), 0);
}

static void build(struct slices *f, struct gn_model *m)
{
	static struct gn_model_thread threads[] = {{.number = 0},
						   {.number = 1}};

	*m = (struct gn_model){.threads = threads, .nthreads = 2};
	assert_int_equal(gn_syscalls_build(&f->all, m), 0);
	gn_syscalls_free(&f->all);
}

/* One call in three parts, with a wait and the run queue in between; then a
 * call that fails, after time outside calls. */
static void parts(void **state)
{
	struct slices f = {.now = 1000};
	struct gn_model m;

	(void)state;
	slice(&f, GN_CLASS_SYSCALL, READ, 10, 0);
	slice(&f, GN_CLASS_IPC, READ, 100, 0);
	slice(&f, GN_CLASS_RUNQUEUE, GN_NO_SYSCALL, 20, 0);
	slice(&f, GN_CLASS_SYSCALL, READ, 5, 0);
	slice(&f, GN_CLASS_RUNQUEUE, GN_NO_SYSCALL, 30, 0);
	slice(&f, GN_CLASS_SYSCALL, READ, 1, GN_F_RETURNED);
	slice(&f, GN_CLASS_FAULT, GN_NO_SYSCALL, 50, 0);
	slice(&f, GN_CLASS_RUNQUEUE, GN_NO_SYSCALL, 70, 0);
	slice(&f, GN_CLASS_SYSCALL, READ, 4, GN_F_RETURNED | GN_F_FAILED);
	build(&f, &m);
	assert_int_equal(m.nsyscalls, 1);
	assert_int_equal(m.syscalls[0].nr, READ);
	assert_int_equal(m.syscalls[0].begun, 2);
	assert_int_equal(m.syscalls[0].calls, 2);
	assert_int_equal(m.syscalls[0].failed, 1);
	assert_int_equal(m.syscalls[0].cpu, 20);
	assert_int_equal(m.syscalls[0].off, 150);
	assert_int_equal(m.syscalls[0].longest, 166);
	assert_int_equal(m.syscalls[0].shortest, 4);
	free(m.syscalls);
	free(m.thread_syscalls);
}

/* A call that does not return has no time. The one with the most time comes
 * first. A slice that arrives late was before the call. */
static void open_ones(void **state)
{
	struct slices f = {.now = 1000};
	struct gn_rec_slice late = {
		.h.time = 990, .start = 900, .class = GN_CLASS_RUNQUEUE};
	struct gn_model m;

	(void)state;
	slice(&f, GN_CLASS_SYSCALL, FUTEX, 10, 0);
	assert_int_equal(gn_syscalls_take(&f.all, 0, &f.open, &late), 0);
	slice(&f, GN_CLASS_SYSCALL, FUTEX, 10, GN_F_RETURNED);
	slice(&f, GN_CLASS_SYSCALL, READ, 30, GN_F_RETURNED);
	slice(&f, GN_CLASS_SYSCALL, EXIT, 1000, 0);
	build(&f, &m);
	assert_int_equal(m.nsyscalls, 3);
	assert_int_equal(m.syscalls[0].nr, READ);
	assert_int_equal(m.syscalls[1].nr, FUTEX);
	assert_int_equal(m.syscalls[1].off, 0);
	assert_int_equal(m.syscalls[1].calls, 1);
	assert_int_equal(m.syscalls[2].nr, EXIT);
	assert_int_equal(m.syscalls[2].begun, 1);
	assert_int_equal(m.syscalls[2].calls, 0);
	assert_int_equal(m.syscalls[2].cpu, 0);
	free(m.syscalls);
	free(m.thread_syscalls);
}

/* Rows for each thread, and one row for all with each number. */
static void threads(void **state)
{
	static const struct {
		uint32_t thread;
		uint16_t nr;
		uint64_t calls, cpu, shortest, longest;
	} want[] = {
		{0, FUTEX, 1, 60, 60, 60},
		{1, READ, 2, 40, 10, 30},
		{0, READ, 1, 7, 7, 7},
	};
	struct slices f = {.now = 1000};
	struct gn_model m;

	(void)state;
	slice(&f, GN_CLASS_SYSCALL, READ, 7, GN_F_RETURNED);
	slice(&f, GN_CLASS_SYSCALL, FUTEX, 60, GN_F_RETURNED);
	f.thread = 1;
	slice(&f, GN_CLASS_SYSCALL, READ, 30, GN_F_RETURNED);
	slice(&f, GN_CLASS_SYSCALL, READ, 10, GN_F_RETURNED);
	build(&f, &m);
	assert_int_equal(m.nthread_syscalls, 3);
	for (size_t i = 0; i < 3; i++) {
		const struct gn_model_syscall *x = &m.thread_syscalls[i];

		assert_int_equal(x->thread, want[i].thread);
		assert_int_equal(x->nr, want[i].nr);
		assert_int_equal(x->calls, want[i].calls);
		assert_int_equal(x->cpu, want[i].cpu);
		assert_int_equal(x->shortest, want[i].shortest);
		assert_int_equal(x->longest, want[i].longest);
	}
	assert_int_equal(m.nsyscalls, 2);
	assert_int_equal(m.syscalls[0].nr, FUTEX);
	assert_int_equal(m.syscalls[1].nr, READ);
	assert_int_equal(m.syscalls[1].calls, 3);
	assert_int_equal(m.syscalls[1].cpu, 47);
	assert_int_equal(m.syscalls[1].shortest, 7);
	assert_int_equal(m.syscalls[1].longest, 30);
	free(m.syscalls);
	free(m.thread_syscalls);
}

static void part(struct feed *f, uint16_t nr, uint64_t start, uint64_t end,
		 uint64_t flags)
{
	struct gn_rec_slice r = {.h = {.time = end,
				       .tid = 1,
				       .seq = ++f->slice_seq[1],
				       .kind = GN_KIND_SLICE,
				       .flags = flags},
				 .start = start,
				 .reason = nr,
				 .class = GN_CLASS_SYSCALL};

	feed_rec(f, &r, sizeof(r));
}

/* After a loss, a part may be the rest of a call or a new one. It counts as
 * none, up to its return or another number. The open call does not count
 * either. */
static void lost_returns(void **state)
{
	struct gn_pipeline_opts opts = {.classify = GN_CLASSIFY_EXACT};
	struct feed f = {.p = gn_pipeline_new(&opts)};
	struct gn_model *m = NULL;

	(void)state;
	assert_non_null(f.p);
	feed_thread(&f, 100, 1, GN_KIND_THREAD, 1, 0);
	part(&f, READ, 200, 210, 0);
	f.slice_seq[1]++;
	part(&f, READ, 300, 304, 0);
	part(&f, READ, 305, 306, GN_F_RETURNED);
	part(&f, READ, 310, 330, GN_F_RETURNED);
	part(&f, READ, 400, 410, 0);
	f.slice_seq[1]++;
	part(&f, READ, 500, 508, 0);
	part(&f, EXIT, 520, 530, GN_F_RETURNED);
	part(&f, FUTEX, 540, 550, 0);
	f.slice_seq[1]++;
	part(&f, FUTEX, 560, 570, GN_F_RETURNED);
	feed_event(&f, 600, 1, GN_KIND_EXIT, 0, 0, 0);
	assert_int_equal(gn_pipeline_finish(f.p, &m), 0);
	gn_pipeline_free(f.p);
	assert_int_equal(m->nsyscalls, 2);
	assert_int_equal(m->nthread_syscalls, 2);
	assert_int_equal(m->syscalls[0].nr, READ);
	assert_int_equal(m->syscalls[0].begun, 1);
	assert_int_equal(m->syscalls[0].calls, 1);
	assert_int_equal(m->syscalls[0].longest, 20);
	assert_int_equal(m->syscalls[1].nr, EXIT);
	assert_int_equal(m->syscalls[1].calls, 1);
	assert_int_equal(m->syscalls[1].longest, 10);
	gn_model_free(m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(parts),
		cmocka_unit_test(open_ones),
		cmocka_unit_test(threads),
		cmocka_unit_test(lost_returns),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
