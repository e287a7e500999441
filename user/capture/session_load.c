/* SPDX-License-Identifier: BSD-2-Clause */
/* The second stage of a session: loads the BPF programs. */
#include "capture/session_internal.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <bpf/bpf.h>
#include <bpf/libbpf.h>

#include <gnomon/control.h>
#include "capture/denied.h"
#include "capture/kernel_btf.h"
#include "capture/loads.h"
#include "capture/lockdown.h"
#include "capture/targets.h"
#include "gnomon.skel.h"

/* USDT probes report all their values. */
static bool asks_values(const struct gn_session *s)
{
	for (size_t i = 0; i < s->opts.nfunctions; i++)
		if (gn_filter_is_usdt(s->opts.functions[i]))
			return true;
	return s->opts.nasked || s->opts.all_programs;
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
	if (types >= 0)
		close(types);
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
	if (s->ring_fd >= 0)
		close(s->ring_fd);
	s->ring_fd = -1;
	if (err)
		return load_error(s, err);
	for (uint32_t i = 0; !err && i < s->specs.count; i++)
		err = bpf_map_update_elem(bpf_map__fd(s->skel->maps.specs), &i,
					  &s->specs.spec[i], BPF_ANY);
	err = err ?: gn_values_load(s);
	if (err)
		return load_error(s, err);
	s->groups.cookies = bpf_map__fd(s->skel->maps.cookies);
	s->skel->bss->control.stop = UINT64_MAX;
	s->skel->bss->control.follow = s->opts.follow;
	return 0;
}
