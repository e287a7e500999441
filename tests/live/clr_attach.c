/* SPDX-License-Identifier: BSD-2-Clause */
/* Functions of running .NET programs: the fixture takes commands, and counts
 * its own calls between two lines. */
#include "clr.h"

#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define N PRIu64

void clr_start_served(struct live *t, struct live_talk *served)
{
	struct live_args a = {.n = 0};

	clr_need(t);
	clr_demo(t, &a, "served");
	live_talk(t, &a, served);
	free(live_await(t, served->out, "ready"));
}

char *clr_serve(struct live *t, const struct live_talk *served,
		const char *line)
{
	char *all = live_text(t, "%s", ""), *said;

	live_tell(t, served, line);
	while (strcmp(said = live_await(t, served->out, ""), "done"))
		all = live_text(t, "%s%s\n", all, said);
	return all;
}

void clr_begin_attach(struct live *t, const struct live_talk *served,
		      const char *options, struct live_talk *gnomon)
{
	char *path = live_text(t, "%s/report.json", t->dir);
	struct live_args a = {.n = 0};

	unlink(path);
	live_add(t, &a, t->gnomon, "run", "--format", "json", "-o", path, "-p",
		 live_text(t, "%d", (int)served->pid), NULL);
	live_split(t, &a, options);
	live_talk(t, &a, gnomon);
}

void clr_attach(struct live *t, const struct live_talk *served,
		const char *options, struct live_talk *gnomon)
{
	clr_begin_attach(t, served, live_text(t, "--raw %s", options), gnomon);
	free(live_await(t, gnomon->err, "gnomon: attached"));
}

json_t *clr_detach(struct live *t, struct live_talk *gnomon)
{
	int code;

	CHECK(t, kill(gnomon->pid, SIGINT) == 0, "kill: %s", strerror(errno));
	code = live_wait(t, gnomon);
	CHECK(t, code == 0, "gnomon ended with %d", code);
	return live_load(t, live_text(t, "%s/report.json", t->dir));
}

void clr_session(struct live *t, const struct live_talk *served,
		 const char *options, const char *line, unsigned int flags)
{
	struct clr_pair pair = {.report = NULL};
	struct live_talk gnomon;

	clr_attach(t, served, options, &gnomon);
	pair.traced.out = clr_serve(t, served, line);
	pair.report = clr_detach(t, &gnomon);
	clr_closed(t, pair.report);
	clr_compare(t, &pair, flags);
}

/* Before the compiler has finished with the methods, and after; several
 * sessions. */
void test_attach(struct live *t)
{
	struct live_talk served;

	clr_start_served(t, &served);
	clr_session(t, &served, "-f Demo.Service.*", "run 50", 0);
	clr_serve(t, &served, "run 20000");
	clr_session(t, &served, "-f Demo.Service.*", "run 50", 0);
	clr_session(t, &served, "-f Demo.Service.P.Leaf", "run 50",
		    LIVE_SOME | LIVE_UNWOUND);
	CHECK(t, live_finish(t, &served) == 0, "the program failed");
}

/* Methods compiled by the second tier, which inlines them into each other. */
void test_attach_warm(struct live *t)
{
	struct live_talk served;

	clr_start_served(t, &served);
	clr_serve(t, &served, "run 20000");
	clr_serve(t, &served, "run 20000");
	clr_session(t, &served, "-f Demo.Service.*", "run 50", 0);
	CHECK(t, live_finish(t, &served) == 0, "the program failed");
}

void test_attach_again(struct live *t)
{
	struct live_talk served;

	clr_start_served(t, &served);
	for (int i = 0; i < 4; i++)
		clr_session(t, &served,
			    i % 2 ? "-f Demo.Service.P.* -f !*.Leaf(*"
				  : "-f Demo.Service.*",
			    "run 10", i % 2 ? LIVE_SOME : 0);
	CHECK(t, live_finish(t, &served) == 0, "the program failed");
}

/* Methods are requested while others that inline them are compiled. If the
 * runtime has a fault there, the program hangs or crashes. */
