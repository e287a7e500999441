/* SPDX-License-Identifier: BSD-2-Clause */
#include "capture/loads.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <linux/bpf.h>

#include <gnomon/thread.h>

/* Beside the calling thread, which loads some programs at the end. */
#define THREADS_MAX 3

struct item {
	struct item *next;
	struct bpf_program *prog;
	enum bpf_prog_type type;
	struct bpf_prog_load_opts opts;
	struct bpf_insn *insns;
	size_t ninsns;
	void *func_info; /* a copy */
	int fd;		 /* or -errno */
};

struct gn_loads {
	pthread_t threads[THREADS_MAX];
	size_t nthreads;
	pthread_mutex_t lock;
	pthread_cond_t changed;
	struct item *todo;  /* long programs first, so that all end together */
	struct item *begun; /* the others */
	bool all;	    /* no more will come */
};

static void load_one(struct item *i)
{
	i->fd = bpf_prog_load(i->type, bpf_program__name(i->prog),
			      "Dual BSD/GPL", i->insns, i->ninsns, &i->opts);
}

/* Waits for the next program. NULL: no more will come. */
static struct item *next(struct gn_loads *l)
{
	struct item *i;

	pthread_mutex_lock(&l->lock);
	while (!l->todo && !l->all)
		pthread_cond_wait(&l->changed, &l->lock);
	i = l->todo;
	if (i) {
		l->todo = i->next;
		i->next = l->begun;
		l->begun = i;
	}
	pthread_mutex_unlock(&l->lock);
	return i;
}

static void *load_all(void *arg)
{
	struct item *i;

	while ((i = next(arg)))
		load_one(i);
	return NULL;
}

struct gn_loads *gn_loads_new(void)
{
	struct gn_loads *l;
	cpu_set_t cpus;
	int threads;

	if (sched_getaffinity(0, sizeof(cpus), &cpus))
		return NULL;
	threads = CPU_COUNT(&cpus) - 1;
	if (threads > THREADS_MAX)
		threads = THREADS_MAX;
	l = threads > 0 ? calloc(1, sizeof(*l)) : NULL;
	if (!l)
		return NULL;
	pthread_mutex_init(&l->lock, NULL);
	pthread_cond_init(&l->changed, NULL);
	while (threads-- &&
	       !gn_thread_start(&l->threads[l->nthreads], load_all, l))
		l->nthreads++;
	if (l->nthreads)
		return l;
	gn_loads_end(l, 0);
	return NULL;
}

static struct item *copy(struct bpf_program *prog,
			 const struct bpf_prog_load_opts *opts)
{
	size_t info = (size_t)opts->func_info_cnt * opts->func_info_rec_size;
	size_t n = bpf_program__insn_cnt(prog);
	struct item *i = calloc(1, sizeof(*i));

	if (!i)
		return NULL;
	i->insns = malloc(n * sizeof(*i->insns));
	i->func_info = malloc(info + 1);
	if (!i->insns || !i->func_info) {
		free(i->insns);
		free(i->func_info);
		free(i);
		return NULL;
	}
	memcpy(i->insns, bpf_program__insns(prog), n * sizeof(*i->insns));
	if (info)
		memcpy(i->func_info, opts->func_info, info);
	i->ninsns = n;
	i->prog = prog;
	i->type = bpf_program__type(prog);
	/* source lines would be for the verifier's log only */
	i->opts = (struct bpf_prog_load_opts){
		.sz = sizeof(i->opts),
		.expected_attach_type = opts->expected_attach_type,
		.prog_btf_fd = opts->prog_btf_fd,
		.prog_flags = opts->prog_flags,
		.kern_version = opts->kern_version,
		.attach_btf_id = opts->attach_btf_id,
		.func_info = info ? i->func_info : NULL,
		.func_info_cnt = opts->func_info_cnt,
		.func_info_rec_size = opts->func_info_rec_size,
	};
	i->fd = -ENOENT;
	return i;
}

static void drop(struct item *i)
{
	if (i->fd >= 0)
		close(i->fd);
	free(i->insns);
	free(i->func_info);
	free(i);
}

int gn_loads_take(struct gn_loads *l, struct bpf_program *prog,
		  struct bpf_prog_load_opts *opts)
{
	struct bpf_insn none[] = {
		{.code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = BPF_REG_0},
		{.code = BPF_JMP | BPF_EXIT},
	};
	struct item *i = copy(prog, opts), **at = &l->todo;

	if (!i)
		return -ENOMEM;
	if (bpf_program__set_insns(prog, none, 2) ||
	    bpf_program__set_type(prog, BPF_PROG_TYPE_SOCKET_FILTER)) {
		drop(i);
		return -ENOMEM;
	}
	opts->expected_attach_type = (enum bpf_attach_type)0;
	opts->attach_btf_id = 0;
	opts->func_info_cnt = 0;
	opts->line_info_cnt = 0;
	pthread_mutex_lock(&l->lock);
	while (*at && (*at)->ninsns >= i->ninsns)
		at = &(*at)->next;
	i->next = *at;
	*at = i;
	pthread_cond_signal(&l->changed);
	pthread_mutex_unlock(&l->lock);
	return 0;
}

/* Puts what was loaded in the place of the empty program. */
static int put(const struct item *i)
{
	if (i->fd < 0)
		return i->fd;
	return dup3(i->fd, bpf_program__fd(i->prog), O_CLOEXEC) < 0 ? -errno
								    : 0;
}

static void drop_all(struct item *i)
{
	struct item *next;

	for (; i; i = next) {
		next = i->next;
		drop(i);
	}
}

static void set_all(struct gn_loads *l, bool none)
{
	pthread_mutex_lock(&l->lock);
	l->all = true;
	if (none) {
		drop_all(l->todo);
		l->todo = NULL;
	}
	pthread_cond_broadcast(&l->changed);
	pthread_mutex_unlock(&l->lock);
}

void gn_loads_help(struct gn_loads *l)
{
	if (!l)
		return;
	set_all(l, false);
	load_all(l);
}

int gn_loads_end(struct gn_loads *l, int err)
{
	if (!l)
		return err;
	set_all(l, err);
	while (l->nthreads)
		pthread_join(l->threads[--l->nthreads], NULL);
	for (struct item *i = l->begun; i && !err; i = i->next)
		err = put(i);
	drop_all(l->begun);
	pthread_cond_destroy(&l->changed);
	pthread_mutex_destroy(&l->lock);
	free(l);
	return err;
}
