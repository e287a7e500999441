/* SPDX-License-Identifier: BSD-2-Clause */
/* Which code runs under gnomon: inlined functions, precompiled code. */
#include "clr.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define N PRIu64

/* A number in report.code. */
static uint64_t code(struct live *t, const json_t *report, const char *key)
{
	return live_number(t, report, live_text(t, "code.%s", key));
}

/* The entry with that name in a list of report.code, or NULL. */
static const json_t *named(const json_t *report, const char *list,
			   const char *name)
{
	const json_t *all =
		json_object_get(json_object_get(report, "code"), list);
	const json_t *f;
	size_t i;

	json_array_foreach(all, i, f)
	{
		const char *has = json_string_value(json_object_get(f, "name"));

		if (has && !strcmp(has, name))
			return f;
	}
	return NULL;
}

static void trace(struct live *t, const char *topic, const char *options,
		  struct clr_pair *pair)
{
	struct live_args command = {.n = 0};

	clr_need(t);
	clr_demo(t, &command, topic);
	clr_pair(t, options, &command, pair);
}

/* Functions that were inlined and called have a mark, and no others do. */
static void check_marked(struct live *t, const json_t *report, const char *name,
			 uint64_t seen)
{
	const json_t *functions = json_object_get(report, "functions"), *f;
	size_t i;

	json_array_foreach(functions, i, f)
	{
		const char *has = json_string_value(json_object_get(f, "name"));

		CHECK(t,
		      !json_object_get(f, "inlined") ==
			      !named(report, "inlined", has),
		      "%s is marked, but not copied, or not marked", has);
		seen -= !strcmp(has, name) ? seen : 0;
	}
	CHECK(t, !seen, "%s has no row", name);
}

/* By default the compiler inlines small functions, and the report names them. A
 * very small one is inlined wherever code is optimised. */
void test_inlined_keep(struct live *t)
{
	static const char leaf[] = "Demo.Small.Point.get_X()";
	struct live_truths *truths = calloc(1, sizeof(*truths));
	struct clr_pair pair;
	const json_t *told;
	uint64_t calls, seen;

	CHECK(t, truths, "no memory");
	trace(t, "inlined", "DOTNET_TieredCompilation=0 --inline keep", &pair);
	told = named(pair.report, "inlined", leaf);
	CHECK(t,
	      code(t, pair.report, "inlined_sites") > 0 && told &&
		      live_number(t, told, "sites") > 0,
	      "no copy of %s is told", leaf);
	live_truths(t, pair.traced.out, truths);
	calls = live_truth(truths, "calls", leaf);
	seen = live_function(t, pair.report, NULL, leaf, "calls", NULL);
	CHECK(t, seen < calls,
	      "%" N " calls of %s, which was called %" N
	      " times: nothing was copied, so nothing is shown",
	      seen, leaf, calls);
	check_marked(t, pair.report, leaf, seen);
	free(truths);
}

/* Whether a function whose name begins with `begin` is among the untraced. */
static bool untraced_begins(const json_t *report, const char *begin)
{
	const json_t *one;
	size_t i;

	json_array_foreach(
		json_object_get(json_object_get(report, "code"), "untraced"), i,
		one) if (!strncmp(json_string_value(json_object_get(one,
								    "name")),
				  begin, strlen(begin))) return true;
	return false;
}

/* Code that is made at run time has no hooks, and the report names it; not
 * stubs of the runtime, which are no methods of the program. */
void test_untraced(struct live *t)
{
	struct clr_pair pair;

	trace(t, "inlined", "", &pair);
	CHECK(t, named(pair.report, "untraced", "DynamicClass.Emit(int)"),
	      "the DynamicMethod is not named");
	CHECK(t, !untraced_begins(pair.report, "DynamicClass.IL_STUB"),
	      "a stub is named");
	trace(t, "inlined", "-f Demo.Small.*", &pair);
	CHECK(t, !named(pair.report, "untraced", "DynamicClass.Emit(int)"),
	      "a DynamicMethod that was not asked for is named");
}

