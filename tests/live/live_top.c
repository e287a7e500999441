/* SPDX-License-Identifier: BSD-2-Clause */
/* Runs the fixture with gnomon beside it, and reads the periods. */
#include "live_top.h"

#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define N PRIu64

pid_t top_start(struct live *t, struct live_talk *top)
{
	struct live_args a = {.n = 0};
	int pid;

	live_command(t, &a, "top");
	live_talk(t, &a, top);
	CHECK(t,
	      sscanf(live_await(t, top->out, "ready "), "ready %d", &pid) == 1,
	      "the fixture is not ready");
	return pid;
}

/* Reads the rest. */
static char *read_rest(struct live *t, int fd)
{
	size_t size = 0, used = 0;
	char *text = NULL;
	ssize_t n;

	do {
		if (used + 1 >= size) {
			size = size ? 2 * size : 65536;
			text = realloc(text, size);
			CHECK(t, text, "no memory");
		}
		n = read(fd, text + used, size - used - 1);
		used += n > 0 ? (size_t)n : 0;
	} while (n > 0 || (n < 0 && errno == EINTR));
	text[used] = '\0';
	return text;
}

char *top_quit(struct live *t, struct live_talk *top)
{
	char *text;
	int code;

	live_tell(t, top, "quit");
	text = read_rest(t, top->out);
	code = live_finish(t, top);
	CHECK(t, code == 0, "the fixture ended with %d: %s", code,
	      read_rest(t, top->err));
	return text;
}

void top_attach(struct live *t, const char *options, pid_t pid,
		struct top_view *v)
{
	struct live_args a = {.n = 0};

	memset(v, 0, sizeof(*v));
	live_add(t, &a, t->gnomon, "top", "-b", "--format", "json", "-p",
		 live_text(t, "%d", pid), NULL);
	live_split(t, &a, options);
	live_talk(t, &a, &v->talk);
	live_await(t, v->talk.err, "gnomon: attached");
}

/* Reads more bytes; false at the end. */
static bool read_more(struct live *t, struct top_view *v)
{
	ssize_t n;

	if (v->taken) {
		memmove(v->text, v->text + v->taken, v->size - v->taken);
		v->size -= v->taken;
		v->taken = 0;
	}
	v->text = realloc(v->text, v->size + 65536 + 1);
	CHECK(t, v->text, "no memory");
	do
		n = read(v->talk.out, v->text + v->size, 65536);
	while (n < 0 && errno == EINTR);
	v->over = n <= 0;
	v->size += n > 0 ? (size_t)n : 0;
	v->text[v->size] = '\0';
	return !v->over;
}

/* The functions of each thread add up to its time. */
static void check_shares(struct live *t, const json_t *period)
{
	const json_t *thread, *share;
	uint64_t sum, elapsed;
	size_t i, k;

	json_array_foreach(json_object_get(period, "threads"), i, thread)
	{
		sum = 0;
		elapsed = live_number(t, thread, "elapsed_ns");
		json_array_foreach(json_object_get(thread, "functions"), k,
				   share) sum +=
			live_number(t, share, "elapsed_exclusive_ns");
		CHECK(t, sum == elapsed,
		      "thread %" N " has %" N " ns, its functions %" N,
		      live_number(t, thread, "tid"), elapsed, sum);
	}
}

/* The first period begins when tracing begins, however late gnomon looks. */
static void check_length(struct live *t, const json_t *period)
{
	uint64_t length = live_number(t, period, "period.length_ns");
	uint64_t wall = live_number(t, period, "session.wall_ns");

	if (live_number(t, period, "period.number") == 1)
		CHECK(t, wall <= length,
		      "a period of %" N " ns has times of %" N " ns", length,
		      wall);
}

void top_code(struct live *t, int code, int want, const char *err)
{
	CHECK(t, code == want, "gnomon ended with %d, not %d: %s", code, want,
	      err);
}

static json_t *parse(struct live *t, const char *line, size_t size)
{
	json_error_t error;
	json_t *period = json_loadb(line, size, JSON_REJECT_DUPLICATES, &error);

	CHECK(t, period, "a period is no JSON: %s: %.200s", error.text, line);
	CHECK(t, live_number(t, period, "version") == 2,
	      "the version is not 2");
	live_clean(t, period);
	check_shares(t, period);
	check_length(t, period);
	return period;
}

json_t *top_period(struct live *t, struct top_view *v)
{
	char *line, *end;
	json_t *period;

	for (;;) {
		line = v->text ? v->text + v->taken : NULL;
		end = line ? memchr(line, '\n', v->size - v->taken) : NULL;
		if (end) {
			v->taken = (size_t)(end + 1 - v->text);
			period = parse(t, line, (size_t)(end - line));
			return period;
		}
		if (!v->over && read_more(t, v))
			continue;
		CHECK(t, v->taken == v->size, "half a line at the end");
		return NULL;
	}
}

