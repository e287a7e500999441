/* SPDX-License-Identifier: BSD-2-Clause */
#include "capture/session_internal.h"

#include <errno.h>
#include <inttypes.h>
#include <linux/membarrier.h>
#include <poll.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <bpf/bpf.h>
#include <bpf/btf.h>
#include <bpf/libbpf.h>

#include <gnomon/control.h>
#include "capture/clock.h"
#include "capture/meter.h"
#include "capture/drain.h"
#include "process/share.h"
#include "gnomon.skel.h"
#include "runtime/runtime.h"

#define DEFAULT_RING (64u << 20)

/* Both ends of the ring are polled: the program is never made to wake us. Our
 * wakeups are a cost too, so they are few where the ring has room for all that
 * some CPUs can write until the next, or nothing has come for a while. */
#define POLL_MS	      5
#define POLL_LONG_MS  20
#define LONG_RING_MIN (16u << 20)
#define IDLE_POLLS    20
#define IDLE_RING_MIN (1u << 20)
#define HOLD_MS	      1 /* until the sink is asked again */

int gn_session_fail(struct gn_session *s, int err, int status, const char *fmt,
		    ...)
{
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(s->error, sizeof(s->error), fmt, ap);
	va_end(ap);
	s->status = status;
	return err;
}

const char *gn_session_warning(const struct gn_session *s)
{
	return s->warning;
}

const char *gn_session_error(const struct gn_session *s)
{
	return s->error;
}

int gn_session_status(const struct gn_session *s)
{
	return s->status;
}

size_t gn_session_left(const struct gn_session *s)
{
	return s->left;
}

const char *gn_session_summary(const struct gn_session *s)
{
	return s->summary;
}

pid_t gn_session_child(const struct gn_session *s)
{
	/* it may wait at its gate yet: then it is none */
	return s->child.pid > 0 && s->child.gate < 0 ? s->child.pid : 0;
}

/* What is lost on the way to the sink is counted; a sink that cannot go on
 * ends the capture at the next poll. */
int gn_session_put(struct gn_session *s, const struct gn_rec *rec, size_t size)
{
	int err = s->sink_error ? -ENOBUFS
				: s->opts.sink(s->opts.sink_ctx, rec, size);

	if (!err)
		return 0;
	s->sink_lost++;
	if (err != -ENOBUFS && err != -EBADMSG)
		s->sink_error = err;
	return 0;
}

int gn_session_put_text(struct gn_session *s, enum gn_kind kind, uint32_t id,
			uint32_t ref, uint64_t key, uint8_t flags,
			const char *a, const char *b)
{
	_Alignas(8) char buf[GN_TEXT_MAX];
	size_t size = gn_text_record(buf, kind, id, ref, a, b);
	struct gn_rec *h = (struct gn_rec *)buf;

	h->key = key & 0xffffffffffff;
	h->flags = flags;
	return gn_session_put(s, h, size);
}

int gn_session_new(const struct gn_session_opts *opts, struct gn_session **out)
{
	struct gn_session *s = calloc(1, sizeof(*s));

	if (!s)
		return -ENOMEM;
	s->opts = *opts;
	if (!s->opts.ring_size)
		s->opts.ring_size = DEFAULT_RING;
	s->functions.next = 1;
	s->iter_start = -1;
	s->iter_stop = -1;
	s->wake = -1;
	s->child = (struct gn_child){-1, -1, -1, -1, 0};
	s->links = gn_links_new();
	s->mute = opts->can_mute ? gn_mute_new() : NULL;
	s->unseen = gn_unseen_new(opts->user.uid);
	/* who traces processes has chosen which */
	s->outside = opts->command && !opts->live ? gn_outside_new() : NULL;
	if (!s->links || !s->unseen || (opts->can_mute && !s->mute) ||
	    (opts->command && !opts->live && !s->outside)) {
		gn_unseen_free(s->unseen);
		gn_outside_free(s->outside);
		gn_links_free(s->links, NULL);
		gn_mute_free(s->mute);
		free(s);
		return -ENOMEM;
	}
	*out = s;
	return 0;
}

