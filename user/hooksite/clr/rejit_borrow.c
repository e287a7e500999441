// SPDX-License-Identifier: BSD-2-Clause
/*
 * Hooks for which a module has all signatures (borrow.h). They are called like
 * managed code: a thread that is in one cannot be suspended, and nothing checks
 * after it whether it should be. Threads that are in hooks most of the time, or
 * wait there, delay each collection. When one took long, all these methods get
 * hooks by signatures of their own.
 */
#include "borrow.h"
#include "clock.h"
#include "profiler.h"
#include "rejit.h"
#include "thread.h"

/* More than a suspension takes without hooks, even on a busy machine. */
#define LONG_NS 3000000u

enum { NONE = GN_BORROWING_NONE, SOME, TOO_SLOW, ENDED };

/* The method whose signature hooks of this module are called by. 0: none. */
static gn_token find_call(struct gn_rejit_module *m, const struct gn_md *md)
{
	if (!m->looked)
		m->borrowed_call = gn_borrow_call(md, &m->borrowed);
	m->looked = true;
	return m->borrowed_call;
}

bool gn_rejit_borrow(struct gn_clr *clr, struct gn_rejit_module *m,
		     const struct gn_md *md, gn_token token,
		     const struct gn_bytes *body, struct gn_il_hooks *hooks)
{
	struct gn_borrowing *b = &clr->rejit.borrowing;
	uint32_t none = NONE;
	gn_token locals, call;

	if (m->emit || !clr->fast || clr->rejit.values || hooks->async ||
	    gn_rejit_is_base(clr, hooks->index) ||
	    gn_md_from_native(md, GN_TOKEN_ROW(token)) ||
	    atomic_load(&b->state) >= TOO_SLOW ||
	    gn_il_locals_token(body->at, body->n, &locals))
		return false;
	call = find_call(m, md);
	if (!call || !gn_borrow_slot(md, GN_TOKEN_ROW(token), locals, hooks))
		return false;
	hooks->borrowed.is_set = true;
	hooks->borrowed.by_ref = m->borrowed.by_ref;
	hooks->borrowed.pops = m->borrowed.pops;
	hooks->call = hooks->values.enter = hooks->values.leave = call;
	m->borrows = true;
	atomic_compare_exchange_strong(&b->state, &none, SOME);
	return true;
}

void gn_borrowing_suspends(struct gn_borrowing *b)
{
	b->since = gn_clr_now_ns();
}

void gn_borrowing_suspended(struct gn_borrowing *b)
{
	uint32_t some = SOME;

	if (atomic_load(&b->state) == SOME &&
	    gn_clr_now_ns() - b->since > LONG_NS)
		atomic_compare_exchange_strong(&b->state, &some, TOO_SLOW);
}

/* All methods of the session in modules with such hooks. */
static void list_borrowers(struct gn_clr *clr, struct gn_rejit_list *list)
{
	struct gn_rejit *r = &clr->rejit;
	uint32_t used = atomic_load(&clr->ids.used), place;

	pthread_mutex_lock(&r->lock);
	for (uint32_t i = 1; i <= used; i++) {
		place = gn_rejit_place_of(clr, i);
		if (place && r->module[place - 1].borrows)
			gn_rejit_list_index(clr, list, i);
	}
	pthread_mutex_unlock(&r->lock);
}

static void *end_borrowing(void *clr)
{
	gn_rejit_again(clr, list_borrowers);
	return NULL;
}

void gn_borrowing_check(struct gn_clr *clr)
{
	uint32_t slow = TOO_SLOW;

	if (atomic_compare_exchange_strong(&clr->rejit.borrowing.state, &slow,
					   ENDED))
		gn_clr_thread(end_borrowing, clr);
}
