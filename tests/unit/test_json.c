/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * docs/json.md has every field of every output, with its type and when it is
 * absent, and nothing else.
 */
#include <dirent.h>
#include <errno.h>
#include <linux/securebits.h>
#include <stdarg.h>
#include <setjmp.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <cmocka.h>
#include <jansson.h>

#include "cmd/doctor.h"
#include "cmd/listing.h"
#include "compare/diff.h"
#include "explain/explain.h"
#include "json_page.h"
#include "output_model.h"
#include "parse.h"
#include "top/lines.h"
#include "top/words.h"
#include "top_sample.h"

#define COUNT(array) (sizeof(array) / sizeof(*(array)))

/* For a test that reads them with another library: writes all checked texts as
 * files into the folder that GN_JSON_DIR names. */
static void keep_text(enum json_output output, const char *text)
{
	static const char *const names[] = {
		[JSON_REPORT] = "report",   [JSON_LINE] = "line",
		[JSON_LIST] = "list",	    [JSON_DOCTOR] = "doctor",
		[JSON_EXPLAIN] = "explain", [JSON_DIFF] = "diff",
	};
	const char *folder = getenv("GN_JSON_DIR");
	static unsigned int number;
	char path[4096];
	FILE *f;

	if (!folder)
		return;
	snprintf(path, sizeof(path), "%s/%s-%u.json", folder, names[output],
		 number++);
	f = fopen(path, "w");
	assert_non_null(f);
	fputs(text, f);
	assert_int_equal(fclose(f), 0);
}

/* Frees the text. */
static void check_text(struct json_page *p, enum json_output output, char *text)
{
	json_error_t error;
	json_t *root = json_loads(text, JSON_REJECT_DUPLICATES, &error);

	if (!root)
		fail_msg("no JSON: %s at %d", error.text, error.position);
	keep_text(output, text);
	json_page_check(p, output, root);
	json_decref(root);
	free(text);
}

static void check_model(struct json_page *p, const struct gn_model *m,
			enum gn_by by)
{
	struct gn_output_opts o = {.by = by, .tree = by == GN_BY_CALLERS};

	check_text(p, JSON_REPORT, sample_print("json", m, &o));
}

/* A wait outside all functions, with everything that a wait can have. */
static void tell_all(struct gn_model_wait *wait)
{
	wait->waker = 101;
	wait->waker_name = "worker";
	wait->waker_function = 0;
	wait->class = GN_CLASS_POLL;
	wait->idle = true;
	wait->interpreter = true;
	wait->halt = GN_HALT_SIGNAL;
}

/* Some calls are not seen. */
static void hide_calls(struct gn_model *m)
{
	static struct gn_model_info info[64];
	static struct gn_model_unseen unseen[] = {
		{.name = "P.Fib(int)", .module = "demo.dll", .sites = 3}};

	assert_true(m->ninfo + 6 <= 64);
	memcpy(info, m->info, m->ninfo * sizeof(*info));
	info[m->ninfo++] = (struct gn_model_info){"inlining", "kept"};
	info[m->ninfo++] = (struct gn_model_info){
		"clr.unhooked", "process 7 ran the .NET CLR without"};
	info[m->ninfo++] = (struct gn_model_info){"runtime.silent",
						  "the JVM of process 7"};
	info[m->ninfo++] = (struct gn_model_info){"attached_ns", "500"};
	info[m->ninfo++] = (struct gn_model_info){"children", "2"};
	info[m->ninfo++] = (struct gn_model_info){"children.of", "7"};
	m->info = info;
	m->code = (struct gn_model_code){.compiled = 7,
					 .sites = 3,
					 .inlined = unseen,
					 .ninlined = 1,
					 .unhooked = unseen,
					 .nunhooked = 1};
}

/* The source is known. */
static void tell_source(struct gn_model_function *f)
{
	f->file = "/src/Program.cs";
	f->line = 12;
}

