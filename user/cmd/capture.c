/* SPDX-License-Identifier: BSD-2-Clause */
#include "cmd/capture.h"

#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <bpf/libbpf.h>

#include "capture/clock.h"
#include "output/header.h"
#include "output/text.h"

/* --os: a list of words. NULL: what a report `by` needs. */
static int parse_os(const char *list, int by, struct gn_session_opts *opts)
{
	if (!list) {
		opts->syscalls =
			by == GN_BY_SYSCALLS || by == GN_BY_THREAD_SYSCALLS;
		return 0;
	}
	opts->no_faults = true;
	if (!strcmp(list, "none"))
		return 0;
	for (;;) {
		size_t len = strcspn(list, ",");

		if (len == 6 && !strncmp(list, "faults", len))
			opts->no_faults = false;
		else if (len == 8 && !strncmp(list, "syscalls", len))
			opts->syscalls = true;
		else if (len == 6 && !strncmp(list, "wakers", len))
			opts->wakers = true;
		else if (len == 7 && !strncmp(list, "wakeups", len))
			opts->wakeups = true;
		else
			return -EINVAL;
		if (!list[len])
			return 0;
		list += len + 1;
	}
}

/* Shows libbpf's own messages, with -v only: ours say what to do. */
static int warnings(enum libbpf_print_level level, const char *format,
		    va_list ap)
{
	return level == LIBBPF_DEBUG ? 0 : vfprintf(stderr, format, ap);
}

int gn_keep_capabilities(const cap_value_t *keep, size_t n)
{
	cap_t caps = cap_init();
	int err = 0;

	if (!caps)
		return -errno;
	for (size_t i = 0; i < n; i++) {
		cap_flag_value_t has = CAP_CLEAR;
		cap_t now = cap_get_proc();

		if (now)
			cap_get_flag(now, keep[i], CAP_PERMITTED, &has);
		cap_free(now);
		if (has == CAP_SET &&
		    (cap_set_flag(caps, CAP_PERMITTED, 1, &keep[i], CAP_SET) ||
		     cap_set_flag(caps, CAP_EFFECTIVE, 1, &keep[i], CAP_SET)))
			err = -errno;
	}
	if (!err && cap_set_proc(caps))
		err = -errno;
	cap_free(caps);
	return err;
}

/* Keeps only the capabilities for the rest of a capture, such as to give files
 * to the invoking user, and to get more CPU time when records come faster than
 * they are drained. */
static int drop_capabilities(bool ptrace)
{
	/* the last one is for muting, which writes to a process's memory, fast
	 * hooks, which share memory with it, samples, which read its mappings,
	 * and source lines, which are read from files that it maps */
	static const cap_value_t keep[] = {CAP_DAC_OVERRIDE, CAP_CHOWN,
					   CAP_FOWNER,	     CAP_KILL,
					   CAP_SYS_NICE,     CAP_SYS_PTRACE};

	return gn_keep_capabilities(keep,
				    sizeof(keep) / sizeof(keep[0]) - !ptrace);
}

int gn_capture_signal(struct gn_capture *c)
{
	return gn_signals_take(&c->signals, c->session);
}

/* Called while probes are attached or removed. */
static int step(void *ctx, bool attaching, size_t done, size_t total)
{
	struct gn_capture *c = ctx;
	uint64_t now = gn_now_ns();
	bool enough;

	if (!c->progress.began || attaching != c->attaching) {
		gn_progress_restart(&c->progress, now);
		c->count = c->signals.count;
	}
	gn_capture_signal(c);
	c->attaching = attaching;
	/* while probes are removed, the capture has ended already */
	enough = attaching ? c->signals.end : c->signals.count != c->count;
	if (!enough && c->starting)
		gn_progress_wait(&c->progress, now, "the runtime is at work");
	else if (!enough && total)
		gn_progress_show(&c->progress, now,
				 attaching ? "attaching" : "removing", "probes",
				 done, total, 1);
	return enough;
}

/* Writes the options as a shell takes them, for the trace's header. */
static char *options_text(int argc, char **argv, char **command)
{
	struct gn_text_stream text;
	FILE *f = gn_text_stream_open(&text);

	if (!f)
		return NULL;
	for (int i = 0; i < argc && (!command || argv + i < command); i++) {
		if (i)
			fputc(' ', f);
		gn_put_word(f, argv[i]);
	}
	return gn_text_stream_close(&text);
}

