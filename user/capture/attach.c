/* SPDX-License-Identifier: BSD-2-Clause */
#include "capture/attach.h"
#include "capture/keeper.h"

#include <errno.h>
#include <inttypes.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <linux/bpf.h>
#include <linux/perf_event.h>

#include <gnomon/hook.h>

#define UPROBE_MULTI_RETURN 1	/* BPF_F_UPROBE_MULTI_RETURN */
#define HITS		    200 /* hits in one measurement */
#define TRIED		    2	/* sites of a trial at most */
#define KEEPER_LEAST	    16 /* fewer probes than this are removed fast enough */
#define RETURN_PROBE	    1 /* of a uprobe's perf event */
#define COUNTER_SHIFT	    32

/* bpf(2) BPF_LINK_CREATE for uprobe.multi, as in linux/bpf.h of 6.6. */
struct multi_attr {
	uint32_t prog_fd;
	uint32_t target_fd;
	uint32_t attach_type;
	uint32_t flags;
	uint64_t path;
	uint64_t offsets;
	uint64_t ref_ctr_offsets;
	uint64_t cookies;
	uint32_t cnt;
	uint32_t multi_flags;
	uint32_t pid;
	uint32_t pad;
};

/* What holds some probes in place: one of the two. */
struct held {
	int fd;		       /* of a multi link; -1 = none */
	struct bpf_link *link; /* of a perf event */
	uint32_t key;
};

struct gn_links {
	struct held *held;
	size_t count, room;
	struct gn_keeper *keeper;
	size_t nkeepers;
};

const char *gn_attach_mode_name(enum gn_attach_mode mode)
{
	static const char *const names[] = {"auto", "session", "multi",
					    "single"};

	return names[mode];
}

uint64_t gn_attach_counter(const struct gn_probe_set *set, size_t i)
{
	return set->counters ? set->counters[i] : 0;
}

/* `count` of the probes, from `from` on. */
static int multi_link(int prog_fd, uint32_t type,
		      const struct gn_probe_set *set, size_t from, size_t count)
{
	struct multi_attr attr = {
		.prog_fd = (uint32_t)prog_fd,
		.attach_type = type,
		.path = (uintptr_t)set->path,
		.offsets = (uintptr_t)(set->offsets + from),
		.ref_ctr_offsets =
			set->counters ? (uintptr_t)(set->counters + from) : 0,
		.cookies = (uintptr_t)(set->cookies + from),
		.cnt = (uint32_t)count,
		.multi_flags = set->ret ? UPROBE_MULTI_RETURN : 0,
		.pid = (uint32_t)set->pid,
	};
	long fd = syscall(SYS_bpf, BPF_LINK_CREATE, &attr, sizeof(attr));

	return fd < 0 ? -errno : (int)fd;
}

/* A program that does nothing, for trying. */
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

/* The type of the kernel's perf events that are uprobes. */
static int perf_type(uint32_t *type)
{
	FILE *f = fopen("/sys/bus/event_source/devices/uprobe/type", "re");
	int got;

	if (!f)
		return -errno;
	got = fscanf(f, "%" SCNu32, type);
	fclose(f);
	return got == 1 ? 0 : -EOPNOTSUPP;
}

