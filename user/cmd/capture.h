/* SPDX-License-Identifier: BSD-2-Clause */
/* What the verbs that trace share: options, signals, the loop. */
#ifndef GNOMON_CMD_CAPTURE_H
#define GNOMON_CMD_CAPTURE_H

#include <sys/capability.h>

#include "capture/session.h"
#include "cmd/cmd.h"
#include "cmd/progress.h"
#include "cmd/signals.h"

/* How much of .NET programs is traced. */
enum gn_clr_level {
	GN_CLR_CALLS = 0, /* functions */
	GN_CLR_LIGHT,	  /* threads and classes */
	GN_CLR_FULL,	  /* functions, transitions and allocations */
};

struct gn_capture_args {
	struct gn_args args;	/* must be first: option tables hold offsets */
	struct gn_list values;	/* -a */
	struct gn_asked *asked; /* those, parsed */
	int attach;		/* enum gn_attach_mode */
	int inlining;		/* enum gn_inlining */
	int clr;		/* enum gn_clr_level */
	int clr_hooks;		/* enum gn_clr_hooks */
	int hooks;		/* enum gn_hooks */
	int on_full;		/* 0: threads wait, 1: records are dropped */
	uint64_t ring;		/* bytes, 0 = default */
	uint64_t ring_default;	/* 0: a session's own */
	uint64_t samples;	/* per second; 0 = --snapshot is not given */
	const char *os;		/* --os LIST, NULL = default */
	const char *as;		/* --user NAME, NULL = not given */
	struct gn_user user;	/* whom the command runs as */
	bool can_mute;		/* gn_session_mute() works */
	bool live;		/* gn_session_tick() is used */
	int command_out;	/* struct gn_user.out */
	bool no_stdout;		/* struct gn_user.no_stdout */
};

/* A row of a table, over struct gn_capture_args. */
#define GN_OPT_CAPTURE_ROW(short, name, kind, field, word, text, choice)     \
	{                                                                    \
		short, name, GN_OPTION_##kind,                               \
			offsetof(struct gn_capture_args, field), word, text, \
			choice                                               \
	}

#define GN_OPTS_VALUES_PIDS                                              \
	GN_OPT_CAPTURE_ROW('a', "args", LIST, values, "FUNC:VALUES", "", \
			   NULL),                                        \
		GN_OPT_PIDS_AS("call values; running processes")
#define GN_OPT_ATTACH(text)                                         \
	GN_OPT_CAPTURE_ROW(0, "attach", CHOICE, attach, NULL, text, \
			   gn_attach_choice)
/* In the help, GN_OPT_ATTACH follows it. */
#define GN_OPT_SNAPSHOT \
	GN_OPT_CAPTURE_ROW(0, "snapshot", RATE, samples, "HZ", "", NULL)
#define GN_OPT_RING_AS(text) \
	GN_OPT_CAPTURE_ROW(0, "ring-size", SIZE, ring, "SIZE", text, NULL)
#define GN_OPT_RING(usual) \
	GN_OPT_RING_AS("of the ring buffer (" usual "); more loses less")

#define GN_OPT_USER                                                       \
	GN_OPT_CAPTURE_ROW(0, "user", TEXT, as, "NAME",                   \
			   "leave children out; run the command as NAME", \
			   NULL)

#define GN_OPT_OS                          \
	GN_OPT_CAPTURE_ROW(                \
		0, "os", TEXT, os, "LIST", \
		"faults (default), syscalls, wakers, wakeups, none", NULL)

#define GN_OPT_INLINE(text)                                           \
	GN_OPT_CAPTURE_ROW(0, "inline", CHOICE, inlining, NULL, text, \
			   gn_inlining_choice)
/* In the help, GN_OPT_CLR_HOOKS follows it. */
#define GN_OPT_CLR \
	GN_OPT_CAPTURE_ROW(0, "clr", CHOICE, clr, NULL, "", gn_clr_choice)
#define GN_OPT_CLR_HOOKS                                            \
	GN_OPT_CAPTURE_ROW(0, "clr-hooks", CHOICE, clr_hooks, NULL, \
			   ".NET: level; hooks", gn_clr_hooks_choice)

/* In the help, GN_OPT_ON_FULL follows it. */
#define GN_OPT_HOOKS \
	GN_OPT_CAPTURE_ROW(0, "hooks", CHOICE, hooks, NULL, "", gn_hooks_choice)
#define GN_OPT_ON_FULL                                          \
	GN_OPT_CAPTURE_ROW(0, "on-full", CHOICE, on_full, NULL, \
			   "kind of hooks; buffer full", gn_on_full_choice)