json_t *top_next(struct live *t, struct top_view *v)
{
	json_t *period = top_period(t, v);

	CHECK(t, period, "gnomon has ended by itself: %s",
	      read_rest(t, v->talk.err));
	return period;
}

json_t *top_fresh(struct live *t, struct top_view *v)
{
	uint64_t now = live_now();
	json_t *period = top_next(t, v);

	while (live_number(t, period, "period.start_ns") < now) {
		json_decref(period);
		period = top_next(t, v);
	}
	return period;
}

void top_detach(struct live *t, struct top_view *v)
{
	int code;

	CHECK(t, kill(v->talk.pid, SIGINT) == 0,
	      "gnomon has ended by itself: %s", strerror(errno));
	while (top_period(t, v))
		;
	code = live_finish(t, &v->talk);
	top_code(t, code, 0, read_rest(t, v->talk.err));
}

json_t *top_parse(struct live *t, const char *text)
{
	json_t *periods = json_array();
	const char *end;

	for (; (end = strchr(text, '\n')); text = end + 1)
		json_array_append_new(periods,
				      parse(t, text, (size_t)(end - text)));
	CHECK(t, !*text, "half a line at the end: %.100s", text);
	return periods;
}

json_t *top_run(struct live *t, const char *options, const char *input,
		struct live_end *end)
{
	char *path = live_path(t, "periods");
	struct live_start how = {.input = input};
	struct live_args a = {.n = 0};
	json_t *periods;
	char *complaint;

	live_add(t, &a, t->gnomon, "top", "-b", "--format", "json", "-o", path,
		 NULL);
	live_split(t, &a, options);
	live_add(t, &a, "--", live_fixture(t, "top"), NULL);
	live_run(t, &a, &how, end);
	periods = top_parse(t, live_read(t, path, NULL));
	CHECK(t, live_complaints(t, end->err, &complaint) == 0,
	      "gnomon complains: %s", complaint);
	return periods;
}

json_t *top_thread(const json_t *period, pid_t tid)
{
	json_t *thread;
	size_t i;

	json_array_foreach(json_object_get(period, "threads"), i, thread)
	{
		if (json_integer_value(json_object_get(thread, "tid")) == tid)
			return thread;
	}
	return NULL;
}

bool top_is(const json_t *object, const char *key, const char *text)
{
	const char *is = json_string_value(json_object_get(object, key));

	return is && strcmp(is, text) == 0;
}

json_t *top_named(const json_t *period, const char *name)
{
	json_t *thread;
	size_t i;

	json_array_foreach(json_object_get(period, "threads"), i, thread)
	{
		if (top_is(thread, "name", name))
			return thread;
	}
	return NULL;
}

size_t top_count(const json_t *period, const char *name, pid_t pid)
{
	json_t *thread;
	size_t i, n = 0;

	json_array_foreach(json_object_get(period, "threads"), i, thread)
	{
		if (top_is(thread, "name", name) &&
		    (!pid ||
		     json_integer_value(json_object_get(thread, "pid")) == pid))
			n++;
	}
	return n;
}

const char *top_function(struct live *t, const json_t *period,
			 const json_t *index)
{
	const json_t *f;
	size_t i;

	if (json_is_null(index))
		return "";
	json_array_foreach(json_object_get(period, "functions"), i, f)
	{
		if (json_equal(json_object_get(f, "index"), index))
			return json_string_value(json_object_get(f, "name"));
	}
	live_fail(t, "there is no function %" JSON_INTEGER_FORMAT,
		  json_integer_value(index));
}

uint64_t top_of(struct live *t, const json_t *period, const char *function,
		const char *field)
{
	return live_function(t, period, NULL, function, field, NULL);
}

bool top_muted(const json_t *period, const char *function)
{
	const json_t *budget = json_object_get(period, "budget"), *f;
	size_t i;

	json_array_foreach(json_object_get(budget, "muted"), i, f)
	{
		if (top_is(f, "name", function))
			return true;
	}
	return false;
}

void top_demo(struct live *t, struct live_args *a, const char *topic)
{
	const char *dotnet = getenv("DOTNET");

	if (!dotnet || !*dotnet)
		live_skip(t, "no .NET SDK; install one and configure again");
	live_add(t, a, dotnet, live_fixture(t, "../dotnet/demo.dll"), NULL);
	live_split(t, a, topic);
}

void top_words(struct live *t, const char *words, struct live_end *end)
{
	struct live_args a = {.n = 0};

	live_add(t, &a, t->gnomon, NULL);
	live_split(t, &a, words);
	live_run(t, &a, NULL, end);
}
