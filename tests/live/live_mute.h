/* SPDX-License-Identifier: BSD-2-Clause */
/* What the tests of muting share: a capture that looks at two functions. */
#ifndef LIVE_MUTE_H
#define LIVE_MUTE_H

#include "live.h"

#include "capture/session.h"

/* The muting begins when the function has made this many records. */
#define MUTE_AFTER 2000

/* Records of the muted one may come for this long. */
#define MUTE_LATE_NS 1000000000u

struct seen {
	const char *name; /* as asked for; a * at its end is any text */
	uint32_t func, pid;
	uint64_t enters, leaves;
	uint64_t first, last; /* times of records */
};

#define OPEN_MAX 64

struct capture {
	struct live *t;
	struct gn_session_opts opts;
	struct gn_session *session;
	struct seen muted, other;
	/* by thread: when it entered the other one last */
	struct {
		uint32_t tid;
		uint64_t time;
	} open[OPEN_MAX];
	uint64_t fastest[2]; /* calls of the other one: before, after */
	uint64_t asked;	     /* when gn_session_mute() was called */
	uint64_t mute_time;
	uint64_t lost;
	unsigned int mutes;
	uint64_t others; /* calls of the other one before it is hot */
};

/* Fills in what every capture needs. `functions`: two names, `m` and `o`. */
void capture_init(struct live *t, struct capture *c, char *const *command);
void capture_functions(struct capture *c, const char *m, const char *o,
		       char *globs[2]);
/* From new to start; the command's stdout is the file. */
void capture_start(struct capture *c, const char *out_path);
/* Polls until it is hot: the one to mute has made MUTE_AFTER records; false:
 * the command ended before. */
bool capture_until_hot(struct capture *c);
/* gn_session_mute() of the function to mute. */
int capture_mute(struct capture *c);
/* Waits for the command's end and stops: its exit status. */
int capture_finish(struct capture *c);

/* The words of a fixture's command; .NET ones are for dotnet, or a skip. */
void mute_command(struct live *t, struct live_args *a, const char *command);

#endif
