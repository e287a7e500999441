/* SPDX-License-Identifier: BSD-2-Clause */
#include "capture/sleds.h"
#include "capture/sources.h"
#include "capture/session_internal.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <linux/membarrier.h>
#include <poll.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <bpf/bpf.h>
#include <bpf/libbpf.h>

#include <gnomon/control.h>
#include "capture/clock.h"
#include "capture/denied.h"
#include "capture/meter.h"
#include "capture/setter.h"
#include "capture/drain.h"
#include "capture/kernel_btf.h"
#include "capture/loads.h"
#include "capture/lockdown.h"
#include "capture/targets.h"
#include "process/share.h"
#include "gnomon.skel.h"
#include "runtime/runtime.h"

#define DEFAULT_RING (64u << 20)
#define ENOUGH_FILES 1024ull /* for most captures */

int gn_session_fail(struct gn_session *s, int err, int status, const char *fmt,
		    ...)
{
	struct rlimit limit;
	va_list ap;

	/* wherever descriptors run out */
	if (err == -EMFILE && !getrlimit(RLIMIT_NOFILE, &limit)) {
		snprintf(s->error, sizeof(s->error),
			 "%llu file descriptors are not enough for gnomon; "
			 "raise the limit (ulimit -n %llu)",
			 (unsigned long long)limit.rlim_max,
			 limit.rlim_max < ENOUGH_FILES
				 ? ENOUGH_FILES
				 : (unsigned long long)limit.rlim_max * 4);
		s->status = status;
		return err;
	}
	va_start(ap, fmt);
	vsnprintf(s->error, sizeof(s->error), fmt, ap);
	va_end(ap);
	s->status = status;
	return err;
}

int gn_session_no_thread(struct gn_session *s, int err)
{
	return gn_session_fail(s, err, 1, "no thread can be started (%s); %s",
			       strerror(-err), gn_denied_start(err));
}

int gn_session_denied(struct gn_session *s, int err)
{
	struct gn_denied why;

	gn_denied_find(err, &why);
	return gn_session_fail(s, err, 1, "%s; %s", why.what, why.todo);
}

const char *gn_session_warning(const struct gn_session *s)
{
	return s->warning;
}

const char *gn_session_error(const struct gn_session *s)
{
	return s->error;
}

