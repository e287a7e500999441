/* SPDX-License-Identifier: BSD-2-Clause */
/* .NET programs with and without gnomon. */
#include "clr.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#define N PRIu64

#define ENV_MAX 16

void clr_need(struct live *t)
{
	const char *dotnet = getenv("DOTNET");

	if (!dotnet || !*dotnet)
		live_skip(t, "no .NET SDK; install one and configure again");
	if (access(dotnet, X_OK))
		live_skip(t, "no %s; the test `get` says why", dotnet);
	CHECK(t, access(live_fixture(t, "demo.dll"), R_OK) == 0, "%s: %s",
	      live_fixture(t, "demo.dll"), strerror(errno));
}

void clr_demo(struct live *t, struct live_args *a, const char *topic)
{
	live_add(t, a, getenv("DOTNET"), live_fixture(t, "demo.dll"), NULL);
	live_split(t, a, topic);
}

/* "10.0.401 [/usr/share/dotnet/sdk]": the last line is the newest. */
char *clr_sdk(struct live *t)
{
	char *version = NULL, *line, *end, *rest;
	struct live_args a = {.n = 0};
	struct live_end sdks;

	live_add(t, &a, getenv("DOTNET"), "--list-sdks", NULL);
	live_run(t, &a, NULL, &sdks);
	rest = sdks.out;
	while ((line = strsep(&rest, "\n")))
		if (*line)
			version = line;
	rest = version ? strstr(version, " [") : NULL;
	end = rest ? strchr(rest, ']') : NULL;
	CHECK(t, end, "dotnet lists no SDK: %s", sdks.err);
	*rest = *end = '\0';
	return live_text(t, "%s/%s", rest + 2, version);
}

char *clr_compiler(struct live *t)
{
	char *path = live_text(t, "%s/Roslyn/bincore/csc.dll", clr_sdk(t));

	CHECK(t, access(path, R_OK) == 0, "%s: %s", path, strerror(errno));
	return path;
}

char *clr_copy_demo(struct live *t)
{
	char *to = live_text(t, "%s/demo.dll", t->dir);

	CHECK(t, chmod(t->dir, 0755) == 0, "chmod: %s", strerror(errno));
	live_copy(t, live_fixture(t, "demo.dll"), to);
	live_copy(t, live_fixture(t, "demo.runtimeconfig.json"),
		  live_text(t, "%s/demo.runtimeconfig.json", t->dir));
	return to;
}

/* An aborting program must not leave a core file. */
static void no_core(void)
{
	static const struct rlimit none = {0, 0};

	setrlimit(RLIMIT_CORE, &none);
}

/* Moves the NAME=VALUE words out of the options. */
static void split_options(struct live *t, const char *options,
			  char *const *more, struct live_args *words,
			  char **env)
{
	struct live_args all = {.n = 0};
	size_t n = 0, i;

	live_split(t, &all, options);
	for (i = 0; i < all.n; i++) {
		if (all.word[i][0] != '-' && strchr(all.word[i], '=') &&
		    n + 1 < ENV_MAX)
			env[n++] = all.word[i];
		else
			live_add(t, words, all.word[i], NULL);
	}
	for (; more && *more && n + 1 < ENV_MAX; more++)
		env[n++] = *more;
	env[n] = NULL;
}

void clr_trace(struct live *t, const char *options, char *const *more,
	       const struct live_args *command, struct live_end *end,
	       json_t **report)
{
	char *env[ENV_MAX], *path = live_path(t, "report.json");
	struct live_start how = {.env = env, .prepare = no_core};
	struct live_args a = {.n = 0};
	size_t i;

	/* the fixture's own clock readings include the cost of the probes */
	live_add(t, &a, t->gnomon, "run", "--raw", "--format", "json", "-o",
		 path, NULL);
	split_options(t, options, more, &a, env);
	live_add(t, &a, "--", NULL);
	for (i = 0; i < command->n; i++)
		live_add(t, &a, command->word[i], NULL);
	live_run(t, &a, &how, end);
	*report = access(path, F_OK) ? NULL : live_load(t, path);
}

void clr_closed(struct live *t, const json_t *report)
{
	static const char *const zero[] = {
		"checks.unmatched_leaves", "checks.unmatched_unwinds",
		/* threads that end with the process leave frames open */
	};
	size_t i;

	live_clean(t, report);
	for (i = 0; i < sizeof(zero) / sizeof(zero[0]); i++)
		CHECK(t, live_number(t, report, zero[i]) == 0, "%s is %" N,
		      zero[i], live_number(t, report, zero[i]));
}

char *clr_own_err(struct live *t, const char *err)
{
	char *rest = live_text(t, "%s", err), *line;
	char *own = live_text(t, "%s", "");

	while ((line = strsep(&rest, "\n")))
		if (strncmp(line, "gnomon: ", 8))
			own = live_text(t, "%s%s%s", own, line,
					rest ? "\n" : "");
	return own;
}

size_t clr_functions(const json_t *report)
{
	const char *runtime;
	const json_t *f;
	size_t i, n = 0;

	json_array_foreach(json_object_get(report, "functions"), i, f)
	{
		runtime = json_string_value(json_object_get(f, "runtime"));
		n += runtime && strcmp(runtime, "clr") == 0;
	}
	return n;
}

