/* SPDX-License-Identifier: BSD-2-Clause */
/* JSON lines: what a program reads back equals the period. */
#include <stdarg.h>
#include <setjmp.h>
#include <stdint.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>
#include <jansson.h>

#include "json_read.h"
#include "top/lines.h"
#include "top_sample.h"

static char *print(const struct gn_top_period *p,
		   const struct gn_top_lines_opts *o)
{
	char *text = NULL;
	size_t size;
	FILE *f = open_memstream(&text, &size);

	assert_non_null(f);
	assert_int_equal(gn_top_lines(p, o, f), 0);
	assert_int_equal(fclose(f), 0);
	return text;
}

/* Valid JSON in one line, without control characters. */
static json_t *parse(const struct gn_top_period *p,
		     const struct gn_top_lines_opts *o)
{
	char *text = print(p, o);
	size_t n = strlen(text);

	assert_true(n > 0 && text[n - 1] == '\n');
	for (size_t i = 0; i + 1 < n; i++)
		assert_true((unsigned char)text[i] >= ' ');
	return read_json(text);
}

static void is_text(const json_t *object, const char *key, const char *wanted)
{
	const json_t *value = json_object_get(object, key);

	if (!json_is_string(value))
		fail_msg("%s is no text", key);
	assert_string_equal(json_string_value(value), wanted);
}

static void is_real(const json_t *object, const char *key, double wanted)
{
	double got = json_real_value(json_object_get(object, key));

	assert_true(got - wanted < 1e-6 && wanted - got < 1e-6);
}

static void period(void **state)
{
	struct gn_top_lines_opts o = {0};
	const json_t *a, *b;
	struct top_sample s;
	json_t *root;

	(void)state;
	top_sample_make(&s);
	root = parse(&s.p, &o);
	assert_int_equal(number(root, "version"), 2);
	is_text(root, "gnomon", "0.1.0");
	is_text(root, "machine", "host, 2 CPUs");
	is_text(root, "classify", "exact");
	a = json_object_get(root, "command");
	assert_int_equal(json_array_size(a), 3);
	assert_string_equal(json_string_value(json_array_get(a, 1)),
			    "two words");
	a = json_object_get(root, "period");
	assert_int_equal(number(a, "number"), 3);
	is_text(a, "time", "2026-05-01T12:34:56.789Z");
	assert_int_equal(number(a, "wall_ns"), 1777638896789999999);
	assert_int_equal(number(a, "length_ns"), 1000000000);
	assert_int_equal(number(a, "session_ns"), 3002000000);
	assert_int_equal(number(a, "start_ns"), 5000000000);
	assert_int_equal(number(a, "end_ns"), 6000000000);
	a = json_object_get(root, "target");
	is_text(a, "state", "running");
	is_text(a, "title", s.p.title);
	assert_null(json_object_get(a, "signal"));
	assert_null(json_object_get(a, "status"));
	a = json_object_get(root, "machine_totals");
	assert_int_equal(number(a, "cpus"), 2);
	assert_int_equal(number(a, "busy_ns"), 1500000000);
	assert_int_equal(number(a, "mem_total_bytes"), 8ULL << 30);
	a = json_object_get(root, "self");
	assert_int_equal(number(a, "cpu_ns"), 32000000);
	assert_int_equal(number(a, "rss_bytes"), 12345678);
	a = json_object_get(root, "budget");
	is_real(a, "pct", 5);
	is_real(a, "slowdown_pct", 4.96);
	b = json_array_get(json_object_get(a, "muted"), 0);
	is_text(b, "name", "tiny");
	is_text(b, "module", "/usr/bin/app");
	a = json_object_get(root, "session");
	assert_int_equal(number(a, "elapsed_ns"), s.m.session.elapsed_incl);
	assert_int_equal(number(json_object_get(root, "probe_cost"), "ns"),
			 s.m.probe_cost);
	json_decref(root);
}

static void worst(void **state)
{
	struct gn_top_lines_opts o = {0};
	struct top_sample s;
	json_t *root, *a;

	(void)state;
	top_sample_make(&s);
	top_sample_worst(&s);
	root = parse(&s.p, &o);
	a = json_object_get(root, "target");
	is_text(a, "state", "killed");
	assert_int_equal(number(a, "signal"), 9);
	assert_int_equal(number(a, "status"), 137);
	a = json_object_get(root, "lost");
	assert_int_equal(number(a, "records"), 1234);
	a = json_object_get(a, "causes");
	assert_int_equal(number(a, "ring-full"), 1200);
	assert_int_equal(number(a, "missed"), 34);
	a = json_object_get(root, "lost_total");
	assert_int_equal(number(a, "records"), 5678);
	a = json_object_get(root, "checks");
	assert_int_equal(number(a, "account_error_ns"), 77);
	a = json_object_get(root, "budget");
	assert_null(json_object_get(a, "pct"));
	assert_null(json_object_get(a, "slowdown_pct"));
	assert_int_equal(json_array_size(json_object_get(a, "muted")), 0);
	assert_true(json_is_false(json_object_get(root, "function_probes")));
	a = json_array_get(json_object_get(root, "threads"), 1);
	assert_int_equal(number(a, "gaps"), 2);
	json_decref(root);
}

