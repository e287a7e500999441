// SPDX-License-Identifier: BSD-2-Clause
/* Collections whose ends other threads report: the concurrent ones of the CLR,
 * and those of its server mode. */
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

static struct feed begin_with(const struct gn_observer *o)
{
	struct gn_pipeline_opts opts = {.classify = GN_CLASSIFY_EXACT,
					.roles = gn_runtime_roles,
					.families = ~0u,
					.observer = o};
	struct feed f = {.p = gn_pipeline_new(&opts)};

	assert_non_null(f.p);
	return f;
}

static struct feed begin(void)
{
	return begin_with(NULL);
}

/* "thread start-end; ..." for the background activities that an observer
 * received. */
struct seen {
	char text[64 * 1024];
	size_t n;
};

static int see_background(void *ctx, uint32_t thread, uint64_t start,
			  uint64_t end)
{
	struct seen *s = ctx;

	assert_true(s->n < sizeof(s->text));
	s->n += (size_t)snprintf(s->text + s->n, sizeof(s->text) - s->n,
				 "%u %d-%d; ", thread, (int)start, (int)end);
	return 0;
}

static struct feed begin_seen(struct gn_observer *o, struct seen *s)
{
	*s = (struct seen){.n = 0};
	*o = (struct gn_observer){.ctx = s, .background = see_background};
	return begin_with(o);
}

static void thread(struct feed *f, uint32_t tid, const char *comm)
{
	feed_comm(f, 100, tid, comm);
}

static void event(struct feed *f, uint64_t time, uint32_t tid,
		  enum gn_kind kind, uint32_t func)
{
	feed_event(f, time, tid, kind, func, 0, 0);
}

static void begins(struct feed *f, uint64_t time, uint32_t tid, int generation)
{
	feed_event(f, time, tid, GN_KIND_GC_BEGIN, CLR,
		   GN_GC_KEY(generation, false), 0);
}

/* "start-end cpu; ..." for the collections, in order. */
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

/* A character for each collection: y is a young one that began another one. It
 * has the reason of the other one. */
static void assert_young(const struct gn_model *m, const char *want)
{
	const struct gn_model_event *before = NULL;
	char text[16] = "";
	size_t n = 0;

	for (size_t i = 0; i < m->nevents; i++) {
		const struct gn_model_event *e = &m->events[i];

		if (e->event != GN_RT_COLLECT)
			continue;
		assert_true(n < sizeof(text) - 1);
		text[n++] = e->young ? 'y' : '-';
		if (e->young) {
			assert_non_null(before);
			assert_int_equal(e->value[0], 0);
			assert_int_equal(e->value[1], before->value[1]);
		}
		before = e;
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

/* The thread that began it continues when it resumes the others. A collection
 * that stops all threads lies within it. */
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
	assert_collections(m, "210-450 -; 310-330 40; ");
	/* 30 + 20 */
	assert_class(m, 1, 50, 350);
	assert_class(m, 2, 400, 0);
	gn_model_free(m);
}

/* No collection begins inside another one there, but any thread can end it. */
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
	assert_collections(m, "210-250 80; 310-350 80; 410-600 - open; ");
	gn_model_free(m);
}

/* Threads of another runtime collect independently of each other. */
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

/* A concurrent one from 210 to 450: a young one in its suspension begins it,
 * and another one lies within it. */
static void collects_beside_both(struct feed *f)
{
	event(f, 200, 1, GN_KIND_SUSPEND_BEGIN, CLR);
	begins(f, 210, 1, 2);
	event(f, 230, 1, GN_KIND_GC_END, CLR);
	event(f, 240, 1, GN_KIND_SUSPEND_END, CLR);
	event(f, 300, 1, GN_KIND_SUSPEND_BEGIN, CLR);
	begins(f, 310, 1, 0);
	event(f, 330, 1, GN_KIND_GC_END, CLR);
	event(f, 340, 1, GN_KIND_SUSPEND_END, CLR);
	event(f, 400, 2, GN_KIND_SUSPEND_BEGIN, CLR);
	event(f, 420, 2, GN_KIND_SUSPEND_END, CLR);
	event(f, 450, 2, GN_KIND_GC_END, CLR);
}

