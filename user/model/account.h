/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The account of one thread. It splits each interval into time classes that sum
 * to the interval. Time of an unknown class goes to `unclassified`; nothing is
 * scaled.
 *
 * In the live view a period can end within an interval. The part up to then is
 * reported at once (the fields `told*` are about it), and the rest when the
 * interval ends.
 */
#ifndef GNOMON_MODEL_ACCOUNT_H
#define GNOMON_MODEL_ACCOUNT_H

#include <stdbool.h>
#include <stdint.h>

#include <gnomon/event.h>
#include "model/model.h"

/* An interval, split into classes. */
struct gn_interval {
	uint64_t elapsed;
	uint64_t cost; /* of probes, subtracted from elapsed */
	uint64_t owed; /* the part that could not be subtracted */
	/* possible error of `cost`, plus the growth of `owed` */
	int64_t error;
	uint64_t app;  /* application time, by the classification */
	uint32_t mask; /* bit c: ns[c] is valid; else the class has no time */
	bool gap;      /* records were lost in it */
	bool sliced;   /* ns includes its slices */
	bool hook_waited; /* the cost is a wait for gnomon */
	bool own_work;	  /* the cost is work for gnomon */
	uint64_t ns[GN_CLASS_COUNT];
};

#define GN_NEST_MAX 32

/* A runtime activity that has begun and not ended: JIT, GC. */
struct gn_nest {
	uint8_t class;
	/* number of frames on the shadow stack when it began */
	uint32_t depth;
	uint32_t activity; /* its number in gn_live; 0: none */
	uint64_t stack;	   /* id of that shadow stack */
	uint64_t frame;	   /* its frames are below this; 0: not known */
};

/* A new account is all zeros, but for `since`. */
struct gn_account {
	/* start of the open interval */
	uint64_t since;
	/* OS time that did not fit into the record that ends the interval */
	uint64_t os_notes;
	uint64_t slices[GN_CLASS_COUNT];
	uint32_t slice_mask;
	bool slices_lost;
	bool gap;
	bool no_start;	 /* the beginning of the thread was not seen */
	bool hook_waits; /* it waits for gnomon: the interval is all cost */
	bool for_gnomon; /* the same: it works for gnomon */
	/* cost of the probe that began the interval, after its record */
	uint32_t after;
	uint32_t after_error; /* possible error of `after` */
	/* the part [since - told, since) was already reported */
	uint64_t told;
	uint64_t told_os;     /* time of that part off a CPU, or unclassified */
	uint64_t told_slices; /* time of slices in that part */
	bool told_gap;	      /* records were lost in that part */
	bool part_lost;	      /* slices were lost since that report */
	/* time in `slices` of slices that have not ended */
	uint64_t open_slices;
	uint64_t slices_end; /* the latest end of a slice */
	/* activities, the innermost last */
	struct gn_nest nest[GN_NEST_MAX];
	/* nest_over: begins for which `nest` had no room */
	uint32_t nnest, nest_over;
	/* activities that a frame proved to be over, before their end event */
	uint32_t shown_over;
	/* for each open suspension: the number of activities when it began */
	uint32_t suspended_at[GN_NEST_MAX], nsuspended;
	bool collects; /* its time on a CPU is all garbage collection */
	/* intervals whose slices sum to too little; they become mismatches,
	 * unless the number of the next slice shows that slices were lost */
	uint64_t suspects;
	/* sums over closed intervals; outside: of those outside of any
	 * function */
	uint64_t classes[GN_CLASS_COUNT];
	uint64_t outside[GN_CLASS_COUNT];
	uint64_t outside_elapsed;
	uint64_t app, outside_app;
	uint64_t elapsed, cost;
	uint64_t hook_waited, own_work; /* parts of `cost` */
	int64_t error, outside_error;
};

/* What the record that ends an interval contributes. */
struct gn_ending {
	uint64_t time;
	uint64_t os_ns; /* OS time, without os_notes */
	bool os_event;	/* an OS event happened in it */
	/* cost of the record's probe before and after `time`, with the possible
	 * error of each; 0: subtract nothing */
	uint64_t before, error_before;
	uint32_t after, error_after;
	/* probe cost that earlier intervals of the owner had no room for */
	uint64_t owed;
	enum gn_classify classify;
};

/* Begins an interval at `time` and discards the state of the open one. */
void gn_account_start(struct gn_account *a, uint64_t time);

/* Call this for each slice record. `lost`: records before it were lost. */
void gn_account_slice_seen(struct gn_account *a, bool lost,
			   struct gn_checks *checks);
/* Adds a slice to the open interval. */
void gn_account_slice(struct gn_account *a, enum gn_class class, uint64_t ns);
/* Returns how much of the slice [start, end) was already reported. Pass only
 * the rest to gn_account_slice(). */
uint64_t gn_account_slice_told(struct gn_account *a, uint64_t start,
			       uint64_t end);
/* Adds a slice that has no record yet, or that will be added again later. */
void gn_account_slice_open(struct gn_account *a, enum gn_class class,
			   uint64_t ns);
void gn_account_os_note(struct gn_account *a, uint64_t ns);

/*
 * Ends the open interval and begins the next. Probe cost is subtracted from the
 * time on a CPU, as far as there is any; an interval with lost records keeps
 * all its time. One hit can cost more or less than the average, so cost that
 * cannot be subtracted is carried to the next interval of the same owner.
 * Otherwise short functions would be reported as longer than they are.
 */
