/* SPDX-License-Identifier: BSD-2-Clause */
/* The command as a person meets it: help, reports, bad files, exit statuses. */
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

#include "records.h"
#include "trace/trace.h"

static char dir[256];

/* What a command left. */
struct ran {
	int status;
	char out[1 << 16], err[4096];
};

static void slurp(const char *name, char *buf, size_t size)
{
	char path[512];
	size_t n;
	FILE *f;

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	f = fopen(path, "r");
	assert_non_null(f);
	n = fread(buf, 1, size - 1, f);
	buf[n] = '\0';
	fclose(f);
}

/* Runs `gnomon WORDS` by the shell in the tests' folder. */
static struct ran *gnomon(const char *words)
{
	static struct ran r;
	char line[1024];
	int status;

	memset(&r, 0, sizeof(r));
	snprintf(line, sizeof(line), "cd '%s' && { '%s' %s; } >out 2>err", dir,
		 GN_COMMAND, words);
	status = system(line);
	assert_true(WIFEXITED(status));
	r.status = WEXITSTATUS(status);
	slurp("out", r.out, sizeof(r.out));
	slurp("err", r.err, sizeof(r.err));
	return &r;
}

static const char *path_of(const char *name)
{
	static char path[512];

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	return path;
}

static void put_file(const char *name, const void *bytes, size_t size)
{
	FILE *f = fopen(path_of(name), "w");

	assert_non_null(f);
	assert_int_equal(fwrite(bytes, 1, size, f), size);
	fclose(f);
}

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
	uint32_t ring_full; /* records that the ring refused */
	uint32_t os_ns;	    /* of the 500 ns in the function */
	uint64_t kernel_ns; /* on a CPU by the kernel's account, 0 = none */
	uint32_t cost_ns;   /* of a probe, 0 = not measured */
};

/* A thread of 1000 ns that is in `work` from 300 to 800. */
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

	f[2].func = 0;
	assert_int_equal(gn_trace_writer_open(path_of(name), &opts, &w), 0);
	add(w, &session, sizeof(session));
	add_text(w, info, 0, 0, "version", "0.1.0");
	add_text(w, info, 0, 0, "command", "[\"./app\",\"x y\"]");
	add_function(w);
	if (s.cost_ns)
		add(w, &cost, sizeof(cost));
	add(w, &thread, sizeof(thread));
	add(w, &f[0], sizeof(f[0]));
	if (s.os_ns)
		add(w, &slice, sizeof(slice));
	add(w, &f[1], sizeof(f[1]));
	if (s.kernel_ns) {
		add(w, &sched, sizeof(sched));
		f[2].h.seq++;
	}
	add(w, &f[2], sizeof(f[2]));
	if (s.ring_full)
		add(w, &count, sizeof(count));
	assert_int_equal(gn_trace_writer_close(w, NULL), 0);
}

static int set_up(void **state)
{
	(void)state;
	snprintf(dir, sizeof(dir), "%s/report.XXXXXX", GN_BUILD_DIR);
	return mkdtemp(dir) ? 0 : -1;
}

static int tear_down(void **state)
{
	char line[512];

	(void)state;
	snprintf(line, sizeof(line), "rm -r '%s'", dir);
	return system(line);
}

static size_t count_lines(const char *text, size_t *longest)
{
	size_t lines = 0;

	*longest = 0;
	while (*text) {
		size_t n = strcspn(text, "\n");

		*longest = n > *longest ? n : *longest;
		lines++;
		text += n + (text[n] == '\n');
	}
	return lines;
}

static void help_fits_a_screen(void **state)
{
	static const char *const words[] = {"--help", "help", "report --help",
					    "help report", "run --help"};
	size_t width;

	(void)state;
	for (size_t i = 0; i < 5; i++) {
		struct ran *r = gnomon(words[i]);

		assert_int_equal(r->status, 0);
		assert_string_equal(r->err, "");
		assert_non_null(strstr(r->out, "Examples:"));
		assert_in_range(count_lines(r->out, &width), 1, 24);
		assert_in_range(width, 1, 80);
	}
}

