/* SPDX-License-Identifier: BSD-2-Clause */
#include "capture/setter.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <bpf/bpf.h>
#include <bpf/libbpf.h>

#include <gnomon/control.h>
#include <gnomon/path.h>
#include <gnomon/setup.h>
#include <gnomon/thread.h>
#include "capture/clock.h"
#include "capture/session_internal.h"
#include "capture/unseen.h"
#include "gnomon.skel.h"
#include "process/limits.h"
#include "process/maps.h"
#include "runtime/runtime.h"

#define BATCH	  256 /* requests in one look at the ring */
#define MOST	  500 /* a second: no machine begins so many runtimes */
#define SECOND_NS 1000000000u

struct gn_setter {
	struct gn_session *session;
	struct ring_buffer *ring;
	pthread_t thread;
	int quit;
	struct gn_setter_pace pace;
	bool flooded;
	struct gn_setup batch[BATCH];
	size_t n;
	struct gn_setter_late late;
	pthread_mutex_t lock;
	struct gn_setter_begun begun; /* under the lock */
};

bool gn_setter_began(struct gn_setter *t, pid_t pid, uint64_t since)
{
	bool is;

	if (!t)
		return true;
	pthread_mutex_lock(&t->lock);
	is = gn_setter_noted(&t->begun, pid, since);
	pthread_mutex_unlock(&t->lock);
	return is;
}

/* Opens the memory of the process. It stays the memory of the same program:
 * writes do not reach one that the process executes meanwhile. `base` becomes
 * where the runtime is. */
static int open_memory(const struct gn_runtime_setup *r,
		       const struct gn_setup *s, uint64_t *base)
{
	*base = s->at - (s->state == GN_SETUP_BEGINS ? r->begin : r->read);
	return gn_elf_head_open(&r->head, (pid_t)s->pid, *base + r->head.first);
}

static int put(int mem, uint64_t at, uint64_t value, size_t size)
{
	return pwrite(mem, &value, size, (off_t)at) == (ssize_t)size ? 0 : -1;
}

/*
 * Raises the limit of a process of another user. Without CAP_SYS_RESOURCE the
 * kernel wants the caller to be that user: the system calls change only this
 * thread, and only who it really is, so it keeps its privileges.
 */
static void raise_as(pid_t pid, const struct rlimit *room)
{
	uid_t uid = getuid();
	gid_t gid = getgid();
	char path[32];
	struct stat st;

	snprintf(path, sizeof(path), "/proc/%d", (int)pid);
	if (stat(path, &st))
		return;
	if (!syscall(SYS_setresgid, st.st_gid, -1, -1) &&
	    !syscall(SYS_setresuid, st.st_uid, -1, -1))
		prlimit(pid, RLIMIT_STACK, room, NULL);
	syscall(SYS_setresuid, uid, -1, -1);
	syscall(SYS_setresgid, gid, -1, -1);
}

/* Lets the stack of the process grow as far as the options need. It never
 * shrinks, and the hard limit stays. */
static void make_room(const struct gn_runtime *rt, pid_t pid)
{
	struct rlimit room;

	if (!rt->stack)
		return;
	if (gn_process_limit(pid, "Max stack size", &room) ||
	    room.rlim_cur >= rt->stack)
		return;
	room.rlim_cur = rt->stack < room.rlim_max ? rt->stack : room.rlim_max;
	if (prlimit(pid, RLIMIT_STACK, &room, NULL))
		raise_as(pid, &room);
}

/* Sets one option. What an extension has put in the place of the runtime's own
 * stays. */
static int set(const struct gn_runtime_setup *r, size_t i, int mem,
	       uint64_t base)
{
	const struct gn_runtime_option *o = &r->runtime->options[i];
	uint64_t at = base + r->addr[i], has = 0;

	if (!r->addr[i])
		return 0;
	if (!r->to[i])
		return put(mem, at, o->value, (size_t)o->size);
	if (pread(mem, &has, sizeof(has), (off_t)at) != sizeof(has) ||
	    (has != base + r->from[i] && has != base + r->to[i]))
		return -1;
	return put(mem, at, base + r->to[i], sizeof(has));
}

/* Whether the process has the library that reports its methods: it must not
 * report them itself, too. The library is there before the runtime. */
static bool has_library(const struct gn_runtime *rt, pid_t pid)
{
	const char *name = rt->methods ? rt->methods->library : NULL;
	struct gn_mapping m;
	struct gn_maps maps;
	bool has = false;

	if (!name || gn_maps_open(&maps, pid))
		return false;
	while (!has && gn_maps_next(&maps, &m) == 1)
		has = !strcmp(gn_base_name(m.name), name);
	gn_maps_close(&maps);
	return has;
}

/* Sets the options in their order. If one cannot be set, the last one stays as
 * it was: nothing is traced then, which is reported. */