/* The runtime does not report the begin of the young one, only its end. */
static void a_young_one_begins_a_concurrent_one(void **state)
{
	struct feed f = begin();
	struct gn_model *m;

	(void)state;
	thread(&f, 1, "main");
	thread(&f, 2, ".NET BGC");
	collects_beside_both(&f);
	event(&f, 500, 1, GN_KIND_EXIT, 0);
	event(&f, 500, 2, GN_KIND_EXIT, 0);
	m = feed_finish(&f);
	assert_collections(m, "210-450 -; 210-230 40; 310-330 40; ");
	assert_int_equal(m->collections.all, 3);
	assert_int_equal(m->collections.told, 3);
	assert_int_equal(m->collections.asked, 0);
	assert_young(m, "-y-");
	/* 20 + 20; the rest of the suspension is not attributed to one */
	assert_class(m, 1, 40, 360);
	assert_class(m, 2, 400, 0);
	gn_model_free(m);
}

/* The program asked for the concurrent one, and so for the young one. */
static void a_young_one_is_asked_for_with_its_concurrent_one(void **state)
{
	struct feed f = begin();
	struct gn_model *m;

	(void)state;
	thread(&f, 1, "main");
	thread(&f, 2, ".NET BGC");
	feed_event(&f, 210, 1, GN_KIND_GC_BEGIN, CLR, GN_GC_KEY(2, true), 0);
	event(&f, 230, 1, GN_KIND_GC_END, CLR);
	event(&f, 450, 2, GN_KIND_GC_END, CLR);
	event(&f, 500, 1, GN_KIND_EXIT, 0);
	event(&f, 500, 2, GN_KIND_EXIT, 0);
	m = feed_finish(&f);
	assert_young(m, "-y");
	assert_int_equal(m->collections.all, 2);
	assert_int_equal(m->collections.told, 2);
	assert_int_equal(m->collections.asked, 2);
	gn_model_free(m);
}

/* Ends without a begin, when tracing began during a collection: no collection
 * of all generations has ended before, or the thread itself ended it, or it
 * belongs to another runtime. */
static void other_ends_are_of_none(void **state)
{
	struct feed f = begin();
	struct gn_model *m;

	(void)state;
	thread(&f, 1, "main");
	thread(&f, 2, ".NET BGC");
	begins(&f, 200, 1, 1);
	event(&f, 210, 1, GN_KIND_GC_END, CLR);
	event(&f, 220, 2, GN_KIND_GC_END, CLR);
	begins(&f, 300, 1, 2);
	event(&f, 310, 1, GN_KIND_GC_END, CLR);
	event(&f, 320, 1, GN_KIND_GC_END, CLR);
	event(&f, 330, 2, GN_KIND_GC_END, HOTSPOT);
	event(&f, 400, 1, GN_KIND_EXIT, 0);
	event(&f, 400, 2, GN_KIND_EXIT, 0);
	m = feed_finish(&f);
	assert_collections(m, "200-210 20; 300-310 20; ");
	gn_model_free(m);
}

/* Threads are numbered in the order of their begins. */
static void background_ones_are_shown(void **state)
{
	struct gn_observer o;
	struct seen *s = malloc(sizeof(*s));
	struct feed f;

	(void)state;
	assert_non_null(s);
	f = begin_seen(&o, s);
	thread(&f, 1, "main");
	thread(&f, 2, ".NET BGC");
	/* a collection that stops all threads */
	event(&f, 110, 1, GN_KIND_SUSPEND_BEGIN, CLR);
	begins(&f, 120, 1, 2);
	event(&f, 130, 1, GN_KIND_GC_END, CLR);
	event(&f, 140, 1, GN_KIND_SUSPEND_END, CLR);
	collects_beside_both(&f);
	/* a collection that the end of the capture cuts, with a young one in
	 * it */
	event(&f, 500, 1, GN_KIND_SUSPEND_BEGIN, CLR);
	begins(&f, 510, 1, 2);
	event(&f, 520, 1, GN_KIND_SUSPEND_END, CLR);
	event(&f, 530, 1, GN_KIND_SUSPEND_BEGIN, CLR);
	begins(&f, 540, 1, 1);
	event(&f, 550, 1, GN_KIND_GC_END, CLR);
	event(&f, 560, 1, GN_KIND_SUSPEND_END, CLR);
	event(&f, 600, 1, GN_KIND_EXIT, 0);
	event(&f, 600, 2, GN_KIND_EXIT, 0);
	gn_model_free(feed_finish(&f));
	assert_string_equal(s->text, "0 210-450; 0 510-600; ");
	free(s);
}

