/* SPDX-License-Identifier: BSD-2-Clause */
#include "cmd/capture.h"

#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/capability.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include <bpf/libbpf.h>

#include "capture/clock.h"

const char *gn_attach_choice(size_t i)
{
	static const char *const names[] = {"auto", "session", "multi",
					    "single"};

	return i < sizeof(names) / sizeof(names[0]) ? names[i] : NULL;
}

/* --os: a list of words. */
static int parse_os(const char *list, struct gn_session_opts *opts)
{
	if (!list)
		return 0;
	opts->no_faults = true;
	while (*list) {
		size_t len = strcspn(list, ",");

		if (len == 6 && !strncmp(list, "faults", len))
			opts->no_faults = false;
		else if (len == 8 && !strncmp(list, "syscalls", len))
			opts->syscalls = true;
		else if (len == 6 && !strncmp(list, "wakers", len))
			opts->wakers = true;
		else if (len == 7 && !strncmp(list, "wakeups", len))
			opts->wakeups = true;
		else if (len != 4 || strncmp(list, "none", len))
			return -EINVAL;
		list += len + (list[len] == ',');
	}
	return 0;
}

bool gn_capture_target(const struct gn_capture_args *a, int *status)
{
	*status = GN_EXIT_USAGE;
	if (a->args.command && a->args.pids.n)
		gn_error("both a command and -p are given; give one of them");
	else if (!a->args.command && !a->args.pids.n)
		gn_error("nothing to trace; give a command after -- or a "
			 "process with -p PID");
	else
		return true;
	return false;
}

/* libbpf's own complaints only with -v: ours say what to do. */
static int no_print(enum libbpf_print_level level, const char *format,
		    va_list ap)
{
	(void)level;
	(void)format;
	(void)ap;
	return 0;
}

static int warnings(enum libbpf_print_level level, const char *format,
		    va_list ap)
{
	return level == LIBBPF_DEBUG ? 0 : vfprintf(stderr, format, ap);
}

/* What the rest of a capture needs: files for the invoking user, and CPU time
 * when the records come faster than they are taken. */
