/* SPDX-License-Identifier: BSD-2-Clause */
/* Requests that cannot be met, and bad files and readers. */
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
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

/* The number of pauses after which a condition must be true. */
#define PATIENCE 4000

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
		{"--format csv", "csv"},
		{"-b --no-functions -f main", "--no-functions"},
		{"-b --no-functions --budget 5", "--no-functions"},
		{"-b --hooks fast", "--hooks fast"},
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
		live_expect_line(t, &end, 2, bad[i][1]);
		CHECK(t, end.out_size == 0, "top %s: something was run",
		      bad[i][0]);
	}
}

/* Rows can be sorted by each column. */
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

/* An existing file is not overwritten. */
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
	live_expect_line(t, &end, 1, path);
	CHECK(t, strcmp(live_read(t, path, NULL), "mine\n") == 0,
	      "the file is not as it was");
	CHECK(t, end.out_size == 0, "the command was run all the same");
	top_words(t, live_text(t, "%s /no/such/folder/x %s", top, command),
		  &end);
	live_expect_line(t, &end, 1, "/no/such/folder/x");
	top_words(t,
		  live_text(t, "top -b --prom /no/such/folder/x %s", command),
		  &end);
	live_expect_line(t, &end, 1, "/no/such/folder/x");
	CHECK(t, end.out_size == 0, "the command was run all the same");
}

/* Each period writes a new file; the file at the path is always whole. */
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

/* Mounts a file system of a few pages in a new namespace. */
static void mount_small(struct live *t, const char *at)
{
	CHECK(t, mkdir(at, 0700) == 0, "mkdir: %s", strerror(errno));
	if (unshare(CLONE_NEWNS) ||
	    mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) ||
	    mount("none", at, "tmpfs", 0, "size=8k"))
		live_skip(t, "no file system can be mounted: %s",
			  strerror(errno));
}

/* The folder has a whole file of an earlier period, not a part of one. */
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

static void close_stdout(void)
{
	close(STDOUT_FILENO);
}

/* There is no room, or no stdout: gnomon does not write elsewhere. */
void test_top_full(struct live *t)
{
	char *at = live_path(t, "small"), *file = live_text(t, "%s/x", at);
	struct live_start how = {.out_path = "/dev/full"};
	struct live_start none = {.prepare = close_stdout};
	struct live_args a = {.n = 0};
	struct live_end end;

	mount_small(t, at);
	top_words(t,
		  live_text(t,
			    "top -b -d 20ms --no-functions --format json -o %s "
			    "-n 50 -p %d",
			    file, getpid()),
		  &end);
	live_expect_line(t, &end, 1, file);
	CHECK(t, unlink(file) == 0, "unlink: %s", strerror(errno));
	top_words(t,
		  live_text(t,
			    "top -b -d 20ms --no-functions --prom %s -n 50 "
			    "-o %s.rows -p %d",
			    file, at, getpid()),
		  &end);
	live_expect_line(t, &end, 1, file);
	check_whole(t, at);
	live_add(t, &a, t->gnomon, "top", "-b", "-d", "20ms", "-n", "3", "-p",
		 live_text(t, "%d", getpid()), "--no-functions", NULL);
	live_run(t, &a, &how, &end);
	live_expect_line(t, &end, 1, "stdout");
	live_run(t, &a, &none, &end);
	live_expect_line(t, &end, 1, "cannot write stdout");
}

/* A reader that stops early is no error, in any format. */
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

/* `gnomon top WORDS`, on a pipe of one page. */
static void start_narrow(struct live *t, const char *words, const char *command,
			 struct live_talk *gnomon)
{
	struct live_args a = {.n = 0};

	live_add(t, &a, t->gnomon, "top", NULL);
	live_split(t, &a, words);
	if (command)
		live_add(t, &a, "--", command, NULL);
	live_talk(t, &a, gnomon);
	CHECK(t, fcntl(gnomon->out, F_SETPIPE_SZ, 4096) >= 0, "a pipe: %s",
	      strerror(errno));
	live_await(t, gnomon->err, "gnomon: attached");
}

