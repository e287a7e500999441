/* SPDX-License-Identifier: BSD-2-Clause */
/* CSV and JSON: what a program reads back equals the model. */
#include <stdarg.h>
#include <setjmp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#include <jansson.h>

#include "json_read.h"
#include "output_model.h"

static void csv_golden(void **state)
{
	static const char *const names[] = {
		[GN_BY_FUNCTION] = "function.csv",
		[GN_BY_MODULE] = "module.csv",
		[GN_BY_THREAD] = "thread.csv",
		[GN_BY_PROCESS] = "process.csv",
		[GN_BY_TREE] = "tree.csv",
		[GN_BY_CALLERS] = "callers.csv",
		[GN_BY_WAITS] = "waits.csv",
		[GN_BY_ASYNC] = "async.csv",
	};
	struct sample s;

	(void)state;
	sample_make(&s);
	sample_os(&s);
	for (int by = 0; by < GN_BY_GC; by++) {
		struct gn_output_opts o = {.by = (enum gn_by)by};
		char *text = sample_print("csv", &s.m, &o);

		sample_golden(names[by], text);
		free(text);
	}
}

/* Fields of a record by RFC 4180; returns the end of the record. */
static const char *count_fields(const char *p, size_t *fields)
{
	bool quoted = false;

	*fields = 1;
	for (;; p++) {
		assert_int_not_equal(*p, '\0');
		if (*p == '"')
			quoted = !quoted;
		else if (!quoted && *p == ',')
			++*fields;
		else if (!quoted && *p == '\r' && p[1] == '\n')
			return p + 2;
		else
			assert_false(!quoted && *p == '\n');
	}
}

static void csv_is_rectangular(void **state)
{
	struct sample s;

	(void)state;
	sample_make(&s);
	sample_os(&s);
	s.waits[2].waker_name = HOSTILE;
	s.modules[0].name = HOSTILE;
	s.functions[0].module = "a \"quoted\", module";
	for (int by = 0; by < GN_BY_GC; by++) {
		struct gn_output_opts o = {.by = (enum gn_by)by};
		char *text = sample_print("csv", &s.m, &o);
		const char *p = text;
		size_t wanted, got;

		p = count_fields(p, &wanted);
		assert_int_not_equal(*p, '\0');
		while (*p) {
			p = count_fields(p, &got);
			assert_int_equal(got, wanted);
		}
		free(text);
	}
}

static json_t *parse(const struct gn_model *m, const struct gn_output_opts *o)
{
	return read_json(sample_print("json", m, o));
}

