/* SPDX-License-Identifier: BSD-2-Clause */
/* Records about processes that ran before their files had probes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <gnomon/hook.h>
#include <gnomon/spec.h>
#include "capture/clock.h"
#include "capture/later_parts.h"
#include "fail.h"
#include "headless.h"
#include "process/ended.h"

#define PID 7

WRAP(void *, realloc, (void *p, size_t n), (p, n), NULL, ENOMEM)
WRAP(void *, reallocarray, (void *p, size_t n, size_t size), (p, n, size), NULL,
     ENOMEM)

/* A program and its library, which got their probes one after the other, and a
 * process that executed the program before that. */
struct sample {
	struct gn_file file[2];
	struct gn_session session;
	struct gn_later later;
};

static void sample_make(struct sample *s)
{
	*s = (struct sample){
		.file = {{.path = (char *)"/bin/program",
			  .fd = -1,
			  .program = true,
			  .probed = 10},
			 {.path = (char *)"/lib/lib.so",
			  .fd = -1,
			  .probed = 20}},
		.session.opts.follow = true,
	};
	s->later.session = &s->session;
	s->later.files = (struct gn_files){.file = s->file, .count = 2};
	pthread_mutex_init(&s->later.lock, NULL);
	assert_int_equal(gn_later_add(&s->later, PID, 0), 1);
}

static void sample_clear(struct sample *s)
{
	pthread_mutex_destroy(&s->later.lock);
	free(s->later.process);
	free(s->later.out);
}

static void expect(const struct sample *s, size_t i, uint32_t module,
		   uint64_t since, uint64_t until)
{
	struct gn_rec_unprobed r;

	assert_true((i + 1) * sizeof(r) <= s->later.out_size);
	memcpy(&r, s->later.out + i * sizeof(r), sizeof(r));
	assert_int_equal(r.h.kind, GN_KIND_UNPROBED);
	assert_int_equal(r.pid, PID);
	assert_int_equal(r.module, module);
	assert_int_equal(r.since, since);
	assert_int_equal(r.h.time, until);
}

static void look(struct sample *s, uint64_t since, const size_t order[2])
{
	struct gn_later_news n = {.pid = PID, .since = since};
	uint64_t told = gn_later_told(&s->later, PID, since);

	for (size_t i = 0; i < 2; i++)
		gn_later_again(&s->later, order[i], &n, told);
}

/* Whatever the order in which the process mapped them, and only once. */
static void each_file_is_recorded(void **state)
{
	static const size_t orders[2][2] = {{0, 1}, {1, 0}};

	(void)state;
	for (size_t i = 0; i < 2; i++) {
		const size_t *order = orders[i];
		struct sample s;

		sample_make(&s);
		look(&s, 5, order);
		expect(&s, order[0], 1, 5, 10);
		expect(&s, order[1], 2, 5, 20);
		look(&s, 6, order);
		assert_int_equal(s.later.out_size,
				 2 * sizeof(struct gn_rec_unprobed));
		assert_int_equal(s.later.late, 2);
		assert_int_equal(s.later.late_ns, 15);
		sample_clear(&s);
	}
}

static void what_came_after_is_not(void **state)
{
	static const size_t order[2] = {0, 1};
	struct sample s;

	(void)state;
	sample_make(&s);
	look(&s, 15, order);
	expect(&s, 0, 2, 15, 20);
	assert_int_equal(s.later.late, 1);
	assert_int_equal(s.later.late_ns, 5);
	sample_clear(&s);
}

/* A child of a server, and the C++ library, which others map, too. If gnomon
 * has probes there only because of exceptions, no call is missed. */
static void without_functions_nothing_is_late(void **state)
{
	static const uint32_t specs[] = {GN_SPEC_LANDED, GN_SPEC_ENTER};

	(void)state;
	for (size_t i = 0; i < 2; i++) {
		uint64_t cookies[] = {GN_COOKIE(0, 8, GN_SPEC_LANDED),
				      GN_COOKIE(0, 8, specs[i])};
		struct gn_probe_group group = {
			.prog = GN_PROG_NATIVE, .cookies = cookies, .count = 2};
		struct gn_file library = {.path = (char *)"/lib/libstdc++.so.6",
					  .fd = -1,
					  .elsewhere = true};
		struct sample s;

		sample_make(&s);
		s.session.files =
			(struct gn_files){.file = &library, .count = 1};
		s.session.probes =
			(struct gn_probes){.group = &group, .count = 1};
		gn_later_miss(&s.later, PID, 5);
		assert_int_equal(s.later.late, i);
		assert_int_equal(s.later.out_size,
				 i * sizeof(struct gn_rec_unprobed));
		sample_clear(&s);
	}
}