/* If there are too many modules, some get no hooks, and the report says so.
 * They do not take places from modules with precompiled code, which is kept.
 * Modules that -f cannot mean are not told. */
void test_crowd(struct live *t)
{
	struct clr_pair pair;
	uint64_t left;

	trace(t, "crowd", "-f Demo.Gone*", &pair);
	CHECK(t, code(t, pair.report, "precompiled_refused") == 0,
	      "%" N " methods' precompiled code was refused",
	      code(t, pair.report, "precompiled_refused"));
	left = code(t, pair.report, "selected.modules_left");
	CHECK(t, left >= 4200, "%" PRIu64 " modules are told to be left", left);
	trace(t, "crowd", "-f demo.dll:Demo.Gone*", &pair);
	left = code(t, pair.report, "selected.modules_left");
	CHECK(t, left == 0, "%" PRIu64 " others than demo.dll are told", left);
}

/* Methods that the runtime itself suspends run as always, without hooks. The
 * report names them, and all calls that they make are seen. */
void test_suspended(struct live *t)
{
	static const char *const options[] = {
		"DOTNET_RuntimeAsync=1 -f Demo.Suspended.*",
		"DOTNET_RuntimeAsync=1 -f Demo.Suspended.* --clr-hooks elt",
		"DOTNET_RuntimeAsync=1 -f *AsyncHelpers.* -f Demo.*",
		"DOTNET_RuntimeAsync=1 --inline refuse",
	};
	struct live_args command = {.n = 0};
	struct clr_pair pair;

	clr_need(t);
	live_add(t, &command, getenv("DOTNET"),
		 live_fixture(t, "suspended.dll"), NULL);
	for (size_t i = 0; i < sizeof(options) / sizeof(*options); i++) {
		clr_pair(t, options[i], &command, &pair);
		clr_compare(t, &pair, 0);
		CHECK(t,
		      named(pair.report, "untraced",
			    "Demo.Suspended.Twice(int)"),
		      "%s: what has no hooks is not named", options[i]);
	}
}

/* The calls of all methods with this short name. */
static uint64_t calls_by_short(const json_t *report, const char *name)
{
	const json_t *f;
	uint64_t calls = 0;
	size_t i;

	json_array_foreach(json_object_get(report, "functions"), i, f)
	{
		const char *text =
			json_string_value(json_object_get(f, "short"));

		if (!text)
			text = json_string_value(json_object_get(f, "name"));
		if (!strcmp(text, name))
			calls += (uint64_t)json_integer_value(
				json_object_get(f, "calls"));
	}
	return calls;
}

/* Programs in Visual Basic and F#: the parts that their compilers make of a
 * method have names that show the method, and each call is seen. */
void test_languages(struct live *t)
{
	static const char *const programs[] = {"languages/basic.dll",
					       "languages/closures.dll"};
	struct live_truths *truths = calloc(1, sizeof(*truths));
	struct clr_pair pair;

	clr_need(t);
	CHECK(t, truths, "no memory");
	for (size_t i = 0; i < 2; i++) {
		struct live_args command = {.n = 0};

		live_add(t, &command, getenv("DOTNET"),
			 live_fixture(t, programs[i]), NULL);
		clr_pair(t, "-f Basic.* -f Closures.*", &command, &pair);
		live_truths(t, pair.traced.out, truths);
		CHECK(t, truths->n >= 4, "%s said little", programs[i]);
		for (size_t k = 0; k < truths->n; k++) {
			const struct live_truth *l = &truths->line[k];
			uint64_t calls = calls_by_short(pair.report, l->name);

			CHECK(t, !strcmp(l->word, "calls") && calls == l->value,
			      "%s: %" N " %s, not %" N, l->name, calls, l->word,
			      l->value);
		}
	}
	free(truths);
}

/* If edit and continue can change the module, the runtime's own hooks see the
 * calls. Hooks in IL are refused; that is reported, and they do not count as
 * hooked. */
