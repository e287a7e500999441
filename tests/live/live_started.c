/* SPDX-License-Identifier: BSD-2-Clause */
/* Interpreters that other programs start, with and without gnomon. */
#include "live.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define N PRIu64

static void set(struct live *t, const char *name, const char *value)
{
	CHECK(t, !setenv(name, value, 1), "no memory");
}

/* The shell with this command, in the folder of the fixtures. */
static void shell(struct live *t, struct live_args *a, const char *text)
{
	const char *python = getenv("PYTHON"), *ruby = getenv("RUBY");

	if (!python || !*python || !ruby || !*ruby)
		live_skip(t, "no Python or no Ruby; run tools/setup test");
	CHECK(t, !chdir(t->fixtures), "%s: %s", t->fixtures, strerror(errno));
	set(t, "PY_OF", live_text(t, "%s python/demo.py", python));
	set(t, "PY", live_text(t, "%s python/demo.py recursion", python));
	set(t, "RB", live_text(t, "%s ruby/demo.rb recursion", ruby));
	set(t, "DIR", t->dir);
	live_add(t, a, "/bin/sh", "-c", text, t->fixtures, NULL);
}

void live_run_row(struct live *t, const struct live_row *row)
{
	struct live_args command = {.n = 0};

	shell(t, &command, row->command);
	live_pair_compare(t, &command, row->options, row->flags);
}

static uint64_t calls(struct live *t, const json_t *report, const char *name)
{
	return live_function(t, report, NULL, name, "calls", NULL);
}

static const char *unhooked(const json_t *report)
{
	return json_string_value(
		json_object_get(json_object_get(report, "code"), "unhooked"));
}

/* Only functions that -f names are recorded. */
void started_filter(struct live *t)
{
	static const char *const filters[] = {"-f count_down",
					      "-f __main__.count_*", NULL};
	struct live_args command = {.n = 0};

	shell(t, &command, "$PY; true");
	live_filters(t, &command, filters, "__main__.count_down",
		     "__main__.plain");
}

/* The report says why hooks are slow in each of these. */
void started_limited(struct live *t)
{
	static const char *const interpreters[] = {"$PY", "$RB"};

	for (int i = 0; i < 2; i++) {
		struct live_args command = {.n = 0}, a = {.n = 0};
		char *path = live_path(t, "report");
		struct live_end end;
		size_t size;

		shell(t, &command,
		      live_text(t, "ulimit -f 100000; exec %s",
				interpreters[i]));
		live_add(t, &a, t->gnomon, "run", "-o", path, "--", NULL);
		for (size_t k = 0; k < command.n; k++)
			live_add(t, &a, command.word[k], NULL);
		live_run(t, &a, NULL, &end);
		CHECK(t, end.code == 0, "it ended with %d: %s", end.code,
		      end.err);
		CHECK(t,
		      strstr(live_read(t, path, &size),
			     "\n# not fast    the program has a limit on file "
			     "sizes or memory; hooks are probes\n"),
		      "nothing is said of %s", interpreters[i]);
	}
}

/* Each program sees its own environment. */
void started_environment(struct live *t)
{
	static const char *const show =
		"clean() { grep -zav ^_= | tr -s '\\0' '\\n' | grep .; }\n"
		"for p in '' libm.so.6 'libm.so.6 libdl.so.2'; do\n"
		"[ -z \"$p\" ] || export LD_PRELOAD=\"$p\"\n"
		"printenv -0 | clean; sh -c 'env -0' | clean\n"
		"$PYTHON -c 'import os, subprocess\n"
		"print(*(k + \"=\" + v for k, v in os.environ.items()), "
		"sep=\"\\0\", end=\"\\0\", flush=True)\n"
		"subprocess.run([\"printenv\", \"-0\"], env={\"A\": \"b\"})' | "
		"clean\n"
		"$RUBY -e 'ENV.each { |k, v| print k, \"=\", v, 0.chr }' | "
		"clean\n"
		"clean </proc/self/environ\ndone\nenv -i env\n";
	struct live_args command = {.n = 0};
	struct live_end end;
	json_t *report;

	shell(t, &command, show);
	live_pair(t, &command, "", &end, &report);
	CHECK(t, strstr(end.out, "LD_PRELOAD=libm.so.6 libdl.so.2\n"),
	      "there is no environment: %s", end.out);
	CHECK(t, live_number(t, report, "code.selected.interpreters") == 6,
	      "%" N " interpreters",
	      live_number(t, report, "code.selected.interpreters"));
}

/* Programs that load no such library run as they do without gnomon: none that
 * the dynamic linker would complain about gets it. */
void started_others(struct live *t)
{
	struct live_args command = {.n = 0};
	struct live_end end;
	json_t *report;

	shell(t, &command,
	      "$NATIVE/starts_static /bin/echo a b; "
	      "[ ! -e $MUSL/starts ] || $MUSL/starts /bin/echo a b; "
	      "$NATIVE/ia32_32 2>&1; $NATIVE/ia32_64; echo echo c >$DIR/text; "
	      "chmod +x $DIR/text; $DIR/text; env $DIR/text; "
	      "$NATIVE/none; env none; $DIR; "
	      "LD_PRELOAD=none.so env true; ulimit -n 4; exec /bin/echo d");
	live_pair(t, &command, "", &end, &report);
}

