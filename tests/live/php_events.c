/* SPDX-License-Identifier: BSD-2-Clause */
/* PHP programs that run already, and files that are compiled. */
#include "php.h"

#include <netinet/in.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

/* A class of time of the only thread. */
static uint64_t class_ns(struct live *t, const json_t *report,
			 const char *class)
{
	const json_t *threads = json_object_get(report, "threads");
	const json_t *classes =
		json_object_get(json_array_get(threads, 0), "classes");

	return live_number(t, classes, class);
}

/* The time to compile files is a class of its own. It ends even if a fatal
 * error leaves the compiler by a jump: what follows does not have it. */
void php_compiled(struct live *t)
{
	struct live_truths *truths = calloc(1, sizeof(*truths));
	struct live_args command = {.n = 0};
	struct live_end end;
	json_t *report;
	uint64_t ns;

	php_need_probes(t);
	CHECK(t, truths, "no memory");
	php_demo(t, &command, "", "broken");
	live_traced(t, &command, "", &end, &report);
	CHECK(t, end.code == 255, "it ended with %d: %s", end.code, end.err);
	live_truths(t, end.out, truths);
	ns = class_ns(t, report, "jit");
	CHECK(t, ns, "nothing was compiled");
	CHECK(t, ns < live_truth(truths, "inner", "busy"),
	      "what follows counts as compiling, too: %d us", (int)(ns / 1000));
	free(truths);
}

/* How many rows of an array have this text. */
static size_t rows_with(const json_t *report, const char *array,
			const char *field, const char *text)
{
	const json_t *row;
	size_t i, n = 0;

	json_array_foreach(json_object_get(report, array), i, row)
	{
		const char *has =
			json_string_value(json_object_get(row, field));

		n += has && !strcmp(has, text);
	}
	return n;
}

/* Each compiled file has its name, although the engine frees that name soon. */
void php_files(struct live *t)
{
	struct live_args command = {.n = 0};
	struct live_end end;
	json_t *report;

	php_need_probes(t);
	php_demo(t, &command, "", "files");
	live_traced(t, &command, "--by jit", &end, &report);
	CHECK(t, end.code == 0 && !*end.err, "it ended with %d: %s", end.code,
	      end.err);
	live_clean(t, report);
	CHECK(t,
	      rows_with(report, "jit", "name", "demo.php") == 1 &&
		      rows_with(report, "jit", "name", "truth.php") == 1 &&
		      rows_with(report, "jit", "name", "part.php") == 4,
	      "the files are not those that it includes");
}

/* Functions have the lines that PHP itself says that they have. */
void php_lines(struct live *t)
{
	struct live_truths *truths = calloc(1, sizeof(*truths));
	struct live_args command = {.n = 0};
	struct live_end end;
	json_t *report;
	size_t n = 0;

	php_need(t);
	CHECK(t, truths, "no memory");
	php_demo(t, &command, "", "recursion");
	live_traced(t, &command, "", &end, &report);
	live_truths(t, end.out, truths);
	for (size_t i = 0; i < truths->n; i++) {
		const struct live_truth *line = &truths->line[i];

		if (strcmp(line->word, "written"))
			continue;
		n++;
		CHECK(t,
		      live_function(t, report, "/demo.php", line->name, "line",
				    NULL) == line->value,
		      "%s is not in line %d", line->name, (int)line->value);
	}
	CHECK(t, n == 3, "it tells %zu lines", n);
	free(truths);
}

/* Exceptions have their class, and the function that threw them. */
void php_thrown(struct live *t)
{
	struct live_args command = {.n = 0};
	const json_t *row;
	struct live_end end;
	json_t *report;

	php_need_probes(t);
	php_demo(t, &command, "", "exceptions");
	live_traced(t, &command, "--by exceptions", &end, &report);
	CHECK(t, end.code == 0 && !*end.err, "it ended with %d: %s", end.code,
	      end.err);
	row = json_array_get(json_object_get(report, "exceptions"), 0);
	CHECK(t,
	      rows_with(report, "exceptions", "name", "RuntimeException") ==
			      1 &&
		      rows_with(report, "exceptions", "thrown_in", "last") == 1,
	      "it throws others");
	/* outer() catches 34 of them, and the callback throws one */
	CHECK(t, live_number(t, row, "count") == 35, "%d were thrown, not 35",
	      (int)live_number(t, row, "count"));
}

struct attached {
	struct live_talk served, other, gnomon;
	char *path, *said;
};

