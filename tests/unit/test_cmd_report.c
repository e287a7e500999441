/* SPDX-License-Identifier: BSD-2-Clause */
/* Reports as users see them: their text, exit statuses, losses. */
#include <stdarg.h>
#include <setjmp.h>
#include <stdint.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cmocka.h>
#include <jansson.h>

#include "cmd_run.h"
#include "forged.h"
#include "records.h"
#include "trace/trace.h"

static void add(struct gn_trace_writer *w, const void *rec, size_t size)
{
	assert_int_equal(gn_trace_writer_append(w, rec, size), 0);
}

static struct gn_rec_func func(enum gn_kind kind, uint64_t time, uint32_t seq,
			       uint64_t key, uint32_t os_ns)
{
	return (struct gn_rec_func){
		.h = {.time = time,
		      .tid = 7,
		      .seq = seq,
		      .kind = kind,
		      .flags = os_ns ? GN_F_OS_EVENT : 0,
		      .key = key},
		.func = GN_FUNC(GN_RUNTIME_NATIVE, 1),
		.os_ns = os_ns,
	};
}

static void add_text(struct gn_trace_writer *w, struct gn_rec h, uint32_t id,
		     uint32_t ref, const char *one, const char *two)
{
	union text_record r;
	size_t size = make_text(&r, h, id, ref, one, two);

	add(w, &r, size);
}

/* `work` in /bin/app, with probes that are emulated. */
static void add_function(struct gn_trace_writer *w)
{
	add_text(w, (struct gn_rec){.kind = GN_KIND_MODULE}, 1, 0, "/bin/app",
		 NULL);
	add_text(w,
		 (struct gn_rec){.kind = GN_KIND_FUNCTION,
				 .flags = GN_F_CLASSES(GN_PROBE_EMULATED,
						       GN_PROBE_EMULATED)},
		 GN_FUNC(GN_RUNTIME_NATIVE, 1), 1, "work", NULL);
}

struct story {
	uint32_t ring_full; /* records that the ring had no room for */
	uint32_t os_ns;	    /* of the 500 ns in the function */
	uint64_t kernel_ns; /* on a CPU by the kernel's account, 0 = none */
	uint32_t cost_ns;   /* of a probe; 0 = not measured */
	uint32_t others;    /* threads that run all the time */
	uint32_t inlined;   /* call sites of the function that may have it */
	const char *loss;   /* why records were lost, as capture says */
};

/* A thread of 1000 ns which is in `work` from 300 to 800. */
static void make_trace(const char *name, struct story s)
{
	struct gn_rec_session session = {
		.h = {.time = 1000, .kind = GN_KIND_SESSION}, .end = 2000};
	struct gn_rec_thread thread = {
		.f.h = {.time = 1000,
			.tid = 7,
			.seq = 1,
			.kind = GN_KIND_THREAD},
		.pid = 7,
		.comm = "app",
	};
	struct gn_rec_count count = {
		.h = {.kind = GN_KIND_COUNT},
		.id = GN_COUNTER_RING_FULL,
		.count = s.ring_full,
	};
	struct gn_rec_slice slice = {
		.h = {.time = 1750, .tid = 7, .seq = 1, .kind = GN_KIND_SLICE},
		.start = 1750 - s.os_ns,
		.reason = GN_NO_SYSCALL,
		.class = GN_CLASS_LOCK,
	};
	struct gn_rec_func f[] = {
		func(GN_KIND_ENTER, 1300, 2, 0x1000, 0),
		func(GN_KIND_LEAVE, 1800, 3, 0x1000, s.os_ns),
		func(GN_KIND_EXIT, 2000, 4, 0, 0),
	};
	const struct gn_rec info = {.kind = GN_KIND_INFO};
	struct gn_rec_sched sched = {
		.h = {.time = 1900, .tid = 7, .seq = 4, .kind = GN_KIND_SCHED},
		.kernel_cpu = s.kernel_ns,
		.cpu = 1000000,
	};
	struct gn_rec_cost cost = {
		.h = {.kind = GN_KIND_COST},
		.id = GN_PROBE_EMULATED,
		.samples = 100,
		.before_ns = s.cost_ns,
		.after_ns = s.cost_ns,
		.spread_ns = 1,
	};
	struct gn_trace_writer_opts opts = {.uid = (uid_t)-1, .gid = (gid_t)-1};
	struct gn_trace_writer *w;

	struct gn_rec_func site = func(GN_KIND_INLINED, 1100, 2, 0, 0);

	f[2].func = 0;
	for (size_t i = 0; i < 3; i++)
		f[i].h.seq += s.inlined;
	sched.h.seq += s.inlined;
	assert_int_equal(gn_trace_writer_open(path_of(name), &opts, &w), 0);
	add(w, &session, sizeof(session));
	add_text(w, info, 0, 0, "version", "0.1.0");
	add_text(w, info, 0, 0, "command", "[\"./app\",\"x y\"]");
	if (s.loss)
		add_text(w, info, 0, 0, "loss", s.loss);
	add_function(w);
	if (s.cost_ns)
		add(w, &cost, sizeof(cost));
	add(w, &thread, sizeof(thread));
	for (uint32_t i = 0; i < s.inlined; i++, site.h.seq++)
		add(w, &site, sizeof(site));
	add(w, &f[0], sizeof(f[0]));
	if (s.os_ns)
		add(w, &slice, sizeof(slice));
	add(w, &f[1], sizeof(f[1]));
	if (s.kernel_ns) {
		add(w, &sched, sizeof(sched));
		f[2].h.seq++;
	}
	add(w, &f[2], sizeof(f[2]));
	for (uint32_t i = 0; i < s.others; i++) {
		thread.f.h.tid = f[2].h.tid = 8 + i;
		f[2].h.seq = 2;
		add(w, &thread, sizeof(thread));
		add(w, &f[2], sizeof(f[2]));
	}
	if (s.ring_full)
		add(w, &count, sizeof(count));
	assert_int_equal(gn_trace_writer_close(w, NULL), 0);
}

