/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * live_KIND [--list] [NAME...]: runs the live tests on programs of that kind,
 * or only the named ones. Environment:
 * GNOMON: the path of the program under test
 * FIXTURES: the folder of the fixtures (or the one above native/)
 * LIVE_SLOW: a factor for all timeouts
 * LIVE_GUEST_MS: what a guest's processor may add to bounds that allow it
 * (struct live)
 * LIVE_LEFT_OUT: a file of tests that are left out here (live_left.h)
 * LIVE_TRIES: how often a failing test is run in total, because a guest's
 * processors can stall anywhere
 *
 * Each failure is printed. Exits with 1 if a test failed, with 77 if all were
 * skipped.
 */
#include "live.h"
#include "live_left.h"

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define TIMEOUT_MS   90000
#define CODE_SKIPPED 77
#define REASON_SIZE  4096

static const struct live_row rows[] = {
#define RUN(name, command, options, flags) \
	{name, NULL, command, options, flags},
#define TEST(name, function) {name, function, NULL, NULL, 0},
#define ALONE		     TEST
#define PLAIN		     TEST
#define OTHER		     TEST
#include LIVE_TESTS
#undef RUN
#undef TEST
#undef ALONE
#undef PLAIN
#undef OTHER
};

#define ROWS (sizeof(rows) / sizeof(rows[0]))

struct tally {
	unsigned int passed, failed, skipped, left_out;
};

struct setup {
	const char *gnomon, *tmp;
	char fixtures[PATH_MAX];
	int timeout_ms, tries;
	unsigned int slow;
	uint64_t guest_ns;
	struct live_left left;
};

static _Noreturn void end_test(struct live *t, int code, const char *format,
			       va_list args)
{
	char reason[REASON_SIZE];
	int n = vsnprintf(reason, sizeof(reason), format, args);

	if (n > 0)
		n = (int)write(t->verdict, reason,
			       (size_t)n < sizeof(reason) ? (size_t)n
							  : sizeof(reason) - 1);
	_exit(n < 0 ? 1 : code);
}

void live_fail(struct live *t, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	end_test(t, 1, format, args);
}

void live_skip(struct live *t, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	end_test(t, CODE_SKIPPED, format, args);
}

void live_again(struct live *t, int i, int n, const char *off)
{
	if (i + 1 >= n)
		live_fail(t, "%s, and the like in %d runs", off, n);
	t->tried = live_text(t, "; attempt %d of %d, before it: %s", i + 2, n,
			     off);
}

char *live_text(struct live *t, const char *format, ...)
{
	va_list args;
	char *text;
	int n;

	va_start(args, format);
	n = vasprintf(&text, format, args);
	va_end(args);
	CHECK(t, n >= 0, "no memory");
	return text;
}

char *live_path(struct live *t, const char *name)
{
	return live_text(t, "%s/%u-%s", t->dir, t->files++, name);
}

char *live_fixture(struct live *t, const char *name)
{
	return live_text(t, "%s/%s", t->fixtures, name);
}

uint64_t live_now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (uint64_t)ts.tv_sec * 1000000000u + (uint64_t)ts.tv_nsec;
}

static long now_ms(void)
{
	return (long)(live_now() / 1000000);
}

void live_pause(long ms)
{
	const struct timespec ts = {.tv_sec = ms / 1000,
				    .tv_nsec = ms % 1000 * 1000000};

	nanosleep(&ts, NULL);
}

static int remove_one(const char *path, const struct stat *st, int type,
		      struct FTW *ftw)
{
	(void)st;
	(void)type;
	(void)ftw;
	return remove(path);
}

/* nohup, and a shell that starts it in the background, have it ignore them. */
static void heed_signals(void)
{
	signal(SIGHUP, SIG_DFL);
	signal(SIGINT, SIG_DFL);
	signal(SIGQUIT, SIG_DFL);
}

static _Noreturn void be_test(const struct setup *s, const struct live_row *row,
			      const char *dir, int verdict)
{
	struct live t = {
		.name = row->name,
		.gnomon = s->gnomon,
		.fixtures = s->fixtures,
		.dir = dir,
		.verdict = verdict,
		.guest_ns = s->guest_ns,
		.slow = s->slow,
	};

	heed_signals();
	signal(SIGPIPE, SIG_IGN);
	if (setpgid(0, 0))
		live_fail(&t, "setpgid: %s", strerror(errno));
	if (geteuid() != 0)
		live_skip(&t, "only root can trace");
	if (row->test)
		row->test(&t);
	else
		live_run_row(&t, row);
	if (t.tried)
		dprintf(verdict, "%s", t.tried);
	_exit(0);
}