void test_attach_copies(struct live *t)
{
	struct live_args a = {.n = 0};
	struct live_talk copies, gnomon;

	clr_need(t);
	clr_demo(t, &a, "copies");
	live_talk(t, &a, &copies);
	free(live_await(t, copies.out, "ready"));
	for (int i = 0; i < 6; i++) {
		clr_attach(t, &copies, "-f Demo.Copied.*", &gnomon);
		live_tell(t, &copies, "");
		free(live_await(t, copies.out, "made "));
		json_decref(clr_detach(t, &gnomon));
	}
	CHECK(t, live_finish(t, &copies) == 0, "the program failed");
}

/* The duration of a capture begins when the runtime is ready, and the report
 * says when that was. gnomon says what thousands of methods cost, not a few. */
void test_attach_duration(struct live *t)
{
	struct live_talk served, gnomon;
	uint64_t wall, before;
	double took = 0;
	json_t *report;
	char *line;

	clr_start_served(t, &served);
	clr_begin_attach(t, &served, "-d 100ms -f Demo.Service.*", &gnomon);
	line = live_await_or_end(t, gnomon.err, "gnomon: -f names ");
	CHECK(t, !line, "a few methods are many: %s", line);
	CHECK(t, live_wait(t, &gnomon) == 0, "gnomon failed");
	clr_begin_attach(t, &served, "-d 300ms -f System.*", &gnomon);
	line = live_await(t, gnomon.err, "gnomon: -f names ");
	CHECK(t,
	      sscanf(line,
		     "gnomon: -f names %*u methods: requesting their "
		     "hooks took %lf s,",
		     &took) == 1,
	      "it said %s", line);
	free(line);
	CHECK(t, live_wait(t, &gnomon) == 0, "gnomon failed");
	report = live_load(t, live_text(t, "%s/report.json", t->dir));
	wall = live_number(t, report, "session.wall_ns");
	before = live_number(t, report, "session.attached_ns");
	CHECK(t, before > 0 && wall >= before + 300000000,
	      "%" N " ns of %" N " ns were before it was attached", before,
	      wall);
	/* the one has a digit after the point, the other probes before it */
	CHECK(t, took * 1e9 <= (double)before + 1e8,
	      "it took %.1f s, of %" N " ns", took, before);
	json_decref(report);
	CHECK(t, live_finish(t, &served) == 0, "the program failed");
}

/* The time that the runtime took to attach is before the first period of
 * top. */
void test_attach_top(struct live *t)
{
	struct live_args a = {.n = 0};
	struct live_talk served;
	struct live_end end;
	uint64_t wall, length;
	json_t *period;

	clr_start_served(t, &served);
	live_add(t, &a, t->gnomon, "top", "--format", "json", "-n", "1", "-d",
		 "100ms", "-f", "System.*", "--allow-loss", "-p",
		 live_text(t, "%d", (int)served.pid), NULL);
	live_run(t, &a, NULL, &end);
	CHECK(t, end.code == 0, "gnomon ended with %d: %s", end.code, end.err);
	period = json_loads(end.out, 0, NULL);
	CHECK(t, period, "it said %.200s", end.out);
	wall = live_number(t, period, "session.wall_ns");
	length = live_number(t, period, "period.length_ns");
	CHECK(t,
	      wall < length + live_number(t, period, "session.attached_ns") / 2,
	      "a period of %" N " ns has times of %" N " ns", length, wall);
	json_decref(period);
	CHECK(t, live_finish(t, &served) == 0, "the program failed");
}

/* A process of a user without any rights, and a library with this mode. */
static void attach_to_nobody(struct live *t, mode_t mode)
{
	struct live_args a = {.n = 0};
	struct live_talk served;
	char *copy, *library;

	clr_need(t);
	if (access("/usr/bin/setpriv", X_OK))
		live_skip(t, "there is no setpriv");
	copy = clr_copy_demo(t);
	t->gnomon = clr_copy_gnomon(t, &library);
	CHECK(t, !chmod(library, mode), "chmod: %s", strerror(errno));
	live_add(t, &a, "/usr/bin/setpriv", "--reuid=65534", "--regid=65534",
		 "--clear-groups", getenv("DOTNET"), copy, "served", NULL);
	live_talk(t, &a, &served);
	free(live_await(t, served.out, "ready"));
	for (int i = 0; i < 2; i++)
		clr_session(t, &served, "-f Demo.Service.*", "run 50", 0);
	CHECK(t, live_finish(t, &served) == 0, "the program failed");
}

