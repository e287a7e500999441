/* SPDX-License-Identifier: BSD-2-Clause */
#include "capture/mute.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include <bpf/libbpf.h>

#include <gnomon/hook.h>
#include "capture/clock.h"
#include "capture/holders.h"
#include "capture/mute_memory.h"
#include "capture/session_internal.h"

/* Flags of a native function. */
#define OWN    0x1 /* it has its own links */
#define SHARED 0x2 /* some of its probes share a link with other functions */
#define MUTED  0x4

struct library {
	enum gn_runtime_id runtime;
	struct gn_mute_file file;
};

struct process {
	size_t library; /* index of the one that it has loaded */
	struct gn_mute_process memory;
};

struct gn_mute {
	struct gn_holders *holders;
	bool full; /* no more functions get their own links */
	uint8_t *native;
	uint32_t nnative; /* length of `native` */
	struct library *library;
	size_t nlibraries;
	struct process *process;
	size_t nprocesses;
};

/* The parameters of one link. */
struct own_link {
	struct gn_session *session;
	enum gn_prog prog;
	struct gn_probe_set set;
	size_t refused;
};

struct gn_mute *gn_mute_new(void)
{
	return calloc(1, sizeof(struct gn_mute));
}

void gn_mute_detach(struct gn_mute *m)
{
	if (!m)
		return;
	gn_holders_free(m->holders);
	m->holders = NULL;
	m->full = true;
}

void gn_mute_free(struct gn_mute *m)
{
	if (!m)
		return;
	gn_mute_detach(m);
	for (size_t i = 0; i < m->nprocesses; i++)
		gn_mute_process_close(&m->process[i].memory);
	free(m->process);
	free(m->library);
	free(m->native);
	free(m);
}

void gn_mute_settle(struct gn_mute *m)
{
	if (m && m->holders)
		gn_holders_settle(m->holders);
}

int gn_mute_library(struct gn_mute *m, enum gn_runtime_id runtime,
		    const char *path)
{
	struct library *list =
		realloc(m->library, (m->nlibraries + 1) * sizeof(*list));

	if (!list)
		return -ENOMEM;
	m->library = list;
	list[m->nlibraries].runtime = runtime;
	if (!gn_mute_file_read(path, &list[m->nlibraries].file))
		m->nlibraries++;
	return 0;
}

/* The return probe of a function is a different link than its sites. */
static uint32_t key_of(uint32_t index, enum gn_prog prog)
{
	return index << 1 | (prog == GN_PROG_NATIVE_RETURN);
}

static int add_own(void *ctx, struct gn_links *links)
{
	struct own_link *o = ctx;
	int err = gn_session_link(o->session, links, o->prog, &o->set,
				  &o->refused);

	/* a function is linked whole or not at all */
	if (err)
		gn_links_remove(links, o->set.key);
	return err;
}

/* 0; -EAGAIN: the function must share a link; or the kernel's error. */
static int link_own(struct gn_session *s, enum gn_prog prog,
		    const struct gn_probe_set *set, uint32_t index)
{
	struct own_link o = {.session = s, .prog = prog, .set = *set};
	struct gn_mute *m = s->mute;
	int err = 0;

	if (!m->full && !m->holders)
		err = gn_holders_new(m->nnative, &m->holders);
	if (err || m->full) {
		m->full = true;
		return err == -ENOMEM ? err : -EAGAIN;
	}
	o.set.key = key_of(index, prog);
	err = gn_holders_run(m->holders, index, add_own, &o);
	if (err == -EMFILE || err == -ENFILE) {
		m->full = true;
		return -EAGAIN;
	}
	if (!err) {
		m->native[index] |= OWN;
		s->refused += o.refused;
	}
	return err;
}

static int link_shared(struct gn_session *s, enum gn_prog prog,
		       const struct gn_probe_set *set)
{
	for (size_t i = 0; i < set->count; i++)
		s->mute->native[GN_FUNC_INDEX(
			GN_COOKIE_FUNC(set->cookies[i]))] |= SHARED;
	return gn_session_link(s, s->links, prog, set, &s->refused);
}

static int make_room(struct gn_session *s)
{
	struct gn_mute *m = s->mute;

	if (m->native)
		return 0;
	m->native = calloc(s->functions.next, 1);
	m->nnative = m->native ? s->functions.next : 0;
	return m->native ? 0 : -ENOMEM;
}

