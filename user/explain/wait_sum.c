/* SPDX-License-Identifier: BSD-2-Clause */
/* Sums of waits, and the callers of those who wait. */
#include "explain/facts.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include <gnomon/path.h>

/* The longest average call of a function that is called again and again. */
static uint64_t short_ns(const struct gn_model *m)
{
	return gn_wall_of(m) / 2 + 1;
}

/* Sums the waits of one class by `key`. */
struct tally {
	uint64_t key, ns, count, longest;
};

static int by_key(const void *left, const void *right)
{
	const struct tally *a = left, *b = right;

	return (a->key > b->key) - (a->key < b->key);
}

/* Sorts and merges `tally` in place. Returns how many remain. */
static size_t merged(struct tally *tally, size_t n)
{
	size_t found = 0;

	qsort(tally, n, sizeof(*tally), by_key);
	for (size_t i = 0; i < n; found++) {
		struct tally now = tally[i++];

		for (; i < n && tally[i].key == now.key; i++) {
			now.ns += tally[i].ns;
			now.count += tally[i].count;
			if (tally[i].longest > now.longest)
				now.longest = tally[i].longest;
		}
		tally[found] = now;
	}
	return found;
}

/* Returns the one with the most time; of equal ones, the one with the lowest
 * key. Merges `tally` in place. */
static struct tally most(struct tally *tally, size_t n)
{
	struct tally best = {0};

	n = merged(tally, n);
	for (size_t i = 0; i < n; i++)
		if (tally[i].ns > best.ns)
			best = tally[i];
	return best;
}

static size_t distinct(struct tally *tally, size_t n)
{
	size_t found = n > 0;

	qsort(tally, n, sizeof(*tally), by_key);
	for (size_t i = 1; i < n; i++)
		found += tally[i].key != tally[i - 1].key;
	return found;
}

/* Wakers are distinguished by the function they woke from, or else by
 * thread. */
static uint64_t waker_key(const struct gn_model_wait *w)
{
	if (w->waker_function >= 0)
		return (uint64_t)1 << 32 | (uint32_t)w->waker_function;
	return w->waker;
}

/* Selects the waits to sum. */
struct which {
	enum gn_class class;
	uint64_t most; /* limit of their function's calls; 0: any function, or
			  none */
	bool answers;  /* polls of files that others write to */
};

static bool is_short(const struct gn_model *m, int32_t function, uint64_t most)
{
	const struct gn_values *v;

	if (function < 0)
		return false;
	v = &m->functions[function].v;
	return v->calls && v->elapsed_incl / v->calls <= most;
}

/* A poll for an answer that does not come ends at its deadline. */
static bool is_answer(const struct gn_model_wait *w)
{
	if (w->end != GN_END_BY_READY && w->end != GN_END_BY_TIMEOUT)
		return false;
	return w->polled == GN_POLLED_SOCKET || w->polled == GN_POLLED_UNIX ||
	       w->polled == GN_POLLED_PIPE;
}

bool gn_calls_short(const struct gn_model *m, int32_t function)
{
	return is_short(m, function, short_ns(m));
}

/* The most frames to examine on one path. */
#define PATH_MOST 256

/* The value that a node adds to its function: calls, or its own time of the
 * class. Time of a runtime's activity counts as its caller's own. */
static uint64_t weight_of(const struct gn_model_node *n, int class)
{
	return class == GN_CLASS_COUNT ? n->v.calls : n->v.class_excl[class];
}

static bool runs(const struct gn_model *m, const struct gn_model_node *n,
		 int32_t function)
{
	while (n->activity && n->parent >= 0)
		n = &m->nodes[n->parent];
	return n->function == function;
}

/* Whether the module is of .NET's own library. */
static bool is_library(const char *module)
{
	return !strncmp(gn_base_name(module), "System.", 7);
}

/* What a path does with a queue of .NET. */
enum queue { QUEUE_NONE, QUEUE_TAKES, QUEUE_PUTS };

static enum queue queue_of(const struct gn_model_function *fn)
{
	static const char type[] =
		"System.Collections.Concurrent.BlockingCollection<T>.";
	const char *what;

	if (strncmp(fn->name, type, sizeof(type) - 1) != 0)
		return QUEUE_NONE;
	what = fn->name + sizeof(type) - 1;
	return !strncmp(what, "Add", 3) || !strncmp(what, "TryAdd", 6)
		       ? QUEUE_PUTS
		       : QUEUE_TAKES;
}

/* The first function above the node from a module other than `of` and those of
 * .NET's library: that is where calls are made for the program. */
