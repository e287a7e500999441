/* SPDX-License-Identifier: BSD-2-Clause */
/* A web server that requests its own pages and counts the calls of handlers. */
#include "clr.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

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