static void bad_usage(const char *words)
{
	struct ran *r = gnomon(words);
	size_t width;

	if (r->status != 2 || strncmp(r->err, "gnomon: ", 8) != 0 ||
	    count_lines(r->err, &width) != 1 || !strchr(r->err, ';'))
		fail_msg("'%s': status %d, '%s'", words, r->status, r->err);
	assert_string_equal(r->out, "");
}

/* Each option that a help names has its item in the manual, and each verb of
 * the first screen its section. */
static void manual_has_each_option(void **state)
{
	static char manual[1 << 16];
	char *verbs = strdup(gnomon("--help")->out), name[64], wanted[128];
	FILE *f = fopen(GN_TESTS_DIR "/../docs/gnomon.1", "r");
	size_t n;

	(void)state;
	assert_non_null(f);
	n = fread(manual, 1, sizeof(manual) - 1, f);
	manual[n] = '\0';
	fclose(f);
	/* verbs are the lines that begin with two blanks and a letter */
	for (char *p = verbs; (p = strstr(p, "\n  ")); p++) {
		if (sscanf(p, "\n  %63[a-z] ", name) != 1 ||
		    !strcmp(name, "sudo") || !strcmp(name, "gnomon") ||
		    !strcmp(name, "help"))
			continue;
		snprintf(wanted, sizeof(wanted), ".Ss gnomon %s\n", name);
		if (!strstr(manual, wanted))
			fail_msg("no '%s'", wanted);
		snprintf(wanted, sizeof(wanted), "%s --help", name);
		for (char *q = gnomon(wanted)->out; (q = strstr(q, "--"));
		     q += 2) {
			if (sscanf(q, "--%63[a-z-]", name) != 1)
				continue;
			snprintf(wanted, sizeof(wanted), "Fl -%s", name);
			if (!strstr(manual, wanted))
				fail_msg("no '%s'", wanted);
		}
	}
	free(verbs);
}

static void usage_errors(void **state)
{
	(void)state;
	bad_usage("nonsense");
	bad_usage("help nonsense");
	bad_usage("report --nonsense");
	bad_usage("report file");
	bad_usage("report --by nothing");
	bad_usage("report --columns ''");
	bad_usage("report --columns nothing");
	bad_usage("report --columns ei,,ee");
	bad_usage("report --by waits --columns ei");
	bad_usage("report --tree");
	bad_usage("report --tree --format csv");
	bad_usage("report --label a=b");
	bad_usage("report --of wall --format csv");
	bad_usage("report --sort pid");
	bad_usage("report --events gc");
	bad_usage("report --schema -o schema.json");
	bad_usage("run -f ! -- true");
	bad_usage("list -f ! -- true");
	bad_usage("list -f lib: -- true");
	bad_usage("list -f usdt:x -- true");
	bad_usage("record -f ! -- true");
	bad_usage("top -b -f ! -- true");
	bad_usage("run -f usdt: -- true");
	bad_usage("run -f usdt:x -- true");
	bad_usage("run -f lib: -- true");
	bad_usage("run --ring-size 64G -- true");
	bad_usage("run --columns nothing -- true");
	bad_usage("report --format collapsed --columns ei");
	bad_usage("report --format collapsed --columns lock+");
	bad_usage("report --format collapsed --limit 3");
	bad_usage("report --format callgrind --by tree");
	bad_usage("report --format chrome --by tree");
	bad_usage("report --format chrome --columns ee");
	bad_usage("run --format chrome -- true");
	bad_usage("run --format chrome -o - -- true");
	bad_usage("\"$(printf '\\033[31m')\"");
	assert_null(strchr(gnomon("\"$(printf '\\033')\"")->err, '\033'));
	assert_int_equal(gnomon("")->status, 2);
}

static void refuses(const char *words, const char *line)
{
	char wanted[512];
	struct ran *r;

	bad_usage(words);
	r = gnomon(words);
	snprintf(wanted, sizeof(wanted), "gnomon: %s\n", line);
	assert_string_equal(r->err, wanted);
}

#define CALL_KEYS                                                   \
	"calls, unwound, ei, ee, ai, ae, min, avg, max, finished, " \
	"error+, error, name, module, lock, lock+ and the other "   \
	"classes, or leave --sort out"
