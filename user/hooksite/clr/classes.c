// SPDX-License-Identifier: BSD-2-Clause
#include "classes.h"

#include <linux/futex.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <gnomon/spec.h>

#include "names.h"
#include "profiler.h"
#include "sites.h"
#include "thread.h"

#define WAIT_S 1

/* Waits until the word changes or a wake-up, at most for `limit`, which may be
 * NULL. */
static void wait_for(_Atomic uint32_t *word, uint32_t value,
		     const struct timespec *limit)
{
	syscall(SYS_futex, word, FUTEX_WAIT_PRIVATE, value, limit);
}

static void advance(_Atomic uint32_t *word)
{
	atomic_fetch_add(word, 1);
	syscall(SYS_futex, word, FUTEX_WAKE_PRIVATE, 1);
}

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

	prctl(PR_SET_NAME, "gnomon-names");
	for (uint32_t n = 0;; n++) {
		while (atomic_load(&c->asked) == n)
			wait_for(&c->asked, n, NULL);
		gn_clr_resolve(clr, c->index, c->class, gn_names_class);
		advance(&c->resolved);
	}
	return NULL;
}

void gn_classes_start(struct gn_clr *clr)
{
	struct gn_classes *c = &clr->classes;

	pthread_mutex_lock(&c->lock);
	if (!c->started)
		c->started = gn_clr_thread(resolve, clr);
	pthread_mutex_unlock(&c->lock);
}

static time_t now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec;
}

/* The lock is held. */
static bool ask(struct gn_classes *c, uint32_t index, gn_cor_id class)
{
	const struct timespec limit = {.tv_sec = WAIT_S};
	uint32_t before = atomic_load(&c->resolved);
	time_t until;

	if (!c->started || c->late)
		return false;
	c->index = index;
	c->class = class;
	until = now() + WAIT_S;
	advance(&c->asked);
	while (atomic_load(&c->resolved) == before && now() <= until)
		wait_for(&c->resolved, before, &limit);
	c->late = atomic_load(&c->resolved) == before;
	return !c->late;
}

/* The lock is held. The class gets a new index: an earlier class at this
 * address may have had another name. */
static void tell(struct gn_clr *clr, gn_cor_id class)
{
	uint32_t index;

	gn_ids_forget(&clr->ids, class);
	index = gn_ids_get(&clr->ids, class);
	if (index && ask(&clr->classes, index, class) &&
	    gn_clr_name_by(clr, index, class, gn_names_class))
		GN_CLR_SITE(class)(index, class);
}

/* An object begins with its class; collections use the low bits. */
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
	/* it only had no CPU for some time */
	if (atomic_load(&c->resolved) == atomic_load(&c->asked))
		c->late = false;
	for (uint32_t i = 0; i < GN_CLASSES_MAX; i++) {
		gn_cor_id class = atomic_exchange(&c->seen[i], 0);

		if (class)
			GN_CLR_SITE(class)(0, class);
	}
	pthread_mutex_unlock(&c->lock);
}
