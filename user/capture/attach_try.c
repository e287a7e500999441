/* SPDX-License-Identifier: BSD-2-Clause */
/* What probes this kernel has, and what they cost: found by trying them on
 * gnomon's own program. */
#include "capture/attach.h"

#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <linux/bpf.h>

#include <gnomon/thread.h>

#define HITS	   200 /* hits in one measurement */
#define OPTIMISING 16  /* the first hits, which optimise the site */
#define SYS_UPROBE 336 /* x86-64; older headers lack it */

/* Loads a program that does nothing. */
static int empty_program(uint32_t type)
{
	LIBBPF_OPTS(bpf_prog_load_opts, opts, .expected_attach_type = type);
	const struct bpf_insn insns[] = {
		{.code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = 0, .imm = 0},
		{.code = BPF_JMP | BPF_EXIT},
	};
	int fd = bpf_prog_load(BPF_PROG_TYPE_KPROBE, "gn_try", "Dual BSD/GPL",
			       insns, sizeof(insns) / sizeof(insns[0]), &opts);

	return fd < 0 ? -errno : fd;
}

/* A probe on gnomon's own program. */
struct trial {
	int prog, perf, link;
};

static void trial_close(struct trial *t)
{
	int fds[] = {t->link, t->perf, t->prog};

	for (size_t i = 0; i < 3; i++)
		if (fds[i] >= 0)
			close(fds[i]);
}

static struct gn_probe_set on_itself(const uint64_t *offset,
				     const uint64_t *cookie)
{
	return (struct gn_probe_set){
		.path = GN_CAL_PATH,
		.offsets = offset,
		.cookies = cookie,
		.count = 1,
		.pid = getpid(),
	};
}

static int perf_link(struct trial *t, const struct gn_probe_set *set)
{
	LIBBPF_OPTS(bpf_link_create_opts, opts, .perf_event.bpf_cookie = 1);

	t->perf = gn_attach_perf_event(set, 0);
	if (t->perf < 0)
		return t->perf;
	t->link = bpf_link_create(t->prog, t->perf, BPF_PERF_EVENT, &opts);
	return t->link < 0 ? -errno : 0;
}

/* Every kernel loads programs of any expected type: only attaching one shows
 * whether the kernel knows the type. */
static const uint32_t types[] = {
	[GN_ATTACH_SESSION] = GN_TRACE_UPROBE_SESSION,
	[GN_ATTACH_MULTI] = GN_TRACE_UPROBE_MULTI,
	[GN_ATTACH_SINGLE] = 0,
};

static int trial_open(struct trial *t, enum gn_attach_mode mode,
		      enum gn_cal_site site)
{
	uint64_t offset = 0, cookie = 0;
	struct gn_probe_set set = on_itself(&offset, &cookie);
	int err = gn_calibrate_offset(site, &offset);

	*t = (struct trial){-1, -1, -1};
	if (err)
		return err;
	t->prog = empty_program(types[mode]);
	if (t->prog < 0)
		return t->prog;
	if (mode == GN_ATTACH_SINGLE) {
		err = perf_link(t, &set);
	} else {
		t->link = gn_attach_multi(t->prog, types[mode], &set, 0, 1);
		err = t->link < 0 ? t->link : 0;
	}
	if (err)
		trial_close(t);
	return err;
}

int gn_attach_try(enum gn_attach_mode mode)
{
	struct trial t;
	int err = trial_open(&t, mode, GN_CAL_NOP1);

	if (!err)
		trial_close(&t);
	return err;
}

/* Loads a program that counts its runs in the first value of an array. */
static int counting_program(int map)
{
	LIBBPF_OPTS(bpf_prog_load_opts, opts,
		    .expected_attach_type = GN_TRACE_UPROBE_MULTI);
	const struct bpf_insn insns[] = {
		{.code = BPF_LD | BPF_DW | BPF_IMM,
		 .dst_reg = 1,
		 .src_reg = BPF_PSEUDO_MAP_VALUE,
		 .imm = map},
		{0},
		{.code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = 0, .imm = 1},
		{.code = BPF_STX | BPF_DW | BPF_ATOMIC,
		 .dst_reg = 1,
		 .src_reg = 0,
		 .imm = BPF_ADD},
		{.code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = 0, .imm = 0},
		{.code = BPF_JMP | BPF_EXIT},
	};
	int fd = bpf_prog_load(BPF_PROG_TYPE_KPROBE, "gn_count", "Dual BSD/GPL",
			       insns, sizeof(insns) / sizeof(insns[0]), &opts);

	return fd < 0 ? -errno : fd;
}

static void *hit_once(void *arg)
{
	gn_calibrate_run(GN_CAL_NOP1, 1);
	return arg;
}

bool gn_attach_whole_process(void)
{
	int map = bpf_map_create(BPF_MAP_TYPE_ARRAY, "gn_count", 4, 8, 1, NULL);
	struct trial t = {.prog = map < 0 ? -1 : counting_program(map),
			  .perf = -1,
			  .link = -1};
	uint64_t offset = 0, cookie = 0, runs = 0;
	struct gn_probe_set set = on_itself(&offset, &cookie);
	uint32_t zero = 0;
	pthread_t thread;

	if (t.prog >= 0 && !gn_calibrate_offset(GN_CAL_NOP1, &offset))
		t.link = gn_attach_multi(t.prog, GN_TRACE_UPROBE_MULTI, &set, 0,
					 1);
	if (t.link >= 0 && !gn_thread_start(&thread, hit_once, NULL)) {
		pthread_join(thread, NULL);
		bpf_map_lookup_elem(map, &zero, &runs);
	}
	trial_close(&t);
	if (map >= 0)
		close(map);
	return runs == 1;
}

