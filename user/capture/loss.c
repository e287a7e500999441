/* SPDX-License-Identifier: BSD-2-Clause */
#include "capture/loss.h"

#include <inttypes.h>
#include <stdio.h>

/* Looks at longer stretches only, because a look takes several system calls. */
#define LOOK_NS 10000000u
/* gnomon looks every 100 ms or more often: in so long, it did not run. */
#define STOP_NS 500000000u

static enum gn_loss_reason reason(const struct gn_loss *l,
				  const struct gn_loss_times *now)
{
	uint64_t length = now->time - l->time;
	uint64_t busy = now->ran - l->ran + now->queued - l->queued;

	if (l->hold >= GN_HOLD_DISK)
		return GN_LOSS_DISK;
	if (now->queued - l->queued > length / 2)
		return GN_LOSS_CPU;
	if (length > STOP_NS && busy < length / 10)
		return GN_LOSS_STOP;
	if (l->hold == GN_HOLD_CPU || now->ran - l->ran > length / 2)
		return GN_LOSS_RATE;
	return GN_LOSS_RING;
}

void gn_loss_account(struct gn_loss *l, const struct gn_loss_times *now,
		     uint64_t lost)
{
	if (l->begun && lost > l->seen)
		l->lost[reason(l, now)] += lost - l->seen;
	l->begun = true;
	l->seen = lost;
	l->time = now->time;
	l->ran = now->ran;
	l->queued = now->queued;
	l->hold = GN_HOLD_NOT;
}

/* Zeros if the kernel does not say. */
static void read_times(struct gn_loss_times *t)
{
	FILE *f = fopen("/proc/thread-self/schedstat", "re");

	t->ran = t->queued = 0;
	if (!f)
		return;
	if (fscanf(f, "%" SCNu64 " %" SCNu64, &t->ran, &t->queued) != 2)
		t->ran = t->queued = 0;
	fclose(f);
}

void gn_loss_follow(struct gn_loss *l, enum gn_hold hold, uint64_t lost,
		    uint64_t now)
{
	struct gn_loss_times t = {.time = now};

	if (hold > l->hold)
		l->hold = hold;
	if (l->begun && now - l->time < LOOK_NS)
		return;
	read_times(&t);
	gn_loss_account(l, &t, lost);
}

const char *gn_loss_advice(const struct gn_loss *l)
{
	static const char *const advice[] = {
		[GN_LOSS_RING] = "the ring was too small for a burst; use a "
				 "larger --ring-size or fewer functions (-f)",
		[GN_LOSS_RATE] = "they came faster than gnomon could read "
				 "them; trace fewer functions (-f)",
		[GN_LOSS_CPU] = "gnomon got too little CPU time; keep a CPU "
				"free for it, or trace fewer functions (-f)",
		[GN_LOSS_DISK] =
			"the disk of the trace file is too slow; choose "
			"another one with -o, or trace fewer functions (-f)",
		[GN_LOSS_STOP] =
			"gnomon was stopped for some time (Ctrl-Z, a signal, a "
			"debugger, a frozen control group); do not stop it",
	};
	int most = 0;

	for (int i = 1; i < GN_LOSS_REASONS; i++)
		if (l->lost[i] > l->lost[most])
			most = i;
	return l->lost[most] ? advice[most] : NULL;
}