int gn_mute_link(struct gn_session *s, enum gn_prog prog,
		 const struct gn_probe_set *set)
{
	struct gn_probe_set part = *set;
	size_t from = 0;
	int err = 0;

	if (!s->mute || prog == GN_PROG_MANAGED || prog == GN_PROG_NAME ||
	    prog == GN_PROG_INTERNED || prog == GN_PROG_SETUP)
		return gn_session_link(s, s->links, prog, set, &s->refused);
	err = make_room(s);
	/* the probes of a function follow one another */
	while (!err && from < set->count) {
		uint32_t func = GN_COOKIE_FUNC(set->cookies[from]);
		size_t to = from + 1;

		while (to < set->count &&
		       GN_COOKIE_FUNC(set->cookies[to]) == func)
			to++;
		part.offsets = set->offsets + from;
		part.cookies = set->cookies + from;
		part.counters = set->counters + from;
		part.count = to - from;
		err = link_own(s, prog, &part, GN_FUNC_INDEX(func));
		if (err == -EAGAIN) {
			part.count = set->count - from;
			return link_shared(s, prog, &part);
		}
		from = to;
	}
	return err;
}

static int mute_native(struct gn_session *s, uint32_t index)
{
	const uint32_t keys[] = {key_of(index, GN_PROG_NATIVE),
				 key_of(index, GN_PROG_NATIVE_RETURN)};
	struct gn_mute *m = s->mute;
	int err;

	if (!index || index >= s->functions.next)
		return index && s->later ? -EOPNOTSUPP : -ENOENT;
	if (index >= m->nnative || !m->holders ||
	    (m->native[index] & (OWN | SHARED)) != OWN) {
		if (index < m->nnative && !m->native[index])
			return -ENOENT; /* the kernel took none of its sites */
		return -EOPNOTSUPP;
	}
	if (m->native[index] & MUTED)
		return -EALREADY;
	err = gn_holders_remove(m->holders, index, keys,
				sizeof(keys) / sizeof(keys[0]));
	if (!err)
		m->native[index] |= MUTED;
	return err;
}

static void forget(struct gn_mute *m, size_t i)
{
	gn_mute_process_close(&m->process[i].memory);
	m->process[i] = m->process[--m->nprocesses];
}

/* Finds which library of a runtime a process has loaded: a process in a
 * container has a copy. */
static int open_process(const struct gn_mute *m, enum gn_runtime_id runtime,
			pid_t pid, struct process *p)
{
	int err = -EOPNOTSUPP;

	for (size_t i = 0; i < m->nlibraries; i++) {
		if (m->library[i].runtime != runtime)
			continue;
		p->library = i;
		err = gn_mute_process_open(&p->memory, pid,
					   &m->library[i].file);
		if (err != -ENOENT)
			break;
	}
	return err;
}

/* Adds a process; first drops those that have ended. */
static int add_process(struct gn_mute *m, enum gn_runtime_id runtime, pid_t pid)
{
	struct process *list;
	int err;

	for (size_t i = m->nprocesses; i-- > 0;)
		if (!gn_mute_process_lives(&m->process[i].memory))
			forget(m, i);
	list = realloc(m->process, (m->nprocesses + 1) * sizeof(*list));
	if (!list)
		return -ENOMEM;
	m->process = list;
	err = open_process(m, runtime, pid, &list[m->nprocesses]);
	m->nprocesses += !err;
	return err;
}

static int mute_managed(struct gn_mute *m, uint32_t func, pid_t pid)
{
	enum gn_runtime_id runtime = (enum gn_runtime_id)GN_FUNC_RUNTIME(func);
	struct process *p;
	size_t i;
	int err = 0;

	for (i = 0; i < m->nprocesses; i++)
		if (m->library[m->process[i].library].runtime == runtime &&
		    m->process[i].memory.pid == pid)
			break;
	if (i == m->nprocesses)
		err = add_process(m, runtime, pid);
	if (err)
		return err;
	i = i < m->nprocesses ? i : m->nprocesses - 1;
	p = &m->process[i];
	err = gn_mute_process_set(&p->memory, &m->library[p->library].file,
				  GN_FUNC_INDEX(func));
	if (err == -ESRCH)
		forget(m, i);
	return err;
}

int gn_session_mute(struct gn_session *s, uint32_t func, uint32_t pid)
{
	struct gn_rec_mute r = {
		.h = {.kind = GN_KIND_MUTE, .time = gn_now_ns()},
		.func = func,
	};
	int err;

	if (!s->mute || !s->running)
		return -EOPNOTSUPP;
	if (GN_FUNC_RUNTIME(func) == GN_RUNTIME_NATIVE) {
		err = mute_native(s, GN_FUNC_INDEX(func));
	} else {
		if (!pid || pid > INT32_MAX)
			return -EINVAL;
		r.pid = pid;
		err = mute_managed(s->mute, func, (pid_t)pid);
	}
	if (err)
		return err;
	/* earlier records must come first; but it is muted even if they cannot
	 * be taken */
	err = gn_session_drain(s, GN_DRAIN_NS);
	gn_session_put(s, &r.h, sizeof(r));
	return err < 0 ? err : 0;
}
