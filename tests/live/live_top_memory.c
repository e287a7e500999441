/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What gnomon keeps about the past: its own memory after N and after 10 N
 * threads or processes, and the names that the kernel side keeps for a process.
 */
#include "live_top.h"

#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <linux/bpf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <gnomon/control.h>

#define N PRIu64

#define PATIENCE 400 /* number of pauses */
#define PERIODS	 100

/* A sanitizer keeps freed memory. */
#ifdef LIVE_SANITIZED
#define MEASURED false
#else
#define MEASURED true
#endif

/* How much gnomon may grow: tables that double, a burst in a period. Keeping
 * ten times as many objects would need more. */
#define GROWTH (6u << 20)

static pid_t start(struct live *t, const char *fixture, struct live_talk *talk)
{
	struct live_args a = {.n = 0};
	int pid;

	live_command(t, &a, fixture);
	live_talk(t, &a, talk);
	CHECK(t,
	      sscanf(live_await(t, talk->out, "ready "), "ready %d", &pid) == 1,
	      "the fixture is not ready");
	return pid;
}

/* gnomon's private memory: the pages of the ring come into use gradually. */
static uint64_t own_size(struct live *t, pid_t gnomon)
{
	FILE *f = fopen(live_text(t, "/proc/%d/status", gnomon), "re");
	uint64_t kib = 0;
	char line[256];

	while (f && fgets(line, sizeof(line), f) &&
	       sscanf(line, "RssAnon: %" SCNu64, &kib) != 1)
		;
	if (f)
		fclose(f);
	CHECK(t, kib, "gnomon's size is not told");
	return kib << 10;
}

static char *text_of(struct live *t, const json_t *period, const char *key)
{
	char *text = json_dumps(json_object_get(period, key), JSON_COMPACT);

	CHECK(t, text, "a period has no %s", key);
	return text;
}

/* Waits until the last of them has ended, which may be after the program
 * continues. */
static void await_one(struct live *t, struct top_view *v, const char *command)
{
	char *threads = "", *which = "";
	size_t n = 0;

	for (int i = 0; i < PERIODS && n != 1; i++) {
		json_t *period = top_next(t, v);

		n = json_array_size(json_object_get(period, "threads"));
		threads = text_of(t, period, "threads");
		which = text_of(t, period, "period");
		CHECK(t, live_number(t, period, "lost_total.records") == 0,
		      "%s: records were lost: %s", command,
		      text_of(t, period, "lost_total"));
		json_decref(period);
	}
	CHECK(t, n == 1,
	      "%s: %zu threads are there, not 1, in the period %s: %s", command,
	      n, which, threads);
}

/* Repeats the command and waits until it is shown, again and again. Returns the
 * size then. No more run at the same time than one period reports, because that
 * is what gnomon keeps of them. */
static uint64_t size_after(struct live *t, struct live_talk *talk,
			   struct top_view *v, const char *command,
			   unsigned int times)
{
	while (times--) {
		live_ask(t, talk, command);
		json_decref(top_fresh(t, v));
	}
	await_one(t, v, command);
	return own_size(t, v->talk.pid);
}

static void many_of(struct live *t, const char *command)
{
	struct live_talk talk;
	struct top_view v;
	pid_t pid = start(t, "endless", &talk);
	uint64_t once, often;

	top_attach(t, "-d 50ms -f brief", pid, &v);
	once = size_after(t, &talk, &v, command, 4);
	often = size_after(t, &talk, &v, command, 40);
	if (MEASURED)
		CHECK(t, often < once + GROWTH,
		      "%s: gnomon has %" N " bytes after 4, %" N
		      " after 40 more",
		      command, once, often);
	top_detach(t, &v);
	live_tell(t, &talk, "quit");
	live_finish(t, &talk);
}

void test_top_renames(struct live *t)
{
	many_of(t, "rename 20000");
}

void test_top_threads(struct live *t)
{
	many_of(t, "threads 500");
}

void test_top_processes(struct live *t)
{
	many_of(t, "processes 50");
	many_of(t, "execs 20");
}

/* So many that not all of them can have come before a gnomon that stalls for a
 * second ends the period. */
#define MANY 32000