static void set_all(const struct gn_runtime_setup *r, const struct gn_setup *s)
{
	bool beside = has_library(r->runtime, (pid_t)s->pid);
	const struct gn_runtime_option *o = r->runtime->options;
	uint64_t base = 0;
	int mem = open_memory(r, s, &base);
	int err = 0;

	if (mem < 0)
		return;
	if (!beside)
		make_room(r->runtime, (pid_t)s->pid);
	for (size_t i = 0; !err && i < GN_RUNTIME_OPTIONS && o[i].name; i++)
		if (!beside || o[i].beside)
			err = set(r, i, mem, base);
	close(mem);
}

/* The process goes on without the options: this keeps the runtime from finding
 * the needed one later. */
static void give_up(struct gn_setter *t, const struct gn_runtime_setup *r,
		    const struct gn_setup *s)
{
	uint64_t base = 0;
	int mem;

	if (has_library(r->runtime, (pid_t)s->pid))
		return;
	mem = open_memory(r, s, &base);
	if (mem >= 0) {
		put(mem, base + r->needed, 0, 1);
		close(mem);
	}
	gn_setter_note_late(&t->late, s->pid, r->runtime);
}

static bool is_late(const struct gn_setter *t, size_t from)
{
	for (size_t i = from + 1; i < t->n; i++)
		if (t->batch[i].state == GN_SETUP_LATE &&
		    t->batch[i].pid == t->batch[from].pid)
			return true;
	return false;
}

static int take(void *setter, void *data, size_t size)
{
	struct gn_setter *t = setter;
	struct gn_setup s;

	if (size < sizeof(s))
		return 0;
	memcpy(&s, data, sizeof(s));
	if (s.which < t->session->nsetups)
		t->batch[t->n++] = s;
	return t->n == BATCH ? -EAGAIN : 0;
}

bool gn_setter_is_flooded(struct gn_setter_pace *p, size_t n, uint64_t now)
{
	if (now - p->since >= SECOND_NS)
		*p = (struct gn_setter_pace){.since = now};
	p->n += n;
	return p->n > MOST;
}

/* Gives up the high priority while there are too many requests: a process that
 * only begins runtimes, or imitates that, must not take a CPU from all
 * others. */
static void keep_pace(struct gn_setter *t)
{
	bool was = t->flooded;

	t->flooded = gn_setter_is_flooded(&t->pace, t->n, gn_now_ns());
	if (t->flooded && !was)
		gn_priority_normal(0);
	else if (was && !t->flooded)
		gn_priority_highest(0);
}

static void note_begun(struct gn_setter *t)
{
	uint64_t now = gn_now_ns();

	pthread_mutex_lock(&t->lock);
	for (size_t i = 0; i < t->n; i++)
		if (t->batch[i].state != GN_SETUP_LATE)
			gn_setter_note(&t->begun, (pid_t)t->batch[i].pid, now);
	pthread_mutex_unlock(&t->lock);
}

static void serve_batch(struct gn_setter *t)
{
	t->n = 0;
	ring_buffer__consume(t->ring);
	keep_pace(t);
	for (size_t i = 0; i < t->n; i++) {
		const struct gn_setup *s = &t->batch[i];
		const struct gn_runtime_setup *r =
			&t->session->setups[s->which];

		if (s->state == GN_SETUP_LATE)
			give_up(t, r, s);
		else if (!is_late(t, i))
			set_all(r, s);
	}
	note_begun(t);
}

static void *serve(void *setter)
{
	struct gn_setter *t = setter;
	struct pollfd fds[] = {
		{.fd = ring_buffer__epoll_fd(t->ring), .events = POLLIN},
		{.fd = t->quit, .events = POLLIN}};

	gn_priority_highest(0);
	while (!fds[1].revents) {
		if (poll(fds, 2, -1) < 0 && errno != EINTR)
			break;
		serve_batch(t);
	}
	return NULL;
}

static void free_setter(struct gn_setter *t)
{
	if (t->quit >= 0)
		close(t->quit);
	ring_buffer__free(t->ring);
	pthread_mutex_destroy(&t->lock);
	free(t);
}

int gn_setter_start(struct gn_session *s)
{
	struct gn_setter *t;
	int err = 0;

	if (!gn_session_uses(s, GN_PROG_SETUP))
		return 0;
	t = calloc(1, sizeof(*t));
	if (!t)
		return -ENOMEM;
	t->session = s;
	pthread_mutex_init(&t->lock, NULL);
	t->quit = eventfd(0, EFD_CLOEXEC);
	t->ring = ring_buffer__new(bpf_map__fd(s->skel->maps.setups), take, t,
				   NULL);
	if (t->quit < 0 || !t->ring)
		err = -errno;
	if (!err)
		err = gn_thread_start(&t->thread, serve, t);
	if (err) {
		free_setter(t);
		return err;
	}
	s->setter = t;
	s->skel->bss->control.sets_up = 1;
	return 0;
}

void gn_setter_stop(struct gn_session *s)
{
	struct gn_setter *t = s->setter;

	if (!t)
		return;
	s->skel->bss->control.sets_up = 0;
	eventfd_write(t->quit, 1);
	pthread_join(t->thread, NULL);
	gn_unseen_late(s->unseen, &t->late);
	gn_unseen_begun(s->unseen, &t->begun);
	free_setter(t);
	s->setter = NULL;
}
