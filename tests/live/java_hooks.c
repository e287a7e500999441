/* SPDX-License-Identifier: BSD-2-Clause */
/* Methods of Java by hooks in their bytecode: in a JVM that gnomon starts, and
 * in one that runs already. */
#include "java.h"

#include <glob.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#define N PRIu64

/* Of one process. */
#define SESSIONS      8
#define SESSIONS_LONG 40

/* The program that gnomon comes to. */
static void serve(struct live *t, const char *options, struct live_talk *served)
{
	struct live_args java = {.n = 0};

	java_need(t);
	java_demo(t, &java, options, "served");
	live_talk(t, &java, served);
	free(live_await(t, served->out, "ready"));
}

static char *attach(struct live *t, const char *options,
		    const struct live_talk *served, struct live_talk *gnomon)
{
	return live_attach(t, options, live_text(t, "%d", (int)served->pid),
			   gnomon);
}

/* The program does that many rounds, and says what it called in them. */
static void rounds(struct live *t, const struct live_talk *served, int n,
		   struct live_truths *truths)
{
	char *all = live_text(t, "%s", ""), *line;

	live_tell(t, served, live_text(t, "kinds %d", n));
	while (strcmp(line = live_await(t, served->out, ""), "done") != 0)
		all = live_text(t, "%s%s\n", all, line);
	live_truths(t, all, truths);
	CHECK(t, truths->n > 20, "the program said nothing");
}

static json_t *compare(struct live *t, const struct live_args *command,
		       const struct live_end *plain, const char *given)
{
	struct live_truths truths;
	struct live_end traced;
	json_t *report;

	live_traced(t, command, given, &traced, &report);
	CHECK(t, traced.code == plain->code, "ended with %d, without %d: %s",
	      traced.code, plain->code, traced.err);
	live_same(t, "the program's output", traced.out, plain->out);
	live_same(t, "the program's errors", traced.err, plain->err);
	live_clean(t, report);
	CHECK(t, live_number(t, report, "checks.unmatched_leaves") == 0,
	      "leaves match no frame");
	live_truths(t, traced.out, &truths);
	live_compare(t, &truths, report, 0);
	return report;
}

/* `other`: further options of gnomon to trace it with, or NULL. */
static void started(struct live *t, const char *options, const char *other)
{
	struct live_args command = {.n = 0};
	struct live_end plain;

	java_demo(t, &command, options, "kinds");
	live_run(t, &command, NULL, &plain);
	compare(t, &command, &plain, "-f Kinds*");
	if (other)
		compare(t, &command, &plain, other);
}

void java_hooks_started(struct live *t)
{
	java_need(t);
	started(t, "", "--hooks uprobe -f Kinds*");
	started(t, "-Xint", NULL);
	/* the package of the class that hooked methods call */
	started(t, "-XX:TieredStopAtLevel=1", "-f Kinds* -f java.lang.*");
}

static void children(struct live *t, const char *options)
{
	struct live_args command = {.n = 0};
	struct live_end plain;
	const char *runtime;
	json_t *report;

	live_add(t, &command, "/bin/sh", "-c", "env -i \"$@\"; exit $?", "sh",
		 NULL);
	java_demo(t, &command, options, "parent kinds");
	live_run(t, &command, NULL, &plain);
	report = compare(t, &command, &plain, "-f Kinds*");
	runtime = json_string_value(json_object_get(
		json_array_get(json_object_get(report, "functions"), 0),
		"runtime"));
	live_same(t, "what reports them", runtime ?: "", "java");
}

/* A shell starts a JVM, which starts another one. */
void java_hooks_children(struct live *t)
{
	java_need(t);
	children(t, "");
	/* no tool can attach to that one */
	children(t, "-Xcheck:jni -Xrs -XX:+DisableAttachMechanism "
		    "-XX:-EnableDynamicAgentLoading");
}

/* gnomon comes to the program for some rounds, and goes. */
static void visit(struct live *t, const struct live_talk *served,
		  const char *given)
{
	struct live_truths truths;
	struct live_talk gnomon;
	char *path = attach(t, given, served, &gnomon);

	rounds(t, served, 30, &truths);
	live_compare(t, &truths, live_detach(t, &gnomon, path), 0);
}

static void attached(struct live *t, const char *options, const char *given)
{
	struct live_talk served;

	serve(t, options, &served);
	live_ask(t, &served, "kinds 20");
	visit(t, &served, given);
	live_ask(t, &served, "kinds 1");
	CHECK(t, live_finish(t, &served) == 0, "the program failed");
	live_same(t, "its errors", live_text(t, "%s", ""),
		  live_await_or_end(t, served.err, "") ?: "");
}

void java_hooks_attached(struct live *t)
{
	attached(t, "", "-f Kinds*");
	attached(t, "", "--hooks uprobe -f Kinds*");
	attached(t, "-Xint", "-f Kinds*");
	/* such a JVM does not handle the signal, but listens from its start */
	attached(t, "-Xrs", "-f Kinds*");
}