static void copy(struct live *t, const char *from, const char *to)
{
	char *path = live_text(t, "%s/%s", t->dir, to);

	for (char *c = path + strlen(t->dir) + 1; *c; c++)
		if (*c == '/') {
			*c = '\0';
			CHECK(t, !mkdir(path, 0755) || errno == EEXIST,
			      "%s: %s", path, strerror(errno));
			*c = '/';
		}
	live_copy(t, from, path);
}

/* Where the library is not there, nothing misses it. */
void started_root(struct live *t)
{
	struct live_args command = {.n = 0};
	struct live_end end;
	json_t *report;

	copy(t, "/usr/bin/env", "bin/env");
	copy(t, "/lib64/ld-linux-x86-64.so.2", "lib64/ld-linux-x86-64.so.2");
	copy(t, "/lib/x86_64-linux-gnu/libc.so.6",
	     "lib/x86_64-linux-gnu/libc.so.6");
	shell(t, &command, "chroot $DIR /bin/env | grep -v ^_=");
	live_pair(t, &command, "", &end, &report);
	CHECK(t, strstr(end.out, "PY="), "env did not run: %s", end.err);
}

/* The report has one line about the interpreters that this command starts, with
 * this reason, and none of their functions. */
static void untold(struct live *t, const char *text, const char *who,
		   const char *why)
{
	struct live_args command = {.n = 0};
	struct live_end end;
	json_t *report;
	const char *line;

	shell(t, &command, text);
	live_pair(t, &command, "", &end, &report);
	line = unhooked(report);
	CHECK(t, line && strstr(line, who) && strstr(line, why),
	      "the report says: %s", line ? line : "nothing");
	CHECK(t, !calls(t, report, "__main__.plain"), "%" N " calls",
	      calls(t, report, "__main__.plain"));
}

void started_static(struct live *t)
{
	struct live_args command = {.n = 0}, a = {.n = 0};
	struct live_end end;

	untold(t, "exec $NATIVE/starts_static $PY",
	       "python3 (11 processes) ran without",
	       "what started it is static");
	/* to be read at the end, too */
	shell(t, &command, "exec $NATIVE/starts_static $PY");
	live_add(t, &a, t->gnomon, "run", "-o", live_path(t, "report"), "--",
		 NULL);
	for (size_t i = 0; i < command.n; i++)
		live_add(t, &a, command.word[i], NULL);
	live_run(t, &a, NULL, &end);
	CHECK(t, strstr(end.err, "gnomon: python3 (11 processes) ran without"),
	      "nothing is said: %s", end.err);
}

void started_musl(struct live *t)
{
	if (access(live_text(t, "%s/starts", getenv("MUSL")), X_OK))
		live_skip(t, "no musl-gcc; run tools/setup test");
	untold(t, "exec $MUSL/starts $PY", "python3 (11 processes) ran without",
	       "another C library");
}

/* As in a container: there, the library is not where it is for gnomon. */
void started_apart(struct live *t)
{
	untold(t,
	       "exec unshare -m sh -c 'mount -t tmpfs none "
	       "${GNOMON%/*}/hooksite && $PY && exec $PY'",
	       "python3 (2 processes) ran without",
	       "it sees other files than gnomon, as in a container); let "
	       "gnomon "
	       "start it in there");
}

/* The dynamic linker loads nothing into a program with privileges. The reason
 * is known however soon the program ends. */
void started_privileges(struct live *t)
{
	char *copied = live_text(t, "%s/python3", t->dir);

	live_copy(t, getenv("PYTHON"), copied);
	CHECK(t, !chown(copied, 65534, 65534) && !chmod(copied, 04755),
	      "no privileges");
	untold(t,
	       "for i in 1 2 3 4 5 6 7 8; do $DIR/python3 --version; done; "
	       "$DIR/python3 -c 'import os; print(sorted(os.environ))' | "
	       "grep -c PRELOAD; true",
	       "python3 (9 processes) ran without",
	       "the program gets privileges");
}

/* Without functions no library of an interpreter is loaded. The one that is
 * there only hides what .NET needs. */
void started_light(struct live *t)
{
	static const char *const options[] = {"--clr light",
					      "-f libc.so.6:free", NULL};

	for (const char *const *o = options; *o; o++) {
		struct live_args command = {.n = 0};
		struct live_end end;
		json_t *report;

		shell(t, &command,
		      "env | grep -e CORECLR_ -e GNOMON_CLR_ -e GNOMON_LENT_; "
		      "$PYTHON -c 'print(open(\"/proc/self/maps\").read()"
		      ".count(\"gnomon-python\"))'; $PY");
		live_traced(t, &command, *o, &end, &report);
		CHECK(t, !strncmp(end.out, "0\n", 2), "%s: %s", *o, end.out);
		CHECK(t, !unhooked(report), "%s: %s", *o, unhooked(report));
	}
}

/* What a program starts after gnomon's end has no library, even if another
 * gnomon has probes there. */
void started_killed(struct live *t)
{
	static const char *const text =
		"show() { env sh -c 'echo maps $(grep -c gnomon-preload "
		"/proc/$$/maps)'; }; show; read line; show";
	struct live_args command = {.n = 0};
	struct live_talk talk, other;
	char *line;

	shell(t, &command, text);
	live_beside(t, "", &other);
	line = live_orphan(t, &command, "", "maps ", &talk);
	CHECK(t, strcmp(line, "maps 0"), "there was no library: %s", line);
	free(line);
	line = live_await(t, talk.out, "maps ");
	live_same(t, "what is left", line, "maps 0");
	free(line);
	CHECK(t, !live_await_or_end(t, talk.out, ""), "more output");
	live_finish(t, &other);
}
