/* SPDX-License-Identifier: BSD-2-Clause */
/* Times of short .NET methods. */
#include "clr.h"
#include "live_told.h"

#define BODY(name) "Demo.Bodies." name "(long)"

void test_clr_bodies(struct live *t)
{
	static const char *const names[LIVE_BODIES] = {
		BODY("Half"), BODY("One"), BODY("Five"), BODY("Nested"),
		BODY("Recursive")};
	struct live_args command = {.n = 0};

	clr_need(t);
	clr_demo(t, &command, "bodies blocks");
	live_told(t, names,
		  "-f Demo.Bodies.Half(* -f Demo.Bodies.One(* "
		  "-f Demo.Bodies.Five(* -f Demo.Bodies.Nested(* "
		  "-f Demo.Bodies.Inner(* -f Demo.Bodies.Recursive(*",
		  &command);
}