#define OWNER_KEYS    "calls, unwound, ei, ee, ai, ae, error+, error, name, pid, "
#define OWNER_CLASSES "lock, lock+ and the other classes, or leave --sort out"

/* The rows of each --by have some of the keys only. */
static void sort_keys(void **state)
{
	(void)state;
	refuses("report --by waits --sort ae",
		"--by waits has no ae to sort by; give name, module, or leave "
		"--sort out");
	refuses("report --by waits --sort lock --format csv",
		"--by waits has no lock to sort by; give name, module, or "
		"leave --sort out");
	refuses("report --by async --sort elapsed-inclusive",
		"--by async has no elapsed-inclusive to sort by; give name, "
		"module, or leave --sort out");
	refuses("report --sort pid",
		"--by function has no pid to sort by; give " CALL_KEYS);
	refuses("report --by tree --sort gaps",
		"--by tree has no gaps to sort by; give " CALL_KEYS);
	refuses("report --by thread --sort module",
		"--by thread has no module to sort by; give " OWNER_KEYS
		"gaps, " OWNER_CLASSES);
	refuses("report --by process --sort gaps",
		"--by process has no gaps to sort by; give " OWNER_KEYS
			OWNER_CLASSES);
	bad_usage("report --by callers --sort gaps");
	bad_usage("report --by module --sort pid");
	bad_usage("report --by thread --sort avg");
	bad_usage("report --by process --sort finished");
	bad_usage("report --by gc --sort pid");
	bad_usage("run --by waits --sort ae -- true");
	make_trace("gnomon.trace", (struct story){.os_ns = 100});
	assert_int_equal(gnomon("report --by waits --sort name")->status, 0);
	assert_int_equal(gnomon("report --by module --sort max")->status, 0);
	assert_int_equal(gnomon("report --by thread --sort gaps")->status, 0);
	assert_int_equal(gnomon("report --by process --sort pid")->status, 0);
	assert_int_equal(gnomon("report --by thread --sort lock+")->status, 0);
}

/* `none` of --os stands alone, and so do the others stand with what they are.
 */
static void kinds_of_events(void **state)
{
	static const char *const lists[] = {
		"none,faults", "faults,none", ",",	"faults,,wakers",
		"Faults",      "fault",	      "faultsx"};
	char words[128], line[256];

	(void)state;
	for (size_t i = 0; i < sizeof(lists) / sizeof(lists[0]); i++) {
		snprintf(words, sizeof(words), "run --os %s -- true", lists[i]);
		snprintf(line, sizeof(line),
			 "--os cannot be '%s'; give some of faults, syscalls, "
			 "wakers, wakeups with commas, or none alone",
			 lists[i]);
		refuses(words, line);
	}
	bad_usage("record --os none,faults -- true");
	bad_usage("top -b --os none,faults -- true");
}

/* Of a trace without samples: nothing is written, and why is said. */
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

static void version(void **state)
{
	struct ran *r = gnomon("--version");

	(void)state;
	assert_int_equal(r->status, 0);
	assert_memory_equal(r->out, "gnomon ", 7);
}

static void bad_files(void **state)
{
	char garbage[4096];

	(void)state;
	memset(garbage, 'x', sizeof(garbage));
	put_file("empty", "", 0);
	put_file("garbage", garbage, sizeof(garbage));
	put_file("short", "x", 1);
	bad_usage("report -i missing");
	bad_usage("report -i empty");
	bad_usage("report -i garbage");
	bad_usage("report -i short");
	bad_usage("report -i .");
	bad_usage("report -i none/file");
	bad_usage("report -i /dev/null");
	bad_usage("report"); /* no gnomon.trace here */
}

/* Nothing that is read is written. */
static void inputs_stay(void **state)
{
	(void)state;
	put_file("garbage", "x", 1);
	bad_usage("report -i garbage -o garbage");
	bad_usage("report -i - -o garbage <garbage");
	bad_usage("explain -i garbage -o garbage");
	bad_usage("diff -o garbage garbage garbage");
	bad_usage("check --budget garbage -i missing -o garbage");
	put_file("garbage.json", "x", 1);
	bad_usage("export -i garbage.json -o garbage --format json");
}

