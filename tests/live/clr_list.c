/* SPDX-License-Identifier: BSD-2-Clause */
/* gnomon list on a running .NET process: its report on a module agrees with the
 * runtime's. */
#include "clr.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define N PRIu64

static const char *text(const json_t *row, const char *key)
{
	const char *value = json_string_value(json_object_get(row, key));

	return value ? value : "";
}

/* `gnomon list -p` on the fixture, with these options. */
static void list(struct live *t, const struct live_talk *served,
		 const char *options, struct live_end *end)
{
	struct live_args a = {.n = 0};

	live_add(t, &a, t->gnomon, "list", "-p",
		 live_text(t, "%d", (int)served->pid), NULL);
	live_split(t, &a, options);
	live_run(t, &a, NULL, end);
}

/* The module's row: of the file, or of the module in memory. */
static const json_t *module_of(struct live *t, const json_t *report,
			       bool in_memory)
{
	const json_t *row, *found = NULL;
	size_t i;

	json_array_foreach(json_object_get(report, "managed_modules"), i, row)
	{
		const char *name = text(row, "module");
		bool own = in_memory ? !strcmp(name, "demo")
				     : strstr(name, "/demo.dll") != NULL;

		if (!own)
			continue;
		CHECK(t, !found, "%s is there twice", name);
		found = row;
		CHECK(t,
		      json_is_true(json_object_get(row, "in_memory")) ==
			      in_memory,
		      "%s is %sfrom memory", name, in_memory ? "not " : "");
	}
	CHECK(t, found, "there is no module %s",
	      in_memory ? "from memory" : "demo.dll");
	return found;
}

static void check_counts(struct live *t, const json_t *row,
			 const struct live_truths *truths)
{
	static const char *const counts[] = {"functions", "no_il", "generic"};

	for (size_t i = 0; i < 3; i++) {
		uint64_t want = live_truth(truths, "number", counts[i]);

		CHECK(t, want && live_number(t, row, counts[i]) == want,
		      "%s: %s is %" N ", not %" N, text(row, "module"),
		      counts[i], live_number(t, row, counts[i]), want);
	}
}