/* Which of the probe programs this capture uses, and of which link type. */
static void choose_programs(struct gn_session *s)
{
	struct gnomon_bpf *skel = s->skel;
	bool multi = s->mode != GN_ATTACH_SINGLE;
	struct bpf_program *with_multi[] = {skel->progs.native_multi,
					    skel->progs.managed_multi,
					    skel->progs.name_multi};
	struct bpf_program *with_perf[] = {skel->progs.native_perf,
					   skel->progs.managed_perf,
					   skel->progs.name_perf};

	bpf_program__set_expected_attach_type(
		skel->progs.native_session,
		(enum bpf_attach_type)GN_TRACE_UPROBE_SESSION);
	bpf_program__set_autoload(skel->progs.native_session,
				  s->mode == GN_ATTACH_SESSION);
	for (size_t i = 0; i < 3; i++) {
		bpf_program__set_expected_attach_type(
			with_multi[i],
			(enum bpf_attach_type)GN_TRACE_UPROBE_MULTI);
		bpf_program__set_autoload(with_multi[i], multi);
		bpf_program__set_autoload(with_perf[i], !multi || s->by_thread);
	}
}

static int load_error(struct gn_session *s, int err)
{
	if (err == -EPERM || err == -EACCES)
		return gn_session_denied(s, err);
	if (access("/sys/kernel/btf/vmlinux", R_OK))
		return gn_session_fail(s, err, 1,
				       "this kernel has no BTF "
				       "(/sys/kernel/btf/vmlinux); boot one "
				       "with CONFIG_DEBUG_INFO_BTF");
	return gn_session_fail(s, err, 1,
			       "the kernel refuses gnomon's BPF programs (%s); "
			       "see gnomon doctor",
			       strerror(-err));
}

/* Chooses what depends on the kernel's own functions and types, which take a
 * while to read: once. */
static void ask_kernel(struct gn_session *s)
{
	struct btf *btf = btf__load_vmlinux_btf();

	if (!btf)
		return; /* that loading fails will say so */
	s->skel->rodata->can_cast =
		btf__find_by_name_kind(btf, "bpf_rdonly_cast", BTF_KIND_FUNC) >
		0;
	/* later kernels have a look-up of its own for these programs */
	s->skel->rodata->lookups_fail =
		btf__find_by_name_kind(btf, "bpf_task_storage_get_recur",
				       BTF_KIND_FUNC) <= 0;
	/* whether a program can tell the function that a return probe is of */
	s->knows_returns = s->mode == GN_ATTACH_SINGLE &&
			   btf__find_by_name_kind(btf, "uprobe_dispatch_data",
						  BTF_KIND_STRUCT) > 0;
	btf__free(btf);
}

int gn_session_load(struct gn_session *s)
{
	int err;

	s->skel = gnomon_bpf__open();
	if (!s->skel)
		return load_error(s, -errno);
	ask_kernel(s);
	choose_programs(s);
	gn_watch_choose(s);
	err = bpf_map__set_max_entries(s->skel->maps.ring,
				       (uint32_t)s->opts.ring_size);
	if (!err && s->mode != GN_ATTACH_SINGLE)
		err = bpf_map__set_max_entries(s->skel->maps.cookies, 1);
	if (!err)
		err = gnomon_bpf__load(s->skel);
	if (err)
		return load_error(s, err);
	s->groups.cookies = bpf_map__fd(s->skel->maps.cookies);
	s->skel->bss->control.stop = UINT64_MAX;
	s->skel->bss->control.follow = s->opts.follow;
	return 0;
}

static const struct bpf_program *program_of(struct gn_session *s,
					    enum gn_prog prog, bool multi)
{
	switch (prog) {
	case GN_PROG_SESSION:
		return s->skel->progs.native_session;
	case GN_PROG_NATIVE:
	case GN_PROG_NATIVE_RETURN:
		return multi ? s->skel->progs.native_multi
			     : s->skel->progs.native_perf;
	case GN_PROG_MANAGED:
		return multi ? s->skel->progs.managed_multi
			     : s->skel->progs.managed_perf;
	case GN_PROG_NAME:
		return multi ? s->skel->progs.name_multi
			     : s->skel->progs.name_perf;
	default:
		return NULL;
	}
}

