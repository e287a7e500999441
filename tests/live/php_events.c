/* SPDX-License-Identifier: BSD-2-Clause */
/* PHP programs that run already, and files that are compiled. */
#include "php.h"

#include <stdlib.h>
#include <string.h>

/* A class of time of the only thread. */
static uint64_t class_ns(struct live *t, const json_t *report,
			 const char *class)
{
	const json_t *threads = json_object_get(report, "threads");
	const json_t *classes =
		json_object_get(json_array_get(threads, 0), "classes");

	return live_number(t, classes, class);
}

/* The time to compile files is a class of its own. It ends even if a fatal
 * error leaves the compiler by a jump: what follows does not have it. */
void php_compiled(struct live *t)
{
	struct live_truths *truths = calloc(1, sizeof(*truths));
	struct live_args command = {.n = 0};
	struct live_end end;
	json_t *report;
	uint64_t ns;

	php_need(t);
	CHECK(t, truths, "no memory");
	php_demo(t, &command, "", "broken");
	php_trace(t, &command, "", &end, &report);
	CHECK(t, end.code == 255, "it ended with %d: %s", end.code, end.err);
	live_truths(t, end.out, truths);
	ns = class_ns(t, report, "jit");
	CHECK(t, ns, "nothing was compiled");
	CHECK(t, ns < live_truth(truths, "inner", "busy"),
	      "what follows counts as compiling, too: %d us", (int)(ns / 1000));
	free(truths);
}

/* How many rows of an array have this text. */
static size_t rows_with(const json_t *report, const char *array,
			const char *field, const char *text)
{
	const json_t *row;
	size_t i, n = 0;

	json_array_foreach(json_object_get(report, array), i, row)
	{
		const char *has =
			json_string_value(json_object_get(row, field));

		n += has && !strcmp(has, text);
	}
	return n;
}

/* Each compiled file has its name, although the engine frees that name soon. */
void php_files(struct live *t)
{
	struct live_args command = {.n = 0};
	struct live_end end;
	json_t *report;

	php_need(t);
	php_demo(t, &command, "", "files");
	php_trace(t, &command, "--by jit", &end, &report);
	CHECK(t, end.code == 0 && !*end.err, "it ended with %d: %s", end.code,
	      end.err);
	live_clean(t, report);
	CHECK(t,
	      rows_with(report, "jit", "name", "demo.php") == 1 &&
		      rows_with(report, "jit", "name", "truth.php") == 1 &&
		      rows_with(report, "jit", "name", "part.php") == 4,
	      "the files are not those that it includes");
}

/* Functions have the lines that PHP itself says that they have. */
void php_lines(struct live *t)
{
	struct live_truths *truths = calloc(1, sizeof(*truths));
	struct live_args command = {.n = 0};
	struct live_end end;
	json_t *report;
	size_t n = 0;

	php_need(t);
	CHECK(t, truths, "no memory");
	php_demo(t, &command, "", "recursion");
	php_trace(t, &command, "", &end, &report);
	live_truths(t, end.out, truths);
	for (size_t i = 0; i < truths->n; i++) {
		const struct live_truth *line = &truths->line[i];

		if (strcmp(line->word, "written"))
			continue;
		n++;
		CHECK(t,
		      live_function(t, report, "/demo.php", line->name, "line",
				    NULL) == line->value,
		      "%s is not in line %d", line->name, (int)line->value);
	}
	CHECK(t, n == 3, "it tells %zu lines", n);
	free(truths);
}

/* Exceptions have their class, and the function that threw them. */
void php_thrown(struct live *t)
{
	struct live_args command = {.n = 0};
	const json_t *row;
	struct live_end end;
	json_t *report;

	php_need(t);
	php_demo(t, &command, "", "exceptions");
	php_trace(t, &command, "--by exceptions", &end, &report);
	CHECK(t, end.code == 0 && !*end.err, "it ended with %d: %s", end.code,
	      end.err);
	row = json_array_get(json_object_get(report, "exceptions"), 0);
	CHECK(t,
	      rows_with(report, "exceptions", "name", "RuntimeException") ==
			      1 &&
		      rows_with(report, "exceptions", "thrown_in", "last") == 1,
	      "it throws others");
	/* outer() catches 34 of them, and the callback throws one */
	CHECK(t, live_number(t, row, "count") == 35, "%d were thrown, not 35",
	      (int)live_number(t, row, "count"));
}

struct attached {
	struct live_talk served, gnomon;
	char *path, *said;
};

/* Attaches to the program, which has called its functions before. */
static void attach(struct live *t, const char *variable, struct attached *at)
{
	struct live_args php = {.n = 0}, a = {.n = 0};
	char *line;

	php_need(t);
	live_add(t, &php, "/usr/bin/env", variable, NULL);
	php_demo(t, &php, "", "served");
	live_talk(t, &php, &at->served);
	free(live_await(t, at->served.out, "ready"));
	live_ask(t, &at->served, "before");
	at->path = live_path(t, "report.json");
	live_add(t, &a, t->gnomon, "run", "--format", "json", "-o", at->path,
		 "-p", live_text(t, "%d", (int)at->served.pid), NULL);
	live_talk(t, &a, &at->gnomon);
	at->said = live_text(t, "%s", "");
	do {
		line = live_await(t, at->gnomon.err, "gnomon: ");
		at->said = live_text(t, "%s%s\n", at->said, line);
	} while (strncmp(line, "gnomon: attached", 16) != 0);
}

/* The calls that gnomon saw of those that the program then makes. */
static uint64_t detach(struct live *t, struct attached *at)
{
	live_ask(t, &at->served, "again");
	live_ask(t, &at->served, "again");
	CHECK(t, live_finish(t, &at->served) == 0, "the program failed");
	CHECK(t, live_wait(t, &at->gnomon) == 0, "gnomon failed");
	return live_function(t, live_load(t, at->path), NULL, "one", "calls",
			     NULL);
}

void php_attach(struct live *t)
{
	struct attached at;
	uint64_t calls;

	attach(t, "USE_ZEND_DTRACE=1", &at);
	CHECK(t, !strstr(at.said, "runs PHP"), "gnomon warns: %s", at.said);
	calls = detach(t, &at);
	CHECK(t, calls == 20, "%d calls seen, 20 were made", (int)calls);
}

/* Without that, gnomon says what is missing. */
void php_attach_plain(struct live *t)
{
	struct attached at;
	uint64_t calls;

	attach(t, "USE_ZEND_DTRACE=0", &at);
	CHECK(t,
	      strstr(at.said, "its functions are not seen, because it was "
			      "started without USE_ZEND_DTRACE=1"),
	      "it is not told: %s", at.said);
	calls = detach(t, &at);
	CHECK(t, !calls, "%d calls seen", (int)calls);
}