static void same_classes(const json_t *object, const char *key,
			 const uint64_t *classes)
{
	const json_t *got = json_object_get(object, key);

	assert_int_equal(json_object_size(got), GN_CLASS_COUNT);
#define SAME(name, value, text, ...) \
	assert_int_equal(number(got, text), classes[GN_CLASS_##name]);
	GN_CLASS_LIST(SAME)
#undef SAME
}

static void same_four(const json_t *got, const struct gn_values *v)
{
	assert_int_equal(number(got, "calls"), v->calls);
	assert_int_equal(number(got, "elapsed_inclusive_ns"), v->elapsed_incl);
	assert_int_equal(number(got, "elapsed_exclusive_ns"), v->elapsed_excl);
	assert_int_equal(number(got, "application_inclusive_ns"), v->app_incl);
	assert_int_equal(number(got, "application_exclusive_ns"), v->app_excl);
}

static void same_pct(const json_t *got, const char *key, uint64_t part,
		     uint64_t whole)
{
	double pct = json_real_value(json_object_get(got, key));
	double off = pct - gn_pct(part, whole);

	assert_true(off < 1e-6 && off > -1e-6);
}

static void same_values(const json_t *got, const struct gn_model *m,
			const struct gn_values *v)
{
	same_four(got, v);
	same_pct(got, "elapsed_inclusive_pct", v->elapsed_incl,
		 m->session.elapsed_incl);
	same_pct(got, "elapsed_exclusive_pct", v->elapsed_excl,
		 m->session.elapsed_incl);
	same_pct(got, "application_inclusive_pct", v->app_incl,
		 m->session.app_incl);
	same_pct(got, "application_exclusive_pct", v->app_excl,
		 m->session.app_incl);
	assert_int_equal(number(got, "unwound"), v->unwound);
	assert_int_equal(number(got, "min_ns"), v->min);
	assert_int_equal(number(got, "max_ns"), v->max);
	same_classes(got, "classes_exclusive", v->class_excl);
	same_classes(got, "classes_inclusive", v->class_incl);
}

static void is_text(const json_t *object, const char *key, const char *wanted)
{
	const json_t *value = json_object_get(object, key);

	if (!json_is_string(value))
		fail_msg("%s is no text", key);
	assert_string_equal(json_string_value(value), wanted);
}

static void json_session(void **state)
{
	struct gn_output_opts o = {.by = GN_BY_FUNCTION};
	const json_t *session, *lost, *command;
	struct sample s;
	json_t *root;

	(void)state;
	sample_make(&s);
	sample_lose(&s);
	root = parse(&s.m, &o);
	assert_int_equal(number(root, "version"), 2);
	is_text(root, "gnomon", "0.1.0");
	is_text(root, "classify", "exact");
	is_text(root, "clock", "monotonic");
	command = json_object_get(root, "command");
	assert_int_equal(json_array_size(command), 4);
	assert_string_equal(json_string_value(json_array_get(command, 1)),
			    "two words");
	session = json_object_get(root, "session");
	assert_int_equal(number(session, "elapsed_ns"), 3000000000);
	assert_int_equal(number(session, "application_ns"), 1520000000);
	same_classes(session, "classes", s.m.session.class_incl);
	assert_true(json_is_false(json_object_get(
		json_object_get(root, "probe_cost"), "subtracted")));
	lost = json_object_get(root, "lost");
	assert_int_equal(number(lost, "records"), 1234);
	assert_int_equal(number(json_object_get(lost, "causes"), "ring-full"),
			 1200);
	assert_null(json_object_get(json_object_get(lost, "causes"), "torn"));
	assert_int_equal(number(json_object_get(root, "counters"), "torn"), 9);
	assert_int_equal(
		number(json_object_get(root, "checks"), "unwound_frames"), 5);
	json_decref(root);
}

/* Lost records without a later record of their thread are only known by
 * cause. */
static void all_losses(void **state)
{
	static const struct {
		const char *format, *told;
	} cases[] = {
		{"json", "\"lost\":{\"records\":15820,"},
		{"ndjson", "\"lost_records\":15820,"},
		{"openmetrics", "\ngnomon_lost_records 15820\n"},
		{"markdown", "**15,820 records were lost: "},
		{"table", "# LOST        15,820 records are missing "
			  "(ring-full 15,820)\n"
			  "#             where 15,818 of them came from is not "
			  "known: "},
	};
	struct gn_output_opts o = {.by = GN_BY_FUNCTION};
	struct sample s;

	(void)state;
	sample_make(&s);
	s.m.lost = 2;
	s.m.counters[GN_COUNTER_RING_FULL] = 15820;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		char *text = sample_print(cases[i].format, &s.m, &o);

		if (!strstr(text, cases[i].told))
			fail_msg("%s: no '%s'", cases[i].format, cases[i].told);
		free(text);
	}
}

static void json_arrays(void **state)
{
	struct gn_output_opts o = {.by = GN_BY_FUNCTION};
	const json_t *a;
	struct sample s;
	json_t *root;

	(void)state;
	sample_make(&s);
	root = parse(&s.m, &o);
	a = json_object_get(root, "functions");
	assert_int_equal(json_array_size(a), 4);
	for (size_t i = 0; i < 4; i++)
		same_values(json_array_get(a, i), &s.m, &s.functions[i].v);
	is_text(json_array_get(a, 1), "name", s.functions[1].name);
	is_text(json_array_get(a, 2), "runtime", "clr");
	is_text(json_array_get(a, 2), "module", "/opt/app/App.dll");
	/* exact, except for the byte that is not UTF-8 */
	is_text(json_array_get(a, 3), "name",
		"evil\033[31m\r\n\"a,b\"\\xff\xe2\x80\xae=1");
	a = json_object_get(root, "modules");
	assert_int_equal(json_array_size(a), 2);
	same_values(json_array_get(a, 0), &s.m, &s.modules[0].v);
	a = json_object_get(root, "processes");
	assert_int_equal(json_array_size(a), 1);
	same_values(json_array_get(a, 0), &s.m, &s.processes[0].v);
	assert_int_equal(number(json_array_get(a, 0), "pid"), 100);
	a = json_object_get(root, "threads");
	assert_int_equal(json_array_size(a), 2);
	assert_int_equal(number(json_array_get(a, 1), "tid"), 101);
	assert_int_equal(number(json_array_get(a, 1), "elapsed_ns"), 500000000);
	same_classes(json_array_get(a, 1), "classes", s.threads[1].classes);
	assert_null(json_object_get(root, "edges"));
	json_decref(root);
}

static void json_tree_and_edges(void **state)
{
	struct gn_output_opts o = {.by = GN_BY_CALLERS, .tree = true};
	const json_t *nodes, *node, *edges;
	struct sample s;
	json_t *root;

	(void)state;
	sample_make(&s);
	root = parse(&s.m, &o);
	nodes = json_object_get(root, "nodes");
	assert_int_equal(json_array_size(nodes), 6);
	node = json_array_get(nodes, 0);
	is_text(node, "name", "session");
	assert_null(json_object_get(node, "parent"));
	for (size_t i = 0; i < 5; i++) {
		node = json_array_get(nodes, i);
		assert_int_equal(number(node, "id"), i);
		if (i)
			assert_int_equal(number(node, "parent"), i - 1);
		same_four(node, &s.nodes[i].v);
	}
	is_text(node, "name", "App.Program.Leaf(System.Int32)");
	node = json_array_get(nodes, 5);
	assert_int_equal(number(node, "parent"), s.nodes[5].parent);
	assert_null(json_object_get(root, "tree"));
	edges = json_object_get(root, "edges");
	assert_int_equal(json_array_size(edges), 4);
	is_text(json_object_get(json_array_get(edges, 2), "callee"), "name",
		"App.Program.Leaf(System.Int32)");
	same_values(json_array_get(edges, 2), &s.m, &s.edges[2].v);
	json_decref(root);
}

static void json_waits(void **state)
{
	struct gn_output_opts o = {.by = GN_BY_WAITS};
	const json_t *f, *waits, *w;
	struct sample s;
	json_t *root;

	(void)state;
	sample_make(&s);
	sample_os(&s);
	root = parse(&s.m, &o);
	waits = json_object_get(root, "waits");
	assert_int_equal(json_array_size(waits), 1);
	is_text(json_array_get(waits, 0), "syscall_name", "wait4");
	f = json_array_get(json_object_get(root, "functions"), 0);
	waits = json_object_get(f, "waits");
	assert_int_equal(json_array_size(waits), 6);
	w = json_array_get(waits, 4);
	is_text(w, "polled", "pipe");
	is_text(w, "ended_by", "ready");
	assert_null(json_object_get(w, "idle_worker"));
	w = json_array_get(waits, 5);
	assert_true(json_is_true(json_object_get(w, "idle_worker")));
	assert_null(json_object_get(w, "polled"));
	w = json_array_get(waits, 0);
	assert_null(json_object_get(w, "ended_by"));
	assert_null(json_object_get(w, "idle_worker"));
	assert_null(json_object_get(w, "interpreter_lock"));
	is_text(w, "class", "lock");
	is_text(w, "syscall_name", "futex");
	assert_int_equal(number(w, "syscall"), 202);
	assert_int_equal(number(w, "time_ns"), 900000000);
	assert_int_equal(number(w, "count"), 300);
	assert_int_equal(number(w, "longest_ns"), 12345678);
	w = json_object_get(w, "waker");
	assert_int_equal(number(w, "tid"), 101);
	is_text(w, "name", "wor\tker");
	is_text(w, "function", s.functions[2].name);
	is_text(w, "module", s.functions[2].module);
	w = json_object_get(json_array_get(waits, 1), "waker");
	assert_int_equal(number(w, "tid"), 4711);
	assert_null(json_object_get(w, "name"));
	w = json_array_get(waits, 3);
	assert_int_equal(number(w, "syscall"), 999);
	assert_null(json_object_get(w, "syscall_name"));
	assert_null(json_object_get(w, "waker"));
	f = json_array_get(json_object_get(root, "functions"), 2);
	assert_int_equal(json_array_size(json_object_get(f, "waits")), 0);
	json_decref(root);
}

static void json_costs_and_kernel(void **state)
{
	struct gn_output_opts o = {.by = GN_BY_THREAD};
	const json_t *cost, *class, *threads, *kernel;
	struct sample s;
	json_t *root;

	(void)state;
	sample_make(&s);
	sample_os(&s);
	root = parse(&s.m, &o);
	cost = json_object_get(root, "probe_cost");
	assert_true(json_is_true(json_object_get(cost, "subtracted")));
	assert_int_equal(number(cost, "ns"), 102300000);
	assert_int_equal(number(cost, "left_ns"), 12000);
	cost = json_object_get(cost, "classes");
	assert_int_equal(json_array_size(cost), 4);
	class = json_array_get(cost, 0);
	is_text(class, "name", "emulated");
	assert_int_equal(number(class, "samples"), 1000);
	assert_int_equal(number(class, "before_ns"), 380);
	assert_int_equal(number(class, "after_ns"), 301);
	assert_int_equal(number(class, "spread_ns"), 5);
	assert_int_equal(number(class, "hits"), 150000);
	threads = json_object_get(root, "threads");
	assert_int_equal(number(json_array_get(threads, 0), "probe_cost_ns"),
			 51150000);
	kernel = json_object_get(json_array_get(threads, 0), "kernel");
	assert_int_equal(number(kernel, "cpu_ns"), 1200000000);
	assert_null(json_object_get(kernel, "runqueue_ns"));
	assert_null(json_object_get(kernel, "runqueue_rest_ns"));
	kernel = json_object_get(json_array_get(threads, 1), "kernel");
	assert_int_equal(number(kernel, "cpu_ns"), 1200000000);
	assert_int_equal(number(kernel, "runqueue_ns"), 270000000);
	assert_int_equal(number(kernel, "our_cpu_ns"), 1172000000);
	assert_int_equal(number(kernel, "switches"), 1000);
	assert_int_equal(number(kernel, "switching_ns"), 2000000);
	assert_int_equal(number(kernel, "stolen_ns"), 4000000);
	assert_int_equal(number(kernel, "rest_ns"), -34000000);
	assert_int_equal(number(kernel, "runqueue_switching_ns"), -1000000);
	assert_int_equal(number(kernel, "runqueue_rest_ns"), 31000000);
	assert_int_equal(number(kernel, "our_runqueue_ns"), 300000000);
	json_decref(root);
	s.m.raw = true;
	s.threads[0].kernel.known = false;
	root = parse(&s.m, &o);
	cost = json_object_get(root, "probe_cost");
	assert_true(json_is_false(json_object_get(cost, "subtracted")));
	threads = json_object_get(root, "threads");
	assert_null(json_object_get(json_array_get(threads, 0), "kernel"));
	json_decref(root);
}

static void csv_columns(void **state)
{
	struct gn_output_opts o = {.columns = "lock+,ei,lock,gc,ei%"};
	struct sample s;
	char *text;

	(void)state;
	sample_make(&s);
	text = sample_print("csv", &s.m, &o);
	assert_non_null(strstr(text,
			       "function,module,runtime,lock_inclusive_ns,"
			       "elapsed_inclusive_ns,lock_exclusive_ns,"
			       "gc_exclusive_ns,elapsed_inclusive_pct,gap,"
			       "unprobed,inlined\r\n"
			       "main,/usr/bin/app,native,1000000000,"
			       "2500000000,0,0,83.333333,0,0,0\r\n"));
	free(text);
	o.by = GN_BY_PROCESS;
	o.columns = "lock,lock+";
	text = sample_print("csv", &s.m, &o);
	assert_string_equal(text, "pid,process,threads,lock_ns,gap,"
				  "unprobed,inlined\r\n"
				  "100,app,2,1480000000,0,0,0\r\n");
	free(text);
}

static void json_limit_is_told(void **state)
{
	struct gn_output_opts o = {.limit = 1, .sort = "calls"};
	struct sample s;
	json_t *root, *a;

	(void)state;
	sample_make(&s);
	root = parse(&s.m, &o);
	a = json_object_get(root, "functions");
	assert_int_equal(json_array_size(a), 1);
	is_text(json_array_get(a, 0), "name", "App.Program.Leaf(System.Int32)");
	assert_int_equal(number(json_object_get(root, "hidden"), "functions"),
			 3);
	json_decref(root);
}

/* Commands that are not a JSON array of texts. */
static void json_bad_command(void **state)
{
	static const char *const commands[] = {"", "[", "./app x", "[1,null]",
					       "{\"a\":1}"};
	struct gn_output_opts o = {.by = GN_BY_FUNCTION};
	struct sample s;

	(void)state;
	for (size_t i = 0; i < sizeof(commands) / sizeof(commands[0]); i++) {
		sample_make(&s);
		s.info[1].value = commands[i];
		json_decref(parse(&s.m, &o));
		free(sample_print("table", &s.m, &o));
	}
}

#define DEEP 10000

/* A path of 10,000 frames: all formats write it, and no level is missing. */
static void deep_tree(void **state)
{
	struct gn_model_node *nodes = calloc(DEEP, sizeof(*nodes));
	struct gn_output_opts o = {.by = GN_BY_TREE};
	struct sample s;
	size_t lines = 0;
	char *text;

	(void)state;
	assert_non_null(nodes);
	sample_make(&s);
	for (int32_t i = 0; i < DEEP; i++)
		nodes[i] = (struct gn_model_node){
			.parent = i - 1,
			.first_child = i + 1 < DEEP ? i + 1 : -1,
			.next = -1,
			.function = 1,
			.v = s.functions[1].v,
		};
	s.m.nodes = nodes;
	s.m.nnodes = DEEP;
	/* readers do not accept objects that are nested thousands of levels
	 * deep */
	json_decref(parse(&s.m, &o));
	text = sample_print("json", &s.m, &o);
	assert_non_null(strstr(text, "{\"id\":9999,\"parent\":9998,"));
	free(text);
	o.bare = true;
	text = sample_print("table", &s.m, &o);
	for (const char *p = text; *p; p++)
		lines += *p == '\n';
	assert_int_equal(lines, DEEP + 2);
	assert_non_null(strstr(text, "[9999] ns::work"));
	free(text);
	text = sample_print("csv", &s.m, &o);
	assert_non_null(strstr(text, "\r\n9999,9998,9999,"));
	free(text);
	free(nodes);
}

/* Numbers beyond the range of signed integers are written correctly. */
static void large_numbers(void **state)
{
	struct gn_output_opts o = {.by = GN_BY_FUNCTION};
	struct sample s;
	char *text;

	(void)state;
	sample_make(&s);
	s.functions[0].v.elapsed_incl = UINT64_MAX;
	text = sample_print("json", &s.m, &o);
	assert_non_null(
		strstr(text, "\"elapsed_inclusive_ns\":18446744073709551615,"));
	free(text);
	text = sample_print("csv", &s.m, &o);
	assert_non_null(strstr(text, ",18446744073709551615,"));
	free(text);
}

/* Invalid trees do not hang or crash an output. */
static void broken_trees(void **state)
{
	struct gn_output_opts o = {.by = GN_BY_TREE};
	struct sample s;

	(void)state;
	for (int i = 0; i < 3; i++) {
		const struct gn_output *csv = gn_output_find("csv");
		FILE *f = fopen("/dev/null", "w");

		assert_non_null(f);
		sample_make(&s);
		if (i == 0)
			s.nodes[5].next = 2; /* a ring of siblings */
		else if (i == 1)
			s.nodes[4].first_child = 2; /* its own ancestor */
		else
			s.nodes[4].first_child = 600;
		assert_true(csv->write(&s.m, &o, f) < 0);
		fclose(f);
	}
}

static void sorts(void **state)
{
	static const struct {
		const char *column, *first;
	} cases[] = {
		{"ei", "main"},
		{"elapsed-exclusive", "ns::work<std::map<int, char>>(unsigned "
				      "long, char const*)"},
		{"ae", "App.Program.Leaf(System.Int32)"},
		{"calls", "App.Program.Leaf(System.Int32)"},
		{"name", "App.Program.Leaf(System.Int32)"},
		{"lock", "ns::work<std::map<int, char>>(unsigned long, char "
			 "const*)"},
		{"max", "main"},
	};
	struct sample s;

	(void)state;
	sample_make(&s);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct gn_output_opts o = {.sort = cases[i].column};
		json_t *root = parse(&s.m, &o);

		is_text(json_array_get(json_object_get(root, "functions"), 0),
			"name", cases[i].first);
		json_decref(root);
	}
	/* every listed column exists in some rows */
	for (size_t i = 0; gn_sort_choice(i); i++) {
		struct gn_output_opts o = {.sort = gn_sort_choice(i)};
		bool any = false;

		for (int by = 0; by < GN_BY_COUNT; by++) {
			o.by = (enum gn_by)by;
			if (!gn_sort_fits(o.sort, o.by))
				continue;
			free(sample_print("csv", &s.m, &o));
			any = true;
		}
		assert_true(any);
	}
}

