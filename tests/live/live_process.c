/* SPDX-License-Identifier: BSD-2-Clause */
/* Children, which parts of a program are traced, and what the program can see
 * of gnomon. */
#include "live.h"

#include <inttypes.h>
#include <pwd.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define N PRIu64

#define NOBODY "65534"

/* Traces without what the fixture starts: there is one of `rows`. */
static void without_others(struct live *t, const char *command,
			   const char *rows, uint64_t made)
{
	struct live_truths *truths = calloc(1, sizeof(*truths));
	json_t *report;
	uint64_t calls;

	CHECK(t, truths, "no memory");
	live_trace(t, "-f work --no-follow", command, truths, &report);
	calls = live_function(t, report, NULL, "work", "calls", NULL);
	CHECK(t, calls == made, "%" N " calls, the first made %" N, calls,
	      made);
	CHECK(t, json_array_size(json_object_get(report, rows)) == 1,
	      "more than one of %s", rows);
}

void test_fork_no_follow(struct live *t)
{
	without_others(t, "fork fork 500", "processes", 1000);
}

void test_threads_no_follow(struct live *t)
{
	without_others(t, "threads 4 100", "threads", 0);
}

void test_processes(struct live *t)
{
	struct live_truths *truths = calloc(1, sizeof(*truths));
	json_t *report;
	size_t n;

	CHECK(t, truths, "no memory");
	live_trace(t, "-f work", "fork nest 200", truths, &report);
	live_compare(t, truths, report, 0);
	n = json_array_size(json_object_get(report, "processes"));
	CHECK(t, n == 3, "%zu processes reported, 3 were", n);
}

/* A library that the program loads later, named by its path. */
void test_plugin(struct live *t)
{
	struct live_truths *truths = calloc(1, sizeof(*truths));
	char *options =
		live_text(t, "-f %s:plugin_*", live_fixture(t, "libplugin.so"));
	json_t *report;

	CHECK(t, truths, "no memory");
	live_trace(t, options, "plugin 200", truths, &report);
	live_compare(t, truths, report, 0);
}

void test_glob_leaves_out(struct live *t)
{
	struct live_truths *truths = calloc(1, sizeof(*truths));
	size_t found;
	json_t *report;

	CHECK(t, truths, "no memory");
	live_trace(t, "-f chain_* -f !chain_b", "tailcall 100 5", truths,
		   &report);
	live_function(t, report, NULL, "chain_b", "calls", &found);
	CHECK(t, !found, "chain_b is in the report");
	CHECK(t, live_function(t, report, NULL, "chain_a", "calls", NULL) == 5,
	      "chain_a is not");
	live_function(t, report, NULL, "even", "calls", &found);
	CHECK(t, !found, "even is in the report");
}

/* Without -f: threads, classes and processes, and advice on how to get
 * functions. */
void test_no_functions(struct live *t)
{
	struct live_truths *truths = calloc(1, sizeof(*truths));
	struct live_end end;
	json_t *report;

	CHECK(t, truths, "no memory");
	live_trace(t, "", "threads 2 100", truths, &report);
	CHECK(t, json_array_size(json_object_get(report, "threads")) == 3,
	      "not 3 threads");
	CHECK(t, json_array_size(json_object_get(report, "functions")) == 0,
	      "functions nobody asked for");
	live_gnomon(t, "run", "", "threads 2 100", &end, NULL);
	CHECK(t, end.code == 0, "gnomon ended with %d: %s", end.code, end.err);
	CHECK(t,
	      strstr(end.out, "-f") || strstr(end.out, "--function") ||
		      strstr(end.err, "-f") || strstr(end.err, "--function"),
	      "the report does not say how to add functions: %s%s", end.out,
	      end.err);
}