/* The function to which "function" of `object` refers. */
static const json_t *referred(const json_t *root, const json_t *object)
{
	uint64_t index = number(object, "function");
	const json_t *f;
	size_t i;

	json_array_foreach(json_object_get(root, "functions"), i, f)
	{
		if (number(f, "index") == index)
			return f;
	}
	fail_msg("no function %d", (int)index);
	return NULL;
}

static void thread_that_spins(const json_t *root)
{
	const json_t *t = json_array_get(json_object_get(root, "threads"), 1);
	const json_t *a, *b;

	is_text(t, "name", "spin");
	is_text(t, "runtime", "clr");
	is_text(t, "state", "running");
	is_text(t, "doing", "jit");
	assert_null(json_object_get(t, "syscall"));
	assert_int_equal(number(t, "calls"), 123456);
	assert_int_equal(number(t, "elapsed_ns"), 900000000);
	assert_int_equal(number(t, "probe_cost_ns"), 100000000);
	a = json_object_get(t, "current");
	is_text(a, "name", "App.Program.Leaf(System.Int32, System.String)");
	is_text(a, "module", "/opt/app/App.dll");
	a = json_object_get(t, "functions");
	assert_int_equal(json_array_size(a), 1);
	b = json_array_get(a, 0);
	is_text(referred(root, b), "runtime", "clr");
	assert_int_equal(number(b, "elapsed_exclusive_ns"), 900000000);
	a = json_object_get(t, "stack");
	assert_int_equal(json_array_size(a), 3);
	assert_true(json_is_null(json_array_get(a, 0)));
	assert_int_equal(json_integer_value(json_array_get(a, 1)), 2);
	assert_int_equal(number(t, "stack_depth"), 300);
	/* the collection before this period is not part of it */
	a = json_object_get(t, "activities");
	assert_int_equal(json_array_size(a), 2);
	b = json_array_get(a, 0);
	is_text(b, "class", "jit");
	/* it had no time itself, but is being compiled */
	is_text(referred(root, b), "name", "was.here.Once()");
	assert_null(json_object_get(b, "end_ns"));
	b = json_array_get(a, 1);
	is_text(b, "class", "gc");
	assert_null(json_object_get(b, "function"));
	assert_int_equal(number(b, "end_ns"), 5000000001);
}

static void threads(void **state)
{
	struct gn_top_lines_opts o = {.limit = 0};
	const json_t *a, *t;
	struct top_sample s;
	json_t *root;

	(void)state;
	top_sample_make(&s);
	root = parse(&s.p, &o);
	thread_that_spins(root);
	a = json_object_get(root, "threads");
	assert_int_equal(json_array_size(a), TOP_THREADS);
	t = json_array_get(a, 0);
	is_text(t, "state", "waiting");
	is_text(t, "doing", "lock");
	assert_int_equal(number(t, "syscall"), 202);
	is_text(t, "syscall_name", "futex");
	is_text(json_object_get(t, "current"), "name", "main");
	is_text(json_object_get(t, "top"), "name", s.functions[1].name);
	a = json_object_get(t, "functions");
	assert_int_equal(json_array_size(a), 3);
	assert_true(json_is_null(
		json_object_get(json_array_get(a, 0), "function")));
	t = json_array_get(json_object_get(root, "threads"), 4);
	is_text(t, "name", "evil\033[31m\r\n\"a,b\"\\xff\xe2\x80\xae=1\\");
	is_text(t, "state", "runnable");
	assert_null(json_object_get(t, "doing"));
	assert_null(json_object_get(t, "runtime"));
	assert_null(json_object_get(t, "current"));
	json_decref(root);
}

static void functions(void **state)
{
	struct gn_top_lines_opts o = {.limit = 0};
	const json_t *a, *f;
	struct top_sample s;
	json_t *root;

	(void)state;
	top_sample_make(&s);
	s.live[1].nactivities = 0; /* nothing refers to was.here.Once() */
	root = parse(&s.p, &o);
	a = json_object_get(root, "functions");
	assert_int_equal(json_array_size(a), TOP_FUNCTIONS - 1);
	f = json_array_get(a, 1);
	is_text(f, "name", s.functions[1].name);
	assert_int_equal(number(f, "index"), 1);
	assert_int_equal(number(f, "elapsed_exclusive_ns"), 800000000);
	assert_null(json_object_get(f, "muted"));
	a = json_object_get(f, "waits");
	assert_int_equal(json_array_size(a), 1);
	is_text(json_array_get(a, 0), "syscall_name", "futex");
	/* muted: it has no values, but must be there */
	f = json_array_get(json_object_get(root, "functions"), 4);
	is_text(f, "name", "tiny");
	assert_true(json_is_true(json_object_get(f, "muted")));
	f = json_array_get(json_object_get(root, "threads"), 0);
	assert_int_equal(json_array_size(json_object_get(f, "functions")), 3);
	assert_int_equal(number(f, "functions_hidden"), 0);
	assert_int_equal(json_array_size(json_object_get(root, "waits")), 1);
	assert_int_equal(json_array_size(json_object_get(root, "modules")), 2);
	assert_int_equal(json_array_size(json_object_get(root, "processes")),
			 2);
	json_decref(root);
}