static int drop_capabilities(bool can_mute)
{
	/* the last one: to mute is to write to the process's memory */
	static const cap_value_t keep[] = {CAP_DAC_OVERRIDE, CAP_CHOWN,
					   CAP_FOWNER,	     CAP_KILL,
					   CAP_SYS_NICE,     CAP_SYS_PTRACE};
	size_t n = sizeof(keep) / sizeof(keep[0]) - !can_mute;
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

/* From here on signals are read, not taken: a capture ends whole. */
static int catch_signals(bool resizes)
{
	sigset_t set;
	int fd;

	sigemptyset(&set);
	sigaddset(&set, SIGINT);
	sigaddset(&set, SIGTERM);
	sigaddset(&set, SIGHUP);
	sigaddset(&set, SIGQUIT); /* a key as SIGINT's is */
	if (resizes)
		sigaddset(&set, SIGWINCH);
	if (sigprocmask(SIG_BLOCK, &set, NULL))
		return -errno;
	fd = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
	return fd < 0 ? -errno : fd;
}

/* The number of the signal that came, 0 = none. */
static int take_signal(int fd)
{
	struct signalfd_siginfo info;

	if (read(fd, &info, sizeof(info)) != (ssize_t)sizeof(info))
		return 0;
	return (int)info.ssi_signo;
}

int gn_capture_signal(const struct gn_capture *c)
{
	return take_signal(c->signal_fd);
}

/* The options as they were given, for the trace's header. */
static char *options_text(int argc, char **argv, char **command)
{
	char *text = NULL;
	size_t size = 0;
	FILE *f = open_memstream(&text, &size);

	if (!f)
		return NULL;
	for (int i = 0; i < argc && (!command || argv + i < command); i++)
		fprintf(f, "%s%s", i ? " " : "", argv[i]);
	if (fclose(f)) {
		free(text);
		return NULL;
	}
	return text;
}

static int fail(struct gn_capture *c, int err)
{
	if (c->session && *gn_session_error(c->session)) {
		gn_error("%s", gn_session_error(c->session));
		return gn_session_status(c->session);
	}
	gn_error("cannot trace: %s; see gnomon doctor", strerror(-err));
	return GN_EXIT_FAILED;
}

static int loop(struct gn_capture *c, uint64_t duration)
{
	uint64_t end = duration ? gn_now_ns() + duration : UINT64_MAX;
	int more = 1;

	while (more > 0 && !gn_capture_signal(c)) {
		uint64_t now = gn_now_ns();

		if (now >= end)
			break;
		more = gn_session_poll(c->session, c->signal_fd,
				       end - now < 1000000000
					       ? (int)((end - now) / 1000000)
					       : 1000);
	}
	return more < 0 ? more : 0;
}

static int attach(struct gn_capture *c)
{
	int err = gn_session_prepare(c->session);

	if (!err)
		err = gn_session_load(c->session);
	return err ? err : gn_session_attach(c->session);
}

static int trace(struct gn_capture *c, const struct gn_capture_args *a,
		 const struct gn_capture_use *use)
{
	int err = gn_session_start(c->session), stopped;

	if (!err)
		err = drop_capabilities(a->can_mute);
	if (err)
		return err;
	if (!a->args.quiet)
		fprintf(stderr, "gnomon: attached: %s\n",
			gn_session_summary(c->session));
	err = use->loop ? use->loop(c, use->ctx) : loop(c, a->args.duration);
	stopped = gn_session_stop(c->session);
	return err ? err : stopped;
}

static int stages(struct gn_capture *c, const struct gn_capture_args *a,
		  const struct gn_capture_use *use)
{
	int err = attach(c), status;

	if (err)
		return fail(c, err);
	if (!a->args.quiet && *gn_session_warning(c->session))
		gn_error("%s", gn_session_warning(c->session));
	status = use->ready ? use->ready(use->ctx) : GN_EXIT_OK;
	if (status)
		return status;
	err = trace(c, a, use);
	return err ? fail(c, err) : GN_EXIT_OK;
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
		.leave = (enum gn_leave_mode)a->args.leave,
		.attach = (enum gn_attach_mode)a->attach,
		.follow = a->args.follow,
		.ring_size = a->ring,
		.can_mute = a->can_mute,
		.live = a->live,
		.sink = use->sink,
		.sink_ctx = use->ctx,
	};
	char *text;
	int err, status;

	memset(c, 0, sizeof(*c));
	if (gn_user_find(&opts.user)) {
		gn_error("SUDO_UID or SUDO_GID is not a number; run it by "
			 "sudo, or unset both");
		return GN_EXIT_USAGE;
	}
	opts.user.out = a->command_out;
	c->signal_fd = catch_signals(use->resizes);
	if (c->signal_fd < 0)
		return fail(c, c->signal_fd);
	libbpf_set_print(a->args.verbose ? warnings : no_print);
	if (parse_os(a->os, &opts)) {
		gn_error("--os %s: no such kernel work; give some of faults, "
			 "syscalls, wakers, wakeups with commas, or none",
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

static void say_status(const struct gn_capture *c)
{
	int sig = gn_session_signal(c->session);

	if (sig)
		gn_error("the command was killed by signal %d (%s); what is "
			 "reported is whole up to there",
			 sig, strsignal(sig));
}

/* A Ctrl-C is the command's too: so long it may take to end of it. */
#define GRACE_NS 500000000u

void gn_capture_wait(struct gn_capture *c)
{
	struct pollfd p = {.fd = c->signal_fd, .events = POLLIN};
	uint64_t until = UINT64_MAX;

	while (gn_session_child(c->session) && gn_now_ns() < until) {
		if (gn_session_ended(c->session, &c->status)) {
			say_status(c);
			return;
		}
		poll(&p, 1, 20);
		if (gn_capture_signal(c))
			until = until == UINT64_MAX ? gn_now_ns() + GRACE_NS
						    : 0;
	}
}

void gn_capture_end(struct gn_capture *c)
{
	gn_session_free(c->session);
	if (c->signal_fd > 0)
		close(c->signal_fd);
}

int gn_capture_status(const struct gn_capture *c, int own)
{
	return own ? own : c->status;
}