int gn_session_link(struct gn_session *s, struct gn_links *links,
		    enum gn_prog prog, const struct gn_probe_set *set,
		    size_t *refused)
{
	struct gn_probe_set full = *set;
	enum gn_attach_mode mode = s->mode;

	/* a thread attaches what appears later, by itself */
	bool first = !s->later;

	/* only the session program is of that link type */
	if (mode == GN_ATTACH_SESSION && prog != GN_PROG_SESSION)
		mode = GN_ATTACH_MULTI;
	if (mode == GN_ATTACH_MULTI && set->pid && s->by_thread)
		mode = GN_ATTACH_SINGLE;
	full.prog = program_of(s, prog, mode != GN_ATTACH_SINGLE);
	full.ret = full.ret || prog == GN_PROG_NATIVE_RETURN;
	full.step = first ? s->opts.step : NULL;
	/* what can be muted is by itself */
	if (first && s->mode == GN_ATTACH_SINGLE && !set->key &&
	    (!full.ret || s->knows_returns))
		full.groups = &s->groups;
	return gn_links_add(links, mode, &full, refused);
}

bool gn_session_private(const struct gn_session *s, enum gn_prog prog,
			const struct gn_file *file)
{
	/* who loads a hook-site library is traced by a gnomon */
	return !s->opts.follow || (file->elsewhere && prog != GN_PROG_MANAGED &&
				   prog != GN_PROG_NAME);
}

/* What is traced from its start on. */
static const pid_t *first_pids(const struct gn_session *s, size_t *n)
{
	*n = s->opts.command ? 1 : s->opts.npids;
	return s->opts.command ? &s->child.pid : s->opts.pids;
}

static bool is_first(void *session, pid_t pid)
{
	const struct gn_session *s = session;
	size_t n;
	const pid_t *pids = first_pids(s, &n);

	for (size_t i = 0; i < n; i++)
		if (pids[i] == pid)
			return true;
	return false;
}

/* Which of the files that get probes others map, too. In a PID namespace not
 * all others can be seen. */
static int find_shared(struct gn_session *s)
{
	bool *wanted;
	int err = 0;

	if (!s->opts.follow)
		return 0; /* each probe is of one process */
	wanted = calloc(s->files.count + 1, sizeof(*wanted));
	if (!wanted)
		return -ENOMEM;
	for (size_t i = 0; i < s->probes.count; i++)
		wanted[s->probes.group[i].file] =
			s->probes.group[i].prog != GN_PROG_MANAGED &&
			s->probes.group[i].prog != GN_PROG_NAME;
	if (s->skel->bss->control.pid_level)
		for (size_t i = 0; i < s->files.count; i++)
			s->files.file[i].elsewhere = true;
	else
		err = gn_share_find(&s->files, wanted, is_first, s);
	free(wanted);
	if (!err)
		return 0;
	return gn_session_fail(s, err, 1,
			       "the processes cannot be listed (%s); see "
			       "gnomon doctor",
			       strerror(-err));
}

/* `pid` 0: every process that maps the file. */
static int attach_group(struct gn_session *s, const struct gn_probe_group *g,
			pid_t pid)
{
	const struct gn_file *file = &s->files.file[g->file];
	char place[GN_FILE_PLACE];
	struct gn_probe_set set = {
		.path = gn_file_place(file->fd, place),
		.offsets = g->offsets,
		.cookies = g->cookies,
		.count = g->count,
		.pid = pid,
		.left_out = gn_functions_left_out,
		.ctx = &s->functions,
	};
	int err = gn_mute_link(s, g->prog, &set);

	if (err == -ESRCH)
		return gn_session_fail(s, err, 1,
				       "process %d ended while gnomon was "
				       "attaching; start it again",
				       (int)set.pid);
	if (err == -EINTR)
		return gn_session_fail(s, err, 1, "attaching was interrupted");
	if (err)
		return gn_session_fail(
			s, err, 1,
			"probes cannot be attached to '%s' (%s); "
			"see gnomon list",
			file->path, strerror(-err));
	return 0;
}

