/* SPDX-License-Identifier: BSD-2-Clause */
#include "capture/cost.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <bpf/bpf.h>
#include <bpf/libbpf.h>

#include <gnomon/control.h>
#include <gnomon/hook.h>
#include "capture/calibrate.h"
#include "capture/clock.h"
#include "capture/drain.h"
#include "capture/session_internal.h"
#include "gnomon.skel.h"

#define SAMPLES 128
#define WARM_UP 16
#define HITS	(SAMPLES + WARM_UP)

/* Records of a hit of GN_CAL_NEST: two enters, two leaves. */
#define PER_CALL 4

/* One class: where it is measured, by which program. */
struct measure {
	enum gn_probe_class class;
	enum gn_cal_site site;
	enum gn_prog prog;
	enum gn_kind kind; /* of the record that is looked for */
};

/* The times of the records that gnomon's own thread made. */
struct times {
	uint32_t tid;
	uint64_t at[PER_CALL * HITS];
	unsigned int n;
};

static int compare(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

void gn_cost_of_samples(__u64 *before, __u64 *after, unsigned int n,
			struct gn_rec_cost *out)
{
	uint64_t sum[SAMPLES];

	if (n > SAMPLES)
		n = SAMPLES;
	for (unsigned int i = 0; i < n; i++)
		sum[i] = before[i] + after[i];
	qsort(before, n, sizeof(*before), compare);
	qsort(after, n, sizeof(*after), compare);
	qsort(sum, n, sizeof(*sum), compare);
	out->samples = n;
	if (!n)
		return;
	out->before_ns = (uint32_t)before[n / 2];
	out->after_ns = (uint32_t)after[n / 2];
	out->spread_ns = (uint32_t)((sum[n * 3 / 4] - sum[n / 4]) / 2);
}

static int take_record(void *ctx, const struct gn_rec *rec, size_t size)
{
	struct times *t = ctx;

	(void)size;
	if (rec->tid == t->tid &&
	    (rec->kind == GN_KIND_ENTER || rec->kind == GN_KIND_LEAVE) &&
	    t->n < sizeof(t->at) / sizeof(t->at[0]))
		t->at[t->n++] = rec->time;
	return 0;
}

static int take_sample(void *ctx, void *data, size_t size)
{
	gn_drain_sample(data, size, take_record, ctx);
	return 0;
}

/* What reading the clock twice adds to a sample. */
static uint64_t clock_cost(void)
{
	uint64_t best = UINT64_MAX;

	for (int i = 0; i < 64; i++) {
		uint64_t a = gn_now_ns(), b = gn_now_ns();

		if (b - a < best)
			best = b - a;
	}
	return best;
}

/* The hits, each between two readings of the clock, and their records. */
static bool hit(enum gn_cal_site site, unsigned int records,
		struct times *times, struct ring_buffer *ring, uint64_t *a,
		uint64_t *b)
{
	ring_buffer__consume(ring);
	times->n = 0;
	for (unsigned int i = 0; i < HITS; i++) {
		a[i] = gn_now_ns();
		gn_calibrate_hit(site);
		b[i] = gn_now_ns();
	}
	ring_buffer__consume(ring);
	return times->n == records * HITS;
}

static int link_site(struct gn_session *s, struct gn_links *links,
		     enum gn_cal_site site, enum gn_prog prog,
		     enum gn_kind kind)
{
	uint64_t cookie = GN_COOKIE(1, 8, kind, GN_SRC_COOKIE, GN_SRC_SP);
	uint64_t offset;
	struct gn_probe_set set = {.path = GN_CAL_PATH,
				   .offsets = &offset,
				   .cookies = &cookie,
				   .count = 1,
				   .pid = getpid()};
	size_t refused = 0;
	int err = gn_calibrate_offset(site, &offset);

	if (!err)
		err = gn_session_link(s, links, prog, &set, &refused);
	return err ? err : refused ? -EOPNOTSUPP : 0;
}

static void put_cost(struct gn_session *s, enum gn_probe_class class,
		     __u64 *before, __u64 *after, unsigned int n)
{
	struct gn_rec_cost cost = {.h = {.kind = GN_KIND_COST}, .id = class};

	gn_cost_of_samples(before, after, n, &cost);
	if (cost.samples)
		gn_session_put(s, &cost.h, sizeof(cost));
}

/* A probe with one record: what is before its time, and what is after. */
static void measure_one(struct gn_session *s, const struct measure *m,
			struct ring_buffer *ring, struct times *times)
{
	uint64_t a[HITS], b[HITS], clock = clock_cost() / 2;
	__u64 before[SAMPLES], after[SAMPLES];
	struct gn_links *links = gn_links_new();
	unsigned int n = 0;

	if (!links || link_site(s, links, m->site, m->prog, m->kind) ||
	    !hit(m->site, 1, times, ring, a, b))
		goto out;
	for (unsigned int i = WARM_UP; i < HITS; i++) {
		uint64_t t = times->at[i];

		if (t < a[i] + clock || t + clock > b[i])
			continue;
		before[n] = t - a[i] - clock;
		after[n++] = b[i] - t - clock;
	}
	put_cost(s, m->class, before, after, n);
out:
	gn_links_free(links);
}

/* The part of `whole` that `part` leaves. */
static uint64_t rest(uint64_t whole, uint64_t part)
{
	return whole > part ? whole - part : 0;
}

/*
 * Enters with a return probe, and returns. Their parts cannot be told from one
 * function: between its two records is the end of one and the beginning of the
 * other. So one function calls another: between the two enters is a whole
 * enter, between the two leaves a whole leave.
 */
static void calls(struct gn_session *s, const uint64_t *a, const uint64_t *b,
		  const struct times *times)
{
	__u64 before[2][SAMPLES], after[2][SAMPLES];
	uint64_t clock = clock_cost() / 2;
	unsigned int n = 0;

	for (unsigned int i = WARM_UP; i < HITS; i++) {
		const uint64_t *t = &times->at[PER_CALL * i];

		if (t[0] < a[i] + clock || t[3] + clock > b[i])
			continue;
		before[0][n] = t[0] - a[i] - clock;
		after[0][n] = rest(t[1] - t[0], before[0][n]);
		after[1][n] = b[i] - t[3] - clock;
		before[1][n] = rest(t[3] - t[2], after[1][n]);
		n++;
	}
	put_cost(s, GN_PROBE_CALL, before[0], after[0], n);
	put_cost(s, GN_PROBE_RETURN, before[1], after[1], n);
}

static void measure_calls(struct gn_session *s, struct ring_buffer *ring,
			  struct times *times)
{
	static const enum gn_cal_site sites[] = {GN_CAL_NEST, GN_CAL_CALL};
	struct gn_links *links = gn_links_new();
	uint64_t a[HITS], b[HITS];
	int err = links ? 0 : -ENOMEM;

	for (int i = 0; !err && i < 2; i++) {
		if (s->mode == GN_ATTACH_SESSION) {
			err = link_site(s, links, sites[i], GN_PROG_SESSION,
					GN_KIND_ENTER);
			continue;
		}
		err = link_site(s, links, sites[i], GN_PROG_NATIVE,
				GN_KIND_ENTER);
		if (!err)
			err = link_site(s, links, sites[i],
					GN_PROG_NATIVE_RETURN, GN_KIND_LEAVE);
	}
	if (!err && hit(GN_CAL_NEST, PER_CALL, times, ring, a, b))
		calls(s, a, b, times);
	gn_links_free(links);
}

/* Which classes the capture's probes are of. */
static bool in_use(const struct gn_session *s, enum gn_probe_class class)
{
	for (size_t i = 0; i < s->probes.count; i++) {
		enum gn_prog prog = s->probes.group[i].prog;

		if (prog != GN_PROG_NAME &&
		    (class == GN_PROBE_MANAGED) == (prog == GN_PROG_MANAGED))
			return true;
	}
	return false;
}

static void measure_all(struct gn_session *s, struct ring_buffer *ring,
			struct times *times)
{
	const struct measure all[] = {
		{GN_PROBE_EMULATED, GN_CAL_PUSH, GN_PROG_NATIVE, GN_KIND_ENTER},
		{GN_PROBE_STEPPED, GN_CAL_STEP, GN_PROG_NATIVE, GN_KIND_LEAVE},
		{GN_PROBE_MANAGED, s->nop5 ? GN_CAL_NOP5 : GN_CAL_NOP1,
		 GN_PROG_MANAGED, GN_KIND_ENTER},
	};

	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++)
		if (in_use(s, all[i].class))
			measure_one(s, &all[i], ring, times);
	if (in_use(s, GN_PROBE_RETURN))
		measure_calls(s, ring, times);
}

