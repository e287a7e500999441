/* SPDX-License-Identifier: BSD-2-Clause */
/* Trace files: whole, damaged, and without room for them. */
#include "live.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#define N PRIu64

static char *record(struct live *t, const char *command)
{
	char *path = live_path(t, "trace");
	char *options = live_text(t, "-f fib -f root -o %s", path);
	struct live_end end;

	live_gnomon(t, "record", options, command, &end, NULL);
	CHECK(t, end.code == 0, "gnomon record ended with %d: %s", end.code,
	      end.err);
	return path;
}

static void report(struct live *t, const char *trace, const char *options,
		   struct live_end *end)
{
	struct live_args a = {.n = 0};

	live_add(t, &a, t->gnomon, "report", "-i", trace, NULL);
	live_split(t, &a, options);
	live_run(t, &a, NULL, end);
}

static char *report_text(struct live *t, const char *trace, const char *options)
{
	struct live_end end;

	report(t, trace, options, &end);
	CHECK(t, end.code == 0, "gnomon report %s ended with %d: %s", options,
	      end.code, end.err);
	return end.out;
}

/* The same file gives the same report, with the exact counts. */
void test_record_report(struct live *t)
{
	char *trace = record(t, "fib 16");
	char *first = report_text(t, trace, "--format json");
	char *second = report_text(t, trace, "--format json");
	json_t *json = json_loads(first, 0, NULL);
	uint64_t calls;

	CHECK(t, strcmp(first, second) == 0,
	      "two reports of one file are not the same");
	CHECK(t, json, "the report is no JSON");
	live_clean(t, json);
	calls = live_function(t, json, NULL, "fib", "calls", NULL);
	CHECK(t, calls == 3193, "fib: %" N " calls reported, 3193 made", calls);
}

/* What was subtracted from a thread is exactly what its probes cost, and not
 * more than the thread had. */
void test_probe_cost(struct live *t)
{
	char *trace = record(t, "fib 20");
	json_t *raw = json_loads(report_text(t, trace, "--format json --raw"),
				 0, NULL);
	json_t *less =
		json_loads(report_text(t, trace, "--format json"), 0, NULL);
	uint64_t with, without, cost, left, calls;

	CHECK(t, raw && less, "the report is no JSON");
	live_clean(t, less);
	with = live_number(t, raw, "session.elapsed_ns");
	without = live_number(t, less, "session.elapsed_ns");
	cost = live_number(t, less, "probe_cost.ns");
	left = live_number(t, less, "probe_cost.left_ns");
	CHECK(t, with == without + cost,
	      "%" N " ns raw, but %" N " and %" N " of cost", with, without,
	      cost);
	calls = live_function(t, less, NULL, "fib", "calls", NULL);
	CHECK(t, calls == 21891, "fib: %" N " calls reported, 21891 made",
	      calls);
	/* two traps per call, each at least a hundred nanoseconds */
	CHECK(t, cost + left > calls * 200, "%" N " ns for %" N " calls",
	      cost + left, calls);
}

/* The number of fields in a line of CSV; a comma in quotes is no separator. */
static size_t csv_fields(const char *line)
{
	bool quoted = false;
	size_t n = 1;

	for (; *line; line++) {
		if (*line == '"')
			quoted = !quoted;
		else if (*line == ',' && !quoted)
			n++;
	}
	return n;
}

static void check_csv(struct live *t, char *text, const char *by)
{
	size_t columns = 0, rows = 0;
	char *line;

	while ((line = strsep(&text, "\n"))) {
		if (!*line || *line == '#')
			continue;
		if (!rows++)
			columns = csv_fields(line);
		CHECK(t, columns > 1 && csv_fields(line) == columns,
		      "CSV by %s: a line of %zu fields among those of %zu: %s",
		      by, csv_fields(line), columns, line);
	}
	CHECK(t, rows > 1, "CSV by %s has no rows", by);
}

/* The header has the command's path, which may contain any words. */
static char *without_header(char *text)
{
	while (*text == '#')
		text += strcspn(text, "\n") + 1;
	return text;
}