/* A signal arrived before anything was traced. */
static int fail_early(struct gn_capture *c, bool command)
{
	gn_progress_end(&c->progress);
	gn_error("ended by SIG%s before tracing began; %s",
		 sigabbrev_np(c->signals.end),
		 command ? "the command was not run" : "there is no report");
	return 128 + c->signals.end;
}

static int fail(struct gn_capture *c, int err)
{
	gn_progress_end(&c->progress);
	if (c->session && *gn_session_error(c->session)) {
		gn_error("%s", gn_session_error(c->session));
		return gn_session_status(c->session);
	}
	gn_error("cannot trace: %s; see gnomon doctor", strerror(-err));
	return GN_EXIT_FAILED;
}

/* Fails after tracing has begun, and says what is left of the records. */
static int fail_traced(struct gn_capture *c, int err,
		       const struct gn_capture_use *use)
{
	const char *left = NULL, *path = NULL;

	if (use->left && gn_session_unkept(c->session))
		left = use->left(use->ctx, &path);
	if (!left)
		return fail(c, err);
	gn_progress_end(&c->progress);
	gn_error("%s; %s: %s", gn_session_error(c->session), path, left);
	return gn_session_status(c->session);
}

static void idle(const struct gn_capture *c)
{
	if (c->idle)
		c->idle(c->idle_ctx);
}

static int loop(struct gn_capture *c, uint64_t duration)
{
	uint64_t end;
	int more = 1;

	/* an end that overflows is no end */
	if (!duration || __builtin_add_overflow(gn_now_ns(), duration, &end)) {
		duration = 0;
		end = UINT64_MAX;
	}
	gn_session_expect(c->session, c->signals.fd, duration ? end : 0);
	while (more > 0 && !gn_capture_signal(c)) {
		uint64_t now = gn_now_ns();

		if (now >= end)
			break;
		more = gn_session_poll(c->session, c->signals.fd,
				       end - now < 1000000000
					       ? (int)((end - now) / 1000000)
					       : 1000);
		idle(c);
	}
	return more < 0 ? more : 0;
}

/* A signal arrived before this point. */
static bool is_called_off(struct gn_capture *c)
{
	gn_capture_signal(c);
	return c->signals.end;
}

static int attach(struct gn_capture *c)
{
	int err = gn_session_prepare(c->session);

	if (!err && !is_called_off(c))
		err = gn_session_load(c->session);
	if (!err && !is_called_off(c))
		err = gn_session_attach(c->session);
	return err;
}

/* Warns of children that processes had already, such as a server's workers:
 * only children that they fork from now on are followed. */
static void tell_children(const struct gn_session *s)
{
	const char *of;
	size_t n = gn_session_children(s, &of);

	if (n)
		gn_error("not traced: %zu %s that process %s had already; "
			 "add -p $(pgrep -d, -P %s) to trace %s, too",
			 n, gn_word(n, "child", "children"), of, of,
			 gn_word(n, "it", "them"));
}

void gn_capture_tell_waiting(void)
{
	fputs("gnomon: the command continues untraced; press Ctrl-C twice to "
	      "stop waiting for it\n",
	      stderr);
}

static int trace(struct gn_capture *c, const struct gn_capture_args *a,
		 const struct gn_capture_use *use)
{
	int err, stopped;

	c->starting = true;
	err = gn_session_start(c->session);
	c->starting = false;
	gn_progress_end(&c->progress);
	if (err)
		return err;
	gn_session_tell(c->session);
	if (use->asked && gn_session_asked(c->session))
		err = use->asked(c, use->ctx);
	if (err)
		return err;
	err = drop_capabilities(a->can_mute || a->samples ||
				gn_session_fast(c->session) ||
				gn_session_resolves(c->session));
	if (err)
		return err;
	c->traced = true;
	if (!a->args.quiet) {
		gn_error("attached: %s", gn_session_summary(c->session));
		tell_children(c->session);
	}
	err = use->loop ? use->loop(c, use->ctx) : loop(c, a->args.duration);
	c->outlived =
		gn_session_child(c->session) && gn_session_lives(c->session);
	stopped = gn_session_stop(c->session);
	gn_progress_end(&c->progress);
	if (gn_session_left(c->session))
		gn_error("a process is still removing %zu probes and then "
			 "ends; until then they cost time, but record nothing",
			 gn_session_left(c->session));
	c->tells = !err && !stopped;
	/* -d is over */
	if (c->tells && !use->loop && c->outlived && !c->signals.first &&
	    !c->signals.end && !a->args.quiet)
		gn_capture_tell_waiting();
	c->quiet = a->args.quiet;
	return err ? err : stopped;
}