/* Its end became known only after it was counted. */
static void nothing_is_late_after_the_end(void **state)
{
	struct gn_rec end = {.kind = GN_KIND_EXIT, .tid = PID, .time = 12};
	struct sample s;

	(void)state;
	sample_make(&s);
	pthread_cond_init(&s.later.wake, NULL);
	gn_later_count_late(&s.later, PID, 5, 20);
	gn_later_count_late(&s.later, PID, 6, 30);
	assert_int_equal(s.later.late_ns, 25);
	gn_later_record(&s.later, &end);
	assert_int_equal(s.later.late_ns, 7);
	gn_later_count_late(&s.later, PID, 8, 40);
	assert_int_equal(s.later.late_ns, 7);
	assert_int_equal(s.later.late, 3);
	free(s.later.news);
	sample_clear(&s);
}

/* Threads that outlive the first thread of their process are traced until they
 * end. */
static void other_threads_go_on(void **state)
{
	struct gn_rec end = {.kind = GN_KIND_EXIT, .time = 12};
	pid_t pid = begin_headless();
	struct gn_files files = {0};
	struct gn_later_news n;
	struct sample s;
	uint64_t due;

	(void)state;
	sample_make(&s);
	pthread_cond_init(&s.later.wake, NULL);
	assert_int_equal(gn_later_add(&s.later, pid, 0), 1);
	end.tid = (uint32_t)pid;
	gn_later_record(&s.later, &end);
	assert_true(gn_later_next(&s.later, &n, &due));
	assert_int_equal(n.kind, GN_NEWS_END);
	gn_later_go_on(&s.later, &n);
	assert_true(gn_later_traced(&s.later, pid));
	assert_int_equal(gn_files_of_process(gn_process_living(pid), &files),
			 0);
	assert_true(files.count);
	gn_files_free(&files);
	assert_false(gn_later_next(&s.later, &n, &due));
	assert_int_equal(s.later.nnews, 1);
	gn_later_end(&s.later, &s.later.news[0]);
	assert_false(gn_later_traced(&s.later, pid));
	assert_true(gn_later_was_traced(&s.later, pid, 13));
	end_headless(pid);
	free(s.later.news);
	sample_clear(&s);
}

/* A new process gets the probes that there are before those of other programs
 * are planned, which takes long; ended processes lose theirs last. */
static void new_processes_come_first(void **state)
{
	static const enum gn_later_kind told[] = {GN_NEWS_END, GN_NEWS_PROGRAM,
						  GN_NEWS_LOOK, GN_NEWS_PROCESS,
						  GN_NEWS_PROCESS};
	static const pid_t order[] = {4, 5, 2, 3, 1};
	struct gn_later_news n = {.kind = GN_NEWS_PROCESS, .due = UINT64_MAX};
	struct sample s;
	uint64_t due;

	(void)state;
	sample_make(&s);
	gn_later_tell(&s.later, &n); /* is not due */
	n.due = 0;
	for (size_t i = 0; i < 5; i++) {
		n.kind = told[i];
		n.pid = (pid_t)i + 1;
		gn_later_tell(&s.later, &n);
	}
	for (size_t i = 0; i < 5; i++) {
		assert_true(gn_later_next(&s.later, &n, &due));
		assert_int_equal(n.pid, order[i]);
	}
	assert_false(gn_later_next(&s.later, &n, &due));
	free(s.later.news);
	sample_clear(&s);
}

/* Who waits at the gate may not be known yet, nor what it ran before: the
 * records of that come by the stream. */
static void the_gate_waits_for_the_stream(void **state)
{
	static const enum gn_later_kind order[] = {
		GN_NEWS_PROCESS, GN_NEWS_PROGRAM, GN_NEWS_LOOK, GN_NEWS_GATE};
	const uint64_t now = gn_now_ns();
	struct gn_later_news n = {.kind = GN_NEWS_GATE,
				  .pid = PID,
				  .since = now,
				  .fd = -1,
				  .gate = -1};
	struct sample s;
	uint64_t due;

	(void)state;
	sample_make(&s);
	gn_later_tell(&s.later, &n);
	assert_false(gn_later_next(&s.later, &n, &due));
	assert_in_range(due, now + 1, now + 10000000000);
	gn_later_catch_up(&s.later, now - 1);
	assert_false(gn_later_next(&s.later, &n, &due));
	n.since = now - 5;
	for (size_t i = 1; i <= 3; i++) {
		n.kind = order[i % 3];
		gn_later_tell(&s.later, &n);
	}
	n.kind = GN_NEWS_PROGRAM;
	n.pid = PID + 1; /* of another process */
	gn_later_tell(&s.later, &n);
	gn_later_catch_up(&s.later, now);
	for (size_t i = 0; i < 4; i++) {
		assert_true(gn_later_next(&s.later, &n, &due));
		assert_int_equal(n.pid, PID);
		assert_int_equal(n.kind, order[i]);
	}
	free(s.later.news);
	sample_clear(&s);
}

