// SPDX-License-Identifier: BSD-2-Clause
#include "model/account.h"

#include <string.h>

static uint64_t add_sat(uint64_t a, uint64_t b)
{
	uint64_t sum;

	return __builtin_add_overflow(a, b, &sum) ? UINT64_MAX : sum;
}

static void give(struct gn_interval *iv, enum gn_class class, uint64_t ns)
{
	if (!ns)
		return;
	if (!(iv->mask & 1u << class)) {
		iv->mask |= 1u << class;
		iv->ns[class] = 0;
	}
	iv->ns[class] += ns;
}

void gn_account_slice_seen(struct gn_account *a, bool lost,
			   struct gn_checks *checks)
{
	if (lost)
		a->slices_lost = a->part_lost = true;
	else
		checks->slice_mismatches += a->suspects;
	a->suspects = 0;
}

void gn_account_slice(struct gn_account *a, enum gn_class class, uint64_t ns)
{
	a->slices[class] = add_sat(a->slices[class], ns);
	a->slice_mask |= 1u << class;
}

uint64_t gn_account_slice_told(struct gn_account *a, uint64_t start,
			       uint64_t end)
{
	uint64_t until = end < a->since ? end : a->since;

	if (!a->told || start >= until)
		return 0;
	a->told_slices = add_sat(a->told_slices, until - start);
	return until - start;
}

void gn_account_slice_open(struct gn_account *a, enum gn_class class,
			   uint64_t ns)
{
	gn_account_slice(a, class, ns);
	a->open_slices = add_sat(a->open_slices, ns);
}

void gn_account_os_note(struct gn_account *a, uint64_t ns)
{
	a->os_notes = add_sat(a->os_notes, ns);
}

static uint64_t slice_sum(const struct gn_account *a)
{
	uint64_t sum = 0;
	int c;

	for (c = 0; c < GN_CLASS_COUNT; c++)
		if (a->slice_mask & 1u << c)
			sum = add_sat(sum, a->slices[c]);
	return sum;
}

static void give_slices(const struct gn_account *a, struct gn_interval *iv)
{
	int c;

	iv->sliced = a->slice_mask;
	for (c = 0; c < GN_CLASS_COUNT; c++)
		if (a->slice_mask & 1u << c)
			give(iv, c, a->slices[c]);
}

/* The rest of the interval is time on a CPU. Part of it is the cost of
 * probes. */
static void give_rest(const struct gn_account *a, uint64_t rest, uint64_t cost,
		      struct gn_interval *iv)
{
	iv->cost = cost < rest ? cost : rest;
	iv->owed = cost - iv->cost;
	iv->elapsed -= iv->cost;
	give(iv, gn_account_rest(a), rest - iv->cost);
}

/*
 * Returns the OS time of the rest of an interval of which a part was already
 * reported. That part was observed from another CPU, so it can be wrong by some
 * microseconds.
 */
static uint64_t os_left(const struct gn_account *a, uint64_t os,
			uint64_t elapsed)
{
	uint64_t left = os > a->told_os ? os - a->told_os : 0;

	return left < elapsed ? left : elapsed;
}

/* Splits an interval with OS time into classes, as far as its slices are
 * known. */
static void split(struct gn_account *a, uint64_t os, uint64_t cost,
		  struct gn_interval *iv, struct gn_checks *checks)
{
	uint64_t known = slice_sum(a), all = add_sat(known, a->told_slices);
	uint64_t left = os_left(a, os, iv->elapsed);

	if (os > iv->elapsed + a->told) {
		checks->os_overruns++;
		give(iv, GN_CLASS_UNCLASSIFIED, iv->elapsed);
		iv->owed = cost;
		return;
	}
	if (all > os || known > iv->elapsed) {
		/* the slices contradict the OS time: unclassified */
		checks->slice_mismatches++;
		give(iv, GN_CLASS_UNCLASSIFIED, left);
	} else {
		if (all < os && !a->slices_lost)
			a->suspects++;
		/* slices are exact to the nanosecond, but the part reported
		 * before is not */
		if (left < known || all == os)
			left = known;
		give_slices(a, iv);
		give(iv, GN_CLASS_UNCLASSIFIED, left - known);
	}
	give_rest(a, iv->elapsed - left, cost, iv);
}

/* Splits an interval by its slices and by the thread's state only: some of its
 * records were lost, so sums prove nothing. */
static void split_unsummed(const struct gn_account *a, uint64_t cost,
			   struct gn_interval *iv)
{
	uint64_t known = slice_sum(a);

