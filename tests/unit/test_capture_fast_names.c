/* SPDX-License-Identifier: BSD-2-Clause */
/* Names of functions that threads send through memory shared with gnomon. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "fast_feed.h"

static void write_bytes(struct fixture *x, const void *bytes, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++)
		x->data[GN_FAST_SLOT - GN_FAST_NAMES +
			x->rings[0].head++ % GN_FAST_NAMES] =
			((const unsigned char *)bytes)[i];
}

static void write_name(struct fixture *x, uint32_t index, const char *text,
		       const char *module)
{
	static const char zeros[8];
	struct gn_fast_name head = {
		.index = index,
		.token = 0x06000000 | index,
		.len = {(uint16_t)strlen(text), (uint16_t)strlen(module)},
	};
	uint32_t begin = x->rings[0].head;

	head.size =
		(uint32_t)(sizeof(head) + head.len[0] + head.len[1] + 7) & ~7u;
	write_bytes(x, &head, sizeof(head));
	write_bytes(x, text, head.len[0]);
	write_bytes(x, module, head.len[1]);
	write_bytes(x, zeros, begin + head.size - x->rings[0].head);
}

static void assert_name(const struct gn_rec *rec, uint32_t index,
			const char *texts)
{
	const struct gn_rec_text *r = (const void *)rec;

	assert_int_equal(rec->kind, GN_KIND_NAME);
	assert_int_equal(rec->key, 0x06000000 | index);
	assert_int_equal(r->id, GN_FUNC(GN_RUNTIME_CLR, index));
	assert_int_equal(r->ref, getpid());
	assert_int_equal(r->len[0] + r->len[1], strlen(texts));
	assert_memory_equal(r->text, texts, strlen(texts));
}

/* Names come before the first record of a round that may need them, also around
 * the end of their ring, and none is missing. */
static void names_come_before_calls(void **state)
{
	struct fixture *x = open_claimed();
	char text[16], texts[32];
	uint32_t n = 0;

	(void)state;
	merge(x);
	while (x->rings[0].head < 3 * GN_FAST_NAMES) {
		x->out.n = 0;
		for (int i = 0; i < 20; i++) {
			snprintf(text, sizeof(text), "T.F%u", ++n);
			write_name(x, n, text, "m.dll");
		}
		write_record(x, 3, n << 2 | GN_FAST_ENTER);
		if (x->rings[3].head >= GN_FAST_FIRST - GN_FAST_RECORD)
			write_record(x, 3, GN_FAST_WRAP);
		merge(x);
		assert_int_equal(x->out.n, 21);
		for (uint32_t i = 0; i < 20; i++) {
			snprintf(texts, sizeof(texts), "T.F%um.dll",
				 n - 19 + i);
			assert_name(&x->out.rec[i].h, n - 19 + i, texts);
		}
		assert_int_equal(x->out.rec[20].h.kind, GN_KIND_ENTER);
		assert_int_equal(x->rings[0].tail, x->rings[0].head);
	}
	assert_false(x->out.back);
	close_fixture(x);
}

static void kernel_event(struct fixture *x, uint32_t tid, uint32_t index)
{
	static uint32_t seq;
	struct gn_rec_event event = {
		.h = {.time = 100 + seq,
		      .tid = tid,
		      .seq = seq + 1,
		      .kind = GN_KIND_EVENT},
		.func = GN_FUNC(GN_RUNTIME_CLR, index),
	};

	seq++;
	assert_true(gn_fast_record(x->f, &event.h, sizeof(event)));
}

/* Names come before the kernel's events that use them, also those of threads
 * without a ring. But no name comes before what its process did at its
 * begin. */
static void names_come_before_events(void **state)
{
	struct fixture *x = open_fixture();

	(void)state;
	write_name(x, 5, "T.F", "m.dll");
	kernel_event(x, TID + 1, 5);
	x->out.n = 0;
	merge(x);
	assert_int_equal(x->out.n, 3);
	assert_int_equal(x->out.rec[0].h.kind, GN_KIND_RING);
	assert_name(&x->out.rec[1].h, 5, "T.Fm.dll");
	assert_int_equal(x->out.rec[2].h.kind, GN_KIND_EVENT);
	write_name(x, 6, "T.G", "m.dll");
	kernel_event(x, TID + 1, 6);
	x->out.n = 0;
	merge(x);
	assert_int_equal(x->out.n, 2);
	assert_name(&x->out.rec[0].h, 6, "T.Gm.dll");
	assert_int_equal(x->out.rec[1].h.kind, GN_KIND_EVENT);
	assert_false(x->out.back);
	close_fixture(x);
}

