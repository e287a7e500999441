/* SPDX-License-Identifier: BSD-2-Clause */
#include "calls.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <jansson.h>

static int calls_in(const char *path, const char *name, json_int_t *calls)
{
	json_t *report = json_load_file(path, 0, NULL), *f;
	size_t i;
	int err = -EPROTO;

	json_array_foreach(json_object_get(report, "functions"), i, f)
	{
		const char *is = json_string_value(json_object_get(f, "name"));

		if (is && !strcmp(is, name)) {
			*calls =
				json_integer_value(json_object_get(f, "calls"));
			err = 0;
		}
	}
	json_decref(report);
	return err;
}

int check_calls(const struct bench *b)
{
	const char *const work[] = {"fib", "24", NULL};
	char dir[] = "/tmp/gnomon-bench-XXXXXX", path[64];
	json_int_t calls = 0;
	struct run run;
	int err;

	if (!mkdtemp(dir))
		return -errno;
	snprintf(path, sizeof(path), "%s/report", dir);
	err = run_work(b,
		       (const char *const[]){"run", "-q", "--format", "json",
					     "-o", path, "-f", "fib", NULL},
		       work, &run);
	if (!err)
		err = calls_in(path, "fib", &calls);
	unlink(path);
	rmdir(dir);
	if (err)
		return err;
	printf("  calls of fib: %" JSON_INTEGER_FORMAT " of %" PRIu64
	       "; goal: exact, %s\n",
	       calls, run.calls,
	       (uint64_t)calls == run.calls && !run.lost ? "met" : "NOT met");
	return 0;
}