/* The files of a JVM are replaced by other ones while it runs, and deleted. */
void java_hooks_upgraded(struct live *t)
{
	char *home = live_path(t, "home");
	char *core = live_text(t, "%s/lib/server/libjvm.so", home);
	char *newer = live_path(t, "newer");
	struct live_args java = {.n = 0};
	struct live_talk served;

	java_need(t);
	java_home(t, home);
	live_add(t, &java, live_text(t, "%s/bin/java", home), "-cp",
		 t->fixtures, "Demo", "served", NULL);
	live_talk(t, &java, &served);
	free(live_await(t, served.out, "ready"));
	live_copy(t, live_fixture(t, "Demo.class"), newer);
	CHECK(t, !rename(newer, core), "no other file");
	visit(t, &served, "-f Kinds*");
	CHECK(t, !unlink(core), "it is still there");
	visit(t, &served, "-f Kinds*");
	CHECK(t, live_finish(t, &served) == 0, "the program failed");
}

/* The newest JVM warns of agents that are loaded into it, but not of ours. */
void java_hooks_later(struct live *t)
{
	java_need_later(t);
	started(t, "", NULL);
	attached(t, "", "-f Kinds*");
}

/* Traces a program, whose calls all match. */
static json_t *carried(struct live *t, const struct live_args *command,
		       const char *given, struct live_truths *truths)
{
	struct live_end end;
	json_t *report;

	live_traced(t, command, given, &end, &report);
	CHECK(t, end.code == 0 && !*end.err, "ended with %d: %s", end.code,
	      end.err);
	live_clean(t, report);
	live_truths(t, end.out, truths);
	live_compare(t, truths, report, 0);
	CHECK(t,
	      !live_number(t, report, "checks.open_frames") &&
		      !live_number(t, report, "checks.unmatched_leaves"),
	      "calls do not match");
	return report;
}

/* Calls of virtual threads have the time in which a thread carries them. */
void java_hooks_virtual(struct live *t)
{
	struct live_args command = {.n = 0};
	struct live_truths truths;
	uint64_t naps, spins;
	json_t *report;

	java_need_later(t);
	java_demo(t, &command, "", "virtual");
	report = carried(t, &command, "-f Virtual.*", &truths);
	naps = live_function(t, report, NULL, "Virtual.nap()",
			     "elapsed_inclusive_ns", NULL);
	spins = live_function(t, report, NULL, "Virtual.spin(long)",
			      "elapsed_inclusive_ns", NULL);
	CHECK(t, naps < live_truth(&truths, "napped", "naps") / 4,
	      "%" N " ns in naps, which slept nearly all of %" N, naps,
	      live_truth(&truths, "napped", "naps"));
	CHECK(t, spins >= live_truth(&truths, "spun", "spins"),
	      "%" N " ns in spins of %" N, spins,
	      live_truth(&truths, "spun", "spins"));
}

static void blocked(struct live *t, const char *given)
{
	struct live_args command = {.n = 0};
	struct live_truths truths;
	uint64_t waits, worked;
	json_t *report;

	java_demo(t, &command, "-Djdk.virtualThreadScheduler.parallelism=2",
		  "blocked");
	report = carried(t, &command, given, &truths);
	waits = live_function(t, report, NULL, "monitor of Blocked$Lock",
			      "elapsed_inclusive_ns", NULL);
	worked = live_truth(&truths, "worked", "others");
	CHECK(t, waits < worked / 4,
	      "%" N " ns in the monitor, others worked for %" N, waits, worked);
}

/* A virtual thread that waits for a monitor gives its thread to others: what
 * they do there is not its wait. */
void java_hooks_blocked(struct live *t)
{
	java_need_later(t);
	blocked(t, "-f Blocked.other*");
	blocked(t, "--hooks uprobe -f Blocked.other*");
	blocked(t, "-f Blocked.other* -f Blocked.take*");
}

/* Classes whose loader gives the JVM their names, and those of which it gives
 * only the bytes. */
void java_hooks_unload(struct live *t)
{
	struct live_args command = {.n = 0};
	struct live_truths truths;

	java_need(t);
	java_demo(t, &command, "-XX:+UseSerialGC", "unload");
	carried(t, &command, "-f Go*", &truths);
}

static void overflow(struct live *t, const char *options)
{
	struct live_args command = {.n = 0};
	struct live_truths truths;

	java_demo(t, &command, options, "overflow");
	carried(t, &command, "-f Overflow.*", &truths);
}

/* Where the stack overflows, a call does not begin, or has its end. */
void java_hooks_overflow(struct live *t)
{
	java_need(t);
	overflow(t, "-Xint -Xcheck:jni");
	overflow(t, "");
}

static bool maps(struct live *t, pid_t pid, const char *name)
{
	char *text =
		live_read(t, live_text(t, "/proc/%d/maps", (int)pid), NULL);

	return strstr(text, name);
}

/* Session after session in one process; a gnomon that is killed leaves nothing
 * that the next one would not find as before. */
