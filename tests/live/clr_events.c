/* SPDX-License-Identifier: BSD-2-Clause */
/* What a runtime reports about itself, compared with what the program knows. */
#include "clr.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define N PRIu64

struct told {
	struct live_truths truths;
	char *trace;
};

/* Records a topic of the fixture into a trace file: once, for all reports. */
static void record_topic(struct live *t, const char *topic, char *const *env,
			 const char *options, struct told *told)
{
	struct live_args a = {.n = 0};
	struct live_end end;

	clr_need(t);
	told->trace = live_path(t, "events.trace");
	live_add(t, &a, t->gnomon, "record", "-o", told->trace, NULL);
	live_split(t, &a, options);
	live_add(t, &a, "--", NULL);
	clr_demo(t, &a, topic);
	live_run(t, &a, &(struct live_start){.env = env}, &end);
	CHECK(t, end.code == 0, "record ended with %d: %s", end.code, end.err);
	live_truths(t, end.out, &told->truths);
}

static void record(struct live *t, const char *options, struct told *told)
{
	record_topic(t, "events", NULL, options, told);
}

/* `report --by BY`. */
static const json_t *report_by(struct live *t, const struct told *told,
			       const char *by, const char *options)
{
	char *path = live_path(t, live_text(t, "%s.json", by));
	struct live_args a = {.n = 0};
	struct live_end end;
	const json_t *report;

	live_add(t, &a, t->gnomon, "report", "-i", told->trace, "--by", by,
		 "--format", "json", "-o", path, NULL);
	live_split(t, &a, options);
	live_run(t, &a, NULL, &end);
	CHECK(t, end.code == 0, "report ended with %d: %s", end.code, end.err);
	report = live_load(t, path);
	live_clean(t, report);
	return report;
}

/* Its rows. */
static const json_t *rows(struct live *t, const struct told *told,
			  const char *by, const char *options)
{
	const json_t *all =
		json_object_get(report_by(t, told, by, options), by);

	CHECK(t, json_is_array(all), "no array %s", by);
	return all;
}

static const char *text(const json_t *row, const char *key)
{
	const char *value = json_string_value(json_object_get(row, key));

	return value ? value : "";
}

static uint64_t number(const json_t *row, const char *key)
{
	return (uint64_t)json_integer_value(json_object_get(row, key));
}

/* Compares each line of the fixture with this word with the rows, by `count`.
 * There must be at least one. */
static void compare(struct live *t, const struct told *told, const char *word,
		    const json_t *all,
		    uint64_t (*count)(const json_t *row, const char *name))
{
	size_t lines = 0, i, k;
	const json_t *row;

	for (i = 0; i < told->truths.n; i++) {
		const struct live_truth *line = &told->truths.line[i];
		uint64_t seen = 0;

		if (strcmp(line->word, word))
			continue;
		lines++;
		json_array_foreach(all, k, row) seen += count(row, line->name);
		CHECK(t, seen == line->value,
		      "%s %s: %" N " are told, there were %" N, word,
		      line->name, seen, line->value);
	}
	CHECK(t, lines > 0, "the program says nothing of %s", word);
}

static uint64_t is_exception(const json_t *row, const char *name)
{
	char *of;
	bool is;

	if (asprintf(&of, "%s@%s@%s", text(row, "name"), text(row, "thrown_in"),
		     text(row, "caught_in")) < 0)
		abort();
	is = !strcmp(of, name);
	free(of);
	return is ? number(row, "count") : 0;
}

/* Induced ones only: others may come. */
static uint64_t is_collection(const json_t *row, const char *name)
{
	return !strcmp(text(row, "reason"), "induced") &&
	       number(row, "generation") == strtoull(name, NULL, 10);
}

static uint64_t is_compilation(const json_t *row, const char *name)
{
	return !strcmp(text(row, "name"), name);
}

static uint64_t is_assembly(const json_t *row, const char *name)
{
	return !strcmp(text(row, "event"), "assembly-load") &&
	       !strcmp(text(row, "name"), name) &&
	       !json_is_true(json_object_get(row, "failed"));
}