/* A process that ends in a collection, and one that executes another program:
 * no collection continues. */
static void the_process_ends_background_ones(void **state)
{
	struct gn_rec_func exits = {.h = {.time = 300,
					  .tid = 1,
					  .seq = 5,
					  .kind = GN_KIND_EXIT,
					  .flags = GN_F_PROCESS_ENDS}};
	struct gn_rec_thread execs = {.f = {.h = {.time = 300,
						  .tid = 1,
						  .seq = 5,
						  .kind = GN_KIND_EXEC}},
				      .pid = 1,
				      .comm = "other"};
	static const char *const want[] = {"0 210-300; ", ""};
	struct seen *s = malloc(sizeof(*s));
	struct gn_observer o;

	(void)state;
	assert_non_null(s);
	for (int i = 0; i < 2; i++) {
		struct feed f = begin_seen(&o, s);

		thread(&f, 1, "main");
		event(&f, 200, 1, GN_KIND_SUSPEND_BEGIN, CLR);
		begins(&f, 210, 1, 2);
		event(&f, 220, 1, GN_KIND_SUSPEND_END, CLR);
		if (i)
			feed_rec(&f, &execs, sizeof(execs));
		else
			feed_rec(&f, &exits, sizeof(exits));
		thread(&f, 2, "later");
		event(&f, 900, 2, GN_KIND_EXIT, 0);
		gn_model_free(feed_finish(&f));
		assert_string_equal(s->text, want[i]);
	}
	free(s);
}

static const char *const does[] = {"jit", "gc", "suspend"};

static int see_begin(void *ctx, const struct gn_seen *at,
		     enum gn_activity_kind what, uint32_t fn)
{
	struct seen *s = ctx;

	(void)fn;
	s->n += (size_t)snprintf(s->text + s->n, sizeof(s->text) - s->n,
				 "+%s %d; ", does[what], (int)at->time);
	return 0;
}

static int see_end(void *ctx, const struct gn_seen *at,
		   enum gn_activity_kind what)
{
	struct seen *s = ctx;

	s->n += (size_t)snprintf(s->text + s->n, sizeof(s->text) - s->n,
				 "-%s %d; ", does[what], (int)at->time);
	return 0;
}

static int see_gap(void *ctx, uint32_t thread, uint64_t start, uint64_t end)
{
	struct seen *s = ctx;

	s->n += (size_t)snprintf(s->text + s->n, sizeof(s->text) - s->n,
				 "gap %u %d-%d; ", thread, (int)start,
				 (int)end);
	return 0;
}

/* An activity during which records were lost is shown up to the loss. It is
 * also unknown whether it runs in the background, unless that was seen
 * before. */
static void a_loss_ends_what_goes_on(void **state)
{
	struct gn_observer o;
	struct seen *s = malloc(sizeof(*s));
	struct feed f;

	(void)state;
	assert_non_null(s);
	f = begin_seen(&o, s);
	o.begin = see_begin;
	o.end = see_end;
	o.gap = see_gap;
	thread(&f, 1, "main");
	thread(&f, 2, "other");
	event(&f, 210, 1, GN_KIND_SUSPEND_BEGIN, CLR);
	begins(&f, 220, 1, 0);
	f.seq[1] += 2;
	event(&f, 900, 1, GN_KIND_SUSPEND_BEGIN, CLR);
	begins(&f, 910, 1, 2);
	event(&f, 920, 1, GN_KIND_SUSPEND_END, CLR);
	f.seq[1]++;
	event(&f, 930, 1, GN_KIND_SUSPEND_END, CLR);
	event(&f, 940, 2, GN_KIND_GC_END, CLR);
	event(&f, 950, 1, GN_KIND_SUSPEND_BEGIN, CLR);
	begins(&f, 960, 1, 2);
	event(&f, 970, 1, GN_KIND_SUSPEND_END, CLR);
	event(&f, 1000, 1, GN_KIND_EXIT, 0);
	event(&f, 1000, 2, GN_KIND_EXIT, 0);
	gn_model_free(feed_finish(&f));
	assert_string_equal(
		s->text,
		"+suspend 210; +gc 220; gap 0 220-900; -gc 220; -suspend 220; "
		"+suspend 900; +gc 910; -suspend 920; -gc 920; "
		"gap 0 920-930; 0 910-940; "
		"+suspend 950; +gc 960; -suspend 970; -gc 970; ");
	free(s);
}