/* Rows can be sorted by the columns that they have. */
static void sorted(void **state)
{
	static const char *const words[] = {
		"waits --sort name",  "waits --sort time",
		"waits --sort count", "waits --sort longest",
		"async --sort mean",  "module --sort max",
		"thread --sort gaps", "process --sort pid",
		"thread --sort lock+"};
	char line[128];

	(void)state;
	make_trace("gnomon.trace", (struct story){.os_ns = 100});
	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		snprintf(line, sizeof(line), "report --by %s", words[i]);
		assert_int_equal(gnomon(line)->status, 0);
	}
}

/* A trace without samples: nothing is written, and gnomon says why. */
static void no_samples(void **state)
{
	struct ran *r;

	(void)state;
	make_trace("gnomon.trace", (struct story){.os_ns = 100});
	r = gnomon("report --by samples --format collapsed");
	assert_int_equal(r->status, 0);
	assert_string_equal(r->out, "");
	assert_string_equal(r->err,
			    "gnomon: the trace has no samples; record it with "
			    "--snapshot\n");
	refuses("report --by samples --format speedscope",
		"speedscope has no rows to choose; leave --by, --sort and "
		"--limit out");
	bad_usage("report --by samples --format collapsed --sort ae");
}

/* A file that is no trace gives no output. */
static void no_trace(void **state)
{
	static const char *const drawn[] = {"--by calls", "--format chrome",
					    "--format perfetto"};
	struct ran *r;
	char line[64];

	(void)state;
	put_file("gnomon.trace", "no trace", 8);
	for (size_t i = 0; i < sizeof(drawn) / sizeof(*drawn); i++) {
		snprintf(line, sizeof(line), "report %s", drawn[i]);
		r = gnomon(line);
		assert_int_equal(r->status, 2);
		assert_string_equal(r->out, "");
		assert_non_null(strstr(r->err, "it is not a trace file"));
	}
}

/* Records of a newer gnomon are not dropped silently. */
static void newer_records(void **state)
{
	const struct gn_rec_session session = {
		.h = {.time = 7, .kind = GN_KIND_SESSION}, .end = 1007};
	unsigned char raw[sizeof(session) + 48] = {0};
	struct gn_rec newer = {.time = 7, .kind = KIND_FIXED};
	char line[128], told[256];
	struct forged f;
	struct ran *r;

	(void)state;
	memcpy(raw, &session, sizeof(session));
	memcpy(raw + sizeof(session), &newer, sizeof(newer));
	forge_begin(&f);
	forge_chunk(&f, raw, sizeof(raw), 2);
	forge_end(&f, 2, 7);
	snprintf(line, sizeof(line), "report -q -i %s", f.path);
	snprintf(told, sizeof(told),
		 "gnomon: %s has 1 record that only a newer gnomon knows, and "
		 "it is not shown here; read it with that gnomon\n",
		 f.path);
	r = gnomon(line);
	forge_close(&f);
	assert_string_equal(r->err, told);
	assert_int_equal(r->status, 0);
}

