/* SPDX-License-Identifier: BSD-2-Clause */
/* Samples of Python programs, in each version that is found. */
#include "live_python.h"
#include "live_sampled.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static struct live_sampled python(const char *path)
{
	return (struct live_sampled){"python", path, "sampled.py"};
}

static void check_attached(struct live *t, const char *topic)
{
	for (char **p = live_pythons(t); *p; p++) {
		const struct live_sampled s = python(*p);

		live_sampled_attached(t, &s, topic);
	}
}

void python_samples_attached(struct live *t)
{
	check_attached(t, "shares");
}

void python_samples_suggested(struct live *t)
{
	for (char **p = live_pythons(t); *p; p++) {
		const struct live_sampled s = python(*p);

		live_sampled_suggested(t, &s, "Python");
	}
}

void python_samples_threads(struct live *t)
{
	check_attached(t, "threads");
}

/* A child has the functions of its parent at once. */
void python_samples_fork(struct live *t)
{
	check_attached(t, "fork");
}

void python_samples_renewed(struct live *t)
{
	check_attached(t, "renewed");
}

void python_samples_deep(struct live *t)
{
	for (char **p = live_pythons(t); *p; p++) {
		const struct live_sampled s = python(*p);

		live_sampled_deep(t, &s, "__main__.down", "__main__.first");
	}
}

void python_samples_started(struct live *t)
{
	for (char **p = live_pythons(t); *p; p++) {
		const struct live_sampled s = python(*p);

		live_sampled_started(t, &s);
	}
}

static const char *native(struct live *t, const char *name)
{
	return live_text(t, "%s/%s", getenv("NATIVE") ?: "", name);
}

/* A program that has CPython as a library. */
void python_samples_embedded(struct live *t)
{
	size_t n = 0;

	for (char **p = live_pythons(t); *p; p++) {
		const struct live_sampled s = python(*p);
		char *library = live_python_library(t, *p), *code;
		char *const env[] = {
			live_text(t, "PYTHONHOME=%s", live_python_home(t, *p)),
			NULL};
		struct live_args command = {.n = 0};
		struct live_end end;
		json_t *report;

		if (!library)
			continue;
		code = live_text(t,
				 "import sys; p = '%s/sampled.py'\n"
				 "sys.argv = [p, 'shares', '" LIVE_BURNT_MS
				 "']\n"
				 "exec(compile(open(p, encoding='utf-8')"
				 ".read(), p, 'exec'))",
				 t->fixtures);
		live_add(t, &command, (char *)native(t, "embedded"), library,
			 code, NULL);
		report = live_sampled_start(t, &command, env, &end);
		live_sampled_check(t, &s, report, end.out);
		json_decref(report);
		n++;
	}
	if (!n)
		live_skip(t, "no Python here has a shared library");
}

void python_samples_stacks(struct live *t)
{
	for (char **p = live_pythons(t); *p; p++) {
		const struct live_sampled s = python(*p);

		live_sampled_stacks(t, &s,
				    ";__main__.<module>;__main__.main;"
				    "__main__.shares;__main__.both;"
				    "__main__.first ");
	}
}

void python_samples_hostile(struct live *t)
{
	static const struct live_sampled_trap traps[] = {
		{"threads", "strange", false, "burn"},
		{"frames", "cut", true, "f0"},
		{"wild", "unread", false, "burn"},
		{"kernel", "unread", false, "burn"},
		{"type", "strange", false, "burn"},
		{"names", "stacks", true, NULL},
		{"long", "stacks", true, NULL},
	};
	const struct live_sampled s = python(native(t, "fake_python"));

	live_sampled_hostile(t, &s, traps, sizeof(traps) / sizeof(*traps));
}