static void limited(void **state)
{
	struct gn_top_lines_opts o = {.limit = 2};
	struct top_sample s;
	json_t *root, *a;

	(void)state;
	top_sample_make(&s);
	root = parse(&s.p, &o);
	a = json_object_get(root, "threads");
	assert_int_equal(json_array_size(a), 2);
	a = json_object_get(root, "hidden");
	assert_int_equal(number(a, "threads"), TOP_THREADS - 2);
	json_decref(root);
}

static void empty(void **state)
{
	struct gn_top_lines_opts o = {.limit = 0};
	struct top_sample s;
	json_t *root;

	(void)state;
	top_sample_make(&s);
	top_sample_empty(&s);
	root = parse(&s.p, &o);
	assert_int_equal(json_array_size(json_object_get(root, "threads")), 0);
	is_text(json_object_get(root, "target"), "state", "ended");
	json_decref(root);
	/* and an empty model */
	memset(&s, 0, sizeof(s));
	s.p.m = &s.m;
	root = parse(&s.p, &o);
	assert_int_equal(number(root, "version"), 2);
	json_decref(root);
}

/* Indexes out of range count as no function. */
static void bad_indexes(void **state)
{
	struct gn_top_lines_opts o = {.limit = 0};
	struct top_sample s;

	(void)state;
	top_sample_make(&s);
	s.stack[0] = INT32_MIN;
	s.stack[1] = TOP_FUNCTIONS;
	s.stack[2] = INT32_MAX;
	s.shares[0].function = INT32_MAX;
	s.live[1].activity[0].function = TOP_FUNCTIONS;
	json_decref(parse(&s.p, &o));
	s.waits[0].function = TOP_FUNCTIONS;
	assert_int_equal(gn_top_lines(&s.p, &o, stderr), -EBADMSG);
}

static void many_threads(void **state)
{
	enum { MANY = 1000 };
	struct gn_model_thread *t = calloc(MANY, sizeof(*t));
	struct gn_top_lines_opts o = {.limit = 0};
	struct top_sample s;
	json_t *root;

	(void)state;
	assert_non_null(t);
	top_sample_make(&s);
	for (uint32_t i = 0; i < MANY; i++) {
		t[i] = s.threads[i % TOP_THREADS];
		t[i].tid = i;
	}
	s.m.threads = t;
	s.m.nthreads = MANY;
	root = parse(&s.p, &o);
	assert_int_equal(json_array_size(json_object_get(root, "threads")),
			 MANY);
	json_decref(root);
	free(t);
}

static void write_fails(void **state)
{
	struct gn_top_lines_opts o = {0};
	struct top_sample s;
	int pipes[2];
	FILE *f;

	(void)state;
	top_sample_make(&s);
	f = fopen("/dev/full", "w");
	assert_non_null(f);
	assert_int_equal(gn_top_lines(&s.p, &o, f), -ENOSPC);
	fclose(f);
	signal(SIGPIPE, SIG_IGN);
	assert_int_equal(pipe(pipes), 0);
	close(pipes[0]);
	f = fdopen(pipes[1], "w");
	assert_non_null(f);
	assert_int_equal(gn_top_lines(&s.p, &o, f), -EPIPE);
	fclose(f);
}

/* A reader sees each line when it is written, without later lines. */
static void flushed(void **state)
{
	struct gn_top_lines_opts o = {0};
	struct top_sample s;
	char byte[1 << 16];
	int pipes[2];
	ssize_t n;
	FILE *f;

	(void)state;
	top_sample_make(&s);
	assert_int_equal(pipe(pipes), 0);
	f = fdopen(pipes[1], "w");
	assert_non_null(f);
	assert_int_equal(gn_top_lines(&s.p, &o, f), 0);
	n = read(pipes[0], byte, sizeof(byte));
	assert_true(n > 1 && byte[n - 1] == '\n');
	fclose(f);
	close(pipes[0]);
}

static void locale_does_not_matter(void **state)
{
	struct gn_top_lines_opts o = {.limit = 0};
	struct top_sample s;
	char *plain, *comma;

	(void)state;
	top_sample_make(&s);
	plain = print(&s.p, &o);
	if (!top_locale_comma(GN_BUILD_DIR "/tests/locale-lines")) {
		free(plain);
		skip();
	}
	comma = print(&s.p, &o);
	top_locale_plain();
	assert_string_equal(plain, comma);
	free(plain);
	free(comma);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(period),
		cmocka_unit_test(worst),
		cmocka_unit_test(threads),
		cmocka_unit_test(functions),
		cmocka_unit_test(limited),
		cmocka_unit_test(empty),
		cmocka_unit_test(bad_indexes),
		cmocka_unit_test(many_threads),
		cmocka_unit_test(write_fails),
		cmocka_unit_test(flushed),
		cmocka_unit_test(locale_does_not_matter),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