/* Nor the process that has mapped a library, at the first look. */
static void a_look_waits_for_the_stream(void **state)
{
	struct gn_rec_thread r = {
		.f.h = {.kind = GN_KIND_THREAD, .time = 7, .tid = PID + 1},
		.pid = PID + 1};
	struct gn_later_news n = {
		.kind = GN_NEWS_LOOK, .pid = PID + 1, .since = 8};
	struct sample s;
	uint64_t due;

	(void)state;
	for (int known = 0; known < 2; known++) {
		sample_make(&s);
		pthread_cond_init(&s.later.wake, NULL);
		n.since = gn_now_ns();
		gn_later_look_at(&s.later, &n);
		assert_int_equal(s.later.nnews, 1);
		assert_false(gn_later_next(&s.later, &n, &due));
		if (known)
			gn_later_record(&s.later, &r.f.h);
		gn_later_catch_up(&s.later, n.since);
		assert_true(gn_later_next(&s.later, &n, &due));
		assert_int_equal(n.kind, GN_NEWS_LOOK);
		assert_int_equal(gn_later_traced(&s.later, n.pid), known);
		gn_later_look_at(&s.later, &n);
		assert_int_equal(s.later.nnews, 0);
		n.again = false;
		free(s.later.news);
		sample_clear(&s);
	}
}

/* A stream that never comes to it does not keep a program from running. */
static void the_gate_opens_in_the_end(void **state)
{
	struct gn_later_news n = {.kind = GN_NEWS_GATE,
				  .pid = PID,
				  .since = gn_now_ns() - 10000000000,
				  .fd = -1,
				  .gate = -1};
	struct sample s;
	uint64_t due;

	(void)state;
	sample_make(&s);
	gn_later_tell(&s.later, &n);
	assert_true(gn_later_next(&s.later, &n, &due));
	free(s.later.news);
	sample_clear(&s);
}

/* Another process has the PID now, or another thread has become the first
 * one. */
static void a_number_is_used_again(void **state)
{
	struct gn_rec end = {.kind = GN_KIND_EXIT, .time = 12};
	struct gn_rec_thread next = {.f.h = {.time = 20}, .parent = 1};
	static const enum gn_kind kinds[] = {GN_KIND_THREAD, GN_KIND_EXEC};
	pid_t pid = begin_headless();

	(void)state;
	end.tid = next.f.h.tid = next.pid = (uint32_t)pid;
	for (size_t i = 0; i < 2; i++) {
		struct gn_later_news n = {.pid = pid, .since = 12};
		struct sample s;

		sample_make(&s);
		pthread_cond_init(&s.later.wake, NULL);
		assert_int_equal(gn_later_add(&s.later, pid, 0), 1);
		gn_later_record(&s.later, &end);
		next.f.h.kind = kinds[i];
		gn_later_record(&s.later, &next.f.h);
		assert_int_equal(gn_later_was_traced(&s.later, pid, 19),
				 kinds[i] == GN_KIND_THREAD);
		gn_later_end(&s.later, &n);
		assert_true(gn_later_traced(&s.later, pid));
		free(s.later.news);
		sample_clear(&s);
	}
	end_headless(pid);
}

/* Only its name is known. Its file got probes later. */
static void an_ended_program_is_recorded(void **state)
{
	struct gn_later_news n = {.pid = PID, .since = 5, .comm = "program"};
	struct gn_later_news other = {
		.pid = PID, .since = 5, .comm = "programs"};
	struct sample s;

	(void)state;
	sample_make(&s);
	gn_later_ended_early(&s.later, &other);
	assert_int_equal(s.later.out_size, 0);
	gn_later_ended_early(&s.later, &n);
	expect(&s, 0, 1, 5, 10);
	gn_later_ended_early(&s.later, &n);
	assert_int_equal(s.later.late, 1);
	sample_clear(&s);
}

static uint64_t written;

