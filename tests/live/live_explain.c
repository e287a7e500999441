/* SPDX-License-Identifier: BSD-2-Clause */
/* Findings for programs that have one fault each. */
#include "live.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define ATTEMPTS 3

/* The findings of a trace. */
static json_t *explain_trace(struct live *t, const char *trace)
{
	struct live_args a = {.n = 0};
	struct live_end end;
	json_t *found;

	live_add(t, &a, t->gnomon, "explain", "-v", "--format", "json", "-i",
		 trace, NULL);
	live_run(t, &a, NULL, &end);
	if (end.code == 4)
		live_skip(t,
			  "a self-check failed, of which nothing is "
			  "concluded: %s",
			  end.err);
	CHECK(t, end.code == 0, "gnomon explain ended with %d: %s", end.code,
	      end.err);
	found = json_loads(end.out, 0, NULL);
	CHECK(t, found, "the findings are no JSON: %s", end.out);
	return json_object_get(found, "findings");
}

/* The findings of a capture of the fixture with this fault. */
static json_t *explain(struct live *t, const char *options, const char *fault,
		       char **trace)
{
	struct live_end end;

	*trace = live_path(t, "trace");
	live_gnomon(t, "record", live_text(t, "%s -o %s", options, *trace),
		    live_text(t, "findings %s", fault), &end, NULL);
	CHECK(t, end.code == 0, "gnomon record ended with %d: %s", end.code,
	      end.err);
	return explain_trace(t, *trace);
}

static const json_t *finding(const json_t *findings, const char *rule)
{
	const json_t *f;
	size_t i;

	json_array_foreach(findings, i, f)
	{
		if (!strcmp(json_string_value(json_object_get(f, "rule")),
			    rule))
			return f;
	}
	return NULL;
}

/* Checks that the rule applies and that its sentence has these words. */
static const json_t *expect(struct live *t, const json_t *findings,
			    const char *rule, const char *words)
{
	const json_t *f = finding(findings, rule);
	const char *text;

	CHECK(t, f, "rule %s does not hold: %s", rule, json_dumps(findings, 0));
	text = json_string_value(json_object_get(f, "text"));
	CHECK(t, strstr(text, words), "rule %s does not tell of '%s': %s", rule,
	      words, text);
	return f;
}

static void expect_none(struct live *t, const json_t *findings,
			const char *rule)
{
	CHECK(t, !finding(findings, rule), "rule %s holds: %s", rule,
	      json_dumps(findings, 0));
}

void test_explain_lock(struct live *t)
{
	char *trace;
	json_t *all = explain(t, "-f *", "lock", &trace);

	expect(t, all, "lock", "most in hold:");
	expect(t, all, "lock", "It was held by findings (");
	expect(t, all, "lock", " (released in hold) for ");
	expect_none(t, all, "page-faults");
	expect_none(t, all, "idle");
	expect_none(t, all, "syscalls");
}

static bool put_file(struct live *t, const char *folder, const char *name,
		     const char *text)
{
	FILE *f = fopen(live_text(t, "%s/%s", folder, name), "w");

	return f && fputs(text, f) >= 0 && !fclose(f);
}

/* Makes a control group, of v1 or v2, that has a fifth of a CPU. */
static char *make_group(struct live *t)
{
	static const char root[] = "/sys/fs/cgroup";
	char *group =
		live_text(t, "%s/cpu/gnomon-test-%d", root, (int)getpid());

	if (!mkdir(group, 0755)) {
		if (put_file(t, group, "cpu.cfs_quota_us", "20000"))
			return group;
		rmdir(group);
	}
	group = live_text(t, "%s/gnomon-test-%d", root, (int)getpid());
	put_file(t, root, "cgroup.subtree_control", "+cpu");
	if (!mkdir(group, 0755)) {
		if (put_file(t, group, "cpu.max", "20000 100000"))
			return group;
		rmdir(group);
	}
	live_skip(t, "no control group can limit CPUs here");
}

