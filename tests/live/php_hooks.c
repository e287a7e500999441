/* SPDX-License-Identifier: BSD-2-Clause */
/* The hooks of gnomon's library in PHP, beside the engine's own probes. */
#include "php.h"

#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <linux/capability.h>

/* The same answer, if each hook is a trap. */
void php_uprobe(struct live *t)
{
	struct live_args command = {.n = 0};
	json_t *report;

	php_need(t);
	php_demo(t, &command, "", "generators");
	php_pair_with(t, "--hooks uprobe", &command, 0, &report);
}

/* A build without USDT probes, as most are that Debian did not make. */
void php_no_probes(struct live *t)
{
	char *php = live_path(t, "php"), *demo;
	struct live_args strip = {.n = 0}, command = {.n = 0}, list = {.n = 0};
	struct live_end end;
	json_t *report;

	php_need(t);
	live_add(t, &strip, "/usr/bin/env", "objcopy", "--remove-section",
		 ".note.stapsdt", getenv("PHP"), php, NULL);
	live_run(t, &strip, NULL, &end);
	CHECK(t, end.code == 0, "objcopy: %s", end.err);
	demo = live_text(t, "%s/demo.php", t->fixtures);
	live_add(t, &command, php, demo, "methods", NULL);
	php_pair(t, &command, 0, &report);
	live_traced(t, &command, "--no-follow -f Derived::*", &end, &report);
	CHECK(t,
	      live_function(t, report, NULL, "Derived::__call", "calls",
			    NULL) == 7,
	      "its calls are not seen");
	live_add(t, &list, t->gnomon, "list", "-f", "no_such", "--", php, NULL);
	live_run(t, &list, NULL, &end);
	CHECK(t,
	      strstr(end.out, "it has no probes; hooks of gnomon report its "
			      "functions\n"),
	      "list does not say so: %s%s", end.out, end.err);
}

/* What is said about a PHP that a static program starts, so that it has no
 * hooks, and that ends as it does without gnomon. NULL: nothing. */
static const char *told(struct live *t, const char *php)
{
	struct live_args command = {.n = 0};
	struct live_end end;
	json_t *report;

	live_add(t, &command,
		 live_text(t, "%s/starts_static", getenv("NATIVE") ?: ""), php,
		 live_text(t, "%s/demo.php", t->fixtures), "methods", NULL);
	live_traced(t, &command, "", &end, &report);
	CHECK(t, end.code == 0, "it ended with %d: %s", end.code, end.err);
	return json_string_value(
		json_object_get(json_object_get(report, "code"), "unhooked"));
}

/* A PHP that gnomon cannot know, as one in a container, is named. One whose
 * probes report its functions is not. */
void php_untold(struct live *t)
{
	char *copied = live_text(t, "%s/php8.2", t->dir);
	const char *line;

	php_need_probes(t);
	live_copy(t, getenv("PHP"), copied);
	CHECK(t, !chmod(copied, 0755), "no program");
	line = told(t, copied);
	CHECK(t,
	      line && strstr(line, "php8.2 (11 processes) ran without gnomon's "
				   "hook-site library, so its PHP functions "
				   "were not traced"),
	      "the report says: %s", line ?: "nothing");
	line = told(t, getenv("PHP"));
	CHECK(t, !line, "the report says: %s", line);
}

static void drop_ptrace(void)
{
	prctl(PR_CAPBSET_DROP, CAP_SYS_PTRACE);
}

/* The hooks need no right to write to its memory, and no variable. */
void php_no_rights(struct live *t)
{
	char *path = live_path(t, "report.json");
	struct live_start how = {.prepare = drop_ptrace};
	struct live_args a = {.n = 0};
	struct live_end end;

	php_need(t);
	live_add(t, &a, t->gnomon, "run", "-q", "--format", "json", "-o", path,
		 "--", NULL);
	php_demo(t, &a, "", "seen");
	live_run(t, &a, &how, &end);
	CHECK(t, end.code == 0 && !*end.err, "it ended with %d: %s", end.code,
	      end.err);
	CHECK(t, strstr(end.out, ",false,"), "it is set: %s", end.out);
	CHECK(t,
	      live_function(t, live_load(t, path), NULL, "seen", "calls",
			    NULL) == 1,
	      "its function is not seen");
}

/* PHP goes on when gnomon was killed, also if another gnomon has probes in the
 * library. Whether the hook is gone cannot be seen from PHP. */
static void outlives(struct live *t, const char *options)
{
	static const char code[] =
		"function fib($n) { return $n < 2 ? $n : fib($n - 1) + "
		"fib($n - 2); } echo 'first ', fib(10), PHP_EOL; "
		"fgets(STDIN); echo 'fib ', fib(20), PHP_EOL;";
	struct live_args command = {.n = 0};
	struct live_talk talk, other;
	char *line;

	live_beside(t, "", &other);
	live_add(t, &command, getenv("PHP"), "-r", code, NULL);
	free(live_orphan(t, &command, options, "first 55", &talk));
	line = live_await(t, talk.out, "fib ");
	live_same(t, "the result", line, "fib 6765");
	free(line);
	CHECK(t, !live_await_or_end(t, talk.out, ""), "more output");
	live_finish(t, &other);
}

void php_killed(struct live *t)
{
	php_need(t);
	outlives(t, "");
	outlives(t, "--hooks uprobe");
}