int gn_attach_perf_event(const struct gn_probe_set *set, size_t i)
{
	struct perf_event_attr attr = {
		.size = sizeof(attr),
		.config = gn_attach_counter(set, i) << COUNTER_SHIFT |
			  (set->ret ? RETURN_PROBE : 0),
		.config1 = (uintptr_t)set->path,
		.config2 = set->offsets[i],
	};
	int fd, err = perf_type(&attr.type);

	if (err)
		return err;
	if (gn_attach_counter(set, i) > UINT32_MAX)
		return -EINVAL;
	fd = (int)syscall(SYS_perf_event_open, &attr, set->pid ? set->pid : -1,
			  set->pid ? -1 : 0, -1, PERF_FLAG_FD_CLOEXEC);
	return fd < 0 ? -errno : fd;
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

/* Programs of any expected type load everywhere: only a link tells. */
static const uint32_t types[] = {
	[GN_ATTACH_SESSION] = GN_TRACE_UPROBE_SESSION,
	[GN_ATTACH_MULTI] = GN_TRACE_UPROBE_MULTI,
	[GN_ATTACH_SINGLE] = 0,
};

static int trial_open(struct trial *t, enum gn_attach_mode mode,
		      const enum gn_cal_site *sites, size_t n)
{
	uint64_t offsets[TRIED] = {0}, cookies[TRIED] = {0};
	struct gn_probe_set set = on_itself(offsets, cookies);
	int err = 0;

	*t = (struct trial){-1, -1, -1};
	for (size_t i = 0; i < n && !err; i++)
		err = gn_calibrate_offset(sites[i], &offsets[i]);
	if (err)
		return err;
	t->prog = empty_program(types[mode]);
	if (t->prog < 0)
		return t->prog;
	if (mode == GN_ATTACH_SINGLE) {
		err = perf_link(t, &set);
	} else {
		t->link = multi_link(t->prog, types[mode], &set, 0, n);
		err = t->link < 0 ? t->link : 0;
	}
	if (err)
		trial_close(t);
	return err;
}

int gn_attach_try(enum gn_attach_mode mode)
{
	const enum gn_cal_site site = GN_CAL_NOP1;
	struct trial t;
	int err = trial_open(&t, mode, &site, 1);

	if (!err)
		trial_close(&t);
	return err;
}

/* A program that counts its runs in the first value of an array. */
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
		t.link = multi_link(t.prog, GN_TRACE_UPROBE_MULTI, &set, 0, 1);
	if (t.link >= 0 && !pthread_create(&thread, NULL, hit_once, NULL)) {
		pthread_join(thread, NULL);
		bpf_map_lookup_elem(map, &zero, &runs);
	}
	trial_close(&t);
	if (map >= 0)
		close(map);
	return runs == 1;
}

/*
 * Whether the kernel has links of this mode. It looks at the type before the
 * path, so a path that is no file tells, and there is no probe whose end must
 * be waited for.
 */
static int offers(enum gn_attach_mode mode)
{
	uint64_t offset = 0, cookie = 0;
	struct gn_probe_set set = on_itself(&offset, &cookie);
	int fd, prog = empty_program(types[mode]);

	if (prog < 0)
		return prog;
	set.path = "/";
	fd = multi_link(prog, types[mode], &set, 0, 1);
	close(prog);
	if (fd >= 0)
		close(fd);
	return fd == -EBADF ? 0 : fd < 0 ? fd : -EINVAL;
}

int gn_attach_probe_mode(void)
{
	int fd;

	if (!offers(GN_ATTACH_SESSION))
		return GN_ATTACH_SESSION;
	if (!offers(GN_ATTACH_MULTI))
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

	gn_calibrate_run(site, 16); /* the first hits optimise the site */
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

	if (trial_open(&t, mode, &site, 1))
		return 0;
	ns = hit_ns(site);
	trial_close(&t);
	return ns;
}

struct gn_links *gn_links_new(void)
{
	return calloc(1, sizeof(struct gn_links));
}

static void let_go(const struct held *h)
{
	if (h->fd >= 0)
		close(h->fd);
	else
		bpf_link__destroy(h->link);
}

/* A share of the links. */
struct share {
	struct gn_links *links;
	size_t from;
	pthread_t thread;
	bool runs;
};

#define SHARES 16

static void *let_go_share(void *arg)
{
	const struct share *s = arg;

	for (size_t i = s->from; i < s->links->count; i += SHARES)
		let_go(&s->links->held[i]);
	return NULL;
}

/* Closes all links. For each the kernel waits until its programs have ended,
 * which takes long on a busy machine: so close all at once. */
static void let_go_all(struct gn_links *l)
{
	struct share share[SHARES];
	sigset_t all, before;

	sigfillset(&all);
	pthread_sigmask(SIG_BLOCK, &all, &before);
	for (size_t i = 0; i < SHARES && i < l->count; i++) {
		struct share *s = &share[i];

		*s = (struct share){.links = l, .from = i};
		s->runs = i + 1 < l->count &&
			  !pthread_create(&s->thread, NULL, let_go_share, s);
		if (!s->runs)
			let_go_share(s);
	}
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	for (size_t i = 0; i < SHARES && i < l->count; i++)
		if (share[i].runs)
			pthread_join(share[i].thread, NULL);
}