static int attach_groups(struct gn_session *s)
{
	size_t n;
	const pid_t *pids = first_pids(s, &n);
	int err = 0;

	for (size_t i = 0; !err && i < s->probes.count; i++) {
		const struct gn_probe_group *g = &s->probes.group[i];

		if (!gn_session_private(s, g->prog, &s->files.file[g->file]))
			err = attach_group(s, g, 0);
		else
			for (size_t k = 0; !err && k < n; k++)
				err = attach_group(s, g, pids[k]);
	}
	return err;
}

/* What appears later, where anything of it can be asked for. */
static int attach_later(struct gn_session *s)
{
	size_t n;
	const pid_t *pids = first_pids(s, &n);
	int err;

	if (!s->opts.follow || !gn_filter_positive(s->filter))
		return 0;
	s->skel->bss->control.attend = 1;
	err = gn_later_new(s, pids, n);
	if (!err)
		return 0;
	return gn_session_fail(s, err, 1, "no thread can be started (%s)",
			       strerror(-err));
}

static int fork_command(struct gn_session *s)
{
	int err;

	if (!s->opts.command)
		return 0;
	err = gn_child_fork(&s->child, (char *const *)s->opts.command,
			    &s->opts.user, s->env);
	if (!err)
		return 0;
	return gn_session_fail(s, err, 1, "no process can be started (%s)",
			       strerror(-err));
}

/* Readable after the kernel side has woken us, and then once. */
static int open_wake(int map)
{
	struct epoll_event event = {.events = EPOLLIN | EPOLLET};
	int fd = epoll_create1(EPOLL_CLOEXEC);

	if (fd >= 0 && epoll_ctl(fd, EPOLL_CTL_ADD, map, &event)) {
		close(fd);
		fd = -1;
	}
	return fd;
}

static int on_sample(void *ctx, void *data, size_t size);

/* -f '!*' at the end leaves out those of a runtime, too. */
static bool wants_managed(const struct gn_session *s)
{
	size_t n = s->opts.nfunctions;

	return s->env && !s->opts.no_managed &&
	       !(n && !strcmp(s->opts.functions[n - 1], "!*"));
}

static void summarize(struct gn_session *s)
{
	size_t n = s->native.functions - s->native.refused;
	const char *managed =
		wants_managed(s) ? "; managed functions as they are compiled"
				 : "";
	const char *later =
		s->awaits ? "; those of libraries that are not mapped yet, "
			    "when they are"
			  : "";
	const char *links = gn_attach_mode_name(s->mode);

	if (n)
		snprintf(s->summary, sizeof(s->summary),
			 "%zu native function%s (%zu by return probe, %zu by "
			 "their own rets, %zu single-stepped%s)%s%s; %s links",
			 n, n == 1 ? "" : "s", s->native.by_return,
			 s->native.by_ret, s->native.stepped,
			 s->native.refused || s->refused ? ", some refused"
							 : "",
			 managed, later, links);
	else
		snprintf(s->summary, sizeof(s->summary), "%s%s%s; %s links",
			 *later ? "no native function"
				: "threads and processes",
			 managed, later, links);
}

int gn_session_attach(struct gn_session *s)
{
	int err = gn_watch_attach(s);

	if (!err)
		err = gn_meter_new(s, &s->meter);
	/* before there are many descriptors and threads */
	if (!err)
		err = fork_command(s);
	if (!err)
		err = find_shared(s);
	if (!err)
		err = attach_groups(s);
	gn_mute_settle(s->mute);
	if (!err)
		err = attach_later(s);
	if (err)
		return err;
	s->ring = ring_buffer__new(bpf_map__fd(s->skel->maps.ring), on_sample,
				   s, NULL);
	if (!s->ring)
		return gn_session_fail(s, -errno, 1,
				       "the ring buffer cannot be mapped (%s)",
				       strerror(errno));
	s->wake = open_wake(bpf_map__fd(s->skel->maps.ring));
	if (s->wake < 0)
		return gn_session_fail(s, -errno, 1,
				       "the ring buffer cannot be watched (%s)",
				       strerror(errno));
	summarize(s);
	return 0;
}

