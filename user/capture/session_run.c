/* SPDX-License-Identifier: BSD-2-Clause */
/* Starts and ends a session, and watches its target. */
#include "capture/session_internal.h"
#include "capture/setter.h"

#include <errno.h>
#include <limits.h>
#include <linux/membarrier.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <bpf/bpf.h>
#include <bpf/libbpf.h>

#include <gnomon/control.h>
#include <gnomon/lock.h>
#include "capture/clock.h"
#include "capture/meter.h"
#include "capture/prepare.h"
#include "capture/unseen.h"
#include "elf/elf_file.h"
#include "gnomon.skel.h"
#include "process/ended.h"
#include "runtime/runtime.h"

/* gnomon's own part of the end must not take longer than this. */
#define LAST_NS	 1000000000u
#define FINAL_NS 200000000u /* for what comes at the stop itself */

static void put_session(struct gn_session *s, uint64_t end)
{
	struct gn_rec_session r = {
		.h = {.time = s->skel->bss->control.start,
		      .kind = GN_KIND_SESSION},
		.end = end,
	};

	gn_session_put(s, &r.h, sizeof(r));
}

static int start_processes(struct gn_session *s)
{
	struct gn_control *control = &s->skel->bss->control;
	int targets = bpf_map__fd(s->skel->maps.targets);
	size_t i = 0;
	int err = 0;

	s->pidfds = calloc(s->opts.npids, sizeof(*s->pidfds));
	if (!s->pidfds)
		return gn_session_fail(s, -ENOMEM, 1, "no memory");
	for (size_t k = 0; k < s->opts.npids; k++)
		s->pidfds[k] = -1;
	while (!err && i < s->opts.npids) {
		uint32_t tgid = (uint32_t)s->opts.pids[i];
		struct gn_lock lock;

		s->pidfds[i] = gn_process_open((pid_t)tgid, 0);
		if (s->pidfds[i] == -ESRCH) {
			err = gn_session_lose(s, (pid_t)tgid);
			continue;
		}
		if (s->pidfds[i] < 0)
			return gn_session_fail(s, s->pidfds[i], 1,
					       "process %u cannot be watched "
					       "(%s)",
					       tgid, strerror(-s->pidfds[i]));
		gn_runtime_lock((pid_t)tgid, &lock);
		if (bpf_map_update_elem(targets, &tgid, &lock, BPF_ANY))
			return gn_session_fail(s, -errno, 1,
					       "too many processes (%s)",
					       strerror(errno));
		i++;
	}
	if (err)
		return err;
	control->scanning = GN_SCAN_PROCESS;
	__atomic_store_n(&control->start, gn_now_ns(), __ATOMIC_SEQ_CST);
	err = gn_session_iterate(s, s->iter_start);
	control->scanning = 0;
	return err;
}

static int start_command(struct gn_session *s)
{
	int err, status;

	s->skel->bss->control.launch = (uint32_t)s->child.pid;
	s->skel->bss->control.command = (uint32_t)s->child.pid;
	err = gn_child_go(&s->child);
	if (!err)
		return 0;
	status = gn_child_wait(&s->child);
	if (s->child.signal)
		return gn_session_fail(
			s, err, status,
			"the command was killed by signal %d (%s) before it "
			"began; run it again",
			s->child.signal, strsignal(s->child.signal));
	/* the program itself was found before */
	if (err == -ENOENT)
		return gn_session_fail(s, err, 127,
				       "'%s' cannot be started: the "
				       "interpreter that it names is missing; "
				       "see its first line, or 'readelf -l'",
				       s->opts.command[0]);
	return gn_session_fail(s, err, 126,
			       "'%s' cannot be started: %s; check the command",
			       s->opts.command[0], strerror(-err));
}

static void look_at_limits(struct gn_session *s, pid_t pid)
{
	unsigned allowed = gn_cpus_allowed(pid);

	gn_session_look_at_groups(s, pid);
	if (allowed > s->allowed)
		s->allowed = allowed;
}

int gn_session_start(struct gn_session *s)
{
	int err;

	/* do not count threads of the calibration */
	__atomic_store_n(&s->skel->bss->control.begun, 0, __ATOMIC_SEQ_CST);
	s->skel->bss->control.gather =
		!s->opts.live && !s->skel->bss->control.wakers;
	gn_session_note_clock(s);
	gn_session_put_facts(s);
	err = gn_watch_sample(s);
	if (err)
		return err;
	err = s->opts.command ? start_command(s) : start_processes(s);
	if (err)
		return err;
	if (s->opts.command)
		look_at_limits(s, s->child.pid);
	for (size_t i = 0; i < s->opts.npids; i++)
		look_at_limits(s, s->opts.pids[i]);
	gn_priority_init(&s->priority);
	s->running = true;
	/* do not count runs that were missed during the calibration */
	s->told[GN_COUNTER_MISSED] = gn_session_missed(s);
	s->told[GN_COUNTER_NO_WAKER] = gn_session_missed_wakers(s);
	put_session(s, 0);
	return gn_running_begin(s, s->managed_filter);
}