void clr_pair(struct live *t, const char *options,
	      const struct live_args *command, struct clr_pair *pair)
{
	struct live_args ignored = {.n = 0};
	char *env[ENV_MAX];
	struct live_start how = {.env = env, .prepare = no_core};

	split_options(t, options, NULL, &ignored, env);
	live_run(t, command, &how, &pair->plain);
	clr_trace(t, options, NULL, command, &pair->traced, &pair->report);
	CHECK(t, pair->traced.code == pair->plain.code,
	      "ended with %d under gnomon, with %d without: %s",
	      pair->traced.code, pair->plain.code, pair->traced.err);
	live_same(t, "the program's output", live_counts(t, pair->traced.out),
		  live_counts(t, pair->plain.out));
	live_same(t, "the program's errors", clr_own_err(t, pair->traced.err),
		  pair->plain.err);
	CHECK(t, pair->report, "there is no report: %s", pair->traced.err);
	clr_closed(t, pair->report);
}

/* Calls that the program does not report as unwound have returned. */
static void check_returned(struct live *t, const struct live_truths *truths,
			   const json_t *report)
{
	uint64_t unwound;
	size_t i;

	for (i = 0; i < truths->n; i++) {
		const struct live_truth *truth = &truths->line[i];

		if (strcmp(truth->word, "calls"))
			continue;
		unwound = live_function(t, report, NULL, truth->name, "unwound",
					NULL);
		CHECK(t, unwound == live_truth(truths, "unwound", truth->name),
		      "%s: %" N " calls unwound, %" N " were", truth->name,
		      unwound, live_truth(truths, "unwound", truth->name));
	}
}

void clr_compare(struct live *t, const struct clr_pair *pair,
		 unsigned int flags)
{
	struct live_truths *truths = calloc(1, sizeof(*truths));

	CHECK(t, truths, "no memory");
	live_truths(t, pair->traced.out, truths);
	CHECK(t, truths->n, "the program said nothing");
	live_compare(t, truths, pair->report, flags);
	if (!(flags & LIVE_UNWOUND))
		check_returned(t, truths, pair->report);
	free(truths);
}

void live_run_row(struct live *t, const struct live_row *row)
{
	struct live_args command = {.n = 0};
	struct clr_pair pair;

	clr_need(t);
	clr_demo(t, &command, row->command);
	clr_pair(t, row->options, &command, &pair);
	clr_compare(t, &pair, row->flags);
}

/* The runtime names a thread from another thread; the report has that name. */
void clr_thread_names(struct live *t)
{
	struct live_args command = {.n = 0};
	struct clr_pair pair;
	const json_t *thread;
	size_t i, n = 0;

	clr_need(t);
	clr_demo(t, &command, "threads");
	clr_pair(t, "", &command, &pair);
	json_array_foreach(json_object_get(pair.report, "threads"), i, thread)
	{
		const char *name =
			json_string_value(json_object_get(thread, "name"));

		n += name && strncmp(name, "worker", 6) == 0;
	}
	CHECK(t, n == 6, "%zu threads are called worker*, 6 are", n);
}

/* Calls that are open when the program exits count as open, not as unwound. */
void test_exit_open(struct live *t)
{
	struct live_args a = {.n = 0};
	struct live_end end;
	json_t *report;

	clr_need(t);
	clr_demo(t, &a, "fails");
	clr_trace(t, "", NULL, &a, &end, &report);
	CHECK(t, end.code == 3 && report, "ended with %d: %s", end.code,
	      end.err);
	CHECK(t,
	      live_function(t, report, NULL, "Demo.Fails.Exit(int)", "calls",
			    NULL) == 1,
	      "Exit was not called once");
	CHECK(t,
	      live_function(t, report, NULL, "Demo.Fails.Exit(int)", "unwound",
			    NULL) == 0,
	      "the call of Exit is told as unwound");
	CHECK(t, live_number(t, report, "checks.open_frames") > 0,
	      "nothing is told as open");
}

/* Two programs of the same name have two modules. */
void test_module_paths(struct live *t)
{
	char *one, *two, *dir;
	struct live_args a = {.n = 0};
	struct live_end end;
	json_t *report;

	clr_need(t);
	one = live_fixture(t, "demo.dll");
	dir = live_text(t, "%s/other", t->dir);
	CHECK(t, mkdir(dir, 0755) == 0, "mkdir: %s", strerror(errno));
	two = live_text(t, "%s/demo.dll", dir);
	live_copy(t, one, two);
	live_copy(t,
		  live_text(t, "%.*s.runtimeconfig.json",
			    (int)(strlen(one) - 4), one),
		  live_text(t, "%s/demo.runtimeconfig.json", dir));
	live_add(t, &a, "/bin/sh", "-c",
		 "\"$0\" \"$1\" recursion; exec \"$0\" \"$2\" recursion",
		 getenv("DOTNET"), one, two, NULL);
	clr_trace(t, "", NULL, &a, &end, &report);
	CHECK(t, end.code == 0 && report, "ended with %d: %s", end.code,
	      end.err);
	CHECK(t,
	      live_function(t, report, one, "Demo.Program.Main(string[])",
			    "calls", NULL) == 1 &&
		      live_function(t, report, two,
				    "Demo.Program.Main(string[])", "calls",
				    NULL) == 1,
	      "the modules are not told by %s and %s", one, two);
}

/* Each single call, by its number and its place. */
void test_clr_calls(struct live *t)
{
	struct live_args command = {.n = 0};
	struct live_end end;
	json_t *calls;

	clr_need(t);
	clr_demo(t, &command, "recursion");
	calls = live_calls(t, "-f Demo.*", &command, &end);
	live_calls_compare(t, calls, end.out);
}
