/* SPDX-License-Identifier: BSD-2-Clause */
/* The work of gnomon's library in a process that it is attached to, compared
 * with the kernel's account of the threads that do it. */
#include "clr.h"

#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define N PRIu64

static bool scan(const char *path, const char *format, void *to)
{
	FILE *f = fopen(path, "re");
	bool found = f && fscanf(f, format, to) == 1;

	if (f)
		fclose(f);
	return found;
}

/* The kernel's CPU time of the threads on which the runtime handles requests
 * and sends what a session needs. */
static uint64_t request_cpu(struct live *t, const struct live_talk *served)
{
	const char *tasks = live_text(t, "/proc/%d/task", (int)served->pid);
	unsigned long long ns = 0, all = 0;
	DIR *dir = opendir(tasks);
	struct dirent *e;
	char comm[16];

	CHECK(t, dir, "%s: %s", tasks, strerror(errno));
	while ((e = readdir(dir))) {
		const char *of = live_text(t, "%s/%s", tasks, e->d_name);

		if (!scan(live_text(t, "%s/comm", of), "%15[^\n]", comm) ||
		    strcmp(comm, ".NET EventPipe") != 0)
			continue;
		CHECK(t, scan(live_text(t, "%s/schedstat", of), "%llu", &ns),
		      "%s: no account", of);
		all += ns;
	}
	closedir(dir);
	return all;
}

/* One session with every method; all times in ns. */
struct own_work {
	uint64_t app, told, kernel;
};

static struct own_work work_of(struct live *t, const struct live_talk *served,
			       const char *raw)
{
	struct own_work w = {.kernel = request_cpu(t, served)};
	struct live_talk gnomon;
	const json_t *thread;
	json_t *report;
	size_t i;

	clr_begin_attach(t, served, live_text(t, "%s -f *", raw), &gnomon);
	free(live_await(t, gnomon.err, "gnomon: attached"));
	report = clr_detach(t, &gnomon);
	w.kernel = request_cpu(t, served) - w.kernel;
	w.told = live_number(t, report, "probe_cost.own_work_ns");
	json_array_foreach(json_object_get(report, "threads"), i, thread)
	{
		const json_t *name = json_object_get(thread, "name");

		if (!strcmp(json_string_value(name), ".NET EventPipe"))
			w.app += live_number(t, thread, "application_ns");
	}
	json_decref(report);
	return w;
}

/* The work that gnomon's library does on a thread of the runtime is not the
 * program's time; --raw includes it. */
void test_attach_own_work(struct live *t)
{
	struct live_talk served;
	struct own_work w;

	clr_start_served(t, &served);
	w = work_of(t, &served, "");
	CHECK(t, w.app < w.kernel / 10 && w.told > w.kernel / 2,
	      "of %" N " ns on CPUs %" N " are the program's, %" N " gnomon's",
	      w.kernel, w.app, w.told);
	w = work_of(t, &served, "--raw");
	CHECK(t, w.app > w.kernel / 2 && !w.told,
	      "raw: of %" N " ns on CPUs %" N " are the program's, %" N
	      " gnomon's",
	      w.kernel, w.app, w.told);
	CHECK(t, live_finish(t, &served) == 0, "the program failed");
}
