/* SPDX-License-Identifier: BSD-2-Clause */
/* Helpers that the tests of muting share: a capture of two functions. */
#ifndef LIVE_MUTE_H
#define LIVE_MUTE_H

#include "live.h"

#include "capture/session.h"

/* Muting begins after this many records of the function. */
#define MUTE_AFTER 2000

/* Records of the muted function may still arrive for this long. */
#define MUTE_LATE_NS 1000000000u

struct seen {
	const char
		*name; /* as on the command line; a * at its end is any text */
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
	/* per thread: when it last entered the other function */
	struct {
		uint32_t tid;
		uint64_t time;
	} open[OPEN_MAX];
	uint64_t fastest[2]; /* fastest call of the other function: before,
				after */
	uint64_t asked;	     /* when gn_session_mute() was called */
	uint64_t mute_time;
	uint64_t lost;
	unsigned int mutes;
	uint64_t others; /* calls of the other function before the muting */
};

/* Sets what every capture needs. `functions`: two names, `m` and `o`. */
void capture_init(struct live *t, struct capture *c, char *const *command);
void capture_functions(struct capture *c, const char *m, const char *o,
		       char *globs[2]);
/* Everything from new to start; the command's stdout goes to the file. */
void capture_start(struct capture *c, const char *out_path);
/* Polls until the function to mute has made MUTE_AFTER records. False: the
 * command ended before. */
bool capture_until_hot(struct capture *c);
/* Calls gn_session_mute() for the function to mute. */
int capture_mute(struct capture *c);
/* Waits until the command ends, and stops. Returns its exit status. */
int capture_finish(struct capture *c);

/* The words of a fixture's command. For a .NET fixture, they start it with
 * dotnet, or the test is skipped. */
void mute_command(struct live *t, struct live_args *a, const char *command);

#endif