/* The kernel checks the type before the path. So the path of a directory is
 * enough to find out, and no probe must be removed, which would take long. */
int gn_attach_offers(enum gn_attach_mode mode)
{
	uint64_t offset = 0, cookie = 0;
	struct gn_probe_set set = on_itself(&offset, &cookie);
	int fd, prog = empty_program(types[mode]);

	if (prog < 0)
		return prog;
	set.path = "/";
	fd = gn_attach_multi(prog, types[mode], &set, 0, 1);
	close(prog);
	if (fd >= 0)
		close(fd);
	return fd == -EBADF ? 0 : fd < 0 ? fd : -EINVAL;
}

int gn_attach_probe_mode(void)
{
	int fd;

	if (!gn_attach_offers(GN_ATTACH_SESSION))
		return GN_ATTACH_SESSION;
	if (!gn_attach_offers(GN_ATTACH_MULTI))
		return GN_ATTACH_MULTI;
	fd = empty_program(0);
	if (fd < 0)
		return fd;
	close(fd);
	if (access("/sys/bus/event_source/devices/uprobe/type", R_OK))
		return -EOPNOTSUPP;
	return GN_ATTACH_SINGLE;
}

static uint64_t hit_ns(enum gn_cal_site site)
{
	uint64_t best = 0;

	gn_calibrate_run(site, OPTIMISING);
	for (int i = 0; i < 5; i++) {
		uint64_t ns = gn_calibrate_run(site, HITS);

		if (!best || ns < best)
			best = ns;
	}
	return best / HITS;
}

uint64_t gn_attach_hit_ns(enum gn_attach_mode mode, enum gn_cal_site site)
{
	struct trial t;
	uint64_t ns;

	if (trial_open(&t, mode, site))
		return 0;
	ns = hit_ns(site);
	trial_close(&t);
	return ns;
}

/* Whether children get the page to which the calls in place of nop5 lead. A
 * probe of this process must be such a call already. */
static bool page_in_children(void)
{
	bool page = false, copied = false;
	char line[512];
	FILE *f = fopen("/proc/self/smaps", "re");

	while (f && fgets(line, sizeof(line), f)) {
		if (strstr(line, "[uprobes-trampoline]")) {
			page = true;
		} else if (page && !strncmp(line, "VmFlags:", 8)) {
			copied = !strstr(line, " dc");
			break;
		}
	}
	if (f)
		fclose(f);
	return copied;
}

static bool has_nop5_calls(enum gn_attach_mode mode)
{
	/* where there are no multi links, nop5 sites are single-stepped */
	if (mode != GN_ATTACH_SESSION && mode != GN_ATTACH_MULTI)
		return false;
	/* only code in the page of these calls may use this system call;
	 * elsewhere it fails with ENXIO */
	return syscall(SYS_UPROBE) < 0 && errno == ENXIO;
}

struct gn_attach_ahead {
	enum gn_attach_mode mode;
	enum gn_cal_site site;
	pthread_t thread;
	sem_t known;
	bool called; /* NOP5: the answer */
};

static void *try_ahead(void *arg)
{
	struct gn_attach_ahead *a = arg;
	struct trial t;
	int err = trial_open(&t, a->mode, a->site);

	if (!err && a->site == GN_CAL_NOP5) {
		gn_calibrate_run(GN_CAL_NOP5, OPTIMISING);
		a->called = page_in_children();
	}
	sem_post(&a->known);
	if (!err)
		trial_close(&t);
	return NULL;
}

static struct gn_attach_ahead *begin(enum gn_attach_mode mode,
				     enum gn_cal_site site)
{
	struct gn_attach_ahead *a = calloc(1, sizeof(*a));

	if (!a)
		return NULL;
	a->mode = mode;
	a->site = site;
	sem_init(&a->known, 0, 0);
	if (!gn_thread_start(&a->thread, try_ahead, a))
		return a;
	sem_destroy(&a->known);
	free(a);
	return NULL;
}

struct gn_attach_ahead *gn_attach_ahead_begin(enum gn_attach_mode mode)
{
	return begin(mode, GN_CAL_NOP1);
}

void gn_attach_ahead_end(struct gn_attach_ahead *a)
{
	if (!a)
		return;
	pthread_join(a->thread, NULL);
	sem_destroy(&a->known);
	free(a);
}

struct gn_attach_ahead *gn_attach_nop5_begin(enum gn_attach_mode mode)
{
	return has_nop5_calls(mode) ? begin(mode, GN_CAL_NOP5) : NULL;
}

bool gn_attach_nop5_called(struct gn_attach_ahead *a)
{
	if (!a)
		return false;
	while (sem_wait(&a->known) && errno == EINTR)
		;
	sem_post(&a->known);
	return a->called;
}