void gn_session_tell(const struct gn_session *s)
{
	gn_running_tell(s);
}

bool gn_session_asked(const struct gn_session *s)
{
	return gn_running_count(s->active);
}

void gn_session_expect(struct gn_session *s, int fd, uint64_t end)
{
	gn_priority_expect(&s->priority, s->opts.command ? -1 : fd, end);
}

void gn_session_detach(struct gn_session *s)
{
	gn_written_stop(s->written);
	/* stop it first: it removes links of processes that end, and the meter
	 * adds some */
	gn_later_stop(s->later);
	gn_meter_free(s->meter, s->links);
	s->meter = NULL;
	gn_later_detach(s->later, s->links);
	s->left += gn_links_free(s->links, s->opts.step);
	s->links = NULL;
	gn_mute_detach(s->mute);
	gn_written_free(s->written);
	s->written = NULL;
	gn_watch_detach(s);
}

/* Sets the end of the capture a little ahead, and waits for it. No program may
 * read a time after the end without seeing the end. */
static uint64_t set_end(struct gn_control *control)
{
	struct timespec nap = {.tv_nsec = 100000};
	uint64_t end;

	do {
		end = gn_now_ns() + 100000;
		__atomic_store_n(&control->stop, end, __ATOMIC_SEQ_CST);
	} while (gn_now_ns() >= end);
	while (gn_now_ns() < end)
		nanosleep(&nap, NULL);
	/* after this, programs that read a time before the stop are done */
	syscall(SYS_membarrier, MEMBARRIER_CMD_GLOBAL, 0, 0);
	return end;
}

/* Fails if nothing was seen: the report would look like that of a program that
 * did nothing. */
static int check_seen(struct gn_session *s)
{
	if (__atomic_load_n(&s->skel->bss->control.begun, __ATOMIC_SEQ_CST))
		return 0;
	return gn_session_fail(s, -ESRCH, 1,
			       "no thread of the traced program was seen; if "
			       "it had not already ended, see gnomon doctor");
}

int gn_session_stop(struct gn_session *s)
{
	struct gn_control *control;
	uint64_t end;
	int err;

	if (!s->running)
		return 0;
	s->running = false;
	gn_priority_last(&s->priority);
	control = &s->skel->bss->control;
	end = set_end(control);
	if (s->fast)
		gn_fast_stop(s->fast, end);
	gn_running_end(s);
	gn_later_stop(s->later);
	gn_later_serve(s->later);
	if (gn_later_sum(s->later, &s->native))
		gn_session_put_functions(s);
	s->rest_begun = gn_now_ns();
	gn_session_drain_all(s, LAST_NS);
	control->finishing = 1;
	err = gn_session_iterate(s, s->iter_stop);
	if (!err && !gn_links_hold(s->links))
		err = gn_session_fail(
			s, -ECHILD, 1,
			"the process that held the probes was killed, so calls "
			"are missing; trace again");
	gn_session_drain_all(s, FINAL_NS);
	if (s->fast && gn_fast_flush(s->fast))
		s->late++;
	gn_later_rest(s->later);
	gn_later_serve(s->later);
	gn_written_rest(s, end);
	/* before the programs are removed */
	gn_session_put_counts(s);
	gn_session_detach(s);
	gn_mute_free(s->mute);
	s->mute = NULL;
	gn_session_drain_all(s, FINAL_NS);
	gn_session_put_counts(s);
	gn_session_put_fast(s);
	gn_session_put_cpus(s);
	gn_session_put_memory(s);
	gn_setter_stop(s);
	if (gn_session_wants_managed(s) || s->no_library)
		gn_session_put_unhooked(s);
	if (*gn_later_other(s->later))
		gn_session_put_info(s, "unprobed.other",
				    gn_later_other(s->later));
	if (gn_session_loss_advice(s))
		gn_session_put_info(s, "loss", gn_session_loss_advice(s));
	put_session(s, end);
	if (!err && s->sink_error)
		err = gn_session_not_kept(s);
	return err ? err : check_seen(s);
}

bool gn_session_signalled(const struct gn_session *s, int sig, uint64_t since)
{
	return sig > 0 && sig < GN_SIGNALS &&
	       __atomic_load_n(&s->skel->bss->control.signalled[sig],
			       __ATOMIC_RELAXED) > since;
}

uint64_t gn_session_sent(const struct gn_session *s, int sig)
{
	return sig > 0 && sig < GN_SIGNALS
		       ? __atomic_load_n(&s->skel->bss->control.sent[sig],
					 __ATOMIC_RELAXED)
		       : 0;
}

void gn_session_kill(struct gn_session *s, int sig)
{
	/* a command that has ended needs no signal */
	if (s->child.pid > 0)
		syscall(SYS_pidfd_send_signal, s->child.pidfd, sig, NULL, 0);
}