/* Reads the reason until the test ends. False: timeout. */
static bool read_verdict(int fd, char *reason, size_t size, int timeout_ms)
{
	long deadline = now_ms() + timeout_ms, left;
	size_t used = 0;
	ssize_t n = 1;

	while (n > 0 && used + 1 < size) {
		struct pollfd p = {.fd = fd, .events = POLLIN};

		left = deadline - now_ms();
		if (left <= 0 || poll(&p, 1, (int)left) == 0) {
			reason[used] = '\0';
			return false;
		}
		n = read(fd, reason + used, size - 1 - used);
		if (n > 0)
			used += (size_t)n;
	}
	while (used && reason[used - 1] == '\n')
		used--;
	reason[used] = '\0';
	return true;
}

/* Kills and reaps what a test left running: it became our child. */
static void sweep(pid_t group)
{
	kill(-group, SIGKILL);
	while (waitpid(-group, NULL, 0) > 0 || errno == EINTR)
		;
	while (waitpid(-1, NULL, WNOHANG) > 0)
		;
}

/* Removes the control groups that a test left (live_group.c, live_explain.c).
 * What was in them is killed, but can take a moment to end. */
static void remove_groups(pid_t test)
{
	static const char *const roots[] = {
		"/sys/fs/cgroup", "/sys/fs/cgroup/unified",
		"/sys/fs/cgroup/memory", "/sys/fs/cgroup/cpu"};
	int patience = 2000;

	for (size_t i = 0; i < sizeof(roots) / sizeof(*roots); i++) {
		char group[64];

		snprintf(group, sizeof(group), "%s/gnomon-test-%d", roots[i],
			 (int)test);
		while (rmdir(group) && errno == EBUSY && patience--)
			live_pause(1);
	}
}

/* Prints why it was skipped. If a list decides which tests are left out, it
 * must have the test. */
static void print_skipped(const struct setup *s, const struct live_row *row,
			  const char *reason, struct tally *tally)
{
	if (s->left.path) {
		printf("not ok %s: skipped, and not in %s: %s\n", row->name,
		       s->left.path, reason);
		tally->failed++;
	} else {
		printf("skip %s: %s\n", row->name, reason);
		tally->skipped++;
	}
}

/* False: it failed and must run again. */
static bool print_verdict(const struct setup *s, const struct live_row *row,
			  int status, bool in_time, const char *reason, long ms,
			  bool last, struct tally *tally)
{
	int code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
	const char *verdict = last ? "not ok" : "again";
	bool failed = !in_time || (code && code != CODE_SKIPPED);

	if (!in_time) {
		printf("%s %s: no end within %ld ms\n", verdict, row->name, ms);
	} else if (code == 0) {
		printf("ok %s (%ld ms)%s\n", row->name, ms, reason);
		tally->passed++;
	} else if (code == CODE_SKIPPED) {
		print_skipped(s, row, reason, tally);
	} else if (code < 0 && WIFSIGNALED(status)) {
		printf("%s %s: the test died of signal %d\n", verdict,
		       row->name, WTERMSIG(status));
	} else {
		printf("%s %s: %s\n", verdict, row->name, reason);
	}
	tally->failed += failed && last;
	fflush(stdout);
	return !failed || last;
}

/* 1: it is done; 0: it must run again; <0. */
static int run_test(const struct setup *s, const struct live_row *row,
		    bool last, struct tally *tally)
{
	char dir[PATH_MAX], reason[REASON_SIZE];
	long begin = now_ms();
	int fds[2], status = 0;
	bool in_time, done = true;
	pid_t pid;

	snprintf(dir, sizeof(dir), "%s/live-XXXXXX", s->tmp);
	if (!mkdtemp(dir) || pipe2(fds, O_CLOEXEC))
		return -errno;
	fflush(stdout);
	pid = fork();
	if (pid == 0) {
		close(fds[0]);
		be_test(s, row, dir, fds[1]);
	}
	close(fds[1]);
	if (pid > 0) {
		in_time = read_verdict(fds[0], reason, sizeof(reason),
				       s->timeout_ms);
		if (!in_time)
			kill(pid, SIGKILL);
		while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
			;
		sweep(pid);
		remove_groups(pid);
		done = print_verdict(s, row, status, in_time, reason,
				     now_ms() - begin, last, tally);
	}
	close(fds[0]);
	nftw(dir, remove_one, 16, FTW_DEPTH | FTW_PHYS);
	return pid > 0 ? done : -EAGAIN;
}