static void expect_ending(struct live *t, const char *command, int code,
			  unsigned int complaints)
{
	struct live_truths *truths = calloc(1, sizeof(*truths));
	struct live_end end;
	json_t *report;
	char *first;
	size_t n;

	CHECK(t, truths, "no memory");
	live_gnomon(t, "run", "-f work -f finish", command, &end, &report);
	CHECK(t, end.code == code, "%s: gnomon ended with %d, not %d: %s",
	      command, end.code, code, end.err);
	n = live_complaints(t, end.err, &first);
	CHECK(t, n == complaints, "%s: %zu lines on stderr, not %u: %s",
	      command, n, complaints, end.err);
	live_truths(t, end.out, truths);
	live_clean(t, report);
	live_compare(t, truths, report, LIVE_UNWOUND);
}

void test_exit_status(struct live *t)
{
	expect_ending(t, "ending exit 7", 7, 0);
	expect_ending(t, "ending _exit 99", 99, 0);
	expect_ending(t, "ending thread 5", 5, 0);
	expect_ending(t, "ending exit 0", 0, 0);
}

void test_death_by_signal(struct live *t)
{
	expect_ending(t, "ending signal 9", 128 + SIGKILL, 1);
	expect_ending(t, "ending signal 11", 128 + SIGSEGV, 1);
	expect_ending(t, "ending abort 0", 128 + SIGABRT, 1);
}

/* Whether a process waits in read(), as the command does for gnomon. */
static bool is_reading(struct live *t, pid_t pid)
{
	FILE *f = fopen(live_text(t, "/proc/%d/syscall", (int)pid), "re");
	long call = -1;
	bool is = f && fscanf(f, "%ld", &call) == 1 && call == SYS_read;

	if (f)
		fclose(f);
	return is;
}

/* The child of gnomon that will become the command; 0: there is none.
 * Afterwards gnomon is stopped, or has ended. */
static pid_t stop_at_command(struct live *t, pid_t gnomon)
{
	siginfo_t info = {.si_pid = 0};
	pid_t child = 0;

	while (!child && !info.si_pid) {
		child = live_child(t, gnomon, is_reading);
		waitid(P_PID, (id_t)gnomon, &info, WEXITED | WNOHANG | WNOWAIT);
	}
	kill(gnomon, SIGSTOP);
	waitid(P_PID, (id_t)gnomon, &info, WEXITED | WSTOPPED | WNOWAIT);
	return child > 0 && is_reading(t, child) ? child : 0;
}

/* The command is killed while gnomon attaches, as the kernel does when memory
 * runs out. */
void test_death_before(struct live *t)
{
	struct live_args a = {.n = 0};
	struct live_talk talk;
	pid_t child = 0;

	live_add(t, &a, t->gnomon, "run", "-f", "fib", "--",
		 live_fixture(t, "fib"), "5", NULL);
	for (int i = 0; i < 10 && !child; i++) {
		live_talk(t, &a, &talk);
		child = stop_at_command(t, talk.pid);
		if (child)
			kill(child, SIGKILL);
		kill(talk.pid, SIGCONT);
		if (!child)
			live_finish(t, &talk);
	}
	CHECK(t, child, "the command was never seen to wait");
	live_await(t, talk.err, "gnomon: the command was killed by signal 9");
	CHECK(t, live_finish(t, &talk) == 128 + SIGKILL, "it ended otherwise");
}

/* No probe is harmless in a copy of the code: gnomon reports what ended the
 * program. */
void test_death_by_probe(struct live *t)
{
	struct live_args a = {.n = 0};
	struct live_end end;

	live_add(t, &a, t->gnomon, "run", "-f", "work", "-o",
		 live_path(t, "report"), "--", live_fixture(t, "copied"), NULL);
	live_run(t, &a, NULL, &end);
	CHECK(t, end.code == 128 + SIGTRAP, "gnomon ended with %d: %s",
	      end.code, end.err);
	CHECK(t, strstr(end.err, "copies gnomon's probes with it"),
	      "it does not say why: %s", end.err);
}

/* What a command inherits besides its words. */
static void set_inherited(void)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGUSR2);
	sigprocmask(SIG_BLOCK, &set, NULL);
	signal(SIGHUP, SIG_IGN);
	umask(0027);
}