void test_report_formats(struct live *t)
{
	static const char *const by[] = {"function", "module", "thread",
					 "process",  "tree",   "callers"};
	char *trace = record(t, "fib 12"), *text;
	size_t i;

	for (i = 0; i < sizeof(by) / sizeof(by[0]); i++) {
		text = report_text(t, trace,
				   live_text(t, "--by %s --format csv", by[i]));
		check_csv(t, text, by[i]);
		text = report_text(t, trace, live_text(t, "--by %s", by[i]));
		CHECK(t, strlen(text) > 100, "the table by %s is empty", by[i]);
		CHECK(t, !strchr(text, '\033'),
		      "the table by %s has colours on no terminal", by[i]);
		text = report_text(
			t, trace, live_text(t, "--by %s --format json", by[i]));
		CHECK(t, json_loads(text, 0, NULL), "JSON by %s is no JSON",
		      by[i]);
	}
	text = without_header(report_text(t, trace, "--sort calls"));
	CHECK(t, strstr(text, "fib") < strstr(text, "root"),
	      "sorted by calls, root comes before fib");
}

/* Both classifications from one file. */
void test_classify_interval(struct live *t)
{
	char *trace = record(t, "fib 18");
	json_t *exact = json_loads(
		report_text(t, trace, "--format json --classify exact"), 0,
		NULL);
	json_t *interval = json_loads(
		report_text(t, trace, "--format json --classify interval"), 0,
		NULL);
	uint64_t a, b;

	CHECK(t, exact && interval, "the reports are no JSON");
	live_clean(t, exact);
	live_clean(t, interval);
	a = live_number(t, exact, "session.elapsed_ns");
	b = live_number(t, interval, "session.elapsed_ns");
	CHECK(t, a == b, "elapsed %" N " ns and %" N " ns", a, b);
	a = live_number(t, exact, "session.application_ns");
	b = live_number(t, interval, "session.application_ns");
	CHECK(t, b <= a,
	      "application %" N " ns by interval, %" N " ns by exact", b, a);
}

static char *write_file(struct live *t, const char *bytes, size_t size)
{
	char *path = live_path(t, "damaged");
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);

	CHECK(t, fd >= 0 && write(fd, bytes, size) == (ssize_t)size, "%s: %s",
	      path, strerror(errno));
	close(fd);
	return path;
}

/* A file in another format: status 2, one line that names it. */
static void expect_refused(struct live *t, const char *path)
{
	struct live_end end;
	char *first;
	size_t n;

	report(t, path, "", &end);
	n = live_complaints(t, end.err, &first);
	CHECK(t, end.code == 2, "gnomon report ended with %d, not 2: %s",
	      end.code, end.err);
	CHECK(t, n == 1 && strncmp(first, "gnomon: ", 8) == 0,
	      "not one line on stderr: %s", end.err);
	CHECK(t, strstr(first, path), "stderr does not name the file: %s",
	      first);
}

void test_file_empty(struct live *t)
{
	char zeros[4096] = {0};

	expect_refused(t, write_file(t, "", 0));
	expect_refused(t, write_file(t, "hello\n", 6));
	expect_refused(t, write_file(t, zeros, sizeof(zeros)));
	expect_refused(t, live_path(t, "no-such-file"));
	expect_refused(t, t->dir);
}

/* A file cut anywhere: it is refused, or read to the last whole chunk and
 * reported as a loss. */
void test_file_truncated(struct live *t)
{
	char *trace = record(t, "fib 18"), *bytes, *path;
	struct live_end end;
	size_t size, i;

	bytes = live_read(t, trace, &size);
	for (i = 1; i < 20; i++) {
		path = write_file(t, bytes, size * i / 20);
		report(t, path, "--format json", &end);
		CHECK(t, end.code == 3 || end.code == 2,
		      "cut to %zu of %zu bytes: ended with %d: %s",
		      size * i / 20, size, end.code, end.err);
		if (end.code == 3)
			CHECK(t, json_loads(end.out, 0, NULL),
			      "cut to %zu of %zu bytes: no JSON", size * i / 20,
			      size);
		unlink(path);
	}
	path = write_file(t, bytes, size - 1);
	report(t, path, "", &end);
	CHECK(t, end.code == 3, "without its last byte: ended with %d: %s",
	      end.code, end.err);
	expect_refused(t, write_file(t, bytes, 7));
}