	if (known > iv->elapsed) {
		give(iv, GN_CLASS_UNCLASSIFIED, iv->elapsed);
		return;
	}
	give_slices(a, iv);
	if (a->part_lost)
		give(iv, GN_CLASS_UNCLASSIFIED, iv->elapsed - known);
	else
		give_rest(a, iv->elapsed - known, cost, iv);
}

static uint64_t application_time(const struct gn_interval *iv)
{
	uint64_t app = 0;
	int c;

	if (!(iv->mask & ~(1u << GN_CLASS_APP)))
		return iv->elapsed;
	for (c = 0; c < GN_CLASS_COUNT; c++) {
		enum gn_group g = gn_class_group(c);

		if (iv->mask & 1u << c &&
		    (g == GN_GROUP_APP || g == GN_GROUP_RUNTIME))
			app += iv->ns[c];
	}
	return app;
}

static void drop_slices(struct gn_account *a)
{
	if (a->slice_mask)
		memset(a->slices, 0, sizeof(a->slices));
	a->slice_mask = 0;
	a->open_slices = 0;
}

void gn_account_start(struct gn_account *a, uint64_t time)
{
	a->since = time;
	a->os_notes = 0;
	a->slices_lost = a->part_lost = false;
	a->gap = false;
	a->no_start = false;
	a->hook_waits = false;
	a->after = a->after_error = 0;
	a->told = a->told_os = a->told_slices = 0;
	a->told_gap = false;
	a->slices_end = 0;
	drop_slices(a);
}

/* Sets all of the interval but its classes. */
static void begin_interval(const struct gn_account *a, uint64_t time,
			   struct gn_interval *iv)
{
	iv->elapsed = time > a->since ? time - a->since : 0;
	iv->cost = iv->owed = iv->error = 0;
	iv->mask = 0;
	iv->sliced = false;
	iv->hook_waited = iv->own_work = false;
	iv->gap = a->gap;
}

static bool is_gnomons(const struct gn_account *a)
{
	return a->hook_waits || a->for_gnomon;
}

/* The thread waited or worked for gnomon, so no class gets the time, whatever
 * the kernel reported. */
static void take_out(const struct gn_account *a, struct gn_interval *iv)
{
	iv->cost = iv->elapsed;
	iv->elapsed = 0;
	iv->hook_waited = a->hook_waits;
	iv->own_work = !a->hook_waits;
}

void gn_account_forget(struct gn_account *a)
{
	a->nnest = a->nest_over = a->nsuspended = a->shown_over = 0;
	a->for_gnomon = false;
}

/* Time in user mode, which is neither the kernel's nor `unclassified`. */
static uint64_t on_cpu(const struct gn_interval *iv)
{
	uint64_t ns = 0;
	int c;

	for (c = GN_CLASS_APP; c <= GN_CLASS_GC; c++)
		if (iv->mask & 1u << c)
			ns += iv->ns[c];
	return ns;
}

/* Begins the next interval. The part that was already reported can extend into
 * it, if the record that ends the last interval was still on its way. */
static void begin_next(struct gn_account *a, uint64_t time, uint64_t os)
{
	uint64_t since = a->since;
	uint64_t told_os = a->told_os > os ? a->told_os - os : 0;

	gn_account_start(a, time);
	if (since <= time)
		return;
	a->since = since;
	a->told = since - time;
	a->told_os = told_os < a->told ? told_os : a->told;
}

static void close_split(struct gn_account *a, const struct gn_ending *e,
			struct gn_interval *iv, struct gn_checks *checks)
{
	uint64_t os = add_sat(e->os_ns, a->os_notes);
	uint64_t cost = a->after + e->before + e->owed;
	bool touched = e->os_event || os || a->slice_mask || a->told_os;

	begin_interval(a, e->time, iv);
	iv->owed = e->owed;
	if (a->gap || a->no_start)
		give(iv, GN_CLASS_UNCLASSIFIED, iv->elapsed);
	else if (is_gnomons(a))
		take_out(a, iv);
	else if (a->told_gap)
		split_unsummed(a, cost, iv);
	else if (os || a->slice_mask || a->told_slices)
		split(a, os, cost, iv, checks);
	else
		give_rest(a, iv->elapsed, cost, iv);
	iv->app = e->classify == GN_CLASSIFY_INTERVAL && touched
			  ? 0
			  : application_time(iv);
	iv->error = (int64_t)(a->after_error + e->error_before) +
		    (int64_t)(iv->owed - e->owed);
	if (a->gap)
		gn_account_forget(a);
	begin_next(a, e->time, os);
	a->after = e->after;
	a->after_error = e->error_after;
}

