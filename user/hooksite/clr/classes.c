// SPDX-License-Identifier: BSD-2-Clause
#include "classes.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <time.h>

#include <gnomon/spec.h>

#include "names.h"
#include "profiler.h"
#include "sites.h"

#define WAIT_S 1

/* The slot of a class, or the empty one where it goes; NULL: no room. */
static _Atomic gn_cor_id *find(struct gn_classes *c, gn_cor_id class)
{
	/* Fibonacci hashing: the high bits of the product are well mixed. */
	uint64_t mixed = class * 0x9e3779b97f4a7c15u >> 32;

	for (uint32_t n = 0; n < GN_CLASSES_WINDOW; n++) {
		_Atomic gn_cor_id *slot =
			&c->seen[(mixed + n) % GN_CLASSES_MAX];
		gn_cor_id is = atomic_load(slot);

		if (!is || is == class)
			return slot;
	}
	return NULL;
}

static void *resolve(void *profiler)
{
	struct gn_clr *clr = profiler;
	struct gn_classes *c = &clr->classes;

	pthread_setname_np(pthread_self(), "gnomon-names");
	for (;;) {
		while (sem_wait(&c->asked))
			;
		gn_clr_resolve(clr, c->index, c->class, gn_names_class);
		sem_post(&c->resolved);
	}
	return NULL;
}

void gn_classes_start(struct gn_clr *clr)
{
	struct gn_classes *c = &clr->classes;
	sigset_t all, old;
	pthread_t thread;

	pthread_mutex_lock(&c->lock);
	if (!c->started && !sem_init(&c->asked, 0, 0) &&
	    !sem_init(&c->resolved, 0, 0)) {
		/* signals of the program are not for it */
		sigfillset(&all);
		pthread_sigmask(SIG_SETMASK, &all, &old);
		c->started = !pthread_create(&thread, NULL, resolve, clr);
		pthread_sigmask(SIG_SETMASK, &old, NULL);
		if (c->started)
			pthread_detach(thread);
	}
	pthread_mutex_unlock(&c->lock);
}

/* The lock is held. */
static bool ask(struct gn_classes *c, uint32_t index, gn_cor_id class)
{
	struct timespec until;
	int err;

	if (!c->started || c->late)
		return false;
	c->index = index;
	c->class = class;
	sem_post(&c->asked);
	clock_gettime(CLOCK_MONOTONIC, &until);
	until.tv_sec += WAIT_S;
	do {
		err = sem_clockwait(&c->resolved, CLOCK_MONOTONIC, &until);
	} while (err && errno == EINTR);
	c->late = err != 0;
	return !err;
}

/* The lock is held. An index of the class itself: what an earlier one at this
 * address was called says nothing. */
static void tell(struct gn_clr *clr, gn_cor_id class)
{
	uint32_t index;

	gn_ids_forget(&clr->ids, class);
	index = gn_ids_get(&clr->ids, class);
	if (index && ask(&clr->classes, index, class) &&
	    gn_clr_name_by(clr, index, class, gn_names_class))
		GN_CLR_SITE(class)(index, class);
}

/* What begins with its class; the low bits are a collection's. */
static gn_cor_id class_at(uint64_t place)
{
	const uint64_t *slot = (void *)(uintptr_t)GN_PLACE_ADDRESS(place);
	uint64_t object, class = 0;

	memcpy(&object, slot, sizeof(object));
	if (object)
		memcpy(&class, (void *)(uintptr_t)object, sizeof(class));
	return class & ~7ull;
}

void gn_classes_see(uint64_t place, struct gn_clr *clr)
{
	gn_cor_id class = GN_PLACE_ADDRESS(place) ? class_at(place) : 0;
	struct gn_classes *c = &clr->classes;
	_Atomic gn_cor_id *slot;

	if (!class)
		return;
	slot = find(c, class);
	if (!slot || atomic_load(slot) == class)
		return;
	pthread_mutex_lock(&c->lock);
	slot = find(c, class);
	if (slot && atomic_load(slot) != class) {
		tell(clr, class);
		atomic_store(slot, class);
	}
	pthread_mutex_unlock(&c->lock);
}

void gn_classes_forget(struct gn_clr *clr)
{
	struct gn_classes *c = &clr->classes;

	pthread_mutex_lock(&c->lock);
	for (uint32_t i = 0; i < GN_CLASSES_MAX; i++) {
		gn_cor_id class = atomic_exchange(&c->seen[i], 0);

		if (class)
			GN_CLR_SITE(class)(0, class);
	}
	pthread_mutex_unlock(&c->lock);
}
