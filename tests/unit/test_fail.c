// SPDX-License-Identifier: BSD-2-Clause
/*
 * Every fallible call fails once, in the ELF reader with the planner, in the
 * model, in the outputs and in the options. Whatever fails, nothing leaks
 * (LeakSanitizer, and no file stays open), the error is right, and a reported
 * success is as good as without a failure.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <gelf.h>
#include <jansson.h>
#include <cmocka.h>

#include "site/site.h"
#include "cmd/options.h"
#include "elf/elf_internal.h"
#include "explain/explain.h"
#include "fail.h"
#include "model/pipeline.h"
#include "output/output.h"
#include "output/text.h"
#include "records.h"
#include "top/batch.h"
#include "top/lines.h"
#include "top/prom.h"

WRAP(void *, malloc, (size_t n), (n), NULL, ENOMEM)
WRAP(void *, calloc, (size_t n, size_t m), (n, m), NULL, ENOMEM)
WRAP(void *, realloc, (void *p, size_t n), (p, n), NULL, ENOMEM)
WRAP(void *, reallocarray, (void *p, size_t n, size_t m), (p, n, m), NULL,
     ENOMEM)
WRAP(char *, strdup, (const char *s), (s), NULL, ENOMEM)
WRAP(char *, strndup, (const char *s, size_t n), (s, n), NULL, ENOMEM)
WRAP(FILE *, fopencookie, (void *p, const char *m, cookie_io_functions_t f),
     (p, m, f), NULL, ENOMEM)
WRAP(int, open, (const char *p, int f, mode_t m), (p, f, m), -1, EMFILE)
WRAP(int, fstat, (int fd, struct stat *s), (fd, s), -1, EIO)
WRAP(ssize_t, pread, (int fd, void *p, size_t n, off_t o), (fd, p, n, o), -1,
     EIO)
WRAP(Elf *, elf_begin, (int fd, Elf_Cmd c, Elf *e), (fd, c, e), NULL, EIO)
WRAP(Elf_Data *, elf_getdata, (Elf_Scn * s, Elf_Data *d), (s, d), NULL, EIO)

/* These wrap jansson's own calls through the functions that it is given. */
static void *json_memory(size_t size)
{
	return fails("jansson", ENOMEM) ? NULL : __real_malloc(size);
}

int __wrap_asprintf(char **text, const char *format, ...);
int __wrap_asprintf(char **text, const char *format, ...)
{
	va_list ap;
	int n;

	if (fails("asprintf", ENOMEM))
		return -1;
	va_start(ap, format);
	n = vasprintf(text, format, ap);
	va_end(ap);
	return n;
}

static size_t open_files(void)
{
	DIR *d = opendir("/proc/self/fd");
	size_t n = 0;

	assert_non_null(d);
	while (readdir(d))
		n++;
	closedir(d);
	return n;
}

/*
 * Runs `work`, with each of its calls failing in turn, until no call is left.
 * `work` puts its result as a text into *out. The text must be the same
 * whenever it returns 0, unless `worse` allows that the failed call does
 * unreported harm.
 */
static void fail_each(int (*work)(char **out), bool (*worse)(const char *call),
		      int least)
{
	size_t files = open_files();
	char *good = NULL;
	int n;

	assert_int_equal(work(&good), 0);
	for (n = 1;; n++) {
		char *text = NULL;
		int err;

		arm(n);
		err = work(&text);
		disarm();
		assert_int_equal(open_files(), files);
		if (!err && strcmp(text, good) &&
		    !(worse && failed && worse(failed_call)))
			fail_msg("call %d, %s: done, but not the same", n,
				 failed_call);
		if (err && err != -ENOMEM && err != -EIO && err != -EMFILE)
			fail_msg("call %d, %s: error %d", n, failed_call, err);
		free(text);
		if (!failed)
			break;
	}
	free(good);
	/* it did the real work, not only its first step */
	if (n < least)
		fail_msg("only %d calls", n);
}

/* A text that is written while failures are armed, but never fails itself. */
struct note {
	char *bytes;
	size_t size;
	FILE *f;
};

