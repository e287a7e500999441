/* SPDX-License-Identifier: BSD-2-Clause */
/* Reports as JSON, and checks that hold for every one of them. */
#include "live.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#define N PRIu64

json_t *live_load(struct live *t, const char *path)
{
	json_error_t error;
	json_t *report = json_load_file(path, JSON_REJECT_DUPLICATES, &error);

	CHECK(t, report, "the report is no JSON: line %d: %s", error.line,
	      error.text);
	CHECK(t, live_number(t, report, "version") == 2,
	      "the report's version is not 2");
	return report;
}

uint64_t live_number(struct live *t, const json_t *object, const char *path)
{
	char *rest = live_text(t, "%s", path), *key;
	const json_t *value = object;

	while ((key = strsep(&rest, ".")))
		value = json_object_get(value, key);
	CHECK(t, json_is_integer(value), "the report has no number %s", path);
	CHECK(t, json_integer_value(value) >= 0, "%s is below 0", path);
	return (uint64_t)json_integer_value(value);
}

static const char *text_of(struct live *t, const json_t *object,
			   const char *key)
{
	const char *text = json_string_value(json_object_get(object, key));

	CHECK(t, text, "the report has no text %s where one must be", key);
	return text;
}

static bool ends_with(const char *text, const char *end)
{
	size_t n = strlen(text), m = strlen(end);

	return n >= m && strcmp(text + n - m, end) == 0;
}

uint64_t live_function(struct live *t, const json_t *report, const char *module,
		       const char *name, const char *field, size_t *found)
{
	const json_t *functions = json_object_get(report, "functions"), *f;
	uint64_t sum = 0;
	size_t i, n = 0;

	json_array_foreach(functions, i, f)
	{
		if (strcmp(text_of(t, f, "name"), name))
			continue;
		if (module && !ends_with(text_of(t, f, "module"), module))
			continue;
		sum += live_number(t, f, field);
		n++;
	}
	if (found)
		*found = n;
	return sum;
}

uint64_t live_waits(struct live *t, const json_t *report, const char *field,
		    const char *value, const char *number)
{
	const json_t *waits = json_object_get(report, "waits"), *wait, *has;
	uint64_t sum = 0;
	size_t i;

	json_array_foreach(waits, i, wait)
	{
		has = json_object_get(wait, field);
		if (has && !strcmp(json_string_value(has), value))
			sum += live_number(t, wait, number);
	}
	return sum;
}

uint64_t live_os_time(struct live *t, const json_t *report, const char *name)
{
	uint64_t elapsed = live_function(t, report, NULL, name,
					 "elapsed_inclusive_ns", NULL);
	uint64_t app = live_function(t, report, NULL, name,
				     "application_inclusive_ns", NULL);

	CHECK(t, app <= elapsed, "%s: application %" N " ns > elapsed %" N,
	      name, app, elapsed);
	return elapsed - app;
}

static uint64_t sum_of(struct live *t, const json_t *object, const char *key)
{
	json_t *classes = json_object_get(object, key), *value;
	const char *class;
	uint64_t sum = 0;

	CHECK(t, json_is_object(classes), "the report has no %s", key);
	json_object_foreach(classes, class, value) sum +=
		(uint64_t)json_integer_value(value);
	return sum;
}

static void check_checks(struct live *t, const json_t *report)
{
	static const char *const zero[] = {"account_error_ns",
					   "slice_mismatches", "os_overruns",
					   "time_reversals"};
	const json_t *checks = json_object_get(report, "checks");
	json_t *causes, *value;
	const char *cause;
	size_t i;

	CHECK(t, live_number(t, report, "lost.records") == 0,
	      "%" N " records were lost",
	      live_number(t, report, "lost.records"));
	causes = json_object_get(json_object_get(report, "lost"), "causes");
	json_object_foreach(causes, cause, value)
		CHECK(t, json_integer_value(value) == 0,
		      "lost by %s: %" JSON_INTEGER_FORMAT, cause,
		      json_integer_value(value));
	for (i = 0; i < sizeof(zero) / sizeof(zero[0]); i++)
		CHECK(t, live_number(t, checks, zero[i]) == 0,
		      "checks.%s is %" N, zero[i],
		      live_number(t, checks, zero[i]));
}

