/* SPDX-License-Identifier: BSD-2-Clause */
/* The ways in which a .NET program starts, and its users. */
#include "clr.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define NOBODY "65534"

static void write_file(struct live *t, const char *path, const char *bytes,
		       size_t size)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0700);

	CHECK(t,
	      fd >= 0 && write(fd, bytes, size) == (ssize_t)size &&
		      fchmod(fd, 0755) == 0 && close(fd) == 0,
	      "%s: %s", path, strerror(errno));
}

static void run_script(struct live *t, const char *last)
{
	char *path = live_path(t, "script");
	char *script = live_text(t,
				 "#!/bin/sh\nset -e\ncd \"$(dirname \"$0\")\"\n"
				 "%s '%s' '%s' \"$@\"\n%s",
				 strcmp(last, "exec") ? "" : "exec",
				 getenv("DOTNET"), live_fixture(t, "demo.dll"),
				 strcmp(last, "exec") ? last : "");
	struct live_args command = {.n = 0};
	struct clr_pair pair;

	write_file(t, path, script, strlen(script));
	live_add(t, &command, path, "exceptions", NULL);
	clr_pair(t, "", &command, &pair);
	clr_compare(t, &pair, 0);
}

void test_script(struct live *t)
{
	clr_need(t);
	run_script(t, "exec");
	run_script(t, "exit 7\n");
}

/* Processes of the same runtime are told apart by what it runs. */
void test_process_names(struct live *t)
{
	static const char row[] = "  demo.dll\n";
	struct live_args a = {.n = 0};
	struct live_end end;
	const char *first;

	clr_need(t);
	live_add(t, &a, t->gnomon, "run", "-f", "Demo.*", "--by", "process",
		 "--", "sh", "-c", "\"$@\" >&2; \"$@\" >&2", "sh", NULL);
	clr_demo(t, &a, "threads");
	live_run(t, &a, NULL, &end);
	first = strstr(end.out, row);
	CHECK(t, end.code == 0 && first && strstr(first + 1, row),
	      "not two rows:\n%s", end.out);
}

/* The placeholder that the SDK replaces by the program's name: the SHA-256 of
 * "foobar". */
#define PLACE                              \
	"c3ab8ff13720e8ad9047dd39466b3c89" \
	"74e592c2fa383d4a3960714caef0c4f2"

void test_apphost(struct live *t)
{
	char *template, *bytes, *place, *host, *sdk, *root;
	struct live_args command = {.n = 0};
	struct clr_pair pair;
	size_t size;

	clr_need(t);
	sdk = clr_sdk(t);
	template = live_text(t, "%s/AppHostTemplate/apphost", sdk);
	if (access(template, R_OK))
		live_skip(t, "the SDK has no %s", template);
	bytes = live_read(t, template, &size);
	place = memmem(bytes, size, PLACE, strlen(PLACE));
	CHECK(t, place, "the apphost has no place for a name");
	memset(place, 0, strlen(PLACE));
	memcpy(place, "demo.dll", strlen("demo.dll"));

	clr_copy_demo(t);
	host = live_text(t, "%s/demo", t->dir);
	write_file(t, host, bytes, size);
	root = strstr(sdk, "/sdk/");
	CHECK(t, root, "the SDK is in an odd place: %s", sdk);
	*root = '\0';
	live_add(t, &command, host, "threads", NULL);
	clr_pair(t, live_text(t, "DOTNET_ROOT=%s", sdk), &command, &pair);
	clr_compare(t, &pair, 0);
}

/* gnomon prints one line and does not run the program. */
static void expect_occupied(struct live *t, const char *name)
{
	char *env[] = {live_text(t, "%s=1", name),
		       live_text(t, "CORECLR_PROFILER="
				    "{11111111-1111-1111-1111-111111111111}"),
		       NULL};
	struct live_args command = {.n = 0};
	struct live_end end;
	json_t *report;
	char *first;
	size_t n;

	clr_demo(t, &command, "recursion");
	clr_trace(t, "", env, &command, &end, &report);
	n = live_complaints(t, end.err, &first);
	CHECK(t, end.code == 2, "gnomon ended with %d, not 2: %s", end.code,
	      end.err);
	CHECK(t, n == 1 && strstr(first, name) && strstr(first, "; "),
	      "not one line that speaks of %s: %s", name, end.err);
	CHECK(t, end.out_size == 0, "the program ran: %s", end.out);
	CHECK(t, !report, "there is a report");
}