/* Do not move it until it is closed. */
static void note_open(struct note *n)
{
	n->f = open_memstream(&n->bytes, &n->size);
	assert_non_null(n->f);
}

static char *note_close(struct note *n)
{
	fclose(n->f);
	return n->bytes;
}

static int plan_all(struct gn_elf *elf, FILE *f)
{
	const struct gn_elf_symbol *all;
	size_t n = gn_elf_symbols(elf, &all);
	struct gn_planner *p = gn_planner_new(GN_LEAVE_AUTO);
	int err = p ? gn_planner_scan(p, &elf, 1) : -ENOMEM;

	for (size_t i = 0; i < n && !err; i++) {
		struct gn_plan plan;

		err = gn_planner_plan(p, elf, &all[i], &plan);
		if (err)
			break;
		fprintf(f, "%s %s %d %s %zu\n", all[i].name, plan.enter.insn,
			plan.leave, plan.refused ? plan.refused : plan.reason,
			plan.nleaves);
		gn_plan_clear(&plan);
	}
	gn_planner_free(p);
	return err;
}

static void tell_elf(const struct gn_elf *elf, FILE *f)
{
	const struct gn_elf_symbol *all;
	const uint64_t *a;
	size_t n = gn_elf_symbols(elf, &all);

	for (size_t i = 0; i < n; i++)
		fprintf(f, "%s %s %lx %lx\n", all[i].name, all[i].demangled,
			all[i].addr, all[i].size);
	fprintf(f, "%s %s %zu %d %d\n", gn_elf_build_id(elf),
		gn_elf_soname(elf) ? gn_elf_soname(elf) : "",
		gn_elf_starts(elf, &a), gn_elf_stripped(elf),
		gn_elf_opaque(elf));
	fprintf(f, "%d", gn_elf_pointers(elf, &a, &n));
	fprintf(f, " %zu\n", n);
}

static int read_elf(const char *path, char **out)
{
	struct note note;
	struct gn_elf *elf = NULL;
	int err;

	note_open(&note);
	err = gn_elf_open_root(path, path, "/nonexistent", &elf);
	if (!err) {
		tell_elf(elf, note.f);
		err = plan_all(elf, note.f);
		gn_elf_close(elf);
	}
	*out = note_close(&note);
	return err;
}

static int read_code(char **out)
{
	return read_elf(GN_SITE_ASM, out);
}

static int read_stripped(char **out)
{
	return read_elf(GN_ELF_STRIPPED, out);
}

/* A part of the file that cannot be read counts as missing, and so does a debug
 * file; but a lack of memory is always reported. */
static bool not_memory(const char *call)
{
	return !strcmp(call, "elf_getdata") || !strcmp(call, "open") ||
	       !strcmp(call, "fstat") || !strcmp(call, "elf_begin") ||
	       !strcmp(call, "pread");
}

static void the_elf_reader_and_the_planner(void **state)
{
	(void)state;
	fail_each(read_code, not_memory, 100);
	fail_each(read_stripped, not_memory, 30);
}

/* Records of a small program: two threads, functions of both kinds, and
 * waits. */
struct story {
	struct gn_pipeline *p;
	uint64_t now;
	uint32_t seq[2], slices;
	int err;
};

static void feed(struct story *s, const void *rec, size_t size)
{
	if (!s->err)
		s->err = gn_pipeline_feed(s->p, rec, size);
}

static struct gn_rec head(struct story *s, uint32_t t, enum gn_kind kind)
{
	s->now += 1000;
	return (struct gn_rec){.time = s->now,
			       .tid = 100 + t,
			       .seq = ++s->seq[t],
			       .kind = kind};
}

static void feed_text(struct story *s, struct gn_rec h, uint32_t id,
		      uint32_t ref, const char *one, const char *two)
{
	union text_record u;
	size_t size = make_text(&u, h, id, ref, one, two);

	feed(s, &u, size);
}

static void feed_func(struct story *s, uint32_t t, enum gn_kind kind,
		      uint32_t func, uint64_t depth)
{
	struct gn_rec_func r = {.h = head(s, t, kind), .func = func};

	r.h.key = 0x7ffc00001000 - 64 * depth;
	feed(s, &r, sizeof(r));
}

