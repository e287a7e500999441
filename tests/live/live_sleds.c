/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Native programs that were built with sleds: they get fast hooks when gnomon
 * starts them, and otherwise probes.
 */
#include "live.h"

#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define N PRIu64

/* The hits of fast hooks. */
static uint64_t fast_hits(struct live *t, const json_t *report)
{
	return live_hits(t, report, "fast");
}

/* The calls of down() in the report, and the hits of fast hooks. */
static uint64_t calls(struct live *t, const char *options, const char *command,
		      uint64_t *fast)
{
	struct live_truths *truths = calloc(1, sizeof(*truths));
	json_t *report;
	uint64_t n;

	CHECK(t, truths, "no memory");
	live_trace(t, options, command, truths, &report);
	n = live_function(t, report, NULL, "down", "calls", NULL);
	CHECK(t, n == live_truth(truths, "calls", "down"),
	      "%" N " calls of down() with %s", n, options);
	*fast = fast_hits(t, report);
	free(truths);
	return n;
}

/* Only the first record of a thread comes from a probe. */
static void check_used(struct live *t, const char *fixture, unsigned int ends)
{
	const char *command = live_text(t, "%s 1000", fixture);
	uint64_t fast, n = calls(t, "-f down", command, &fast);

	CHECK(t, fast + 1 >= n * ends,
	      "%s: %" N " calls, but %" N " records of fast hooks", fixture, n,
	      fast);
	calls(t, "-f down --hooks uprobe", command, &fast);
	CHECK(t, !fast, "%s: fast hooks with --hooks uprobe", fixture);
}

void test_sleds_used(struct live *t)
{
	check_used(t, "recursion_xray", 2);
	check_used(t, "recursion_nops", 1);
	if (access(live_fixture(t, "recursion_mcount"), X_OK) == 0)
		check_used(t, "recursion_mcount", 1);
}

/* The first record of each thread comes from a probe. It executes a nop of the
 * library; the returns that hooks replace would be single-stepped. */
void test_sleds_child_cost(struct live *t)
{
	struct live_truths *truths = calloc(1, sizeof(*truths));
	json_t *report;
	uint64_t n;

	CHECK(t, truths, "no memory");
	live_trace(t, "-f work --hooks fast", "fork_xray fork 100", truths,
		   &report);
	n = live_hits(t, report, "single-stepped");
	CHECK(t, !n, "%" N " hits are said to be single-stepped", n);
	n = live_hits(t, report, "emulated");
	CHECK(t, n <= 2, "%" N " hits of probes", n);
	n += fast_hits(t, report);
	CHECK(t, n == 2 * live_truth(truths, "calls", "work"),
	      "%" N " hits of the others", n);
	free(truths);
}

/* A signal handler forks a child while its thread is in a hook. The child,
 * which does not have that ring, leaves the hook. A child that gets signals
 * before it knows that it is a child does so, too. */
void test_sleds_handler_forks(struct live *t)
{
	static const char *const fixtures[] = {
		"fork_handler_xray 20", "fork_handler_nops 20",
		"fork_signalled_xray 200", "fork_signalled_nops 200"};
	struct live_end end;

	for (int i = 0; i < 4; i++) {
		live_gnomon(t, "run", "-f nothing --hooks fast", fixtures[i],
			    &end, NULL);
		CHECK(t, strstr(end.out, "result bad 0"),
		      "%s: children ended by something else: %s", fixtures[i],
		      end.out);
	}
}

#define RINGS 1023
#define MORE  40

/* More threads at the same time than rings: their calls are counted, and gnomon
 * reports how many of them had probes. The first thread of the program has no
 * call. */
void test_sleds_ringless(struct live *t)
{
	const char *command = live_text(t, "threads_xray %d 1 1", RINGS + MORE);
	struct live_truths *truths = calloc(1, sizeof(*truths));
	struct live_end end;
	json_t *report;

	CHECK(t, truths, "no memory");
	live_trace(t, "-f work -f worker_main", command, truths, &report);
	live_compare(t, truths, report, 0);
	live_gnomon(t, "run", "-f work", command, &end, NULL);
	CHECK(t,
	      strstr(end.out, live_text(t,
					" %d threads came when 1,023 others of "
					"their process had records",
					MORE)),
	      "nothing says that threads had probes: %s", end.out);
	free(truths);
}