void test_other_profiler(struct live *t)
{
	clr_need(t);
	expect_occupied(t, "CORECLR_ENABLE_PROFILING");
	expect_occupied(t, "DOTNET_ENABLE_PROFILING");
}

/* Settings of a profiler that was there once, and of gnomon itself. */
void test_left_over_settings(struct live *t)
{
	struct live_args command = {.n = 0};
	struct clr_pair pair;

	clr_need(t);
	clr_demo(t, &command, "recursion");
	clr_pair(t,
		 "CORECLR_ENABLE_PROFILING=0 "
		 "CORECLR_PROFILER={11111111-1111-1111-1111-111111111111} "
		 "CORECLR_PROFILER_PATH=/no/such/library.so "
		 "CORECLR_PROFILER_PATH_64=/no/such/library.so "
		 "GNOMON_CLR_FILTER=nothing",
		 &command, &pair);
	clr_compare(t, &pair, 0);
}

/* The program, and what it starts, see their own environment. */
void test_variables(struct live *t)
{
	static const char *const options[] = {
		"",
		"-f Demo.Variables.*",
		"--clr-hooks elt",
		"--hooks uprobe",
		"--clr-hooks elt -f Demo.Variables.*",
		"CORECLR_ENABLE_PROFILING=0 "
		"CORECLR_PROFILER_PATH=/\u00fc/\U0001f600 "
		"COMPlus_TailCallLoopOpt=1 GNOMON_CLR_HOOKS=own"};
	struct live_args command = {.n = 0};
	struct clr_pair pair;

	clr_need(t);
	clr_demo(t, &command, "variables");
	for (size_t i = 0; i < sizeof(options) / sizeof(options[0]); i++) {
		clr_pair(t, options[i], &command, &pair);
		clr_compare(t, &pair, 0);
	}
	clr_pair(t, "--clr light", &command, &pair);
	clr_pair(t, "--no-follow", &command, &pair);
}

/* A program that becomes a host of .NET only later. */
void test_variables_host(struct live *t)
{
	static const char *const host =
		"import ctypes, glob, os, sys\n"
		"root = os.path.dirname(os.path.realpath(sys.argv[1]))\n"
		"fxr = ctypes.CDLL(glob.glob(root + "
		"'/host/fxr/*/libhostfxr.so')[0])\n"
		"argv = [w.encode() for w in sys.argv[1:]]\n"
		"fxr.hostfxr_main(len(argv), "
		"(ctypes.c_char_p * len(argv))(*argv))\n";
	static const char *const python = "/usr/bin/python3";
	struct live_args command = {.n = 0};
	struct clr_pair pair;

	clr_need(t);
	if (access(python, X_OK))
		live_skip(t, "there is no %s", python);
	live_add(t, &command, python, "-c", host, NULL);
	clr_demo(t, &command, "variables");
	clr_pair(t, "-f Demo.Variables.*", &command, &pair);
	clr_compare(t, &pair, 0);
}

/* gnomon warns before the program runs, and runs it; the report gives the
 * reason. */
static void expect_warning(struct live *t, const struct live_args *command,
			   char *const *env, const char *word)
{
	struct live_end end;
	json_t *report;
	const char *why;
	char *first;
	size_t n;

	clr_trace(t, "", env, command, &end, &report);
	CHECK(t, end.code == 0 && report, "gnomon ended with %d: %s", end.code,
	      end.err);
	clr_closed(t, report);
	n = live_complaints(t, end.err, &first);
	CHECK(t, n == 1, "%zu lines on stderr, not 1: %s", n, end.err);
	CHECK(t, strstr(first, word) && strstr(first, "; "),
	      "the line does not name %s: %s", word, end.err);
	CHECK(t, strstr(end.out, "calls Demo.Exceptions.Touch() 580\n"),
	      "the program did not run: %s", end.out);
	CHECK(t, clr_functions(report) == 0, "there are managed functions");
	why = json_string_value(
		json_object_get(json_object_get(report, "code"), "unhooked"));
	CHECK(t, why && strstr(why, word), "the report does not name %s: %s",
	      word, why ? why : "nothing");
	CHECK(t, !strstr(end.err, "managed functions as they are compiled"),
	      "it announced functions: %s", end.err);
}

