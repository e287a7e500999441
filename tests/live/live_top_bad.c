/* SPDX-License-Identifier: BSD-2-Clause */
/* What cannot be done, and files and readers that are not what they should be.
 */
#include "live_top.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

void test_top_options(struct live *t)
{
	static const char *const bad[][2] = {
		{"-d 0", "-d"},
		{"-d 1ms", "period"},
		{"-d 2h", "period"},
		{"-d soon", "soon"},
		{"-d -1s", "-1s"},
		{"-n -1", "-1"},
		{"-n many", "many"},
		{"-b --sort nonsense", "nonsense"},
		{"--sort cpu", "--sort"},
		{"--format csv", "csv"},
		{"-b --no-functions -f main", "--no-functions"},
		{"-b --no-functions --budget 5", "--no-functions"},
		{"-b --budget -5", "-5"},
		{"-b --budget much", "much"},
		{"-b --os nonsense", "nonsense"},
		{"-b --no-such-option", "no-such-option"},
	};
	struct live_end end;
	size_t i;

	for (i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		top_words(t,
			  live_text(t, "top %s -- %s", bad[i][0],
				    live_fixture(t, "fib")),
			  &end);
		CHECK(t, end.code == 2, "top %s ended with %d: %s", bad[i][0],
		      end.code, end.err);
		top_expect(t, &end, 2, bad[i][1]);
		CHECK(t, end.out_size == 0, "top %s: something was run",
		      bad[i][0]);
	}
}

/* Each column can be sorted by. */
void test_top_sort(struct live *t)
{
	static const char *const columns[] = {"name", "cpu", "lock", "calls"};
	struct live_end end;
	size_t i;

	for (i = 0; i < sizeof(columns) / sizeof(columns[0]); i++) {
		top_words(t,
			  live_text(t,
				    "top -b -d 20ms -n 1 --no-functions "
				    "--sort %s -- %s 5",
				    columns[i], live_fixture(t, "fib")),
			  &end);
		CHECK(t, end.code == 0, "--sort %s ended with %d: %s",
		      columns[i], end.code, end.err);
		CHECK(t, strstr(end.out, "# period number=1 "),
		      "--sort %s: no period: %s", columns[i], end.out);
	}
}

/* A file that is there is somebody's. */
void test_top_output(struct live *t)
{
	char *path = live_path(t, "there");
	char *top = live_text(t, "top -b -d 20ms --no-functions -o");
	char *command = live_text(t, "-- %s 5", live_fixture(t, "fib"));
	struct live_end end;
	int fd;

	fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
	CHECK(t, fd >= 0 && write(fd, "mine\n", 5) == 5, "cannot write");
	close(fd);
	top_words(t, live_text(t, "%s %s %s", top, path, command), &end);
	top_expect(t, &end, 1, path);
	CHECK(t, strcmp(live_read(t, path, NULL), "mine\n") == 0,
	      "the file is not as it was");
	CHECK(t, end.out_size == 0, "the command was run all the same");
	top_words(t, live_text(t, "%s /no/such/folder/x %s", top, command),
		  &end);
	top_expect(t, &end, 1, "/no/such/folder/x");
	top_words(t,
		  live_text(t, "top -b --prom /no/such/folder/x %s", command),
		  &end);
	top_expect(t, &end, 1, "/no/such/folder/x");
	CHECK(t, end.out_size == 0, "the command was run all the same");
}

/* A file of its own for each period; what is there is always whole. */
void test_top_prom(struct live *t)
{
	char *path = live_path(t, "metrics.prom"), *text;
	struct live_end end;
	struct stat st;

	top_words(t,
		  live_text(t,
			    "top -b -d 20ms -n 3 --no-functions --prom %s "
			    "-o %s.rows -p %d",
			    path, path, getpid()),
		  &end);
	CHECK(t, end.code == 0, "gnomon ended with %d: %s", end.code, end.err);
	text = live_read(t, path, NULL);
	CHECK(t, strstr(text, "# TYPE ") && strstr(text, "gnomon_"),
	      "that is no text file for Prometheus: %s", text);
	CHECK(t, text[strlen(text) - 1] == '\n', "half a line at the end");
	CHECK(t, stat(path, &st) == 0 && S_ISREG(st.st_mode), "no such file");
}

