/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Record streams for tests: made by calls or parsed from text, and fed to a
 * pipeline. An error while making one ends the test program.
 */
#ifndef GNOMON_TESTS_STREAM_H
#define GNOMON_TESTS_STREAM_H

#include <stddef.h>
#include <stdint.h>

#include <gnomon/event.h>
#include "model/pipeline.h"

#define STREAM_THREADS 64

struct stream_seq {
	uint32_t tid;
	uint32_t seq, slice_seq;
};

struct stream {
	uint64_t *words; /* each record follows its size in bytes */
	size_t n, cap;
	struct stream_seq seqs[STREAM_THREADS];
	size_t nseqs;
};

void stream_free(struct stream *s);

/* Adds a record unchanged. */
void stream_raw(struct stream *s, const void *rec, size_t size);

/* The counts of a thread; the next record has the next number. */
struct stream_seq *stream_seq(struct stream *s, uint32_t tid);
/* The numbers of a new thread with this TID start again. */
void stream_new_thread(struct stream *s, uint32_t tid);

struct stream_event {
	uint64_t time;
	uint32_t tid;
	enum gn_kind kind;
	uint8_t flags;
	uint64_t key;
	uint32_t func;
	uint32_t os_ns;
	/* thread, exec, rename */
	uint32_t pid, parent;
	const char *comm;
	/* slice */
	uint64_t start;
	enum gn_class class;
	uint32_t detail;
	uint32_t waker;
	uint32_t reason; /* 0 means none: no test needs a read */
	/* os-ns, stack */
	uint64_t ns, lo, hi;
	/* texts */
	uint32_t id, ref;
	const char *text[2];
	/* count, session */
	uint64_t count, end;
	/* cost, its class in id */
	uint32_t samples, before, after, spread, turn;
	/* kernel, sched */
	uint64_t kernel_cpu, kernel_delay, cpu, delay, cpu_apart, delay_apart;
	uint64_t irq, stolen, switches, drift, span;
};

/* Numbers the event in its thread and appends its record. */
void stream_add(struct stream *s, const struct stream_event *e);

/* Feeds the record at *i, alone or together with the following calls of its
 * thread; then *i is the place of the next one. As gn_pipeline_feed(). */
int stream_feed_next(const struct stream *s, size_t *i, struct gn_pipeline *p);

/* Feeds everything; -errno of the first refused record. */
int stream_feed(const struct stream *s, struct gn_pipeline *p);

/* The model of the stream; never NULL. */
struct gn_model *stream_model(const struct stream *s, enum gn_classify how);
/* The same without subtracting the cost of probes. */
struct gn_model *stream_raw_model(const struct stream *s);

#endif
