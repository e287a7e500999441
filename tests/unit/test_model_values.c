// SPDX-License-Identifier: BSD-2-Clause
/* Values come before their hit: each one is reported with its own hit, or not
 * at all. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "model_feed.h"

/* What the observer received: "f4 +7 +8" is a call of f4 with two values. */
struct told {
	char text[256];
	size_t n;
};

static void tell(struct told *t, const char *what, uint64_t n)
{
	t->n += (size_t)snprintf(t->text + t->n, sizeof(t->text) - t->n, "%s%d",
				 what, (int)n);
	assert_true(t->n < sizeof(t->text));
}

static int enter(void *ctx, const struct gn_seen *at, uint32_t fn,
		 enum gn_frame_begin how)
{
	(void)at;
	(void)how;
	tell(ctx, " f", fn);
	return 0;
}

static int value(void *ctx, const struct gn_seen *at,
		 const struct gn_seen_value *v)
{
	(void)at;
	tell(ctx, " +", v->number);
	return 0;
}

static void feed_value(struct feed *f, uint64_t time, uint32_t func,
		       uint8_t which, uint64_t number)
{
	struct gn_rec_value r = {.h = {.time = time,
				       .tid = 1,
				       .seq = ++f->seq[1],
				       .kind = GN_KIND_VALUE,
				       .flags = GN_F_OF_HIT},
				 .func = func,
				 .which = which,
				 .type = GN_VALUE_U64,
				 .number = number};

	feed_rec(f, &r, sizeof(r));
}

static void hits(struct feed *f)
{
	feed_thread(f, 0, 1, GN_KIND_THREAD, 1, 0);
	feed_event(f, 10, 1, GN_KIND_ENTER, 1, 800, 0);
	feed_value(f, 19, 2, 1, 7);
	feed_value(f, 19, 2, 2, 8);
	feed_event(f, 20, 1, GN_KIND_HIT, 2, 700, 0);
	feed_event(f, 30, 1, GN_KIND_HIT, 2, 700, 0);
	/* its hit is lost */
	feed_value(f, 39, 2, 1, 9);
	f->seq[1]++;
	feed_event(f, 50, 1, GN_KIND_HIT, 2, 700, 0);
	/* the hit of another probe */
	feed_value(f, 59, 2, 1, 10);
	feed_event(f, 60, 1, GN_KIND_HIT, 3, 700, 0);
	feed_event(f, 70, 1, GN_KIND_HIT, 2, 700, 0);
	/* the first value is lost */
	f->seq[1]++;
	feed_value(f, 79, 2, 2, 12);
	feed_event(f, 80, 1, GN_KIND_HIT, 2, 700, 0);
	/* its hit and the next one's first value are lost */
	feed_value(f, 89, 2, 1, 13);
	f->seq[1] += 2;
	feed_value(f, 99, 2, 2, 14);
	feed_event(f, 100, 1, GN_KIND_HIT, 2, 700, 0);
	/* more than the limit */
	for (uint8_t i = 0; i < 20; i++)
		feed_value(f, 109, 2, i, i);
	feed_event(f, 110, 1, GN_KIND_HIT, 2, 700, 0);
	feed_value(f, 119, 2, 1, 15);
}

static void each_of_its_hit(void **state)
{
	struct told told = {.n = 0};
	struct gn_observer o = {.ctx = &told, .enter = enter, .value = value};
	struct gn_pipeline_opts opts = {.observer = &o};
	struct feed f = {.p = gn_pipeline_new(&opts)};
	struct gn_model *m = NULL;

	(void)state;
	assert_non_null(f.p);
	for (uint32_t i = 1; i <= 3; i++)
		feed_named(&f, GN_KIND_FUNCTION, i, 0);
	hits(&f);
	assert_int_equal(gn_pipeline_finish(f.p, &m), 0);
	gn_model_free(m);
	gn_pipeline_free(f.p);
	assert_string_equal(told.text,
			    " f0 f1 +7 +8 f1 f1 f2 f1 f1 +12 f1 +14 f1 +0 +1 "
			    "+2 +3 +4 +5 +6");
}

static int tell_class(void *ctx, const struct gn_seen *at,
		      const struct gn_seen_value *v)
{
	(void)at;
	if (v->class_fn == GN_NONE)
		tell(ctx, " table ", v->number);
	else
		tell(ctx, " class ", v->class_fn);
	return 0;
}

static void feed_class(struct feed *f, uint64_t time, uint64_t table,
		       uint32_t name)
{
	struct gn_rec_value r = {.h = {.time = time,
				       .tid = 1,
				       .seq = ++f->seq[1],
				       .kind = GN_KIND_VALUE},
				 .func = 1,
				 .which = GN_VALUE_THIS,
				 .type = GN_VALUE_CLASS,
				 .len = name ? sizeof(name) : 0,
				 .number = table};

	memcpy(r.text, &name, sizeof(name));
	feed_rec(f, &r, sizeof(r));
}

/* A class is known by its name, which may change for the same table. */
static void classes(void **state)
{
	struct told told = {.n = 0};
	struct gn_observer o = {.ctx = &told, .value = tell_class};
	struct gn_pipeline_opts opts = {.observer = &o};
	struct feed f = {.p = gn_pipeline_new(&opts)};
	struct gn_model *m = NULL;

	(void)state;
	assert_non_null(f.p);
	for (uint32_t i = 1; i <= 3; i++)
		feed_named(&f, GN_KIND_FUNCTION, i, 0);
	feed_thread(&f, 0, 1, GN_KIND_THREAD, 1, 0);
	feed_event(&f, 10, 1, GN_KIND_ENTER, 1, 800, 0);
	feed_class(&f, 11, 64, 2);
	feed_class(&f, 12, 0, 0);
	feed_class(&f, 13, 64, 0);
	feed_class(&f, 14, 64, 3);
	assert_int_equal(gn_pipeline_finish(f.p, &m), 0);
	gn_model_free(m);
	gn_pipeline_free(f.p);
	assert_string_equal(told.text, " class 1 table 0 table 64 class 2");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_of_its_hit),
		cmocka_unit_test(classes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
