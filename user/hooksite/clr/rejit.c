// SPDX-License-Identifier: BSD-2-Clause
#include "rejit.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <gnomon/hooksite.h>

#include "events.h"
#include "image.h"
#include "profiler.h"
#include "settle.h"
#include "sites.h"
#include "thread.h"

typedef gn_hr (*query_fn)(void *, const struct gn_guid *, void **);
typedef gn_hr (*request_fn)(void *, uint32_t, const gn_cor_id *,
			    const gn_token *);
typedef gn_hr (*request_inliners_fn)(void *, uint32_t, uint32_t,
				     const gn_cor_id *, const gn_token *);
typedef gn_hr (*revert_fn)(void *, uint32_t, const gn_cor_id *,
			   const gn_token *, gn_hr *);

/* RequestReJITWithInliners: rewritten methods are inlined nowhere. */
#define BLOCK_INLINING 1

#define PART	     128
#define PART_REST_NS 1000000

gn_hr gn_rejit_init(struct gn_clr *clr, void *info)
{
	static const struct gn_guid info10 = {
		0x2f1b5152,
		0xc869,
		0x40c9,
		{0xaa, 0x5f, 0x3a, 0xbe, 0x02, 0x6b, 0xd7, 0x20}};

	pthread_mutex_init(&clr->rejit.lock, NULL);
	pthread_mutex_init(&clr->rejit.ends, NULL);
	pthread_mutex_init(&clr->rejit.requests, NULL);
	return GN_COM(info, GN_UNKNOWN_QUERY, query_fn)(info, &info10,
							&clr->rejit.info);
}

/*
 * While the runtime takes a request, it stops the program's threads or lets
 * none compile: for seconds, if it gets thousands of methods at once. So it
 * gets them in parts. Returns how many of the methods from `i` on are the next
 * part; before a further part, lets threads run that wait for the runtime.
 */
static uint32_t next_part(const struct gn_rejit_list *list, uint32_t i)
{
	struct timespec t = {.tv_nsec = PART_REST_NS};

	if (i && i < list->n)
		nanosleep(&t, NULL);
	return list->n - i < PART ? list->n - i : PART;
}

static gn_hr request_all(struct gn_rejit *r, const struct gn_rejit_list *list)
{
	gn_hr hr = 0, failed = 0;

	for (uint32_t i = 0, n; (n = next_part(list, i)); i += n) {
		hr = GN_COM(r->info, GN_INFO_REQUEST_REJIT, request_fn)(
			r->info, n, &list->modules[i], &list->tokens[i]);
		if (hr < 0)
			failed = hr;
	}
	return failed;
}

/* Restores the methods' own code. State machines that may have tags get code
 * that removes them. */
static void restore(struct gn_clr *clr, const struct gn_rejit_list *list)
{
	struct gn_rejit *r = &clr->rejit;
	struct gn_rejit_list own = {0}, tagged = {0};
	gn_hr each[PART];

	for (uint32_t i = 0; i < list->n; i++) {
		uint32_t place = gn_modules_find(&r->modules, list->modules[i]);
		uint32_t index =
			place ? gn_ids_find(&clr->ids,
					    GN_REJIT_ID(place, list->tokens[i]))
			      : 0;
		bool untag = index &&
			     atomic_load(&gn_id_of(&clr->ids, index)->tagged);

		gn_rejit_list_add(untag ? &tagged : &own, list->modules[i],
				  list->tokens[i]);
	}
	request_all(r, &tagged);
	for (uint32_t i = 0, n; (n = next_part(&own, i)); i += n)
		GN_COM(r->info, GN_INFO_REQUEST_REVERT, revert_fn)
	(r->info, n, &own.modules[i], &own.tokens[i], each);
	gn_rejit_list_free(&own);
	gn_rejit_list_free(&tagged);
}

static void request_inliners(struct gn_rejit *r,
			     const struct gn_rejit_list *list)
{
	for (uint32_t i = 0, n; (n = next_part(list, i)); i += n)
		GN_COM(r->info, GN_INFO_REQUEST_REJIT_INLINERS,
		       request_inliners_fn)
	(r->info, BLOCK_INLINING, n, &list->modules[i], &list->tokens[i]);
}

/* The same for a runtime where a helper of the JIT compiler, which must not be
 * recompiled, can hold copies. Leaves out methods of the core library, and
 * reports their number. */