/* All in one period that does not end. */
void test_top_long_period(struct live *t)
{
	struct live_talk talk;
	struct top_view v;
	pid_t pid = start(t, "endless", &talk);
	uint64_t ended = 0;
	json_t *period;
	int i;

	top_attach(t, "-d 1h --no-functions --ring-size 64M", pid, &v);
	live_tell(t, &talk, live_text(t, "threads %d", MANY));
	period = top_next(t, &v);
	live_await(t, talk.out, "done");
	for (i = 0;
	     i < (int)json_array_size(json_object_get(period, "threads")); i++)
		ended += top_is(
			json_array_get(json_object_get(period, "threads"),
				       (size_t)i),
			"state", "ended");
	/* the period ends before all of them have come, and reports what it
	 * has */
	CHECK(t, ended >= 16384 && ended < MANY,
	      "%" N " threads ended in the first period", ended);
	CHECK(t, live_number(t, period, "period.number") == 1, "its number");
	json_decref(period);
	top_detach(t, &v);
	live_tell(t, &talk, "quit");
	live_finish(t, &talk);
}

static int bpf(int cmd, union bpf_attr *attr)
{
	return (int)syscall(SYS_bpf, cmd, attr, sizeof(*attr));
}

/* A map of gnomon, by the end of its name; -1: there is none. */
static int map_of(struct live *t, pid_t gnomon, const char *name)
{
	char *path = live_text(t, "/proc/%d/fdinfo", gnomon), line[256];
	DIR *dir = opendir(path);
	struct dirent *e;
	int found = -1;

	CHECK(t, dir, "%s: %s", path, strerror(errno));
	while (found < 0 && (e = readdir(dir))) {
		FILE *f = fopen(live_text(t, "%s/%s", path, e->d_name), "re");
		struct bpf_map_info info = {0};
		union bpf_attr attr = {0};
		unsigned int id = 0;
		int fd;

		while (f && fgets(line, sizeof(line), f) &&
		       sscanf(line, "map_id: %u", &id) != 1)
			;
		if (f)
			fclose(f);
		if (!id)
			continue;
		attr.map_id = id;
		fd = bpf(BPF_MAP_GET_FD_BY_ID, &attr);
		attr = (union bpf_attr){.info = {.bpf_fd = (unsigned int)fd,
						 .info_len = sizeof(info),
						 .info = (uintptr_t)&info}};
		if (fd >= 0 && !bpf(BPF_OBJ_GET_INFO_BY_FD, &attr) &&
		    strlen(info.name) >= strlen(name) &&
		    !strcmp(info.name + strlen(info.name) - strlen(name), name))
			found = fd;
		else if (fd >= 0)
			close(fd);
	}
	closedir(dir);
	CHECK(t, found >= 0, "gnomon has no map %s", name);
	return found;
}

/* How many names of functions wait to be sent, by the kernel side's counter. It
 * is in the control block, which is first in its map. */
static unsigned int count_of(struct live *t, pid_t gnomon)
{
	struct bpf_map_info info = {0};
	union bpf_attr attr = {0};
	struct gn_control *control;
	unsigned int zero = 0, unsent;
	int fd = map_of(t, gnomon, ".bss");

	attr.info.bpf_fd = (unsigned int)fd;
	attr.info.info_len = sizeof(info);
	attr.info.info = (uintptr_t)&info;
	CHECK(t, !bpf(BPF_OBJ_GET_INFO_BY_FD, &attr), "the map is unknown: %s",
	      strerror(errno));
	control = calloc(1, info.value_size);
	CHECK(t, control, "no memory");
	attr = (union bpf_attr){.map_fd = (unsigned int)fd,
				.key = (uintptr_t)&zero,
				.value = (uintptr_t)control};
	CHECK(t,
	      !bpf(BPF_MAP_LOOKUP_ELEM, &attr) && control->start &&
		      control->stop == UINT64_MAX,
	      "the control block cannot be read: %s", strerror(errno));
	close(fd);
	unsent = control->unsent;
	free(control);
	return unsent;
}

/* The same, counted from the names themselves. */
static unsigned int names_of(struct live *t, pid_t gnomon)
{
	int fd = map_of(t, gnomon, "unsent");
	unsigned char key[64], next[64];
	union bpf_attr attr = {.map_fd = (unsigned int)fd,
			       .next_key = (uintptr_t)next};
	unsigned int n = 0;

	while (!bpf(BPF_MAP_GET_NEXT_KEY, &attr)) {
		memcpy(key, next, sizeof(key));
		attr.key = (uintptr_t)key;
		n++;
	}
	close(fd);
	return n;
}

/* The same for all processes. The two are equal, except during a change. */
static unsigned int unsent(struct live *t, pid_t gnomon)
{
	unsigned int before = 0, n = 0, after = 0;

	for (int i = 0; i < PATIENCE; i++) {
		before = count_of(t, gnomon);
		n = names_of(t, gnomon);
		after = count_of(t, gnomon);
		if (n == before && n == after)
			return n;
		live_pause(5);
	}
	live_fail(t, "%u names are kept, but %u and then %u are counted", n,
		  before, after);
}

