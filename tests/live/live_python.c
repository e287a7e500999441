/* SPDX-License-Identifier: BSD-2-Clause */
/* Python programs with and without gnomon. */
#include "live.h"
#include "live_python.h"

#include <inttypes.h>
#include <libgen.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define N PRIu64

char **live_pythons(struct live *t)
{
	const char *twins = getenv("LIVE_LONG") ? getenv("PYTHON_TWINS") : NULL;
	char *rest =
		live_text(t, "%s:%s", getenv("PYTHONS") ?: "", twins ?: "");
	static char *known[32];
	size_t n = 0;
	char *path;

	while ((path = strsep(&rest, ":")) && n < 31)
		if (*path)
			known[n++] = path;
	if (!n)
		live_skip(t, "no Python; run tools/setup test");
	known[n] = NULL;
	return known;
}

char *live_python_home(struct live *t, const char *path)
{
	char real[PATH_MAX];

	CHECK(t, realpath(path, real), "%s is not there", path);
	return live_text(t, "%s", dirname(dirname(real)));
}

char *live_python_library(struct live *t, const char *python)
{
	char *home = live_python_home(t, python), real[PATH_MAX], *path;

	CHECK(t, realpath(python, real), "%s is not there", python);
	path = live_text(t, "%s/lib/lib%s.so.1.0", home, basename(real));
	if (access(path, R_OK))
		path = live_text(t, "%s/lib/x86_64-linux-gnu/lib%s.so.1.0",
				 home, basename(real));
	return access(path, R_OK) ? NULL : path;
}

static void demo(struct live *t, struct live_args *a, const char *python,
		 const char *topic)
{
	live_add(t, a, python, live_text(t, "%s/demo.py", t->fixtures), topic,
		 NULL);
}

static void compare(struct live *t, const char *python, const char *topic,
		    const char *options, unsigned int flags)
{
	struct live_args command = {.n = 0};

	printf("%s: %s\n", t->name, python);
	demo(t, &command, python, topic);
	live_pair_compare(t, &command, options, flags);
}

void live_run_row(struct live *t, const struct live_row *row)
{
	for (char **p = live_pythons(t); *p; p++)
		compare(t, *p, row->command, row->options, row->flags);
}

static uint64_t calls(struct live *t, const json_t *report, const char *name)
{
	return live_function(t, report, NULL, name, "calls", NULL);
}

/* The threads of the children of forks(), with one of a grandchild. */
#define FORKED 12

void python_forks_fast(struct live *t)
{
	for (char **p = live_pythons(t); *p; p++) {
		struct live_args command = {.n = 0};

		demo(t, &command, *p, "forks");
		live_forked(t, &command, FORKED);
	}
}

/* Many short children: nothing is lost. */
void python_forks_storm(struct live *t)
{
	compare(t, live_pythons(t)[0], "storm", "", 0);
}

/* Prints how many ns its loop takes at best, before and after it got a line. */
static const char *const timed_child =
	"import os, sys, time\n"
	"def leaf(): pass\n"
	"def loop():\n"
	"    begin = time.thread_time_ns()\n"
	"    for i in range(10000): leaf()\n"
	"    return time.thread_time_ns() - begin\n"
	"def best(): return min(loop() for _ in range(50))\n"
	"if os.fork():\n"
	"    os.wait()\n"
	"    sys.exit()\n"
	"best()\n"
	"print('before', best(), flush=True)\n"
	"sys.stdin.readline()\n"
	"best()\n"
	"print('after', best(), flush=True)\n";

static uint64_t told(const char *line)
{
	return strtoull(strchr(line, ' '), NULL, 10);
}

/* NULL: the child runs at full speed after gnomon was killed. */
static const char *outlives(struct live *t, const char *python)
{
	struct live_args command = {.n = 0};
	struct live_talk talk;
	uint64_t plain, traced, after;

	live_add(t, &command, python, "-c", timed_child, NULL);
	live_talk(t, &command, &talk);
	plain = told(live_await(t, talk.out, "before "));
	live_finish(t, &talk);
	traced = told(live_orphan(t, &command, "", "before ", &talk));
	after = told(live_await(t, talk.out, "after "));
	CHECK(t, !live_await_or_end(t, talk.out, ""), "more output");
	return after * 10 < plain * 12 && after < traced
		       ? NULL
		       : live_text(t,
				   "%s: a loop takes %" N " ns, traced %" N
				   ", after gnomon's end %" N,
				   python, plain, traced, after);
}