static void feed_slice(struct story *s)
{
	struct gn_rec_slice r = {
		.h = {.time = s->now + 500,
		      .tid = 100,
		      .seq = ++s->slices,
		      .kind = GN_KIND_SLICE},
		.start = s->now + 100,
		.waker = 101,
		.reason = 202,
		.class = GN_CLASS_LOCK,
	};

	feed(s, &r, sizeof(r));
}

static void feed_sample(struct story *s)
{
	struct {
		struct gn_rec_sample r;
		uint32_t func[4];
	} sample = {
		.r = {.h = {.time = s->now, .tid = 100, .kind = GN_KIND_SAMPLE},
		      .size = gn_sample_size(3),
		      .pid = 100,
		      .frames = 3},
		.func = {2, GN_FUNC(GN_RUNTIME_CLR, 1), 1}};

	feed(s, &sample, sample.r.size);
}

static void tell_story(struct story *s)
{
	const struct gn_rec user = {.kind = GN_KIND_INFO};
	struct gn_rec h = user;

	for (uint32_t t = 0; t < 2; t++) {
		struct gn_rec_thread r = {.f.h = head(s, t, GN_KIND_THREAD),
					  .pid = 100,
					  .parent = 100,
					  .comm = "program"};

		feed(s, &r, sizeof(r));
	}
	feed_text(s, user, 0, 0, "command", "[\"./program\", \"an arg\"]");
	h.kind = GN_KIND_MODULE;
	feed_text(s, h, 1, 0, "/usr/bin/program", "abcd");
	for (uint32_t f = 1; f < 20; f++) {
		char name[32];

		snprintf(name, sizeof(name), "function<%u>", f);
		h.kind = GN_KIND_FUNCTION;
		feed_text(s, h, f, 1, name, "");
		feed_text(s, head(s, 0, GN_KIND_NAME),
			  GN_FUNC(GN_RUNTIME_CLR, f), 100, name, "App.dll");
		feed_func(s, 0, GN_KIND_ENTER, f, 2 * f);
		feed_func(s, 0, GN_KIND_ENTER, GN_FUNC(GN_RUNTIME_CLR, f),
			  2 * f + 1);
		feed_slice(s);
	}
	feed_sample(s);
	feed_func(s, 0, GN_KIND_JIT_BEGIN, 0, 0);
	feed_func(s, 0, GN_KIND_JIT_END, 0, 0);
	for (uint32_t f = 19; f; f--)
		feed_func(s, 0, GN_KIND_LEAVE, f, 2 * f);
	feed_func(s, 1, GN_KIND_EXIT, 0, 0);
}

/* The model of the story, or the error. */
static int make_model(bool live, struct gn_model **m)
{
	struct gn_pipeline_opts opts = {.live = live};
	struct story s = {.p = gn_pipeline_new(&opts), .now = 1000000};

	*m = NULL;
	if (!s.p)
		return -ENOMEM;
	tell_story(&s);
	if (!s.err)
		s.err = live ? gn_pipeline_period(s.p, m)
			     : gn_pipeline_finish(s.p, m);
	gn_pipeline_free(s.p);
	return s.err;
}

static void tell_model(const struct gn_model *m, FILE *f)
{
	fprintf(f, "%lu %zu %zu %zu\n", m->session.elapsed_incl, m->nthreads,
		m->nnodes, m->nedges);
	for (size_t i = 0; i < m->nfunctions; i++)
		fprintf(f, "%s %s %lu %lu\n", m->functions[i].name,
			m->functions[i].module, m->functions[i].v.calls,
			m->functions[i].v.elapsed_incl);
}

static int model_of(bool live, char **out)
{
	struct note note;
	struct gn_model *m;
	int err;

	note_open(&note);
	err = make_model(live, &m);
	if (!err) {
		tell_model(m, note.f);
		gn_model_free(m);
	}
	*out = note_close(&note);
	return err;
}

static int whole_model(char **out)
{
	return model_of(false, out);
}

static int live_model(char **out)
{
	return model_of(true, out);
}

