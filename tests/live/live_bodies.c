/* SPDX-License-Identifier: BSD-2-Clause */
/* Times of short native functions. */
#include "live_told.h"

static const char *const bodies[] = {"half",   "one",	    "five",
				     "nested", "recursive", NULL};

static void play(struct live *t, const char *options, struct live_end *end,
		 json_t **report)
{
	live_reported(t, options, "bodies", end, report);
}

void test_bodies(struct live *t)
{
	live_told(t, bodies, play, "--leave return -f *");
}

void test_bodies_rets(struct live *t)
{
	live_told(t, bodies, play, "--leave ret -f *");
}
