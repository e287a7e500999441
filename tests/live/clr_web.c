/* SPDX-License-Identifier: BSD-2-Clause */
/* A web server that requests its own pages and counts the calls of handlers. */
#include "clr.h"

#include <arpa/inet.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

/* A server has its fast code after a few thousand pages. */
#define WARM_PAGES 20000

static const char *web_program(struct live *t)
{
	const char *web = live_fixture(t, "web.dll");

	clr_need(t);
	if (access(web, R_OK))
		live_skip(t, "no ASP.NET; install it and configure again");
	return web;
}

void test_web(struct live *t)
{
	const char *hooks = strstr(t->name, "rejit") ? "rejit" : "elt";
	struct live_args command = {.n = 0};
	struct clr_pair pair;
	char *off;

	live_add(t, &command, getenv("DOTNET"), web_program(t), "400", NULL);
	clr_pair(t, live_text(t, "--clr-hooks %s -f Demo.Web.*", hooks),
		 &command, &pair);
	clr_compare(t, &pair, 0);
	if (!strcmp(hooks, "rejit"))
		CHECK(t,
		      clr_async_same(t, pair.traced.out, pair.report, &off) ==
			      7,
		      "the program does not say what its handlers do");
}

/* Every method of a server with eight clients at once: nothing is lost with the
 * default rings. */
void test_web_record(struct live *t)
{
	const char *web = web_program(t), *dotnet = getenv("DOTNET");
	char *trace = live_path(t, "trace"), *path = live_path(t, "json");
	struct live_args plain = {.n = 0}, record = {.n = 0}, report = {.n = 0};
	const char *hooks = strstr(t->name, "uprobe") ? "uprobe" : "auto";
	struct live_end bare, end;
	json_t *json;

	live_add(t, &plain, dotnet, web, "400", "8", NULL);
	live_run(t, &plain, NULL, &bare);
	live_add(t, &record, t->gnomon, "record", "--hooks", hooks, "-o", trace,
		 "--", dotnet, web, "400", "8", NULL);
	live_run(t, &record, NULL, &end);
	CHECK(t, end.code == 0, "gnomon record ended with %d: %s", end.code,
	      end.err);
	live_same(t, "what the server says", end.out, bare.out);
	live_add(t, &report, t->gnomon, "report", "-i", trace, "--format",
		 "json", "-o", path, NULL);
	live_run(t, &report, NULL, &end);
	CHECK(t, end.code == 0, "gnomon report ended with %d: %s", end.code,
	      end.err);
	json = live_load(t, path);
	clr_closed(t, json);
	CHECK(t, clr_functions(json) > 3000,
	      "%zu managed functions are not a web server's",
	      clr_functions(json));
}

/* Reads an answer up to its last chunk. */
static bool read_page(int fd)
{
	static const char last[] = "\r\n0\r\n\r\n";
	char answer[4096];
	size_t n = 0, size = sizeof(last) - 1;
	ssize_t got;

	while (n < size || memcmp(answer + n - size, last, size)) {
		got = read(fd, answer + n, sizeof(answer) - n);
		if (got <= 0)
			return false;
		n += (size_t)got;
	}
	return !memcmp(answer, "HTTP/1.1 200", 12);
}

/* Requests a page again and again, by one connection, until the other side of
 * `talk` closes it; says there when the server is warm. False: a request was
 * not answered. */
static bool ask_pages(uint16_t port, int talk)
{
	static const char get[] = "GET /group/3 HTTP/1.1\r\nHost: x\r\n\r\n";
	struct sockaddr_in to = {.sin_family = AF_INET,
				 .sin_port = htons(port),
				 .sin_addr = {htonl(INADDR_LOOPBACK)}};
	struct pollfd over = {.fd = talk, .events = POLLIN};
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	bool well = fd >= 0 && !connect(fd, (struct sockaddr *)&to, sizeof(to));

	for (int i = 0; well && !poll(&over, 1, 0); i++) {
		well = write(fd, get, sizeof(get) - 1) == sizeof(get) - 1;
		well = well && read_page(fd);
		if (i == WARM_PAGES)
			well = well && write(talk, "", 1) == 1;
	}
	close(fd);
	return well;
}

static pid_t begin_pages(struct live *t, uint16_t port, int *talk)
{
	int ends[2];
	pid_t pid;

	CHECK(t, !socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends),
	      "no sockets");
	pid = fork();
	CHECK(t, pid >= 0, "no process");
	if (!pid) {
		close(ends[0]);
		_exit(!ask_pages(port, ends[1]));
	}
	close(ends[1]);
	*talk = ends[0];
	return pid;
}

static void end_pages(struct live *t, pid_t pid, int talk)
{
	int status;

	close(talk);
	CHECK(t, waitpid(pid, &status, 0) == pid, "the client is gone");
	CHECK(t, status == 0, "the server did not answer a request");
}

/* gnomon asks a server for thousands of methods in parts, while it answers:
 * its async methods get their hooks one after the other. It has run for a while
 * before, so that its code has copies of methods. */
void test_web_attach(struct live *t)
{
	struct live_args a = {.n = 0};
	struct live_talk served, gnomon;
	const char *port;
	json_t *report;
	char warm;
	int talk;
	pid_t client;

	live_add(t, &a, getenv("DOTNET"), web_program(t), "serve", NULL);
	live_talk(t, &a, &served);
	port = strrchr(live_await(t, served.out, ""), ':');
	CHECK(t, port, "it does not say where it listens");
	client = begin_pages(t, (uint16_t)atoi(port + 1), &talk);
	CHECK(t, read(talk, &warm, 1) == 1, "it did not answer at first");
	clr_attach(t, &served, "-f Microsoft.*", &gnomon);
	end_pages(t, client, talk);
	client = begin_pages(t, (uint16_t)atoi(port + 1), &talk);
	report = clr_detach(t, &gnomon);
	end_pages(t, client, talk);
	clr_closed(t, report);
	CHECK(t, live_number(t, report, "code.selected.methods") > 3000,
	      "too few methods were asked for");
	CHECK(t, live_finish(t, &served) == 0, "the server ended otherwise");
}