/* Warns of what cannot be traced. -q hides the warning, unless functions or
 * values were asked for. */
static void tell_lacks(const struct gn_capture *c,
		       const struct gn_capture_args *a)
{
	bool asked = a->args.functions.n || a->values.n;
	const char *warning = gn_session_warning(c->session);
	const char *refused = gn_session_refused(c->session);

	if (*warning && (asked || !a->args.quiet))
		gn_error("%s", warning);
	if (refused)
		gn_error("no function that -f names can be probed: %s",
			 refused);
}

static int stages(struct gn_capture *c, const struct gn_capture_args *a,
		  const struct gn_capture_use *use)
{
	int err = attach(c), status;

	if (is_called_off(c))
		return fail_early(c, a->args.command);
	if (err)
		return fail(c, err);
	gn_progress_end(&c->progress);
	tell_lacks(c, a);
	status = use->ready ? use->ready(use->ctx) : GN_EXIT_OK;
	if (status)
		return is_called_off(c) ? fail_early(c, a->args.command)
					: status;
	err = trace(c, a, use);
	/* while a runtime that runs already was asked for hooks */
	if (err == -EINTR && c->signals.end)
		return fail_early(c, a->args.command);
	return err ? fail_traced(c, err, use) : GN_EXIT_OK;
}

/* The families of events by default. The live view shows none. */
static uint32_t usual_families(const struct gn_capture_args *a)
{
	uint32_t families = GN_FAMILIES_USUAL;

	if (a->live)
		return 0;
	if (a->args.by == GN_BY_ALLOCATIONS || a->clr == GN_CLR_FULL)
		families |= GN_FAMILY_ALLOCATIONS;
	if (a->clr == GN_CLR_FULL)
		families |= GN_FAMILY_TRANSITIONS;
	if (a->args.by == GN_BY_JIT)
		families |= GN_FAMILY_JIT;
	if (a->args.by == GN_BY_EXCEPTIONS)
		families |= GN_FAMILIES_RISKED;
	return families;
}

/* --events has been checked. */
static uint32_t families_of(const struct gn_capture_args *a)
{
	uint32_t families;

	gn_events_parse(a->args.events, usual_families(a), &families);
	/* handlers say little without their exceptions, and a runtime that
	 * reports handlers reports exceptions in any case */
	if (families & GN_FAMILY_HANDLERS)
		families |= GN_FAMILY_EXCEPTIONS;
	return a->samples ? families | GN_FAMILY_CODE : families;
}

int gn_capture_run(struct gn_capture *c, const struct gn_capture_args *a,
		   int argc, char **argv, const struct gn_capture_use *use)
{
	struct gn_session_opts opts = {
		.command = a->args.command,
		.pids = a->args.pids.pid,
		.npids = a->args.pids.n,
		.functions = a->args.functions.item,
		.nfunctions = a->args.functions.n,
		.asked = a->asked,
		.nasked = a->values.n,
		.leave = (enum gn_leave_mode)a->args.leave,
		.attach = (enum gn_attach_mode)a->attach,
		.inlining = (enum gn_inlining)a->inlining,
		.clr_hooks = (enum gn_clr_hooks)a->clr_hooks,
		.hooks = (enum gn_hooks)a->hooks,
		.drops = a->on_full,
		.no_managed = a->clr == GN_CLR_LIGHT,
		.follow = a->args.follow,
		.ring_size = a->ring,
		.ring_default = a->ring_default,
		.samples = (uint32_t)a->samples,
		.user = a->user,
		.can_mute = a->can_mute,
		.verbose = a->args.verbose,
		.quiet = a->args.quiet || a->live,
		.live = a->live,
		.sink = use->sink,
		.calls = use->calls,
		.hold = use->hold,
		.sink_ctx = use->ctx,
		.step = &c->step,
	};
	char *text;
	int err, status;

	memset(c, 0, sizeof(*c));
	c->signals.fd = -1;
	c->idle = use->idle;
	c->idle_ctx = use->ctx;
	opts.user.out = a->command_out;
	opts.user.no_stdout = a->no_stdout;
	err = gn_signals_open(&c->signals, use->resizes);
	if (err)
		return fail(c, err);
	c->signals.quiet = a->args.quiet;
	c->leave = opts.leave;
	gn_progress_init(&c->progress, a->args.quiet);
	c->step = (struct gn_step){.fd = c->signals.fd, .fn = step, .ctx = c};
	libbpf_set_print(a->args.verbose ? warnings : NULL);
	if (!gn_events_check(&a->args))
		return GN_EXIT_USAGE;
	opts.families = families_of(a);
	if (parse_os(a->os, a->args.by, &opts)) {
		gn_error("--os cannot be '%s'; give some of faults, syscalls, "
			 "wakers, wakeups with commas, or none alone",
			 a->os);
		return GN_EXIT_USAGE;
	}
	text = options_text(argc, argv, a->args.command);
	opts.options = text;
	err = gn_session_new(&opts, &c->session);
	status = err ? fail(c, err) : stages(c, a, use);
	free(text);
	return status;
}