/* Options for how a capture is made. They come last. */
#define GN_OPTS_CAPTURE                                                        \
	GN_OPT_LEAVE_AS(""), GN_OPT_INLINE("ends; inlined calls"), GN_OPT_CLR, \
		GN_OPT_CLR_HOOKS, GN_OPT_HOOKS, GN_OPT_ON_FULL,                \
		GN_OPT_NO_FOLLOW, GN_OPT_USER, GN_OPT_SNAPSHOT,                \
		GN_OPT_ATTACH("samples; kind of links"), GN_OPT_OS

const char *gn_attach_choice(size_t i);
const char *gn_hooks_choice(size_t i);
const char *gn_on_full_choice(size_t i);
const char *gn_inlining_choice(size_t i);
const char *gn_clr_choice(size_t i);
const char *gn_clr_hooks_choice(size_t i);

/*
 * Called when everything is attached, before anything is traced. Only now is
 * the output file made: a capture that cannot begin must not replace an older
 * file. Some records come earlier. Returns 0, or an exit status after it has
 * reported the error.
 */
typedef int (*gn_capture_ready)(void *ctx);

struct gn_capture;

/* The loop while the capture runs. NULL: records are drained until a signal
 * comes, the traced processes end or -d is over. 0, or <0, which ends the
 * capture. */
typedef int (*gn_capture_loop)(struct gn_capture *c, void *ctx);

/* What a verb does with a capture; all with `ctx`. */
struct gn_capture_use {
	gn_sink_fn sink;
	gn_sink_calls_fn calls; /* or NULL */
	gn_hold_fn hold;	/* or NULL */
	gn_capture_ready ready; /* or NULL */
	gn_capture_loop loop;	/* or NULL */
	/* or NULL: called when the records cannot be kept any more. Returns
	 * what is left of them at *path, for people; NULL: nothing to report */
	const char *(*left)(void *ctx, const char **path);
	/* or NULL: called after runtimes that ran already were asked for
	 * hooks */
	gn_capture_loop asked;
	void (*idle)(void *ctx); /* or NULL: called again and again while a
				    capture without `loop` runs, and while
				    gn_capture_wait() waits */
	bool resizes;		 /* SIGWINCH is among the signals */
	void *ctx;
};

/* The state and the result of a capture. */
struct gn_capture {
	struct gn_session *session;
	struct gn_signals signals;
	struct gn_step step;
	void (*idle)(void *ctx); /* of struct gn_capture_use */
	void *idle_ctx;
	int status; /* of the command, after gn_capture_wait() */
	struct gn_progress progress; /* of attaching and removing probes */
	bool attaching;
	bool starting;	    /* runtimes that run already are asked for hooks */
	unsigned int count; /* signals that had come when the removal began */
	bool outlived;	    /* the command lived on when tracing ended */
	bool traced;	    /* tracing began, so there is a report */
	bool tells; /* the capture was complete: report what it missed */
	bool quiet;
	enum gn_leave_mode leave;
};

/* gn_args_clear(), and what gn_capture_target() made. */
void gn_capture_args_clear(struct gn_capture_args *a);

/* Whether the output would replace the command's own file, as `-o ./app ./app`
 * would; then it has reported that. `output` may be NULL. */
bool gn_capture_overwrites(const struct gn_args *args, const char *output);

/* Checks that a command or processes are given, but not both, and finds the
 * user that the command runs as. False: it has reported the error, and *status
 * is the exit status. */
bool gn_capture_target(struct gn_capture_args *a, int *status);

/* Two parts of gn_capture_target(): checks what -f names, and finds a->user. */
bool gn_capture_functions(const struct gn_list *functions, int *status);
bool gn_capture_user(struct gn_capture_args *a, int *status);

/*
 * Makes a whole capture, from gn_session_new() to gn_session_stop(). Returns
 * GN_EXIT_OK, or an exit status after it has reported the error. Call
 * gn_capture_end() in each case.
 */
int gn_capture_run(struct gn_capture *c, const struct gn_capture_args *args,
		   int argc, char **argv, const struct gn_capture_use *use);

/* Handles the signals that arrived. Returns the one that ends the capture,
 * SIGWINCH, or 0. See cmd/signals.h. Call it at least every tenth of a
 * second. */
int gn_capture_signal(struct gn_capture *c);

/* Reports that gn_capture_wait() waits for a command that is not traced any
 * more. */
void gn_capture_tell_waiting(void);

/* Waits until the command ends, or until a signal ends the capture; then it
 * reports that the command still runs. Afterwards signals have their default
 * effect. */
void gn_capture_wait(struct gn_capture *c);

/* Reports what was asked for but never seen, and frees everything. */
void gn_capture_end(struct gn_capture *c);

/* The calling thread keeps these of its capabilities and gives up all others. 0
 * or -errno. */
int gn_keep_capabilities(const cap_value_t *keep, size_t n);

/* The exit status of gnomon: `own`, or that of the command if `own` is 0. */
int gn_capture_status(const struct gn_capture *c, int own);

#endif
