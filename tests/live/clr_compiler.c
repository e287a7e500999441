/* SPDX-License-Identifier: BSD-2-Clause */
/* The C# compiler of the SDK: a real program that was not written for the
 * tests. */
#include "clr.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define N PRIu64

static const char program[] =
	"using System;\n"
	"using System.Linq;\n"
	"static class Program {\n"
	"	static int Main(string[] args) {\n"
	"		var all = from a in args where a != \"\" select a;\n"
	"		foreach (var a in all)\n"
	"			Console.WriteLine($\"{a} {a.Length}\");\n"
	"		return 0;\n"
	"	}\n"
	"}\n";

static const char broken[] = "static class Program {\n"
			     "	static int Main() { return \"text\"; }\n"
			     "	static void Unknown(Nothing n) { }\n"
			     "}\n";

/* A file of options with those of the fixture's references that `program`
 * needs. */
static char *few_references(struct live *t)
{
	static const char *const names[] = {
		"/System.Runtime.dll\"",
		"/System.Console.dll\"",
		"/System.Linq.dll\"",
		"/System.Collections.dll\"",
	};
	char *all = live_read(t, live_fixture(t, "demo.dll.rsp"), NULL);
	char *path = live_path(t, "few.rsp"), *line;
	FILE *f = fopen(path, "we");
	size_t i;

	CHECK(t, f, "cannot write");
	while ((line = strsep(&all, "\n")))
		for (i = 0; i < sizeof(names) / sizeof(names[0]); i++)
			if (strstr(line, names[i]))
				fprintf(f, "%s\n", line);
	CHECK(t, fclose(f) == 0, "cannot write");
	return path;
}

/* The command that compiles `source` into the folder. The output has the same
 * name in every folder, because the name is in the file itself. */
static void compile(struct live *t, const char *source, const char *references,
		    const char *folder, struct live_args *a)
{
	char *dir = live_text(t, "%s/%s", t->dir, folder);
	char *path = live_text(t, "%s/program.cs", t->dir);
	FILE *f = fopen(path, "we");

	CHECK(t, f && fputs(source, f) >= 0 && fclose(f) == 0, "cannot write");
	CHECK(t, mkdir(dir, 0755) == 0, "mkdir");
	*a = (struct live_args){.n = 0};
	live_add(t, a, getenv("DOTNET"), "exec", clr_compiler(t), "-nologo",
		 "-noconfig", "-deterministic+", "-warnaserror+",
		 live_text(t, "@%s", references),
		 live_text(t, "-out:%s/program.dll", dir), path, NULL);
}

void clr_compile(struct live *t, struct live_args *a)
{
	compile(t, program, few_references(t), "compiled", a);
	live_add(t, a, "-parallel-", NULL);
}

static void expect_same_file(struct live *t, const char *a, const char *b)
{
	size_t n, m;
	char *one = live_read(t, live_text(t, "%s/%s", t->dir, a), &n);
	char *two = live_read(t, live_text(t, "%s/%s", t->dir, b), &m);

	CHECK(t, n && n == m && memcmp(one, two, n) == 0,
	      "what is compiled under gnomon is not what is compiled without");
}

/*
 * All records of the compiler fit. A gnomon with sanitizers reads them several
 * times slower than they come, and its speed is not the subject here.
 */
#define RING "--ring-size 512M"

/* Runs it without gnomon and with it; compares the output and the status. */
static void compile_both(struct live *t, const char *options,
			 const char *source, const char *references, int code,
			 json_t **report)
{
	struct live_end plain, traced;
	struct live_args command;

	compile(t, source, references, "plain", &command);
	live_run(t, &command, NULL, &plain);
	CHECK(t, plain.code == code, "the compiler ended with %d: %s%s",
	      plain.code, plain.out, plain.err);
	compile(t, source, references, "traced", &command);
	clr_trace(t, options, NULL, &command, &traced, report);
	CHECK(t, traced.code == code, "ended with %d under gnomon: %s",
	      traced.code, traced.err);
	live_same(t, "the compiler's output", traced.out, plain.out);
	live_same(t, "the compiler's errors", clr_own_err(t, traced.err),
		  plain.err);
	CHECK(t, *report, "there is no report: %s", traced.err);
	clr_closed(t, *report);
	CHECK(t, clr_functions(*report) > 3000,
	      "%zu managed functions are not a compiler's",
	      clr_functions(*report));
}

/* Nothing is lost in normal use: with the gnomon of the build without
 * sanitizers, and the default ring. */
void test_compiler(struct live *t)
{
	json_t *report;

	clr_need(t);
	compile_both(t, "", program, live_fixture(t, "demo.dll.rsp"), 0,
		     &report);
	expect_same_file(t, "plain/program.dll", "traced/program.dll");
	CHECK(t,
	      live_function(t, report, "csc.dll",
			    "Microsoft.CodeAnalysis.CSharp.CommandLine.Program."
			    "Main(string[])",
			    "calls", NULL) == 1,
	      "the compiler's Main was not called once");
}

void test_compiler_error(struct live *t)
{
	json_t *report;

	clr_need(t);
	compile_both(t, RING, broken, few_references(t), 1, &report);
}

static char *replay(struct live *t, const char *trace, const char *options,
		    struct live_end *end)
{
	struct live_args a = {.n = 0};

	live_add(t, &a, t->gnomon, "report", "-i", trace, NULL);
	live_split(t, &a, options);
	live_run(t, &a, NULL, end);
	CHECK(t, end->code == 0, "gnomon report ended with %d: %s", end->code,
	      end->err);
	return end->out;
}

/* As above, into a file, which costs the writer more than the sums do. Each
 * reading of the file gives the same values, and all of them are sound. */
void test_compiler_record(struct live *t)
{
	char *trace = live_path(t, "trace"), *path = live_path(t, "json");
	struct live_args a = {.n = 0}, command;
	char *first, *second;
	struct live_end end;
	size_t i;

	clr_need(t);
	compile(t, program, live_fixture(t, "demo.dll.rsp"), "recorded",
		&command);
	live_add(t, &a, t->gnomon, "record", "-o", trace, "--", NULL);
	for (i = 0; i < command.n; i++)
		live_add(t, &a, command.word[i], NULL);
	live_run(t, &a, NULL, &end);
	CHECK(t, end.code == 0, "gnomon record ended with %d: %s", end.code,
	      end.err);
	first = replay(t, trace, "--format csv", &end);
	second = replay(t, trace, "--format csv", &end);
	CHECK(t, strlen(first) > 100000, "the report has no functions");
	live_same(t, "the values of functions, read again", second, first);
	replay(t, trace, live_text(t, "--format json -o %s", path), &end);
	clr_closed(t, live_load(t, path));
}