/* A child goes on at full speed if gnomon is killed. */
void python_forks_killed(struct live *t)
{
	for (char **p = live_pythons(t); *p; p++) {
		const char *off = "";

		for (int i = 0; off && i < 5; i++) {
			off = outlives(t, *p);
			if (off)
				live_again(t, i, 5, off);
		}
	}
}

static void contend(struct live *t, const char *python, const char *options)
{
	struct live_args command = {.n = 0};
	struct live_end end;
	json_t *report;

	demo(t, &command, python, "contend");
	live_traced(t, &command, options, &end, &report);
	live_interpreter_lock(t, end.out, report, "__main__.race");
	CHECK(t,
	      live_function(t, report, NULL, "__main__.hold",
			    "classes_inclusive.sleep", NULL) > 5000000,
	      "%s %s: it did not sleep", python, options);
	CHECK(t,
	      live_function(t, report, NULL, "__main__.hold",
			    "classes_inclusive.event", NULL) > 20000000,
	      "%s %s: it did not wait for an event", python, options);
}

/* Threads that run Python code wait for the interpreter's lock; those that wait
 * for other threads do not. */
void python_lock(struct live *t)
{
	char **first = live_pythons(t);

	for (char **p = first; *p; p++)
		contend(t, *p, "");
	/* how calls are seen has nothing to do with where the lock is */
	contend(t, *first, "--hooks uprobe");
	contend(t, *first, "-f race -f hold");
}

/* The same for a program that runs already. */
void python_lock_attach(struct live *t)
{
	static const char code[] =
		"import sys, threading\n"
		"def spin():\n"
		"    while ends.is_alive(): pass\n"
		"ends = threading.Thread(target=sys.stdin.read)\n"
		"ends.start()\n"
		"for i in range(2): threading.Thread(target=spin).start()\n"
		"print('runs', flush=True)\n";

	for (char **p = live_pythons(t); *p; p++) {
		struct live_args command = {.n = 0}, a = {.n = 0};
		struct live_talk python, gnomon;
		const json_t *classes;
		json_t *report;
		char *path = live_path(t, "report");

		live_add(t, &command, *p, "-c", code, NULL);
		live_talk(t, &command, &python);
		free(live_await(t, python.out, "runs"));
		live_add(t, &a, t->gnomon, "run", "--duration", "1s",
			 "--format", "json", "-o", path, "-p",
			 live_text(t, "%d", (int)python.pid), NULL);
		live_talk(t, &a, &gnomon);
		live_wait(t, &gnomon);
		live_finish(t, &python);
		report = live_load(t, path);
		live_clean(t, report);
		/* two threads, of which one can run at a time; on a busy
		 * machine both wait for a CPU, too */
		classes = json_object_get(json_object_get(report, "session"),
					  "classes");
		CHECK(t, live_number(t, classes, "lock") > 100000000,
		      "%s: %" N " ns in locks", *p,
		      live_number(t, classes, "lock"));
		CHECK(t, live_number(t, classes, "sleep") == 0,
		      "%s: %" N " ns asleep", *p,
		      live_number(t, classes, "sleep"));
	}
}

/* Only functions that -f names are recorded; a file and a name without a module
 * name them, too. */
void python_filter(struct live *t)
{
	static const char *const filters[] = {
		"-f count_down",
		"-f __main__.count_down",
		"-f demo.py:count_*",
		"-f demo:count_down",
		"-f __main__.* -f !*.plain -f !*n -f __main__.count_*",
		NULL};
	struct live_args command = {.n = 0};

	demo(t, &command, live_pythons(t)[0], "recursion");
	live_filters(t, &command, filters, "__main__.count_down",
		     "__main__.plain");
}

/* The report says where a function begins. */
void python_lines(struct live *t)
{
	struct live_args command = {.n = 0};

	demo(t, &command, live_pythons(t)[0], "recursion");
	live_begins(t, &command, "demo.py", "def count_down(",
		    "__main__.count_down");
}

/* A program that sets its own profile function keeps it, and the report says
 * that calls are missing. */