static int32_t outside(const struct gn_model *m, const struct gn_model_node *n,
		       const char *of, enum queue *queue)
{
	for (int i = 0; i < PATH_MOST && n->parent >= 0; i++) {
		const struct gn_model_function *fn;

		n = &m->nodes[n->parent];
		if (n->function < 0)
			continue;
		fn = &m->functions[n->function];
		if (queue && !*queue)
			*queue = queue_of(fn);
		if (strcmp(fn->module, of) != 0 && !is_library(fn->module))
			return n->function;
	}
	return -1;
}

/* Whether the node's waits for other threads are those of a loop for its next
 * work: below a long call that hardly does anything but wait, or one that takes
 * from a queue. One that puts into a full queue is held up. */
static bool is_loop(const struct gn_model *m, const struct gn_model_node *n,
		    const char *module)
{
	enum queue queue = QUEUE_NONE;
	int32_t caller = outside(m, n, module, &queue);
	const struct gn_values *v;

	if (caller < 0 || queue == QUEUE_PUTS)
		return false;
	v = &m->functions[caller].v;
	if (queue == QUEUE_TAKES)
		return !is_short(m, caller, gn_wall_of(m) / 10);
	return !gn_calls_short(m, caller) &&
	       v->class_incl[GN_CLASS_EVENT] >=
		       v->elapsed_incl - v->elapsed_incl / 10;
}

/* Sums what to leave out of a function: waits of loops for their next work. */
static void sum_loops(const struct gn_model *m, const struct which *of,
		      uint64_t *by)
{
	if (!of->most || of->class != GN_CLASS_EVENT)
		return;
	for (size_t i = 0; i < m->nnodes; i++) {
		const struct gn_model_node *n = &m->nodes[i];
		uint64_t ns = n->v.class_excl[of->class];

		if (ns && n->function >= 0 && !n->activity &&
		    is_loop(m, n, m->functions[n->function].module))
			by[n->function] += ns;
	}
}

bool gn_waits_for_collection(const struct gn_model_wait *w)
{
	return w->class == GN_CLASS_EVENT && !w->idle &&
	       (!strcmp(w->waker_name, ".NET Server GC") ||
		!strcmp(w->waker_name, ".NET BGC"));
}

/* Whether the wait was for a signal that did not come before its deadline: that
 * is how a worker of .NET waits for work that can come. Thread.Sleep waits
 * elsewhere. */
static bool for_signal(const struct gn_model *m, const struct gn_model_wait *w)
{
	static const char *const names[] = {"Monitor.Wait", "Monitor.ObjWait",
					    "WaitHandle.",
					    "ManualResetEventSlim."};
	static const char space[] = "System.Threading.";
	const size_t len = sizeof(space) - 1;
	const char *name;

	if (w->class != GN_CLASS_SLEEP || w->function < 0)
		return false;
	name = m->functions[w->function].name;
	if (strncmp(name, space, len) != 0)
		return false;
	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (!strncmp(name + len, names[i], strlen(names[i])))
			return true;
	return false;
}

static bool counts(const struct gn_model *m, const struct gn_model_wait *w,
		   const struct which *of)
{
	if (w->class != of->class || w->idle || gn_waits_for_collection(w) ||
	    w->polled == GN_POLLED_GNOMON || for_signal(m, w))
		return false;
	if (of->answers && !is_answer(w))
		return false;
	if (of->most && of->class == GN_CLASS_EVENT && w->longest > of->most)
		return false;
	return !of->most || is_short(m, w->function, of->most);
}

/* A runtime that does what gnomon asked for when it attached can make threads
 * wait for each other, so such waits are left out. */
static uint64_t attach_ns(const struct gn_model_wait *w)
{
	return w->class == GN_CLASS_LOCK || w->class == GN_CLASS_EVENT
		       ? w->attach_ns
		       : 0;
}

static struct tally tally_of(uint64_t key, const struct gn_model_wait *w)
{
	uint64_t left_out = attach_ns(w);

	return (struct tally){key, w->ns - left_out,
			      w->count - (left_out ? w->attaches : 0),
			      left_out ? w->later_longest : w->longest};
}

static void find_waker(const struct gn_model *m, const struct which *of,
		       struct tally *tally, struct gn_wait_sum *out)
{
	uint64_t longest = 0;
	struct tally best;
	size_t n = 0;

	for (size_t i = 0; i < m->nwaits; i++) {
		const struct gn_model_wait *w = &m->waits[i];

		if (counts(m, w, of) && w->function == out->function &&
		    w->waker)
			tally[n++] = tally_of(waker_key(w), w);
	}
	best = most(tally, n);
	out->by_ns = best.ns;
	n = 0;
	for (size_t i = 0; best.ns && i < m->nwaits; i++) {
		const struct gn_model_wait *w = &m->waits[i];

		if (!counts(m, w, of) || w->function != out->function ||
		    !w->waker || waker_key(w) != best.key)
			continue;
		tally[n++] = (struct tally){.key = w->waker};
		if (!out->by || w->ns > longest) {
			longest = w->ns;
			out->by = w;
		}
	}
	out->by_threads = distinct(tally, n);
}