static int by_text(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* The names that the program printed, sorted. */
static size_t told_names(struct live *t, const char *out, const char ***names)
{
	char *copy = live_text(t, "%s", out), *line, *rest;
	size_t n = 0, room = 4096;

	*names = calloc(room, sizeof(**names));
	CHECK(t, *names, "no memory");
	for (line = strtok_r(copy, "\n", &rest); line;
	     line = strtok_r(NULL, "\n", &rest)) {
		if (strncmp(line, "function ", 9) != 0)
			continue;
		CHECK(t, n < room, "too many functions");
		(*names)[n++] = line + 9;
	}
	qsort(*names, n, sizeof(**names), by_text);
	return n;
}

/* A module's functions have each name as often as the program printed it. */
static void check_names(struct live *t, const json_t *report,
			const char *module, const char *const *told, size_t n)
{
	const json_t *rows = json_object_get(report, "managed_functions"), *row;
	const char **listed =
		calloc(json_array_size(rows) + 1, sizeof(*listed));
	size_t i, count = 0;

	CHECK(t, listed, "no memory");
	json_array_foreach(rows, i,
			   row) if (!strcmp(text(row, "module"), module))
		listed[count++] = text(row, "name");
	qsort(listed, count, sizeof(*listed), by_text);
	for (i = 0; i < n && i < count; i++)
		CHECK(t, !strcmp(told[i], listed[i]),
		      "%s is listed where %s is", listed[i], told[i]);
	CHECK(t, count == n, "%zu functions of %s are listed, of %zu", count,
	      module, n);
	free(listed);
}

static void check_all(struct live *t, const struct live_talk *served,
		      const char *out)
{
	char *path = live_path(t, "list.json");
	struct live_truths truths;
	const json_t *file, *memory;
	const char **told;
	struct live_end end;
	json_t *report;
	size_t n;

	list(t, served, live_text(t, "-q -f demo:* --format json -o %s", path),
	     &end);
	CHECK(t, end.code == 0, "gnomon ended with %d: %s", end.code, end.err);
	live_truths(t, out, &truths);
	n = told_names(t, out, &told);
	report = json_load_file(path, 0, NULL);
	CHECK(t, report, "the list is no JSON");
	file = module_of(t, report, false);
	memory = module_of(t, report, true);
	check_counts(t, file, &truths);
	check_counts(t, memory, &truths);
	check_names(t, report, text(file, "module"), told, n);
	check_names(t, report, text(memory, "module"), told, n);
	free(told);
	json_decref(report);
}

/* The text output, and a glob that matches nothing. */
static void check_words(struct live *t, const struct live_talk *served)
{
	struct live_end end;

	list(t, served, "", &end);
	CHECK(t, end.code == 0, "gnomon ended with %d: %s", end.code, end.err);
	CHECK(t, strstr(end.out, "  demo (from memory)\n"),
	      "what is from memory is not told: %s", end.out);
	CHECK(t, strstr(end.err, ", 1 of them loaded from memory;"),
	      "how many are from memory is not told: %s", end.err);
	CHECK(t, !strstr(end.out, "Demo.Listed"),
	      "functions are listed that nobody asked for");
	list(t, served, "-q -f Demo.Posix.geteuid", &end);
	CHECK(t, end.code == 0, "gnomon ended with %d: %s", end.code, end.err);
	CHECK(t, strstr(end.out, "no-il      Demo.Posix.geteuid()\n"),
	      "a P/Invoke is not told: %s", end.out);
	CHECK(t, strstr(end.out, "limit: a call that is already running"),
	      "what is not seen is not told: %s", end.out);
	list(t, served, "-q -f Demo.Nothing.*", &end);
	CHECK(t, end.code == 2 && strstr(end.err, "'Demo.Nothing.*'"),
	      "ended with %d: %s", end.code, end.err);
}

/* What `gnomon list` says about a glob's functions. */
struct listed {
	uint64_t hooked, no_il, left;
};

static struct listed
count_listed(struct live *t, const struct live_talk *served, const char *glob)
{
	char *path = live_path(t, "list.json");
	struct listed n = {0, 0, 0};
	struct live_end end;
	const json_t *row;
	json_t *report;
	size_t i;

	list(t, served,
	     live_text(t, "-q -f %s --format json -o %s", glob, path), &end);
	CHECK(t, end.code == 0, "gnomon ended with %d: %s", end.code, end.err);
	report = json_load_file(path, 0, NULL);
	CHECK(t, report, "the list is no JSON");
	json_array_foreach(json_object_get(report, "managed_functions"), i, row)
	{
		const char *why =
			json_string_value(json_object_get(row, "unhooked"));

		n.hooked += !why;
		n.no_il += why && !strcmp(why, "no-il");
		n.left += why && strcmp(why, "no-il");
	}
	json_decref(report);
	unlink(path);
	return n;
}

static void check_between(struct live *t, const char *what, uint64_t before,
			  uint64_t seen, uint64_t after)
{
	CHECK(t, before <= seen && seen <= after,
	      "%s: a session has %" N "; the list has %" N " before it and %" N
	      " after it",
	      what, seen, before, after);
}

/* A session hooks the functions that are listed with hooks, and leaves the
 * others. The runtime may load a module meanwhile. */
static void check_session(struct live *t, const struct live_talk *served,
			  const char *glob)
{
	const char *pid = live_text(t, "%d", (int)served->pid);
	char *path = live_path(t, "report.json");
	struct live_args a = {.n = 0};
	struct listed before = count_listed(t, served, glob), after;
	struct live_end end;
	json_t *report;

	live_add(t, &a, t->gnomon, "run", "-q", "-p", pid, "-d", "1s", "-f",
		 glob, "--format", "json", "-o", path, NULL);
	live_run(t, &a, NULL, &end);
	CHECK(t, end.code == 0, "gnomon ended with %d: %s", end.code, end.err);
	report = live_load(t, path);
	after = count_listed(t, served, glob);
	check_between(t, "with hooks", before.hooked,
		      live_number(t, report, "code.selected.methods"),
		      after.hooked);
	check_between(t, "without IL", before.no_il,
		      live_number(t, report, "code.selected.no_il"),
		      after.no_il);
	check_between(t, "left out", before.left,
		      json_array_size(json_object_get(
			      json_object_get(report, "code"), "untraced")),
		      after.left);
	json_decref(report);
	unlink(path);
	CHECK(t, before.hooked > 100 && before.no_il, "too few are listed");
}

void test_clr_list(struct live *t)
{
	struct live_args a = {.n = 0};
	struct live_talk served;
	char *out;

	clr_need(t);
	clr_demo(t, &a, "listed");
	live_talk(t, &a, &served);
	free(live_await(t, served.out, "ready"));
	out = clr_serve(t, &served, "tell");
	check_all(t, &served, out);
	check_words(t, &served);
	check_session(t, &served, "*List*");
	/* some of these are helpers of the compiler */
	check_session(t, &served, "System.*Helpers.*");
	CHECK(t, live_finish(t, &served) == 0, "the program failed");
}

/* Other threads, new ones, load modules all the time while gnomon attaches. No
 * method of any of them is missing from the count, and as soon as gnomon says
 * that it has attached, calls are seen. */
void test_clr_loading(struct live *t)
{
	const char *many = "System.Private.Xml.dll:*", *called;
	struct live_args a = {.n = 0};
	struct live_talk served, gnomon;
	struct live_truths truths;
	uint64_t modules, methods, want, seen;
	json_t *report;
	char *out;

	clr_need(t);
	clr_demo(t, &a, "loading");
	live_talk(t, &a, &served);
	free(live_await(t, served.out, "ready"));
	want = count_listed(t, &served, many).hooked;
	CHECK(t, want > 1000, "%" N " methods are too few", want);
	clr_attach(t, &served, live_text(t, "-f %s -f Demo.Loading.*", many),
		   &gnomon);
	out = clr_serve(t, &served, "enough");
	report = clr_detach(t, &gnomon);
	live_truths(t, out, &truths);
	modules = live_truth(&truths, "number", "modules");
	methods = live_truth(&truths, "number", "methods");
	CHECK(t, live_truth(&truths, "number", "enough"),
	      "the program loaded too many modules");
	CHECK(t, modules > 10 && methods > 5, "%" N " modules, %" N " methods",
	      modules, methods);
	want += (modules + 1) * methods; /* and that of the file */
	seen = live_number(t, report, "code.selected.methods");
	CHECK(t, seen == want, "%" N " methods are counted, not %" N, seen,
	      want);
	called = "Demo.Loading.Called()";
	seen = live_function(t, report, NULL, called, "calls", NULL);
	want = live_truth(&truths, "calls", called);
	CHECK(t, want && seen == want, "%" N " of %" N " calls are seen", seen,
	      want);
	json_decref(report);
	CHECK(t, live_finish(t, &served) == 0, "the program failed");
}
