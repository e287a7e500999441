/* SPDX-License-Identifier: BSD-2-Clause */
/* What the tests of `gnomon top` share. */
#ifndef LIVE_TOP_H
#define LIVE_TOP_H

#include "live.h"

/* `gnomon top --batch --format json` under way. */
struct top_view {
	struct live_talk talk;
	char *text; /* read and not yet taken */
	size_t size, taken;
	bool over; /* nothing more to read */
};

/* How gnomon ended must be `want`. */
void top_code(struct live *t, int code, int want, const char *err);

/* Starts the fixture `top`: its PID. */
pid_t top_start(struct live *t, struct live_talk *top);
/* "quit": what it says of itself. It must end with 0. */
char *top_quit(struct live *t, struct live_talk *top);

/* gnomon on a process, once it has attached. `options` in single blanks. */
void top_attach(struct live *t, const char *options, pid_t pid,
		struct top_view *v);
/* The next period; NULL: there is none, gnomon has ended. */
json_t *top_period(struct live *t, struct top_view *v);
/* The next one, which must be there. */
json_t *top_next(struct live *t, struct top_view *v);
/* The next one that began after this call. */
json_t *top_fresh(struct live *t, struct top_view *v);
/* SIGINT; the periods that are left are dropped. It must end with 0. */
void top_detach(struct live *t, struct top_view *v);

/* `gnomon top OPTIONS -- top` to its end, which must be as of the program; the
 * periods as an array. */
json_t *top_run(struct live *t, const char *options, const char *input,
		struct live_end *end);
/* JSON lines as an array of periods, each of which is checked. */
json_t *top_parse(struct live *t, const char *text);

/* A thread of a period; NULL: there is none of that id or name. */
json_t *top_thread(const json_t *period, pid_t tid);
json_t *top_named(const json_t *period, const char *name);
/* How many threads of that name and process (0 = any). */
size_t top_count(const json_t *period, const char *name, pid_t pid);
/* The name of the function that an index of the period is. */
const char *top_function(struct live *t, const json_t *period,
			 const json_t *index);
/* A field of the functions of that name, summed. */
uint64_t top_of(struct live *t, const json_t *period, const char *function,
		const char *field);
bool top_is(const json_t *object, const char *key, const char *text);
bool top_muted(const json_t *period, const char *function);

/* The words that start a topic of the .NET fixture; a skip where there is no
 * .NET. */
void top_demo(struct live *t, struct live_args *a, const char *topic);

/* `gnomon WORDS` */
void top_words(struct live *t, const char *words, struct live_end *end);

#endif