/* The version is the number after the magic bytes. */
void test_file_version(struct live *t)
{
	char *trace = record(t, "fib 5");
	size_t size;
	char *bytes = live_read(t, trace, &size);

	CHECK(t, size > 16, "the trace file is too short");
	memset(bytes + 8, 0x7f, 4);
	expect_refused(t, write_file(t, bytes, size));
}

/* Flipped and moved bytes: a proper exit status, never a crash. */
void test_file_hostile(struct live *t)
{
	char *trace = record(t, "fib 12"), *bytes, *copy, *path;
	unsigned int seed = 12345;
	size_t size, at;
	struct live_end end;
	int i;

	bytes = live_read(t, trace, &size);
	copy = malloc(size);
	CHECK(t, copy && size, "no memory");
	for (i = 0; i < 60; i++) {
		memcpy(copy, bytes, size);
		/* the first bytes matter most: half of the changes hit them */
		at = (size_t)rand_r(&seed) % (i & 1 ? size : 256) % size;
		if (i % 3 == 2)
			memmove(copy + at, copy, size - at);
		else
			copy[at] ^= (char)(1 + rand_r(&seed) % 255);
		path = write_file(t, copy, size);
		report(t, path, "", &end);
		CHECK(t, end.code == 0 || (end.code >= 2 && end.code <= 4),
		      "damaged at %zu: ended with %d: %s", at, end.code,
		      end.err);
		unlink(path);
	}
}

/* Under sudo the invoking user owns the file, and nobody else may read it. */
void test_file_owner(struct live *t)
{
	char *env[] = {(char *)"SUDO_UID=65534", (char *)"SUDO_GID=65534",
		       NULL};
	struct live_start how = {.env = env};
	struct live_args a = {.n = 0};
	char *path = live_text(t, "%s/trace", t->dir);
	struct live_end end;
	struct stat st;

	CHECK(t, chmod(t->dir, 0777) == 0, "chmod");
	live_add(t, &a, t->gnomon, "record", "-o", path, "--", "/bin/true",
		 NULL);
	if (access("/bin/true", X_OK))
		live_skip(t, "no /bin/true for another user to run");
	live_run(t, &a, &how, &end);
	CHECK(t, end.code == 0, "gnomon ended with %d: %s", end.code, end.err);
	CHECK(t, stat(path, &st) == 0, "no trace file");
	CHECK(t, st.st_uid == 65534 && st.st_gid == 65534,
	      "the trace file is of user %u and group %u", st.st_uid,
	      st.st_gid);
	CHECK(t, (st.st_mode & 0077) == 0, "others can read the trace file");
}

/* gnomon failed: status 1 and one line; the program's output is unchanged. */
static void expect_failed(struct live *t, const struct live_end *end)
{
	char *first;
	size_t n = live_complaints(t, end->err, &first);

	CHECK(t, end->code == 1, "gnomon ended with %d, not 1: %s", end->code,
	      end->err);
	CHECK(t, n == 1 && strncmp(first, "gnomon: ", 8) == 0,
	      "not one line on stderr: %s", end->err);
}

/* A trace that nobody can find is no success. Its folder is removed or renamed,
 * or the file is replaced, during the recording. */
static void misplace(struct live *t,
		     void (*change)(struct live *t, const char *dir))
{
	char *dir = live_path(t, "folder"), *path;
	struct live_args a = {.n = 0};
	struct live_talk gnomon;
	char err[4096];
	ssize_t n;
	int code;

	CHECK(t, mkdir(dir, 0700) == 0, "mkdir: %s", strerror(errno));
	path = live_text(t, "%s/t.trace", dir);
	live_add(t, &a, t->gnomon, "record", "-q", "-o", path, "--",
		 live_fixture(t, "serve"), NULL);
	live_talk(t, &a, &gnomon);
	live_await(t, gnomon.out, "ready ");
	change(t, dir);
	live_tell(t, &gnomon, "quit");
	code = live_finish(t, &gnomon);
	n = read(gnomon.err, err, sizeof(err) - 1);
	err[n > 0 ? n : 0] = '\0';
	CHECK(t, code == 1, "gnomon ended with %d: %s", code, err);
	CHECK(t, strstr(err, path), "gnomon does not name the file: %s", err);
}