/* "EVENT/NAME" */
static uint64_t is_event(const json_t *row, const char *name)
{
	const char *slash = strchr(name, '/');
	size_t len = slash ? (size_t)(slash - name) : 0;

	return slash && strlen(text(row, "event")) == len &&
	       !strncmp(text(row, "event"), name, len) &&
	       !strcmp(text(row, "name"), slash + 1);
}

static uint64_t is_native(const json_t *row, const char *name)
{
	return !strcmp(text(row, "event"), "to-native") &&
	       !strcmp(text(row, "name"), name) &&
	       !strcmp(text(row, "detail"), "call");
}

/* Its short name lacks the fixture's name space. */
static uint64_t is_allocation(const json_t *row, const char *name)
{
	return strcmp(text(row, "name"), name) ||
			       strncmp(text(row, "short"), "Events.", 7)
		       ? 0
		       : number(row, "count");
}

static uint64_t allocated_bytes(const json_t *row, const char *name)
{
	return is_allocation(row, name) ? number(row, "bytes") : 0;
}

/* A pause encloses its reason and consists of its parts. A pause that begins a
 * concurrent collection lies in the pause of that one; its generation is not
 * known. */
static void check_pauses(struct live *t, const json_t *gc)
{
	const json_t *row;
	size_t i;

	json_array_foreach(gc, i, row)
	{
		uint64_t pause = number(row, "pause_ns");
		uint64_t stopping = number(row, "stopping_ns");

		if (!json_object_get(row, "generation"))
			continue;
		CHECK(t, number(row, "suspensions") > 0 && pause > 0,
		      "collection %zu has no pause", i);
		CHECK(t, stopping > 0 && stopping <= pause,
		      "collection %zu: %" N " of %" N " ns to stop", i,
		      stopping, pause);
		CHECK(t, number(row, "cpu_ns") <= number(row, "elapsed_ns"),
		      "collection %zu is longer on a CPU than it took", i);
	}
}

static void check_code(struct live *t, const json_t *jit)
{
	const json_t *row;
	size_t i;

	json_array_foreach(jit, i, row)
	{
		if (strcmp(text(row, "name"), "Demo.Events.Once()"))
			continue;
		CHECK(t, number(row, "code_bytes") > 0, "no size of code");
		CHECK(t, number(row, "compilation") == 1, "compiled before");
		CHECK(t, number(row, "elapsed_ns") > 0, "compiled in no time");
	}
}

static void compare_usual(struct live *t, const struct told *told)
{
	const json_t *gc = rows(t, told, "gc", "");
	const json_t *jit = rows(t, told, "jit", "");

	compare(t, told, "exception", rows(t, told, "exceptions", ""),
		is_exception);
	compare(t, told, "collected", gc, is_collection);
	check_pauses(t, gc);
	compare(t, told, "compiled", jit, is_compilation);
	check_code(t, jit);
	compare(t, told, "assembly", rows(t, told, "loads", ""), is_assembly);
}

/* The hits of such probes. */
static uint64_t hits(struct live *t, const struct told *told, const char *class)
{
	const json_t *report = report_by(t, told, "jit", "");
	const json_t *all = json_object_get(
		json_object_get(report, "probe_cost"), "classes");
	const json_t *row;
	size_t i;

	json_array_foreach(all, i,
			   row) if (!strcmp(text(row, "name"),
					    class)) return number(row, "hits");
	return 0;
}

/* Compilations are reported by their threads, without probes: a begin and an
 * end each, except for what a thread does while the program ends, or while
 * gnomon stalls. */
static void check_fast(struct live *t, const struct told *told)
{
	const json_t *jit = rows(t, told, "jit", "");
	uint64_t fast = hits(t, told, "fast");

	CHECK(t,
	      fast && fast + hits(t, told, "managed") + 2 >=
			      2 * json_array_size(jit),
	      "%" N " records without a probe, of %zu compilations", fast,
	      json_array_size(jit));
}