void test_identity(struct live *t)
{
	static const char *const command = "identity one two";
	struct live_start how = {.prepare = set_inherited};
	struct live_args a = {.n = 0};
	struct live_end plain, traced;
	json_t *report;

	unsetenv("SUDO_UID");
	unsetenv("SUDO_GID");
	live_command(t, &a, command);
	live_add(t, &a, "", "a b", NULL);
	live_run(t, &a, &how, &plain);

	a = (struct live_args){.n = 0};
	live_add(t, &a, t->gnomon, "run", "-f", "*", "--format", "json", "-o",
		 live_path(t, "report.json"), "--", NULL);
	live_command(t, &a, command);
	live_add(t, &a, "", "a b", NULL);
	live_run(t, &a, &how, &traced);
	report = live_load(t, a.word[7]);
	live_clean(t, report);
	/* it cannot start a runtime, so nothing is prepared for one */
	live_same(t, "what the program sees", traced.out, plain.out);
	CHECK(t, !strstr(traced.err, "managed"), "of a C program it says: %s",
	      traced.err);
}

/* Under sudo the command runs as the invoking user. */
void test_invoking_user(struct live *t)
{
	char *env[] = {(char *)"SUDO_UID=" NOBODY, (char *)"SUDO_GID=" NOBODY,
		       (char *)"SUDO_USER=nobody", NULL};
	struct live_start how = {.env = env};
	struct live_args a = {.n = 0};
	char *program = live_text(t, "%s/identity", t->dir);
	struct live_end end;

	CHECK(t, chmod(t->dir, 0755) == 0, "chmod");
	live_copy(t, live_fixture(t, "identity"), program);
	live_add(t, &a, t->gnomon, "run", "-f", "main", "--", program, NULL);
	live_run(t, &a, &how, &end);
	CHECK(t, end.code == 0, "gnomon ended with %d: %s", end.code, end.err);
	CHECK(t, strstr(end.out, "\nuid 65534 65534 65534\n"),
	      "the program runs as another user: %s", end.out);
	CHECK(t, strstr(end.out, "\ngid 65534 65534 65534\n"),
	      "the program runs as another group: %s", end.out);
	CHECK(t, strstr(end.out, "\nCapEff:\t0000000000000000\n"),
	      "the program has capabilities: %s", end.out);
	CHECK(t, !strstr(end.out, "\ngroups 0"), "the program is in group 0");
}

/* sudo -i leaves its variables behind. --user decides, and the command gets all
 * that a login of that user has. */
void test_named_user(struct live *t)
{
	char *env[] = {(char *)"SUDO_UID=" NOBODY, (char *)"SUDO_GID=" NOBODY,
		       (char *)"HOME=/nonexistent", (char *)"USER=nobody",
		       NULL};
	const struct passwd *pw = getpwnam("games");
	struct live_start how = {.env = env};
	struct live_args a = {.n = 0};
	char *program = live_text(t, "%s/identity", t->dir);
	struct live_end end;

	CHECK(t, chmod(t->dir, 0755) == 0, "chmod");
	live_copy(t, live_fixture(t, "identity"), program);
	live_add(t, &a, t->gnomon, "run", "--user", "root", "--", program,
		 NULL);
	live_run(t, &a, &how, &end);
	CHECK(t, end.code == 0, "gnomon ended with %d: %s", end.code, end.err);
	CHECK(t, strstr(end.out, "\nuid 0 0 0\n"),
	      "it does not run as root: %s", end.out);
	CHECK(t, strstr(end.out, "\nenv HOME=/root\n"), "root's HOME: %s",
	      end.out);
	CHECK(t, strstr(end.out, "\nenv USER=root\n"), "root's USER");

	CHECK(t, pw, "Debian's user games is missing");
	a = (struct live_args){.n = 0};
	live_add(t, &a, t->gnomon, "run", "--user", "games", "--", program,
		 NULL);
	live_run(t, &a, &how, &end);
	CHECK(t, end.code == 0, "gnomon ended with %d: %s", end.code, end.err);
	CHECK(t,
	      strstr(end.out, live_text(t, "\nuid %u %u %u\n", pw->pw_uid,
					pw->pw_uid, pw->pw_uid)),
	      "it runs as another user: %s", end.out);
	CHECK(t,
	      strstr(end.out, live_text(t, "\ngid %u %u %u\n", pw->pw_gid,
					pw->pw_gid, pw->pw_gid)),
	      "it runs as another group: %s", end.out);
	CHECK(t, strstr(end.out, live_text(t, "\ngroups %u\n", pw->pw_gid)),
	      "its groups are not the user's: %s", end.out);
	CHECK(t, strstr(end.out, live_text(t, "\nenv HOME=%s\n", pw->pw_dir)),
	      "its HOME is not the user's: %s", end.out);
	CHECK(t, strstr(end.out, "\nenv LOGNAME=games\n"), "LOGNAME");
	CHECK(t, strstr(end.out, "\nCapEff:\t0000000000000000\n"),
	      "the program has capabilities: %s", end.out);
}