static void attach_to(struct live *t, struct attached *at, const char *pids)
{
	struct live_args a = {.n = 0};
	char *line;

	at->path = live_path(t, "report.json");
	live_add(t, &a, t->gnomon, "run", "--format", "json", "-o", at->path,
		 "-p", pids, NULL);
	live_talk(t, &a, &at->gnomon);
	at->said = live_text(t, "%s", "");
	do {
		line = live_await(t, at->gnomon.err, "gnomon: ");
		at->said = live_text(t, "%s%s\n", at->said, line);
	} while (strncmp(line, "gnomon: attached", 16) != 0);
}

static void serve(struct live *t, const char *variable, struct live_talk *to)
{
	struct live_args php = {.n = 0};

	live_add(t, &php, "/usr/bin/env", variable, NULL);
	php_demo(t, &php, "", "served");
	live_talk(t, &php, to);
	free(live_await(t, to->out, "ready"));
}

/* Attaches to the program, which has called its functions before, and to
 * another one of the same file. */
static void attach(struct live *t, const char *variable, struct attached *at)
{
	php_need_probes(t);
	serve(t, variable, &at->served);
	serve(t, variable, &at->other);
	live_ask(t, &at->served, "before");
	attach_to(
		t, at,
		live_text(t, "%d,%d", (int)at->served.pid, (int)at->other.pid));
}

/* The calls that gnomon saw of those that the program then makes. */
static uint64_t detach(struct live *t, struct attached *at)
{
	live_ask(t, &at->served, "again");
	live_ask(t, &at->served, "again");
	CHECK(t,
	      live_finish(t, &at->served) == 0 &&
		      live_finish(t, &at->other) == 0,
	      "a program failed");
	CHECK(t, live_wait(t, &at->gnomon) == 0, "gnomon failed");
	return live_function(t, live_load(t, at->path), NULL, "one", "calls",
			     NULL);
}

void php_attach(struct live *t)
{
	struct attached at;
	uint64_t calls;

	attach(t, "USE_ZEND_DTRACE=1", &at);
	CHECK(t, !strstr(at.said, "runs PHP"), "gnomon warns: %s", at.said);
	calls = detach(t, &at);
	CHECK(t, calls == 20, "%d calls seen, 20 were made", (int)calls);
}

/* Without that, gnomon says what is missing. */
void php_attach_plain(struct live *t)
{
	struct attached at;
	uint64_t calls;

	attach(t, "USE_ZEND_DTRACE=0", &at);
	CHECK(t,
	      strstr(at.said, "its functions are not seen, because it was "
			      "started without USE_ZEND_DTRACE=1"),
	      "it is not told: %s", at.said);
	calls = detach(t, &at);
	CHECK(t, !calls, "%d calls seen", (int)calls);
}

/* A build without probes has no such variable. */
void php_attach_no_probes(struct live *t)
{
	static const char option[] = "zend_dtrace_enabled";
	struct live_args strip = {.n = 0}, php = {.n = 0}, a = {.n = 0};
	char *copied = live_text(t, "%s/php", t->dir), *file, *at;
	struct live_talk served;
	struct live_end end;
	size_t size;
	FILE *f;

	php_need_probes(t);
	live_add(t, &strip, "/usr/bin/env", "objcopy", "--remove-section",
		 ".note.stapsdt", getenv("PHP"), copied, NULL);
	live_run(t, &strip, NULL, &end);
	CHECK(t, end.code == 0, "objcopy: %s", end.err);
	file = live_read(t, copied, &size);
	at = memmem(file, size, option, sizeof(option));
	CHECK(t, at, "it does not export %s", option);
	*at = 'Z';
	f = fopen(copied, "w");
	CHECK(t,
	      f && fwrite(file, size, 1, f) == 1 && !fclose(f) &&
		      !chmod(copied, 0755),
	      "no copy");
	live_add(t, &php, copied, live_text(t, "%s/demo.php", t->fixtures),
		 "served", NULL);
	live_talk(t, &php, &served);
	free(live_await(t, served.out, "ready"));
	live_add(t, &a, t->gnomon, "run", "-f", "one", "-p",
		 live_text(t, "%d", (int)served.pid), NULL);
	live_run(t, &a, NULL, &end);
	live_expect_line(t, &end, 2,
			 "(PHP engine) was already running: its functions are "
			 "seen only if it was started with USE_ZEND_DTRACE=1 "
			 "and has probes; --snapshot 99 samples");
	CHECK(t, live_finish(t, &served) == 0, "the program failed");
}

/* A port that nobody listens at. */
static int free_port(struct live *t)
{
	struct sockaddr_in at = {.sin_family = AF_INET};
	socklen_t size = sizeof(at);
	int fd = socket(AF_INET, SOCK_STREAM, 0);

	at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	CHECK(t,
	      fd >= 0 && !bind(fd, (struct sockaddr *)&at, sizeof(at)) &&
		      !getsockname(fd, (struct sockaddr *)&at, &size),
	      "no port");
	close(fd);
	return ntohs(at.sin_port);
}