/* The events that are recorded by default, and precompiled code. */
static struct told *record_usual(struct live *t, const char *hooks)
{
	struct told *told = calloc(1, sizeof(*told));

	CHECK(t, told, "no memory");
	record(t,
	       live_text(t,
			 "--hooks %s --clr light "
			 "--events usual,exceptions,jit",
			 hooks),
	       told);
	compare_usual(t, told);
	return told;
}

/* Not in guests, whose time-stamp counter cannot be used. */
void test_events_fast(struct live *t)
{
	struct told *told = record_usual(t, "fast");

	check_fast(t, told);
	free(told);
}

/* The same if each event is a probe. */
void test_events_probes(struct live *t)
{
	struct told *told = record_usual(t, "uprobe");

	CHECK(t, hits(t, told, "fast") == 0, "there were fast hooks");
	free(told);
}

void test_events(struct live *t)
{
	struct told *told = record_usual(t, "auto");

	CHECK(t, json_array_size(rows(t, told, "events", "--events none")) == 0,
	      "events that nobody asked for");
	CHECK(t,
	      json_array_size(rows(t, told, "events", "--events handlers")) ==
		      0,
	      "events that were not recorded");
	free(told);
}

/* The path of exceptions, and so also the exceptions. */
void test_events_handlers(struct live *t)
{
	struct told *told = calloc(1, sizeof(*told));

	CHECK(t, told, "no memory");
	record(t, "--events handlers", told);
	compare(t, told, "exception", rows(t, told, "exceptions", ""),
		is_exception);
	CHECK(t,
	      json_array_size(rows(t, told, "events", "--events handlers")) > 0,
	      "no way of an exception");
	free(told);
}

/* All boxed values are reported, or gnomon reports that they are not. */
static void check_boxed(struct live *t, const struct told *told)
{
	const json_t *report = report_by(t, told, "allocations", "");
	const json_t *all = json_object_get(report, "allocations"), *row;
	uint64_t left =
		live_number(t, report, "code.selected.allocations_left");
	uint64_t made = live_truth(&told->truths, "boxed", "Demo.Events+Boxed");
	uint64_t seen = 0;
	size_t i;

	json_array_foreach(all, i, row) seen +=
		is_allocation(row, "Demo.Events+Boxed");
	CHECK(t, made && left <= 1, "boxed %" N ", left %" N, made, left);
	CHECK(t, left ? seen < made : seen == made,
	      "%" N " are told, there were %" N ", and it says %" N, seen, made,
	      left);
}

/* Functions, with the events that cost most. */
void test_events_full(struct live *t)
{
	struct told *told = calloc(1, sizeof(*told));

	CHECK(t, told, "no memory");
	record(t, "--clr full -f Demo.Events.*", told);
	compare(t, told, "native", rows(t, told, "events", ""), is_native);
	compare(t, told, "allocated", rows(t, told, "allocations", ""),
		is_allocation);
	compare(t, told, "allocated-bytes", rows(t, told, "allocations", ""),
		allocated_bytes);
	check_boxed(t, told);
	free(told);
}

static uint64_t is_spelled(const json_t *row, const char *name)
{
	const char *shown = text(row, "short");

	return !strcmp(*shown ? shown : text(row, "name"), name);
}

/* 200 methods of the base library: each is compiled, and reported under the
 * name that people write. */
void test_names(struct live *t)
{
	static char tiers[] = "DOTNET_TieredCompilation=0";
	static char kept[] = "DOTNET_ReadyToRun=0";
	char *const env[] = {tiers, kept, NULL};
	struct told *told = calloc(1, sizeof(*told));
	const json_t *jit;
	size_t right = 0, n = 0;

	CHECK(t, told, "no memory");
	record_topic(t, "spelled 7", env, "-f !* --events jit", told);
	jit = rows(t, told, "jit", "");
	for (size_t i = 0; i < told->truths.n; i++) {
		const struct live_truth *line = &told->truths.line[i];
		const json_t *row;
		bool seen = false;
		size_t k;

		if (strcmp(line->word, "spelled"))
			continue;
		n++;
		json_array_foreach(jit, k, row) seen |=
			is_spelled(row, line->name);
		right += seen;
		if (!seen)
			fprintf(stderr, "not told: %s\n", line->name);
	}
	CHECK(t, n > 150 && right == n, "%zu of %zu are right", right, n);
	free(told);
}