void test_attach_other_user(struct live *t)
{
	attach_to_nobody(t, 0755);
}

/* The process may not read the library, as when gnomon was built in a home
 * folder: it gets a copy. */
void test_attach_private(struct live *t)
{
	attach_to_nobody(t, 0700);
}

/* The file of a module was deleted: gnomon reads the module from memory. */
void test_attach_gone(struct live *t)
{
	struct live_args a = {.n = 0};
	struct live_talk served;
	char *copy;

	clr_need(t);
	copy = clr_copy_demo(t);
	live_add(t, &a, getenv("DOTNET"), copy, "served", NULL);
	live_talk(t, &a, &served);
	free(live_await(t, served.out, "ready"));
	CHECK(t, unlink(copy) == 0, "unlink: %s", strerror(errno));
	clr_session(t, &served, "-f Demo.Service.*", "run 50", 0);
	/* another file at its path is not used either */
	live_copy(t, t->gnomon, copy);
	clr_session(t, &served, "-f Demo.Service.*", "run 50", 0);
	CHECK(t, live_finish(t, &served) == 0, "the program failed");
}

/* Every method of every module, some forty thousand: gnomon reports what that
 * costs, and goes on. */
void test_attach_everything(struct live *t)
{
	static const char names[] = "gnomon: -f names ";
	struct clr_pair pair = {.report = NULL};
	struct live_talk served, gnomon;
	char *line;

	clr_start_served(t, &served);
	clr_begin_attach(t, &served, "--raw -f *", &gnomon);
	line = live_await(t, gnomon.err, names);
	CHECK(t,
	      strtoull(line + strlen(names), NULL, 10) >= 10000 &&
		      strstr(line, "; "),
	      "it says '%s'", line);
	free(line);
	free(live_await(t, gnomon.err, "gnomon: attached"));
	pair.traced.out = clr_serve(t, &served, "run 5");
	pair.report = clr_detach(t, &gnomon);
	clr_closed(t, pair.report);
	clr_compare(t, &pair, 0);
	CHECK(t, live_finish(t, &served) == 0, "the program failed");
}

/* A module that is loaded during the session. */
void test_attach_later(struct live *t)
{
	struct live_talk served;

	clr_start_served(t, &served);
	clr_session(t, &served, "-f Demo.Service.Later.Called", "load",
		    LIVE_SOME);
	CHECK(t, live_finish(t, &served) == 0, "the program failed");
}

/* The program may not map the memory that fast hooks need, and would be killed
 * if the library tried. It gets probes, and the report says why. */
void test_attach_filtered(struct live *t)
{
	char *path = live_path(t, "report.txt"), *report;
	struct live_args a = {.n = 0};
	struct live_talk served, gnomon;

	clr_start_served(t, &served);
	clr_serve(t, &served, "filter");
	live_add(t, &a, t->gnomon, "run", "-o", path, "-p",
		 live_text(t, "%d", (int)served.pid), "-f", "Demo.Service.*",
		 NULL);
	live_talk(t, &a, &gnomon);
	free(live_await(t, gnomon.err, "gnomon: attached"));
	clr_serve(t, &served, "run 5");
	CHECK(t, !clr_is_shared(t, &served), "there is memory");
	CHECK(t, kill(gnomon.pid, SIGINT) == 0, "kill: %s", strerror(errno));
	CHECK(t, live_wait(t, &gnomon) == 0, "gnomon failed");
	report = live_read(t, path, NULL);
	CHECK(t, strstr(report, "has a seccomp filter"), "no reason: %s",
	      report);
	CHECK(t, strstr(report, "P.Fib(int)"), "no functions: %s", report);
	CHECK(t, strstr(report, "hooks on the thread .NET EventPipe"),
	      "it does not say whose gnomon's work is: %s", report);
	CHECK(t, live_finish(t, &served) == 0, "the program failed");
}