static int on_record(void *ctx, const struct gn_rec *rec, size_t size)
{
	struct gn_session *s = ctx;

	if (gn_meter_take(s->meter, rec))
		return 0;
	/* of a runtime: there may be none of a native program's own */
	if (rec->kind == GN_KIND_ENTER) {
		s->managed = true;
		s->entered = rec->tid;
	}
	if (s->later)
		gn_later_record(s->later, rec);
	gn_unseen_record(s->unseen, rec, s->filter);
	if (s->outside)
		gn_outside_record(s->outside, rec);
	return gn_session_put(s, rec, size);
}

/* Whether records are to wait in the ring. A sink that failed takes none, so
 * they need not wait for it. */
static bool held(struct gn_session *s)
{
	s->hold = s->opts.hold && !s->sink_error
			  ? s->opts.hold(s->opts.sink_ctx)
			  : GN_HOLD_NOT;
	return s->hold != GN_HOLD_NOT;
}

static int count_late(void *ctx, const struct gn_rec *rec, size_t size)
{
	struct gn_session *s = ctx;

	(void)rec, (void)size;
	s->late++;
	return 0;
}

static int on_sample(void *ctx, void *data, size_t size)
{
	struct gn_session *s = ctx;

	if (s->dropping) {
		gn_drain_sample(data, size, count_late, s);
		return 0;
	}
	if (gn_drain_sample(data, size, on_record, s))
		s->sink_lost++;
	if (held(s))
		return -EAGAIN;
	/* the clock is not read for each */
	return ++s->drained % 256 || gn_now_ns() < s->drain_until ? 0 : -EAGAIN;
}

static void put_session(struct gn_session *s, uint64_t end)
{
	struct gn_rec_session r = {
		.h = {.time = s->skel->bss->control.start,
		      .kind = GN_KIND_SESSION},
		.end = end,
	};

	gn_session_put(s, &r.h, sizeof(r));
}

int gn_session_iterate(struct gn_session *s, int fd)
{
	char buf[256];
	ssize_t n;

	do {
		n = read(fd, buf, sizeof(buf));
	} while (n > 0 || (n < 0 && errno == EINTR));
	if (n < 0)
		return gn_session_fail(s, -errno, 1,
				       "the threads cannot be listed (%s)",
				       strerror(errno));
	return 0;
}

int gn_session_look(struct gn_session *s)
{
	int fd = bpf_iter_create(bpf_link__fd(s->iter));
	int err;

	if (fd < 0)
		return gn_session_fail(s, -errno, 1,
				       "the threads cannot be listed (%s)",
				       strerror(errno));
	err = gn_session_iterate(s, fd);
	close(fd);
	return err;
}

int gn_pidfd(pid_t pid)
{
	return (int)syscall(SYS_pidfd_open, pid, 0);
}

static int start_processes(struct gn_session *s)
{
	struct gn_control *control = &s->skel->bss->control;
	int targets = bpf_map__fd(s->skel->maps.targets);
	int err;

	s->pidfds = calloc(s->opts.npids, sizeof(*s->pidfds));
	if (!s->pidfds)
		return gn_session_fail(s, -ENOMEM, 1, "no memory");
	for (size_t i = 0; i < s->opts.npids; i++)
		s->pidfds[i] = -1;
	for (size_t i = 0; i < s->opts.npids; i++) {
		uint32_t tgid = (uint32_t)s->opts.pids[i], one = 1;

		s->pidfds[i] = gn_pidfd((pid_t)tgid);
		if (s->pidfds[i] < 0)
			return gn_session_fail(s, -errno, 1,
					       "process %u ended while gnomon "
					       "was attaching; start it again",
					       tgid);
		if (bpf_map_update_elem(targets, &tgid, &one, BPF_ANY))
			return gn_session_fail(s, -errno, 1,
					       "too many processes (%s)",
					       strerror(errno));
	}
	control->scanning = GN_SCAN_PROCESS;
	__atomic_store_n(&control->start, gn_now_ns(), __ATOMIC_SEQ_CST);
	err = gn_session_iterate(s, s->iter_start);
	control->scanning = 0;
	return err;
}