uint64_t __wrap_gn_written_at(struct gn_written *w, int fd);
uint64_t __wrap_gn_written_at(struct gn_written *w, int fd)
{
	(void)w;
	return fd == 3 ? written : 0;
}

/* The file was written, and has other functions since. A program that began
 * before that cannot have called them. */
static void an_ended_program_had_other_functions(void **state)
{
	struct gn_later_news n = {.pid = PID, .since = 5, .comm = "program"};
	struct sample s;

	(void)state;
	sample_make(&s);
	s.file[1] = s.file[0];
	s.file[0].fd = 3; /* the content before */
	s.file[1].probed = 20;
	written = 15;
	gn_later_ended_early(&s.later, &n);
	expect(&s, 0, 1, 5, 10);
	s.later.out_size = 0;
	n.since = 12;
	gn_later_ended_early(&s.later, &n);
	assert_int_equal(s.later.out_size, 0);
	n.since = 17;
	gn_later_ended_early(&s.later, &n);
	expect(&s, 0, 2, 17, 20);
	assert_int_equal(s.later.out_size, sizeof(struct gn_rec_unprobed));
	written = 0;
	sample_clear(&s);
}

/* The stop came before the file had its probes, so it has no record either. */
static void a_program_that_got_no_probes_is_counted(void **state)
{
	struct gn_later_news n = {.pid = PID, .since = 5, .comm = "other"};
	struct sample s;

	(void)state;
	sample_make(&s);
	s.later.stopped = 30;
	gn_later_ended_early(&s.later, &n);
	gn_later_cut_off(&s.later, "/usr/bin/other");
	assert_int_equal(s.later.late, 1);
	assert_int_equal(s.later.late_ns, 25);
	n = (struct gn_later_news){
		.pid = PID + 1, .since = 10, .comm = "other"};
	gn_later_ended_early(&s.later, &n);
	assert_int_equal(s.later.late, 2);
	assert_int_equal(s.later.late_ns, 45);
	strcpy(n.comm, "others");
	gn_later_ended_early(&s.later, &n);
	assert_int_equal(s.later.late, 2);
	assert_int_equal(s.later.out_size, 0);
	sample_clear(&s);
}

/* The advice would be to make it the command, but it is the command. */
static void the_command_is_not_told_of(void **state)
{
	struct gn_later_news n = {.pid = PID, .since = 5};
	struct sample s;

	(void)state;
	sample_make(&s);
	gn_later_ended_early(&s.later, &n);
	assert_int_equal(s.later.ngone, 0);
	sample_clear(&s);
}

/* If a list is full, calls count as missing from then on, also those of a
 * mapped library. */
static void what_has_no_room_is_told(void **state)
{
	static const char *const globs[] = {"other.so:f", "lib.so:f"};
	struct gn_later_news look = {
		.kind = GN_NEWS_LOOK, .pid = PID, .since = 5};
	struct gn_later_news end = {
		.kind = GN_NEWS_END, .pid = PID, .since = 4};
	struct sample s;

	(void)state;
	sample_make(&s);
	pthread_cond_init(&s.later.wake, NULL);
	s.session.filter = gn_filter_new(globs, 2);
	assert_non_null(s.session.filter);
	s.later.nnews = s.later.news_room = GN_NEWS_MAX;
	gn_later_tell(&s.later, &end);
	assert_int_equal(s.later.overrun, 0);
	look.path = strdup("/lib/lib.so");
	gn_later_tell(&s.later, &look);
	assert_int_equal(s.later.overrun, 5);
	assert_int_equal(s.later.late, 1);
	assert_false(gn_filter_missed(s.session.filter, globs[0]));
	assert_true(gn_filter_missed(s.session.filter, globs[1]));
	/* with several, the path is not kept */
	look.path = NULL;
	gn_later_tell(&s.later, &look);
	assert_int_equal(s.later.late, 2);
	gn_filter_free(s.session.filter);
	sample_clear(&s);
}

/* It can call functions before it gets its links, and it never gets them. */
static void a_process_without_memory_is_told(void **state)
{
	static const enum gn_kind kinds[] = {GN_KIND_THREAD, GN_KIND_EXEC};

	(void)state;
	for (size_t i = 0; i < 2; i++) {
		struct gn_rec_thread r = {
			.f.h = {.kind = kinds[i], .time = 5, .tid = PID + 1},
			.parent = 1,
			.pid = PID + 1};
		struct sample s;

		sample_make(&s);
		pthread_cond_init(&s.later.wake, NULL);
		s.later.processes_room = s.later.nprocesses;
		arm(1);
		gn_later_record(&s.later, &r.f.h);
		disarm();
		assert_true(atomic_load(&failed));
		assert_false(gn_later_traced(&s.later, PID + 1));
		assert_int_equal(s.later.late, 1);
		assert_int_equal(s.later.overrun, 5);
		free(s.later.news);
		sample_clear(&s);
	}
}