/* Names continue where the sink stopped. */
static void names_a_few_at_a_time(void **state)
{
	struct fixture *x = open_claimed();
	int err, times = 0;
	char texts[32];

	(void)state;
	x->out.n = 0;
	merge(x);
	x->out.n = x->out.all = 0;
	for (uint32_t i = 1; i <= 1000; i++) {
		snprintf(texts, sizeof(texts), "T.F%u", i);
		write_name(x, i, texts, "m.dll");
	}
	write_record(x, 3, 5 << 2 | GN_FAST_ENTER);
	gn_fast_mark(x->f);
	x->out.full = true;
	while ((err = gn_fast_merge(x->f)) == 1)
		times++;
	x->out.full = false;
	assert_int_equal(err, 0);
	assert_in_range(times, 10, 100);
	assert_int_equal(x->out.all, 1001);
	assert_int_equal(x->out.n, MAX);
	for (uint32_t i = 1; i <= MAX; i++) {
		snprintf(texts, sizeof(texts), "T.F%um.dll", i);
		assert_name(&x->out.rec[i - 1].h, i, texts);
	}
	assert_false(x->out.back);
	close_fixture(x);
}

static void kernel_exec(struct fixture *x)
{
	struct gn_rec_thread exec = {
		.f = {.h = {.time = 400,
			    .tid = TID,
			    .seq = ++x->seq,
			    .kind = GN_KIND_EXEC}},
		.pid = TID,
	};

	assert_true(gn_fast_record(x->f, &exec.f.h, sizeof(exec)));
}

/* A thread's names come before its end, because nothing of it may follow.
 * Another thread sends those that come later. */
static void names_come_before_an_end(void **state)
{
	static const enum gn_kind ends[] = {GN_KIND_EXIT, GN_KIND_STOP,
					    GN_KIND_EXEC};

	(void)state;
	for (size_t i = 0; i < 3; i++) {
		struct fixture *x = open_claimed();

		if (i == 0) {
			tell(x, GN_FAST_CLAIM, 4, TID + 1);
			write_name(x, 4, "T.E", "m.dll");
		}
		x->out.n = 0;
		merge(x);
		write_name(x, 5, "T.F", "m.dll");
		if (ends[i] == GN_KIND_EXEC)
			kernel_exec(x);
		else
			kernel_record(x, ends[i], TID, 400);
		x->out.n = 0;
		merge(x);
		assert_int_equal(x->out.n, 2);
		assert_name(&x->out.rec[0].h, 5, "T.Fm.dll");
		assert_int_equal(x->out.rec[1].h.kind, ends[i]);
		write_name(x, 6, "T.G", "m.dll");
		x->out.n = 0;
		merge(x);
		assert_int_equal(x->out.n, i == 0);
		if (i == 0) {
			assert_name(&x->out.rec[0].h, 6, "T.Gm.dll");
			assert_int_equal(x->out.rec[0].h.tid, TID + 1);
		}
		close_fixture(x);
	}
}

static void no_hooks_name(const struct gn_fast_name *head, uint32_t n)
{
	struct fixture *x = open_claimed();
	struct gn_fast_facts facts;

	write_name(x, 5, "T.F", "m.dll");
	write_bytes(x, head, sizeof(*head));
	x->rings[0].head += n - (uint32_t)sizeof(*head);
	write_record(x, 3, 5 << 2 | GN_FAST_ENTER);
	merge(x);
	gn_fast_tell(x->f, &facts);
	assert_int_equal(facts.counts.hostile, 1);
	assert_int_equal(facts.counts.records, 1);
	/* earlier names are there, later ones are not read */
	x->out.n = 0;
	write_name(x, 6, "T.G", "m.dll");
	write_record(x, 3, 6 << 2 | GN_FAST_ENTER);
	merge(x);
	assert_int_equal(x->out.n, 1);
	assert_int_equal(x->out.rec[0].h.kind, GN_KIND_ENTER);
	gn_fast_tell(x->f, &facts);
	assert_int_equal(facts.counts.hostile, 1);
	close_fixture(x);
}

/* Names that the library does not write. */
static void bad_names(void **state)
{
	static const struct {
		struct gn_fast_name head;
		uint32_t n; /* bytes, up to where the ring says that it ends */
	} bad[] = {
		{{.size = 32, .index = 0, .len = {3, 5}}, 32},
		{{.size = 32, .index = 1u << 28, .len = {3, 5}}, 32},
		{{.size = 40, .index = 6, .len = {3, 5}}, 40},
		{{.size = 24, .index = 6, .len = {3, 5}}, 32},
		{{.size = 0, .index = 6, .len = {3, 5}}, 32},
		{{.size = 32, .index = 6, .len = {3, 5}}, 24},
		{{.size = 2048, .index = 6, .len = {GN_SENT_NAME_MAX + 1, 999}},
		 2048},
		{{.size = 24 + 776, .index = 6, .len = {0, 769}}, 24 + 776},
		{{.size = 32, .index = 6, .len = {3, 5}}, 25},
		{{.size = 32, .index = 6, .len = {3, 5}}, GN_FAST_NAMES},
		{{.size = 32, .index = 6, .len = {3, 5}}, 1u << 31},
	};
	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		no_hooks_name(&bad[i].head, bad[i].n);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(names_come_before_calls),
		cmocka_unit_test(names_come_before_events),
		cmocka_unit_test(names_a_few_at_a_time),
		cmocka_unit_test(names_come_before_an_end),
		cmocka_unit_test(bad_names),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
