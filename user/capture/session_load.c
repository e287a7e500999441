/* SPDX-License-Identifier: BSD-2-Clause */
/* Loads the kernel side: what of it a capture needs, for the kernel that runs.
 */
#include "capture/session_internal.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <bpf/bpf.h>
#include <bpf/libbpf.h>

#include <gnomon/control.h>
#include "capture/denied.h"
#include "capture/kernel_btf.h"
#include "capture/lockdown.h"
#include "gnomon.skel.h"

/* Probes of USDT tell all that they have. */
static bool asks_values(const struct gn_session *s)
{
	for (size_t i = 0; i < s->opts.nfunctions; i++)
		if (gn_filter_is_usdt(s->opts.functions[i]))
			return true;
	return s->opts.nasked || s->opts.all_programs;
}

/* To verify a program takes the kernel a while. Those that no probe of this
 * capture can have stay out. */
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

/* So do large maps that nothing here uses. */
static int drop_maps(struct gn_session *s, struct gnomon_bpf *skel)
{
	int err = 0;

	if (s->mode != GN_ATTACH_SINGLE)
		err = bpf_map__set_max_entries(skel->maps.cookies, 1);
	if (!err && !s->opts.all_programs &&
	    !gn_session_uses(s, GN_PROG_INTERNED))
		err = bpf_map__set_max_entries(skel->maps.interned, 1);
	if (!err && !asks_values(s))
		err = bpf_map__set_max_entries(skel->maps.valued, 1)
			      ?: bpf_map__set_max_entries(skel->maps.classes,
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

	if (gn_denied_by(err))
		return gn_session_denied(s, err);
	if (access("/sys/kernel/btf/vmlinux", R_OK))
		return gn_session_fail(s, err, 1,
				       "this kernel has no BTF "
				       "(/sys/kernel/btf/vmlinux); boot one "
				       "with CONFIG_DEBUG_INFO_BTF");
	if (gn_lockdown_check())
		return gn_session_fail(s, err, 1, "%s; %s", GN_LOCKDOWN_WHAT,
				       GN_LOCKDOWN_TODO);
	return gn_session_fail(s, err, 1,
			       "the kernel refuses gnomon's BPF programs (%s); "
			       "%s",
			       strerror(-err), admin ?: "see gnomon doctor");
}

static bool find_casts(struct gn_session *s, const struct gn_kernel_btf *b)
{
	static const char *const names[] = {
#define NAME(name) #name,
		GN_CAST_LIST(NAME)
#undef NAME
	};
	uint32_t ids[GN_CAST_COUNT];

	gn_kernel_btf_structs(b, names, ids, GN_CAST_COUNT);
	for (int i = 0; i < GN_CAST_COUNT; i++) {
		s->skel->rodata->cast_ids[i] = ids[i];
		if (!ids[i])
			return false;
	}
	return true;
}

/* Chooses what depends on the kernel's own functions and types. */
static void ask_kernel(struct gn_session *s, const struct gn_kernel_btf *b)
{
	s->skel->rodata->can_cast =
		gn_kernel_btf_names(b, "bpf_rdonly_cast") && find_casts(s, b);
	/* later kernels have a look-up of its own for these programs */
	s->skel->rodata->lookups_fail =
		!gn_kernel_btf_names(b, "bpf_task_storage_get_recur");
	/* a program can tell the function that a return probe is of */
	s->knows_returns = s->mode == GN_ATTACH_SINGLE &&
			   gn_kernel_btf_names(b, "uprobe_dispatch_data");
	s->knows_resumes = s->launch.fast &&
			   gn_kernel_btf_names(b, "btf_trace_rseq_update");
}

/* The object, to be loaded for the kernel's types as they are in a file, or -1:
 * as libbpf takes them from all of the kernel's BTF. */
static struct gnomon_bpf *open_for(int types)
{
	char path[32];
	LIBBPF_OPTS(bpf_object_open_opts, opts, .btf_custom_path = path);

	if (types < 0)
		return gnomon_bpf__open();
	snprintf(path, sizeof(path), "/proc/self/fd/%d", types);
	return gnomon_bpf__open_opts(&opts);
}

/* `*types`: -1 or to be closed after the load. */
static int open_object(struct gn_session *s, int *types)
{
	struct gn_kernel_btf b;
	int err = gn_kernel_btf_open(&b);

	*types = err ? -1 : memfd_create("gnomon-types", MFD_CLOEXEC);
	s->skel = open_for(*types);
	if (s->skel && *types >= 0 &&
	    gn_kernel_btf_reduce(&b, bpf_object__btf(s->skel->obj), *types)) {
		gnomon_bpf__destroy(s->skel);
		close(*types);
		*types = -1;
		s->skel = open_for(-1);
	}
	if (s->skel && !err)
		ask_kernel(s, &b); /* else the load will fail and report it */
	err = s->skel ? 0 : -errno;
	gn_kernel_btf_close(&b);
	return err;
}

/* The ring that was made ahead. Without it, the load makes one. */
static int set_ring(struct gn_session *s, struct bpf_map *map)
{
	int err = bpf_map__set_max_entries(map, (uint32_t)s->opts.ring_size);
	int fd = gn_ring_ahead_end(s->ring_ahead);

	s->ring_ahead = NULL;
	if (!err && fd >= 0)
		err = bpf_map__reuse_fd(map, fd);
	close_fd(fd);
	return err;
}

/* The maps, by an object without programs: libbpf makes an object's maps where
 * it loads its programs, and two objects use these. */
static int make_maps(struct gn_session *s, int types)
{
	struct gnomon_bpf *maps = open_for(types);
	struct bpf_program *prog;
	int err;

	if (!maps)
		return -errno;
	bpf_object__for_each_program(prog, maps->obj)
		bpf_program__set_autoload(prog, false);
	*maps->rodata = *s->skel->rodata;
	err = drop_maps(s, maps);
	if (!err)
		err = set_ring(s, maps->maps.ring);
	if (!err)
		err = gnomon_bpf__load(maps);
	if (!err)
		err = gn_programs_share(s->skel, maps);
	gnomon_bpf__destroy(maps);
	return err;
}

static int load_programs(struct gn_session *s, int types)
{
	struct gnomon_bpf *aside = open_for(types);
	int err, other;

	if (!aside)
		return -errno;
	s->aside = gn_programs_aside_begin(s->skel, aside);
	if (!s->aside)
		return -ENOMEM;
	err = gnomon_bpf__load(s->skel);
	other = gn_programs_aside_end(s->aside);
	return err ? err : other;
}

int gn_session_load(struct gn_session *s)
{
	int types, err = open_object(s, &types);

	if (err) {
		close_fd(types);
		return load_error(s, err);
	}
	choose_programs(s);
	s->skel->rodata->no_values = !asks_values(s);
	gn_watch_choose(s);
	err = make_maps(s, types);
	if (!err)
		err = load_programs(s, types);
	close_fd(types);
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
