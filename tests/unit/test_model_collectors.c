// SPDX-License-Identifier: BSD-2-Clause
/* The CPU time of collections on several threads. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <gnomon/event.h>
#include <gnomon/runtime_event.h>
#include "model_feed.h"
#include "runtime/roles.h"

#define CLR	GN_FUNC(GN_RUNTIME_CLR, 0)
#define HOTSPOT GN_FUNC(GN_RUNTIME_HOTSPOT, 0)

/* Time off a CPU since the thread's last record. */
static uint32_t off[FEED_TIDS];

static struct feed begin(void)
{
	struct gn_pipeline_opts opts = {.classify = GN_CLASSIFY_EXACT,
					.roles = gn_runtime_roles,
					.families = ~0u};
	struct feed f = {.p = gn_pipeline_new(&opts)};

	assert_non_null(f.p);
	memset(off, 0, sizeof(off));
	return f;
}

static void event(struct feed *f, uint64_t time, uint32_t tid,
		  enum gn_kind kind)
{
	feed_event(f, time, tid, kind, CLR, 0, off[tid]);
	off[tid] = 0;
}

static void sleeps(struct feed *f, uint64_t from, uint64_t to, uint32_t tid)
{
	feed_slice(f, from, to, tid, GN_CLASS_EVENT, 0, false);
	off[tid] += (uint32_t)(to - from);
}

/* "start-end cpu; ..." */
static void assert_collections(struct feed *f, const char *want)
{
	struct gn_model *m = feed_finish(f);
	char text[256] = "", cpu[32];
	size_t n = 0;

	for (size_t i = 0; i < m->nevents; i++) {
		const struct gn_model_event *e = &m->events[i];

		if (e->event != GN_RT_COLLECT)
			continue;
		snprintf(cpu, sizeof(cpu), "%d", (int)e->cpu);
		n += (size_t)snprintf(text + n, sizeof(text) - n, "%d-%d %s; ",
				      (int)e->start, (int)e->end,
				      e->no_cpu ? "-" : cpu);
	}
	gn_model_free(m);
	assert_string_equal(text, want);
}

static struct feed begin_server(void)
{
	struct feed f = begin();

	feed_comm(&f, 100, 1, "main");
	feed_comm(&f, 100, 2, ".NET Server GC");
	feed_comm(&f, 100, 3, ".NET Server GC");
	return f;
}

static void end_server(struct feed *f, uint64_t time)
{
	for (uint32_t tid = 1; tid <= 3; tid++)
		event(f, time, tid, GN_KIND_EXIT);
}

/* What a thread did in a collection is known when it wakes for the next one. */
static void all_collectors_count(void **state)
{
	struct feed f = begin_server();

	(void)state;
	sleeps(&f, 110, 200, 2);
	event(&f, 210, 2, GN_KIND_GC_BEGIN);
	sleeps(&f, 120, 220, 3);
	sleeps(&f, 230, 240, 3);
	event(&f, 260, 3, GN_KIND_GC_END);
	event(&f, 410, 1, GN_KIND_GC_BEGIN);
	sleeps(&f, 270, 420, 2);
	sleeps(&f, 270, 440, 3);
	event(&f, 450, 1, GN_KIND_GC_END);
	end_server(&f, 460);
	/* 50 + 10 + 20; 40 + 30 + 10 */
	assert_collections(&f, "210-260 80; 410-450 80; ");
}

/* While slices are lost there is no time; afterwards there is again. */
static void lost_slices_are_no_time(void **state)
{
	struct feed f = begin_server();

	(void)state;
	sleeps(&f, 110, 200, 3);
	for (uint64_t at = 200; at < 500; at += 100) {
		event(&f, at + 10, 2, GN_KIND_GC_BEGIN);
		f.slice_seq[3] += at == 300;
		sleeps(&f, at + 20, at + 30, 3);
		event(&f, at + 40, 2, GN_KIND_GC_END);
		sleeps(&f, at + 45, at + 48, 3);
		/* the end of an interval, so that the next one is complete
		 * again */
		event(&f, at + 50, 3, GN_KIND_JIT_END);
	}
	end_server(&f, 600);
	assert_collections(&f, "210-240 50; 310-340 -; 410-440 50; ");
}

/* A held slice arrives after a later one. */
static void held_slices_are_no_time(void **state)
{
	struct feed f = begin_server();

	(void)state;
	event(&f, 210, 2, GN_KIND_GC_BEGIN);
	feed_slice(&f, 220, 230, 3, GN_CLASS_EVENT, 0, true);
	off[3] += 10;
	sleeps(&f, 240, 250, 3);
	event(&f, 260, 2, GN_KIND_GC_END);
	event(&f, 310, 2, GN_KIND_GC_BEGIN);
	event(&f, 320, 3, GN_KIND_JIT_END);
	event(&f, 330, 2, GN_KIND_GC_END);
	event(&f, 410, 2, GN_KIND_GC_BEGIN);
	event(&f, 430, 2, GN_KIND_GC_END);
	end_server(&f, 600);
	assert_collections(&f, "210-260 -; 310-330 -; 410-430 40; ");
}

/* Its end is the end of the capture, or was lost. */
static void a_thread_without_end_is_no_time(void **state)
{
	struct feed f = begin_server();

	(void)state;
	event(&f, 210, 2, GN_KIND_GC_BEGIN);
	sleeps(&f, 220, 230, 3);
	event(&f, 240, 2, GN_KIND_GC_END);
	event(&f, 310, 2, GN_KIND_GC_BEGIN);
	event(&f, 340, 2, GN_KIND_GC_END);
	event(&f, 400, 1, GN_KIND_EXIT);
	event(&f, 400, 2, GN_KIND_EXIT);
	assert_collections(&f, "210-240 -; 310-340 -; ");
}