/* Those of server threads, and of other runtimes, stop all threads. */
static void others_are_no_background_ones(void **state)
{
	struct gn_observer o;
	struct seen *s = malloc(sizeof(*s));
	struct feed f;

	(void)state;
	assert_non_null(s);
	f = begin_seen(&o, s);
	thread(&f, 1, ".NET Server GC");
	thread(&f, 2, ".NET Server GC");
	for (uint64_t at = 200; at < 400; at += 100) {
		event(&f, at, 1, GN_KIND_SUSPEND_BEGIN, CLR);
		event(&f, at + 5, 1, GN_KIND_SUSPEND_BEGIN, CLR);
		begins(&f, at + 10, 1, 2);
		event(&f, at + 20, 1, GN_KIND_SUSPEND_END, CLR);
		event(&f, at + 50, 2, GN_KIND_GC_END, CLR);
		event(&f, at + 60, 1, GN_KIND_SUSPEND_END, CLR);
	}
	event(&f, 410, 1, GN_KIND_SUSPEND_BEGIN, HOTSPOT);
	event(&f, 420, 1, GN_KIND_GC_BEGIN, HOTSPOT);
	event(&f, 430, 1, GN_KIND_SUSPEND_END, HOTSPOT);
	event(&f, 440, 2, GN_KIND_GC_END, HOTSPOT);
	event(&f, 500, 1, GN_KIND_EXIT, 0);
	event(&f, 500, 2, GN_KIND_EXIT, 0);
	gn_model_free(feed_finish(&f));
	assert_string_equal(s->text, "");
	free(s);
}

/* Background activities of a program end when its process executes another one,
 * and no end in the new program belongs to them. */
static void another_program_ends_them(void **state)
{
	struct gn_rec_thread execs = {.f = {.h = {.time = 300,
						  .tid = 1,
						  .seq = 2,
						  .kind = GN_KIND_EXEC}},
				      .pid = 1,
				      .comm = "other"};
	struct feed f = begin();
	struct gn_model *m;

	(void)state;
	thread(&f, 1, "main");
	thread(&f, 2, ".NET BGC");
	begins(&f, 210, 2, 2);
	event(&f, 250, 2, GN_KIND_EXIT, 0);
	feed_rec(&f, &execs, sizeof(execs));
	f.seq[1]++;
	begins(&f, 400, 1, 0);
	event(&f, 410, 1, GN_KIND_GC_END, CLR);
	event(&f, 420, 1, GN_KIND_GC_END, CLR);
	event(&f, 500, 1, GN_KIND_EXIT, 0);
	m = feed_finish(&f);
	assert_collections(m, "210-300 - open; 400-410 10; ");
	gn_model_free(m);
}

struct truth {
	uint64_t start, end;
	int generation; /* -1: unknown */
	uint32_t tid;	/* the thread that began a background collection */
};

struct runtime {
	struct feed f;
	uint64_t time;
	struct truth truth[4096];
	size_t n;
};

static uint64_t passes(struct runtime *r)
{
	return r->time += 1 + (uint64_t)rand() % 50;
}

/* A collection that stops all threads. */
static void collects(struct runtime *r, int generations)
{
	uint32_t tid = rand() % 2 ? 1 : 3;
	struct truth *is = &r->truth[r->n++];

	is->generation = rand() % generations;
	event(&r->f, passes(r), tid, GN_KIND_SUSPEND_BEGIN, CLR);
	is->start = passes(r);
	begins(&r->f, is->start, tid, is->generation);
	is->end = passes(r);
	event(&r->f, is->end, tid, GN_KIND_GC_END, CLR);
	event(&r->f, passes(r), tid, GN_KIND_SUSPEND_END, CLR);
}