static struct gn_rec_unprobed told[3];
static size_t ntold;

int __wrap_gn_session_put(struct gn_session *s, const struct gn_rec *rec,
			  size_t size);
int __wrap_gn_session_put(struct gn_session *s, const struct gn_rec *rec,
			  size_t size)
{
	(void)s;
	assert_int_equal(size, sizeof(told[0]));
	assert_in_range(ntold, 0, 2);
	memcpy(&told[ntold++], rec, size);
	return 0;
}

/* Which file it was cannot be kept, so it may have been each. */
static void a_record_without_memory_is_of_each_file(void **state)
{
	struct sample s;

	(void)state;
	sample_make(&s);
	s.later.stopped = 30;
	ntold = 0;
	gn_later_tell_untold(&s.later);
	assert_int_equal(ntold, 0);
	for (uint64_t since = 6; since > 4; since--) {
		arm(1);
		gn_later_put_unprobed(&s.later, 2, false, PID, since, 20);
		disarm();
		assert_true(atomic_load(&failed));
	}
	assert_int_equal(s.later.out_size, 0);
	gn_later_tell_untold(&s.later);
	gn_later_tell_untold(&s.later);
	assert_int_equal(ntold, 2);
	for (uint32_t i = 0; i < 2; i++) {
		assert_int_equal(told[i].h.kind, GN_KIND_UNPROBED);
		assert_int_equal(told[i].module, i + 1);
		assert_int_equal(told[i].pid, 0);
		assert_int_equal(told[i].since, 5);
		assert_int_equal(told[i].h.time, 30);
	}
	sample_clear(&s);
}

/* Its functions were announced, so that no call was seen means nothing. */
static void a_file_without_memory_is_one_more(void **state)
{
	struct sample s;

	(void)state;
	sample_make(&s);
	s.later.stopped = 30;
	ntold = 0;
	gn_later_lose(&s.later, 3, 7);
	gn_later_tell_untold(&s.later);
	assert_int_equal(ntold, 3);
	assert_int_equal(told[2].module, 3);
	assert_int_equal(told[2].pid, 0);
	assert_int_equal(told[2].since, 7);
	assert_int_equal(told[2].h.time, 30);
	sample_clear(&s);
}

/* That it was mapped is known, where its path could not be kept. */
static void a_library_without_its_path_is_counted(void **state)
{
	struct gn_later_news look[] = {
		{.kind = GN_NEWS_LOOK, .pid = PID, .since = 5},
		{.kind = GN_NEWS_LOOK,
		 .pid = PID,
		 .since = 6,
		 .file = {.dev = 1, .ino = 2}},
	};
	struct sample s;

	(void)state;
	sample_make(&s);
	s.later.stopped = 30;
	s.later.news = look;
	s.later.nnews = 2;
	gn_later_rest(&s.later);
	assert_int_equal(s.later.nnews, 0);
	assert_int_equal(s.later.late, 1);
	assert_int_equal(s.later.late_ns, 24);
	sample_clear(&s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_file_is_recorded),
		cmocka_unit_test(what_came_after_is_not),
		cmocka_unit_test(without_functions_nothing_is_late),
		cmocka_unit_test(nothing_is_late_after_the_end),
		cmocka_unit_test(other_threads_go_on),
		cmocka_unit_test(new_processes_come_first),
		cmocka_unit_test(the_gate_waits_for_the_stream),
		cmocka_unit_test(a_look_waits_for_the_stream),
		cmocka_unit_test(the_gate_opens_in_the_end),
		cmocka_unit_test(a_number_is_used_again),
		cmocka_unit_test(an_ended_program_is_recorded),
		cmocka_unit_test(an_ended_program_had_other_functions),
		cmocka_unit_test(a_program_that_got_no_probes_is_counted),
		cmocka_unit_test(the_command_is_not_told_of),
		cmocka_unit_test(what_has_no_room_is_told),
		cmocka_unit_test(a_process_without_memory_is_told),
		cmocka_unit_test(a_library_without_its_path_is_counted),
		cmocka_unit_test(a_record_without_memory_is_of_each_file),
		cmocka_unit_test(a_file_without_memory_is_one_more),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