static void the_model(void **state)
{
	(void)state;
	fail_each(whole_model, NULL, 40);
	fail_each(live_model, NULL, 40);
}

/* The model, and the format that shows it while calls fail. */
static const struct gn_model *shown;
static const struct gn_output *format;
static enum gn_by by;
static int width;

static int show(char **out)
{
	struct note note;
	struct gn_output_opts o = {.by = by, .utf8 = true, .width = width};
	int err;

	note_open(&note);
	err = format->write(shown, &o, note.f);
	*out = note_close(&note);
	return err;
}

/* A note that is not wrapped is still complete. */
static bool wraps(const char *call)
{
	return !strcmp(call, "strndup");
}

/* Formats without rows write the same for each `by`, but for samples. */
static bool is_another(void)
{
	return format->shape == GN_SHAPE_ROWS || by == GN_BY_FUNCTION ||
	       by == GN_BY_SAMPLES;
}

static void the_outputs(void **state)
{
	struct gn_model *m;

	(void)state;
	assert_int_equal(make_model(false, &m), 0);
	shown = m;
	for (size_t i = 0; (format = gn_output_at(i)); i++)
		for (by = 0; format->write && by < GN_BY_COUNT; by++)
			if (is_another())
				fail_each(show, NULL, 1);
	/* a table for a terminal is a text before it is wrapped */
	format = gn_output_find("table");
	by = GN_BY_FUNCTION;
	width = 80;
	fail_each(show, wraps, 100);
	width = 0;
	gn_model_free(m);
}

static int show_period(char **out)
{
	struct note note;
	struct gn_top_period p = {.m = shown,
				  .number = 1,
				  .length = 1000000000,
				  .session = 1000000000,
				  .title = "program",
				  .functions = true};
	struct gn_top_batch_opts batch = {.utf8 = true};
	struct gn_top_lines_opts lines = {0};
	int err;

	note_open(&note);
	err = gn_top_batch(&p, &batch, note.f);
	if (!err)
		err = gn_top_lines(&p, &lines, note.f);
	*out = note_close(&note);
	return err;
}

static void the_live_outputs(void **state)
{
	struct gn_model *m;

	(void)state;
	assert_int_equal(make_model(true, &m), 0);
	shown = m;
	fail_each(show_period, NULL, 2);
	gn_model_free(m);
}

#define SECOND 1000000000ull

/* The findings, as sentences and as JSON. */
static int find(char **out)
{
	const struct gn_explain_opts o = {.utf8 = true};
	struct gn_findings findings;
	struct note note;
	int err;

	note_open(&note);
	err = gn_explain(shown, 0, &findings);
	if (!err)
		err = gn_findings_print(shown, &findings, &o, note.f);
	if (!err)
		err = gn_findings_json(shown, &findings, NULL, note.f);
	gn_findings_clear(&findings);
	*out = note_close(&note);
	return err;
}

static void the_findings(void **state)
{
	struct gn_model_function functions[] = {
		{.name = "spin(int)",
		 .module = "program",
		 .v = {.calls = 1000,
		       .elapsed_excl = SECOND,
		       .class_excl = {[GN_CLASS_APP] = SECOND}}},
		{.index = 1,
		 .name = "rest",
		 .module = "program",
		 .v = {.calls = 1}}};
	struct gn_model_thread thread = {.tid = 1,
					 .name = "main",
					 .elapsed = SECOND,
					 .classes = {[GN_CLASS_APP] = SECOND}};
	struct gn_model_info info[] = {
		{.key = "command", .value = "[\"./program\", \"an arg\"]"},
		{.key = "options", .value = "run -f spin"}};
	struct gn_model m = {
		.end = SECOND,
		.probe_cost = SECOND,
		.session = {.calls = 1000,
			    .elapsed_incl = SECOND,
			    .class_incl = {[GN_CLASS_APP] = SECOND}},
		.costs = {[1] = {.hits = 2000}},
		.threads = &thread,
		.nthreads = 1,
		.functions = functions,
		.nfunctions = 2,
		.info = info,
		.ninfo = 2,
	};

	(void)state;
	shown = &m;
	fail_each(find, NULL, 10);
}