/* Programs that cannot load the library: the header of the report says why. */
void test_sleds_unfit(struct live *t)
{
	struct live_args a = {.n = 0};
	char *copy = live_text(t, "%s/privileged", t->dir);
	struct live_end end;

	live_copy(t, live_fixture(t, "recursion_xray"), copy);
	CHECK(t, !chown(copy, 65534, 65534) && !chmod(copy, 04755), "chmod: %s",
	      strerror(errno));
	live_add(t, &a, t->gnomon, "run", "-f", "down", "--hooks", "fast", "--",
		 copy, "100", NULL);
	live_run(t, &a, NULL, &end);
	CHECK(t, !end.code, "gnomon ended with %d: %s", end.code, end.err);
	CHECK(t,
	      strstr(end.err, "--hooks fast: the program gets privileges; "
			      "hooks are probes"),
	      "nothing says that hooks are probes: %s", end.err);
	CHECK(t,
	      strstr(end.out,
		     "# not fast    the program gets privileges; hooks are "
		     "probes"),
	      "the report does not say it: %s", end.out);
	CHECK(t, strstr(end.out, " 100 ") || strstr(end.out, "\n  100 "),
	      "not 100 calls: %s", end.out);
}

/* By default gnomon uses traps for such a program. */
void test_sleds_risky(struct live *t)
{
	static const char said[] =
		"# not fast    the program has additional stacks (sigaltstack)";

	for (int i = 0; i < 2; i++) {
		struct live_args a = {.n = 0};
		struct live_end end;

		live_add(t, &a, t->gnomon, "run", "-f", "*", "--hooks",
			 i ? "fast" : "auto", "--",
			 live_fixture(t, "altstack_nops"), "raise", "10", NULL);
		live_run(t, &a, NULL, &end);
		CHECK(t, !end.code, "gnomon ended with %d: %s", end.code,
		      end.err);
		CHECK(t, (strstr(end.out, said) == NULL) == i, "%s: %s",
		      i ? "--hooks fast is not taken"
			: "nothing says why hooks are probes",
		      end.out);
	}
}

/* The program's own XRay overwrites hooks and probes; gnomon reports that. */
void test_sleds_taken(struct live *t)
{
	char *env[] = {"XRAY_OPTIONS=patch_premain=true", NULL};
	const struct live_start how = {.env = env};
	struct live_args a = {.n = 0};
	struct live_end end;

	live_add(t, &a, t->gnomon, "run", "-f", "down", "--",
		 live_fixture(t, "recursion_xray"), "100", NULL);
	live_run(t, &a, &how, &end);
	CHECK(t, !end.code, "gnomon ended with %d: %s", end.code, end.err);
	CHECK(t, strstr(end.err, "gnomon: XRAY_OPTIONS has patch_premain"),
	      "nothing is said: %s", end.err);
}

/* Existing entries of LD_PRELOAD stay, and the program does not see
 * gnomon's. */
void test_sleds_preload(struct live *t)
{
	/* a gnomon with a sanitizer is started with this, too */
	char *env[] = {live_text(t, "LD_PRELOAD=%s",
				 live_fixture(t, "libprofiler.so")),
		       live_text(t, "ASAN_OPTIONS=%s:verify_asan_link_order=0",
				 getenv("ASAN_OPTIONS") ?: ""),
		       NULL};
	const struct live_start how = {.env = env};
	struct live_args plain = {.n = 0}, traced = {.n = 0};
	char *path = live_path(t, "report.json");
	struct live_end before, after;
	json_t *report;

	live_command(t, &plain, "sleds_xray 200");
	live_run(t, &plain, &how, &before);
	CHECK(t, strstr(before.out, "environment LD_PRELOAD="),
	      "the fixture has no LD_PRELOAD: %s", before.out);
	live_add(t, &traced, t->gnomon, "run", "-f", "*", "--format", "json",
		 "-o", path, "--", NULL);
	live_command(t, &traced, "sleds_xray 200");
	live_run(t, &traced, &how, &after);
	CHECK(t, !after.code, "gnomon ended with %d: %s", after.code,
	      after.err);
	live_same(t, "the program's output", after.out, before.out);
	report = live_load(t, path);
	CHECK(t, fast_hits(t, report) >= 400, "%" N " records of fast hooks",
	      fast_hits(t, report));
}

/* The shortest of n times of a call, in ps, that the fixture prints.
 * Disturbances of the machine can only make a time longer. */
static uint64_t take(struct live *t, const struct live_talk *talk, int n)
{
	uint64_t least = UINT64_MAX;

	while (n--) {
		char *line = live_await(t, talk->out, "took ");
		uint64_t ps = strtoull(line + strlen("took "), NULL, 10);

		if (ps < least)
			least = ps;
		free(line);
	}
	return least;
}

