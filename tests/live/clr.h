/* SPDX-License-Identifier: BSD-2-Clause */
/* Helpers that the live tests on .NET share. */
#ifndef LIVE_CLR_H
#define LIVE_CLR_H

#include "live.h"

/* The results of two runs: without gnomon and with it. */
struct clr_pair {
	struct live_end plain, traced;
	json_t *report; /* NULL: gnomon wrote none */
};

/* Skips the test if there is no .NET. */
void clr_need(struct live *t);
/* The words that start the fixture: dotnet demo.dll TOPIC. */
void clr_demo(struct live *t, struct live_args *a, const char *topic);
/* Sends a line to the fixture; returns its output before "done". */
char *clr_serve(struct live *t, const struct live_talk *served,
		const char *line);
/* The C# compiler of the newest SDK, and the folder of its SDK. */
char *clr_compiler(struct live *t);
char *clr_sdk(struct live *t);
/* A command that compiles a small program with it, one thread at a time. */
void clr_compile(struct live *t, struct live_args *a);
/* Starts the fixture, which then takes commands. */
void clr_start_served(struct live *t, struct live_talk *served);
/* The same with an environment (NULL: our own), and as a user without
 * rights. */
void clr_start_with(struct live *t, char *const *env, struct live_talk *served);
void clr_start_as_nobody(struct live *t, struct live_talk *served);
/* Checks that the fixture still works as before, and that it ends well. */
void clr_go_on(struct live *t, struct live_talk *served);
/* Checks that gnomon cannot trace functions of the process, and prints
 * `said`. */
void clr_expect_refused(struct live *t, pid_t pid, const char *said);
/* Starts `gnomon run OPTIONS` on the fixture. */
void clr_begin_attach(struct live *t, const struct live_talk *served,
		      const char *options, struct live_talk *gnomon);
/* Ends gnomon by SIGINT and returns its report. */
json_t *clr_detach(struct live *t, struct live_talk *gnomon);
/* Attaches gnomon to the fixture, with --raw; waits until it is ready. */
void clr_attach(struct live *t, const struct live_talk *served,
		const char *options, struct live_talk *gnomon);
/* One session, in which the fixture does what `line` says. */
void clr_session(struct live *t, const struct live_talk *served,
		 const char *options, const char *line, unsigned int flags);
/* Whether a process is a .NET program; gnomon's child before exec is not. */
bool clr_is_dotnet(struct live *t, pid_t pid);
/* Waits until no gnomon holds the process, not even a killed one. */
void clr_await_lock(struct live *t, pid_t pid);
/* How often the fixture enters a hook, by the kernel's count. */
uint64_t clr_hook_calls(struct live *t, const struct live_talk *served);
/* Whether the fixture shares memory with gnomon. */
bool clr_is_shared(struct live *t, const struct live_talk *served);
/* A copy of the fixture in the test's folder that anybody may read. */
char *clr_copy_demo(struct live *t);
/* A session without functions in a process that has just started to take
 * commands: it reports what the runtime does. */
void clr_attach_light(struct live *t, const struct live_talk *served);
/* Copies gnomon and its library to a place that other users can reach. */
char *clr_copy_gnomon(struct live *t, char **library);

/* Runs `gnomon run OPTIONS -- COMMAND`; its report as JSON if there is one. The
 * environment: NAME=VALUE words of the options, and `env` (may be NULL). */
void clr_trace(struct live *t, const char *options, char *const *env,
	       const struct live_args *command, struct live_end *end,
	       json_t **report);
/* Runs the command without gnomon and with it. Both must end alike and print
 * the same, except for times on stdout; the report must be clean and all frames
 * closed. */
void clr_pair(struct live *t, const char *options,
	      const struct live_args *command, struct clr_pair *pair);
/* The report must agree with the program's output. Flags as for
 * live_run_row(). */
void clr_compare(struct live *t, const struct clr_pair *pair,
		 unsigned int flags);
/* The same for what the program prints about its async methods. `off`: the
 * first time that differs, or NULL. Returns the number of such lines. */
size_t clr_async_same(struct live *t, const char *out, const json_t *report,
		      char **off);
/* stderr without the lines of gnomon. */
char *clr_own_err(struct live *t, const char *err);
/* Checks that a clean run has no open and no unmatched frames. */
void clr_closed(struct live *t, const json_t *report);
/* The number of functions of the runtime "clr" in the report. */
size_t clr_functions(const json_t *report);

#endif