void test_edited(struct live *t)
{
	static const char *const options[] = {
		"DOTNET_MODIFIABLE_ASSEMBLIES=debug -f Edited.*",
		"DOTNET_MODIFIABLE_ASSEMBLIES=debug -f Edited.* --clr-hooks "
		"rejit",
	};
	struct live_args command = {.n = 0};
	struct clr_pair pair;

	clr_need(t);
	live_add(t, &command, getenv("DOTNET"), live_fixture(t, "edited.dll"),
		 NULL);
	clr_pair(t, options[0], &command, &pair);
	CHECK(t,
	      live_function(t, pair.report, NULL, "Edited.Inner(int)", "calls",
			    NULL) == 1000,
	      "not all calls are seen");
	clr_pair(t, options[1], &command, &pair);
	CHECK(t,
	      live_number(t, pair.report, "code.selected.edited") == 3 &&
		      live_number(t, pair.report, "code.selected.methods") == 0,
	      "methods without hooks are not told as that");
}

/* The program that edits one of its modules; it needs its own variable. */
static void add_edits(struct live *t, struct live_args *a)
{
	char *folder = clr_compiler(t);

	*strrchr(folder, '/') = '\0';
	live_add(t, a, "/usr/bin/env", "DOTNET_MODIFIABLE_ASSEMBLIES=debug",
		 getenv("DOTNET"), live_fixture(t, "edits.dll"), folder, t->dir,
		 NULL);
}

static uint64_t calls_of(struct live *t, const json_t *report, const char *name)
{
	return live_function(t, report, NULL, name, "calls", NULL);
}

/* Methods that an edit changes or adds are seen, or reported as not seen. */
void test_edits(struct live *t)
{
	struct live_args command = {.n = 0}, served = {.n = 0};
	struct live_talk program, gnomon;
	struct clr_pair pair;

	clr_need(t);
	add_edits(t, &command);
	clr_pair(t, "-f Edit.*", &command, &pair);
	CHECK(t,
	      calls_of(t, pair.report, "Edit.Kept()") == 2000 &&
		      calls_of(t, pair.report, "Edit.Changed()") == 2000 &&
		      calls_of(t, pair.report, "Edit.Added()") == 1000,
	      "not all calls are seen");
	CHECK(t, live_number(t, pair.report, "code.selected.by_runtime") == 1,
	      "it is not told whose the hooks are");
	add_edits(t, &served);
	live_add(t, &served, "served", NULL);
	live_talk(t, &served, &program);
	free(live_await(t, program.out, "ready"));
	clr_attach(t, &program, "-f Edit.*", &gnomon);
	free(clr_serve(t, &program, "edit"));
	pair.report = clr_detach(t, &gnomon);
	CHECK(t,
	      live_number(t, pair.report, "code.selected.edited") == 3 &&
		      named(pair.report, "untraced", "Edit.Added()"),
	      "what an edit adds is not told");
	CHECK(t, live_finish(t, &program) == 0, "the program failed");
}

/* Where gnomon learns too late that the runtime makes the hooks, calls of a
 * method to itself at its end are still calls. */
void test_edits_loops(struct live *t)
{
	struct live_args command = {.n = 0};
	struct clr_pair pair;

	clr_need(t);
	live_add(t, &command, "/usr/bin/env",
		 "DOTNET_MODIFIABLE_ASSEMBLIES=debug",
		 "DOTNET_TieredCompilation=0", NULL);
	clr_demo(t, &command, "recursion");
	clr_pair(t, "-f Demo.Recursion.*", &command, &pair);
	CHECK(t, live_number(t, pair.report, "code.selected.by_runtime") == 1,
	      "the hooks are not the runtime's");
	clr_compare(t, &pair, 0);
}

/* No managed function, and all precompiled code. */
void test_light(struct live *t)
{
	struct clr_pair light, calls;

	trace(t, "recursion", "--clr light", &light);
	CHECK(t, clr_functions(light.report) == 0,
	      "%zu managed functions are told", clr_functions(light.report));
	CHECK(t, live_number(t, light.report, "session.classes.jit") > 0,
	      "there is no time in the compiler");
	trace(t, "recursion", "", &calls);
	CHECK(t, code(t, calls.report, "precompiled_refused") > 100,
	      "no precompiled code was refused");
	CHECK(t,
	      code(t, light.report, "compilations") * 2 <
		      code(t, calls.report, "compilations"),
	      "%" N " compilations, and %" N " where functions are traced",
	      code(t, light.report, "compilations"),
	      code(t, calls.report, "compilations"));
}