/* Waits are sorted by the sum of each function. */
static void sorts_waits(void **state)
{
	static const struct {
		const char *column, *first;
	} cases[] = {
		{"time", "\r\nmain,"},
		{"name", "\r\n(root),"},
		{"count", "\r\n\"ns::work"},
		{"longest", "\r\n\"ns::work"},
	};
	struct sample s;

	(void)state;
	sample_make(&s);
	sample_os(&s);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct gn_output_opts o = {.by = GN_BY_WAITS,
					   .sort = cases[i].column};
		char *text = sample_print("csv", &s.m, &o);
		const char *row = strstr(text, "\r\n");

		assert_non_null(row);
		assert_memory_equal(row, cases[i].first,
				    strlen(cases[i].first));
		free(text);
	}
}

static void lists(void **state)
{
	(void)state;
	assert_null(gn_output_find("xml"));
	assert_null(gn_output_at(10));
	assert_string_equal(gn_output_at(0)->name, "table");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(csv_golden),
		cmocka_unit_test(csv_is_rectangular),
		cmocka_unit_test(json_session),
		cmocka_unit_test(all_losses),
		cmocka_unit_test(json_arrays),
		cmocka_unit_test(json_tree_and_edges),
		cmocka_unit_test(json_waits),
		cmocka_unit_test(json_costs_and_kernel),
		cmocka_unit_test(csv_columns),
		cmocka_unit_test(json_limit_is_told),
		cmocka_unit_test(json_bad_command),
		cmocka_unit_test(deep_tree),
		cmocka_unit_test(large_numbers),
		cmocka_unit_test(broken_trees),
		cmocka_unit_test(sorts),
		cmocka_unit_test(sorts_waits),
		cmocka_unit_test(lists),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
