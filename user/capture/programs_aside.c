/* SPDX-License-Identifier: BSD-2-Clause */
#include "capture/programs_aside.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>

#include <bpf/libbpf.h>

#include <gnomon/control.h>
#include <gnomon/thread.h>
#include "gnomon.skel.h"

struct gn_programs_aside {
	struct gnomon_bpf *skel;
	pthread_t thread;
	bool runs;
	int err;
};

int gn_programs_share(struct gnomon_bpf *to, const struct gnomon_bpf *from)
{
	struct bpf_map *map;
	int err = 0;

	bpf_object__for_each_map(map, from->obj)
	{
		struct bpf_map *other = bpf_object__find_map_by_name(
			to->obj, bpf_map__name(map));

		err = other ? bpf_map__reuse_fd(other, bpf_map__fd(map))
			    : -ENOENT;
		if (err)
			break;
	}
	return err;
}

static void *load(void *arg)
{
	struct gn_programs_aside *a = arg;

	a->err = gnomon_bpf__load(a->skel);
	return NULL;
}

/* They take about as long to verify as all others of a capture of functions. */
static void divide(struct gnomon_bpf *skel, struct gnomon_bpf *aside)
{
	struct bpf_program *const moved[] = {
		skel->progs.on_switch,
		skel->progs.on_exec,
		skel->progs.on_exit,
		skel->progs.over_tasks,
	};
	struct bpf_program *prog;

	bpf_object__for_each_program(prog, aside->obj)
		bpf_program__set_autoload(prog, false);
	for (size_t i = 0; i < sizeof(moved) / sizeof(*moved); i++) {
		prog = bpf_object__find_program_by_name(
			aside->obj, bpf_program__name(moved[i]));
		if (!prog)
			continue;
		bpf_program__set_autoload(prog,
					  bpf_program__autoload(moved[i]));
		bpf_program__set_autoload(moved[i], false);
	}
}

struct gn_programs_aside *gn_programs_aside_begin(struct gnomon_bpf *skel,
						  struct gnomon_bpf *aside)
{
	struct gn_programs_aside *a = calloc(1, sizeof(*a));

	if (!a) {
		gnomon_bpf__destroy(aside);
		return NULL;
	}
	a->skel = aside;
	a->err = gn_programs_share(aside, skel);
	if (a->err)
		return a;
	divide(skel, aside);
	a->runs = !gn_thread_start(&a->thread, load, a);
	if (!a->runs)
		load(a);
	return a;
}

int gn_programs_aside_end(struct gn_programs_aside *a)
{
	if (a->runs)
		pthread_join(a->thread, NULL);
	a->runs = false;
	return a->err;
}

struct bpf_program *gn_programs_aside_find(const struct gn_programs_aside *a,
					   struct bpf_program *prog)
{
	if (!a || bpf_program__fd(prog) >= 0)
		return prog;
	return bpf_object__find_program_by_name(a->skel->obj,
						bpf_program__name(prog));
}

void gn_programs_aside_free(struct gn_programs_aside *a)
{
	if (!a)
		return;
	gn_programs_aside_end(a);
	gnomon_bpf__destroy(a->skel);
	free(a);
}