/* Reports libraries that -f names and no process mapped. */
static void tell_unmapped(const struct gn_session *s, gn_unseen_fn tell,
			  void *ctx)
{
	char line[PATH_MAX + 192];

	for (size_t i = 0; i < s->files.count; i++) {
		if (!s->files.file[i].asked || s->files.file[i].launched)
			continue;
		snprintf(line, sizeof(line),
			 "no process mapped '%s' as code, so the functions "
			 "that -f names in it were not called (emulators such "
			 "as QEMU and box64 run translated code, which has no "
			 "probes)",
			 s->files.file[i].path);
		tell(ctx, line);
	}
}

/* Whether a glob matched nothing. */
static bool is_unmatched(const struct gn_session *s)
{
	size_t at = 0;

	return s->filter && gn_filter_unmatched_next(s->filter, &at);
}

/* Reports programs that ended too soon to look into: -f may name their
 * functions. */
static void tell_gone(const struct gn_session *s, gn_unseen_fn tell, void *ctx)
{
	unsigned n = gn_later_gone(s->later);
	char line[192];

	if (!n || !is_unmatched(s))
		return;
	snprintf(line, sizeof(line),
		 "%u program%s ended before gnomon could look into %s; name "
		 "its file by the path (-f '/PATH/PROGRAM:GLOB'), or let "
		 "gnomon start it itself",
		 n, n == 1 ? "" : "s", n == 1 ? "it" : "them");
	tell(ctx, line);
}

/* Reports a 32-bit program, of which -f may name functions. */
static void tell_narrow(const struct gn_session *s, gn_unseen_fn tell,
			void *ctx)
{
	const char *path = gn_later_narrow(s->later);
	char line[PATH_MAX + 128];

	if (s->foreign && gn_elf_has_32_bits(s->program))
		path = s->program;
	if (!path)
		return;
	snprintf(line, sizeof(line),
		 "'%s' is a 32-bit program: its threads and time classes are "
		 "seen, but not its functions",
		 path);
	tell(ctx, line);
}

/* Reports that the command runs a script: -f may name functions of its
 * language. Not of a script that is called as an interpreter, as pyenv's, and
 * that may have started one. */
static void tell_language(const struct gn_session *s, gn_unseen_fn tell,
			  void *ctx)
{
	char line[GN_LANGUAGE_LINE];
	const char *glob;

	if (!s->opts.command || s->foreign || gn_unseen_hooked(s->unseen) ||
	    !gn_unseen_language(s->program, &s->files, line))
		return;
	for (size_t at = 0;
	     (glob = gn_filter_unmatched_next(s->filter, &at));) {
		if (gn_prepare_native_only(glob))
			continue;
		tell(ctx, line);
		return;
	}
}

/* Reports a runtime that gives no values, if the command's program started it.
 * Otherwise this was reported at the start. */
static void tell_valueless(const struct gn_session *s, gn_unseen_fn tell,
			   void *ctx)
{
	const struct gn_runtime *rt = gn_unseen_valueless(s->unseen);
	char line[128];

	if (!rt || s->valueless)
		return;
	snprintf(line, sizeof(line), "%s: " GN_VALUELESS_TEXT, rt->title);
	tell(ctx, line);
}

/* Whether to name the runtimes without a library at the end. A warning before
 * the start has named the reason already. If `quiet`, they are named only if
 * they can be why a function is missing. */
static bool names_unhooked(const struct gn_session *s, bool quiet)
{
	return gn_session_wants_managed(s) &&
	       (quiet ? is_unmatched(s) : !*s->warning);
}

void gn_session_unseen(const struct gn_session *s, bool quiet,
		       gn_unseen_fn tell, void *ctx)
{
	if (names_unhooked(s, quiet))
		gn_session_tell_unhooked(s, tell, ctx);
	if (!quiet && !*s->warning)
		gn_unseen_silent(s->unseen, tell, ctx);
	/* otherwise the failure is the reason, and was reported */
	if (s->filter && (s->opts.live || !gn_later_failed(s->later))) {
		gn_unseen_globs(s->unseen, s->filter, &s->native, &s->files,
				s->opts.no_managed, tell, ctx);
		tell_language(s, tell, ctx);
	}
	tell_narrow(s, tell, ctx);
	tell_gone(s, tell, ctx);
	tell_valueless(s, tell, ctx);
	if (gn_later_sees_mapped(s->later))
		tell_unmapped(s, tell, ctx);
	if (!quiet && s->outside) {
		/* with -p the user has chosen the processes */
		if (s->opts.command)
			gn_outside_tell(s->outside, tell, ctx);
		if (s->opts.command ? !gn_session_child(s)
				    : !gn_session_lives(s))
			gn_outside_tell_left(s->outside, !s->opts.command, tell,
					     ctx);
	}
}

int gn_session_signal(const struct gn_session *s)
{
	return s->child.signal;
}

int gn_session_killed(const struct gn_session *s, pid_t *pid)
{
	*pid = s->killed;
	return s->killed_by;
}

bool gn_session_ended(struct gn_session *s, int *status)
{
	int got;

	if (s->child.pid <= 0)
		return true;
	got = gn_child_poll(&s->child);
	if (got == -EAGAIN)
		return false;
	*status = got < 0 ? 1 : got;
	return true;
}
