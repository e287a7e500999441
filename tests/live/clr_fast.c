/* SPDX-License-Identifier: BSD-2-Clause */
/* Hooks without traps: the same report as with probes. */
#include "clr.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <gnomon/fast.h>

#define N PRIu64

/* Hits that were no probes. If the machine's time-stamp counter cannot be used,
 * gnomon says so and the test is skipped. */
static uint64_t fast_hits(struct live *t, const struct live_end *end,
			  json_t *report)
{
	const char *why = strstr(end->err, "--hooks fast: ");
	json_t *class;
	size_t i;

	if (why)
		live_skip(t, "%s", why);
	json_array_foreach(
		json_object_get(json_object_get(report, "probe_cost"),
				"classes"),
		i, class)
	{
		const char *name =
			json_string_value(json_object_get(class, "name"));

		if (name && !strcmp(name, "fast"))
			return live_number(t, class, "hits");
	}
	return 0;
}

/* The program's own counts, compared with a report by fast hooks. The name of
 * the test is the topic. */
void test_fast_truth(struct live *t)
{
	struct live_args command = {.n = 0};
	struct clr_pair pair;
	uint64_t hits;

	clr_need(t);
	clr_demo(t, &command, t->name + strlen("fast-"));
	clr_pair(t, "--hooks fast", &command, &pair);
	clr_compare(t, &pair, 0);
	hits = fast_hits(t, &pair.traced, pair.report);
	CHECK(t, hits > 1000, "%" N " hits of fast hooks", hits);
}

/* Hooks in the IL of methods. */
void test_fast_rejit(struct live *t)
{
	static const char *const topics[] = {"exceptions", "threads", "async"};

	clr_need(t);
	for (int i = 0; i < 3; i++) {
		struct live_args command = {.n = 0};
		struct clr_pair pair;
		uint64_t hits;

		clr_demo(t, &command, topics[i]);
		clr_pair(t, "--hooks fast --clr-hooks rejit -f Demo.*",
			 &command, &pair);
		clr_compare(t, &pair, 0);
		hits = fast_hits(t, &pair.traced, pair.report);
		CHECK(t, hits > 100, "%" N " hits of fast hooks", hits);
	}
}

/* Each single call has the function's name, whichever thread sent that name. */
void test_fast_named(struct live *t)
{
	static const char *const names[] = {"First",  "Second", "Third",
					    "Fourth", "Fifth",	"Sixth"};
	char *path = live_path(t, "calls"), *calls;
	struct live_args a = {.n = 0};
	struct live_end end;

	clr_need(t);
	live_add(t, &a, t->gnomon, "run", "--hooks", "fast", "--clr-hooks",
		 "elt", "-f", "Demo.Named.*", "--by", "calls", "--format",
		 "ndjson", "-o", path, "--", NULL);
	clr_demo(t, &a, "named");
	live_run(t, &a, NULL, &end);
	CHECK(t, end.status == 0, "status %d: %s", end.status, end.err);
	if (strstr(end.err, "--hooks fast: "))
		live_skip(t, "no fast hooks");
	calls = live_read(t, path, NULL);
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		char *name = live_text(t, "\"Demo.Named.%s()\"", names[i]);
		const char *at = strstr(calls, name);

		CHECK(t, at && strstr(at + 1, name), "calls of %s in %s", name,
		      calls);
	}
}