static void tell_awaits(struct gn_model *m)
{
	static struct gn_model_await awaits[] = {
		{.state = 0, .count = 1, .line = 13}, {.state = 1, .count = 1}};
	static struct gn_model_async asyncs[] = {{.function = 2,
						  .starts = 1,
						  .awaits = awaits,
						  .nawaits = COUNT(awaits)}};

	m->asyncs = asyncs;
	m->nasyncs = 1;
}

/* Names of .NET in the form that people write. */
static void spell_events(struct gn_model *m)
{
	for (size_t i = 0; i < m->nevents; i++) {
		if (m->events[i].event == GN_RT_COMPILE)
			m->events[i].of.shown = "Main(string[])";
		if (m->events[i].event == GN_RT_CLASS_LOAD)
			m->events[i].of.shown = "Oops";
	}
	m->exceptions[0].class.shown = "Oops";
	m->allocations[1].class.shown = "Oops";
}

static void check_samples(struct json_page *p)
{
	struct sample s;

	sample_make(&s);
	sample_os(&s);
	sample_lose(&s);
	s.functions[2].muted = true;
	s.functions[2].short_name = "App.Program.Leaf";
	tell_source(&s.functions[2]);
	tell_awaits(&s.m);
	sample_unprobed(&s);
	s.functions[0].v.inlined = s.modules[0].v.inlined = true;
	s.functions[0].v.moved = s.modules[0].v.moved = true;
	s.nodes[2].v.inlined = s.edges[0].v.inlined = true;
	s.nodes[2].v.moved = s.edges[0].v.moved = true;
	tell_all(&s.waits[0]);
	hide_calls(&s.m);
	check_model(p, &s.m, GN_BY_CALLERS);
	sample_events(&s);
	spell_events(&s.m);
	for (int by = GN_BY_GC; by <= GN_BY_THREAD_SYSCALLS; by++)
		check_model(p, &s.m, (enum gn_by)by);
	s.processes[0].starved = true;
	check_model(p, &s.m, GN_BY_FUNCTION);
	/* a function with few fields */
	s.functions[2].short_name = NULL;
	s.functions[2].file = NULL;
	s.m.code = (struct gn_model_code){0};
	s.m.ninfo = 0;
	s.threads[0].kernel.known = false;
	s.threads[1].merged = 7;
	s.processes[0].exit = 3 << 8;
	s.m.raw = true;
	s.m.truncated = true;
	s.m.classify = GN_CLASSIFY_INTERVAL;
	sample_bare(&s);
	s.m.nwaits = 0;
	check_model(p, &s.m, GN_BY_FUNCTION);
}

static void check_report(struct json_page *p, const struct gn_model *m)
{
	check_model(p, m, GN_BY_CALLERS);
}

/* Checks what the pipeline makes of each stream. */
static void check_streams(struct json_page *p, const char *dir,
			  void (*check)(struct json_page *p,
					const struct gn_model *m))
{
	DIR *d = opendir(dir);
	const struct dirent *entry;
	size_t n = 0;

	assert_non_null(d);
	while ((entry = readdir(d))) {
		struct gn_model *m;
		struct script s;
		char path[512];

		if (!strstr(entry->d_name, ".stream"))
			continue;
		snprintf(path, sizeof(path), "%s/%s", dir, entry->d_name);
		assert_int_equal(script_read(path, &s), 0);
		m = stream_model(&s.stream, GN_CLASSIFY_EXACT);
		check(p, m);
		gn_model_free(m);
		script_free(&s);
		n++;
	}
	closedir(d);
	assert_true(n > 0);
}

static void report(void **state)
{
	struct json_page *p = json_page_read();

	(void)state;
	check_samples(p);
	check_streams(p, GN_TESTS_DIR "/streams/cases", check_report);
	json_page_left(p, JSON_REPORT);
	json_page_done(p);
}

static void check_line(struct json_page *p, const struct top_sample *s)
{
	struct gn_top_lines_opts o = {0};
	char *text = NULL;
	size_t size;
	FILE *f = open_memstream(&text, &size);

	assert_non_null(f);
	assert_int_equal(gn_top_lines(&s->p, &o, f), 0);
	assert_int_equal(fclose(f), 0);
	check_text(p, JSON_LINE, text);
}