/* Connects once the server listens. */
static int reach(struct live *t, int port)
{
	struct sockaddr_in at = {.sin_family = AF_INET,
				 .sin_port = htons((uint16_t)port)};
	int fd = -1;

	at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	for (;;) {
		fd = socket(AF_INET, SOCK_STREAM, 0);
		CHECK(t, fd >= 0, "no socket");
		if (!connect(fd, (struct sockaddr *)&at, sizeof(at)))
			return fd;
		close(fd);
		live_pause(10);
	}
}

static void request(struct live *t, int port, const char *script)
{
	char *ask = live_text(t, "GET /%s.php HTTP/1.0\r\n\r\n", script);
	int fd = reach(t, port);
	char answer[4096];
	size_t size = 0;
	ssize_t n;

	CHECK(t, write(fd, ask, strlen(ask)) == (ssize_t)strlen(ask),
	      "the server takes no request");
	while ((n = read(fd, answer + size, sizeof(answer) - 1 - size)) > 0)
		size += (size_t)n;
	answer[size] = '\0';
	close(fd);
	CHECK(t, strstr(answer, script), "the server says '%s'", answer);
}

static void check_requests(struct live *t, const json_t *report,
			   const char *script, uint64_t requests)
{
	const struct {
		const char *name;
		uint64_t calls;
	} rows[] = {{live_text(t, "%s_step", script), 2 + 3 + 4},
		    {live_text(t, "Class_%s::steps", script), 1},
		    {live_text(t, "Class_%s::__construct", script), 1},
		    {live_text(t, "{main} %s.php", script), 1}};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		uint64_t calls = live_function(t, report, NULL, rows[i].name,
					       "calls", NULL);

		CHECK(t, calls == rows[i].calls * requests,
		      "%s: %d calls seen, %d were made", rows[i].name,
		      (int)calls, (int)(rows[i].calls * requests));
	}
}

/* A server answers requests with one script and the other. At the end of each
 * the engine frees the names of its functions. */
void php_requests(struct live *t)
{
	enum { REQUESTS = 12 };
	struct live_args php = {.n = 0};
	struct attached at;
	int port = free_port(t);
	json_t *report;

	php_need_probes(t);
	live_add(t, &php, "/usr/bin/env", "USE_ZEND_DTRACE=1", getenv("PHP"),
		 "-d", "opcache.enable=0", "-q", "-S",
		 live_text(t, "127.0.0.1:%d", port), "-t",
		 live_text(t, "%s/web", t->fixtures), NULL);
	live_talk(t, &php, &at.served);
	request(t, port, "first");
	attach_to(t, &at, live_text(t, "%d", (int)at.served.pid));
	for (int i = 0; i < REQUESTS; i++) {
		request(t, port, "first");
		request(t, port, "other");
	}
	CHECK(t, !kill(at.served.pid, SIGTERM), "the server is gone");
	live_wait(t, &at.served);
	CHECK(t, live_wait(t, &at.gnomon) == 0, "gnomon failed");
	report = live_load(t, at.path);
	check_requests(t, report, "first", REQUESTS);
	check_requests(t, report, "other", REQUESTS);
}

/* A fatal error in a server's script ends its functions: the time until the
 * next request, which is at least that of the script's child, is in none. */
void php_requests_fatal(struct live *t)
{
	const uint64_t child = 300000000;
	char *path = live_path(t, "fatal.json");
	struct live_args php = {.n = 0};
	struct live_talk gnomon;
	int port = free_port(t);
	json_t *report;
	uint64_t begin, all, ns;

	php_need(t);
	live_add(t, &php, t->gnomon, "run", "--format", "json", "-o", path,
		 "--", getenv("PHP"), "-q", "-S",
		 live_text(t, "127.0.0.1:%d", port), "-t",
		 live_text(t, "%s/web", t->fixtures), NULL);
	live_talk(t, &php, &gnomon);
	request(t, port, "first");
	begin = live_now();
	request(t, port, "fatal");
	request(t, port, "other");
	all = live_now() - begin;
	CHECK(t, !kill(gnomon.pid, SIGINT), "gnomon is gone");
	CHECK(t, live_wait(t, &gnomon) == 0, "gnomon failed");
	report = live_load(t, path);
	check_requests(t, report, "other", 1);
	ns = live_function(t, report, NULL, "{main} fatal.php",
			   "elapsed_inclusive_ns", NULL);
	CHECK(t, ns, "it is not seen");
	CHECK(t, ns + child <= all,
	      "%d us seen in it, of %d us with those of the child",
	      (int)(ns / 1000), (int)(all / 1000));
}
