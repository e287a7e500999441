/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Fast hooks in a hook-site library (gnomon/fast.h). The library's assembly
 * file makes the hooks with fast_hook.h. Their slow paths are here.
 */
#ifndef GNOMON_HOOKSITE_FAST_H
#define GNOMON_HOOKSITE_FAST_H

#include <stdbool.h>
#include <stdint.h>

/* The library's site `fast`. */
typedef void (*gn_fast_tell_fn)(uint64_t what, uint64_t value);

/* A hook that C can call, to measure its cost. */
typedef void (*gn_fast_hook_fn)(uint64_t index, uint64_t sp);

/*
 * Offers the memory to gnomon and waits at most one second for its answer.
 * False: the process has no fast hooks in this session. After it returned true,
 * it fails until gn_fast_leave() has run.
 */
bool gn_fast_start(gn_fast_tell_fn tell, gn_fast_hook_fn enter,
		   gn_fast_hook_fn leave);

/* A site at which only this process's gnomon has a probe. Without it, or with
 * NULL, hooks go on after its end while another gnomon has one at the site
 * `fast`. Before gn_fast_start(). */
void gn_fast_lives_at(const void *own_site);

/* Whether that site has no probe: gnomon is gone. */
bool gn_fast_is_gone(gn_fast_tell_fn tell);

/* The first hook of a session that sees that gnomon has ended calls `fn`. A
 * gnomon that is silent for too long has not ended: it may wake up. Set `fn`
 * before gn_fast_start(). */
void gn_fast_on_over(void (*fn)(void));

/* A hook has seen that gnomon has ended, or gn_fast_stop() was called. */
bool gn_fast_has_ended(void);

/* Hooks that begin from now on write no records. */
void gn_fast_stop(void);

/* Unmaps the memory. No thread may be in a hook. Later hooks pass their sites.
 */
void gn_fast_leave(void);

/* Hooks call these with the thread's own data. Its ring is not busy afterwards.
 */
struct gn_fast_own;
int gn_fast_full(struct gn_fast_own *own);
int gn_fast_claim(struct gn_fast_own *own);
/* The frame key `sp` is on another stack than the last one, or gnomon does not
 * know its stack. The hook then passes its site, which tells gnomon. */
int gn_fast_stack(struct gn_fast_own *own, uint64_t sp);

/* The same for a hook in a signal handler that interrupted another hook. */
int gn_fast_on_top(struct gn_fast_own *own, uint64_t sp);

/* The thread's hooks pass the sites from now on. Returns its previous data. */
struct gn_fast_own *gn_fast_set_ring_aside(void);

/*
 * A signal handler that forks may have interrupted a hook. In the child the
 * handler returns into that hook, but the memory that the hook writes to is
 * gone. So before the fork, the caller copies the data that
 * gn_fast_interrupted() returns; NULL: the thread is in no hook. In the child,
 * gn_fast_end_interrupted() restores that data from the copy and maps private
 * memory, with which the interrupted hook and the child's next hook can end.
 */
struct gn_fast_own *gn_fast_interrupted(void);
void gn_fast_end_interrupted(struct gn_fast_own *own,
			     const struct gn_fast_own *before);

/* Forked children get rings of their own: call it before gn_fast_start(), and
 * gn_fast_be_child() in each of them before it starts a thread. A child that
 * does not call it passes the sites. */
void gn_fast_follow(void);
void gn_fast_be_child(void);

/* The shared memory, if gnomon reads it; else NULL. */
struct gn_fast_page;
struct gn_fast_page *gn_fast_read_page(void);

/* Wakes gnomon. False: it did not sleep. */
bool gn_fast_ring_bell(struct gn_fast_page *page);

/* The range into which the stack of the process's first thread can grow. */
void gn_fast_first_stack(uint64_t lowest, uint64_t top);

#endif
