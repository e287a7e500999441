/* SPDX-License-Identifier: BSD-2-Clause */
/* Helpers that the tests of `gnomon top` share. */
#ifndef LIVE_TOP_H
#define LIVE_TOP_H

#include "live.h"

/* A running `gnomon top --batch --format json`. */
struct top_view {
	struct live_talk talk;
	char *text; /* read, but not yet parsed */
	size_t size, taken;
	bool over; /* nothing more to read */
};

/* Checks that gnomon's exit status is `want`. */
void top_code(struct live *t, int code, int want, const char *err);

/* Starts the fixture `top`. Returns its PID. */
pid_t top_start(struct live *t, struct live_talk *top);
/* Sends "quit" and returns its output. It must end with 0. */
char *top_quit(struct live *t, struct live_talk *top);

/* Starts gnomon on a process and waits until it has attached. The words of
 * `options` are separated by single blanks. */
void top_attach(struct live *t, const char *options, pid_t pid,
		struct top_view *v);
/* The next period; NULL: there is none, because gnomon has ended. */
json_t *top_period(struct live *t, struct top_view *v);
/* The next period, which must exist. */
json_t *top_next(struct live *t, struct top_view *v);
/* The first period that begins after this call. */
json_t *top_fresh(struct live *t, struct top_view *v);
/* Sends SIGINT and drops the remaining periods. gnomon must end with 0. */
void top_detach(struct live *t, struct top_view *v);

/* Runs `gnomon top OPTIONS -- top` to its end, which must be that of the
 * program. Returns the periods as an array. */
json_t *top_run(struct live *t, const char *options, const char *input,
		struct live_end *end);
/* Parses JSON lines into an array of periods; checks each of them. */
json_t *top_parse(struct live *t, const char *text);

/* A thread of a period; NULL: there is none with that id or name. */
json_t *top_thread(const json_t *period, pid_t tid);
json_t *top_named(const json_t *period, const char *name);
/* The number of threads with that name and process (0 = any). */
size_t top_count(const json_t *period, const char *name, pid_t pid);
/* The name of the function with this index in the period. */
const char *top_function(struct live *t, const json_t *period,
			 const json_t *index);
/* A field, summed over the functions of that name. */
uint64_t top_of(struct live *t, const json_t *period, const char *function,
		const char *field);
bool top_is(const json_t *object, const char *key, const char *text);
bool top_muted(const json_t *period, const char *function);

/* The words that start a topic of the .NET fixture. Skips the test if there is
 * no .NET. */
void top_demo(struct live *t, struct live_args *a, const char *topic);

/* Runs `gnomon WORDS`. */
void top_words(struct live *t, const char *words, struct live_end *end);

#endif