int gn_cost_measure(struct gn_session *s)
{
	struct gn_control *control = &s->skel->bss->control;
	int targets = bpf_map__fd(s->skel->maps.targets);
	int tasks = bpf_map__fd(s->skel->maps.tasks);
	struct times times = {.tid = (uint32_t)gettid()};
	uint32_t self = (uint32_t)gettid(), one = 1;
	struct ring_buffer *ring;
	int pidfd, iter, err;

	if (!s->probes.count)
		return 0;
	ring = ring_buffer__new(bpf_map__fd(s->skel->maps.ring), take_sample,
				&times, NULL);
	pidfd = gn_pidfd((pid_t)self);
	iter = bpf_iter_create(bpf_link__fd(s->iter));
	err = !ring || pidfd < 0 || iter < 0 ? -errno : 0;
	if (!err && bpf_map_update_elem(targets, &self, &one, BPF_ANY))
		err = -errno;
	if (!err) {
		control->scanning = GN_SCAN_THREAD;
		control->start = gn_now_ns();
		err = gn_session_iterate(s, iter);
		control->scanning = 0;
		measure_all(s, ring, &times);
		control->start = 0;
		bpf_map_delete_elem(tasks, &pidfd);
		bpf_map_delete_elem(targets, &self);
		ring_buffer__consume(ring);
		memset(control->counters, 0, sizeof(control->counters));
	}
	ring_buffer__free(ring);
	if (pidfd >= 0)
		close(pidfd);
	if (iter >= 0)
		close(iter);
	return err == -ENOMEM ? err : 0;
}