/* Waits for gnomon's end, which must come although nobody reads. */
static int ends_unread(struct live *t, struct live_talk *gnomon)
{
	int i, status;
	pid_t pid;

	for (i = 0; i < PATIENCE; i++) {
		pid = waitpid(gnomon->pid, &status, WNOHANG);
		CHECK(t, pid >= 0, "waitpid: %s", strerror(errno));
		if (pid)
			return WIFSIGNALED(status) ? 128 + WTERMSIG(status)
						   : WEXITSTATUS(status);
		live_pause(5);
	}
	live_fail(t, "gnomon waits for its reader");
}

/* A reader that stops reading does not keep gnomon from ending. */
void test_top_unread(struct live *t)
{
	struct live_talk gnomon;
	int code;

	start_narrow(t,
		     live_text(t,
			       "-b --format json -d 10ms --no-functions -p %d",
			       getpid()),
		     NULL, &gnomon);
	live_await_call(t, gnomon.pid, SYS_poll, 2);
	CHECK(t, kill(gnomon.pid, SIGTERM) == 0, "gnomon has ended by itself");
	code = ends_unread(t, &gnomon);
	/* 1: the period that it was writing is incomplete */
	CHECK(t, code <= 1, "gnomon ended with %d", code);
}

static bool is_top(struct live *t, pid_t pid)
{
	return live_is_called(t, pid, "top");
}

/* Waits until the command exists. Its output may be in the middle of a line of
 * gnomon, which writes to the same pipe. */
static pid_t await_command(struct live *t, pid_t gnomon)
{
	for (int i = 0; i < PATIENCE; i++) {
		pid_t pid = live_child(t, gnomon, is_top);

		CHECK(t, pid >= 0, "gnomon has ended by itself");
		if (pid)
			return pid;
		live_pause(5);
	}
	live_fail(t, "the command is not there");
}

/* The same with a command: the signal ends it, and output that cannot be
 * written then is an error. */
void test_top_unread_command(struct live *t)
{
	struct live_talk gnomon;
	pid_t pid;
	int code;

	start_narrow(t, "-b --format json -d 10ms --no-functions",
		     live_fixture(t, "top"), &gnomon);
	pid = await_command(t, gnomon.pid);
	live_await_call(t, gnomon.pid, SYS_poll, 2);
	CHECK(t, kill(gnomon.pid, SIGTERM) == 0, "gnomon has ended by itself");
	live_await(t, gnomon.err, "gnomon: nobody reads stdout");
	code = ends_unread(t, &gnomon);
	CHECK(t, code == 1, "gnomon ended with %d", code);
	CHECK(t, kill(pid, 0) == -1 && errno == ESRCH,
	      "the command continues untraced");
}

/* Showing a period takes longer than the period. gnomon still handles signals,
 * and after a signal it only finishes the current output. */
void test_top_slow_reader(struct live *t)
{
	struct live_talk gnomon;
	char text[200];
	int after = 0, code, i;
	ssize_t n = 1;

	start_narrow(t,
		     live_text(t,
			       "-b --format json -d 10ms --no-functions -p %d",
			       getpid()),
		     NULL, &gnomon);
	for (i = 0; i < 100; i++) {
		n = read(gnomon.out, text, sizeof(text));
		CHECK(t, n > 0, "gnomon has ended by itself");
		live_pause(5);
	}
	CHECK(t, kill(gnomon.pid, SIGTERM) == 0, "gnomon has ended by itself");
	for (i = 0; i < PATIENCE && n > 0; i++) {
		n = read(gnomon.out, text, sizeof(text));
		after += n > 0 ? (int)n : 0;
		live_pause(5);
	}
	CHECK(t, n == 0 && after <= 3 * 4096,
	      "gnomon has written %d bytes after the signal", after);
	code = live_finish(t, &gnomon);
	/* 1: the period that was half written is reported as an error */
	CHECK(t, code == 0 || code == 1, "gnomon ended with %d", code);
}

/* The losses that the periods of a file report. */
struct losses {
	uint64_t numbers, causes, total; /* total: as in the last period */
	uint64_t untold; /* by cause, after the last record of fib */
	uint64_t came;	 /* records of fib that arrived */
	size_t periods;
};