/* The command's user may not read the program, so the library, which switches
 * stacks, cannot be found: return probes would end the program. */
void test_unlisted(struct live *t)
{
	struct live_args a = {.n = 0};
	char *program = live_text(t, "%s/hop_library", t->dir);
	struct live_end end;

	CHECK(t, chmod(t->dir, 0755) == 0, "chmod");
	live_copy(t, live_fixture(t, "libhop.so"),
		  live_text(t, "%s/libhop.so", t->dir));
	live_copy(t, live_fixture(t, "hop_library"), program);
	CHECK(t, chmod(program, 0711) == 0, "chmod");
	live_add(t, &a, t->gnomon, "run", "--user", "nobody", "-f", "*", "--",
		 program, NULL);
	live_run(t, &a, NULL, &end);
	CHECK(t, end.code == 0, "gnomon ended with %d: %s", end.code, end.err);
	CHECK(t,
	      strstr(end.err, live_text(t,
					"the libraries of '%s' cannot be "
					"listed",
					program)),
	      "that there is no list is not told: %s", end.err);
	CHECK(t, strstr(end.out, "end by return probe: 0,"),
	      "return probes: %s", end.out);
}

void test_stdin(struct live *t)
{
	size_t size = 200000, i;
	char *text = malloc(size + 1);
	struct live_start how = {.input = text};
	struct live_args a = {.n = 0};
	char *path = live_path(t, "report.json"), *first;
	struct live_end end;

	CHECK(t, text, "no memory");
	for (i = 0; i < size; i++)
		text[i] = i % 61 == 60 ? '\n' : (char)('a' + i * 7 % 26);
	text[size] = '\0';
	live_add(t, &a, t->gnomon, "run", "-f", "*", "--format", "json", "-o",
		 path, "--", live_fixture(t, "cat"), NULL);
	live_run(t, &a, &how, &end);
	CHECK(t, end.code == 0, "gnomon ended with %d: %s", end.code, end.err);
	CHECK(t, end.out_size == size && memcmp(end.out, text, size) == 0,
	      "stdin does not come out as it went in");
	CHECK(t,
	      live_complaints(t, end.err, &first) == 1 &&
		      strcmp(first, "copied") == 0,
	      "stderr is not the program's: %s", end.err);
	live_clean(t, live_load(t, path));
}

/* Without -o the report follows the program's own output on stdout. */
void test_report_after_output(struct live *t)
{
	struct live_end end;
	size_t n = strlen("result fib 55\n");

	live_gnomon(t, "run", "-f fib", "fib 10 --counts-only", &end, NULL);
	CHECK(t, end.code == 0, "gnomon ended with %d: %s", end.code, end.err);
	CHECK(t, strncmp(end.out, "result fib 55\n", n) == 0,
	      "stdout does not begin with the program's: %s", end.out);
	CHECK(t, strstr(end.out + n, "calls root 1\n"),
	      "the program's output is not whole: %s", end.out);
	CHECK(t, strstr(strstr(end.out, "calls root 1\n"), "177"),
	      "no report follows the program's output: %s", end.out);
}

