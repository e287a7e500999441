/* SPDX-License-Identifier: BSD-2-Clause */
/* Times of short .NET methods. */
#include "clr.h"
#include "live_told.h"

#include <stddef.h>

#define BODY(name) "Demo.Bodies." name "(long)"

static const char *const bodies[] = {BODY("Half"),	BODY("One"),
				     BODY("Five"),	BODY("Nested"),
				     BODY("Recursive"), NULL};

static void play(struct live *t, const char *options, struct live_end *end,
		 json_t **report)
{
	struct live_args a = {.n = 0};
	char *path = live_path(t, "report.json");

	live_add(t, &a, t->gnomon, "run", "--format", "json", "-o", path, NULL);
	live_split(t, &a, options);
	live_add(t, &a, "--", NULL);
	clr_demo(t, &a, "bodies");
	live_run(t, &a, NULL, end);
	CHECK(t, end->code == 0, "gnomon ended with %d: %s", end->code,
	      end->err);
	*report = live_load(t, path);
}

/* What is named is not inlined: what the program measures by is left out. */
void test_clr_bodies(struct live *t)
{
	clr_need(t);
	live_told(t, bodies, play, "-f Demo.Bodies.* -f !*.Work(* -f !*.Own(*");
}
