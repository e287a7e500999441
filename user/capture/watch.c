/* SPDX-License-Identifier: BSD-2-Clause */
/* The programs that watch the kernel: scheduler, faults, system calls,
 * threads. */
#include "capture/session_internal.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <bpf/bpf.h>
#include <bpf/libbpf.h>

#include <gnomon/control.h>
#include "capture/clocks.h"
#include "gnomon.skel.h"
#include "runtime/runtime.h"

static int keep(struct gn_session *s, struct bpf_link *link)
{
	struct bpf_link **links =
		realloc(s->tracing, (s->ntracing + 1) * sizeof(*s->tracing));

	if (!links) {
		bpf_link__destroy(link);
		return gn_session_fail(s, -ENOMEM, 1, "no memory");
	}
	s->tracing = links;
	links[s->ntracing++] = link;
	return 0;
}

static int cannot_watch(struct gn_session *s, const struct bpf_program *prog)
{
	return gn_session_fail(s, -errno, 1,
			       "the kernel does not let a BPF program watch "
			       "%s (%s); see gnomon doctor",
			       bpf_program__section_name(prog),
			       strerror(errno));
}

static int attach_one(struct gn_session *s, struct bpf_program *prog)
{
	struct bpf_link *link = bpf_program__attach_trace(prog);

	return link ? keep(s, link) : cannot_watch(s, prog);
}

static int watch_signals(struct gn_session *s)
{
	const struct bpf_program *prog = s->skel->progs.on_signal_sent;

	s->signals = bpf_program__attach_trace(prog);
	return s->signals ? 0 : cannot_watch(s, prog);
}

/* Attaches a program to a software event of a CPU, for every process on it. */
static int software_event(struct gn_session *s, struct bpf_program *prog,
			  struct perf_event_attr *attr, int cpu)
{
	struct bpf_link *link;
	int fd;

	attr->type = PERF_TYPE_SOFTWARE;
	attr->size = sizeof(*attr);
	fd = (int)syscall(SYS_perf_event_open, attr, -1, cpu, -1,
			  PERF_FLAG_FD_CLOEXEC);
	if (fd < 0)
		return -errno;
	link = bpf_program__attach_perf_event(prog, fd);
	if (!link) {
		int err = -errno;

		close(fd);
		return err;
	}
	return keep(s, link); /* owns fd */
}

static int fault_event(struct gn_session *s, uint64_t config, int cpu)
{
	struct perf_event_attr attr = {.config = config, .sample_period = 1};

	return software_event(s, s->skel->progs.on_fault_end, &attr, cpu);
}

static int sample_failed(struct gn_session *s, int err)
{
	const char *most = "/proc/sys/kernel/perf_event_max_sample_rate";

	return gn_session_fail(s, err, 1,
			       "the kernel does not let gnomon take %u samples "
			       "a second (%s); its limit is in %s",
			       s->opts.samples, strerror(-err), most);
}

int gn_watch_sample(struct gn_session *s)
{
	int cpus = libbpf_num_possible_cpus(), err;

	if (!s->opts.samples)
		return 0;
	err = gn_sampler_new(gn_session_put, s, &s->sampler);
	if (err)
		return sample_failed(s, err);
	gn_sampler_share(s->sampler, s->skel->bss->interpreters,
			 &s->skel->bss->control.interpreters);
	for (size_t i = 0; i < s->opts.npids; i++)
		gn_sampler_ahead(s->sampler, (uint32_t)s->opts.pids[i]);
	s->skel->bss->control.sample_ns = 1000000000u / s->opts.samples;
	for (int cpu = 0; cpu < cpus; cpu++) {
		struct perf_event_attr attr = {
			.config = PERF_COUNT_SW_CPU_CLOCK,
			.freq = 1,
			.sample_freq = s->opts.samples,
			.exclude_idle = 1,
		};

		err = software_event(s, s->skel->progs.on_sample, &attr, cpu);
		if (err && err != -ENODEV &&
		    err != -ENXIO) /* a CPU that is not online */
			return sample_failed(s, err);
	}
	return 0;
}

/*
 * Watches the ends of faults first: without them the beginnings are useless. A
 * kernel without such events is no error; the report says that faults count as
 * app.
 */
static int watch_faults(struct gn_session *s)
{
	int cpus = libbpf_num_possible_cpus();

	if (s->opts.no_faults || cpus < 1)
		return 0;
	for (int cpu = 0; cpu < cpus; cpu++) {
		int err = fault_event(s, PERF_COUNT_SW_PAGE_FAULTS_MIN, cpu);

		if (!err)
			err = fault_event(s, PERF_COUNT_SW_PAGE_FAULTS_MAJ,
					  cpu);
		if (err && err != -ENODEV &&
		    err != -ENXIO) /* a CPU that is not online */
			return err == -ENOMEM ? err : 0;
	}
	s->faults = true;
	if (attach_one(s, s->skel->progs.on_signal))
		return -EOPNOTSUPP;
	return attach_one(s, s->skel->progs.on_fault);
}

static int watch_syscalls(struct gn_session *s)
{
	int err;

	if (!s->opts.syscalls)
		return 0;
	err = attach_one(s, s->skel->progs.on_sys_exit);
	return err ? err : attach_one(s, s->skel->progs.on_sys_enter);
}