/* Leaves waits of loops out of a function's sum. Which of its waits they are is
 * not known. */
static void leave_out(struct tally *t, uint64_t loops)
{
	if (!loops)
		return;
	t->ns -= t->ns < loops ? t->ns : loops;
	t->count = t->longest = 0;
}

/* Sums by function. loops: what to leave out of each. */
static void sum_functions(const struct gn_model *m, const struct which *of,
			  const uint64_t *loops, struct tally *tally,
			  struct gn_wait_sum *out)
{
	struct tally now = {0}, best = {0};
	size_t n = 0;

	for (size_t i = 0; i < m->nwaits; i++) {
		const struct gn_model_wait *w = &m->waits[i];

		if (!counts(m, w, of))
			continue;
		tally[n++] = tally_of((uint32_t)(w->function + 1), w);
		out->attach_ns += attach_ns(w);
		if (w->interpreter)
			out->interpreter_ns += tally[n - 1].ns;
	}
	n = merged(tally, n);
	for (size_t i = 0; i < n; i++) {
		now = tally[i];
		if (now.key)
			leave_out(&now, loops[now.key - 1]);
		out->ns += now.ns;
		out->count += now.count;
		if (now.longest > out->longest)
			out->longest = now.longest;
		if (now.ns > best.ns)
			best = now;
	}
	out->function = (int32_t)best.key - 1;
	out->function_ns = best.ns;
	out->function_count = best.count;
	out->function_longest = best.longest;
}

static int sum(const struct gn_model *m, const struct which *of,
	       struct gn_wait_sum *out)
{
	struct tally *tally = calloc(m->nwaits + 1, sizeof(*tally)), best;
	uint64_t *loops = calloc(m->nfunctions + 1, sizeof(*loops));
	size_t n = 0;

	*out = (struct gn_wait_sum){.function = -1, .reason = GN_NO_SYSCALL};
	if (tally && loops) {
		sum_loops(m, of, loops);
		sum_functions(m, of, loops, tally, out);
		for (size_t i = 0; i < m->nwaits; i++)
			if (counts(m, &m->waits[i], of))
				tally[n++] = tally_of(m->waits[i].reason,
						      &m->waits[i]);
		best = most(tally, n);
		if (best.ns)
			out->reason = (uint16_t)best.key;
		out->reason_ns = best.ns;
		out->reason_count = best.count;
		if (out->function_count)
			find_waker(m, of, tally, out);
	}
	n = tally && loops;
	free(tally);
	free(loops);
	return n ? 0 : -ENOMEM;
}

int gn_wait_sum(const struct gn_model *m, enum gn_class class,
		struct gn_wait_sum *out)
{
	return sum(m, &(struct which){class, 0, false}, out);
}

int gn_wait_sum_short(const struct gn_model *m, enum gn_class class,
		      struct gn_wait_sum *out)
{
	return sum(m, &(struct which){class, short_ns(m), false}, out);
}

int gn_wait_sum_answers(const struct gn_model *m, struct gn_wait_sum *out)
{
	return sum(m, &(struct which){GN_CLASS_POLL, short_ns(m), true}, out);
}

/* The only caller that more than half can come through (a majority vote): each
 * caller's weight cancels that of others. */
static int32_t half_through(const struct gn_model *m, int32_t function,
			    int class, bool brief)
{
	const char *module = m->functions[function].module;
	int32_t most = -1, caller;
	uint64_t ahead = 0;

	for (size_t i = 0; i < m->nnodes; i++) {
		uint64_t weight = weight_of(&m->nodes[i], class);

		if (!weight || !runs(m, &m->nodes[i], function) ||
		    (brief && is_loop(m, &m->nodes[i], module)))
			continue;
		caller = outside(m, &m->nodes[i], module, NULL);
		if (caller == most) {
			ahead += weight;
		} else if (ahead >= weight) {
			ahead -= weight;
		} else {
			ahead = weight - ahead;
			most = caller;
		}
	}
	return most;
}

void gn_caller_outside(const struct gn_model *m, int32_t function, int class,
		       bool brief, struct gn_caller *out)
{
	const char *module = m->functions[function].module;

	*out = (struct gn_caller){half_through(m, function, class, brief), 0,
				  0};
	for (size_t i = 0; out->function >= 0 && i < m->nnodes; i++) {
		uint64_t weight = weight_of(&m->nodes[i], class);

		if (!weight || !runs(m, &m->nodes[i], function) ||
		    (brief && is_loop(m, &m->nodes[i], module)))
			continue;
		out->all += weight;
		if (outside(m, &m->nodes[i], module, NULL) == out->function)
			out->through += weight;
	}
	if (out->through <= out->all / 2)
		out->function = -1;
}