static int set_up(struct setup *s)
{
	const char *fixtures = getenv("FIXTURES"), *slow = getenv("LIVE_SLOW");
	const char *guest = getenv("LIVE_GUEST_MS");
	const char *tries = getenv("LIVE_TRIES");
	long factor = slow ? strtol(slow, NULL, 10) : 1;
	long guest_ms = guest ? strtol(guest, NULL, 10) : 0;

	s->gnomon = getenv("GNOMON");
	s->tmp = getenv("TMPDIR");
	if (!s->tmp || !*s->tmp)
		s->tmp = "/tmp";
	s->slow = factor > 0 && factor < 1000 ? (unsigned int)factor : 1;
	s->timeout_ms = TIMEOUT_MS * (int)s->slow;
	if (!s->gnomon || !fixtures || access(s->gnomon, X_OK)) {
		fprintf(stderr,
			"%s: set GNOMON to the program under test and "
			"FIXTURES to the folder of the fixtures\n",
			program_invocation_short_name);
		return -EINVAL;
	}
	snprintf(s->fixtures, sizeof(s->fixtures), "%s/native", fixtures);
	if (access(s->fixtures, X_OK))
		snprintf(s->fixtures, sizeof(s->fixtures), "%s", fixtures);
	s->tries = tries ? (int)strtol(tries, NULL, 10) : 1;
	if (guest_ms > 0 && guest_ms < 1000)
		s->guest_ns = (uint64_t)guest_ms * 1000000;
	if (live_left_read(&s->left, getenv("LIVE_LEFT_OUT")))
		return -EINVAL;
	/* orphans of a test become our children, and its folder is removed
	 * later */
	prctl(PR_SET_CHILD_SUBREAPER, 1);
	return 0;
}

static const struct live_row *find_row(const char *name)
{
	size_t i;

	for (i = 0; i < ROWS; i++)
		if (strcmp(rows[i].name, name) == 0)
			return &rows[i];
	return NULL;
}

/* Checks that all given names, and those that are left out, are tests. */
static bool know_names(const struct setup *s, int argc, char **argv)
{
	const char *unknown = NULL;
	size_t i;
	int k;

	for (k = 1; k < argc && !unknown; k++)
		unknown = find_row(argv[k]) ? NULL : argv[k];
	for (i = 0; i < s->left.n && !unknown; i++)
		unknown = find_row(s->left.row[i].name) ? NULL
							: s->left.row[i].name;
	if (unknown)
		fprintf(stderr, "%s: no test %s; see --list\n",
			program_invocation_short_name, unknown);
	return !unknown;
}

static void run_row(const struct setup *s, const struct live_row *row,
		    struct tally *tally)
{
	const char *left_out = live_left_reason(&s->left, row->name);
	int err = 0;

	if (left_out) {
		printf("left out %s: %s\n", row->name, left_out);
		tally->left_out++;
		return;
	}
	for (int i = 1; !err; i++)
		err = run_test(s, row, i >= s->tries, tally);
	if (err < 0) {
		printf("not ok %s: %s\n", row->name, strerror(-err));
		tally->failed++;
	}
}

static int run_all(const struct setup *s, int argc, char **argv)
{
	int n = argc > 1 ? argc - 1 : (int)ROWS, i;
	struct tally tally = {0};

	if (!know_names(s, argc, argv))
		return 2;
	for (i = 0; i < n; i++)
		run_row(s, argc > 1 ? find_row(argv[i + 1]) : &rows[i], &tally);
	printf("%u passed, %u failed, %u skipped, %u left out\n", tally.passed,
	       tally.failed, tally.skipped, tally.left_out);
	if (tally.failed)
		return 1;
	return tally.skipped && !tally.passed ? CODE_SKIPPED : 0;
}

int main(int argc, char **argv)
{
	struct setup s = {0};
	size_t i;

	if (argc > 1 && strcmp(argv[1], "--list") == 0) {
		for (i = 0; i < ROWS; i++)
			puts(rows[i].name);
		return 0;
	}
	return set_up(&s) ? 2 : run_all(&s, argc, argv);
}
