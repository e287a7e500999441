// SPDX-License-Identifier: BSD-2-Clause
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <errno.h>

#include "model/threads.h"
#include "records.h"

/* Allocations until one fails; negative: none fails. */
static long left = -1;

void *__real_malloc(size_t size);
void *__real_calloc(size_t n, size_t size);
void *__real_realloc(void *p, size_t size);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t n, size_t size);
void *__wrap_realloc(void *p, size_t size);

static int fails(void)
{
	return left >= 0 && left-- == 0;
}

void *__wrap_malloc(size_t size)
{
	return fails() ? NULL : __real_malloc(size);
}

void *__wrap_calloc(size_t n, size_t size)
{
	return fails() ? NULL : __real_calloc(n, size);
}

void *__wrap_realloc(void *p, size_t size)
{
	return fails() ? NULL : __real_realloc(p, size);
}

static int feed_event(struct gn_pipeline *p, uint64_t time, uint32_t tid,
		      enum gn_kind kind, uint32_t func, uint64_t key)
{
	struct gn_rec_func r = {
		.h = {.time = time, .tid = tid, .kind = kind, .key = key},
		.func = func};

	return gn_pipeline_feed(p, &r.h, sizeof(r));
}

static int feed_text(struct gn_pipeline *p, enum gn_kind kind, uint32_t id,
		     uint32_t ref)
{
	char name[] = "name";
	union text_record r;
	size_t size;

	name[0] = (char)('a' + id % 26);
	size = make_text(&r,
			 (struct gn_rec){.kind = kind, .tid = 1, .flags = 1},
			 id, ref, name, "x.y");
	return gn_pipeline_feed(p, &r.r.h, size);
}

static int feed_stack(struct gn_pipeline *p, uint64_t time, uint64_t lo)
{
	struct gn_rec_stack r = {
		.h = {.time = time, .tid = 1, .kind = GN_KIND_STACK},
		.lo = lo,
		.hi = lo + 0x1000};

	return gn_pipeline_feed(p, &r.h, sizeof(r));
}

static int feed_slice(struct gn_pipeline *p, uint64_t time)
{
	struct gn_rec_slice r = {.h = {.time = time,
				       .tid = 1,
				       .kind = GN_KIND_SLICE,
				       .flags = GN_F_IN_PROBE},
				 .start = time - 1,
				 .waker = 1,
				 .reason = (uint16_t)time,
				 .class = GN_CLASS_OTHER};

	return gn_pipeline_feed(p, &r.h, sizeof(r));
}

static int feed_thread(struct gn_pipeline *p, uint64_t time, enum gn_kind kind,
		       uint32_t tid, uint32_t pid, uint32_t parent)
{
	struct gn_rec_thread r = {
		.f = {.h = {.time = time, .tid = tid, .kind = kind}},
		.pid = pid,
		.parent = parent,
		.comm = "name"};

	return gn_pipeline_feed(p, &r.f.h, sizeof(r));
}

static int feed_now(struct gn_pipeline *p, uint64_t time, uint32_t tid)
{
	struct gn_rec_now r = {
		.h = {.time = time, .tid = tid, .kind = GN_KIND_NOW},
		.since = time - 1,
		.reason = (uint16_t)time,
		.state = GN_CPU_WAITING,
		.class = GN_CLASS_SLEEP};

	return gn_pipeline_feed(p, &r.h, sizeof(r));
}

static int feed_mute(struct gn_pipeline *p, uint32_t func)
{
	struct gn_rec_mute r = {.h = {.kind = GN_KIND_MUTE}, .func = func};

	return gn_pipeline_feed(p, &r.h, sizeof(r));
}

/* A period ends. Its model may lack memory, but the next one must be
 * correct. */
static int end_period(struct gn_pipeline *p, const uint32_t *tids, size_t n,
		      uint64_t time)
{
	struct gn_model *m = NULL;
	int err = 0;

	p->sweep = (struct gn_sweep_due){0};
	while (n--)
		err |= feed_now(p, time, tids[n]);
	err |= gn_pipeline_period(p, &m);
	if (m) {
		assert_int_equal(m->checks.account_error_ns, 0);
		gn_model_free(m);
	}
	return err;
}

