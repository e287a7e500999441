/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * made-trace FILE FUNCTIONS THREADS EVENTS EVERY: writes a trace file without a
 * program. It has EVENTS function events spread over the threads, with calls of
 * all functions at most DEPTH deep, and a slice of a thread after every
 * EVERY-th of its events. The file is the same each time.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <gnomon/event.h>
#include "trace/trace.h"

#define DEPTH	5
#define FUTEX	202
#define STACK	0x7ffe00100000ull
#define FIRST	1000000000ull
#define MODULES 40

struct thread {
	uint32_t tid, seq, slice_seq, depth, os_ns;
	uint32_t stack[DEPTH + 1];
};

struct maker {
	struct gn_trace_writer *w;
	uint32_t functions, nthreads, every, next;
	struct thread *threads;
	uint64_t time;
	uint32_t random;
};

/* A reproducible number with a random distribution. */
static uint32_t spread(struct maker *m)
{
	m->random = m->random * 1664525u + 1013904223u;
	return m->random >> 8;
}

static int put(struct maker *m, const void *rec, size_t size)
{
	const struct timespec shortly = {.tv_nsec = 100000};
	int err;

	while ((err = gn_trace_writer_append(m->w, rec, size)) == -ENOBUFS)
		nanosleep(&shortly, NULL);
	return err;
}

static int put_text(struct maker *m, enum gn_kind kind, uint32_t id,
		    uint32_t ref, const char *text, const char *second)
{
	_Alignas(8) char bytes[256] = {0};
	struct gn_rec_text r = {
		.h = {.time = FIRST, .kind = kind},
		.id = id,
		.ref = ref,
		.len = {(uint16_t)strlen(text), (uint16_t)strlen(second)},
	};

	r.size = (uint32_t)((sizeof(r) + r.len[0] + r.len[1] + 7) / 8 * 8);
	memcpy(bytes, &r, sizeof(r));
	memcpy(bytes + sizeof(r), text, r.len[0]);
	memcpy(bytes + sizeof(r) + r.len[0], second, r.len[1]);
	return put(m, bytes, r.size);
}

static int put_names(struct maker *m)
{
	char name[128], module[64];
	int err =
		put_text(m, GN_KIND_INFO, 0, 0, "command", "[\"made-trace\"]");

	for (uint32_t i = 1; i <= MODULES && !err; i++) {
		snprintf(module, sizeof(module), "/usr/lib/made/Part%u.dll", i);
		err = put_text(m, GN_KIND_MODULE, i, 0, module, "");
	}
	for (uint32_t i = 1; i <= m->functions && !err; i++) {
		snprintf(
			name, sizeof(name),
			"Made.Space%u.Type%u<System.String>.Method%u(int,bool)",
			i % 300, i % 5000, i);
		err = put_text(m, GN_KIND_FUNCTION, i, i % MODULES + 1, name,
			       "");
	}
	return err;
}

static int put_thread(struct maker *m, struct thread *t, enum gn_kind kind)
{
	struct gn_rec_thread r = {
		.f.h = {.time = m->time,
			.tid = t->tid,
			.seq = ++t->seq,
			.kind = kind},
		.pid = m->threads[0].tid,
	};

	snprintf(r.comm, sizeof(r.comm), "worker-%u", t->tid % 1000);
	return put(m, &r, sizeof(r));
}

static int put_end(struct maker *m, struct thread *t)
{
	struct gn_rec_func r = {.h = {.time = m->time,
				      .tid = t->tid,
				      .seq = ++t->seq,
				      .kind = GN_KIND_EXIT}};

	return put(m, &r, sizeof(r));
}