void test_explain_cpu_limit(struct live *t)
{
	struct live_args a = {.n = 0}, record = {.n = 0};
	char *group = make_group(t), *trace = live_path(t, "trace"), *line;
	struct live_talk busy;
	struct live_end end;
	json_t *all;
	int pid = 0;

	live_add(t, &a, "/bin/sh", "-c",
		 live_text(t,
			   "echo $$ > %s/cgroup.procs; echo ready $$; "
			   "while :; do :; done",
			   group),
		 NULL);
	live_talk(t, &a, &busy);
	line = live_await(t, busy.out, "ready ");
	sscanf(line, "ready %d", &pid);
	live_add(t, &record, t->gnomon, "record", "-d", "2s", "-o", trace, "-p",
		 live_text(t, "%d", pid), NULL);
	live_run(t, &record, NULL, &end);
	if (pid > 1)
		kill(pid, SIGKILL);
	live_wait(t, &busy);
	rmdir(group);
	CHECK(t, end.code == 0, "gnomon record ended with %d: %s", end.code,
	      end.err);
	all = explain_trace(t, trace);
	expect(t, all, "cpus",
	       "The limit of their control group, 0.20 CPUs, held them up in ");
}

/* The command joins the group by itself, before it starts the program. If the
 * group is gone at the end, it is not known what it did. */
void test_explain_cpu_limit_joined(struct live *t)
{
	static const char *const ends[][2] = {
		{"held them up in ", ""},
		{"may have held them up; ", "; rmdir "},
	};

	for (size_t i = 0; i < 2; i++) {
		char *group = make_group(t), *trace = live_path(t, "trace");
		struct live_args a = {.n = 0};
		struct live_end end;
		char *script = live_text(
			t,
			"sh -c 'echo $$ > %s/cgroup.procs; exec timeout 1 sh "
			"-c \"while :; do :; done\"'%s%s; :",
			group, ends[i][1], *ends[i][1] ? group : "");

		live_add(t, &a, t->gnomon, "record", "-o", trace, "--",
			 "/bin/sh", "-c", script, NULL);
		live_run(t, &a, NULL, &end);
		rmdir(group);
		CHECK(t, end.code == 0, "gnomon record ended with %d: %s",
		      end.code, end.err);
		expect(t, explain_trace(t, trace), "cpus",
		       live_text(t,
				 "The limit of their control group, 0.20 CPUs, "
				 "%s",
				 ends[i][0]));
	}
}

/* Where others take the CPUs, what the program does is told first. The loops
 * end with the shell. */
void test_explain_crowded(struct live *t)
{
	struct live_args a = {.n = 0};
	const json_t *first;
	struct live_talk busy;
	char *trace;
	json_t *all;
	int pid = 0;

	live_add(t, &a, "/bin/sh", "-c",
		 "i=0; while [ $i -lt $(($(nproc) * 2)) ]; do "
		 "(while kill -0 $$ 2>/dev/null; do :; done) & i=$((i + 1)); "
		 "done; echo ready $$; wait",
		 NULL);
	live_talk(t, &a, &busy);
	sscanf(live_await(t, busy.out, "ready "), "ready %d", &pid);
	all = explain(t, "-f *", "own", &trace);
	if (pid > 1)
		kill(pid, SIGKILL);
	live_wait(t, &busy);
	expect(t, all, "own-code", "Most own time: compute ");
	expect(t, all, "cpus", "The machine was busy: ");
	first = json_array_get(all, 0);
	CHECK(t,
	      strcmp(json_string_value(json_object_get(first, "rule")),
		     "cpus") != 0,
	      "what others took is told first");
}

void test_explain_faults(struct live *t)
{
	char *trace;
	json_t *all = explain(t, "-f *", "faults", &trace);

	expect(t, all, "page-faults", "Most in touch: ");
	/* its only thread */
	expect_none(t, all, "critical-path");
	expect_none(t, all, "lock");
	expect_none(t, all, "sleep");
}

/* The command in the advice works. */
void test_explain_own(struct live *t)
{
	char *trace, *next;
	json_t *all = explain(t, "-f *", "own", &trace);
	const json_t *f = expect(t, all, "own-code", "Most own time: compute ");
	struct live_args a = {.n = 0};
	struct live_end end;

	expect_none(t, all, "lock");
	expect_none(t, all, "untraced");
	next = live_text(t, "%s",
			 json_string_value(json_object_get(f, "next")));
	CHECK(t, !strncmp(next, "gnomon ", 7), "not a command: %s", next);
	live_add(t, &a, t->gnomon, NULL);
	live_split(t, &a, next + 7);
	live_run(t, &a, NULL, &end);
	CHECK(t, end.code == 0, "'%s' ended with %d: %s", next, end.code,
	      end.err);
	CHECK(t, strstr(end.out, "compute"), "'%s' has no compute: %s", next,
	      end.out);
}

void test_explain_untraced(struct live *t)
{
	char *trace;
	json_t *all = explain(t, "", "own", &trace);

	expect(t, all, "untraced", "No function was traced");
	expect_none(t, all, "own-code");
}