/* The same with periods, which exist only in the live view. */
static int feed_periods(struct gn_pipeline *p)
{
	static const uint32_t tids[] = {3, 2, 10, 40};
	int err = 0;

	err |= end_period(p, tids, 4, 900);
	err |= feed_event(p, 910, 10, GN_KIND_JIT_BEGIN, 1u << 28 | 1, 0);
	err |= feed_event(p, 920, 10, GN_KIND_EXIT, 0, 0);
	err |= feed_mute(p, 5);
	err |= feed_mute(p, 1u << 28 | 7);
	err |= end_period(p, tids, 4, 1000);
	err |= feed_event(p, 1010, 3, GN_KIND_ENTER, 9, 0x300);
	return err;
}

/* One of everything. Returns whether a record met a lack of memory. The others
 * are still fed, because a pipeline must tolerate that. */
static int feed_all(struct gn_pipeline *p)
{
	int err = 0, i;

	for (i = 1; i < 40; i++) {
		err |= feed_text(p, GN_KIND_MODULE, (uint32_t)i, 0);
		err |= feed_text(p, GN_KIND_FUNCTION, (uint32_t)i, 1);
		err |= feed_text(p, GN_KIND_INFO, 0, 0);
	}
	err |= feed_thread(p, 0, GN_KIND_THREAD, 1, 1, 0);
	err |= feed_text(p, GN_KIND_NAME, 1u << 28 | 1, 1);
	for (i = 1; i < 40; i++) {
		err |= feed_slice(p, 10u * (uint64_t)i);
		err |= feed_event(p, 10u * (uint64_t)i, 1, GN_KIND_ENTER,
				  (uint32_t)i, 0x5000 - 16 * (uint64_t)i);
		err |= feed_event(p, 10u * (uint64_t)i, 1, GN_KIND_ENTER,
				  1u << 28 | (uint32_t)i,
				  0x5000 - 16 * (uint64_t)i);
	}
	err |= feed_thread(p, 400, GN_KIND_THREAD, 2, 2, 1);
	for (i = 1; i < 40; i++) {
		err |= feed_stack(p, 500, (uint64_t)i << 16);
		err |= feed_event(p, 500, 1, GN_KIND_ENTER, 1,
				  (uint64_t)i << 16 | 0x500);
	}
	err |= feed_event(p, 600, 1, GN_KIND_SUSPEND_BEGIN, 0, 0);
	err |= feed_event(p, 600, 1, GN_KIND_UNWIND_BEGIN, 1, 0);
	err |= feed_event(p, 600, 1, GN_KIND_UNWIND_END, 0, 0);
	err |= feed_thread(p, 700, GN_KIND_EXEC, 3, 1, 1);
	for (i = 10; i < 60; i++)
		err |= feed_thread(p, 800, GN_KIND_THREAD, (uint32_t)i,
				   (uint32_t)i, 0);
	return err;
}

static void any_can_fail(bool live)
{
	struct gn_pipeline_opts opts = {.classify = GN_CLASSIFY_EXACT,
					.live = live};
	struct gn_pipeline *p;
	struct gn_model *m;
	long at, whole = 0;
	int err;

	for (at = 0; !whole; at++) {
		m = NULL;
		left = at;
		p = gn_pipeline_new(&opts);
		if (p)
			p->sweep = (struct gn_sweep_due){
				0}; /* as often as possible */
		err = p ? feed_all(p) : -ENOMEM;
		if (p && live)
			err |= feed_periods(p);
		if (p && gn_pipeline_finish(p, &m))
			err = -ENOMEM;
		whole = left >= 0; /* no allocation failed */
		left = -1;
		if (whole)
			assert_int_equal(err, 0);
		if (m) {
			assert_int_equal(m->checks.account_error_ns, 0);
			gn_model_free(m);
		}
		gn_pipeline_free(p);
	}
	assert_true(at > 100);
}

static void any_allocation_can_fail(void **state)
{
	(void)state;
	any_can_fail(false);
}

static void any_allocation_of_periods_can_fail(void **state)
{
	(void)state;
	any_can_fail(true);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(any_allocation_can_fail),
		cmocka_unit_test(any_allocation_of_periods_can_fail),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
