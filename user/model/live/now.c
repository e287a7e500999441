// SPDX-License-Identifier: BSD-2-Clause
/*
 * What a thread does right now, for the live view. The record is emitted on
 * another CPU than the thread's, so it can be earlier or later than the records
 * around it.
 */
#include <errno.h>

#include "model/threads.h"

static uint64_t later(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

/* Returns up to when the open interval can be reported: not before the end of
 * known slices, so that none is cut. */
static uint64_t moment(const struct gn_thread *t, const struct gn_rec_now *r)
{
	uint64_t time = later(r->h.time, t->account.since);
	uint32_t i;

	for (i = 0; i < t->order.nheld; i++)
		time = later(time, t->order.held[i].h.time);
	return later(time, t->account.slices_end);
}

/* The slices that would result if the thread's current wait or call ended
 * now. */
static int open_slices(const struct gn_rec_now *r, uint64_t time,
		       struct gn_slice out[2])
{
	struct gn_os os = {
		.since = r->since,
		.woken = r->woken,
		.state = r->state,
		.wait_class = r->class,
		.reason = r->reason,
	};

	int n;

	if (r->state != GN_CPU_ON) {
		n = gn_os_off_slices(&os, time, out);
		out[0].detail = r->detail;
		return n;
	}
	gn_os_in(&os, r->since, r->class, r->reason);
	return gn_os_in_slice(&os, time, out);
}

static int put(struct gn_pipeline *p, struct gn_thread *t,
	       const struct gn_slice *s)
{
	struct gn_rec_slice r = {.h = {.time = s->end},
				 .start = s->start,
				 .class = s->class,
				 .reason = s->reason,
				 .detail = s->detail};

	return gn_slice_put_open(p, t, &r);
}

/* Reports the open interval up to that moment. */
static int tell(struct gn_pipeline *p, struct gn_thread *t,
		const struct gn_rec_now *r)
{
	uint64_t since = t->account.since, time = moment(t, r);
	struct gn_slice s[2];
	struct gn_interval iv;
	int i, n, err = 0;

	/* these slices are in this interval, or in the next if that has
	 * begun */
	for (i = 0; i < (int)t->order.nheld; i++)
		err |= gn_slice_put_held(p, t, &t->order.held[i]);
	n = open_slices(r, time, s);
	for (i = 0; i < n; i++)
		err |= put(p, t, &s[i]);
	gn_account_tell(&t->account, time, p->opts.classify, &iv);
	err |= gn_thread_charge(p, t, &iv, true);
	if (iv.gap)
		gn_windows_end(&p->processes[t->process].windows, t, since,
			       true);
	gn_live_end(t, time);
	if (time > p->last)
		p->last = time;
	return err ? -ENOMEM : 0;
}

int gn_now_take(struct gn_pipeline *p, const struct gn_rec_now *r)
{
	struct gn_thread *t;

	if (!p->opts.live || r->state == GN_CPU_DEAD)
		return 0;
	t = gn_thread_find(p, r->h.tid);
	if (!t || t->closed)
		return 0;
	t->live.now = (struct gn_now){.known = true,
				      .state = r->state,
				      .class = r->class,
				      .detail = r->detail,
				      .reason = r->reason,
				      .since = r->since,
				      .time = r->h.time};
	/* its THREAD record will show whether the time before it counts */
	return t->account.no_start ? 0 : tell(p, t, r);
}
