/* SPDX-License-Identifier: BSD-2-Clause */
/* Samples of the functions of interpreters, compared with what programs know
 * about their CPU time. */
#ifndef LIVE_SAMPLED_H
#define LIVE_SAMPLED_H

#include "live.h"

#define LIVE_BURNT_MS "600"

/* An interpreter, and its program among the fixtures, which is told a topic and
 * how much CPU time to take. */
struct live_sampled {
	const char *word; /* how its counters begin */
	const char *path;
	const char *script;
};

uint64_t live_sampled_counter(struct live *t, const struct live_sampled *s,
			      const json_t *report, const char *name);
/* A field of the rows of a function; 0: there is none. */
uint64_t live_samples_of(struct live *t, const json_t *report, const char *name,
			 const char *field);
/* The functions have the shares of the samples that they have of the CPU time,
 * and begin where the program says. Nearly all samples have functions, and the
 * rest is counted. */
void live_sampled_check(struct live *t, const struct live_sampled *s,
			const json_t *report, const char *out);
/* Attaches to the program before it begins its work, and checks the report. */
void live_sampled_attached(struct live *t, const struct live_sampled *s,
			   const char *topic);
/* Attaches without samples: the findings say what these would show. */
void live_sampled_suggested(struct live *t, const struct live_sampled *s,
			    const char *language);
/* Starts a program, with `env` in addition if that is not NULL. */
json_t *live_sampled_start(struct live *t, const struct live_args *command,
			   char *const *env, struct live_end *end);
/* It is started by gnomon, and by a program that gnomon starts. */
void live_sampled_started(struct live *t, const struct live_sampled *s);
/* Stacks that are too deep, in `down`, lack callers: the share of the samples
 * that it has of the time of `first`. */
void live_sampled_deep(struct live *t, const struct live_sampled *s,
		       const char *down, const char *first);
/* Frames nest as the functions call one another: the stacks have this path. */
void live_sampled_stacks(struct live *t, const struct live_sampled *s,
			 const char *path);

/* A program whose memory is full of traps is sampled all the same; what cannot
 * be read is counted, and the program's own functions are there. */
struct live_sampled_trap {
	const char *name, *counter;
	bool stacks;	      /* some have functions of the interpreter */
	const char *function; /* most have it; NULL: no matter */
};

void live_sampled_hostile(struct live *t, const struct live_sampled *s,
			  const struct live_sampled_trap *traps, size_t n);

#endif