void test_list(struct live *t)
{
	struct live_end end;

	live_gnomon(t, "list", "-f entry_*", "entries", &end, NULL);
	CHECK(t, end.code == 0, "gnomon ended with %d: %s", end.code, end.err);
	CHECK(t, strstr(end.out, "entry_endbr_push"),
	      "entry_endbr_push is not listed: %s", end.out);
	CHECK(t, !strstr(end.out, "calls entry_push "),
	      "the command was run by list");
}

void test_doctor(struct live *t)
{
	struct live_args a = {.n = 0};
	struct live_end end;

	live_add(t, &a, t->gnomon, "doctor", NULL);
	live_run(t, &a, NULL, &end);
	CHECK(t, end.code == 0, "gnomon doctor ended with %d: %s%s", end.code,
	      end.out, end.err);
	CHECK(t, end.out_size > 100, "gnomon doctor says nothing");
}

/* The program replaces its own file and executes it. Its calls are seen, or
 * reported as missing if it ended before gnomon read its file. */
void test_late_renewed(struct live *t)
{
	for (int i = 0; i < 8; i++) {
		char *program = live_path(t, "program");
		json_t *report;
		struct live_end end;
		struct live_args a = {.n = 0};
		char *out = live_path(t, "out");
		uint64_t calls;

		live_copy(t, live_fixture(t, "renewed"), program);
		live_add(t, &a, t->gnomon, "run", "-f", "step", "--format",
			 "json", "-o", out, "--", program, "again", NULL);
		live_run(t, &a, NULL, &end);
		CHECK(t, end.code == 0, "gnomon ended with %d: %s", end.code,
		      end.err);
		report = live_load(t, out);
		calls = live_function(t, report, "program", "step", "calls",
				      NULL);
		CHECK(t,
		      calls == 2000 ||
			      live_number(t, report, "counters.unprobed"),
		      "%" N " of 2000 calls are seen, and no loss is told",
		      calls);
	}
}

/* No file can be written. This also affects memory files of gnomon. The report
 * is complete, and the command has the SIGXFSZ setting that gnomon had. */
void test_no_file_size(struct live *t)
{
	static const char *const traps[] = {"-", "''"};
	unsigned long long ignored;
	struct live_end end;
	const char *at;

	for (unsigned i = 0; i < 2; i++) {
		struct live_args a = {.n = 0};

		live_add(t, &a, "/bin/sh", "-c",
			 live_text(t,
				   "(trap %s XFSZ; ulimit -f 0; exec %s run -- "
				   "sh -c 'while read k v; do case $k in "
				   "SigIgn:) echo $k $v; esac; done "
				   "</proc/self/status') 2>/dev/null | cat",
				   traps[i], t->gnomon),
			 NULL);
		live_run(t, &a, NULL, &end);
		at = strstr(end.out, "SigIgn: ");
		CHECK(t, at && sscanf(at, "SigIgn: %llx", &ignored) == 1,
		      "the command did not run: %s", end.out);
		CHECK(t, (ignored >> (SIGXFSZ - 1) & 1) == i,
		      "the command ignores %llx", ignored);
		CHECK(t, strstr(end.out, "self-check"), "no answer: %s",
		      end.out);
	}
}

/* Programs of a shell that end at once are read, or gnomon reports that they
 * were not: a function that -f names may be in them. */
void test_ended_early(struct live *t)
{
	for (int i = 0; i < 4; i++) {
		char *out = live_path(t, "report.json");
		struct live_args a = {.n = 0};
		struct live_end end;

		live_add(t, &a, t->gnomon, "run", "-f", "step", "--format",
			 "json", "-o", out, "--", "/bin/sh", "-c",
			 live_text(t, "%s; true", live_fixture(t, "renewed")),
			 NULL);
		live_run(t, &a, NULL, &end);
		CHECK(t,
		      strstr(end.err, "attached: process") ||
			      strstr(end.err,
				     "ended before gnomon could look") ||
			      live_number(t, live_load(t, out),
					  "counters.unprobed"),
		      "why nothing is seen is not told: %s", end.err);
	}
}
