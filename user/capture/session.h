/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A capture: new, prepare (find targets, plan probes), load, attach, start,
 * poll until it ends, stop, free. Each stage once and in this order; free at
 * any point removes all that is attached. Stages return 0 or -errno; then
 * gn_session_error() is a sentence for people and gn_session_status() the exit
 * status that it deserves.
 */
#ifndef GNOMON_CAPTURE_SESSION_H
#define GNOMON_CAPTURE_SESSION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/capability.h>
#include <sys/types.h>

#include <gnomon/event.h>
#include "capture/attach.h"
#include "capture/loss.h"
#include "site/site.h"
#include "process/target.h"
#include "capture/outside.h"
#include "capture/unseen.h"

/* Takes one whole record. <0 ends the capture with that error, but -ENOBUFS,
 * which counts the record as lost. */
typedef int (*gn_sink_fn)(void *ctx, const struct gn_rec *rec, size_t size);
/* The same for `n` ENTER and LEAVE records of one thread. After an error,
 * *taken of them are not lost. */
typedef int (*gn_sink_calls_fn)(void *ctx, const struct gn_rec_func *recs,
				size_t n, size_t *taken);

/* What keeps the sink from taking all records of another sample. While
 * something does, records wait in the ring. */
typedef enum gn_hold (*gn_hold_fn)(void *ctx);

/* Of functions that a runtime compiles. */
enum gn_inlining {
	GN_INLINING_AUTO = 0, /* refused for what -f asks for, else kept */
	GN_INLINING_KEEP,     /* as without gnomon */
	GN_INLINING_REFUSE,   /* each call is a call */
};

/* How functions of the CLR get their hooks. */
enum gn_clr_hooks {
	GN_CLR_HOOKS_AUTO = 0, /* by IL what -f asks for, else by the runtime */
	GN_CLR_HOOKS_REJIT,    /* by the IL of what -f asks for */
	GN_CLR_HOOKS_ELT,      /* by the runtime, in all code it compiles */
};

/* How hooks tell of enters and leaves. */
enum gn_hooks {
	GN_HOOKS_AUTO = 0, /* as FAST; where it cannot be, the report says so */
	GN_HOOKS_FAST, /* into memory that gnomon reads, where that can be */
	GN_HOOKS_UPROBE,
};

struct gn_asked;

struct gn_session_opts {
	char *const *command; /* NULL-terminated; NULL: `pids` */
	const pid_t *pids;
	size_t npids;
	const char *const *functions; /* -f: see runtime/filter.h */
	size_t nfunctions;
	const struct gn_asked *asked; /* -a; their functions are in -f's, too */
	size_t nasked;
	enum gn_leave_mode leave;
	enum gn_attach_mode attach;
	enum gn_inlining inlining;
	enum gn_clr_hooks clr_hooks;
	enum gn_hooks hooks;
	bool drops;	   /* what finds no room in such memory is lost, and its
			      thread does not wait */
	uint32_t families; /* enum gn_family: what runtimes are to tell */
	bool no_managed;   /* no function of a runtime is traced */
	bool follow;
	bool no_faults;	   /* page faults are not watched */
	bool syscalls;	   /* system calls are */
	bool wakers;	   /* who wakes threads is told without functions too */
	bool wakeups;	   /* when, by watching wakeups: the way where the
			      kernel does not tell how long tasks were queued */
	bool can_mute;	   /* gn_session_mute() is to work */
	bool verbose;	   /* functions that are left out are named on stderr */
	bool quiet;	   /* what is attached later is not told there */
	bool live;	   /* gn_session_tick() is: records go out at once */
	bool all_programs; /* also those that nothing here needs are loaded:
			      to see whether the kernel takes them */
	uint32_t samples;  /* a second, of each CPU; 0: none */
	uint64_t ring_size;	    /* bytes, a power of two; 0 = default */
	const char *options;	    /* as given, for the trace's header */
	const struct gn_step *step; /* while probes come and go, or NULL */
	struct gn_user user;
	gn_sink_fn sink;
	gn_sink_calls_fn calls; /* NULL: they come one by one */
	gn_hold_fn hold;	/* NULL: the sink takes any number */
	void *sink_ctx;
};

struct gn_session;

/* Whether gnomon has the capability now. */
bool gn_session_can(cap_value_t cap);

/* All that `opts` points to must outlive the session. */
int gn_session_new(const struct gn_session_opts *opts, struct gn_session **out);
int gn_session_prepare(struct gn_session *s);
int gn_session_load(struct gn_session *s);
int gn_session_attach(struct gn_session *s);
int gn_session_start(struct gn_session *s);

/* Drains the ring and waits up to `ms`, less when something happens at
 * `wake_fd`. 1 = it goes on, 0 = what was traced has ended, <0. */
int gn_session_poll(struct gn_session *s, int wake_fd, int ms);

/* For the live view: hands all that happened so far to the sink, and then a NOW
 * record of each thread that is traced. */