/* A filter keeps the precompiled code of everything that it does not match. */
void test_precompiled_kept(struct live *t)
{
	struct clr_pair light, some, none;
	uint64_t least;

	trace(t, "recursion", "--clr light", &light);
	least = code(t, light.report, "compilations");
	trace(t, "recursion", "-f Demo.Recursion.*", &some);
	clr_compare(t, &some, 0);
	trace(t, "recursion", "-f No.Such.Function", &none);
	/* how much the tiers compile again depends on the time */
	CHECK(t, code(t, some.report, "compilations") < least + 60,
	      "%" N " compilations with a filter, %" N " without functions",
	      code(t, some.report, "compilations"), least);
	CHECK(t, code(t, none.report, "compilations") < least + 60,
	      "%" N " compilations with a filter that matches nothing, %" N
	      " without functions",
	      code(t, none.report, "compilations"), least);
	CHECK(t,
	      code(t, none.report, "precompiled_refused") == 0 &&
		      code(t, none.report, "copies_ran") == 0,
	      "precompiled code was refused for nothing");
}

/* Functions that the filter matches have the same number of calls in both
 * reports. */
static uint64_t same_calls(struct live *t, const json_t *report,
			   const json_t *truth)
{
	uint64_t calls = 0;
	const json_t *f;
	size_t i;

	json_array_foreach(json_object_get(truth, "functions"), i, f)
	{
		const char *name =
			json_string_value(json_object_get(f, "name"));
		uint64_t want = live_number(t, f, "calls");
		uint64_t is =
			live_function(t, report, NULL, name, "calls", NULL);

		CHECK(t, is == want,
		      "%s: %" N " calls, and %" N " without precompiled code",
		      name, is, want);
		calls += want;
	}
	return calls;
}

/*
 * The functions of the C# compiler that the filter matches are precompiled.
 * They have as many calls as without any precompiled code, and little of that
 * code is refused for them. Methods of nested types are among those that were
 * inlined.
 */
void test_precompiled_copies(struct live *t)
{
	static const char options[] =
		"-f Microsoft.CodeAnalysis.CSharp.Symbols.Co*";
	struct live_args command = {.n = 0};
	struct live_end end;
	json_t *kept, *il, *none;
	uint64_t calls;

	clr_need(t);
	clr_compile(t, &command);
	clr_trace(t, live_text(t, "--clr-hooks elt %s", options), NULL,
		  &command, &end, &kept);
	CHECK(t, end.code == 0 && kept, "ended with %d: %s", end.code, end.err);
	clr_trace(t, live_text(t, "--clr-hooks rejit %s", options), NULL,
		  &command, &end, &il);
	CHECK(t, end.code == 0 && il, "ended with %d: %s", end.code, end.err);
	clr_trace(t, live_text(t, "DOTNET_ReadyToRun=0 %s", options), NULL,
		  &command, &end, &none);
	CHECK(t, end.code == 0 && none, "ended with %d: %s", end.code, end.err);
	calls = same_calls(t, kept, none);
	CHECK(t, same_calls(t, il, none) == calls && calls > 20000,
	      "%" N " calls are too few to show anything", calls);
	CHECK(t,
	      code(t, kept, "copies_ran") == 0 &&
		      code(t, kept, "precompiled_refused") > 0 &&
		      code(t, kept, "precompiled_refused") < 500,
	      "%" N " methods' precompiled code was refused",
	      code(t, kept, "precompiled_refused"));
	/* the same methods, except instances of generic ones */
	CHECK(t,
	      code(t, il, "precompiled_refused") <=
			      code(t, kept, "precompiled_refused") &&
		      code(t, il, "precompiled_refused") * 2 >
			      code(t, kept, "precompiled_refused"),
	      "%" N " methods' precompiled code was refused by IL, %" N
	      " by the runtime",
	      code(t, il, "precompiled_refused"),
	      code(t, kept, "precompiled_refused"));
	CHECK(t,
	      code(t, kept, "compilations") * 3 <
			      code(t, none, "compilations") &&
		      code(t, il, "compilations") * 3 <
			      code(t, none, "compilations"),
	      "%" N " and %" N " compilations, %" N " without precompiled code",
	      code(t, kept, "compilations"), code(t, il, "compilations"),
	      code(t, none, "compilations"));
}