static void remove_folder(struct live *t, const char *dir)
{
	CHECK(t,
	      unlink(live_text(t, "%s/t.trace", dir)) == 0 && rmdir(dir) == 0,
	      "rmdir: %s", strerror(errno));
}

static void rename_folder(struct live *t, const char *dir)
{
	CHECK(t, rename(dir, live_path(t, "renamed")) == 0, "rename: %s",
	      strerror(errno));
}

static void replace_file(struct live *t, const char *dir)
{
	char *path = live_path(t, "other");
	int fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);

	CHECK(t,
	      fd >= 0 && !close(fd) &&
		      !rename(path, live_text(t, "%s/t.trace", dir)),
	      "rename: %s", strerror(errno));
}

void test_file_misplaced(struct live *t)
{
	misplace(t, remove_folder);
	misplace(t, rename_folder);
	misplace(t, replace_file);
}

/* A file system with room for the header and little more. */
void test_disk_full(struct live *t)
{
	char *dir = live_text(t, "%s/small", t->dir);
	struct live_args a = {.n = 0};
	struct live_end end;

	CHECK(t, mkdir(dir, 0700) == 0, "mkdir: %s", strerror(errno));
	if (unshare(CLONE_NEWNS) ||
	    mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) ||
	    mount("none", dir, "tmpfs", 0, "size=32k"))
		live_skip(t, "no small file system: %s", strerror(errno));
	live_add(t, &a, t->gnomon, "record", "-f", "fib", "-o",
		 live_text(t, "%s/trace", dir), "--", live_fixture(t, "fib"),
		 "24", NULL);
	live_run(t, &a, NULL, &end);
	CHECK(t, strstr(end.out, "calls fib 150049\n"),
	      "the program was not let run: %s", end.out);
	expect_failed(t, &end);
	umount2(dir, MNT_DETACH);
}

/* gnomon may write only so many KiB. Returns its message. */
static char *record_limited(struct live *t, const char *path, const char *kib)
{
	struct live_args a = {.n = 0};
	struct live_end end;

	live_add(t, &a, "/bin/sh", "-c",
		 live_text(t, "ulimit -f %s; exec \"$@\"", kib), "sh",
		 t->gnomon, "record", "-f", "fib", "-o", path, "--",
		 live_fixture(t, "fib"), "28", NULL);
	live_run(t, &a, NULL, &end);
	expect_failed(t, &end);
	return live_text(t, "%s", end.err);
}

/* What remains of a trace when there is no more room, and whether gnomon says
 * so. */
void test_record_limited(struct live *t)
{
	char *path = live_path(t, "limited"), *said;
	struct live_args a = {.n = 0};
	struct live_end end;

	said = record_limited(t, path, "8");
	CHECK(t, access(path, F_OK), "there is a file that cannot be read");
	CHECK(t, strstr(said, "nothing of the trace is kept"),
	      "it does not say that nothing is left: %s", said);
	said = record_limited(t, path, "1024");
	CHECK(t, strstr(said, "it can be read up to its last complete chunk"),
	      "it does not say what is left: %s", said);
	live_add(t, &a, t->gnomon, "report", "--allow-loss", "-i", path, NULL);
	live_run(t, &a, NULL, &end);
	CHECK(t, end.code == 0 && strstr(end.out, "fib"),
	      "gnomon report ended with %d: %s", end.code, end.err);
}

void test_output_full(struct live *t)
{
	struct live_start how = {.out_path = "/dev/full"};
	struct live_args a = {.n = 0};
	char *trace = record(t, "fib 5");
	struct live_end end;

	live_add(t, &a, t->gnomon, "report", "-i", trace, NULL);
	live_run(t, &a, &how, &end);
	expect_failed(t, &end);
}

/* A trace on stdout is whole: the command's output to stdout goes to stderr.
 * gnomon does not advise to read the trace from there later. */