static int put_slice(struct maker *m, struct thread *t)
{
	static const uint8_t classes[] = {GN_CLASS_LOCK, GN_CLASS_RUNQUEUE,
					  GN_CLASS_SLEEP, GN_CLASS_EVENT,
					  GN_CLASS_NET};
	uint32_t length = 200 + spread(m) % 20000;
	struct gn_rec_slice r = {
		.h = {.tid = t->tid,
		      .seq = ++t->slice_seq,
		      .kind = GN_KIND_SLICE},
		.start = m->time + 1,
		.waker = m->threads[spread(m) % m->nthreads].tid,
		.reason = FUTEX,
		.class = classes[spread(m) % sizeof(classes)],
	};

	m->time += length + 1;
	r.h.time = m->time;
	t->os_ns += length;
	return put(m, &r, sizeof(r));
}

/* Each function is called from the bottom in turn, and always calls the same
 * two others. */
static uint32_t choose(struct maker *m, const struct thread *t)
{
	uint32_t caller = t->stack[t->depth];

	if (!t->depth)
		return m->next++ % m->functions + 1;
	return (caller * 31 + 17 * (spread(m) & 1)) % m->functions + 1;
}

static int put_event(struct maker *m, struct thread *t)
{
	bool enter = !t->depth || (t->depth < DEPTH && spread(m) % 2);
	struct gn_rec_func r = {
		.h = {.time = m->time,
		      .tid = t->tid,
		      .seq = ++t->seq,
		      .kind = enter ? GN_KIND_ENTER : GN_KIND_LEAVE,
		      .flags = t->os_ns ? GN_F_OS_EVENT : 0},
		.os_ns = t->os_ns,
	};

	if (enter) {
		r.func = choose(m, t);
		t->stack[++t->depth] = r.func;
	}
	r.func = t->stack[t->depth];
	r.h.key = STACK - t->depth * 64;
	t->depth -= !enter;
	t->os_ns = 0;
	return put(m, &r, sizeof(r));
}

static int make(struct maker *m, uint64_t events)
{
	int err = put_names(m);

	m->time = FIRST;
	for (uint32_t i = 0; i < m->nthreads && !err; i++)
		err = put_thread(m, &m->threads[i], GN_KIND_THREAD);
	for (uint64_t i = 0; i < events && !err; i++) {
		/* a thread has the CPU for a while */
		struct thread *t = &m->threads[i / 1000 % m->nthreads];

		m->time += 20 + spread(m) % 300;
		if (m->every && i % m->every == m->every - 1)
			err = put_slice(m, t);
		m->time += 20;
		if (!err)
			err = put_event(m, t);
	}
	m->time += 1000;
	for (uint32_t i = 0; i < m->nthreads && !err; i++)
		err = put_end(m, &m->threads[i]);
	return err;
}

int main(int argc, char **argv)
{
	struct gn_trace_writer_opts opts = {.uid = (uid_t)-1, .gid = (gid_t)-1};
	struct maker m = {.random = 1};
	uint64_t bytes = 0;
	int err, closed;

	if (argc != 6 || atoi(argv[2]) < 1 || atoi(argv[3]) < 1) {
		fprintf(stderr, "usage: made-trace FILE FUNCTIONS THREADS "
				"EVENTS EVERY\n");
		return 2;
	}
	m.functions = (uint32_t)atoi(argv[2]);
	m.nthreads = (uint32_t)atoi(argv[3]);
	m.every = (uint32_t)atoi(argv[5]);
	m.threads = calloc(m.nthreads, sizeof(*m.threads));
	err = m.threads ? gn_trace_writer_open(argv[1], &opts, &m.w) : -ENOMEM;
	if (!err) {
		for (uint32_t i = 0; i < m.nthreads; i++)
			m.threads[i].tid = 1001 + i;
		err = make(&m, strtoull(argv[4], NULL, 10));
		closed = gn_trace_writer_close(m.w, &bytes);
		err = err ? err : closed;
	}
	free(m.threads);
	if (err)
		fprintf(stderr, "made-trace: %s: %s\n", argv[1],
			strerror(-err));
	else
		printf("%llu bytes\n", (unsigned long long)bytes);
	return err ? 1 : 0;
}
