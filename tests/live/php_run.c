/* SPDX-License-Identifier: BSD-2-Clause */
/* PHP programs with and without gnomon. */
#include "php.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

void php_need(struct live *t)
{
	const char *php = getenv("PHP");

	if (!php || !*php)
		live_skip(t, "no PHP; run tools/setup test, configure again");
}

void php_need_probes(struct live *t)
{
	static const char name[] = "request__startup";
	size_t size;
	char *file;

	php_need(t);
	file = live_read(t, getenv("PHP"), &size);
	if (!memmem(file, size, name, sizeof(name)))
		live_skip(t, "%s has no USDT probes", getenv("PHP"));
}

void php_demo(struct live *t, struct live_args *a, const char *options,
	      const char *topic)
{
	live_add(t, a, getenv("PHP"), NULL);
	live_split(t, a, options);
	live_add(t, a, live_text(t, "%s/demo.php", t->fixtures), topic, NULL);
}

void php_pair_with(struct live *t, const char *options,
		   const struct live_args *command, unsigned int flags,
		   json_t **report)
{
	struct live_truths *truths = calloc(1, sizeof(*truths));
	struct live_end plain, traced;

	CHECK(t, truths, "no memory");
	live_run(t, command, NULL, &plain);
	live_traced(t, command, options, &traced, report);
	CHECK(t, traced.code == plain.code,
	      "ended with %d under gnomon, with %d without: %s", traced.code,
	      plain.code, traced.err);
	live_same(t, "the program's output", traced.out, plain.out);
	live_same(t, "the program's errors", traced.err, plain.err);
	live_clean(t, *report);
	live_truths(t, traced.out, truths);
	CHECK(t, truths->n || flags & LIVE_SOME, "the program said nothing");
	live_compare(t, truths, *report, flags);
	free(truths);
}

void php_pair(struct live *t, const struct live_args *command,
	      unsigned int flags, json_t **report)
{
	php_pair_with(t, "", command, flags, report);
}

void live_run_row(struct live *t, const struct live_row *row)
{
	struct live_args command = {.n = 0};
	json_t *report;

	php_need(t);
	php_demo(t, &command, row->options, row->command);
	php_pair(t, &command, row->flags, &report);
}

/* Each single call. */
void php_calls(struct live *t)
{
	struct live_args command = {.n = 0};
	struct live_end end;
	json_t *calls;

	php_need(t);
	php_demo(t, &command, "", "exceptions");
	calls = live_calls(t, "", &command, &end);
	live_calls_compare(t, calls, end.out);
}

/* Another program starts it, with an empty environment. */
void php_child(struct live *t)
{
	struct live_args command = {.n = 0};
	json_t *report;

	php_need(t);
	live_add(t, &command, "/bin/sh", "-c", "env -i \"$@\"; exit $?", "sh",
		 NULL);
	php_demo(t, &command, "", "methods");
	php_pair(t, &command, 0, &report);
}

/* A file that names its interpreter, as the tools of PHP are. */
void php_script(struct live *t)
{
	struct live_args command = {.n = 0};
	char *path = live_path(t, "tool");
	json_t *report;
	FILE *f;

	php_need(t);
	f = fopen(path, "w");
	CHECK(t, f, "no script");
	fprintf(f,
		"#!/usr/bin/env php\n<?php\nfunction once() {}\nonce();\n"
		"echo \"calls once 1\\ncalls {main} %s 1\\n\";\n",
		strrchr(path, '/') + 1);
	CHECK(t, !fclose(f) && !chmod(path, 0755), "no script");
	live_add(t, &command, path, NULL);
	php_pair(t, &command, 0, &report);
}

/* Its only thread is the first one. */
void php_first_thread(struct live *t)
{
	struct live_args command = {.n = 0};
	struct live_end end;
	json_t *report;

	php_need(t);
	php_demo(t, &command, "", "recursion");
	live_traced(t, &command, "--no-follow", &end, &report);
	CHECK(t, end.code == 0 && !*end.err, "it ended with %d: %s", end.code,
	      end.err);
	CHECK(t, live_function(t, report, NULL, "main", "calls", NULL) == 1,
	      "its function is not seen");
}

/* A recursion that needs more stack in C than is usual: also another user's PHP
 * gets it. */
void php_other_user(struct live *t)
{
	static const char code[] =
		"function down($n) { return $n ? 1 + down($n - 1) : 0; }"
		"echo down(60000), PHP_EOL;";
	struct live_args command = {.n = 0};
	struct live_end end;
	json_t *report;

	php_need(t);
	live_add(t, &command, getenv("PHP"), "-r", code, NULL);
	live_traced(t, &command, "--user nobody", &end, &report);
	CHECK(t, end.code == 0 && !strcmp(end.out, "60000\n"),
	      "it ended with %d: %s%s", end.code, end.out, end.err);
	CHECK(t, live_function(t, report, NULL, "down", "calls", NULL) == 60001,
	      "its calls are not seen");
}

static uint64_t calls_of(struct live *t, const json_t *report, const char *name)
{
	return live_function(t, report, NULL, name, "calls", NULL);
}

/* Native functions, too: within some of them, fibers are suspended. */
void php_with_native(struct live *t)
{
	struct live_args command = {.n = 0};
	json_t *report;

	php_need(t);
	php_demo(t, &command, "", "fibers");
	php_pair_with(t, "-f *", &command, 0, &report);
}