int gn_session_tick(struct gn_session *s);

/*
 * Mutes a function while the capture runs, for good: its probes are taken away
 * and then cost nothing (a function of a runtime: a nanosecond a call). `pid`
 * is its process; that of a native function is ignored, it is muted in all. Not
 * to be called by the sink, which gets all records up to now and then MUTE.
 *
 * MUTE's time is when the taking away began. What the function recorded before
 * it is whole; records of it that are later still come, for up to a tenth of a
 * second (of a thread that was stopped in its probe: when it goes on), and some
 * of their leaves do not. A reader leaves them out.
 *
 * Needs can_mute; then each native function has links of its own. For a process
 * of another user or without dumps CAP_SYS_PTRACE. What was muted in a process
 * is undone when the capture ends; its children that were forked and run the
 * same program keep it, which no one notices: a muted function runs as if there
 * was no gnomon.
 *
 * -EALREADY: it is muted; -ENOENT: there is no such function, or no runtime
 * with our library in the process; -ESRCH: the process ended; -EOPNOTSUPP: it
 * cannot be muted, since its probes share a link (too many functions for the
 * limit of open files) or its runtime's library has no means; -EPERM or
 * -EACCES: the process cannot be written (that, or Yama forbids it); -EINVAL:
 * no pid; -ENOTUNIQ, -EILSEQ: its mappings are not what they should be;
 * -ERANGE: past the library's bytes; else errno. Nothing has changed then.
 */
int gn_session_mute(struct gn_session *s, uint32_t func, uint32_t pid);

/* Ends the capture: threads are closed, the last records handed to the sink,
 * all probes removed. The command goes on. */
int gn_session_stop(struct gn_session *s);

/* After gn_session_start(): it will be stopped at `end` (ns; 0: not by a time),
 * and one of processes when `fd` can be read. */
void gn_session_expect(struct gn_session *s, int fd, uint64_t end);

/* While something that was asked for lives. */
bool gn_session_lives(const struct gn_session *s);

/* True when the command has ended (or there is none): *status is its exit
 * status as a shell reports it, 0 for none. */
bool gn_session_ended(struct gn_session *s, int *status);

/* The signal that killed the command, once it has ended; 0 = none. */
int gn_session_signal(const struct gn_session *s);

/* The signal that killed a process that gnomon was attached to, the first one
 * of them; 0 = none. */
int gn_session_killed(const struct gn_session *s, pid_t *pid);

/* Whether somebody else sent the command this signal later than that. */
bool gn_session_signalled(const struct gn_session *s, int sig, uint64_t since);

/* When this signal was last sent to gnomon while the command ran; 0 = not
 * known.
 */
uint64_t gn_session_sent(const struct gn_session *s, int sig);

/* Sends the command a signal. */
void gn_session_kill(struct gn_session *s, int sig);

void gn_session_free(struct gn_session *s);

const char *gn_session_error(const struct gn_session *s);
/* Whether that is that the sink takes no more. */
bool gn_session_unkept(const struct gn_session *s);
int gn_session_status(const struct gn_session *s);

/* After gn_session_prepare(): what will be missing, a sentence for people; ""
 * when nothing is known to be. */
const char *gn_session_warning(const struct gn_session *s);

/* After gn_session_attach(): why nothing that -f names can be probed, the first
 * few with their reasons; NULL: something can, or can come to be. */
const char *gn_session_refused(const struct gn_session *s);

/* After gn_session_start(): tells on stderr what of it failed, and what it
 * costs the program. */
void gn_session_tell(const struct gn_session *s);
/* Whether runtimes that ran already were asked for anything. */
bool gn_session_asked(const struct gn_session *s);

/* After gn_session_stop(): tells of each thing that was asked for and was not
 * there to be seen, of servers outside of the capture that did the work, and of
 * what the command left behind.
 * `quiet`: only of what was asked for and is not there, as globs that matched
 * nothing, which can be misspelt. */
void gn_session_unseen(const struct gn_session *s, bool quiet,
		       gn_unseen_fn tell, void *ctx);

/* After gn_session_attach(): hooks can do without probes. */
bool gn_session_fast(const struct gn_session *s);

/* After gn_session_prepare(): while it runs it reads files of the traced
 * processes, for the source lines of managed functions. */
bool gn_session_resolves(const struct gn_session *s);

/* One line that says what is attached, after gn_session_attach(). */
const char *gn_session_summary(const struct gn_session *s);

/* After gn_session_stop(): why records were lost and what to do, for people;
 * NULL when the ring lost none. */
const char *gn_session_loss_advice(const struct gn_session *s);

/* After the stop: probes that the kernel still removes, since the step said
 * that it is enough to wait for it. They tell nothing any more. */
size_t gn_session_left(const struct gn_session *s);

/* The running command, 0 when there is none or it has ended. */
pid_t gn_session_child(const struct gn_session *s);

#endif