static void request_without_core(struct gn_clr *clr,
				 const struct gn_rejit_list *list)
{
	struct gn_rejit_list rest = {0};
	const struct gn_image *image;
	gn_cor_id core = 0;

	for (uint32_t i = 0; i < list->n; i++) {
		if (!core) {
			image = gn_images_get(&clr->images, list->modules[i]);
			if (image && gn_image_is_core(image))
				core = list->modules[i];
		}
		if (list->modules[i] != core)
			gn_rejit_list_add(&rest, list->modules[i],
					  list->tokens[i]);
	}
	if (rest.n < list->n)
		GN_CLR_SITE(selected)(GN_SELECTED_COPIED, list->n - rest.n);
	request_inliners(&clr->rejit, &rest);
	gn_rejit_list_free(&rest);
}

/*
 * The runtime checks whether a method may be inlined, then asks this library,
 * and registers the copy after some more milliseconds of the thread's CPU time.
 * Nothing reports that registration.
 */
#define COPIED_NS 100000000u
/* between the runtime's check and its question */
#define CHECKED_NS 10000000u

/* Compilations inline nothing until copies are allowed again. False: a thread
 * got too little CPU time to be done with the copies that it had begun. */
static bool forbid_copies(struct gn_clr *clr)
{
	if (!clr->deadlocks)
		return true;
	atomic_store(&clr->rejit.copies_off, true);
	return gn_settle(COPIED_NS);
}

/* Not in this session if a thread got no CPU time. */
static void allow_copies(struct gn_clr *clr)
{
	if (clr->deadlocks && gn_settle(CHECKED_NS))
		atomic_store(&clr->rejit.copies_off, false);
}

void gn_rejit_again(struct gn_clr *clr, gn_rejit_list_fn fn)
{
	struct gn_rejit *r = &clr->rejit;
	struct gn_rejit_list list = {0};

	pthread_mutex_lock(&r->requests);
	if (atomic_load(&r->session))
		fn(clr, &list);
	if (list.n) {
		if (forbid_copies(clr))
			request_all(r, &list);
		allow_copies(clr);
	}
	pthread_mutex_unlock(&r->requests);
	gn_rejit_list_free(&list);
}

/* The index of the list's method `i`; 0: it is not chosen. */
static uint32_t chosen_at(struct gn_clr *clr, const struct gn_rejit_list *list,
			  uint32_t i)
{
	uint32_t place = gn_modules_find(&clr->rejit.modules, list->modules[i]);

	return place ? gn_rejit_chosen(clr, GN_METHOD(place, list->tokens[i]))
		     : 0;
}

/* Requests none of the methods, which could crash the program. */
static void give_up(struct gn_clr *clr, const struct gn_rejit_list *list)
{
	for (uint32_t i = 0; i < list->n; i++) {
		uint32_t index = chosen_at(clr, list, i);

		if (index)
			atomic_store(&gn_id_of(&clr->ids, index)->chosen, 0);
	}
	atomic_store(&clr->rejit.copies_off, false);
	GN_CLR_SITE(selected)(GN_SELECTED_FAILED, list->n);
}

/*
 * First requests the methods together with all methods that the runtime knows
 * to hold copies of them. Those are recompiled without the copies, and none
 * gets hooks yet: a method with hooks that also holds a copy of one from a
 * later part would lose its hooks for a while, and its async machines their
 * way back. Then all methods are requested again. The runtime finds only some
 * of the precompiled holders: none for methods of nested types.
 *
 * If all methods are requested, all holders are among them. The runtime's
 * search for holders would take more than half of the time.
 */
static void request(struct gn_clr *clr, const struct gn_rejit_list *list,
		    const struct gn_rejit_list *holders, bool all)
{
	struct gn_rejit *r = &clr->rejit;
	gn_hr hr;

	if (!list->n)
		return;
	if (!forbid_copies(clr)) {
		give_up(clr, list);
		return;
	}
	atomic_store(&r->removes, !all);
	if (!all && clr->keeps_helpers)
		request_without_core(clr, list);
	else if (!all)
		request_inliners(r, list);
	atomic_store(&r->removes, false);
	hr = request_all(r, list);
	if (holders->n && !all)
		request_all(r, holders);
	allow_copies(clr);
	if (hr < 0)
		GN_CLR_SITE(selected)(GN_SELECTED_FAILED, list->n);
}

/* How many of the first `n` methods are still chosen: the runtime can have
 * refused some at once. */
static uint32_t count_chosen(struct gn_clr *clr,
			     const struct gn_rejit_list *list, uint32_t n)
{
	uint32_t chosen = 0;

	for (uint32_t i = 0; i < n; i++)
		chosen += chosen_at(clr, list, i) != 0;
	return chosen;
}

/* Holds the methods of a list from index `first` on. A method without room in
 * the set keeps its code of this session, with calls in place of copies. */