/* The thread that reports begin and end is no collector: its time in the class
 * counts. */
static void others_help_it(void **state)
{
	struct feed f = begin();

	(void)state;
	feed_comm(&f, 100, 1, "VM Thread");
	feed_comm(&f, 100, 2, "GC Thread#0");
	feed_comm(&f, 100, 3, "other");
	feed_event(&f, 210, 1, GN_KIND_GC_BEGIN, HOTSPOT, 0, 0);
	sleeps(&f, 110, 220, 2);
	sleeps(&f, 230, 250, 2);
	feed_event(&f, 260, 1, GN_KIND_GC_END, HOTSPOT, 0, 0);
	end_server(&f, 300);
	/* 50 + 10 + 10 */
	assert_collections(&f, "210-260 70; ");
}

/* Functions are traced in the collection. */
static void calls_of_a_collector_collect(void **state)
{
	const struct gn_model_thread *t;
	struct feed f = begin();
	struct gn_model *m;

	(void)state;
	feed_comm(&f, 100, 2, "GC Thread#0");
	for (uint64_t at = 110; at < 300; at += 20) {
		feed_event(&f, at, 2, GN_KIND_ENTER, 5, 0x100, 0);
		feed_event(&f, at + 10, 2, GN_KIND_LEAVE, 5, 0x100, 0);
	}
	event(&f, 300, 2, GN_KIND_EXIT);
	m = feed_finish(&f);
	t = thread_in(m, 2);
	assert_int_equal(t->v.calls, 10);
	assert_int_equal(t->classes[GN_CLASS_GC], 200);
	assert_int_equal(t->classes[GN_CLASS_APP], 0);
	gn_model_free(m);
}

#define TICKS	   20000
#define COLLECTORS 4

struct world {
	struct feed f;
	bool on[COLLECTORS][TICKS]; /* on a CPU */
	uint64_t off[COLLECTORS];   /* asleep since then; 0: awake */
	uint64_t begun;
	uint32_t teller;
	uint64_t want[TICKS], start[TICKS];
	size_t n;
};

static uint64_t spent(const struct world *w, uint64_t from, uint64_t to)
{
	uint64_t sum = w->teller ? 0 : to - from;

	for (uint64_t at = from; at < to; at++)
		for (int i = 0; i < COLLECTORS; i++)
			sum += w->on[i][at];
	return sum;
}

/* The records of a running collector, or of the thread that also does other
 * work, at that time. */
static void tell(struct world *w, uint64_t at)
{
	uint32_t teller = (uint32_t)rand() % (COLLECTORS + 1);

	if (w->begun && !w->teller)
		teller = 0; /* the thread that began it also ends it */
	else if (w->begun && !teller)
		return;
	if (rand() % 10 || (teller && w->off[teller - 1]))
		return;
	event(&w->f, at, 1 + teller,
	      w->begun ? GN_KIND_GC_END : GN_KIND_GC_BEGIN);
	if (!w->begun) {
		w->teller = teller;
		w->start[w->n] = w->begun = at;
		return;
	}
	w->want[w->n++] = spent(w, w->begun, at);
	w->begun = 0;
}

static void turn(struct world *w, uint64_t at)
{
	for (uint32_t i = 0; i < COLLECTORS; i++) {
		if (!(rand() % 20) && w->off[i]) {
			sleeps(&w->f, w->off[i], at, 2 + i);
			w->off[i] = 0;
		} else if (!(rand() % 20) && !w->off[i]) {
			w->off[i] = at;
		}
		w->on[i][at] = !w->off[i];
	}
}

static void as_each_tick_counts(void **state)
{
	struct world *w = calloc(1, sizeof(*w));
	struct gn_model *m;
	size_t n = 0;

	(void)state;
	assert_non_null(w);
	srand(5);
	w->f = begin();
	feed_comm(&w->f, 1, 1, "main");
	for (uint32_t i = 0; i < COLLECTORS; i++)
		feed_comm(&w->f, 1, 2 + i, ".NET Server GC");
	for (uint64_t at = 2; at < TICKS; at++) {
		turn(w, at);
		tell(w, at);
	}
	for (uint32_t i = 0; i < COLLECTORS; i++)
		if (w->off[i])
			sleeps(&w->f, w->off[i], TICKS, 2 + i);
	for (uint32_t tid = 1; tid <= 1 + COLLECTORS; tid++)
		event(&w->f, TICKS, tid, GN_KIND_EXIT);
	m = feed_finish(&w->f);
	for (size_t i = 0; i < m->nevents; i++) {
		const struct gn_model_event *e = &m->events[i];

		if (e->event != GN_RT_COLLECT || n == w->n)
			continue;
		assert_int_equal(e->start, w->start[n]);
		assert_false(e->no_cpu);
		assert_int_equal(e->cpu, w->want[n]);
		n++;
	}
	assert_int_equal(n, w->n);
	assert_true(n > 100);
	gn_model_free(m);
	free(w);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(all_collectors_count),
		cmocka_unit_test(lost_slices_are_no_time),
		cmocka_unit_test(held_slices_are_no_time),
		cmocka_unit_test(a_thread_without_end_is_no_time),
		cmocka_unit_test(others_help_it),
		cmocka_unit_test(calls_of_a_collector_collect),
		cmocka_unit_test(as_each_tick_counts),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