void gn_account_close(struct gn_account *a, const struct gn_ending *e,
		      struct gn_interval *iv, struct gn_checks *checks);

/* The same, but no record ends the interval: time outside its slices is
 * unclassified. */
void gn_account_cut(struct gn_account *a, uint64_t time,
		    enum gn_classify classify, struct gn_interval *iv);

/*
 * Reports the open interval up to `time`; the interval goes on. Its slices,
 * including those that have not ended, say what the thread does; the rest is
 * time on a CPU. The record that ends the interval has the OS time of the
 * whole, so the OS time of the rest follows. A gap ends here: the time after it
 * can be classified again. The cost of the probe that began the interval is
 * subtracted as soon as there is time to subtract it from.
 */
void gn_account_tell(struct gn_account *a, uint64_t time,
		     enum gn_classify classify, struct gn_interval *iv);

/* A runtime activity begins or ends. `stack` and `depth` identify its frame;
 * gn_account_heal() drops activities whose frame ended without an end event. */
void gn_account_begin(struct gn_account *a, enum gn_class class, uint64_t stack,
		      uint32_t depth);
void gn_account_end(struct gn_account *a, enum gn_class class);
void gn_account_heal(struct gn_account *a, uint64_t stack, uint32_t depth);
/* The same by address. gn_account_frame(): the frames of the innermost activity
 * are below `frame`. gn_account_above(): a call or its end has its frame at
 * `key`, so activities below that are over. Returns how many were. */
void gn_account_frame(struct gn_account *a, uint64_t frame);
uint32_t gn_account_above(struct gn_account *a, uint64_t key);
/* The thread suspends the others, and resumes them. A collection that it began
 * in between is then over for it, although another thread emits the end. */
void gn_account_suspend(struct gn_account *a);
void gn_account_resume(struct gn_account *a);

/* The innermost activity; there must be one. */
static inline enum gn_class gn_account_activity(const struct gn_account *a)
{
	return (enum gn_class)a->nest[a->nnest - 1].class;
}

/* The class of the thread's time on a CPU. */
static inline enum gn_class gn_account_rest(const struct gn_account *a)
{
	if (a->nnest)
		return gn_account_activity(a);
	return a->collects ? GN_CLASS_GC : GN_CLASS_APP;
}

/* Drops all activities: their end may be among lost records, or the thread
 * executes a new program. */
void gn_account_forget(struct gn_account *a);

/* Whether the open interval has no state but its beginning. */
static inline bool gn_account_is_plain(const struct gn_account *a)
{
	return !(a->os_notes | a->told | a->told_os | a->told_slices |
		 a->slice_mask | a->gap | a->no_start | a->slices_lost |
		 a->part_lost | a->told_gap | a->hook_waits | a->for_gnomon);
}

/* An interval that was all on a CPU, without the cost of probes. */
struct gn_spent {
	uint64_t elapsed, cost, owed; /* as in gn_interval */
	int64_t error;
};

/* Subtracts the cost from `ns`. `after` is that of the probe that began it. */
static inline struct gn_spent gn_account_spend(uint64_t ns, uint32_t after,
					       uint32_t after_error,
					       const struct gn_ending *e)
{
	uint64_t cost = after + e->before + e->owed;
	uint64_t taken = cost < ns ? cost : ns;

	return (struct gn_spent){
		.elapsed = ns - taken,
		.cost = taken,
		.owed = cost - taken,
		.error = (int64_t)(after_error + e->error_before) +
			 (int64_t)(cost - taken - e->owed),
	};
}

/* gn_account_close() for an interval that was all on a CPU, as most are. */
static inline void gn_account_close_plain(struct gn_account *a,
					  const struct gn_ending *e,
					  struct gn_interval *iv)
{
	struct gn_spent spent = gn_account_spend(e->time - a->since, a->after,
						 a->after_error, e);
	enum gn_class class = gn_account_rest(a);

	iv->cost = spent.cost;
	iv->owed = spent.owed;
	iv->elapsed = spent.elapsed;
	iv->mask = spent.elapsed ? 1u << class : 0;
	iv->ns[class] = spent.elapsed;
	iv->gap = iv->sliced = iv->hook_waited = iv->own_work = false;
	iv->app = e->classify == GN_CLASSIFY_INTERVAL && e->os_event
			  ? 0
			  : spent.elapsed;
	iv->error = spent.error;
	a->since = e->time;
	a->slices_end = 0;
	a->after = e->after;
	a->after_error = e->error_after;
}

/* Adds a closed interval to the thread's sums. */
static inline void gn_account_add(struct gn_account *a,
				  const struct gn_interval *iv, bool outside)
{
	uint32_t mask = iv->mask;
	int c;

	a->elapsed += iv->elapsed;
	a->cost += iv->cost;
	a->hook_waited += iv->hook_waited ? iv->cost : 0;
	a->own_work += iv->own_work ? iv->cost : 0;
	a->error += iv->error;
	a->app += iv->app;
	if (outside) {
		a->outside_elapsed += iv->elapsed;
		a->outside_app += iv->app;
		a->outside_error += iv->error;
	}
	for (; mask; mask &= mask - 1) {
		c = __builtin_ctz(mask);
		a->classes[c] += iv->ns[c];
		if (outside)
			a->outside[c] += iv->ns[c];
	}
}

#endif
