/* SPDX-License-Identifier: BSD-2-Clause */
/* The CPU time of collections on several threads, compared with the kernel's
 * account of these threads. */
#include "clr.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define N PRIu64

/* The collections that the program requested, without the first. */
static uint64_t forced_cpu(struct live *t, const json_t *report, uint64_t *n)
{
	const json_t *gc = json_object_get(report, "gc"), *row;
	uint64_t ns = 0;
	size_t i;

	*n = 0;
	json_array_foreach(gc, i, row)
	{
		const json_t *reason = json_object_get(row, "reason");

		if (!json_is_string(reason) ||
		    strcmp(json_string_value(reason), "induced") != 0 ||
		    !(*n)++)
			continue;
		CHECK(t, json_object_get(row, "cpu_ns"),
		      "collection %" N " has no time on a CPU", *n);
		ns += live_number(t, row, "cpu_ns");
	}
	return ns;
}

/* These threads do nothing else, except page faults and the way into and out of
 * a collection. With only one thread counted it would be half. */
void test_collects(struct live *t)
{
	static char *const env[] = {"DOTNET_gcServer=1",
				    "DOTNET_gcConcurrent=0",
				    "DOTNET_GCHeapCount=2",
				    "DOTNET_GCDynamicAdaptationMode=0", NULL};
	const struct live_start how = {.env = env};
	struct live_truths *truths = calloc(1, sizeof(*truths));
	struct live_args run = {.n = 0};
	char *out = live_path(t, "report");
	uint64_t cpu, kernel, n;
	struct live_end end;
	json_t *report;

	clr_need(t);
	CHECK(t, truths, "no memory");
	live_add(t, &run, t->gnomon, "run", "--clr", "light", "--by", "gc",
		 "--format", "json", "-o", out, "--", NULL);
	clr_demo(t, &run, "collects");
	live_run(t, &run, &how, &end);
	CHECK(t, end.code == 0, "gnomon ended with %d: %s", end.code, end.err);
	live_truths(t, end.out, truths);
	report = json_load_file(out, 0, NULL);
	CHECK(t, report, "no report");
	cpu = forced_cpu(t, report, &n);
	kernel = live_truth(truths, "cpu", "collectors");
	CHECK(t, n == live_truth(truths, "collected", "forced"),
	      "%" N " collections were asked for, %" N " are told",
	      live_truth(truths, "collected", "forced"), n);
	CHECK(t, cpu <= kernel && cpu > kernel / 3 * 2,
	      "collections had %" N " ns of CPUs, and their threads %" N, cpu,
	      kernel);
	json_decref(report);
	free(truths);
}