static void good_file(void **state)
{
	struct ran *r;
	json_t *root;
	char *out;

	(void)state;
	make_trace("gnomon.trace", (struct story){.os_ns = 100});
	r = gnomon("report");
	assert_string_equal(r->err, "");
	assert_int_equal(r->status, 0);
	assert_non_null(strstr(r->out, "# command     ./app 'x y'"));
	assert_non_null(
		strstr(r->out, "    1     500 ns  50.0     500 ns  50.0"));
	out = strdup(gnomon("report -q")->out);
	r = gnomon("report -q -i - <gnomon.trace");
	assert_string_equal(r->err, "");
	assert_string_equal(r->out, out);
	free(out);
	r = gnomon("report -q --by thread --ns");
	assert_non_null(strstr(r->out, "1,000 ns"));
	assert_null(strchr(r->out, '#'));
	r = gnomon("report --format json");
	assert_int_equal(r->status, 0);
	root = json_loads(r->out, 0, NULL);
	assert_non_null(root);
	assert_int_equal(
		json_integer_value(json_object_get(
			json_array_get(json_object_get(root, "functions"), 0),
			"application_exclusive_ns")),
		400);
	json_decref(root);
	r = gnomon("report --classify interval --format csv");
	assert_non_null(strstr(r->out, "work,/bin/app,native,1,0,500,"));
}

/* The class of a wait is in its column, and in the waits. */
static void columns_and_waits(void **state)
{
	struct ran *r;

	(void)state;
	make_trace("gnomon.trace", (struct story){.os_ns = 100});
	r = gnomon("report -q --ns --columns lock,lock+,net");
	assert_int_equal(r->status, 0);
	assert_string_equal(r->out, "  lock   lock+   net  function  module\n"
				    "100 ns  100 ns  0 ns  work      app\n");
	r = gnomon("report --format csv --columns calls,lock");
	assert_string_equal(r->out,
			    "function,module,runtime,calls,lock_exclusive_ns,"
			    "gap,unprobed,inlined\r\n"
			    "work,/bin/app,native,1,100,0,0,0\r\n");
	r = gnomon("report --by waits --format csv");
	assert_int_equal(r->status, 0);
	assert_non_null(
		strstr(r->out, "work,/bin/app,native,lock,,,100,1,100,"));
	r = gnomon("report -q --by waits");
	assert_non_null(strstr(r->out, "100 ns  10.0"));
}

/* Formats without rows; the tests of streams check their content. */
static void other_formats(void **state)
{
	struct stat st;
	struct ran *r;

	(void)state;
	make_trace("gnomon.trace", (struct story){.os_ns = 100});
	r = gnomon("report --format collapsed");
	assert_int_equal(r->status, 0);
	assert_string_equal(r->out, "app 500\napp;work 400\n");
	r = gnomon("report --format collapsed --columns lock,ee");
	assert_string_equal(r->out, "app;work 100\n");
	r = gnomon("report --format chrome -o there");
	assert_int_equal(r->status, 0);
	assert_string_equal(r->err, "");
	assert_int_equal(stat(path_of("there"), &st), 0);
	assert_int_equal(st.st_mode & 0777, 0600);
	/* a failed output leaves nothing behind */
	put_file("garbage", "x", 1);
	bad_usage("report -i garbage --format chrome -o gone");
	assert_int_equal(stat(path_of("gone"), &st), -1);
}

/* Formats of call trees mark no function, so gnomon says what they lack; the
 * timelines and those of them that have a place for notes have it there. */
static void inlined(void **state)
{
	static const char *const formats[] = {"collapsed", "speedscope",
					      "callgrind", "chrome"};
	static const char why[] = "calls at 3 sites may be inlined: they are "
				  "not counted, and their time is the "
				  "callers'";
	char line[64], told[200];
	struct ran *r;

	(void)state;
	make_trace("gnomon.trace", (struct story){.os_ns = 100, .inlined = 3});
	snprintf(told, sizeof(told), "gnomon: %s\n", why);
	for (size_t i = 0; i < sizeof(formats) / sizeof(*formats); i++) {
		snprintf(line, sizeof(line), "report --format %s", formats[i]);
		r = gnomon(line);
		assert_int_equal(r->status, 0);
		assert_string_equal(r->err, i < 3 ? told : "");
		assert_int_equal(strstr(r->out, why) != NULL, i > 0);
	}
	assert_string_equal(gnomon("report -q --format collapsed")->err, "");
	assert_string_equal(gnomon("report --format csv")->err, "");
}