size_t gn_links_free(struct gn_links *l, const struct gn_step *step)
{
	size_t left = 0;

	if (!l)
		return 0;
	for (size_t i = 0; i < l->nkeepers; i++)
		gn_keeper_stop(&l->keeper[i]);
	let_go_all(l);
	for (size_t i = 0; i < l->nkeepers; i++)
		if (gn_keeper_wait(&l->keeper[i], step))
			left += l->keeper[i].count;
	free(l->keeper);
	free(l->held);
	free(l);
	return left;
}

/* Appends `n` items of `size` bytes to the `*count` of `*to`; -ENOMEM. */
static int append(void *to, size_t *count, const void *items, size_t n,
		  size_t size)
{
	void **array = to;
	char *grown;

	if (!n)
		return 0;
	grown = reallocarray(*array, *count + n, size);
	if (!grown)
		return -ENOMEM;
	memcpy(grown + *count * size, items, n * size);
	*array = grown;
	*count += n;
	return 0;
}

void gn_links_join(struct gn_links *into, struct gn_links *from)
{
	if (into && from &&
	    !append(&into->held, &into->count, from->held, from->count,
		    sizeof(*from->held))) {
		into->room = into->count;
		from->count = 0;
	}
	if (into && from &&
	    !append(&into->keeper, &into->nkeepers, from->keeper,
		    from->nkeepers, sizeof(*from->keeper)))
		from->nkeepers = 0;
	/* close what found no room */
	gn_links_free(from, NULL);
}

bool gn_links_hold(const struct gn_links *l)
{
	for (size_t i = 0; i < l->nkeepers; i++)
		if (!gn_keeper_lives(&l->keeper[i]))
			return false;
	return true;
}

int gn_links_remove(struct gn_links *l, uint32_t key)
{
	size_t kept = 0, count = l->count;

	for (size_t i = 0; i < count; i++) {
		if (l->held[i].key == key)
			let_go(&l->held[i]);
		else
			l->held[kept++] = l->held[i];
	}
	l->count = kept;
	return kept < count ? 0 : -ENOENT;
}

static int keep(struct gn_links *l, const struct held *h)
{
	if (l->count == l->room) {
		size_t room = l->room ? l->room * 2 : 16;
		struct held *held = realloc(l->held, room * sizeof(*held));

		if (!held) {
			let_go(h);
			return -ENOMEM;
		}
		l->held = held;
		l->room = room;
	}
	l->held[l->count++] = *h;
	return 0;
}

bool gn_attach_nop5_cheaper(enum gn_attach_mode mode, struct gn_links *links)
{
	const enum gn_cal_site sites[TRIED] = {GN_CAL_NOP1, GN_CAL_NOP5};
	uint64_t nop1, nop5;
	struct held h = {.fd = -1};
	struct trial t;

	/* Where there are no multi links, nop5 sites are single-stepped. */
	if (mode != GN_ATTACH_SESSION && mode != GN_ATTACH_MULTI)
		return false;
	if (trial_open(&t, GN_ATTACH_MULTI, sites, TRIED))
		return false;
	nop1 = hit_ns(GN_CAL_NOP1);
	nop5 = hit_ns(GN_CAL_NOP5);
	/* to remove it now would take longer than all hits */
	h.fd = t.link;
	t.link = -1;
	keep(links, &h);
	trial_close(&t);
	return nop1 && nop5 && nop5 < nop1;
}

bool gn_attach_is_site_error(int err)
{
	return err == -EINVAL || err == -EOPNOTSUPP || err == -EIO ||
	       err == -EILSEQ || err == -ENOEXEC /* no instruction */ ||
	       err == -524 /* the kernel's ENOTSUPP */;
}

static uint32_t func_at(const struct gn_probe_set *set, size_t i)
{
	return GN_COOKIE_FUNC(set->cookies[i]);
}