/* A stream that takes this many bytes. */
static size_t room;

static ssize_t take_bytes(void *cookie, const char *bytes, size_t n)
{
	(void)cookie;
	(void)bytes;
	if (n > room) {
		errno = ENOSPC;
		return -1;
	}
	room -= n;
	return (ssize_t)n;
}

static int write_within(size_t bytes)
{
	const cookie_io_functions_t io = {.write = take_bytes};
	FILE *f = fopencookie(NULL, "w", io);
	struct gn_output_opts o = {.by = by, .utf8 = true};
	char buffer[64];
	int err;

	assert_non_null(f);
	setvbuf(f, buffer, _IOFBF, sizeof(buffer));
	room = bytes;
	errno = 0;
	err = format->write(shown, &o, f);
	if (!err && fflush(f))
		err = -errno;
	fclose(f);
	return err;
}

/* A text that grows several times. */
static int write_stream(char **out)
{
	struct gn_text_stream s;
	FILE *f = gn_text_stream_open(&s);

	if (!f)
		return -ENOMEM;
	for (int i = 0; i < 20000; i++)
		fprintf(f, "line %d\n", i);
	*out = gn_text_stream_close(&s);
	return *out ? 0 : -ENOMEM;
}

static void the_text_streams(void **state)
{
	struct gn_text_stream s;
	FILE *f = gn_text_stream_open(&s);
	char *text;

	(void)state;
	assert_non_null(f);
	assert_int_equal(ftell(f), 0);
	fputs("some", f);
	assert_int_equal(ftell(f), 4);
	assert_int_equal(fflush(f), 0);
	fputs("thing", f);
	assert_int_equal(ftell(f), 9);
	text = gn_text_stream_close(&s);
	assert_string_equal(text, "something");
	assert_int_equal(s.size, 9);
	free(text);
	assert_non_null(gn_text_stream_open(&s));
	text = gn_text_stream_close(&s);
	assert_string_equal(text, "");
	free(text);
	fail_each(write_stream, NULL, 4);
}

static void a_full_disk(void **state)
{
	struct gn_model *m;

	(void)state;
	assert_int_equal(make_model(false, &m), 0);
	shown = m;
	for (size_t i = 0; (format = gn_output_at(i)); i++)
		for (by = 0; format->write && by < GN_BY_COUNT; by++) {
			size_t n = 0;
			int err;

			while ((err = write_within(n))) {
				assert_int_equal(err, -ENOSPC);
				n += n < 4096 ? 61 : 997;
			}
			if (!n)
				fail_msg("%s by %d needs no room", format->name,
					 by);
		}
	gn_model_free(m);
}

static int parse(char **out)
{
	static const struct gn_option options[] = {GN_OPT_PIDS,
						   GN_OPT_FUNCTION};
	static const struct gn_verb_usage usage = {
		.name = "verb",
		.synopsis = "",
		.summary = "",
		.options = options,
		.noptions = 2,
	};
	char words[][16] = {"verb", "-p", "1,2,3,1", "-f", "a", "-fb", "-p4"};
	char *argv[8] = {words[0], words[1], words[2], words[3],
			 words[4], words[5], words[6], NULL};
	struct note note;
	char text[256] = "";
	struct gn_args args;
	int err;

	note_open(&note);
	gn_args_init(&args);
	err = gn_options_parse(&usage, 7, argv, &args, text, sizeof(text));
	fprintf(note.f, "%zu %zu %s", args.pids.n, args.functions.n, text);
	gn_args_clear(&args);
	*out = note_close(&note);
	return err;
}

static void the_options(void **state)
{
	(void)state;
	fail_each(parse, NULL, 6);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_elf_reader_and_the_planner),
		cmocka_unit_test(the_model),
		cmocka_unit_test(the_outputs),
		cmocka_unit_test(the_live_outputs),
		cmocka_unit_test(the_findings),
		cmocka_unit_test(the_text_streams),
		cmocka_unit_test(a_full_disk),
		cmocka_unit_test(the_options),
	};

	json_set_alloc_funcs(json_memory, free);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