void test_diagnostics_off(struct live *t)
{
	char *env[] = {live_text(t, "DOTNET_EnableDiagnostics=0"), NULL};
	struct live_args command = {.n = 0};
	struct live_end end;
	json_t *report;

	clr_need(t);
	clr_demo(t, &command, "exceptions");
	expect_warning(t, &command, env, "DOTNET_EnableDiagnostics");

	/* -q also prints the reason for a missing function */
	clr_trace(t, "-q -f Demo.Exceptions.*", env, &command, &end, &report);
	CHECK(t,
	      strstr(end.err, "(DOTNET_EnableDiagnostics is 0 in its "
			      "environment); unset that variable"),
	      "it does not say why: %s", end.err);
}

/* Copies gnomon and its library to a place that other users can reach. */
char *clr_copy_gnomon(struct live *t, char **library)
{
	char *bin = live_text(t, "%s/bin", t->dir);
	char *folder = live_text(t, "%s/hooksite", bin);
	char *gnomon = live_text(t, "%s/gnomon", bin);
	const char *from = getenv("CLR_LIBRARY");

	CHECK(t, from, "CLR_LIBRARY is not set");
	*library = live_text(t, "%s/libgnomon-clr.so", folder);
	CHECK(t,
	      chmod(t->dir, 0755) == 0 && mkdir(bin, 0755) == 0 &&
		      mkdir(folder, 0755) == 0 && chmod(bin, 0755) == 0 &&
		      chmod(folder, 0755) == 0,
	      "mkdir: %s", strerror(errno));
	live_copy(t, t->gnomon, gnomon);
	live_copy(t, from, *library);
	return gnomon;
}

static char *const as_nobody[] = {
	(char *)"SUDO_UID=" NOBODY, (char *)"SUDO_GID=" NOBODY,
	(char *)"SUDO_USER=nobody", (char *)"HOME=/nonexistent", NULL};

void test_invoking_user(struct live *t)
{
	struct live_args command = {.n = 0};
	struct clr_pair pair;
	char *library;

	clr_need(t);
	live_add(t, &command, getenv("DOTNET"), clr_copy_demo(t), "exceptions",
		 NULL);
	t->gnomon = clr_copy_gnomon(t, &library);
	clr_trace(t, "", as_nobody, &command, &pair.traced, &pair.report);
	CHECK(t, pair.traced.code == 0 && pair.report,
	      "gnomon ended with %d: %s", pair.traced.code, pair.traced.err);
	CHECK(t, !*clr_own_err(t, pair.traced.err), "on stderr: %s",
	      pair.traced.err);
	clr_closed(t, pair.report);
	clr_compare(t, &pair, 0);
}

/* A program without a managed runtime gets no warning. */
static void expect_none(struct live *t)
{
	struct live_args command = {.n = 0};
	struct live_end end;
	json_t *report;
	char *first;

	live_add(t, &command, "/bin/true", NULL);
	clr_trace(t, "", as_nobody, &command, &end, &report);
	CHECK(t, end.code == 0 && live_complaints(t, end.err, &first) == 0,
	      "a native command: ended with %d: %s", end.code, end.err);
}

void test_unreadable_library(struct live *t)
{
	struct live_args command = {.n = 0};
	char *library;

	clr_need(t);
	live_add(t, &command, getenv("DOTNET"), clr_copy_demo(t), "exceptions",
		 NULL);
	t->gnomon = clr_copy_gnomon(t, &library);
	CHECK(t, chmod(library, 0640) == 0, "chmod: %s", strerror(errno));
	expect_warning(t, &command, as_nobody, library);
	CHECK(t,
	      chmod(library, 0644) == 0 &&
		      chmod(live_text(t, "%s/bin/hooksite", t->dir), 0750) == 0,
	      "chmod: %s", strerror(errno));
	expect_warning(t, &command, as_nobody, library);
	expect_none(t);
}

/* The library's path alternates between two files. gnomon probes the file that
 * it planned for; if the runtime loads the other one, gnomon reports that. */
