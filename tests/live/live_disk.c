/* SPDX-License-Identifier: BSD-2-Clause */
/* gnomon record with a disk that takes nothing while the program runs: a FIFO
 * that is read only after the program has printed its last word. */
#include "live.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define N PRIu64

/* 3.3 million records, more than may wait for the disk. */
#define PROGRAM "fib 29"
#define CALLS	1664079u

struct recorded {
	char *trace;
	char *err;
	int code;
};

/* Copies all of the FIFO into a file. */
static char *keep(struct live *t, int fifo)
{
	char *path = live_path(t, "trace"), buf[65536];
	int file = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
	ssize_t n;

	CHECK(t, file >= 0, "%s: %s", path, strerror(errno));
	while ((n = read(fifo, buf, sizeof(buf))) > 0)
		CHECK(t, write(file, buf, (size_t)n) == n, "write: %s",
		      strerror(errno));
	CHECK(t, n == 0, "the FIFO: %s", strerror(errno));
	close(file);
	return path;
}

static char *rest_of(struct live *t, int fd)
{
	static char text[8192];
	size_t n = 0;
	ssize_t got;

	while (n < sizeof(text) - 1 &&
	       (got = read(fd, text + n, sizeof(text) - 1 - n)) > 0)
		n += (size_t)got;
	text[n] = '\0';
	return live_text(t, "%s", text);
}

/* Between the end of the program and the start of the reader. */
#define LATE_MS 300

/* If `read_it` is false, nobody ever reads. */
static struct recorded record(struct live *t, const char *options, bool read_it)
{
	char *path = live_path(t, "fifo");
	struct recorded r = {0};
	struct live_args a = {.n = 0};
	struct live_talk talk;
	int fifo;

	CHECK(t, mkfifo(path, 0600) == 0, "mkfifo: %s", strerror(errno));
	fifo = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	CHECK(t, fifo >= 0, "%s: %s", path, strerror(errno));
	CHECK(t, fcntl(fifo, F_SETFL, 0) == 0, "fcntl: %s", strerror(errno));
	live_add(t, &a, t->gnomon, "record", "-q", "-f", "fib", "-o", path,
		 NULL);
	live_split(t, &a, options);
	live_add(t, &a, "--", NULL);
	live_command(t, &a, PROGRAM);
	live_talk(t, &a, &talk);
	live_await(t, talk.out, "result fib");
	if (read_it) {
		poll(NULL, 0, LATE_MS);
		r.trace = keep(t, fifo);
	}
	r.err = rest_of(t, talk.err);
	r.code = live_wait(t, &talk);
	close(fifo);
	return r;
}

static json_t *report(struct live *t, const struct recorded *r)
{
	char *path = live_path(t, "report");
	struct live_args a = {.n = 0};
	struct live_end end;

	live_add(t, &a, t->gnomon, "report", "--allow-loss", "--format", "json",
		 "-o", path, "-i", r->trace, NULL);
	live_run(t, &a, NULL, &end);
	CHECK(t, end.code == 0, "gnomon report ended with %d: %s", end.code,
	      end.err);
	return live_load(t, path);
}

/* What the disk does not take waits in the ring, which has enough room. */
void test_disk_waits(struct live *t)
{
	struct recorded r = record(t, "--ring-size 128M", true);
	json_t *json;
	uint64_t calls;

	CHECK(t, r.code == 0, "gnomon record ended with %d: %s", r.code, r.err);
	json = report(t, &r);
	live_clean(t, json);
	calls = live_function(t, json, NULL, "fib", "calls", NULL);
	CHECK(t, calls == CALLS, "fib: %" N " calls reported, %u made", calls,
	      CALLS);
}

/* A small ring has too little room. Each lost record is counted once, by the
 * ring, and gnomon names the disk as the cause. */
void test_disk_slow(struct live *t)
{
	struct recorded r = record(t, "--ring-size 1M", true);
	const char *said = strstr(r.err, " records were lost: ");
	uint64_t lost, full;
	json_t *json;

	CHECK(t, r.code == 3, "gnomon record ended with %d: %s", r.code, r.err);
	CHECK(t, said && strstr(said, "disk") && !strstr(said, "--ring-size"),
	      "a slow disk is not what it says: %s", r.err);
	json = report(t, &r);
	full = live_number(t, json, "lost.causes.ring-full");
	lost = strtoull(r.err + strcspn(r.err, "0123456789"), NULL, 10);
	CHECK(t, full && full < 2 * CALLS && lost == full,
	      "%" N " records lost, %" N " by the ring", lost, full);
	CHECK(t, live_number(t, json, "lost.causes.sink") == 0,
	      "records were lost behind the ring");
}

/* Nobody ever reads: gnomon still ends, and says why. */
void test_disk_stuck(struct live *t)
{
	struct recorded r = record(t, "--ring-size 1M", false);

	CHECK(t, r.code == 1, "gnomon record ended with %d: %s", r.code, r.err);
	CHECK(t,
	      strstr(r.err, "the records cannot be written") &&
		      strstr(r.err, "; make room"),
	      "it does not say why: %s", r.err);
}