static int compare(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

/* A path is long, so a hash identifies it. */
static uint64_t extend(uint64_t hash, const char *name)
{
	while (*name)
		hash = (hash ^ (unsigned char)*name++) * 0x100000001b3;
	return hash * 0x100000001b3;
}

/* A line for each path of the call tree that leads to a function of the topic,
 * with its calls: the part that is the same in each run. */
static char *paths(struct live *t, json_t *report)
{
	json_t *nodes = json_object_get(report, "nodes"), *node;
	size_t i, k = 0, n = json_array_size(nodes), size;
	uint64_t *hash = calloc(n + 1, sizeof(*hash));
	char **line = calloc(n + 1, sizeof(*line)), *text;
	FILE *f = open_memstream(&text, &size);

	CHECK(t, hash && line && f && n, "no tree");
	json_array_foreach(nodes, i, node)
	{
		size_t parent = (size_t)json_integer_value(
			json_object_get(node, "parent"));
		const char *name =
			json_string_value(json_object_get(node, "name"));

		hash[i] = extend(i ? hash[parent] : 1, name);
		if (strstr(name, "Demo.Recursion."))
			line[k++] = live_text(t, "%s %" PRIx64 " %" N, name,
					      hash[i],
					      live_number(t, node, "calls"));
	}
	qsort(line, k, sizeof(*line), compare);
	for (i = 0; i < k; i++)
		fprintf(f, "%s\n", line[i]);
	CHECK(t, fclose(f) == 0, "no memory");
	return text;
}

void test_fast_same(struct live *t)
{
	static const char *const how[] = {"--tree --hooks uprobe",
					  "--tree --hooks fast"};
	struct live_args command = {.n = 0};
	json_t *report[2];
	struct live_end end[2];
	char *text[2];

	clr_need(t);
	clr_demo(t, &command, "recursion");
	for (int i = 0; i < 2; i++) {
		clr_trace(t, how[i], NULL, &command, &end[i], &report[i]);
		CHECK(t, !end[i].code && report[i], "ended with %d: %s",
		      end[i].code, end[i].err);
		clr_closed(t, report[i]);
		text[i] = paths(t, report[i]);
	}
	CHECK(t, fast_hits(t, &end[0], report[0]) == 0, "probes are none");
	CHECK(t, fast_hits(t, &end[1], report[1]) > 1000, "hooks are probes");
	CHECK(t, strstr(text[0], "Fib"), "no path to Fib");
	live_same(t, "the call tree", text[1], text[0]);
}

/* The program is killed if it maps the memory that fast hooks need. It gets
 * probes, and the report says why. */
void test_fast_filtered(struct live *t)
{
	char *path = live_path(t, "report.txt"), *report;
	struct live_args a = {.n = 0};
	struct live_end end;

	clr_need(t);
	live_add(t, &a, t->gnomon, "run", "-o", path, "--",
		 live_fixture(t, "../native/filtered"), NULL);
	clr_demo(t, &a, "recursion");
	live_run(t, &a, NULL, &end);
	CHECK(t, end.code == 0, "ended with %d: %s", end.code, end.err);
	report = live_read(t, path, NULL);
	CHECK(t, strstr(report, "has a seccomp filter"), "no reason: %s",
	      report);
	CHECK(t, strstr(report, "Recursion.Fib"), "no functions: %s", report);
}

/* Reads this part of the process's memory as a debugger does. */
static void read_memory(struct live *t, int mem, uint64_t from, uint64_t to)
{
	char piece[65536];

	while (from < to) {
		uint64_t left = to - from;
		ssize_t got = pread(mem, piece,
				    left < sizeof(piece) ? left : sizeof(piece),
				    (off_t)from);

		CHECK(t, got > 0, "reading: %s", strerror(errno));
		from += (uint64_t)got;
	}
}

/* Reads what the process can read of its fast hooks' memory, and returns how
 * many bytes that are. */
static uint64_t read_shared(struct live *t, const struct live_talk *served)
{
	FILE *f = fopen(live_text(t, "/proc/%d/maps", (int)served->pid), "re");
	int mem = open(live_text(t, "/proc/%d/mem", (int)served->pid),
		       O_RDONLY | O_CLOEXEC);
	uint64_t from, to, read = 0;
	char line[4200], how[5];

	CHECK(t, f && mem >= 0, "cannot read the memory: %s", strerror(errno));
	while (fgets(line, sizeof(line), f)) {
		if (!strstr(line, "memfd:gnomon ") ||
		    sscanf(line, "%" SCNx64 "-%" SCNx64 " %4s", &from, &to,
			   how) != 3 ||
		    how[0] != 'r')
			continue;
		read_memory(t, mem, from, to);
		read += to - from;
	}
	close(mem);
	fclose(f);
	return read;
}

/* Tools that write dumps, as .NET's createdump does, read all memory that the
 * program can read; the kernel then allocates it. That must be what is in use:
 * control blocks, slot 0, and the rings of threads. */
void test_fast_dumped(struct live *t)
{
	const uint64_t most = GN_FAST_DATA + GN_FAST_SLOT + 64 * GN_FAST_FIRST;
	struct live_talk served, gnomon;
	json_t *report;
	uint64_t read;

	clr_need(t);
	clr_start_served(t, &served);
	clr_attach(t, &served, "--hooks fast -f Demo.Service.*", &gnomon);
	clr_serve(t, &served, "run 20");
	read = read_shared(t, &served);
	clr_serve(t, &served, "run 50");
	report = clr_detach(t, &gnomon);
	CHECK(t, read > GN_FAST_DATA && read <= most,
	      "a dump has %" N " bytes of the fast hooks, not up to %" N, read,
	      most);
	clr_closed(t, report);
	CHECK(t, live_finish(t, &served) == 0, "the program failed");
}
