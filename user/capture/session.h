/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A capture: new, prepare (find targets, plan probes), load, attach, start,
 * poll until it ends, stop, free. Call each stage once and in this order. Free
 * removes all that is attached, at any point. Stages return 0 or -errno; after
 * an error gn_session_error() is a sentence for people, and gn_session_status()
 * the exit status.
 */
#ifndef GNOMON_CAPTURE_SESSION_H
#define GNOMON_CAPTURE_SESSION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include <gnomon/event.h>
#include "capture/attach.h"
#include "capture/loss.h"
#include "site/site.h"
#include "process/target.h"
#include "capture/outside.h"
#include "capture/unseen.h"

/* Takes one whole record. <0 ends the capture with that error; only -ENOBUFS
 * and -EBADMSG just count the record as lost. */
typedef int (*gn_sink_fn)(void *ctx, const struct gn_rec *rec, size_t size);
/* The same for `n` ENTER and LEAVE records of one thread. After an error, all
 * but the first *taken of them are lost. */
typedef int (*gn_sink_calls_fn)(void *ctx, const struct gn_rec_func *recs,
				size_t n, size_t *taken);

/* What keeps the sink from taking all records of another sample. While
 * something keeps it, records wait in the ring. */
typedef enum gn_hold (*gn_hold_fn)(void *ctx);

/* Inlining of functions that a runtime compiles. */
enum gn_inlining {
	GN_INLINING_AUTO = 0, /* refused for what -f asks for, else kept */
	GN_INLINING_KEEP,     /* as without gnomon */
	GN_INLINING_REFUSE,   /* each call is a call */
};

/* How functions of the CLR get their hooks. */
enum gn_clr_hooks {
	GN_CLR_HOOKS_AUTO = 0, /* IL for what -f names, else the runtime */
	GN_CLR_HOOKS_REJIT,    /* the IL of what -f names */
	GN_CLR_HOOKS_ELT,      /* the runtime, in all code that it compiles */
};

/* How hooks report enters and leaves. */
enum gn_hooks {
	GN_HOOKS_AUTO = 0, /* FAST if possible; if not, the report says so */
	GN_HOOKS_FAST,	   /* into memory that gnomon reads, if possible */
	GN_HOOKS_UPROBE,
};

struct gn_asked;

struct gn_session_opts {
	char *const *command; /* NULL-terminated; NULL: `pids` */
	const pid_t *pids;
	size_t npids;
	const char *const *functions; /* -f: see runtime/filter.h */
	size_t nfunctions;
	const struct gn_asked *asked; /* -a; -f contains their functions, too */
	size_t nasked;
	enum gn_leave_mode leave;
	enum gn_attach_mode attach;
	enum gn_inlining inlining;
	enum gn_clr_hooks clr_hooks;
	enum gn_hooks hooks;
	bool drops; /* records without room in that memory are lost; their
		       thread does not wait */
	uint32_t families; /* enum gn_family: what runtimes report */
	bool no_managed;   /* no function of a runtime is traced */
	bool follow;
	bool no_faults; /* page faults are not watched */
	bool syscalls;	/* system calls are watched */
	bool wakers;	/* report who wakes threads, also without functions */
	bool wakeups;  /* watch wakeups, as where the kernel does not report how
			  long tasks were queued */
	bool can_mute; /* gn_session_mute() works */
	bool verbose;  /* name functions that are left out on stderr */
	bool quiet;    /* do not report there what is attached later */
	bool live;     /* gn_session_tick() is used: records go out at once */
	bool all_programs; /* also load programs that nothing here needs, to see
			      whether the kernel takes them */
	uint32_t samples;  /* per second and CPU; 0: none */
	uint64_t ring_size; /* bytes, a power of two; 0: the default, or less */
	uint64_t ring_default;	    /* the same; 0: 64 MiB */
	const char *options;	    /* as given, for the trace's header */
	const struct gn_step *step; /* while probes come and go, or NULL */
	struct gn_user user;
	gn_sink_fn sink;
	gn_sink_calls_fn calls; /* NULL: `sink` takes them one by one */
	gn_hold_fn hold;	/* NULL: the sink takes any number */
	void *sink_ctx;
};

struct gn_session;

/* All that `opts` points to must outlive the session. */
int gn_session_new(const struct gn_session_opts *opts, struct gn_session **out);
int gn_session_prepare(struct gn_session *s);
int gn_session_load(struct gn_session *s);
int gn_session_attach(struct gn_session *s);
int gn_session_start(struct gn_session *s);

/* Drains the ring and waits up to `ms`, less when something happens, as at
 * `wake_fd`. 1 = the capture goes on, 0 = what was traced has ended, <0. */
int gn_session_poll(struct gn_session *s, int wake_fd, int ms);

/* For the live view: hands all records so far to the sink, then a NOW record of
 * each traced thread. */
int gn_session_tick(struct gn_session *s);