void gn_account_close(struct gn_account *a, const struct gn_ending *e,
		      struct gn_interval *iv, struct gn_checks *checks)
{
	if (!e->os_ns && e->time >= a->since && gn_account_is_plain(a))
		gn_account_close_plain(a, e, iv);
	else
		close_split(a, e, iv, checks);
}

void gn_account_tell(struct gn_account *a, uint64_t time,
		     enum gn_classify classify, struct gn_interval *iv)
{
	uint64_t known = slice_sum(a), real = known - a->open_slices;

	begin_interval(a, time, iv);
	if (a->gap) {
		give(iv, GN_CLASS_UNCLASSIFIED, iv->elapsed);
		gn_account_forget(a);
		a->after = 0;
	} else if (is_gnomons(a)) {
		take_out(a, iv);
	} else {
		split_unsummed(a, a->after, iv);
		/* the cost does not fit into this interval: the next one may
		 * have room for it */
		iv->owed = 0;
		a->after -= (uint32_t)iv->cost;
	}
	iv->app = classify == GN_CLASSIFY_INTERVAL && a->slice_mask
			  ? 0
			  : application_time(iv);
	a->told_os = add_sat(a->told_os, iv->elapsed - on_cpu(iv));
	a->told_slices = add_sat(a->told_slices, real);
	a->told_gap |= a->gap;
	a->gap = a->part_lost = false;
	a->told += time > a->since ? time - a->since : 0;
	a->since = time > a->since ? time : a->since;
	drop_slices(a);
}

void gn_account_cut(struct gn_account *a, uint64_t time,
		    enum gn_classify classify, struct gn_interval *iv)
{
	uint64_t known = slice_sum(a);

	begin_interval(a, time, iv);
	if (a->gap || known > iv->elapsed) {
		known = 0;
	} else {
		give_slices(a, iv);
	}
	give(iv, GN_CLASS_UNCLASSIFIED, iv->elapsed - known);
	iv->gap = a->gap || known < iv->elapsed;
	iv->app = classify == GN_CLASSIFY_INTERVAL ? 0 : application_time(iv);
	gn_account_start(a, time);
}

void gn_account_begin(struct gn_account *a, enum gn_class class, uint64_t stack,
		      uint32_t depth)
{
	if (a->nnest == GN_NEST_MAX) {
		a->nest_over++;
		return;
	}
	a->nest[a->nnest++] = (struct gn_nest){
		.class = (uint8_t) class, .depth = depth, .stack = stack};
}

void gn_account_end(struct gn_account *a, enum gn_class class)
{
	uint32_t i;

	if (a->nest_over) {
		a->nest_over--;
		return;
	}
	for (i = a->nnest; i > 0; i--) {
		if (a->nest[i - 1].class == class) {
			a->nnest = i - 1;
			return;
		}
	}
}

void gn_account_frame(struct gn_account *a, uint64_t frame)
{
	if (a->nnest && !a->nest_over)
		a->nest[a->nnest - 1].frame = frame;
}

uint32_t gn_account_above(struct gn_account *a, uint64_t key)
{
	uint32_t over = 0, first = a->nnest;

	for (uint32_t i = a->nnest; i--;) {
		if (!a->nest[i].frame || key <= a->nest[i].frame)
			continue;
		first = i;
		over++;
	}
	if (over) {
		a->nnest = first;
		a->nest_over = 0;
		a->shown_over += over;
	}
	return over;
}

void gn_account_suspend(struct gn_account *a)
{
	if (a->nsuspended < GN_NEST_MAX)
		a->suspended_at[a->nsuspended] = a->nnest;
	a->nsuspended++;
}

void gn_account_resume(struct gn_account *a)
{
	uint32_t i;

	if (!a->nsuspended || --a->nsuspended >= GN_NEST_MAX)
		return;
	for (i = a->suspended_at[a->nsuspended]; i < a->nnest; i++) {
		if (a->nest[i].class == GN_CLASS_GC) {
			a->nnest = i;
			a->nest_over = 0;
		}
	}
}

void gn_account_heal(struct gn_account *a, uint64_t stack, uint32_t depth)
{
	while (a->nnest && a->nest[a->nnest - 1].stack == stack &&
	       a->nest[a->nnest - 1].depth > depth) {
		a->nnest--;
		a->nest_over = 0;
	}
}