static void line(void **state)
{
	struct json_page *p = json_page_read();
	struct top_sample s;

	(void)state;
	top_sample_make(&s);
	s.info[s.m.ninfo++] = (struct gn_model_info){"kernel", "6.1.0-test"};
	s.info[s.m.ninfo++] = (struct gn_model_info){"attached_ns", "500"};
	s.info[s.m.ninfo++] = (struct gn_model_info){"children", "2"};
	s.info[s.m.ninfo++] = (struct gn_model_info){"children.of", "7"};
	s.threads[0].kernel.known = s.threads[1].kernel.known = true;
	s.threads[1].kernel.delay = UINT64_MAX;
	tell_all(&s.waits[0]);
	s.functions[0].v.unprobed = s.modules[0].v.unprobed = true;
	s.functions[0].v.inlined = s.modules[0].v.inlined = true;
	s.functions[0].v.moved = s.modules[0].v.moved = true;
	s.functions[0].short_name = "App.Program.Main";
	tell_source(&s.functions[0]);
	tell_all(&s.waits[1]);
	s.processes[0].ended = s.processes[1].ended = true;
	s.processes[0].exit = 3 << 8;
	s.processes[1].exit = SIGKILL;
	s.processes[1].starved = true;
	check_line(p, &s);
	/* waits with few known fields */
	s.waits[0].class = s.waits[1].class = GN_CLASS_EVENT;
	s.waits[0].idle = s.waits[1].idle = false;
	s.waits[0].halt = s.waits[1].halt = GN_HALT_NONE;
	s.waits[0].interpreter = s.waits[1].interpreter = false;
	s.waits[0].waker_name = "";
	s.waits[0].waker_function = -1;
	s.waits[0].reason = GN_NO_SYSCALL;
	s.waits[1].waker = 0;
	s.m.ninfo = 0;
	check_line(p, &s);
	top_sample_worst(&s);
	check_line(p, &s);
	top_sample_empty(&s);
	check_line(p, &s);
	json_page_left(p, JSON_LINE);
	json_page_done(p);
}

/* The stdout of a command, freed by the caller. */
static char *output_of(const char *command)
{
	FILE *f = popen(command, "r");
	char *text = calloc(1, 1 << 20);
	size_t n;
	int status;

	assert_non_null(f);
	assert_non_null(text);
	n = fread(text, 1, (1 << 20) - 1, f);
	status = pclose(f);
	/* 1: the machine cannot trace */
	assert_true(WIFEXITED(status) && WEXITSTATUS(status) <= 1);
	assert_true(n > 0);
	return text;
}

/* A runtime that has its hook sites in its own file. */
static const struct gn_runtime *without_library(void)
{
	size_t i = 0;

	while (gn_runtime_at(i)->library)
		i++;
	return gn_runtime_at(i);
}

