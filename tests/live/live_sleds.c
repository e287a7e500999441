/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Native programs that were built with sleds: they have fast hooks when gnomon
 * starts them, and probes where that cannot be.
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

/* Hits of a class of probes. */
static uint64_t hits_of(struct live *t, const json_t *report, const char *class)
{
	const json_t *all = json_object_get(
		json_object_get(report, "probe_cost"), "classes");
	const json_t *one;
	size_t i;

	json_array_foreach(all, i, one)
	{
		if (!strcmp(json_string_value(json_object_get(one, "name")),
			    class))
			return live_number(t, one, "hits");
	}
	return 0;
}

/* Hits of fast hooks. */
static uint64_t fast_hits(struct live *t, const json_t *report)
{
	return hits_of(t, report, "fast");
}

/* Calls of down() in the report, and fast hits. */
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

/* Only the first record of a thread is a probe's. */
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

/* A forked child's hooks pass nops of the library, which are not stepped over
 * as the returns in whose place they are would be. */
void test_sleds_child_cost(struct live *t)
{
	struct live_truths *truths = calloc(1, sizeof(*truths));
	json_t *report;
	uint64_t n;

	CHECK(t, truths, "no memory");
	live_trace(t, "-f work --hooks fast", "fork_xray fork 100", truths,
		   &report);
	n = hits_of(t, report, "single-stepped");
	CHECK(t, !n, "%" N " hits are said to be single-stepped", n);
	n = hits_of(t, report, "emulated") + fast_hits(t, report);
	CHECK(t, n == 2 * live_truth(truths, "calls", "work"),
	      "%" N " hits of the others", n);
	free(truths);
}

/* A child that a signal's handler forks in a hook ends that, without a ring.
 * One that has signals itself before it knows that it is a child ends, too. */
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

/* More threads at once than there are rings: their calls are counted, and how
 * many had probes is said. The first thread of the program has no call. */
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
	CHECK(t, !chmod(copy, 04755), "chmod: %s", strerror(errno));
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

/* By itself gnomon leaves such a program its traps. */
void test_sleds_risky(struct live *t)
{
	static const char said[] = "# not fast    the program has more stacks "
				   "(sigaltstack)";

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

/* The program's own XRay writes over hooks and probes: that is said. */
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

/* What is preloaded already stays so, and nothing of gnomon's is to be seen. */
void test_sleds_preload(struct live *t)
{
	/* a gnomon with a sanitizer is started with it, too */
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

/* The least of so many of the fixture's times of a call, ps. The least, for
 * what disturbs the machine only adds to it. */
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

#define WINDOWS 5

/* What is left of two hooks is jumps: a few nanoseconds of some 20 and more
 * with records, and of 1,000 with probes. */
static uint64_t most_left(uint64_t before, uint64_t with)
{
	return before + (with - before) / 2;
}

/* Of a program that was left behind: another session's probes are not for it.
 */
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
	/* what it wrote before the other one began */
	take(t, left, WINDOWS * 4);
	took = take(t, left, WINDOWS);
	live_finish(t, &other);
	return took;
}

/* The program's calls before, with, and after a gnomon that ends by a signal.
 */
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
	/* it notices within a second; a window takes 10 ms and more */
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

/* What a call takes once it is more than `bound` (or less); it is awaited. */
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

/* The program waits for nothing but gnomon, which is told as that. */
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

/* A gnomon that was stopped for a while, or the machine: its hooks are probes
 * until it goes on, and fast again then. */
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

/* What the program that has ended counted. */
static uint64_t counted(struct live *t, const struct live_talk *talk,
			const char *name)
{
	const char *prefix = live_text(t, "calls %s ", name);
	char *line = live_await(t, talk->out, prefix);
	uint64_t n = strtoull(line + strlen(prefix), NULL, 10);

	free(line);
	return n;
}

/* The kernel puts the first one's probes back beside its hooks when another
 * gnomon comes to the same places, and leaves them there. */
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
	/* what it took while the other one came is still to be read */
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

/* One gnomon runs another one: each counts all calls, and none of those that
 * the other one measures itself with. */
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