static int start_command(struct gn_session *s)
{
	int err;

	s->skel->bss->control.launch = (uint32_t)s->child.pid;
	s->skel->bss->control.command = (uint32_t)s->child.pid;
	err = gn_child_go(&s->child);
	if (!err)
		return 0;
	gn_child_wait(&s->child);
	return gn_session_fail(s, err, err == -ENOENT ? 127 : 126,
			       "'%s' cannot be started: %s; check the command",
			       s->opts.command[0], strerror(-err));
}

/* Runs of programs that the kernel left out. */
static uint64_t missed(struct gn_session *s)
{
	struct bpf_program *p;
	uint64_t n = 0;

	bpf_object__for_each_program(p, s->skel->obj)
	{
		struct bpf_prog_info info = {0};
		uint32_t len = sizeof(info);
		int fd = bpf_program__fd(p);

		if (fd >= 0 && !bpf_obj_get_info_by_fd(fd, &info, &len))
			n += info.recursion_misses;
	}
	return n;
}

/* Deadlines by a clock that can be set, like those of conditions by default. */
static void note_real_clock(struct gn_control *control)
{
	struct timespec real;
	uint64_t now = gn_now_ns();

	clock_gettime(CLOCK_REALTIME, &real);
	__atomic_store_n(&control->real_ahead,
			 (uint64_t)real.tv_sec * 1000000000u +
				 (uint64_t)real.tv_nsec - now,
			 __ATOMIC_RELAXED);
}

int gn_session_start(struct gn_session *s)
{
	int err;

	/* the calibration's were gnomon's own */
	__atomic_store_n(&s->skel->bss->control.begun, 0, __ATOMIC_SEQ_CST);
	s->skel->bss->control.gather =
		!s->opts.live && !s->skel->bss->control.wakers;
	note_real_clock(&s->skel->bss->control);
	gn_session_put_facts(s);
	err = s->opts.command ? start_command(s) : start_processes(s);
	if (err)
		return err;
	gn_priority_init(&s->priority);
	s->running = true;
	/* those of the calibration are of no one's records */
	s->told[GN_COUNTER_MISSED] = missed(s);
	put_session(s, 0);
	return 0;
}

void gn_session_expect(struct gn_session *s, int fd, uint64_t end)
{
	gn_priority_expect(&s->priority, s->opts.command ? -1 : fd, end);
}

bool gn_session_lives(struct gn_session *s)
{
	struct pollfd p = {.events = POLLIN};

	if (s->opts.command) {
		p.fd = s->child.pidfd;
		return !poll(&p, 1, 0);
	}
	for (size_t i = 0; i < s->opts.npids; i++) {
		p.fd = s->pidfds[i];
		if (!poll(&p, 1, 0))
			return true;
	}
	return false;
}

/* How long to wait for records after a draining. */
static int rest_ms(struct gn_session *s, bool more)
{
	uint64_t enough;

	/* a busy ring is drained again at once */
	if (s->hold)
		return HOLD_MS;
	if (more || s->drained > 4096)
		return 0;
	s->idle = s->drained ? 0 : s->idle + (s->idle < IDLE_POLLS);
	enough = s->idle == IDLE_POLLS ? IDLE_RING_MIN : LONG_RING_MIN;
	return s->opts.ring_size >= enough ? POLL_LONG_MS : POLL_MS;
}