static void good_file(void **state)
{
	struct ran *r;
	json_t *root;

	(void)state;
	make_trace("gnomon.trace", (struct story){.os_ns = 100});
	r = gnomon("report");
	assert_string_equal(r->err, "");
	assert_int_equal(r->status, 0);
	assert_non_null(strstr(r->out, "# command     ./app 'x y'"));
	assert_non_null(
		strstr(r->out, "    1     500 ns  50.0     500 ns  50.0"));
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
			    "gap,unprobed\r\n"
			    "work,/bin/app,native,1,100,0,0\r\n");
	r = gnomon("report --by waits --format csv");
	assert_int_equal(r->status, 0);
	assert_non_null(
		strstr(r->out, "work,/bin/app,native,lock,,,100,1,100,"));
	r = gnomon("report -q --by waits");
	assert_non_null(strstr(r->out, "100 ns  10.0"));
}

/* Those without rows; what is in them is tested with the streams. */
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
	/* nothing is left of what could not be made */
	put_file("garbage", "x", 1);
	bad_usage("report -i garbage --format chrome -o gone");
	assert_int_equal(stat(path_of("gone"), &st), -1);
}

/* The kernel's account against ours: 1 ms and 1 % may differ. */
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
	assert_non_null(strstr(r->out, "differ from the kernel's account: 1"));
	assert_non_null(strstr(
		r->out, "thread 7 (app): by the kernel 2.100 ms on a CPU"));
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
	/* its own probes' parts: behind its begin, before its end */
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
	/* one that fits the stream's buffer, and some that do not */
	static const char *const formats[] = {"table", "html", "json", "csv"};
	char line[512];
	struct ran *r;

	(void)state;
	make_trace("gnomon.trace", (struct story){0});
	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		r = gnomon(words[i]);
		assert_int_equal(r->status, 1);
		assert_non_null(strstr(r->err, "gnomon: cannot write"));
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
	assert_non_null(strstr(r->err, "records were lost"));
	r = gnomon("report -i lost -q --format csv");
	assert_int_equal(r->status, 3);
	assert_non_null(strstr(r->err, "records were lost"));
	r = gnomon("report -i lost --allow-loss");
	assert_int_equal(r->status, 0);
	assert_non_null(strstr(r->out, "# LOST"));
}

/* Every length of the file is a bad file, or a report that says it is cut. */
static void truncated(void **state)
{
	char all[8192];
	struct stat st;
	size_t reports = 0;
	FILE *f;

	(void)state;
	make_trace("whole", (struct story){0});
	assert_int_equal(stat(path_of("whole"), &st), 0);
	assert_true((size_t)st.st_size <= sizeof(all));
	f = fopen(path_of("whole"), "r");
	assert_non_null(f);
	assert_int_equal(fread(all, 1, sizeof(all), f), st.st_size);
	fclose(f);
	for (off_t n = 0; n < st.st_size; n += 3) {
		struct ran *r;

		put_file("cut", all, (size_t)n);
		r = gnomon("report -i cut");
		if (r->status == 2)
			continue;
		assert_int_equal(r->status, 3);
		assert_non_null(strstr(r->out, "# TRUNCATED"));
		assert_non_null(strstr(r->err, "has no end"));
		reports++;
	}
	assert_true(reports > 0);
}

static void failed_check(void **state)
{
	struct ran *r;

	(void)state;
	/* more OS time than there was time */
	make_trace("broken", (struct story){.os_ns = 700});
	r = gnomon("report -i broken --allow-loss");
	assert_int_equal(r->status, 4);
	assert_non_null(strstr(r->out, "# FAILED"));
	assert_non_null(strstr(r->err, "self-check failed"));
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(help_fits_a_screen),
		TEST(manual_has_each_option),
		TEST(usage_errors),
		TEST(sort_keys),
		TEST(kinds_of_events),
		TEST(no_samples),
		TEST(version),
		TEST(bad_files),
		TEST(inputs_stay),
		TEST(good_file),
		TEST(columns_and_waits),
		TEST(kernel_account),
		TEST(probe_cost),
		TEST(output_file),
		TEST(bad_stdout),
		TEST(losses),
		TEST(truncated),
		TEST(failed_check),
		TEST(other_formats),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
