/* SPDX-License-Identifier: BSD-2-Clause */
/* The file of a module changes while a .NET program runs it: another file
 * replaces it, or it is overwritten or truncated. */
#include "clr.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The process is a shell first, so it is older than the file. */
static char *start_copy(struct live *t, struct live_talk *served)
{
	struct live_args a = {.n = 0};
	char *copy;

	clr_need(t);
	copy = clr_copy_demo(t);
	live_copy(t, live_fixture(t, "demo.pdb"),
		  live_text(t, "%s/demo.pdb", t->dir));
	live_add(t, &a, "/bin/sh", "-c",
		 "sleep 0.1; touch \"$1\"; exec \"$0\" \"$1\" served",
		 getenv("DOTNET"), copy, NULL);
	live_talk(t, &a, served);
	free(live_await(t, served->out, "ready"));
	return copy;
}

/* Counts gnomon's lines with the text, until a line begins with `until` or
 * gnomon ends. False: it ended. */
static bool count_told(struct live *t, int err, const char *until,
		       const char *text, unsigned int *told)
{
	bool found = false;
	char *line;

	while (!found && (line = live_await_or_end(t, err, "gnomon: "))) {
		*told += strstr(line, text) != NULL;
		found = until && !strncmp(line, until, strlen(until));
		free(line);
	}
	return found;
}

static void begin(struct live *t, const struct live_talk *served,
		  struct live_talk *gnomon)
{
	struct live_args a = {.n = 0};

	live_add(t, &a, t->gnomon, "run", "--format", "json", "-o",
		 live_text(t, "%s/report.json", t->dir), "-p",
		 live_text(t, "%d", (int)served->pid), "-f", "Demo.Service.*",
		 NULL);
	live_talk(t, &a, gnomon);
}

/* A session in which gnomon prints `text` this many times. */
static json_t *session(struct live *t, const struct live_talk *served,
		       const char *text, unsigned int times)
{
	struct live_talk gnomon;
	unsigned int told = 0;
	int code;

	begin(t, served, &gnomon);
	CHECK(t, count_told(t, gnomon.err, "gnomon: attached", text, &told),
	      "gnomon did not attach");
	free(clr_serve(t, served, "run 5"));
	CHECK(t, kill(gnomon.pid, SIGINT) == 0, "kill: %s", strerror(errno));
	count_told(t, gnomon.err, NULL, text, &told);
	code = live_wait(t, &gnomon);
	CHECK(t, code == 0, "gnomon ended with %d", code);
	CHECK(t, told == times, "'%s' is told %u times, not %u", text, told,
	      times);
	return live_load(t, live_text(t, "%s/report.json", t->dir));
}

static const json_t *function_of(const json_t *report, const char *name)
{
	const json_t *function;
	size_t i;

	json_array_foreach(
		json_object_get(report, "functions"), i,
		function) if (!strcmp(json_string_value(json_object_get(function,
									"nam"
									"e")),
				      name)) return function;
	return NULL;
}

/* Checks that each function that both have has the same place in the source, or
 * that `none` has a place. */
static void check_places(struct live *t, const json_t *first,
			 const json_t *then, bool none)
{
	static const char *const fields[] = {"file", "line"};
	const json_t *function;
	size_t i, same = 0;

	json_array_foreach(json_object_get(then, "functions"), i, function)
	{
		const char *name =
			json_string_value(json_object_get(function, "name"));
		const json_t *was = function_of(first, name);

		for (size_t k = 0; was && k < 2; k++) {
			json_t *a = json_object_get(was, fields[k]);
			json_t *b = json_object_get(function, fields[k]);

			CHECK(t, none ? !b : (!a && !b) || json_equal(a, b),
			      "%s has another %s", name, fields[k]);
			same += a != NULL;
		}
	}
	CHECK(t, same >= 2, "no function is in both reports and has lines");
}

/* An upgrade while the program runs: first of the module, then also of its
 * PDB. */
void test_attach_replaced(struct live *t)
{
	char *newer = live_text(t, "%s/newer", t->dir);
	char *pdb = live_text(t, "%s/demo.pdb", t->dir);
	struct live_talk served;
	char *copy = start_copy(t, &served);
	json_t *first = session(t, &served, "source lines", 0), *then;

	live_copy(t, live_fixture(t, "lines/lines.dll"), newer);
	CHECK(t, rename(newer, copy) == 0, "rename: %s", strerror(errno));
	then = session(t, &served, "source lines", 0);
	check_places(t, first, then, false);
	live_copy(t, live_fixture(t, "lines/lines.pdb"), newer);
	CHECK(t, rename(newer, pdb) == 0, "rename: %s", strerror(errno));
	then = session(t, &served,
		       "/demo.pdb is from another build than its module", 1);
	check_places(t, first, then, true);
	CHECK(t, live_finish(t, &served) == 0, "the program failed");
}

/* Overwrites the beginning of the file with the same bytes. */
static void write_same(struct live *t, const char *path)
{
	int fd = open(path, O_RDWR | O_CLOEXEC);
	char bytes[64];

	CHECK(t,
	      fd >= 0 && pread(fd, bytes, sizeof(bytes), 0) == sizeof(bytes) &&
		      pwrite(fd, bytes, sizeof(bytes), 0) == sizeof(bytes),
	      "%s: %s", path, strerror(errno));
	close(fd);
}

/* A process has the overwritten bytes mapped. Hooks in them could end the
 * program, so there are none, and gnomon says why. If the file is truncated,
 * the program ends, and gnomon says so, too. */
void test_attach_written(struct live *t)
{
	struct live_talk served, gnomon;
	char *copy = start_copy(t, &served);
	unsigned int told = 0;
	int code;

	session(t, &served, "was written to", 0);
	write_same(t, copy);
	begin(t, &served, &gnomon);
	count_told(t, gnomon.err, NULL,
		   "/demo.dll was written to while process ", &told);
	code = live_wait(t, &gnomon);
	CHECK(t, code == 1 && told == 1,
	      "gnomon ended with %d and said %u times why", code, told);
	free(clr_serve(t, &served, "run 5"));
	CHECK(t, truncate(copy, 0) == 0, "truncate: %s", strerror(errno));
	told = 0;
	begin(t, &served, &gnomon);
	count_told(t, gnomon.err, NULL, "", &told);
	code = live_wait(t, &gnomon);
	CHECK(t, code == 1 && told, "gnomon ended with %d and said %u lines",
	      code, told);
	kill(served.pid, SIGKILL);
}