int gn_session_poll(struct gn_session *s, int wake_fd, int ms)
{
	struct pollfd p[] = {
		{.fd = wake_fd, .events = POLLIN},
		{.fd = s->child.pidfd, .events = POLLIN},
		{.fd = s->wake, .events = POLLIN},
		{.fd = s->later ? gn_later_fd(s->later) : -1, .events = POLLIN},
	};
	struct epoll_event woken;
	int more, rest, live = gn_session_lives(s);

	note_real_clock(&s->skel->bss->control);

	/* of what has ended, all there is */
	more = gn_session_drain(s, GN_DRAIN_NS);
	if (more < 0)
		return more;
	if (s->sink_error)
		return gn_session_fail(s, s->sink_error, 1,
				       "the records cannot be kept: %s",
				       strerror(-s->sink_error));
	if (!live)
		return 0;
	if (s->managed && gn_watch_wakers(s))
		return -EPERM; /* it has said why */
	rest = rest_ms(s, more);
	poll(p, sizeof(p) / sizeof(p[0]), ms < rest ? ms : rest);
	if (p[2].revents)
		epoll_wait(s->wake, &woken, 1, 0);
	if (s->later)
		gn_later_serve(s->later);
	return 1;
}

int gn_session_drain(struct gn_session *s, uint64_t ns)
{
	uint64_t now = gn_now_ns();
	int n;

	s->drained = 0;
	s->drain_until = now + ns < now ? UINT64_MAX : now + ns;
	n = held(s) ? -EAGAIN : ring_buffer__consume(s->ring);
	now = gn_now_ns();
	/* what the sink holds up is not mended by more time for us */
	gn_priority_follow(&s->priority, n == -EAGAIN && !s->hold, now);
	gn_loss_follow(&s->loss, s->hold,
		       s->skel->bss->control.counters[GN_COUNTER_RING_FULL],
		       now);
	gn_meter_follow(s->meter, now, s->entered);
	s->entered = 0;
	if (n >= 0 || n == -EAGAIN)
		return n == -EAGAIN;
	return gn_session_fail(s, n, 1, "the ring buffer is broken (%s)",
			       strerror(-n));
}

/* Who waits for gnomon's end waits no longer than this for its own part. */
#define LAST_NS	 1000000000u
#define FINAL_NS 200000000u /* for what comes at the stop itself */

/* What is left is only counted. */
static void drop_all(struct gn_session *s)
{
	s->dropping = true;
	gn_session_drain(s, UINT64_MAX);
	s->dropping = false;
}

/*
 * All that is in the ring, at the end. The sink is waited for; what one that
 * is stuck did not take is counted. So is what gnomon itself has not handed
 * it in `ns`.
 */
static void drain_all(struct gn_session *s, uint64_t ns)
{
	for (;;) {
		uint64_t begin = gn_now_ns(), took;

		if (gn_session_drain(s, ns) <= 0)
			return;
		if (!s->hold) {
			drop_all(s);
			return;
		}
		took = gn_now_ns() - begin;
		ns -= took < ns ? took : ns;
		if (s->hold == GN_HOLD_STUCK)
			s->sink_error = -ETIMEDOUT;
		else
			poll(NULL, 0, HOLD_MS);
	}
}

const char *gn_session_loss_advice(const struct gn_session *s)
{
	return gn_loss_advice(&s->loss);
}

/* What was counted since the last time. */
static void put_counts(struct gn_session *s)
{
	struct gn_rec_count r = {.h = {.kind = GN_KIND_COUNT}};

	for (uint32_t i = 0; i < GN_COUNTER_COUNT; i++) {
		uint64_t sum = s->skel->bss->control.counters[i];

		if (i == GN_COUNTER_SINK)
			sum += s->sink_lost;
		else if (i == GN_COUNTER_LATE)
			sum += s->late;
		else if (i == GN_COUNTER_MISSED)
			sum += missed(s);
		else if (s->later)
			sum += gn_later_count(s->later, i);
		r.id = i;
		r.count = sum - s->told[i];
		s->told[i] = sum;
		if (r.count)
			gn_session_put(s, &r.h, sizeof(r));
	}
}

int gn_session_tick(struct gn_session *s)
{
	struct gn_control *control = &s->skel->bss->control;
	int err;

	control->ticking = 1;
	err = gn_session_look(s);
	control->ticking = 0;
	if (!err)
		err = gn_session_drain(s, GN_DRAIN_NS);
	if (err < 0)
		return err;
	put_counts(s);
	return 0;
}