/* A function that -f names may have no probe, or may not be called. */
void test_explain_refused(struct live *t)
{
	static const char refused[] =
		"gnomon: no function that -f names can be probed: loops: a "
		"loop comes";
	char *trace;
	struct live_end end;
	json_t *all = explain(t, "-f loops", "own", &trace);

	expect(t, all, "untraced", "refused (loops: a loop comes back");
	/* this is important enough to print with -q, too */
	live_gnomon(t, "run", "-q -f loops", "findings own", &end, NULL);
	CHECK(t, end.code == 0 && strstr(end.err, refused) == end.err,
	      "it ended with %d: %s", end.code, end.err);
	live_gnomon(t, "run", "-q -f loops -f doze", "findings own", &end,
		    NULL);
	CHECK(t, end.code == 0 && !*end.err, "it ended with %d: %s", end.code,
	      end.err);
	all = explain(t, "-f doze", "own", &trace);
	expect(t, all, "untraced", "No call of what -f names was seen");
}

void test_explain_sleep(struct live *t)
{
	char *trace;
	json_t *all = explain(t, "-f *", "sleep", &trace);

	expect(t, all, "sleep", "most in doze: ");
	expect_none(t, all, "lock");
	expect_none(t, all, "page-faults");
}

/* The part of a trace's time, in percent, in which the program could have
 * run but did not. The rule does not apply to a program that is kept from
 * its work. */
static uint64_t kept_off(struct live *t, const char *trace)
{
	struct live_args a = {.n = 0};
	struct live_end end;
	json_t *report;
	uint64_t off;

	live_add(t, &a, t->gnomon, "report", "--format", "json", "-i", trace,
		 NULL);
	live_run(t, &a, NULL, &end);
	CHECK(t, end.code == 0, "gnomon report ended with %d: %s", end.code,
	      end.err);
	report = json_loads(end.out, 0, NULL);
	off = live_number(t, report, "session.classes.runqueue") +
	      live_number(t, report, "session.classes.disk");
	return 100 * off / live_number(t, report, "session.elapsed_ns");
}

void test_explain_idle(struct live *t)
{
	char *trace;
	json_t *all = explain(t, "-f idle", "idle", &trace);

	for (int i = 0; !finding(all, "idle") && kept_off(t, trace); i++) {
		live_again(t, i, ATTEMPTS,
			   "it had to wait for a CPU or a disk");
		all = explain(t, "-f idle", "idle", &trace);
	}
	expect(t, all, "idle", "its 1 thread was on a CPU for ");
	expect_none(t, all, "critical-path");
	expect_none(t, all, "untraced");
}

void test_explain_syscalls(struct live *t)
{
	char *trace;
	json_t *all = explain(t, "--os syscalls -f bytes", "syscalls", &trace);

	expect(t, all, "syscalls", " times read, ");
	expect(t, all, "syscalls", " in bytes.");
	expect_none(t, all, "idle");
}

/* The advice is to leave out functions shorter than their probes, but not
 * everything that is traced. */
void test_explain_probes(struct live *t)
{
	struct live_end end;

	live_gnomon(t, "run", "-f fib", "fib 20", &end, NULL);
	CHECK(t, end.code == 0, "gnomon run ended with %d: %s", end.code,
	      end.err);
	CHECK(t,
	      strstr(end.out, "Shorter than their probes: fib") &&
		      strstr(end.out, " --snapshot 499 -- ") &&
		      !strstr(end.out, "-f '!"),
	      "the command to type traces nothing: %s", end.out);
}

/* `run` prints them above its table, but not with -q. */
void test_explain_run(struct live *t)
{
	struct live_end end;
	const char *header;

	live_gnomon(t, "run", "-f *", "findings lock", &end, NULL);
	CHECK(t, end.code == 0, "gnomon run ended with %d: %s", end.code,
	      end.err);
	header = strstr(end.out, "# command");
	CHECK(t, !strncmp(end.out, "# 1. ", 5) && header,
	      "no finding stands first: %s", end.out);
	CHECK(t,
	      strstr(end.out, "sudo gnomon run ") &&
		      strstr(end.out, "sudo gnomon run ") < header,
	      "no command to type: %s", end.out);
	CHECK(t, !strstr(end.out, " -- --"), "the command to type is none: %s",
	      end.out);
	live_gnomon(t, "run", "-q -f *", "findings lock", &end, NULL);
	CHECK(t, end.code == 0 && !strstr(end.out, "# 1. "),
	      "-q does not leave them out: %s", end.out);
}