static void hold_all(struct gn_rejit *r, const struct gn_rejit_list *list,
		     uint32_t first)
{
	pthread_mutex_lock(&r->lock);
	for (uint32_t i = first; i < list->n; i++) {
		uint32_t place = gn_modules_find(&r->modules, list->modules[i]);

		if (place)
			gn_method_set_add(&r->held,
					  GN_METHOD(place, list->tokens[i]));
	}
	pthread_mutex_unlock(&r->lock);
}

/* What a session requests. */
struct requests {
	struct gn_clr *clr;
	struct gn_rejit_list list, holders;
};

/* Finds the chosen methods of a module, and the methods with copies of them. */
static void scan(void *ctx, gn_cor_id module)
{
	struct requests *q = ctx;
	uint32_t before = q->list.n;

	gn_rejit_scan(q->clr, module, false, &q->list);
	gn_rejit_add_holders(q->clr, module, q->list.n - before, &q->holders);
}

/* Requests the method that is called for suspensions before those that can be
 * suspended. */
static void request_base(struct gn_clr *clr)
{
	struct gn_rejit_list base = {0};

	if (gn_rejit_base_on(clr, &base))
		request_all(&clr->rejit, &base);
	gn_rejit_list_free(&base);
}

void gn_rejit_open(struct gn_clr *clr, const char *filter, const char *values,
		   size_t n)
{
	struct gn_rejit *r = &clr->rejit;

	/* no functions requested: nothing to look for */
	r->filter = gn_filter_asks(filter) ? strdup(filter) : NULL;
	if (r->filter)
		gn_filter_parse(r->filter, &r->lines);
	r->values = r->filter && n ? strndup(values, n) : NULL;
	if (r->filter)
		atomic_store(&r->session, ++r->sessions);
	atomic_store(&r->borrowing.state, GN_BORROWING_NONE);
	gn_classes_forget(clr);
}

void gn_rejit_open_awaits(struct gn_clr *clr)
{
	struct gn_rejit *r = &clr->rejit;

	r->filter = strdup(clr->filter ? clr->filter : "");
	r->values = clr->values ? strdup(clr->values) : NULL;
	r->from_start = r->only_awaits = true;
	if (r->filter)
		atomic_store(&r->session, ++r->sessions);
}

void gn_rejit_begin(struct gn_clr *clr, const char *filter, const char *values,
		    size_t n)
{
	struct gn_rejit *r = &clr->rejit;
	struct requests q = {.clr = clr};

	gn_rejit_end(clr);
	pthread_mutex_lock(&r->lock);
	gn_rejit_open(clr, filter, values, n);
	gn_unloads_hold(&clr->unloads);
	if (r->filter)
		gn_rejit_each_module(clr, scan, &q);
	gn_unloads_release(&clr->unloads);
	pthread_mutex_unlock(&r->lock);
	hold_all(r, &q.holders, 0);
	/* unlocked: a request can load modules, which calls back into this
	 * file */
	pthread_mutex_lock(&r->requests);
	request_base(clr);
	request(clr, &q.list, &q.holders, gn_filter_hooks_all(filter));
	pthread_mutex_unlock(&r->requests);
	GN_CLR_SITE(selected)
	(GN_SELECTED_METHODS, count_chosen(clr, &q.list, q.list.n));
	gn_rejit_list_free(&q.list);
	gn_rejit_list_free(&q.holders);
}

/* A method that is chosen or tagged is restored as such, not as held. */
static bool only_held(struct gn_clr *clr, uint64_t method)
{
	uint32_t index = gn_ids_find(&clr->ids, GN_REJIT_ID_OF(method));

	return !index || !(atomic_load(&gn_id_of(&clr->ids, index)->chosen) ||
			   atomic_load(&gn_id_of(&clr->ids, index)->tagged));
}

static void take_held(struct gn_clr *clr, struct gn_rejit_list *list)
{
	struct gn_rejit *r = &clr->rejit;

	for (uint32_t i = 0; i < GN_METHODS_ROOM; i++) {
		uint64_t method = gn_method_set_at(&r->held, i);
		uint32_t place = GN_METHOD_MODULE(method);
		gn_cor_id module;

		if (!method)
			continue;
		module = atomic_load(&r->modules.module[place - 1]);
		if (module && only_held(clr, method))
			gn_rejit_list_add(list, module,
					  GN_REJIT_METHOD_TOKEN(method));
	}
	gn_method_set_clear(&r->held);
}

/* Takes all chosen methods and makes them no longer chosen. */
static void take_chosen(struct gn_clr *clr, struct gn_rejit_list *list)
{
	uint32_t used = atomic_load(&clr->ids.used);

	for (uint32_t i = 1; i <= used; i++) {
		if (!gn_rejit_place_of(clr, i))
			continue;
		atomic_store(&gn_id_of(&clr->ids, i)->chosen, 0);
		gn_rejit_list_index(clr, list, i);
	}
}