void python_profile(struct live *t)
{
	for (char **p = live_pythons(t); *p; p++) {
		struct live_args command = {.n = 0};
		struct live_end end;
		json_t *report;

		demo(t, &command, *p, "profiled");
		live_traced(t, &command, "", &end, &report);
		CHECK(t, live_number(t, report, "code.selected.profiled") == 1,
		      "%s: nothing is said", *p);
		CHECK(t, calls(t, report, "__main__.plain") == 10,
		      "%s: %" N " calls", *p,
		      calls(t, report, "__main__.plain"));
	}
}

/* Two threads call leaf() five times each, before and after all profile
 * functions are removed, and after the program has set one of its own. It
 * prints what that sees, and how many calls gnomon sees and threads it loses:
 * before 3.12, only one thread at a time can be set. */
static const char *const profile_all =
	"import sys, threading\n"
	"seen = []\n"
	"def leaf(): pass\n"
	"def calls():\n"
	"    for i in range(5): leaf()\n"
	"def work():\n"
	"    for i in range(3):\n"
	"        start.acquire()\n"
	"        calls()\n"
	"        end.release()\n"
	"def both():\n"
	"    calls()\n"
	"    start.release()\n"
	"    end.acquire()\n"
	"def profile(frame, event, arg):\n"
	"    seen.append((event, frame.f_code.co_name))\n"
	"start = threading.Semaphore(0)\n"
	"end = threading.Semaphore(0)\n"
	"t = threading.Thread(target=work)\n"
	"t.start()\n"
	"both()\n"
	"set_all = getattr(threading, 'setprofile_all_threads', None)\n"
	"if set_all: set_all(None)\n"
	"both()\n"
	"if set_all: set_all(profile)\n"
	"both()\n"
	"t.join()\n"
	"if set_all: set_all(None)\n"
	"n = {e: sum(e in s for s in seen) for e in ('call', 'return', "
	"'leaf')}\n"
	"print('leafs', 20 if set_all else 30, n)\n"
	"print('lost', 2 if set_all else 0)\n";

void python_profile_all(struct live *t)
{
	for (char **p = live_pythons(t); *p; p++) {
		struct live_args command = {.n = 0};
		struct live_end end;
		json_t *report;

		live_add(t, &command, *p, "-c", profile_all, NULL);
		live_pair(t, &command, "-f leaf", &end, &report);
		CHECK(t, calls(t, report, "__main__.leaf") == told(end.out),
		      "%s: %" N " calls", *p,
		      calls(t, report, "__main__.leaf"));
		CHECK(t,
		      live_number(t, report, "code.selected.profiled") ==
			      told(strstr(end.out, "lost ")),
		      "%s: %" N " threads lost", *p,
		      live_number(t, report, "code.selected.profiled"));
	}
}

/* Ways to start a program: a command, a script, a script by its first line,
 * without the environment and site, with hooks of the memory allocators. */
void python_started(struct live *t)
{
	static const char code[] = "def f():\n pass\nfor i in range(7): f()\n"
				   "print(__name__)\n";
	char *python = live_pythons(t)[0], *script = live_path(t, "script");
	char *const ways[][LIVE_WAY] = {
		{python, "-c", (char *)code}, {python, script},
		{python, "-I", script},	      {python, "-S", "-E", script},
		{python, "-Xdev", script},    {script},
	};

	live_ways(t, ways, sizeof(ways) / sizeof(ways[0]), script,
		  live_text(t, "#!%s\n%s", python, code), "__main__.f");
}

/* A program loads CPython later, calls it in a thread of its own, too, and
 * begins it again after its end. */
void python_embedded(struct live *t)
{
	static const char code[] = "import threading\n"
				   "def leaf(): pass\n"
				   "def calls(n):\n"
				   " for i in range(n): leaf()\n"
				   "calls(100)\n"
				   "t = threading.Thread(target=calls, "
				   "args=(20,))\n"
				   "t.start()\nt.join()\n"
				   "print('ran')\n";
	size_t n = 0;

	for (char **p = live_pythons(t); *p; p++) {
		char *library = live_python_library(t, *p);
		struct live_args command = {.n = 0};
		struct live_end end;
		json_t *report;

		if (!library)
			continue;
		CHECK(t, !setenv("PYTHONHOME", live_python_home(t, *p), 1),
		      "no memory");
		live_add(t, &command,
			 live_text(t, "%s/embedded", getenv("NATIVE") ?: ""),
			 library, code, "calls(7)", code, NULL);
		live_pair(t, &command, "-f leaf -f calls", &end, &report);
		CHECK(t,
		      calls(t, report, "__main__.leaf") == 247 &&
			      calls(t, report, "__main__.calls") == 5,
		      "%s: %" N " calls", library,
		      calls(t, report, "__main__.leaf"));
		CHECK(t,
		      live_number(t, report, "code.selected.foreign_threads") ==
			      1,
		      "%s: the thread is not in doubt", library);
		n++;
	}
	if (!n)
		live_skip(t, "no Python here has a shared library");
}