/* What Markdown leaves out, and what it marks. */
static void markdown(void **state)
{
	struct ran *r;

	(void)state;
	make_trace("gnomon.trace",
		   (struct story){.cost_ns = 100, .others = 40});
	r = gnomon("report --format markdown --by thread");
	assert_non_null(strstr(r->out, "\n11 more are not shown.\n"));
	r = gnomon("report --format markdown --by thread --limit 0");
	assert_null(strstr(r->out, "not shown"));
	/* each class has its number; classes without time are left out */
	assert_non_null(strstr(r->out, " (7) |"));
	assert_non_null(strstr(r->out, " (8) |"));
	assert_non_null(strstr(r->out, " | app |"));
	assert_null(strstr(r->out, " jit |"));
	r = gnomon("report --format markdown --by thread --columns jit");
	assert_non_null(strstr(r->out, "| thread | jit |\n"));
	r = gnomon("report --format markdown --by process");
	assert_non_null(strstr(r->out, " (7) |"));
	r = gnomon("report --format markdown");
	assert_non_null(strstr(r->out, "| work | 1 | \\~"));
	assert_non_null(strstr(r->out, "\n\\~: can be wrong"));
}

/* The kernel's account compared with ours: 1 ms and 1 % of difference are
 * allowed. */
static void kernel_account(void **state)
{
	struct ran *r;

	(void)state;
	make_trace("gnomon.trace", (struct story){.kernel_ns = 1900000});
	r = gnomon("report");
	assert_int_equal(r->status, 0);
	assert_string_equal(r->err, "");
	r = gnomon("report -q -v --by thread");
	assert_non_null(strstr(r->out, "1,900,000 ns  1,000,000 ns"));
	make_trace("gnomon.trace", (struct story){.kernel_ns = 2100000});
	r = gnomon("report");
	assert_int_equal(r->status, 4);
	assert_non_null(strstr(r->err, "a self-check failed"));
	assert_non_null(strstr(
		r->out, "agree with the kernel's account, threads apart: 1"));
	assert_non_null(
		strstr(r->out,
		       "thread 7 (app): the kernel counted 2.100 ms on a CPU"));
}

static void probe_cost(void **state)
{
	struct ran *r;
	json_t *root;

	(void)state;
	make_trace("gnomon.trace", (struct story){.cost_ns = 10});
	r = gnomon("report --raw --format csv --columns ei");
	assert_non_null(strstr(r->out, "work,/bin/app,native,500,0"));
	r = gnomon("report --raw");
	assert_non_null(strstr(r->out, "emulated 20 +- 4 ns"));
	assert_non_null(strstr(r->out, "left in (--raw)"));
	/* the parts of its own probes: after its begin, before its end */
	r = gnomon("report --format csv --columns ei");
	assert_non_null(strstr(r->out, "work,/bin/app,native,480,0"));
	r = gnomon("report");
	assert_non_null(strstr(r->out, "taken out of 1.000 us"));
	r = gnomon("report --format json");
	root = json_loads(r->out, 0, NULL);
	assert_true(json_is_true(json_object_get(
		json_object_get(root, "probe_cost"), "subtracted")));
	json_decref(root);
}

static void output_file(void **state)
{
	struct ran *r;
	char written[1 << 16], *out;

	(void)state;
	make_trace("gnomon.trace", (struct story){0});
	out = strdup(gnomon("report")->out);
	r = gnomon("report -o there");
	assert_int_equal(r->status, 0);
	assert_string_equal(r->out, "");
	slurp("there", written, sizeof(written));
	assert_string_equal(written, out);
	free(out);
	assert_int_equal(gnomon("report -o none/there")->status, 1);
	assert_int_equal(gnomon("report -o .")->status, 1);
}

static void bad_stdout(void **state)
{
	static const char *const words[] = {
		"report >/dev/full",
		"report --format json >/dev/full",
		"report --format chrome >/dev/full",
		"report --format collapsed >/dev/full",
		"report --help >/dev/full",
		"--help >/dev/full",
		"--version >/dev/full"};
	/* one that fits the stream's buffer, and others that do not */
	static const char *const formats[] = {"table", "html", "json", "csv"};
	char line[512];
	struct ran *r;

	(void)state;
	make_trace("gnomon.trace", (struct story){0});
	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		r = gnomon(words[i]);
		assert_int_equal(r->status, 1);
		assert_non_null(strstr(r->err, "gnomon: cannot write"));
		assert_non_null(strstr(r->err, "; write it elsewhere\n"));
	}
	/* a reader that has gone: the FIFO's reading end is closed before
	 * anything is written */
	for (size_t i = 0; i < sizeof(formats) / sizeof(formats[0]); i++) {
		snprintf(line, sizeof(line),
			 "--version >v; rm -f pipe; mkfifo pipe; "
			 "exec 3<>pipe 4>pipe 3<&-; "
			 "'" GN_COMMAND "' report --format %s >&4",
			 formats[i]);
		r = gnomon(line);
		assert_string_equal(r->err, "");
		assert_int_equal(r->status, 0);
	}
}