static void await_unsent(struct live *t, pid_t gnomon, unsigned int most,
			 const char *when)
{
	unsigned int n = 0;
	int i;

	for (i = 0; i < PATIENCE; i++) {
		n = unsent(t, gnomon);
		if (n <= most)
			return;
		live_pause(5);
	}
	live_fail(t, "%u names are kept %s", n, when);
}

/* No name of an ended process is kept, and each one counts as lost. */
void test_top_unsent(struct live *t)
{
	char *path = live_path(t, "periods");
	struct live_args a = {.n = 0};
	struct live_talk gnomon;
	unsigned int kept, lost = 0;
	uint64_t counted = 0;
	json_t *period;
	char *text, *line;
	int code;

	live_add(t, &a, t->gnomon, "top", "-b", "--format", "json", "-d",
		 "50ms", "--ring-size", "4K", "--allow-loss", "-o", path, "--",
		 live_fixture(t, "unsent"), NULL);
	live_talk(t, &a, &gnomon);
	live_await(t, gnomon.out, "ready ");
	await_unsent(t, gnomon.pid, 0, "before there was one");
	live_ask(t, &gnomon, "name 1000");
	kept = unsent(t, gnomon.pid);
	CHECK(t, kept > 0 && kept <= 1000, "%u of 1000 names are kept", kept);
	lost += kept;
	live_ask(t, &gnomon, "end");
	await_unsent(t, gnomon.pid, 0, "of a process that ended");
	live_ask(t, &gnomon, "name 1000");
	kept = unsent(t, gnomon.pid);
	CHECK(t, kept > 0, "no name is kept");
	lost += kept;
	live_ask(t, &gnomon, "exec");
	await_unsent(t, gnomon.pid, 0, "of a program that is over");
	live_ask(t, &gnomon, "end");
	live_ask(t, &gnomon, "call 40");
	await_unsent(t, gnomon.pid, 0, "of functions that were seen");
	live_ask(t, &gnomon, "end");
	live_tell(t, &gnomon, "quit");
	code = live_finish(t, &gnomon);
	top_code(t, code, 0, "with --allow-loss");
	text = live_read(t, path, NULL);
	while ((line = strsep(&text, "\n"))) {
		if (!*line)
			continue;
		period = json_loads(line, JSON_REJECT_DUPLICATES, NULL);
		CHECK(t, period, "a period is no JSON: %.200s", line);
		counted += live_number(t, period, "lost.causes.ring-full");
		json_decref(period);
	}
	CHECK(t, counted >= lost,
	      "%u names were lost, but %" N " records are counted", lost,
	      counted);
}

/* Follows the chain of only children to its end. */
static pid_t last_child(struct live *t, pid_t of)
{
	pid_t child = live_child(t, of, NULL);

	CHECK(t, child >= 0, "no children of %d: %s", of, strerror(errno));
	return child ? last_child(t, child) : of;
}

/*
 * In a container the names of functions use the same PIDs as everything else,
 * not those of the machine, which another process in the container may have.
 */
void test_top_namespace(struct live *t)
{
	char *path = live_path(t, "report.json");
	struct live_args a = {.n = 0};
	struct live_talk gnomon;
	json_t *report;
	uint64_t calls;
	int code;

	live_add(t, &a, "/bin/sh", "-c", "exec unshare --pid --fork \"$@\"",
		 "sh", "--mount-proc", t->gnomon, "run", "--format", "json",
		 "-o", path, "--", live_fixture(t, "unsent"), NULL);
	live_talk(t, &a, &gnomon);
	live_await(t, gnomon.out, "ready ");
	live_ask(t, &gnomon,
		 live_text(t, "twin %d", last_child(t, gnomon.pid)));
	live_tell(t, &gnomon, "quit");
	code = live_finish(t, &gnomon);
	CHECK(t, code == 0, "gnomon ended with %d", code);
	report = live_load(t, path);
	live_clean(t, report);
	calls = live_function(t, report, "unsent.dll", "Type.Method1", "calls",
			      NULL);
	CHECK(t, calls == 3, "the function was called %" N " times, not 3",
	      calls);
	calls = live_function(t, report, "Twin", "Twin.Own", "calls", NULL);
	CHECK(t, calls == 1, "the twin's was called %" N " times, not once",
	      calls);
}