static void check_threads(struct live *t, const json_t *report)
{
	uint64_t session = live_number(t, report, "session.elapsed_ns");
	const json_t *thread;
	uint64_t sum = 0, elapsed, classes;
	size_t i;

	json_array_foreach(json_object_get(report, "threads"), i, thread)
	{
		elapsed = live_number(t, thread, "elapsed_ns");
		classes = sum_of(t, thread, "classes");
		CHECK(t, classes == elapsed,
		      "thread %s: classes sum to %" N " ns of %" N,
		      text_of(t, thread, "name"), classes, elapsed);
		CHECK(t, live_number(t, thread, "gaps") == 0,
		      "thread %s has gaps", text_of(t, thread, "name"));
		sum += elapsed;
	}
	CHECK(t, sum == session, "threads sum to %" N " ns, the session to %" N,
	      sum, session);
	classes = sum_of(t, json_object_get(report, "session"), "classes");
	CHECK(t, classes == session,
	      "the session's classes sum to %" N " ns of %" N, classes,
	      session);
}

static void check_pct(struct live *t, const json_t *f, const char *which,
		      uint64_t whole)
{
	char *ns = live_text(t, "%s_ns", which);
	char *pct = live_text(t, "%s_pct", which);
	double got = json_number_value(json_object_get(f, pct));
	double want =
		whole ? 100.0 * (double)live_number(t, f, ns) / (double)whole
		      : 0;

	CHECK(t, fabs(got - want) < 0.01, "%s of %s is %f, not %f", pct,
	      text_of(t, f, "name"), got, want);
}

static void check_function(struct live *t, const json_t *report,
			   const json_t *f)
{
	uint64_t ei = live_number(t, f, "elapsed_inclusive_ns");
	uint64_t ee = live_number(t, f, "elapsed_exclusive_ns");
	uint64_t ai = live_number(t, f, "application_inclusive_ns");
	uint64_t ae = live_number(t, f, "application_exclusive_ns");
	uint64_t elapsed = live_number(t, report, "session.elapsed_ns");
	uint64_t application = live_number(t, report, "session.application_ns");
	const char *name = text_of(t, f, "name");

	CHECK(t, ee <= ei && ai <= ei && ae <= ee && ae <= ai && ei <= elapsed,
	      "%s: impossible values %" N " %" N " %" N " %" N " of %" N, name,
	      ei, ee, ai, ae, elapsed);
	CHECK(t, sum_of(t, f, "classes_inclusive") == ei,
	      "%s: classes do not sum to its inclusive time", name);
	CHECK(t, sum_of(t, f, "classes_exclusive") == ee,
	      "%s: classes do not sum to its exclusive time", name);
	CHECK(t, live_number(t, f, "min_ns") <= live_number(t, f, "max_ns"),
	      "%s: min > max", name);
	check_pct(t, f, "elapsed_inclusive", elapsed);
	check_pct(t, f, "elapsed_exclusive", elapsed);
	check_pct(t, f, "application_inclusive", application);
	check_pct(t, f, "application_exclusive", application);
}

void live_clean(struct live *t, const json_t *report)
{
	uint64_t session = live_number(t, report, "session.elapsed_ns");
	const json_t *f;
	uint64_t sum = 0;
	size_t i;

	check_checks(t, report);
	check_threads(t, report);
	json_array_foreach(json_object_get(report, "functions"), i, f)
	{
		check_function(t, report, f);
		sum += live_number(t, f, "elapsed_exclusive_ns");
	}
	CHECK(t, sum <= session,
	      "exclusive times sum to %" N " ns, the session to %" N, sum,
	      session);
}

size_t live_complaints(struct live *t, const char *err, char **first)
{
	char *rest = live_text(t, "%s", err), *line;
	size_t n = 0;

	*first = NULL;
	while ((line = strsep(&rest, "\n"))) {
		if (!*line || strncmp(line, "gnomon: attached", 16) == 0)
			continue;
		if (!n++)
			*first = line;
	}
	return n;
}

void live_expect_line(struct live *t, const struct live_end *end, int code,
		      const char *word)
{
	char *first;
	size_t n = live_complaints(t, end->err, &first);

	CHECK(t, end->code == code, "gnomon ended with %d, not %d: %s",
	      end->code, code, end->err);
	CHECK(t, n == 1, "%zu lines on stderr, not 1: %s", n, end->err);
	CHECK(t, strncmp(first, "gnomon: ", 8) == 0,
	      "the line does not begin with gnomon: %s", first);
	CHECK(t, strstr(first, "; "), "the line does not say what to do: %s",
	      first);
	CHECK(t, strstr(first, word), "the line does not speak of %s: %s", word,
	      first);
}

uint64_t live_hits(struct live *t, const json_t *report, const char *class)
{
	const json_t *all = json_object_get(
		json_object_get(report, "probe_cost"), "classes");
	const json_t *one;
	size_t i;

	json_array_foreach(all, i, one)
	{
		if (!strcmp(json_string_value(json_object_get(one, "name")),
			    class))
			return live_number(t, one, "hits");
	}
	return 0;
}
