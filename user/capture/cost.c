/* SPDX-License-Identifier: BSD-2-Clause */
#include "capture/cost.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <bpf/bpf.h>
#include <bpf/libbpf.h>

#include <gnomon/control.h>
#include <gnomon/hook.h>
#include "capture/calibrate.h"
#include "capture/drain.h"
#include "capture/session_internal.h"
#include "gnomon.skel.h"

#define SAMPLES 128
#define WARM_UP 16

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
	enum gn_kind kind;
	uint64_t at[SAMPLES + WARM_UP];
	unsigned int n;
};

static uint64_t now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

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
	if (rec->tid == t->tid && rec->kind == t->kind &&
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
		uint64_t a = now_ns(), b = now_ns();

		if (b - a < best)
			best = b - a;
	}
	return best;
}

/* The hits, each between two readings of the clock. */
static unsigned int hit(const struct measure *m, struct times *times,
			struct ring_buffer *ring, __u64 *before, __u64 *after)
{
	uint64_t a[SAMPLES + WARM_UP], b[SAMPLES + WARM_UP];
	uint64_t clock = clock_cost() / 2;
	unsigned int n = 0;

	ring_buffer__consume(ring);
	times->n = 0;
	for (unsigned int i = 0; i < SAMPLES + WARM_UP; i++) {
		a[i] = now_ns();
		gn_calibrate_hit(m->site);
		b[i] = now_ns();
	}
	ring_buffer__consume(ring);
	if (times->n != SAMPLES + WARM_UP)
		return 0;
	for (unsigned int i = WARM_UP; i < SAMPLES + WARM_UP; i++) {
		if (times->at[i] < a[i] + clock || times->at[i] + clock > b[i])
			continue;
		before[n] = times->at[i] - a[i] - clock;
		after[n++] = b[i] - times->at[i] - clock;
	}
	return n;
}

/* A return probe costs the enter as well: what is before the return's moment
 * is all since the enter's, less what is measured for an enter alone. */
static void less_enter(struct gn_rec_cost *ret, const struct gn_rec_cost *enter)
{
	uint32_t whole = enter->before_ns + enter->after_ns;

	ret->before_ns = ret->before_ns > whole ? ret->before_ns - whole : 0;
}

static int measure_one(struct gn_session *s, const struct measure *m,
		       struct ring_buffer *ring, struct times *times,
		       struct gn_rec_cost *out)
{
	__u64 before[SAMPLES], after[SAMPLES];
	uint64_t offset;
	uint64_t cookie = GN_COOKIE(1, 8, m->kind, GN_SRC_COOKIE, GN_SRC_SP);
	struct gn_links *links = gn_links_new();
	struct gn_probe_set set = {.path = GN_CAL_PATH,
				   .offsets = &offset,
				   .cookies = &cookie,
				   .count = 1,
				   .pid = getpid()};
	size_t refused = 0;
	int err;

	if (!links)
		return -ENOMEM;
	memset(out, 0, sizeof(*out));
	out->h.kind = GN_KIND_COST;
	out->id = m->class;
	times->kind = m->kind;
	err = gn_calibrate_offset(m->site, &offset);
	if (!err)
		err = gn_session_link(s, links, m->prog, &set, &refused);
	if (!err && m->class == GN_PROBE_RETURN &&
	    m->prog == GN_PROG_NATIVE_RETURN) {
		/* where one link does not do both, the enter has its own */
		cookie = GN_COOKIE(1, 8, GN_KIND_ENTER, GN_SRC_COOKIE,
				   GN_SRC_SP);
		set.ret = false;
		err = gn_session_link(s, links, GN_PROG_NATIVE, &set, &refused);
	}
	if (!err && !refused)
		gn_cost_of_samples(before, after,
				   hit(m, times, ring, before, after), out);
	gn_links_free(links);
	return err;
}

/* Which classes the capture's probes are of. */
static bool in_use(const struct gn_session *s, enum gn_probe_class class)
{
	for (size_t i = 0; i < s->probes.count; i++) {
		enum gn_prog prog = s->probes.group[i].prog;

		if ((class == GN_PROBE_MANAGED) == (prog == GN_PROG_MANAGED))
			return true;
	}
	return false;
}

static void measure_all(struct gn_session *s, struct ring_buffer *ring,
			struct times *times)
{
	bool session = s->mode == GN_ATTACH_SESSION;
	const struct measure all[] = {
		{GN_PROBE_EMULATED, GN_CAL_PUSH, GN_PROG_NATIVE, GN_KIND_ENTER},
		{GN_PROBE_RETURN, GN_CAL_CALL,
		 session ? GN_PROG_SESSION : GN_PROG_NATIVE_RETURN,
		 GN_KIND_LEAVE},
		{GN_PROBE_STEPPED, GN_CAL_STEP, GN_PROG_NATIVE, GN_KIND_LEAVE},
		{GN_PROBE_MANAGED, s->nop5 ? GN_CAL_NOP5 : GN_CAL_NOP1,
		 GN_PROG_MANAGED, GN_KIND_ENTER},
	};
	struct gn_rec_cost cost, enter = {0};

	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
		if (!in_use(s, all[i].class) ||
		    measure_one(s, &all[i], ring, times, &cost) ||
		    !cost.samples)
			continue;
		if (all[i].class == GN_PROBE_EMULATED)
			enter = cost;
		if (all[i].class == GN_PROBE_RETURN)
			less_enter(&cost, &enter);
		gn_session_put(s, &cost.h, sizeof(cost));
	}
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
		control->start = now_ns();
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