/* A list with one of each kind; nothing in it must be freed. */
static char *listing(void)
{
	static struct gn_site end = {.kind = GN_SITE_TAIL, .insn = "jmp"};
	static struct gn_list_function functions[] = {
		{.name = "f",
		 .symbol = "f",
		 .sleds = 1,
		 .end_sleds = 2,
		 .sled = GN_SLED_XRAY,
		 .plan = {.leave = GN_LEAVE_RET,
			  .reason = "why",
			  .leaves = &end,
			  .nleaves = 1}},
		{.name = "g", .symbol = "g", .plan = {.refused = "why"}},
	};
	static struct gn_list_hook hooks[2], probes[1];
	static struct gn_list_usdt usdt[2];
	static char program[] = "/x/program";
	struct gn_file file = {.path = program, .fd = -1, .program = true};
	const struct gn_runtime *rt = gn_runtime_at(0);
	struct gn_list_runtime runtimes[] = {
		{.runtime = rt, .why = "why", .error = -ENOENT},
		{.runtime = rt,
		 .why = "why",
		 .library = "/x/library",
		 .hook = hooks,
		 .nhooks = COUNT(hooks)},
		{.runtime = without_library(),
		 .why = "why",
		 .library = "/x/php",
		 .hook = probes,
		 .nhooks = COUNT(probes)},
	};
	static char name[] = "N.T.M()", path[] = "/x/module.dll";
	struct gn_list_module modules[] = {
		{.path = path, .functions = 2},
		{.path = path, .in_memory = true, .error = -EACCES},
	};
	struct gn_list_managed managed[] = {
		{.name = name},
		{.name = name, .unhooked = GN_UNHOOKED_NO_IL, .generic = true},
	};
	struct gn_listing l = {
		.files = {.file = &file, .count = 1},
		.running = rt,
		.module = modules,
		.nmodules = COUNT(modules),
		.managed = managed,
		.nmanaged = COUNT(managed),
		.links = GN_ATTACH_SINGLE,
		.function = functions,
		.nfunctions = COUNT(functions),
		.runtime = runtimes,
		.nruntimes = COUNT(runtimes),
		.usdt = usdt,
		.nusdt = COUNT(usdt),
	};
	char *text = NULL;
	size_t size;
	FILE *f = open_memstream(&text, &size);

	assert_non_null(f);
	usdt[0].note = (struct gn_note){.nargs = 1, .semaphore = 1};
	hooks[0].site = &rt->sites[0];
	assert_int_equal(gn_listing_json(&l, false, f), 0);
	assert_int_equal(fclose(f), 0);
	return text;
}

static void list(void **state)
{
	struct gn_listing nothing = {.links = GN_ATTACH_MULTI};
	struct json_page *p = json_page_read();
	char *text = NULL;
	size_t size;
	FILE *f = open_memstream(&text, &size);

	(void)state;
	assert_non_null(f);
	check_text(p, JSON_LIST, listing());
	assert_int_equal(gn_listing_json(&nothing, false, f), 0);
	assert_int_equal(fclose(f), 0);
	check_text(p, JSON_LIST, text);
	check_text(p, JSON_LIST,
		   output_of("'" GN_COMMAND "' list -q --usdt --format json "
			     "-- '" GN_FIXTURE "'"));
	json_page_left(p, JSON_LIST);
	json_page_done(p);
}

/* Whether the text is in the sources of gnomon doctor. */
static bool doctor_says(const char *text)
{
	static const char *const files[] = {"doctor.c", "doctor_kernel.c",
					    "doctor_runtime.c"};
	bool found = false;

	for (size_t i = 0; i < COUNT(files) && !found; i++) {
		char path[512], source[1 << 16];
		size_t n;
		FILE *f;

		snprintf(path, sizeof(path), "%s/../user/cmd/%s", GN_TESTS_DIR,
			 files[i]);
		f = fopen(path, "r");
		assert_non_null(f);
		n = fread(source, 1, sizeof(source) - 1, f);
		assert_true(n < sizeof(source) - 1);
		source[n] = '\0';
		fclose(f);
		found = strstr(source, text);
	}
	return found;
}

static void doctor(void **state)
{
	static const char command[] = "'" GN_COMMAND "' doctor --format json";
	struct json_page *p = json_page_read();
	const struct json_words *items = json_page_list(p, "<item>");
	char quoted[64];

	(void)state;
	check_text(p, JSON_DOCTOR, output_of(command));
	/* without capabilities it gives advice on any machine */
	prctl(PR_SET_SECUREBITS, SECBIT_NOROOT);
	check_text(p, JSON_DOCTOR, output_of(command));
	prctl(PR_SET_SECUREBITS, 0);
	assert_non_null(items);
	/* not every machine checks all of them */
	for (size_t i = 0; i < items->n; i++) {
		snprintf(quoted, sizeof(quoted), "\"%s\"", items->word[i]);
		if (!doctor_says(quoted))
			fail_msg("no doctor says %s", quoted);
	}
	json_page_left(p, JSON_DOCTOR);
	json_page_done(p);
}