/* A glob of a method without IL is not reported as misspelt. */
void test_attach_no_il(struct live *t)
{
	struct live_args a = {.n = 0};
	struct live_talk served, gnomon;

	clr_start_served(t, &served);
	live_add(t, &a, t->gnomon, "run", "-o", live_path(t, "report.txt"),
		 "-p", live_text(t, "%d", (int)served.pid), "-f",
		 "Demo.Forbidden.prctl", NULL);
	live_talk(t, &a, &gnomon);
	free(live_await(t, gnomon.err, "gnomon: attached"));
	CHECK(t, kill(gnomon.pid, SIGINT) == 0, "kill: %s", strerror(errno));
	free(live_await(t, gnomon.err,
			"gnomon: methods that -f names have no "
			"IL of their own"));
	live_wait(t, &gnomon);
	CHECK(t, live_finish(t, &served) == 0, "the program failed");
}

/* If the user asks for something that a running process does not provide,
 * gnomon says so, also if the report then has none of it. */
void test_attach_untold(struct live *t)
{
	char *path = live_path(t, "report.txt"), *report;
	struct live_args a = {.n = 0};
	struct live_talk served, gnomon;

	clr_start_served(t, &served);
	live_add(t, &a, t->gnomon, "run", "-o", path, "-p",
		 live_text(t, "%d", (int)served.pid), "-f", "Demo.Service.*",
		 "--events", "allocations,gc,handles", "--by", "allocations",
		 NULL);
	live_talk(t, &a, &gnomon);
	free(live_await(
		t, gnomon.err,
		"gnomon: a process that was already running does not report "
		"handles, allocations;"));
	free(live_await(t, gnomon.err, "gnomon: attached"));
	clr_serve(t, &served, "run 5");
	CHECK(t, kill(gnomon.pid, SIGINT) == 0, "kill: %s", strerror(errno));
	CHECK(t, live_wait(t, &gnomon) == 0, "gnomon failed");
	report = live_read(t, path, NULL);
	CHECK(t, strstr(report, "already ran reports no allocations"),
	      "no reason: %s", report);
	CHECK(t, live_finish(t, &served) == 0, "the program failed");
}

void clr_attach_light(struct live *t, const struct live_talk *served)
{
	struct live_talk gnomon;
	json_t *report;

	clr_attach(t, served, "", &gnomon);
	clr_serve(t, served, "run 3");
	clr_serve(t, served, "collect 20");
	CHECK(t, !clr_is_shared(t, served),
	      "there is memory of hooks, of which there are none");
	report = clr_detach(t, &gnomon);
	CHECK(t, clr_functions(report) == 0, "%zu managed functions are told",
	      clr_functions(report));
	CHECK(t, live_number(t, report, "code.compilations") > 40,
	      "%" N " compilations are not those of all methods",
	      live_number(t, report, "code.compilations"));
	CHECK(t,
	      live_number(t, report, "session.classes.jit") > 0 &&
		      live_number(t, report, "session.classes.gc") > 0,
	      "there is no time in the compiler or in collections");
	json_decref(report);
}

/* One kind that a running process does not provide is no reason to provide
 * none. */
static void attach_all_events(struct live *t, const struct live_talk *served)
{
	struct live_talk gnomon;
	json_t *report;

	clr_attach(t, served, "--events all", &gnomon);
	clr_serve(t, served, "collect 20");
	report = clr_detach(t, &gnomon);
	CHECK(t, live_number(t, report, "session.classes.gc") > 0,
	      "there is no time in collections");
	json_decref(report);
}

/* Without functions: the report has what the runtime does, and nothing is
 * changed. */
void test_attach_light(struct live *t)
{
	struct live_talk served;

	clr_start_served(t, &served);
	clr_attach_light(t, &served);
	attach_all_events(t, &served);
	attach_all_events(t, &served);
	CHECK(t, clr_hook_calls(t, &served) == 0, "there are hooks");
	clr_session(t, &served, "-f Demo.Service.*", "run 50", 0);
	CHECK(t, live_finish(t, &served) == 0, "the program failed");
}
