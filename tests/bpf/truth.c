/* SPDX-License-Identifier: BSD-2-Clause */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "host.h"
#include "truth.h"

struct compare {
	struct truth *t;
	struct truth_found found;
	uint32_t seq, slice_seq;
	uint64_t since; /* time of the last received interval */
};

void truth_slice(struct truth *t, uint64_t start, uint64_t end, uint32_t class,
		 uint32_t event)
{
	assert_true(t->nslices < TRUTH_EVENTS);
	t->slice[t->nslices++] =
		(struct truth_slice){start, end, class, event, false};
}

void truth_interval(struct truth *t, uint64_t time, uint32_t kind,
		    uint32_t func)
{
	assert_true(t->nintervals < TRUTH_EVENTS);
	t->interval[t->nintervals++] =
		(struct truth_interval){time, kind, func};
}

/* The n-th slice of the thread (from 1) must be this one. */
static void is_slice(struct compare *c, uint32_t n, uint64_t start,
		     uint64_t end, uint32_t class)
{
	struct truth_slice *s;

	assert_in_range(n, c->slice_seq + 1, c->t->nslices);
	s = &c->t->slice[n - 1];
	assert_int_equal(start, s->start);
	assert_int_equal(end, s->end);
	assert_int_equal(class, s->class);
	s->told = true;
	c->slice_seq = n;
	c->found.slices++;
}

static void see_slice(struct compare *c, const struct gn_rec_slice *r)
{
	uint64_t queued = r->h.flags & GN_F_THEN_QUEUED ? r->h.key : 0;
	uint64_t end = r->h.time - queued;

	is_slice(c, r->h.seq - (queued > 0), r->start, end, r->class);
	if (queued)
		is_slice(c, r->h.seq, end, r->h.time, GN_CLASS_RUNQUEUE);
}

/* OS time in (from, to]: the slices that ended in it. */
static uint64_t os_time(const struct truth *t, uint64_t from, uint64_t to)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < t->nslices; i++)
		if (t->slice[i].end > from && t->slice[i].end <= to)
			sum += t->slice[i].end - t->slice[i].start;
	return sum;
}

static const struct truth_interval *interval_at(const struct truth *t,
						uint64_t time)
{
	for (size_t i = 0; i < t->nintervals; i++)
		if (t->interval[i].time == time)
			return &t->interval[i];
	fail_msg("nothing was done at %lu", (unsigned long)time);
	return NULL;
}

static void see_interval(struct compare *c, const struct gn_rec_func *r)
{
	const struct truth_interval *i = interval_at(c->t, r->h.time);
	uint64_t os = os_time(c->t, c->since, r->h.time);

	assert_int_equal(r->h.kind, i->kind);
	assert_int_equal(r->func, i->func);
	assert_int_equal(r->os_ns, os);
	assert_int_equal(!!(r->h.flags & GN_F_OS_EVENT), os > 0);
	c->since = r->h.time;
}

static void see(struct compare *c, const struct gn_rec *h)
{
	if (h->kind == GN_KIND_SLICE) {
		see_slice(c, (const struct gn_rec_slice *)h);
		return;
	}
	/* a skipped number is a lost record */
	assert_true(h->seq > c->seq);
	c->found.missing += h->seq - c->seq - 1;
	c->found.records++;
	c->seq = h->seq;
	if (h->kind == GN_KIND_THREAD)
		c->since = h->time;
	else if (h->kind == GN_KIND_ENTER || h->kind == GN_KIND_LEAVE ||
		 h->kind == GN_KIND_STOP)
		see_interval(c, (const struct gn_rec_func *)h);
}

/* A sample is one record, or several slices. */
static void see_sample(struct compare *c, uint32_t tid, const void *data,
		       size_t size)
{
	const struct gn_rec_slice *r = data;
	size_t n = size / sizeof(*r);

	if (r->h.kind != GN_KIND_SLICE)
		n = 1;
	for (size_t i = 0; i < n && r[i].h.kind; i++)
		if (r[i].h.tid == tid)
			see(c, &r[i].h);
}

struct truth_found truth_compare(struct truth *t, uint32_t tid)
{
	struct compare c = {.t = t};
	const void *data;
	size_t size;

	for (size_t i = 0; (data = host_sample(i, &size)); i++)
		see_sample(&c, tid, data, size);
	for (size_t i = 0; i < t->nslices; i++)
		if (!t->slice[i].told &&
		    (!i || t->slice[i].event != t->slice[i - 1].event))
			c.found.missing++;
	return c.found;
}