void test_record_stdout(struct live *t)
{
	char *trace = live_path(t, "stdout"), *text;
	struct live_start how = {.out_path = trace};
	struct live_args a = {.n = 0};
	struct live_end end;

	live_add(t, &a, t->gnomon, "record", "-o", "-", "--", "echo", "written",
		 NULL);
	live_run(t, &a, &how, &end);
	CHECK(t, end.code == 0, "gnomon ended with %d: %s", end.code, end.err);
	CHECK(t, strstr(end.err, "written\n"), "stderr has: %s", end.err);
	CHECK(t, strstr(end.err, " KiB written to stdout\n"),
	      "stderr does not say where the trace is: %s", end.err);
	text = report_text(t, trace, "--by process --format csv");
	CHECK(t, strstr(text, "echo"), "the trace has no echo: %s", text);
}

/* For a pipe without a reader, gnomon does not say that it is as it was
 * before. */
void test_record_pipe(struct live *t)
{
	static const char script[] =
		"mkfifo \"$1\" && \"$0\" record -q -o - -- "
		"sh -c \"read x <$1\" |"
		"{ head -c 1 >/dev/null; exec <&-; : >$1; }";
	struct live_args a = {.n = 0};
	struct live_end end;

	live_add(t, &a, "/bin/sh", "-c", script, t->gnomon,
		 live_path(t, "gone"), NULL);
	live_run(t, &a, NULL, &end);
	CHECK(t, strstr(end.err, "cannot write stdout: Broken pipe\n"),
	      "stderr says: %s", end.err);
}

/* A trace is not written to a terminal, and then the command does not run. */
void test_record_terminal(struct live *t)
{
	static const char *const outputs[] = {"-", "/dev/stdout"};
	char *ran = live_path(t, "ran");
	int terminal = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);
	struct live_start how = {.out_path = ptsname(terminal)};
	struct live_end end;

	CHECK(t, !unlockpt(terminal), "no terminal: %s", strerror(errno));
	/* a guest may lack the second */
	for (size_t i = 0; i < 2 - !!access("/dev/stdout", F_OK); i++) {
		struct live_args a = {.n = 0};

		live_add(t, &a, t->gnomon, "record", "-o", outputs[i], "--",
			 "touch", ran, NULL);
		live_run(t, &a, &how, &end);
		CHECK(t, end.code == 2 && strstr(end.err, "not for a terminal"),
		      "-o %s: gnomon ended with %d: %s", outputs[i], end.code,
		      end.err);
		CHECK(t, access(ran, F_OK), "the command ran");
	}
	close(terminal);
}

/* A user can type what record suggests, and it has no control characters for
 * the terminal. */
void test_record_name(struct live *t)
{
	char *trace = live_path(t, "it's \033[31m red");
	struct live_start how = {.out_path = NULL};
	struct live_args a = {.n = 0};
	struct live_end end;

	live_add(t, &a, t->gnomon, "record", "-o", trace, "--", "true", NULL);
	live_run(t, &a, &how, &end);
	CHECK(t, end.code == 0, "gnomon ended with %d: %s", end.code, end.err);
	CHECK(t, !strchr(end.err, '\033'), "stderr has an escape: %s", end.err);
	CHECK(t, strstr(end.err, "it'\\''s \\x1b[31m red'\n"),
	      "the name is not quoted: %s", end.err);
}

/* A device is not replaced by a trace file. */
void test_device_as_file(struct live *t)
{
	char *path = live_text(t, "%s/full", t->dir);
	char *options = live_text(t, "-f fib -o %s", path);
	struct live_end end;
	struct stat st;
	char *first;

	if (mknod(path, S_IFCHR | 0600, makedev(1, 7)))
		live_skip(t, "no device can be made: %s", strerror(errno));
	live_gnomon(t, "record", options, "fib 10", &end, NULL);
	CHECK(t, stat(path, &st) == 0 && S_ISCHR(st.st_mode),
	      "the device was replaced");
	CHECK(t, end.code == 1 || end.code == 2, "gnomon ended with %d: %s",
	      end.code, end.err);
	CHECK(t, live_complaints(t, end.err, &first) == 1,
	      "not one line on stderr: %s", end.err);
}