static void losses(void **state)
{
	struct ran *r;

	(void)state;
	make_trace("lost", (struct story){.ring_full = 12});
	r = gnomon("report -i lost");
	assert_int_equal(r->status, 3);
	assert_non_null(strstr(r->out, "# LOST"));
	assert_non_null(strstr(r->out, "ring-full 12"));
	assert_non_null(
		strstr(r->err, "gnomon: 12 records were lost (ring-full 12)"));
	r = gnomon("report -i lost -q --format csv");
	assert_int_equal(r->status, 3);
	assert_non_null(strstr(r->err, "records were lost"));
	assert_non_null(strstr(r->err, "record fewer functions, or accept"));
	make_trace("why", (struct story){.ring_full = 12, .loss = "too small"});
	assert_non_null(strstr(gnomon("report -i why")->err,
			       "too small, or accept it with --allow-loss\n"));
	r = gnomon("report -i lost --allow-loss");
	assert_int_equal(r->status, 0);
	assert_non_null(strstr(r->out, "# LOST"));
}

/* Reads a correct trace; returns its size. */
static size_t read_whole(char *all, size_t size)
{
	size_t n;
	FILE *f;

	make_trace("whole", (struct story){0});
	f = fopen(path_of("whole"), "r");
	assert_non_null(f);
	n = fread(all, 1, size, f);
	assert_true(n && feof(f));
	fclose(f);
	return n;
}

/* At any length the file is refused, or the report says that it is truncated.
 * These are some lengths; test_trace_damage reads every one. */
static void truncated(void **state)
{
	char all[8192];
	size_t size = read_whole(all, sizeof(all)), reports = 0;

	(void)state;
	for (size_t n = 0; n < size; n += 31) {
		struct ran *r;

		put_file("cut", all, n);
		r = gnomon("report -i cut");
		if (r->status == 2)
			continue;
		assert_int_equal(r->status, 3);
		assert_non_null(strstr(r->out, "# TRUNCATED"));
		assert_non_null(strstr(r->err, "has no end"));
		r = gnomon("report -i cut --format openmetrics");
		assert_non_null(strstr(r->out, "gnomon_lost_records 1\n"));
		reports++;
	}
	assert_true(reports > 0);
}

/* A changed byte is not reported as a missing end. */
static void damaged(void **state)
{
	char all[8192];
	size_t size = read_whole(all, sizeof(all)), reports = 0;

	(void)state;
	for (size_t n = size - 1; n > size / 2; n -= 31) {
		struct ran *r;

		all[n] ^= 1;
		put_file("damaged", all, size);
		all[n] ^= 1;
		r = gnomon("report -i damaged");
		if (r->status == 2)
			continue;
		assert_int_equal(r->status, 3);
		assert_non_null(strstr(r->out, "the trace is damaged"));
		assert_non_null(strstr(r->err, "the trace is damaged"));
		reports++;
	}
	assert_true(reports > 0);
}

static void failed_check(void **state)
{
	struct ran *r;

	(void)state;
	/* more OS time than elapsed time */
	make_trace("broken", (struct story){.os_ns = 700});
	r = gnomon("report -i broken --allow-loss");
	assert_int_equal(r->status, 4);
	assert_non_null(strstr(r->out, "# FAILED"));
	assert_non_null(strstr(r->err, "self-check failed"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		CMD_TEST(no_trace),	  CMD_TEST(sorted),
		CMD_TEST(no_samples),	  CMD_TEST(newer_records),
		CMD_TEST(good_file),	  CMD_TEST(columns_and_waits),
		CMD_TEST(kernel_account), CMD_TEST(probe_cost),
		CMD_TEST(output_file),	  CMD_TEST(bad_stdout),
		CMD_TEST(losses),	  CMD_TEST(truncated),
		CMD_TEST(damaged),	  CMD_TEST(failed_check),
		CMD_TEST(other_formats),  CMD_TEST(inlined),
		CMD_TEST(markdown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