void test_library_swapped(struct live *t)
{
	struct live_args command = {.n = 0};
	char *library, *other = live_path(t, "other.so");
	bool all = false, none = false;
	pid_t swapper;

	clr_need(t);
	clr_demo(t, &command, "recursion");
	t->gnomon = clr_copy_gnomon(t, &library);
	live_copy(t, getenv("CLR_OTHER_LIBRARY"), other);
	swapper = live_exchange(t, library, other);
	for (int i = 0; i < 20 && !(all && none); i++) {
		struct live_end end;
		uint64_t calls;
		json_t *report;
		bool told;

		clr_trace(t, "-f *.Fib*", NULL, &command, &end, &report);
		CHECK(t, end.code == 0 && report && strstr(end.out, "fib 6765"),
		      "the program ended with %d: %s", end.code, end.err);
		told = strstr(end.err, "without gnomon's hook-site library");
		calls = live_function(t, report, NULL,
				      "Demo.Recursion.Fib(int)", "calls", NULL);
		CHECK(t, told ? !calls : calls == 21891,
		      "%" PRIu64 " calls, and it says %s", calls, end.err);
		all |= !told;
		none |= told;
	}
	live_exchange_end(swapper);
	CHECK(t, all && none, "only one of the files was ever loaded");
}

/* Whether the process maps a file of that name. */
static bool maps_file(pid_t pid, const char *name)
{
	char path[64], line[4096];
	bool found = false;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%d/maps", (int)pid);
	f = fopen(path, "re");
	while (f && !found && fgets(line, sizeof(line), f))
		found = strstr(line, name) != NULL;
	if (f)
		fclose(f);
	return found;
}

/* A runtime that accepts no library from outside: gnomon says so. If the user
 * names no functions, it is traced like any program. */
void test_already_runs(struct live *t)
{
	struct live_args command = {.n = 0}, gnomon = {.n = 0};
	struct live_start how = {.input = NULL};
	struct live_talk talk;
	struct live_end end;

	clr_need(t);
	live_add(t, &command, "/usr/bin/env", "DOTNET_EnableDiagnostics=0",
		 NULL);
	clr_demo(t, &command, "served");
	live_talk(t, &command, &talk);
	free(live_await(t, talk.out, "ready"));
	live_add(t, &gnomon, getenv("GNOMON"), "run", "-d", "50ms", "-p",
		 live_text(t, "%d", (int)talk.pid), NULL);
	live_run(t, &gnomon, &how, &end);
	CHECK(t, end.code == 0, "gnomon ended with %d: %s", end.code, end.err);
	CHECK(t,
	      strstr(end.err, "has no diagnostics socket") &&
		      strstr(end.err, "only threads and time classes of its"),
	      "it said %s", end.err);
	CHECK(t, live_finish(t, &talk) == 0, "the program failed");
}

/* A launcher that has not loaded the runtime yet, because gnomon attaches just
 * after its start. The test blocks it where it opens its log. gnomon waits for
 * it. */
void test_attach_coming(struct live *t)
{
	char *log = live_path(t, "log");
	struct live_args command = {.n = 0};
	struct live_talk served, gnomon;
	json_t *report;
	int end;

	clr_need(t);
	CHECK(t, mkfifo(log, 0600) == 0, "mkfifo: %s", strerror(errno));
	live_add(t, &command, "/usr/bin/env", "COREHOST_TRACE=1",
		 "COREHOST_TRACE_VERBOSITY=1",
		 live_text(t, "COREHOST_TRACEFILE=%s", log), NULL);
	clr_demo(t, &command, "served");
	live_talk(t, &command, &served);
	live_await_call(t, served.pid, SYS_openat, -1);
	CHECK(t, !maps_file(served.pid, "libcoreclr.so"), "it is not held");
	clr_begin_attach(t, &served, "--raw -f Demo.Service.*", &gnomon);
	live_await_call(t, gnomon.pid, SYS_clock_nanosleep, -1);
	end = open(log, O_RDWR | O_CLOEXEC);
	CHECK(t, end >= 0, "%s: %s", log, strerror(errno));
	free(live_await(t, gnomon.err, "gnomon: attached"));
	free(live_await(t, served.out, "ready"));
	clr_serve(t, &served, "run 20");
	report = clr_detach(t, &gnomon);
	CHECK(t, clr_functions(report) > 0, "no function was traced");
	json_decref(report);
	CHECK(t, live_finish(t, &served) == 0, "the program failed");
	close(end);
}