void java_hooks_again(struct live *t)
{
	int sessions = getenv("LIVE_LONG") ? SESSIONS_LONG : SESSIONS;
	struct live_talk served, gnomon;
	struct live_truths truths;

	serve(t, "", &served);
	for (int i = 0; i < sessions; i++) {
		char *path = attach(t, "-f Kinds*", &served, &gnomon);

		rounds(t, &served, 3, &truths);
		if (i % 2) {
			CHECK(t, !kill(gnomon.pid, SIGKILL), "kill failed");
			live_wait(t, &gnomon);
		} else {
			live_compare(t, &truths, live_detach(t, &gnomon, path),
				     0);
		}
		live_ask(t, &served, "kinds 1");
	}
	/* the library has seen that its gnomon is gone */
	while (maps(t, served.pid, "memfd:gnomon"))
		live_ask(t, &served, "kinds 1");
	CHECK(t, live_finish(t, &served) == 0, "the program failed");
}

/* What the JVM has as the bytecode of the methods. */
static char *code_of(struct live *t, const struct live_talk *served)
{
	char *code;

	live_tell(t, served, "code 1");
	code = live_await(t, served->out, "code ");
	CHECK(t, strcmp(code, "code 0") != 0, "the bytecode cannot be read");
	free(live_await(t, served->out, "done"));
	return code;
}

/* A thread of the library is told from those of the JVM, one of which has
 * started it. */
static bool has_own_thread(struct live *t, pid_t pid)
{
	bool found = false;
	glob_t tasks;

	if (glob(live_text(t, "/proc/%d/task/*/comm", (int)pid), 0, NULL,
		 &tasks))
		return false;
	for (size_t i = 0; i < tasks.gl_pathc && !found; i++)
		found = !strcmp(live_read(t, tasks.gl_pathv[i], NULL),
				"gnomon\n");
	globfree(&tasks);
	return found;
}

/* Methods have their own bytecode again after a session, however it ends, even
 * if another gnomon has probes in the library. */
void java_hooks_code(struct live *t)
{
	struct live_talk served, gnomon, other;
	char *own, *path;

	live_beside(t, "-f Other*", &other);
	serve(t, "", &served);
	live_ask(t, &served, "kinds 20");
	own = code_of(t, &served);
	for (int killed = 0; killed < 2; killed++) {
		path = attach(t, "-f Kinds*", &served, &gnomon);
		CHECK(t, strcmp(own, code_of(t, &served)) != 0,
		      "no method has hooks");
		CHECK(t, has_own_thread(t, served.pid), "it has another name");
		if (killed) {
			CHECK(t, !kill(gnomon.pid, SIGKILL), "kill failed");
			live_wait(t, &gnomon);
			while (maps(t, served.pid, "memfd:gnomon"))
				live_ask(t, &served, "kinds 1");
		} else {
			live_detach(t, &gnomon, path);
		}
		live_same(t, "the bytecode", code_of(t, &served), own);
	}
	CHECK(t, live_finish(t, &served) == 0, "the program failed");
	live_finish(t, &other);
}

/* gnomon refuses with a line that has this text, and the program notices
 * nothing: a JVM that would print its threads is not asked to listen. */
static void refused(struct live *t, const char *options, const char *why)
{
	struct live_args a = {.n = 0};
	struct live_talk served;
	struct live_end end;

	serve(t, options, &served);
	live_add(t, &a, t->gnomon, "run", "-f", "Kinds*", "-p",
		 live_text(t, "%d", (int)served.pid), NULL);
	live_run(t, &a, NULL, &end);
	CHECK(t, end.code == 1 && strstr(end.err, why), "%s: %d, %s", options,
	      end.code, end.err);
	live_tell(t, &served, "run 1");
	live_same(t, "what it says", live_await(t, served.out, ""), "done");
	CHECK(t, live_finish(t, &served) == 0, "the program failed");
}

void java_hooks_refused(struct live *t)
{
	refused(t, "-XX:+DisableAttachMechanism",
		"started with -XX:+DisableAttachMechanism");
	refused(t, "-XX:-EnableDynamicAgentLoading",
		"started with -XX:-EnableDynamicAgentLoading");
}

/* Another process listens where the JVM would. */
void java_hooks_socket(struct live *t)
{
	struct sockaddr_un at = {.sun_family = AF_UNIX};
	struct live_args a = {.n = 0};
	struct live_talk served;
	struct live_end end;
	int s = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

	serve(t, "", &served);
	snprintf(at.sun_path, sizeof(at.sun_path), "/tmp/.java_pid%d",
		 (int)served.pid);
	CHECK(t,
	      s >= 0 && !bind(s, (struct sockaddr *)&at, sizeof(at)) &&
		      !listen(s, 4),
	      "no socket");
	live_add(t, &a, t->gnomon, "run", "-f", "Kinds*", "-p",
		 live_text(t, "%d", (int)served.pid), NULL);
	live_run(t, &a, NULL, &end);
	unlink(at.sun_path);
	close(s);
	CHECK(t, end.code == 1 && strstr(end.err, "are not its own"), "%d, %s",
	      end.code, end.err);
	CHECK(t, live_finish(t, &served) == 0, "the program failed");
}