static void collects_beside(struct runtime *r)
{
	uint32_t tid = rand() % 2 ? 1 : 3;
	struct truth *is = &r->truth[r->n++];

	event(&r->f, passes(r), tid, GN_KIND_SUSPEND_BEGIN, CLR);
	is->generation = 2;
	is->tid = tid;
	is->start = passes(r);
	begins(&r->f, is->start, tid, 2);
	if (rand() % 2) {
		r->truth[r->n++] = (struct truth){
			.start = is->start, .end = passes(r), .generation = -1};
		event(&r->f, r->time, tid, GN_KIND_GC_END, CLR);
	}
	event(&r->f, passes(r), tid, GN_KIND_SUSPEND_END, CLR);
	for (int i = rand() % 4; i > 0; i--)
		collects(r, 2);
	event(&r->f, passes(r), 2, GN_KIND_SUSPEND_BEGIN, CLR);
	event(&r->f, passes(r), 2, GN_KIND_SUSPEND_END, CLR);
	is->end = passes(r);
	event(&r->f, is->end, 2, GN_KIND_GC_END, CLR);
}

/* As the runtime reports them, in every possible order. */
static void all_are_matched(void **state)
{
	struct runtime *r = calloc(1, sizeof(*r));
	struct gn_model *m;
	size_t n = 0;

	(void)state;
	assert_non_null(r);
	srand(7);
	r->f = begin();
	r->time = 200;
	thread(&r->f, 1, "main");
	thread(&r->f, 2, ".NET BGC");
	thread(&r->f, 3, "other");
	for (int i = 0; i < 500; i++)
		if (rand() % 3)
			collects(r, 3);
		else
			collects_beside(r);
	for (uint32_t tid = 1; tid <= 3; tid++)
		event(&r->f, r->time + 1, tid, GN_KIND_EXIT, 0);
	m = feed_finish(&r->f);
	assert_int_equal(m->collections.all, r->n);
	for (size_t i = 0; i < m->nevents; i++) {
		const struct gn_model_event *e = &m->events[i];

		if (e->event != GN_RT_COLLECT)
			continue;
		assert_true(n < r->n);
		assert_int_equal(e->start, r->truth[n].start);
		assert_int_equal(e->end, r->truth[n].end);
		assert_int_equal((int)e->value[0] - 1, r->truth[n].generation);
		assert_false(e->open);
		n++;
	}
	assert_int_equal(n, r->n);
	gn_model_free(m);
	free(r);
}

/* The same, as an observer receives them when they end. */
static void all_background_ones_are_shown(void **state)
{
	struct runtime *r = calloc(1, sizeof(*r));
	struct seen *s = malloc(sizeof(*s)), *want = calloc(1, sizeof(*want));
	struct gn_observer o;

	(void)state;
	assert_true(r && s && want);
	srand(11);
	r->f = begin_seen(&o, s);
	r->time = 200;
	thread(&r->f, 1, "main");
	thread(&r->f, 2, ".NET BGC");
	thread(&r->f, 3, "other");
	for (int i = 0; i < 500; i++) {
		size_t first = r->n;

		if (rand() % 3) {
			collects(r, 3);
			continue;
		}
		collects_beside(r);
		see_background(want, r->truth[first].tid == 1 ? 0 : 2,
			       r->truth[first].start, r->truth[first].end);
	}
	for (uint32_t tid = 1; tid <= 3; tid++)
		event(&r->f, r->time + 1, tid, GN_KIND_EXIT, 0);
	gn_model_free(feed_finish(&r->f));
	assert_true(want->n > 0);
	assert_string_equal(s->text, want->text);
	free(want);
	free(s);
	free(r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_concurrent_one_is_ended_by_its_thread),
		cmocka_unit_test(a_servers_is_ended_by_any_thread),
		cmocka_unit_test(others_end_where_they_began),
		cmocka_unit_test(a_young_one_begins_a_concurrent_one),
		cmocka_unit_test(
			a_young_one_is_asked_for_with_its_concurrent_one),
		cmocka_unit_test(other_ends_are_of_none),
		cmocka_unit_test(all_are_matched),
		cmocka_unit_test(another_program_ends_them),
		cmocka_unit_test(background_ones_are_shown),
		cmocka_unit_test(the_process_ends_background_ones),
		cmocka_unit_test(a_loss_ends_what_goes_on),
		cmocka_unit_test(others_are_no_background_ones),
		cmocka_unit_test(all_background_ones_are_shown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