/* The same of the core libraries, whose code may be in a composite image. */
void test_precompiled_core(struct live *t)
{
	struct clr_pair kept, none;

	trace(t, "listed", "-f System.Collections.*", &kept);
	trace(t, "listed", "DOTNET_ReadyToRun=0 -f System.Collections.*",
	      &none);
	CHECK(t, same_calls(t, kept.report, none.report) > 1000,
	      "the calls are too few to show anything");
	CHECK(t,
	      code(t, kept.report, "precompiled_refused") > 0 &&
		      code(t, kept.report, "copies_ran") == 0,
	      "no precompiled code was refused for the functions");
	CHECK(t,
	      code(t, kept.report, "compilations") * 3 <
		      code(t, none.report, "compilations"),
	      "%" N " compilations, %" N " without precompiled code",
	      code(t, kept.report, "compilations"),
	      code(t, none.report, "compilations"));
}

/*
 * The same with globs that begin with a wildcard. Methods of the core library
 * that may be inlined into any code match: that turns nothing off, and is
 * reported.
 */
void test_precompiled_wildcard(struct live *t)
{
	struct live_args command = {.n = 0};
	struct live_end end;
	json_t *kept, *none;
	uint64_t calls;

	clr_need(t);
	clr_compile(t, &command);
	clr_trace(t, "-f *.Symbols.Co* -f *Unsafe.Write*", NULL, &command, &end,
		  &kept);
	CHECK(t, end.code == 0 && kept, "ended with %d: %s", end.code, end.err);
	clr_trace(t, "DOTNET_ReadyToRun=0 -f *.Symbols.Co*", NULL, &command,
		  &end, &none);
	CHECK(t, end.code == 0 && none, "ended with %d: %s", end.code, end.err);
	calls = same_calls(t, kept, none);
	CHECK(t, calls > 20000, "%" N " calls are too few to show anything",
	      calls);
	CHECK(t,
	      code(t, kept, "compilations") * 3 < code(t, none, "compilations"),
	      "%" N " compilations, %" N " without precompiled code",
	      code(t, kept, "compilations"), code(t, none, "compilations"));
	CHECK(t,
	      live_number(t,
			  json_object_get(json_object_get(kept, "code"),
					  "selected"),
			  "copied") > 0,
	      "it is not told which methods can have copies");
}

/* Attaches `times` to a program that compiles, loads and unloads all the time.
 * The program must not be disturbed. */
static void attach_unloading(struct live *t, int times, const char *options)
{
	struct live_args a = {.n = 0};
	struct live_talk program, gnomon;

	clr_need(t);
	clr_demo(t, &a, "unloading");
	live_talk(t, &a, &program);
	free(live_await(t, program.out, "ready"));
	for (int i = 0; i < times; i++) {
		clr_begin_attach(t, &program, options, &gnomon);
		CHECK(t, live_wait(t, &gnomon) == 0, "attach %d failed", i + 1);
	}
	live_ask(t, &program, "end");
	CHECK(t, live_finish(t, &program) == 0, "the program failed");
}

/* Samples need the names of all code, also while some of it is unloaded: then
 * its functions are no longer in memory. */
void test_attach_unloading(struct live *t)
{
	attach_unloading(t, 25, "-q -d 20ms --snapshot 99");
}

/* The method that is compiled next calls the helper that -f names, but the
 * program never does: so its new code never appears. */
void test_attach_helpers(struct live *t)
{
	attach_unloading(t, 2, "-q -d 100ms -f System.Math.ConvertTo*");
	/* also recompiles methods into which those were inlined */
	attach_unloading(t, 2, "-q -d 100ms -f System.*");
}