static void check_findings(struct json_page *p, const struct gn_model *m)
{
	struct gn_findings findings;
	char *text = NULL;
	size_t size = 0;
	FILE *f = open_memstream(&text, &size);

	assert_non_null(f);
	assert_int_equal(gn_explain(m, 0, &findings), 0);
	assert_int_equal(gn_findings_json(m, &findings, "a.trace", f), 0);
	gn_findings_clear(&findings);
	fclose(f);
	check_text(p, JSON_EXPLAIN, text);
}

static void explain(void **state)
{
	struct json_page *p = json_page_read();

	(void)state;
	check_streams(p, GN_TESTS_DIR "/streams/findings", check_findings);
	json_page_left(p, JSON_EXPLAIN);
	json_page_done(p);
}

static void check_diff(struct json_page *p, const struct gn_model *base,
		       const struct gn_model *new, size_t times)
{
	struct gn_diff_opts o = {.metric = GN_METRIC_app_excl};
	struct gn_comparison c;
	struct gn_diff d;
	char *text = NULL;
	size_t size;
	FILE *f = open_memstream(&text, &size);

	assert_non_null(f);
	assert_int_equal(gn_comparison_begin(&c, times, times), 0);
	for (size_t i = 0; i < times; i++) {
		assert_int_equal(gn_comparison_add(&c, GN_BASE, base, 0), 0);
		assert_int_equal(gn_comparison_add(&c, GN_NEW, new, 0), 0);
	}
	assert_int_equal(gn_comparison_end(&c), 0);
	assert_int_equal(gn_diff_make(&c, &o, &d), 0);
	assert_int_equal(gn_diff_json(&d, f), 0);
	assert_int_equal(fclose(f), 0);
	check_text(p, JSON_DIFF, text);
	gn_diff_clear(&d);
	gn_comparison_clear(&c);
}

static void diff(void **state)
{
	struct json_page *p = json_page_read();
	struct sample base, new;

	(void)state;
	sample_make(&base);
	sample_make(&new);
	sample_os(&new);
	new.functions[1].name = "another";
	base.functions[2].short_name = "Leaf";
	check_diff(p, &base.m, &new.m, 1);
	check_diff(p, &base.m, &new.m, 2);
	json_page_left(p, JSON_DIFF);
	json_page_done(p);
}

/* The number of complaints after a change in a row of the page. */
static size_t complaints(const char *path, void (*change)(struct json_row *row))
{
	struct json_page *p = json_page_read();
	struct json_row *row = json_page_row(p, JSON_REPORT, path);
	size_t wrong;

	if (!row) {
		fail_msg("no row of %s", path);
		return 0;
	}
	p->quiet = true;
	change(row);
	check_samples(p);
	json_page_left(p, JSON_REPORT);
	wrong = p->wrong;
	json_page_free(p);
	return wrong;
}

static void same(struct json_row *row)
{
	(void)row;
}

static void rename_it(struct json_row *row)
{
	row->path[strlen(row->path) - 1] = '_';
}

static void retype(struct json_row *row)
{
	strcpy(row->type, "text");
}

static void require(struct json_row *row)
{
	row->optional = false;
}

static void excuse(struct json_row *row)
{
	row->optional = true;
}

/* The checks find the errors that they are for. */
static void finds_what_is_wrong(void **state)
{
	static const char *const paths[] = {
		"version",	    "command",
		"functions",	    "functions[].waits[].waker.tid",
		"nodes[].parent",   "threads[].classes.<class>",
		"edges[].finished", "counters.<counter>",
	};

	(void)state;
	assert_int_equal(complaints("version", same), 0);
	for (size_t i = 0; i < COUNT(paths); i++)
		assert_true(complaints(paths[i], rename_it) >= 3);
	assert_true(complaints("version", retype) > 0);
	assert_true(complaints("functions[].calls", retype) > 0);
	assert_true(complaints("machine", require) > 0);
	assert_true(complaints("nodes[].module", require) > 0);
	assert_true(complaints("functions[].calls", excuse) > 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(report),
		cmocka_unit_test(line),
		cmocka_unit_test(list),
		cmocka_unit_test(doctor),
		cmocka_unit_test(diff),
		cmocka_unit_test(explain),
		cmocka_unit_test(finds_what_is_wrong),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