static void detach(struct gn_session *s)
{
	gn_meter_free(s->meter, s->links);
	s->meter = NULL;
	gn_later_detach(s->later, s->links);
	s->left += gn_links_free(s->links, s->opts.step);
	s->links = NULL;
	gn_mute_detach(s->mute);
	gn_watch_detach(s);
}

/*
 * Sets when the capture ends, and waits for that. It is set before it comes: a
 * program must not take its time after the end without knowing of it.
 */
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
	/* programs that took their time before the stop are done after this */
	syscall(SYS_membarrier, MEMBARRIER_CMD_GLOBAL, 0, 0);
	return end;
}

/* An empty report would look like one of a program that did nothing. */
static int check_seen(struct gn_session *s)
{
	if (__atomic_load_n(&s->skel->bss->control.begun, __ATOMIC_SEQ_CST))
		return 0;
	return gn_session_fail(s, -ESRCH, 1,
			       "no thread of what was to be traced was seen; "
			       "if it had not ended before, see gnomon doctor");
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
	gn_later_stop(s->later);
	gn_later_serve(s->later);
	if (gn_later_sum(s->later, &s->native))
		gn_session_put_functions(s);
	drain_all(s, LAST_NS);
	control->finishing = 1;
	err = gn_session_iterate(s, s->iter_stop);
	if (!err && !gn_links_hold(s->links))
		err = gn_session_fail(s, -ECHILD, 1,
				      "the process that held the probes was "
				      "killed; calls are missing, trace again");
	drain_all(s, FINAL_NS);
	/* while the programs are there to be asked */
	put_counts(s);
	detach(s);
	gn_mute_free(s->mute);
	s->mute = NULL;
	drain_all(s, FINAL_NS);
	put_counts(s);
	if (gn_session_loss_advice(s))
		gn_session_put_text(s, GN_KIND_INFO, 0, 0, 0, 0, "loss",
				    gn_session_loss_advice(s));
	put_session(s, end);
	if (!err && s->sink_error)
		err = gn_session_fail(s, s->sink_error, 1,
				      "the records cannot be kept: %s",
				      strerror(-s->sink_error));
	return err ? err : check_seen(s);
}

bool gn_session_signalled(const struct gn_session *s, int sig, uint64_t since)
{
	return sig > 0 && sig < GN_SIGNALS &&
	       __atomic_load_n(&s->skel->bss->control.signalled[sig],
			       __ATOMIC_RELAXED) > since;
}

void gn_session_kill(struct gn_session *s, int sig)
{
	/* one that has ended needs none */
	if (s->child.pid > 0)
		syscall(SYS_pidfd_send_signal, s->child.pidfd, sig, NULL, 0);
}

void gn_session_unseen(const struct gn_session *s, gn_unseen_fn tell, void *ctx)
{
	/* else it was said before it began */
	if (wants_managed(s) && !*s->warning)
		gn_unseen_runtimes(s->unseen, tell, ctx);
	if (s->filter)
		gn_unseen_globs(s->unseen, s->filter, tell, ctx);
	if (s->outside)
		gn_outside_tell(s->outside, tell, ctx);
}

int gn_session_signal(const struct gn_session *s)
{
	return s->child.signal;
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

static void close_fd(int fd)
{
	if (fd >= 0)
		close(fd);
}

void gn_session_free(struct gn_session *s)
{
	if (!s)
		return;
	gn_priority_end(&s->priority);
	detach(s);
	gn_mute_free(s->mute);
	gn_child_close(&s->child);
	for (size_t i = 0; s->pidfds && i < s->opts.npids; i++)
		close_fd(s->pidfds[i]);
	free(s->pidfds);
	close_fd(s->iter_start);
	close_fd(s->iter_stop);
	close_fd(s->wake);
	bpf_link__destroy(s->iter);
	ring_buffer__free(s->ring);
	gnomon_bpf__destroy(s->skel);
	gn_later_free(s->later);
	gn_functions_clear(&s->functions);
	gn_probes_free(&s->probes);
	gn_files_free(&s->files);
	gn_filter_free(s->filter);
	gn_unseen_free(s->unseen);
	gn_outside_free(s->outside);
	gn_environment_free(s->env);
	free(s);
}