bool gn_session_unkept(const struct gn_session *s)
{
	return s->sink_error;
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

size_t gn_session_children(const struct gn_session *s, const char **of)
{
	*of = s->parents;
	return s->children;
}

bool gn_session_fast(const struct gn_session *s)
{
	return s->fast;
}

pid_t gn_session_child(const struct gn_session *s)
{
	/* a child that still waits at its gate is not the command yet */
	return s->child.pid > 0 && s->child.gate < 0 ? s->child.pid : 0;
}

/* Counts what is lost on the way to the sink. A sink that cannot go on ends the
 * capture at the next poll. */
static void lose(struct gn_session *s, int err, size_t n)
{
	s->sink_lost += n;
	if (err != -ENOBUFS && err != -EBADMSG)
		s->sink_error = err;
}

int gn_session_not_kept(struct gn_session *s)
{
	int err = s->sink_error;
	const char *why = err == -EPIPE	      ? "nobody reads them any more"
			  : err == -ETIMEDOUT ? "nobody reads them"
					      : strerror(-err);

	return gn_session_fail(s, err, 1,
			       "the records cannot be written: %s; make room, "
			       "or write elsewhere (-o FILE)",
			       why);
}

int gn_session_put(void *session, const struct gn_rec *rec, size_t size)
{
	struct gn_session *s = session;
	int err = s->sink_error ? -ENOBUFS
				: s->opts.sink(s->opts.sink_ctx, rec, size);

	if (err)
		lose(s, err, 1);
	return 0;
}

int gn_session_put_calls(struct gn_session *s, const struct gn_rec_func *recs,
			 size_t n)
{
	size_t taken = 0;
	int err = s->sink_error
			  ? -ENOBUFS
			  : s->opts.calls(s->opts.sink_ctx, recs, n, &taken);

	if (err)
		lose(s, err, n - taken);
	return 0;
}

int gn_session_put_info(struct gn_session *s, const char *key,
			const char *value)
{
	return gn_text_record_to(gn_session_put, s, GN_KIND_INFO, 0, 0, 0, 0,
				 key, value);
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
	s->ring_fd = -1;
	s->wake = -1;
	s->child = (struct gn_child){-1, -1, -1, -1, 0};
	s->links = gn_links_new();
	s->mute = opts->can_mute ? gn_mute_new() : NULL;
	/* the live view shows no source lines */
	s->sources =
		opts->live ? NULL
			   : gn_sources_new(gn_session_put, s, !opts->command);
	s->unseen = gn_unseen_new(opts->user.uid, opts->npids > 0, opts->asked,
				  opts->nasked);
	s->outside = opts->live ? NULL : gn_outside_new();
	if (gn_specs_init(&s->specs) || !s->links || !s->unseen ||
	    gn_written_new(s) || (opts->can_mute && !s->mute) ||
	    (!opts->live && (!s->outside || !s->sources))) {
		gn_unseen_free(s->unseen);
		gn_outside_free(s->outside);
		gn_sources_free(s->sources);
		gn_links_free(s->links, NULL);
		gn_written_free(s->written);
		gn_mute_free(s->mute);
		gn_specs_free(&s->specs);
		free(s);
		return -ENOMEM;
	}
	*out = s;
	return 0;
}

/* USDT probes report all their values. */
static bool asks_values(const struct gn_session *s)
{
	for (size_t i = 0; i < s->opts.nfunctions; i++)
		if (gn_filter_is_usdt(s->opts.functions[i]))
			return true;
	return s->opts.nasked || s->opts.all_programs;
}

bool gn_session_uses(const struct gn_session *s, enum gn_prog prog)
{
	for (size_t i = 0; i < s->probes.count; i++)
		if (s->probes.group[i].prog == prog)
			return true;
	return false;
}

bool gn_session_awaits(const struct gn_session *s)
{
	return s->opts.follow && gn_filter_positive(s->filter);
}

/* Verifying a program takes the kernel a while, so programs that no probe of
 * this capture can use are not loaded. */
static void choose_programs(struct gn_session *s)
{
	struct gnomon_bpf *skel = s->skel;
	bool multi = s->mode != GN_ATTACH_SINGLE;
	bool single = !multi || s->by_thread;
	bool all_programs = s->opts.all_programs;
	bool awaits = all_programs || gn_session_awaits(s);
	bool sessions = awaits || gn_session_uses(s, GN_PROG_SESSION);
	bool natives = awaits || gn_session_uses(s, GN_PROG_NATIVE) ||
		       gn_session_uses(s, GN_PROG_NATIVE_RETURN);
	const struct {
		bool used;
		struct bpf_program *multi, *perf;
	} all[] = {
		{natives, skel->progs.native_multi, skel->progs.native_perf},
		{all_programs || gn_session_uses(s, GN_PROG_MANAGED),
		 skel->progs.managed_multi, skel->progs.managed_perf},
		{all_programs || gn_session_uses(s, GN_PROG_NAME),
		 skel->progs.name_multi, skel->progs.name_perf},
		{all_programs || gn_session_uses(s, GN_PROG_INTERNED),
		 skel->progs.names_multi, skel->progs.names_perf},
		{all_programs || gn_session_uses(s, GN_PROG_SETUP),
		 skel->progs.setup_multi, skel->progs.setup_perf},
	};

	bpf_program__set_expected_attach_type(
		skel->progs.native_session,
		(enum bpf_attach_type)GN_TRACE_UPROBE_SESSION);
	bpf_program__set_autoload(skel->progs.native_session,
				  sessions && s->mode == GN_ATTACH_SESSION);
	for (size_t i = 0; i < sizeof(all) / sizeof(*all); i++) {
		bpf_program__set_expected_attach_type(
			all[i].multi,
			(enum bpf_attach_type)GN_TRACE_UPROBE_MULTI);
		bpf_program__set_autoload(all[i].multi, all[i].used && multi);
		bpf_program__set_autoload(all[i].perf, all[i].used && single);
	}
}

/* Shrinks large maps that this capture does not use. */
static int drop_maps(struct gn_session *s)
{
	int err = 0;

	if (s->mode != GN_ATTACH_SINGLE)
		err = bpf_map__set_max_entries(s->skel->maps.cookies, 1);
	if (!err && !s->opts.all_programs &&
	    !gn_session_uses(s, GN_PROG_INTERNED))
		err = bpf_map__set_max_entries(s->skel->maps.interned, 1);
	if (!err && !s->skel->rodata->lookups_fail)
		err = bpf_map__set_max_entries(s->skel->maps.addressed, 1);
	if (!err && !s->opts.samples)
		err = bpf_map__set_max_entries(s->skel->maps.codes, 1);
	if (!err && !asks_values(s))
		err = bpf_map__set_max_entries(s->skel->maps.valued, 1)
			      ?: bpf_map__set_max_entries(s->skel->maps.classes,
							  1);
	return err;
}

static void close_fd(int fd)
{
	if (fd >= 0)
		close(fd);
}

static int load_error(struct gn_session *s, int err)
{
	const char *admin =
		s->mode == GN_ATTACH_SINGLE ? gn_denied_probes(-EACCES) : NULL;
	const char *btf;

	err = gn_kernel_btf_error(err);
	if (gn_denied_by(err))
		return gn_session_denied(s, err);
	if (err == -ENOMEM)
		return gn_session_fail(
			s, err, 1,
			"no memory for gnomon's BPF programs and "
			"its ring of %zu MiB; give a smaller "
			"--ring-size, or raise its limit (ulimit -v, "
			"or memory.max of its control group)",
			s->opts.ring_size >> 20);
	btf = gn_kernel_btf_advice();
	if (btf)
		return gn_session_fail(
			s, err, 1,
			"this kernel has no BTF (/sys/kernel/btf/vmlinux); %s",
			btf);
	if (gn_lockdown_check())
		return gn_session_fail(s, err, 1, "%s; %s", GN_LOCKDOWN_WHAT,
				       GN_LOCKDOWN_TODO);
	return gn_session_fail(s, err, 1,
			       "the kernel refuses gnomon's BPF programs (%s); "
			       "%s",
			       strerror(-err), admin ?: "see gnomon doctor");
}

/* Chooses what depends on the kernel's own functions and types. */
static void ask_kernel(struct gn_session *s, const struct gn_kernel_btf *b,
		       struct gn_targets *targets)
{
	if (targets) {
		gn_targets_find(targets, s->skel->obj, b);
		s->skel->rodata->can_cast =
			gn_targets_casts(targets, s->skel->rodata->cast_ids);
		s->skel->rodata->can_hold =
			!s->cannot_hold && gn_targets_holds(targets);
		s->skel->rodata->preempt_at = gn_targets_preempt_at(targets);
	}
	/* later kernels have a separate look-up for these programs */
	s->skel->rodata->lookups_fail =
		!gn_kernel_btf_names(b, "bpf_task_storage_get_recur");
	/* a program can tell which function a return probe belongs to */
	s->knows_returns = s->mode == GN_ATTACH_SINGLE &&
			   gn_kernel_btf_names(b, "uprobe_dispatch_data");
	s->knows_resumes = s->launch.fast &&
			   gn_kernel_btf_names(b, "btf_trace_rseq_update");
}

/* Opens the object, to be loaded with the kernel's types that it writes to
 * `types`. */
static int open_for(struct gn_session *s, const struct gn_kernel_btf *b,
		    int types)
{
	char path[32];
	LIBBPF_OPTS(bpf_object_open_opts, opts, .btf_custom_path = path);
	int err;

	snprintf(path, sizeof(path), "/proc/self/fd/%d", types);
	s->skel = gnomon_bpf__open_opts(&opts);
	if (!s->skel)
		return -errno;
	err = gn_kernel_btf_reduce(b, bpf_object__btf(s->skel->obj), types);
	if (!err)
		return 0;
	gnomon_bpf__destroy(s->skel);
	s->skel = NULL;
	return err;
}

/* Opens the object. The caller closes `*types` and frees `*targets` after the
 * load. Without them libbpf reads all of the kernel's BTF. */
static int open_object(struct gn_session *s, int *types,
		       struct gn_targets **targets)
{
	struct gn_kernel_btf b;
	int err = gn_kernel_btf_open(&b);

	*targets = NULL;
	if (!err)
		gn_targets_new(targets);
	*types = err ? -1 : memfd_create("gnomon-types", MFD_CLOEXEC);
	if (*types < 0 || open_for(s, &b, *types))
		s->skel = gnomon_bpf__open();
	/* otherwise the load fails and reports it */
	if (s->skel && !err)
		ask_kernel(s, &b, *targets);
	err = s->skel ? 0 : -errno;
	gn_kernel_btf_close(&b);
	return err;
}

/* Uses the ring that was made ahead, for each load. Without it, the load makes
 * one. */
static int set_ring(struct gn_session *s)
{
	struct bpf_map *map = s->skel->maps.ring;
	int err = bpf_map__set_max_entries(map, (uint32_t)s->opts.ring_size);

	if (s->ring_ahead)
		s->ring_fd = gn_ring_ahead_end(s->ring_ahead);
	s->ring_ahead = NULL;
	return err || s->ring_fd < 0 ? err : bpf_map__reuse_fd(map, s->ring_fd);
}

/* Does slow work that need not wait for the load. */
static void while_loading(struct gn_session *s, struct gn_loads *loads)
{
	/* if this fails, it is mapped later, which reports the error */
	if (!s->ring && s->ring_fd >= 0)
		s->ring = gn_ring_map(s->ring_fd, s->opts.ring_size,
				      gn_session_sample, s);
	gn_loads_help(loads);
	/* the first probe will soon be there; but a command is forked before
	 * there are many threads */
	if (s->probes.count && !s->opts.command && !s->attach_ahead)
		s->attach_ahead = gn_attach_ahead_begin(s->mode);
}

static int load(struct gn_session *s)
{
	struct gn_loads *loads = NULL;
	struct gn_targets *targets;
	int types, err = open_object(s, &types, &targets);

	if (!err) {
		choose_programs(s);
		s->skel->rodata->no_values = !asks_values(s);
		gn_watch_choose(s);
		err = drop_maps(s);
	}
	if (!err)
		err = set_ring(s);
	if (!err && targets && !s->one_by_one)
		loads = gn_loads_new();
	if (loads)
		gn_targets_load_by(targets, loads);
	if (!err)
		err = gnomon_bpf__load(s->skel);
	if (!err)
		while_loading(s, loads);
	err = gn_loads_end(loads, err);
	gn_targets_free(targets);
	close_fd(types);
	return err;
}

/* On some kernels (6.10 to 6.14) programs can keep their CPU, but not if they
 * call global functions. Only the load shows this. */
static bool cannot_hold(struct gn_session *s, int err)
{
	s->cannot_hold = s->skel && s->skel->rodata->can_hold &&
			 (err == -EINVAL || err == -EACCES);
	return s->cannot_hold;
}

/* Each load takes more descriptors than these. libbpf uses some to try what the
 * kernel can do; if there are none, it reports that the kernel lacks the
 * feature. */
#define LOAD_FILES 40

static int check_files(void)
{
	int fds[LOAD_FILES], n = 0, err = 0;

	while (n < LOAD_FILES && !err) {
		fds[n] = open("/", O_PATH | O_CLOEXEC);
		if (fds[n] < 0)
			err = -errno;
		else
			n++;
	}
	while (n)
		close(fds[--n]);
	return err;
}

static int load_again(struct gn_session *s)
{
	gnomon_bpf__destroy(s->skel);
	s->skel = NULL;
	return load(s);
}

int gn_session_load(struct gn_session *s)
{
	int err = check_files();

	if (err)
		return load_error(s, err);
	err = load(s);
	if (err && cannot_hold(s, err))
		err = load_again(s);
	/* libbpf reports the reason */
	s->one_by_one = true;
	if (err)
		err = load_again(s);
	close_fd(s->ring_fd);
	s->ring_fd = -1;
	if (err)
		return load_error(s, err);
	for (uint32_t i = 0; !err && i < s->specs.count; i++)
		err = bpf_map_update_elem(bpf_map__fd(s->skel->maps.specs), &i,
					  &s->specs.spec[i], BPF_ANY);
	if (err || gn_values_load(s))
		return load_error(s, -errno);
	s->groups.cookies = bpf_map__fd(s->skel->maps.cookies);
	s->skel->bss->control.stop = UINT64_MAX;
	s->skel->bss->control.follow = s->opts.follow;
	return 0;
}

void gn_session_free(struct gn_session *s)
{
	if (!s)
		return;
	gn_priority_end(&s->priority);
	gn_running_end(s);
	gn_session_detach(s);
	gn_setter_stop(s);
	gn_running_free(s->active);
	free(s->managed_filter);
	free(s->managed_values);
	gn_mute_free(s->mute);
	gn_child_close(&s->child);
	for (size_t i = 0; s->pidfds && i < s->opts.npids; i++)
		close_fd(s->pidfds[i]);
	free(s->pidfds);
	close_fd(s->iter_start);
	close_fd(s->iter_stop);
	close_fd(s->wake);
	bpf_link__destroy(s->iter);
	bpf_link__destroy(s->signals);
	gn_fast_free(s->fast);
	if (s->ring_ahead)
		close_fd(gn_ring_ahead_end(s->ring_ahead));
	gn_attach_ahead_end(s->attach_ahead);
	gn_attach_ahead_end(s->nop5_ahead);
	ring_buffer__free(s->ring);
	gnomon_bpf__destroy(s->skel);
	gn_later_free(s->later);
	free(s->setups);
	gn_functions_clear(&s->functions);
	gn_sleds_free(s);
	gn_probes_free(&s->probes);
	gn_files_free(&s->files);
	gn_filter_free(s->filter);
	gn_values_free(s);
	gn_unseen_free(s->unseen);
	gn_sources_free(s->sources);
	gn_outside_free(s->outside);
	gn_sampler_free(s->sampler);
	gn_launch_clear(&s->launch);
	gn_specs_free(&s->specs);
	gn_unwanted_free(&s->unwanted);
	free(s->cpus.folder);
	free(s->command);
	free(s);
}