/* Three threads of C code end before anything shows that they run Python, and
 * the report says so; that of Python, which begins after them, is seen. 3.8
 * does not tell. A call by Python between the begin and the end of a thread
 * would show it: also the one that looks a function of C up. */
static const char *const missed =
	"import ctypes, sys, threading\n"
	"c = ctypes.CDLL(None)\n"
	"create, join = c.pthread_create, c.pthread_join\n"
	"def leaf(): pass\n"
	"@ctypes.CFUNCTYPE(ctypes.c_void_p, ctypes.c_void_p)\n"
	"def work(_):\n"
	"    for i in range(10): leaf()\n"
	"t = ctypes.c_ulong()\n"
	"for i in range(3):\n"
	"    create(ctypes.byref(t), None, work, None)\n"
	"    join(t, None)\n"
	"t = threading.Thread(target=leaf)\n"
	"t.start()\n"
	"t.join()\n"
	"leaf()\n"
	"print('missed', 3 * (sys.version_info >= (3, 9)))\n";

void python_missed(struct live *t)
{
	for (char **p = live_pythons(t); *p; p++) {
		struct live_args command = {.n = 0};
		struct live_end end;
		json_t *report;

		live_add(t, &command, *p, "-c", missed, NULL);
		live_pair(t, &command, "-f leaf", &end, &report);
		CHECK(t, calls(t, report, "__main__.leaf") == 2,
		      "%s: %" N " calls", *p,
		      calls(t, report, "__main__.leaf"));
		CHECK(t,
		      live_number(t, report, "code.selected.foreign_threads") ==
			      told(end.out),
		      "%s: %" N " threads in doubt", *p,
		      live_number(t, report, "code.selected.foreign_threads"));
	}
}

static void attach(struct live *t, const struct live_args *command)
{
	struct live_talk python, gnomon;
	struct live_args a = {.n = 0};

	live_talk(t, command, &python);
	free(live_await(t, python.out, "runs"));
	live_add(t, &a, t->gnomon, "run", "--duration", "1s", "-f", "*", "-o",
		 live_path(t, "report"), "-p",
		 live_text(t, "%d", (int)python.pid), NULL);
	live_talk(t, &a, &gnomon);
	free(live_await(t, gnomon.err,
			live_text(t, "gnomon: process %d (CPython) was ",
				  (int)python.pid)));
	live_wait(t, &gnomon);
	live_finish(t, &python);
}

/* Nothing attaches to a running interpreter, nor to one that is a library,
 * which gnomon says. */
void python_attach(struct live *t)
{
	static const char code[] =
		"import sys; print('runs', flush=True); sys.stdin.read()";
	char *python = live_pythons(t)[0];
	char *library = live_python_library(t, python);
	struct live_args command = {.n = 0}, embedded = {.n = 0};

	live_add(t, &command, python, "-c", code, NULL);
	attach(t, &command);
	if (!library)
		return;
	live_add(t, &embedded,
		 live_text(t, "%s/embedded", getenv("NATIVE") ?: ""), library,
		 code, NULL);
	attach(t, &embedded);
}

/* A program that gets privileges takes no library: gnomon says so, and the
 * program runs all the same. */
void python_unfit(struct live *t)
{
	char *copy = live_path(t, "python3");
	struct live_args a = {.n = 0};
	struct live_end end;

	live_copy(t, live_pythons(t)[0], copy);
	CHECK(t, !chown(copy, 65534, 65534) && !chmod(copy, 04755),
	      "no privileges");
	live_add(t, &a, t->gnomon, "run", "-o", live_path(t, "report"), "--",
		 copy, "-c", "print('runs')", NULL);
	live_run(t, &a, NULL, &end);
	CHECK(t, !end.code && strstr(end.out, "runs"), "ended with %d: %s",
	      end.code, end.err);
	CHECK(t,
	      strstr(end.err, "functions of CPython are not traced: the "
			      "program gets privileges"),
	      "nothing is said: %s", end.err);
}