/* A new namespace's own file system of a few pages. */
static void mount_small(struct live *t, const char *at)
{
	CHECK(t, mkdir(at, 0700) == 0, "mkdir: %s", strerror(errno));
	if (unshare(CLONE_NEWNS) ||
	    mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) ||
	    mount("none", at, "tmpfs", 0, "size=8k"))
		live_skip(t, "no file system can be mounted: %s",
			  strerror(errno));
}

/* What a folder has is a file of an earlier period, and no part of one. */
static void check_whole(struct live *t, const char *at)
{
	DIR *dir = opendir(at);
	struct dirent *e;
	char *text;
	size_t size;

	CHECK(t, dir, "%s: %s", at, strerror(errno));
	while ((e = readdir(dir))) {
		if (e->d_name[0] == '.')
			continue;
		CHECK(t, strcmp(e->d_name, "x") == 0, "%s is left behind",
		      e->d_name);
		text = live_read(t, live_text(t, "%s/x", at), &size);
		CHECK(t, size && text[size - 1] == '\n' && text[0] == '#',
		      "half a file is left behind");
	}
	closedir(dir);
}

void test_top_full(struct live *t)
{
	char *at = live_path(t, "small"), *file = live_text(t, "%s/x", at);
	struct live_start how = {.out_path = "/dev/full"};
	struct live_args a = {.n = 0};
	struct live_end end;

	mount_small(t, at);
	top_words(t,
		  live_text(t,
			    "top -b -d 20ms --no-functions --format json -o %s "
			    "-n 50 -p %d",
			    file, getpid()),
		  &end);
	top_expect(t, &end, 1, file);
	CHECK(t, unlink(file) == 0, "unlink: %s", strerror(errno));
	top_words(t,
		  live_text(t,
			    "top -b -d 20ms --no-functions --prom %s -n 50 "
			    "-o %s.rows -p %d",
			    file, at, getpid()),
		  &end);
	top_expect(t, &end, 1, file);
	check_whole(t, at);
	live_add(t, &a, t->gnomon, "top", "-b", "-d", "20ms", "-n", "3", "-p",
		 live_text(t, "%d", getpid()), "--no-functions", NULL);
	live_run(t, &a, &how, &end);
	top_expect(t, &end, 1, "stdout");
}

/* A reader that has seen enough is no fault, whatever the format. */
static void read_some(struct live *t, const char *options)
{
	struct live_args a = {.n = 0};
	struct live_talk gnomon;
	char err[4096], *complaint;
	ssize_t n;
	int code;

	live_add(t, &a, t->gnomon, "top", "-b", "-d", "20ms", "--no-functions",
		 "-p", live_text(t, "%d", getpid()), NULL);
	live_split(t, &a, options);
	live_talk(t, &a, &gnomon);
	CHECK(t, live_await_or_end(t, gnomon.out, ""), "there is no line");
	close(gnomon.out);
	code = live_finish(t, &gnomon);
	n = read(gnomon.err, err, sizeof(err) - 1);
	err[n > 0 ? n : 0] = '\0';
	CHECK(t, code == 0, "gnomon ended with %d: %s", code, err);
	CHECK(t, live_complaints(t, err, &complaint) == 0,
	      "gnomon complains: %s", complaint);
}

void test_top_head(struct live *t)
{
	read_some(t, "--format rows");
	read_some(t, "--format json");
}

/* Neither a terminal nor --batch: rows, and why. */
void test_top_not_a_terminal(struct live *t)
{
	struct live_end end;

	top_words(t,
		  live_text(t, "top -d 20ms --no-functions -- %s 5",
			    live_fixture(t, "fib")),
		  &end);
	top_expect(t, &end, 0, "no screen");
	CHECK(t, strstr(end.out, "# period number=1 "), "there are no rows: %s",
	      end.out);
	CHECK(t, strstr(end.out, "calls fib "),
	      "the command's output is not there: %s", end.out);
}