/* The names of classes, functions and files select. */
void php_filter(struct live *t)
{
	struct live_args command = {.n = 0};
	struct live_end end;
	json_t *report;

	php_need(t);
	php_demo(t, &command, "", "methods");
	live_traced(t, &command, "-f Derived::* -f !*::own -f Truth\\line",
		    &end, &report);
	CHECK(t, end.code == 0 && !*end.err, "it ended with %d: %s", end.code,
	      end.err);
	CHECK(t,
	      calls_of(t, report, "Derived::__call") == 7 &&
		      calls_of(t, report, "Truth\\line") > 1,
	      "not all that was asked for is there");
	CHECK(t,
	      !calls_of(t, report, "Derived::own") &&
		      !calls_of(t, report, "Base::hidden") &&
		      !calls_of(t, report, "Truth\\tally"),
	      "more than was asked for is there");
	live_traced(t, &command, "-f truth.php:*", &end, &report);
	CHECK(t,
	      calls_of(t, report, "Truth\\line") > 1 &&
		      !calls_of(t, report, "methods"),
	      "not the functions of that file are there");
}

/* A program that has PHP as a library begins it twice, as Apache does when it
 * is to read its configuration again. */
void php_embedded(struct live *t)
{
	static const char library[] = "/usr/lib/libphp.so";
	static const char code[] =
		"function leaf() {} for ($i = 0; $i < 7; $i++) leaf();"
		"echo \"result leaf 7\\n\";";
	struct live_args command = {.n = 0};
	json_t *report;

	if (access(library, R_OK))
		live_skip(t, "no libphp; run tools/setup test");
	live_add(t, &command,
		 live_text(t, "%s/embedded_php", getenv("NATIVE") ?: ""),
		 library, code, code, NULL);
	php_pair(t, &command, LIVE_SOME, &report);
	CHECK(t, calls_of(t, report, "leaf") == 14, "%d calls, not 14",
	      (int)calls_of(t, report, "leaf"));
}

/* An extension that runs the code by itself, as pcov does, is told, but not if
 * PHP ran no code. */
void php_hidden(struct live *t)
{
	static const char library[] = "/usr/lib/libphp.so";
	static const char hidden[] = "code.selected.phps_hidden";
	struct live_args command = {.n = 0}, version = {.n = 0};
	struct live_end end;
	json_t *report;

	if (access(library, R_OK))
		live_skip(t, "no libphp; run tools/setup test");
	live_add(t, &command,
		 live_text(t, "%s/embedded_php", getenv("NATIVE") ?: ""), "-x",
		 library, "function leaf() {} leaf(); echo 'ran';", NULL);
	live_traced(t, &command, "", &end, &report);
	CHECK(t, end.code == 0 && !strcmp(end.out, "ran"),
	      "it ended with %d: %s%s", end.code, end.out, end.err);
	CHECK(t, !calls_of(t, report, "leaf"), "its call is seen");
	CHECK(t, live_number(t, report, hidden) == 1, "it is not told");
	php_need(t);
	live_add(t, &version, getenv("PHP"), "-v", NULL);
	live_traced(t, &version, "", &end, &report);
	CHECK(t, end.code == 0 && !live_number(t, report, hidden),
	      "it is told of a PHP that ran no code");
}

/* A glob that matches no called function. */
void php_not_called(struct live *t)
{
	struct live_args a = {.n = 0};
	struct live_end end;

	php_need(t);
	live_add(t, &a, t->gnomon, "run", "-f", "Derived::noSuch", "--", NULL);
	php_demo(t, &a, "", "methods");
	live_run(t, &a, NULL, &end);
	CHECK(t, end.code == 0, "it ended with %d: %s", end.code, end.err);
	CHECK(t,
	      strstr(end.err, "no function matched 'Derived::noSuch'; gnomon "
			      "knows only functions that were called") &&
		      strstr(end.err, "-f '*NAME'"),
	      "it is not told, or otherwise: %s", end.err);
}

/* PHP itself turns its compiler off: the report says so, and not the program's
 * output. */
void php_jit(struct live *t)
{
	static const char options[] = "-d opcache.enable_cli=1 -d "
				      "opcache.jit_buffer_size=16M -d "
				      "opcache.jit=tracing -d "
				      "display_errors=1 -d log_errors=0";
	struct live_args command = {.n = 0};
	json_t *report;

	php_need(t);
	php_demo(t, &command, options, "generators");
	php_pair(t, &command, 0, &report);
	CHECK(t, live_number(t, report, "code.selected.jits_off") == 1,
	      "it is not told");
}

/* `list` shows the probes that `run` uses. */
void php_list(struct live *t)
{
	struct live_args a = {.n = 0};
	struct live_end end;

	php_need_probes(t);
	live_add(t, &a, t->gnomon, "list", "--", getenv("PHP"), NULL);
	live_run(t, &a, NULL, &end);
	CHECK(t,
	      end.code == 0 && strstr(end.out, "PHP engine (") &&
		      strstr(end.out, "  function__entry\n"),
	      "it ended with %d: %s%s", end.code, end.out, end.err);
}

/* Within the program's own readings of its clock. */
void php_times(struct live *t)
{
	struct live_truths *truths = calloc(1, sizeof(*truths));
	struct live_args command = {.n = 0};
	struct live_end end;
	json_t *report;

	php_need(t);
	CHECK(t, truths, "no memory");
	php_demo(t, &command, "", "times");
	live_traced(t, &command, "", &end, &report);
	CHECK(t, end.code == 0 && !*end.err, "it ended with %d: %s", end.code,
	      end.err);
	live_clean(t, report);
	live_truths(t, end.out, truths);
	CHECK(t, live_truth(truths, "inner", "nap"), "it measured nothing");
	live_compare(t, truths, report, 0);
	free(truths);
}