void gn_rejit_end(struct gn_clr *clr)
{
	struct gn_rejit *r = &clr->rejit;
	struct gn_rejit_list list = {0};

	pthread_mutex_lock(&r->requests);
	pthread_mutex_lock(&r->lock);
	atomic_store(&r->session, 0);
	atomic_store(&r->copies_off, false);
	gn_filter_lines_free(&r->lines);
	free(r->filter);
	free(r->values);
	r->filter = r->values = NULL;
	take_held(clr, &list);
	gn_rejit_base_off(clr, &list);
	take_chosen(clr, &list);
	pthread_mutex_unlock(&r->lock);
	restore(clr, &list);
	pthread_mutex_unlock(&r->requests);
	gn_rejit_list_free(&list);
}

void gn_rejit_module_loaded(struct gn_clr *clr, gn_cor_id module)
{
	struct gn_rejit *r = &clr->rejit;
	struct gn_rejit_list list = {0};
	uint32_t own;

	if (!atomic_load(&r->session))
		return;
	pthread_mutex_lock(&r->lock);
	if (r->filter)
		gn_rejit_scan(clr, module, true, &list);
	pthread_mutex_unlock(&r->lock);
	own = list.n;
	gn_rejit_add_holders(clr, module, own, &list);
	hold_all(r, &list, own);
	if (list.n) {
		request_base(clr);
		request_all(r, &list);
		/* the session ended before this request, so its own revert
		 * missed these methods; a new session requests its own */
		if (!atomic_load(&r->session))
			restore(clr, &list);
		GN_CLR_SITE(selected)
		(r->only_awaits ? GN_SELECTED_AWAITS : GN_SELECTED_METHODS,
		 count_chosen(clr, &list, own));
	}
	gn_rejit_list_free(&list);
}

void gn_rejit_module_unloaded(struct gn_clr *clr, gn_cor_id module)
{
	struct gn_rejit *r = &clr->rejit;
	struct gn_rejit_module *m;
	uint32_t place;

	if (!r->info)
		return;
	pthread_mutex_lock(&r->lock);
	place = gn_modules_find(&r->modules, module);
	if (place) {
		m = &r->module[place - 1];
		gn_names_release(m->emit);
		*m = (struct gn_rejit_module){0};
		gn_modules_forget(&r->modules, module);
	}
	pthread_mutex_unlock(&r->lock);
}

void gn_rejit_compiles(struct gn_clr *clr, gn_cor_id function)
{
	struct gn_rejit *r = &clr->rejit;
	uint64_t method;

	if (!atomic_load(&r->session) || r->from_start)
		return;
	/* the runtime itself requests the holders of copies that it knows */
	method = gn_image_method(r->info, &r->modules, function);
	if (!method || gn_rejit_chosen(clr, method))
		return;
	pthread_mutex_lock(&r->lock);
	if (r->filter)
		gn_method_set_add(&r->held, method);
	pthread_mutex_unlock(&r->lock);
}

/* From now on the process is like one that gnomon did not start, unless it has
 * events that cannot be turned off. */
static void *end_started(void *profiler)
{
	struct gn_clr *clr = profiler;
	struct gn_rejit *r = &clr->rejit;

	pthread_mutex_lock(&r->ends);
	if (r->from_start) {
		clr->chooses = false; /* precompiled code may run again */
		gn_rejit_end(clr);
		if (!r->only_awaits &&
		    !(clr->families & GN_FAMILIES_AT_START)) {
			clr->wants = GN_WANT_ATTACHED | GN_WANT_IL;
			gn_clr_set_events(clr, GN_WANT_BETWEEN);
			r->from_start = false;
		}
	}
	pthread_mutex_unlock(&r->ends);
	return NULL;
}

/* The kernel writes a probe into the site, and restores the nops when the probe
 * is gone. A gnomon that is stopped by a signal still has its probes. */
static bool is_probed(const struct gn_clr *clr)
{
	return *(const volatile uint16_t *)clr->lives != GN_SITE_BARE;
}

void gn_rejit_check(struct gn_clr *clr)
{
	struct gn_rejit *r = &clr->rejit;

	if (!r->from_start)
		return;
	if (is_probed(clr))
		atomic_store(&r->probed, true);
	else if (atomic_exchange(&r->probed, false))
		gn_clr_thread(end_started, clr);
}

bool gn_rejit_is_free(struct gn_clr *clr)
{
	if (!clr->by_il)
		return false;
	if (clr->rejit.from_start && !is_probed(clr))
		end_started(clr);
	return !clr->rejit.from_start;
}
