/* SPDX-License-Identifier: BSD-2-Clause */
/* Each call of a program, as --by calls reports it. */
#include "live.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define N PRIu64

json_t *live_calls_read(struct live *t, const char *path)
{
	json_t *calls = json_object(), *row;
	json_error_t error;
	char *rest, *line;
	size_t size;

	rest = live_read(t, path, &size);
	while ((line = strsep(&rest, "\n"))) {
		if (!*line)
			continue;
		row = json_loads(line, JSON_REJECT_DUPLICATES, &error);
		CHECK(t, row, "a row is no JSON: %s: %s", error.text, line);
		CHECK(t, json_object_get(row, "call"), "no call: %s", line);
		json_object_set_new(
			calls, live_text(t, "%" N, live_number(t, row, "call")),
			row);
	}
	return calls;
}

json_t *live_calls(struct live *t, const char *options,
		   const struct live_args *command, struct live_end *end)
{
	char *path = live_path(t, "calls.ndjson");
	struct live_args a = {.n = 0};

	live_add(t, &a, t->gnomon, "run", "-q", "--raw", "--by", "calls",
		 "--format", "ndjson", "-o", path, NULL);
	live_split(t, &a, options);
	live_add(t, &a, "--", NULL);
	for (size_t i = 0; i < command->n; i++)
		live_add(t, &a, command->word[i], NULL);
	live_run(t, &a, NULL, end);
	CHECK(t, end->code == 0, "gnomon ended with %d: %s", end->code,
	      end->err);
	return live_calls_read(t, path);
}

const json_t *live_caller(struct live *t, const json_t *calls,
			  const json_t *row)
{
	const json_t *parent;

	if (!json_object_get(row, "parent"))
		return NULL;
	parent = json_object_get(
		calls, live_text(t, "%" N, live_number(t, row, "parent")));
	CHECK(t, parent, "a call within one that there is not");
	return parent;
}

const char *live_called(const json_t *row)
{
	const char *name = json_string_value(json_object_get(row, "name"));

	return name ? name : "";
}

static void check_nest(struct live *t, const json_t *row, const json_t *parent)
{
	const char *name = live_called(row);

	CHECK(t,
	      live_number(t, row, "start_ns") >=
			      live_number(t, parent, "start_ns") &&
		      live_number(t, row, "end_ns") <=
			      live_number(t, parent, "end_ns"),
	      "a call of %s is not within its caller's", name);
	CHECK(t,
	      live_number(t, row, "elapsed_ns") <=
		      live_number(t, parent, "elapsed_ns"),
	      "a call of %s took longer than its caller", name);
	CHECK(t,
	      live_number(t, row, "depth") ==
		      live_number(t, parent, "depth") + 1,
	      "a call of %s is not a level deeper than its caller", name);
}

/* The number of calls of NAME, and the time of those that are not inside
 * another one. */
static uint64_t sum_up(struct live *t, json_t *calls, const char *name,
		       uint64_t *elapsed)
{
	uint64_t n = 0;
	const char *key;
	json_t *row;

	*elapsed = 0;
	json_object_foreach(calls, key, row)
	{
		const json_t *above = row;

		if (strcmp(live_called(row), name))
			continue;
		n++;
		while ((above = live_caller(t, calls, above)))
			if (!strcmp(live_called(above), name))
				break;
		if (!above)
			*elapsed += live_number(t, row, "elapsed_ns");
	}
	return n;
}

void live_calls_compare(struct live *t, json_t *calls, const char *out)
{
	struct live_truths *truths = calloc(1, sizeof(*truths));
	const char *key;
	uint64_t n, elapsed, inner;
	json_t *row;
	size_t seen = 0;

	CHECK(t, truths, "no memory");
	live_truths(t, out, truths);
	for (size_t i = 0; i < truths->n; i++) {
		const struct live_truth *line = &truths->line[i];

		if (strcmp(line->word, "calls"))
			continue;
		seen++;
		n = sum_up(t, calls, line->name, &elapsed);
		CHECK(t, n == line->value,
		      "%" N " calls of %s are told, it was called %" N, n,
		      line->name, line->value);
		inner = live_truth(truths, "inner", line->name);
		CHECK(t, elapsed + LIVE_CLOCK_NS >= inner,
		      "calls of %s: %" N " ns, it took %" N, line->name,
		      elapsed, inner);
	}
	CHECK(t, seen, "the program told of no calls");
	json_object_foreach(calls, key, row)
	{
		const json_t *parent = live_caller(t, calls, row);

		if (parent)
			check_nest(t, row, parent);
	}
	free(truths);
}

/* "TYPE VALUE" of an argument or a result. */
static char *value_text(struct live *t, const json_t *value)
{
	const json_t *v = json_object_get(value, "value");
	const char *type = json_string_value(json_object_get(value, "type"));

	if (type && !strcmp(type, "struct"))
		return live_text(t, "struct%s", v ? " with a value" : "");
	/* with all the digits of the double */
	return live_text(
		t, "%s %s%s", type,
		v ? json_dumps(v, JSON_ENCODE_ANY | JSON_REAL_PRECISION(15))
		  : "unreadable",
		json_object_get(value, "cut") ? " cut" : "");
}

static char *values_text(struct live *t, const json_t *row)
{
	const json_t *all = json_object_get(row, "arguments"), *one;
	char *text = "";
	size_t i, n[2] = {0};

	/* floating-point values are counted separately */
	json_array_foreach(all, i, one)
	{
		const char *name =
			json_string_value(json_object_get(one, "name"));
		const char *type =
			json_string_value(json_object_get(one, "type"));
		bool is_this = name && !strcmp(name, "this");
		size_t number = is_this ? 0 : ++n[type && *type == 'f'];

		CHECK(t,
		      is_this || (name && !strcmp(name, live_text(t, "arg%zu",
								  number))),
		      "argument %zu is called %s", i + 1, name);
		text = live_text(t, "%s%s%s", text, i ? ", " : "",
				 value_text(t, one));
	}
	one = json_object_get(row, "result");
	return one ? live_text(t, "%s = %s", text, value_text(t, one)) : text;
}

size_t live_calls_with(struct live *t, json_t *calls, const char *name,
		       const char *values)
{
	const char *key;
	json_t *row;
	size_t n = 0;

	json_object_foreach(calls, key, row) n +=
		!strcmp(live_called(row), name) &&
		!strcmp(values_text(t, row), values);
	return n;
}