/* The likely cause. SIGTRAP: a probe is an instruction that traps; where the
 * kernel does not know it as a probe any more, it ends the program. With
 * --leave return, what unwinds meets the kernel's return address. */
static const char *cause(const struct gn_capture *c, int sig)
{
	if (sig == SIGTRAP)
		return "; a program that copies its own code, such as to large "
		       "pages (node --use-largepages, "
		       "opcache.huge_code_pages), copies gnomon's probes with "
		       "it and is then killed; turn that off, or trace none of "
		       "its native functions";
	if (c->leave == GN_LEAVE_RETURN &&
	    (sig == SIGABRT || sig == SIGSEGV || sig == SIGILL))
		return "; likely because of --leave return, which breaks a "
		       "program that throws, unwinds or switches stacks: leave "
		       "it out";
	return "";
}

static void say_status(const struct gn_capture *c)
{
	int sig = gn_session_signal(c->session);

	if (sig && c->outlived)
		gn_error("the command was killed by signal %d (%s) after "
			 "tracing had ended",
			 sig, strsignal(sig));
	else if (sig)
		gn_error("the command was killed by signal %d (%s); what "
			 "was traced is complete up to that point%s",
			 sig, strsignal(sig), cause(c, sig));
}

/* The command gets the signal that ends the capture, too. gnomon waits this
 * long for its end. */
#define GRACE_NS 500000000u

static void say_left(const struct gn_capture *c)
{
	gn_error("ended by SIG%s; the command continues untraced as process %d",
		 sigabbrev_np(c->signals.end),
		 (int)gn_session_child(c->session));
}

static void await_command(struct gn_capture *c)
{
	struct pollfd p = {.fd = c->signals.fd, .events = POLLIN};
	uint64_t until = UINT64_MAX;

	while (c->session && gn_session_child(c->session)) {
		if (gn_session_ended(c->session, &c->status)) {
			say_status(c);
			return;
		}
		gn_capture_signal(c);
		idle(c);
		if (c->signals.end && until == UINT64_MAX)
			until = gn_now_ns() + GRACE_NS;
		if (gn_now_ns() >= until) {
			say_left(c);
			c->status = 128 + c->signals.end;
			return;
		}
		poll(&p, 1, 20);
	}
}

static void say_killed(const struct gn_capture *c)
{
	pid_t pid;
	int sig = c->traced ? gn_session_killed(c->session, &pid) : 0;

	if (sig)
		gn_error("process %d was killed by signal %d (%s); what "
			 "was traced is complete up to that point%s",
			 (int)pid, sig, strsignal(sig), cause(c, sig));
}

void gn_capture_wait(struct gn_capture *c)
{
	await_command(c);
	say_killed(c);
	gn_signals_close(&c->signals);
}

static void tell(void *ctx, const char *line)
{
	(void)ctx;
	gn_error("%s", line);
}

void gn_capture_end(struct gn_capture *c)
{
	if (c->tells)
		gn_session_unseen(c->session, c->quiet, tell, NULL);
	gn_session_free(c->session);
	gn_signals_close(&c->signals);
}

int gn_capture_status(const struct gn_capture *c, int own)
{
	return own ? own : c->status;
}