/*
 * Mutes a function until the capture ends: removes its probes, which then cost
 * nothing (a function of a runtime: a nanosecond a call). `pid` is the process
 * of a function of a runtime; native functions are muted in all processes. This
 * hands the sink all records up to now and then MUTE, so the sink must not call
 * it.
 *
 * MUTE has the time when the removal began. The function's records before that
 * time are complete. Later records of it still come for up to a tenth of a
 * second (or, from a thread that was stopped in the probe, when it goes on),
 * and some of their leaves are missing. A reader leaves them out.
 *
 * Needs can_mute, which gives each native function its own links; for a process
 * of another user, or one that is not dumpable, also CAP_SYS_PTRACE. When the
 * capture ends, muting in a process is undone. Forked children that run the
 * same program keep it, which nobody notices: a muted function runs as if there
 * was no gnomon.
 *
 * -EALREADY: it is muted already; -ENOENT: there is no such function, or no
 * runtime with our library in the process; -ESRCH: the process ended;
 * -EOPNOTSUPP: it cannot be muted, because its probes share a link (too many
 * functions for the limit of open files) or its runtime's library cannot do it;
 * -EPERM or -EACCES: the process cannot be written (CAP_SYS_PTRACE is missing,
 * or Yama forbids it); -EINVAL: no pid; -ENOTUNIQ, -EILSEQ: the process's
 * mappings are not what they should be; -ERANGE: past the library's bytes; else
 * errno. The errors named here change nothing.
 */
int gn_session_mute(struct gn_session *s, uint32_t func, uint32_t pid);

/* Ends the capture: threads are closed, the last records handed to the sink,
 * all probes removed. The command goes on. */
int gn_session_stop(struct gn_session *s);

/* Call after gn_session_start(): the capture will stop at `end` (ns; 0: at no
 * fixed time). A capture of processes will also stop when `fd` becomes
 * readable. */
void gn_session_expect(struct gn_session *s, int fd, uint64_t end);

/* Whether the command, or any of the processes, still lives. */
bool gn_session_lives(const struct gn_session *s);

/* True when the command has ended (or there is none): *status is its exit
 * status as a shell reports it, 0 for none. */
bool gn_session_ended(struct gn_session *s, int *status);

/* The signal that killed the command, once it has ended; 0 = none. */
int gn_session_signal(const struct gn_session *s);

/* The signal that killed a process that gnomon was attached to; if several were
 * killed, the first one. 0 = none. */
int gn_session_killed(const struct gn_session *s, pid_t *pid);

/* Whether somebody else sent the command this signal after `since`. */
bool gn_session_signalled(const struct gn_session *s, int sig, uint64_t since);

/* When this signal was last sent to gnomon while the command ran; 0 = not
 * known.
 */
uint64_t gn_session_sent(const struct gn_session *s, int sig);

/* Sends the command a signal. */
void gn_session_kill(struct gn_session *s, int sig);

void gn_session_free(struct gn_session *s);

const char *gn_session_error(const struct gn_session *s);
/* Whether the error is that the sink takes no more records. */
bool gn_session_unkept(const struct gn_session *s);
int gn_session_status(const struct gn_session *s);

/* After gn_session_prepare(): a sentence for people about what will be missing;
 * "" if nothing is known to be missing. */
const char *gn_session_warning(const struct gn_session *s);

/* After gn_session_attach(): why nothing that -f names can be probed (the first
 * few functions with their reasons); NULL: something can be, now or later. */
const char *gn_session_refused(const struct gn_session *s);

/* After gn_session_start(): reports on stderr what failed in runtimes that ran
 * already, and what their hooks cost the program. */
void gn_session_tell(const struct gn_session *s);
/* Whether runtimes that ran already were asked for anything. */
bool gn_session_asked(const struct gn_session *s);

/*
 * After gn_session_stop(): reports each thing that was asked for but not seen,
 * servers outside of the capture that did the work, and processes that the
 * command left behind. `quiet`: only what was asked for and is not there, such
 * as globs that matched nothing, which can be misspelt.
 */
void gn_session_unseen(const struct gn_session *s, bool quiet,
		       gn_unseen_fn tell, void *ctx);

/* After gn_session_attach(): whether hooks can do without probes. */
bool gn_session_fast(const struct gn_session *s);

/* After gn_session_prepare(): whether the running session reads files of the
 * traced processes, for the source lines of managed functions. */
bool gn_session_resolves(const struct gn_session *s);

/* After gn_session_attach(): one line about what is attached. */
const char *gn_session_summary(const struct gn_session *s);

/* After gn_session_start(): how many children processes of -p had already,
 * which are not traced. `of`: these processes, as -p names them. */
size_t gn_session_children(const struct gn_session *s, const char **of);

/* After gn_session_stop(): why records were lost and what to do, for people;
 * NULL when the ring lost none. */
const char *gn_session_loss_advice(const struct gn_session *s);

/* After gn_session_stop(): the number of probes that the kernel is still
 * removing, because the step has ended the wait for it. They report nothing any
 * more. */
size_t gn_session_left(const struct gn_session *s);

/* The running command, 0 when there is none or it has ended. */
pid_t gn_session_child(const struct gn_session *s);

#endif