/* Enough for a moment in which nothing else takes the machine's time: if all
 * times with records are too long, those after gnomon's end say little. */
#define WINDOWS 20

/* What remains of two hooks is jumps: a few nanoseconds, compared with 20 and
 * more when they make records, and 1,000 with probes. */
static uint64_t most_left(uint64_t before, uint64_t with)
{
	return before + (with - before) / 2;
}

/* The same for a program that another gnomon left behind: the probes of this
 * session do not slow it down. */
static uint64_t take_beside(struct live *t, const struct live_talk *left)
{
	struct live_args a = {.n = 0};
	struct live_talk other;
	uint64_t took;

	live_add(t, &a, t->gnomon, "record", "-f", "nothing", "-o",
		 live_path(t, "other.trace"), "--", NULL);
	live_command(t, &a, "sleds_xray until");
	live_talk(t, &a, &other);
	take(t, &other, 1);
	/* drop the times from before the other one began */
	take(t, left, WINDOWS * 4);
	took = take(t, left, WINDOWS);
	live_finish(t, &other);
	return took;
}

/* Compares the program's calls before, during and after a gnomon that a signal
 * ends. */
static void check_speed(struct live *t, int signal)
{
	struct live_args bare = {.n = 0}, a = {.n = 0};
	struct live_talk alone, gnomon;
	uint64_t before, with, after = UINT64_MAX;
	char *path = live_path(t, "speed.trace");

	live_command(t, &bare, "sleds_xray until");
	live_talk(t, &bare, &alone);
	before = take(t, &alone, WINDOWS);
	CHECK(t, live_finish(t, &alone) == 0, "the fixture failed");

	live_add(t, &a, t->gnomon, "record", "-f", "nothing", "-o", path, NULL);
	if (signal == SIGTERM)
		live_add(t, &a, "-d", "3s", NULL);
	live_add(t, &a, "--", NULL);
	live_command(t, &a, "sleds_xray until");
	live_talk(t, &a, &gnomon);
	with = take(t, &gnomon, WINDOWS);
	if (signal == SIGKILL)
		kill(gnomon.pid, SIGKILL);
	CHECK(t, with > before * 5,
	      "a call takes %" N " ps, with records %" N ": none were written",
	      before, with);
	/* it notices within a second; a window takes at least 10 ms */
	for (int i = 0; i < 500 && after > most_left(before, with); i++)
		after = take(t, &gnomon, 1);
	after = signal == SIGKILL ? take_beside(t, &gnomon)
				  : take(t, &gnomon, WINDOWS);
	live_finish(t, &gnomon);
	CHECK(t, after <= most_left(before, with),
	      "a call takes %" N " ps, after gnomon's end %" N, before, after);
}

void test_sleds_end(struct live *t)
{
	check_speed(t, SIGTERM);
}

void test_sleds_kill(struct live *t)
{
	check_speed(t, SIGKILL);
}

/* Waits until a call takes more than `bound` (or less); returns its time. */
static uint64_t take_until(struct live *t, const struct live_talk *talk,
			   bool more, uint64_t bound)
{
	uint64_t took = take(t, talk, 1);

	for (int i = 0; i < 500 && (took > bound) != more; i++)
		took = take(t, talk, 1);
	return took;
}

static json_t *report_of(struct live *t, const char *path)
{
	char *to = live_path(t, "report.json");
	struct live_args a = {.n = 0};
	struct live_end end;

	live_add(t, &a, t->gnomon, "report", "-i", path, "--format", "json",
		 "-o", to, "--allow-loss", NULL);
	live_run(t, &a, NULL, &end);
	CHECK(t, !end.code, "the report ended with %d: %s", end.code, end.err);
	return live_load(t, to);
}

/* The program only waits for gnomon, and the report says so. */
static void check_waits(struct live *t, const char *path)
{
	static const char *const classes[] = {"lock", "event", "sleep",
					      "other"};
	json_t *report = report_of(t, path);
	uint64_t waited = live_number(t, report, "probe_cost.waited_ns");
	uint64_t told = 0;

	for (size_t i = 0; i < sizeof(classes) / sizeof(*classes); i++)
		told += live_number(
			t, report,
			live_text(t, "session.classes.%s", classes[i]));
	CHECK(t, told <= waited / 10,
	      "the program waited %" N " ns, for gnomon %" N, told, waited);
}

/* gnomon, or the machine, was stopped for a while: the hooks become probes
 * until gnomon continues, and then fast hooks again. */