static void add_period(struct live *t, const json_t *period, struct losses *l)
{
	json_t *causes =
		json_object_get(json_object_get(period, "lost"), "causes");
	uint64_t numbers = live_number(t, period, "lost.records"), sum = 0;
	uint64_t came = top_of(t, period, "fib", "calls") +
			top_of(t, period, "fib", "finished") +
			live_number(t, period, "checks.unmatched_leaves");
	const char *cause;
	json_t *n;

	json_object_foreach(causes, cause, n) sum +=
		(uint64_t)json_integer_value(n);
	l->numbers += numbers;
	l->causes += sum;
	/* the period after the program's end may have no records */
	if (came)
		l->untold = 0;
	l->untold += sum > numbers ? sum - numbers : 0;
	l->total = live_number(t, period, "lost_total.records");
	l->came += came;
	l->periods++;
}

static void read_losses(struct live *t, const char *path, struct losses *l)
{
	char *text = live_read(t, path, NULL), *line;
	json_t *period;

	memset(l, 0, sizeof(*l));
	while ((line = strsep(&text, "\n"))) {
		if (!*line)
			continue;
		period = json_loads(line, JSON_REJECT_DUPLICATES, NULL);
		CHECK(t, period, "a period is no JSON: %.200s", line);
		add_period(t, period, l);
		json_decref(period);
	}
}

/* Each call makes two records, which arrived or were lost. */
static void check_losses(struct live *t, const struct losses *l,
			 const char *out)
{
	struct live_truths *truths = calloc(1, sizeof(*truths));
	uint64_t made, lost, may;

	CHECK(t, truths, "no memory");
	live_truths(t, out, truths);
	made = 2 * live_truth(truths, "calls", "fib");
	/* records of other functions and of the kernel; leaves that ended
	 * another frame */
	may = made / 100;
	CHECK(t, l->came < made, "%" PRIu64 " records of %" PRIu64, l->came,
	      made);
	lost = made - l->came;
	CHECK(t, lost > 10 * may, "only %" PRIu64 " of %" PRIu64 " were lost",
	      lost, made);
	/* the thread's end can be lost, too */
	CHECK(t,
	      l->numbers + l->untold + may >= lost && l->numbers <= lost + may,
	      "%" PRIu64 " lost by numbers, and %" PRIu64
	      " after the last record, not %" PRIu64,
	      l->numbers, l->untold, lost);
	CHECK(t, l->causes + may >= lost && l->causes <= lost + may,
	      "%" PRIu64 " lost by cause, not %" PRIu64, l->causes, lost);
	/* each period counts the greater of the two, which differ at its
	 * ends */
	CHECK(t, l->total >= l->numbers && l->total <= lost + 5 * may,
	      "%" PRIu64 " lost in all, not %" PRIu64, l->total, lost);
}

static void check_said(struct live *t, const struct losses *l, const char *err)
{
	char *complaint;
	uint64_t told;

	CHECK(t,
	      live_complaints(t, err, &complaint) == 1 &&
		      sscanf(complaint, "gnomon: %" SCNu64 " records were lost",
			     &told) == 1 &&
		      told >= l->total && told <= l->total + l->total / 100,
	      "%" PRIu64 " were lost, but: %s", l->total, err);
}

static void lose(struct live *t, const char *options, int want)
{
	char *path = live_path(t, "periods");
	struct live_end end;
	struct losses l;

	top_words(t,
		  live_text(t,
			    "top -b --format json -d 50ms --ring-size 4K -f * "
			    "%s -o %s -- %s 24 3",
			    options, path, live_fixture(t, "fib")),
		  &end);
	top_code(t, end.code, want, end.err);
	read_losses(t, path, &l);
	CHECK(t, l.periods > 1, "there is one period only");
	check_losses(t, &l, end.out);
	if (want)
		check_said(t, &l, end.err);
	else
		CHECK(t, !strstr(end.err, "were lost"), "it says: %s", end.err);
}

/* A loss is reported once, in the period in which it happened. */
void test_top_losses(struct live *t)
{
	lose(t, "", 3);
	lose(t, "--allow-loss", 0);
}

/* Neither a terminal nor --batch: gnomon prints rows, and the reason. */
void test_top_not_a_terminal(struct live *t)
{
	struct live_end end;

	top_words(t,
		  live_text(t, "top -d 20ms --no-functions -- %s 5",
			    live_fixture(t, "fib")),
		  &end);
	live_expect_line(t, &end, 0, "the screen cannot be used");
	CHECK(t, strstr(end.out, "# period number=1 "), "there are no rows: %s",
	      end.out);
	CHECK(t, strstr(end.out, "calls fib "),
	      "the command's output is not there: %s", end.out);
}