static int watch_tasks(struct gn_session *s)
{
	s->iter = bpf_program__attach_iter(s->skel->progs.over_tasks, NULL);
	if (!s->iter)
		return gn_session_fail(s, -errno, 1,
				       "the kernel has no BPF iterator over "
				       "tasks (%s); see gnomon doctor",
				       strerror(errno));
	/* made now, while gnomon has the privileges */
	s->iter_start = bpf_iter_create(bpf_link__fd(s->iter));
	s->iter_stop = bpf_iter_create(bpf_link__fd(s->iter));
	if (s->iter_start < 0 || s->iter_stop < 0)
		return gn_session_fail(s, -errno, 1,
				       "the BPF iterator over tasks cannot be "
				       "made (%s); see gnomon doctor",
				       strerror(errno));
	return 0;
}

/* Finds the ids by which gnomon knows threads: in a container they are not the
 * machine's. */
static int know_self(struct gn_session *s)
{
	struct gn_control *control = &s->skel->bss->control;
	int err;

	control->scanning = GN_SCAN_SELF;
	err = gn_session_look(s);
	control->scanning = 0;
	if (!err && !control->self)
		err = gn_session_fail(s, -ESRCH, 1,
				      "the BPF iterator over tasks does not "
				      "run; see gnomon doctor");
	return err;
}

void gn_watch_choose(struct gn_session *s)
{
	bpf_program__set_autoload(s->skel->progs.on_sys_enter,
				  s->opts.syscalls);
	bpf_program__set_autoload(s->skel->progs.on_sys_exit, s->opts.syscalls);
	bpf_program__set_autoload(s->skel->progs.on_signal_sent,
				  s->opts.command != NULL);
	bpf_program__set_autoload(s->skel->progs.on_sample, s->opts.samples);
	bpf_program__set_autoload(s->skel->progs.over_cpu, s->launch.fast);
	bpf_program__set_autoload(s->skel->progs.on_free,
				  s->skel->rodata->lookups_fail);
	bpf_program__set_autoload(s->skel->progs.on_fault, !s->opts.no_faults);
	bpf_program__set_autoload(s->skel->progs.on_signal, !s->opts.no_faults);
	bpf_program__set_autoload(s->skel->progs.on_fault_end,
				  !s->opts.no_faults);
}

/* Whether a process that runs already has a runtime that reports when it stops
 * threads. */
static bool stops_now(const struct gn_session *s)
{
	for (size_t i = 0; !s->opts.command && i < s->files.count; i++) {
		const struct gn_file *file = &s->files.file[i];
		const struct gn_runtime *rt = gn_runtime_with_core(file->path);

		if (rt && !file->awaited && gn_runtime_stops(rt))
			return true;
	}
	return false;
}

/*
 * Each program at wakeups slows every thread of the machine. The kernel shows
 * at the switch when a thread became runnable, unless it was built without
 * that. Knowing the waker is worth the cost where functions are traced, and
 * where a runtime stops threads, since only the waker distinguishes that stop
 * from another wait. If no runtime is there yet, gn_session_poll() does this
 * later.
 */
static int watch_wakeups(struct gn_session *s)
{
	struct gn_control *control = &s->skel->bss->control;
	int err = 0;

	control->one_clock = gn_clocks_compare(control);
	control->queue = !s->opts.wakeups && control->one_clock;
	if (!control->queue)
		err = attach_one(s, s->skel->progs.on_wakeup);
	if (err || !(s->native.functions || s->opts.wakers || stops_now(s)))
		return err;
	return gn_watch_wakers(s);
}

int gn_watch_wakers(struct gn_session *s)
{
	if (s->skel->bss->control.wakers)
		return 0;
	s->skel->bss->control.wakers = 1;
	/* the record of the waker must come before that of the wakeup */
	s->skel->bss->control.gather = 0;
	return attach_one(s, s->skel->progs.on_waking);
}

int gn_watch_settle(struct gn_session *s)
{
	LIBBPF_OPTS(bpf_test_run_opts, opts, .flags = BPF_F_TEST_RUN_ON_CPU);
	int cpus = libbpf_num_possible_cpus();
	int fd = bpf_program__fd(s->skel->progs.over_cpu);

	for (int i = 0; i < cpus; i++) {
		int err;

		opts.cpu = (uint32_t)i;
		err = bpf_prog_test_run_opts(fd, &opts);
		if (err && err != -ENXIO) /* the CPU is offline */
			return err;
	}
	return 0;
}

int gn_watch_attach(struct gn_session *s)
{
	struct bpf_program *progs[] = {
		s->skel->progs.on_switch, s->skel->progs.on_fork,
		s->skel->progs.on_exec,	  s->skel->progs.on_exit,
		s->skel->progs.on_rename,
	};
	int err = watch_tasks(s);

	if (!err)
		err = know_self(s);
	if (!err && s->skel->rodata->lookups_fail)
		err = attach_one(s, s->skel->progs.on_free);
	for (size_t i = 0; !err && i < sizeof(progs) / sizeof(progs[0]); i++)
		err = attach_one(s, progs[i]);
	if (!err)
		err = watch_wakeups(s);
	if (!err)
		err = watch_faults(s);
	if (!err && s->opts.command)
		err = watch_signals(s);
	return err ? err : watch_syscalls(s);
}

void gn_watch_detach(struct gn_session *s)
{
	while (s->ntracing)
		bpf_link__destroy(s->tracing[--s->ntracing]);
	free(s->tracing);
	s->tracing = NULL;
}
