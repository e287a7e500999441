/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Fast hooks in a hook-site library (gnomon/fast.h). The hooks are made by
 * fast_hook.h in the library's assembly file; what they do seldom is here.
 */
#ifndef GNOMON_HOOKSITE_FAST_H
#define GNOMON_HOOKSITE_FAST_H

#include <stdbool.h>
#include <stdint.h>

/* The library's site `fast`. */
typedef void (*gn_fast_tell_fn)(uint64_t what, uint64_t value);

/* A hook as C calls it, for measuring what one costs. */
typedef void (*gn_fast_hook_fn)(uint64_t index, uint64_t sp);

/*
 * Offers the memory to gnomon and waits for its answer, for a second at most.
 * False: there are no fast hooks in this process, and nothing of them is left.
 * Again only after gn_fast_leave().
 */
bool gn_fast_start(gn_fast_tell_fn tell, gn_fast_hook_fn enter,
		   gn_fast_hook_fn leave);

/* Nobody has a probe at the site. */
bool gn_fast_is_gone(gn_fast_tell_fn tell);

/* Called in a hook, once in a session: gnomon has ended. One that was silent
 * for too long has not: it may wake up. Set before gn_fast_start(). */
void gn_fast_on_over(void (*fn)(void));

/* A hook has seen that gnomon has ended, or this is no session. */
bool gn_fast_has_ended(void);

/* No hook writes any more, but for those that have begun. */
void gn_fast_stop(void);

/* Has the memory as it was. No thread may be in a hook; a hook that comes
 * later passes its site. */
void gn_fast_leave(void);

/* Hooks call these. `own` is the thread's; it is in no ring's hook after it. */
struct gn_fast_own;
int gn_fast_full(struct gn_fast_own *own);
int gn_fast_claim(struct gn_fast_own *own);
/* The frame key `sp` is on another stack than the last one, or gnomon does not
 * know: the hook is to pass its site, by which it does. */
int gn_fast_stack(struct gn_fast_own *own, uint64_t sp);

/* The same in a signal's handler that has interrupted a hook. */
int gn_fast_on_top(struct gn_fast_own *own, uint64_t sp);

/* The thread's hooks pass the sites from now on. Returns what the thread had.
 */
struct gn_fast_own *gn_fast_set_ring_aside(void);

/*
 * A signal's handler that forks can have interrupted a hook, which the child
 * goes on with when the handler returns there: what the hook writes to is gone.
 * So before the fork, who forks keeps what this tells: what the thread has
 * while it can be in a hook, else NULL. In the child the hook is given that,
 * and memory of its own, with which it ends; so does the child's next one.
 */
struct gn_fast_own *gn_fast_interrupted(void);
void gn_fast_end_interrupted(struct gn_fast_own *own,
			     const struct gn_fast_own *before);

/* The memory, if gnomon reads it; else NULL. */
struct gn_fast_page;
struct gn_fast_page *gn_fast_read_page(void);

/* Wakes gnomon if it sleeps; false: it does not. */
bool gn_fast_ring_bell(struct gn_fast_page *page);

/* The stack of the process's first thread grows down to here. */
void gn_fast_first_stack(uint64_t lowest, uint64_t top);

#endif
