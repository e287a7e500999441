/* SPDX-License-Identifier: BSD-2-Clause */
#include "capture/attach.h"
#include "capture/keeper.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <bpf/libbpf.h>
#include <linux/bpf.h>

#include <gnomon/grow.h>
#include <gnomon/thread.h>

#define UPROBE_MULTI_RETURN 1 /* BPF_F_UPROBE_MULTI_RETURN */
#define KEEPER_LEAST	    2 /* one probe takes an event anyway */

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

/* A link that holds probes in place: either `fd` or `link` is used. */
struct held {
	int fd;		       /* a multi link; -1 = none */
	struct bpf_link *link; /* a perf event's link */
	uint32_t key;
	int file; /* the set's `file` */
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

int gn_attach_multi(int prog_fd, uint32_t type, const struct gn_probe_set *set,
		    size_t from, size_t count)
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

/* A thread's share of the links: every SHARES-th one, beginning at `from`. */
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

/* Closes all links. For each link the kernel waits until its running programs
 * have ended, which takes long on a busy machine. So several threads close them
 * at once. */
static void let_go_all(struct gn_links *l)
{
	struct share share[SHARES];

	for (size_t i = 0; i < SHARES && i < l->count; i++) {
		struct share *s = &share[i];

		*s = (struct share){.links = l, .from = i};
		s->runs = i + 1 < l->count &&
			  !gn_thread_start(&s->thread, let_go_share, s);
		if (!s->runs)
			let_go_share(s);
	}
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

void gn_links_clear(struct gn_links *l)
{
	let_go_all(l);
	l->count = 0;
}

/* Appends `n` items of `size` bytes to the array `*to`, which has `*count`
 * items. 0 or -ENOMEM. */
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
	/* closes the probes for which there was no memory */
	gn_links_free(from, NULL);
}

bool gn_links_hold(const struct gn_links *l)
{
	for (size_t i = 0; i < l->nkeepers; i++)
		if (!gn_keeper_lives(&l->keeper[i]))
			return false;
	return true;
}

/* Closes the links that have this key or this file; 0 matches none. Returns
 * whether there were any. */
static bool let_go_of(struct gn_links *l, uint32_t key, int file)
{
	size_t kept = 0, count = l->count;

	for (size_t i = 0; i < count; i++) {
		if ((key && l->held[i].key == key) ||
		    (file && l->held[i].file == file))
			let_go(&l->held[i]);
		else
			l->held[kept++] = l->held[i];
	}
	l->count = kept;
	return kept < count;
}

void gn_links_move(struct gn_links *into, struct gn_links *from, uint32_t key)
{
	size_t kept = 0, count = from->count;

	for (size_t i = 0; i < count; i++) {
		const struct held h = from->held[i];

		if (h.key == key && !gn_grow_by_one(&into->held, &into->room,
						    into->count, sizeof(h)))
			into->held[into->count++] = h;
		else
			from->held[kept++] = h;
	}
	from->count = kept;
}

size_t gn_links_count(const struct gn_links *l)
{
	return l->count;
}

int gn_links_remove(struct gn_links *l, uint32_t key)
{
	return let_go_of(l, key, 0) ? 0 : -ENOENT;
}

void gn_links_remove_file(struct gn_links *l, int file)
{
	size_t kept = 0;

	let_go_of(l, 0, file);
	for (size_t i = 0; i < l->nkeepers; i++) {
		if (l->keeper[i].file == file) {
			gn_keeper_stop(&l->keeper[i]);
			gn_keeper_wait(&l->keeper[i], NULL);
		} else {
			l->keeper[kept++] = l->keeper[i];
		}
	}
	l->nkeepers = kept;
}

static int keep(struct gn_links *l, const struct held *h)
{
	int err =
		gn_grow_by_one(&l->held, &l->room, l->count, sizeof(*l->held));

	if (err)
		let_go(h);
	else
		l->held[l->count++] = *h;
	return err;
}

/* The index of the first probe after those of the function at `i`. */
static size_t next_function(const struct gn_probe_set *set, size_t i)
{
	size_t end = i + 1;

	while (end < set->count && gn_attach_same_function(set, end, i))
		end++;
	return end;
}

/* Returns where to split the probes: at the start of the function in the
 * middle, or of the next one, so that neither half is empty. Returns the end if
 * there is only one function. */
static size_t halve(const struct gn_probe_set *set, size_t from, size_t count)
{
	size_t mid = from + count / 2;

	while (mid > from && gn_attach_same_function(set, mid - 1, mid))
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
 * One refused site makes the whole link fail, so halve until the site's
 * function is alone. Every two levels halve the count at least, so the stack is
 * about 2 * log2(count) deep at most.
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
		int fd = gn_attach_multi(prog, type, set, from, count);
		struct held h = {.fd = fd, .key = set->key, .file = set->file};
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
	keeper[l->nkeepers].file = set->file;
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
		struct held h = {.fd = -1, .key = set->key, .file = set->file};
		int err;

		if (!gn_attach_same_function(set, i, func)) {
			first = l->count;
			func = i;
		}
		h.link = bpf_program__attach_uprobe_opts(
			set->prog, set->pid ? set->pid : -1,
			gn_attach_path(set, i), set->offsets[i], &opts);
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