void test_sleds_stop(struct live *t)
{
	struct live_args a = {.n = 0};
	struct live_talk gnomon;
	uint64_t fast, probed, again;
	char *path = live_path(t, "stop.trace");

	live_add(t, &a, t->gnomon, "record", "-f", "nothing", "--allow-loss",
		 "-o", path, "--", NULL);
	live_command(t, &a, "sleds_xray until");
	live_talk(t, &a, &gnomon);
	fast = take(t, &gnomon, WINDOWS);
	kill(gnomon.pid, SIGSTOP);
	probed = take_until(t, &gnomon, true, 5 * fast);
	kill(gnomon.pid, SIGCONT);
	again = take_until(t, &gnomon, false, most_left(fast, probed));
	CHECK(t, live_finish(t, &gnomon) == 0, "gnomon failed");
	CHECK(t, probed > 5 * fast,
	      "a call takes %" N " ps, while gnomon is stopped %" N, fast,
	      probed);
	CHECK(t, again <= most_left(fast, probed),
	      "a call takes %" N " ps, after gnomon was stopped %" N, fast,
	      again);
	check_waits(t, path);
}

/* What the ended program counted. */
static uint64_t counted(struct live *t, const struct live_talk *talk,
			const char *name)
{
	const char *prefix = live_text(t, "calls %s ", name);
	char *line = live_await(t, talk->out, prefix);
	uint64_t n = strtoull(line + strlen(prefix), NULL, 10);

	free(line);
	return n;
}

/* When another gnomon attaches to the same places, the kernel restores the
 * first one's probes beside its hooks, and leaves them there. */
void test_sleds_beside(struct live *t)
{
	char *path = live_path(t, "first.json"), *other, *line;
	struct live_args a = {.n = 0};
	struct live_talk first, second;
	struct pollfd p = {.events = POLLIN};
	uint64_t n, early;
	json_t *report;

	live_add(t, &a, t->gnomon, "run", "-f", "nothing", "-f", "early",
		 "--format", "json", "-o", path, "--", NULL);
	live_command(t, &a, "sleds_xray until");
	live_talk(t, &a, &first);
	p.fd = first.out;
	line = live_await(t, first.out, "pid ");
	take(t, &first, 1);
	other = live_attach(t, "-f nothing -f early", line + strlen("pid "),
			    &second);
	/* skip the times from while the other one attached */
	while (poll(&p, 1, 0) > 0)
		take(t, &first, 1);
	take(t, &first, WINDOWS);
	report = live_detach(t, &second, other);
	CHECK(t, live_number(t, report, "checks.unmatched_leaves") <= 2,
	      "the other gnomon has leaves that match no frame");
	CHECK(t, live_function(t, report, NULL, "nothing", "calls", NULL),
	      "the other gnomon has no calls");
	take(t, &first, WINDOWS);
	close(first.in);
	n = counted(t, &first, "nothing");
	early = counted(t, &first, "early");
	CHECK(t, live_wait(t, &first) == 0, "the first gnomon failed");
	report = live_load(t, path);
	CHECK(t, fast_hits(t, report), "there were no fast hooks");
	CHECK(t, live_function(t, report, NULL, "nothing", "calls", NULL) == n,
	      "not %" N " calls", n);
	CHECK(t,
	      live_function(t, report, NULL, "early", "calls", NULL) == early,
	      "not %" N " calls of early()", early);
	CHECK(t, !live_number(t, report, "checks.unmatched_leaves"),
	      "leaves match no frame");
	free(line);
}

/* One gnomon runs another one: each counts all calls, but not those with which
 * the other one measures itself. */
void test_sleds_nested(struct live *t)
{
	char *fixture = live_fixture(t, "sleds_xray");
	char *outer = live_path(t, "outer.json");
	char *inner = live_path(t, "inner.json");
	struct live_args a = {.n = 0};
	struct live_end end;
	uint64_t n;

	live_add(t, &a, t->gnomon, "run", "-f",
		 live_text(t, "%s:nothing", fixture), "--format", "json", "-o",
		 outer, "--", t->gnomon, "run", "-f", "nothing", "--format",
		 "json", "-o", inner, "--", fixture, "20000", NULL);
	live_run(t, &a, NULL, &end);
	CHECK(t, !end.code, "gnomon ended with %d: %s", end.code, end.err);
	n = live_function(t, live_load(t, inner), NULL, "nothing", "calls",
			  NULL);
	CHECK(t, n == 20000, "the inner gnomon counts %" N " calls", n);
	n = live_function(t, live_load(t, outer), NULL, "nothing", "calls",
			  NULL);
	CHECK(t, n == 20000, "the outer gnomon counts %" N " calls", n);
}
