/* SPDX-License-Identifier: BSD-2-Clause */
/* What the live tests on .NET share. */
#ifndef LIVE_CLR_H
#define LIVE_CLR_H

#include "live.h"

/* What ran twice: without gnomon and with it. */
struct clr_pair {
	struct live_end plain, traced;
	json_t *report; /* NULL: gnomon wrote none */
};

/* Skips the test where there is no .NET. */
void clr_need(struct live *t);
/* The words that start the fixture: dotnet demo.dll TOPIC. */
void clr_demo(struct live *t, struct live_args *a, const char *topic);
/* Gives a fixture that serves a line; what it says until "done". */
char *clr_serve(struct live *t, const struct live_talk *served,
		const char *line);
/* The C# compiler of the newest SDK, and the folder that has its SDK. */
char *clr_compiler(struct live *t);
char *clr_sdk(struct live *t);
/* A command that compiles a small program with it, on one thread at a time. */
void clr_compile(struct live *t, struct live_args *a);
/* The fixture, when it serves. */
void clr_start_served(struct live *t, struct live_talk *served);
/* The same in an environment (NULL: in ours), and as a user without rights. */
void clr_start_with(struct live *t, char *const *env, struct live_talk *served);
void clr_start_as_nobody(struct live *t, struct live_talk *served);
/* It does what it did before, and ends well. */
void clr_go_on(struct live *t, struct live_talk *served);
/* gnomon must fail to trace its functions, and say this. */
void clr_expect_refused(struct live *t, pid_t pid, const char *said);
/* Starts `gnomon run OPTIONS` on it. */
void clr_begin_attach(struct live *t, const struct live_talk *served,
		      const char *options, struct live_talk *gnomon);
/* Ends that by SIGINT: its report. */
json_t *clr_detach(struct live *t, struct live_talk *gnomon);
/* gnomon on a fixture that serves, ready to see, with --raw. */
void clr_attach(struct live *t, const struct live_talk *served,
		const char *options, struct live_talk *gnomon);
/* One session in which it does what `line` says. */
void clr_session(struct live *t, const struct live_talk *served,
		 const char *options, const char *line, unsigned int flags);
/* Whether a process is a .NET program, not gnomon's before it. */
bool clr_is_dotnet(struct live *t, pid_t pid);
/* Waits until a process is no gnomon's any more, be it a killed one's. */
void clr_await_lock(struct live *t, pid_t pid);
/* How often the one that serves comes to a hook, by the kernel's count. */
uint64_t clr_hook_calls(struct live *t, const struct live_talk *served);
/* Whether it shares memory with gnomon. */
bool clr_is_shared(struct live *t, const struct live_talk *served);
/* A copy of the fixture in the test's folder, which anybody may read. */
char *clr_copy_demo(struct live *t);
/* A session without functions in a process that has just begun to serve: what
 * the runtime does is told. */
void clr_attach_light(struct live *t, const struct live_talk *served);
/* gnomon and its library where other users can reach them. */
char *clr_copy_gnomon(struct live *t, char **library);

/* `gnomon run OPTIONS -- COMMAND`, its report as JSON if there is one.
 * NAME=VALUE words of the options, and `env` (may be NULL), are its
 * environment. */
void clr_trace(struct live *t, const char *options, char *const *env,
	       const struct live_args *command, struct live_end *end,
	       json_t **report);
/* The command without gnomon and with it. It must end and say the same, but for
 * times on stdout; the report must be clean and its stacks closed. */
void clr_pair(struct live *t, const char *options,
	      const struct live_args *command, struct clr_pair *pair);
/* The report must say what the program said. Flags as of live_run_row(). */
void clr_compare(struct live *t, const struct clr_pair *pair,
		 unsigned int flags);
/* The same of what it said of its async methods; in `off` the first time that
 * is off, or NULL. How many lines that were. */
size_t clr_async_same(struct live *t, const char *out, const json_t *report,
		      char **off);
/* stderr without the lines of gnomon. */
char *clr_own_err(struct live *t, const char *err);
/* Nothing of a clean run is open or does not match. */
void clr_closed(struct live *t, const json_t *report);
/* How many functions of the runtime "clr" the report has. */
size_t clr_functions(const json_t *report);

#endif