/* The index at which the next function after the one at `i` begins. */
static size_t next_function(const struct gn_probe_set *set, size_t i)
{
	size_t end = i + 1;

	while (end < set->count && func_at(set, end) == func_at(set, i))
		end++;
	return end;
}

/* The begin of the function in the middle, or of the next one: neither half is
 * empty. The end: there is only one function. */
static size_t halve(const struct gn_probe_set *set, size_t from, size_t count)
{
	size_t mid = from + count / 2;

	while (mid > from && func_at(set, mid - 1) == func_at(set, mid))
		mid--;
	return mid > from ? mid : next_function(set, from);
}

static void leave_out(const struct gn_probe_set *set, size_t i, int err,
		      size_t *refused)
{
	*refused += 1;
	if (set->left_out)
		set->left_out(set->ctx, set->cookies[i], err);
}

/*
 * One refused site fails a whole link, so halve until its function is alone.
 * The stack of halves is at most 2 * log2(count) deep where functions have one
 * site each; a deeper one would be an error of no site.
 */
static int add_multi(struct gn_links *l, uint32_t type,
		     const struct gn_probe_set *set, size_t *refused)
{
	struct {
		size_t from, count;
	} todo[64] = {{0, set->count}};
	int prog = bpf_program__fd(set->prog);
	size_t n = 1, mid;

	while (n) {
		size_t from = todo[--n].from, count = todo[n].count;
		int fd = multi_link(prog, type, set, from, count);
		struct held h = {.fd = fd, .key = set->key};
		int err = fd < 0 ? fd : keep(l, &h);

		if (!err)
			continue;
		if (!gn_attach_is_site_error(err))
			return err;
		mid = halve(set, from, count);
		if (mid >= from + count) {
			leave_out(set, from, err, refused);
			continue;
		}
		if (n + 2 > sizeof(todo) / sizeof(todo[0]))
			return err;
		todo[n].from = mid;
		todo[n++].count = from + count - mid;
		todo[n].from = from;
		todo[n++].count = mid - from;
	}
	return 0;
}

static int add_keeper(struct gn_links *l, const struct gn_probe_set *set,
		      size_t *refused)
{
	struct gn_keeper *keeper =
		realloc(l->keeper, (l->nkeepers + 1) * sizeof(*keeper));
	int err;

	if (!keeper)
		return -ENOMEM;
	l->keeper = keeper;
	err = gn_keeper_start(&keeper[l->nkeepers], set, refused);
	l->nkeepers += !err;
	return err;
}

static int add_single(struct gn_links *l, const struct gn_probe_set *set,
		      size_t *refused)
{
	size_t first = l->count, func = 0;

	for (size_t i = 0; i < set->count; i++) {
		LIBBPF_OPTS(bpf_uprobe_opts, opts,
			    .bpf_cookie = set->cookies[i],
			    .ref_ctr_offset = gn_attach_counter(set, i),
			    .retprobe = set->ret);
		struct held h = {.fd = -1, .key = set->key};
		int err;

		if (func_at(set, i) != func_at(set, func)) {
			first = l->count;
			func = i;
		}
		h.link = bpf_program__attach_uprobe_opts(
			set->prog, set->pid ? set->pid : -1, set->path,
			set->offsets[i], &opts);
		err = h.link ? keep(l, &h) : -errno;
		if (!err)
			continue;
		if (!gn_attach_is_site_error(err))
			return err;
		while (l->count > first)
			let_go(&l->held[--l->count]);
		leave_out(set, i, err, refused);
		i = next_function(set, i) - 1;
	}
	return 0;
}

int gn_links_add(struct gn_links *l, enum gn_attach_mode mode,
		 const struct gn_probe_set *set, size_t *refused)
{
	if (!set->count)
		return 0;
	switch (mode) {
	case GN_ATTACH_SESSION:
		return add_multi(l, GN_TRACE_UPROBE_SESSION, set, refused);
	case GN_ATTACH_MULTI:
		return add_multi(l, GN_TRACE_UPROBE_MULTI, set, refused);
	case GN_ATTACH_SINGLE:
		return set->groups && set->count >= KEEPER_LEAST
			       ? add_keeper(l, set, refused)
			       : add_single(l, set, refused);
	default:
		return -EINVAL;
	}
}
