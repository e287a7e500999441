// SPDX-License-Identifier: BSD-2-Clause
/* Collections whose ends other threads tell: the CLR's concurrent ones, and
 * those of its server. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <gnomon/event.h>
#include "model_feed.h"
#include "runtime/roles.h"

#define CLR	GN_FUNC(GN_RUNTIME_CLR, 0)
#define HOTSPOT GN_FUNC(GN_RUNTIME_HOTSPOT, 0)

static struct feed begin(void)
{
	struct gn_pipeline_opts opts = {.classify = GN_CLASSIFY_EXACT,
					.roles = gn_runtime_roles,
					.families = ~0u};
	struct feed f = {.p = gn_pipeline_new(&opts)};

	assert_non_null(f.p);
	return f;
}

static void thread(struct feed *f, uint32_t tid, const char *comm)
{
	struct gn_rec_thread r = {.f = {.h = {.time = 100,
					      .tid = tid,
					      .seq = ++f->seq[tid],
					      .kind = GN_KIND_THREAD}},
				  .pid = 1};

	memcpy(r.comm, comm, strlen(comm));
	feed_rec(f, &r, sizeof(r));
}

static void event(struct feed *f, uint64_t time, uint32_t tid,
		  enum gn_kind kind, uint32_t func)
{
	feed_event(f, time, tid, kind, func, 0, 0);
}

/* "start-end cpu; ..." of the collections, in their order. */
static void assert_collections(const struct gn_model *m, const char *want)
{
	char text[256] = "", cpu[32];
	size_t n = 0;

	for (size_t i = 0; i < m->nevents; i++) {
		const struct gn_model_event *e = &m->events[i];

		assert_int_not_equal(e->event, GN_RT_COLLECTED);
		if (e->event != GN_RT_COLLECT)
			continue;
		snprintf(cpu, sizeof(cpu), "%d", (int)e->cpu);
		n += (size_t)snprintf(text + n, sizeof(text) - n,
				      "%d-%d %s%s; ", (int)e->start,
				      (int)e->end, e->no_cpu ? "-" : cpu,
				      e->open ? " open" : "");
	}
	assert_string_equal(text, want);
}

static void assert_class(const struct gn_model *m, uint32_t tid, uint64_t gc,
			 uint64_t app)
{
	const struct gn_model_thread *t = thread_in(m, tid);

	assert_non_null(t);
	assert_int_equal(t->classes[GN_CLASS_GC], gc);
	assert_int_equal(t->classes[GN_CLASS_APP], app);
}

/* The thread that began it goes on when it lets the others go on; one that
 * stops all is within it. */
static void a_concurrent_one_is_ended_by_its_thread(void **state)
{
	struct feed f = begin();
	struct gn_model *m;

	(void)state;
	thread(&f, 1, "main");
	thread(&f, 2, ".NET BGC");
	event(&f, 200, 1, GN_KIND_SUSPEND_BEGIN, CLR);
	event(&f, 210, 1, GN_KIND_GC_BEGIN, CLR);
	event(&f, 240, 1, GN_KIND_SUSPEND_END, CLR);
	event(&f, 300, 1, GN_KIND_SUSPEND_BEGIN, CLR);
	event(&f, 310, 1, GN_KIND_GC_BEGIN, CLR);
	event(&f, 330, 1, GN_KIND_GC_END, CLR);
	event(&f, 340, 1, GN_KIND_SUSPEND_END, CLR);
	event(&f, 400, 2, GN_KIND_SUSPEND_BEGIN, CLR);
	event(&f, 420, 2, GN_KIND_SUSPEND_END, CLR);
	event(&f, 450, 2, GN_KIND_GC_END, CLR);
	event(&f, 500, 1, GN_KIND_EXIT, 0);
	event(&f, 500, 2, GN_KIND_EXIT, 0);
	m = feed_finish(&f);
	assert_collections(m, "210-450 -; 310-330 20; ");
	/* 30 + 20 */
	assert_class(m, 1, 50, 350);
	assert_class(m, 2, 400, 0);
	gn_model_free(m);
}

/* Nobody begins one in another there, but each thread can end it. */
static void a_servers_is_ended_by_any_thread(void **state)
{
	struct feed f = begin();
	struct gn_model *m;

	(void)state;
	thread(&f, 1, ".NET Server GC");
	thread(&f, 2, ".NET Server GC");
	for (uint32_t i = 0; i < 2; i++) {
		uint64_t at = 200 + 100 * i;

		event(&f, at, 1 + i, GN_KIND_SUSPEND_BEGIN, CLR);
		event(&f, at + 10, 1 + i, GN_KIND_GC_BEGIN, CLR);
		event(&f, at + 50, 2 - i, GN_KIND_GC_END, CLR);
		event(&f, at + 60, 1 + i, GN_KIND_SUSPEND_END, CLR);
	}
	event(&f, 410, 1, GN_KIND_GC_BEGIN, CLR);
	event(&f, 500, 1, GN_KIND_EXIT, 0);
	event(&f, 600, 2, GN_KIND_EXIT, 0);
	m = feed_finish(&f);
	assert_collections(m, "210-250 -; 310-350 -; 410-600 - open; ");
	gn_model_free(m);
}

/* Threads of another runtime collect beside each other. */
static void others_end_where_they_began(void **state)
{
	struct feed f = begin();
	struct gn_model *m;

	(void)state;
	thread(&f, 1, "one");
	thread(&f, 2, "two");
	event(&f, 200, 1, GN_KIND_GC_BEGIN, HOTSPOT);
	event(&f, 210, 2, GN_KIND_GC_BEGIN, HOTSPOT);
	event(&f, 250, 1, GN_KIND_GC_END, HOTSPOT);
	event(&f, 290, 2, GN_KIND_GC_END, HOTSPOT);
	event(&f, 300, 1, GN_KIND_EXIT, 0);
	event(&f, 300, 2, GN_KIND_EXIT, 0);
	m = feed_finish(&f);
	assert_collections(m, "200-250 50; 210-290 80; ");
	assert_class(m, 1, 50, 150);
	gn_model_free(m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_concurrent_one_is_ended_by_its_thread),
		cmocka_unit_test(a_servers_is_ended_by_any_thread),
		cmocka_unit_test(others_end_where_they_began),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