/* All families at once, and functions. */
void test_events_all(struct live *t)
{
	struct told *told = calloc(1, sizeof(*told));

	CHECK(t, told, "no memory");
	record(t, "--events all -f Demo.Events.*", told);
	compare_usual(t, told);
	compare(t, told, "event", rows(t, told, "events", ""), is_event);
	compare(t, told, "native", rows(t, told, "events", ""), is_native);
	compare(t, told, "allocated", rows(t, told, "allocations", ""),
		is_allocation);
	free(told);
}

static json_t *run_topic(struct live *t, const char *options, const char *topic,
			 struct live_end *end)
{
	char *path = live_path(t, "report");
	struct live_args a = {.n = 0};

	live_add(t, &a, t->gnomon, "run", "--format", "json", "-o", path, NULL);
	live_split(t, &a, options);
	live_add(t, &a, "--", NULL);
	clr_demo(t, &a, topic);
	live_run(t, &a, NULL, end);
	CHECK(t, end->code == 0, "%s: the program ended with %d: %s", options,
	      end->code, end->err);
	return live_load(t, path);
}

/*
 * Exceptions with filters during collections. From .NET 9 on, a program crashes
 * within a second there if a profiler watches exceptions.
 */
void test_filters_collected(struct live *t)
{
	static const char *const ways[] = {"--clr light", "-f Demo.Parses.*",
					   "--clr-hooks elt -f Demo.Parses.*"};

	for (size_t i = 0; i < sizeof(ways) / sizeof(ways[0]); i++) {
		const char *words;
		uint64_t handled = 0, bad = 0;
		struct live_end end;
		json_t *report;

		report = run_topic(t, ways[i], "parses", &end);
		words = strstr(end.out, "parsed ");
		CHECK(t,
		      words && sscanf(words, "parsed %" SCNu64 " %" SCNu64,
				      &handled, &bad) == 2,
		      "%s: it says '%s'", ways[i], end.out);
		if (!i)
			continue;
		CHECK(t,
		      live_function(t, report, NULL,
				    "Demo.Parses.Handle(string)", "calls",
				    NULL) == handled &&
			      live_function(t, report, NULL,
					    "Demo.Parses.Parse(string)",
					    "unwound", NULL) == bad,
		      "%s: not the %" N " calls and %" N " exceptions", ways[i],
		      handled, bad);
	}
}

/*
 * Native code calls a method during collections. The compiler of .NET 10 puts
 * the code that hooks in IL need after the end of such a method.
 */
void test_from_native(struct live *t)
{
	static const char *const ways[] = {
		"-f Demo.FromNative.*",
		"--hooks uprobe -f Demo.FromNative.*",
		"-f Demo.FromNative.* -a Demo.FromNative.Compare:ret",
		"--clr-hooks elt -f Demo.FromNative.*",
	};

	for (size_t i = 0; i < sizeof(ways) / sizeof(ways[0]); i++) {
		struct live_end end;
		json_t *report = run_topic(t, ways[i], "from-native", &end);
		uint64_t called = 0;

		CHECK(t,
		      sscanf(end.out, "sorted 20, called %" SCNu64, &called) ==
			      1,
		      "%s: it says '%s'", ways[i], end.out);
		CHECK(t,
		      live_function(t, report, NULL,
				    "Demo.FromNative.Compare(void*,void*)",
				    "calls", NULL) == called,
		      "%s: not %" N " calls", ways[i], called);
	}
}
