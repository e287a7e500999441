/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What the files of fast hooks share: fast.c (begin and end of a session),
 * fast_allowed.c, fast_memory.c, fast_claim.c (a thread takes a ring) and
 * fast_ring.c (it fills the ring). All vector registers are live in hooks. So
 * these files are compiled without vector instructions, and functions that
 * hooks call use no libc.
 */
#ifndef GNOMON_HOOKSITE_FAST_STATE_H
#define GNOMON_HOOKSITE_FAST_STATE_H

#include <linux/futex.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <time.h>

#include <gnomon/fast.h>
#include "fast.h"

/* What a hook's slow path tells the hook. */
#define GN_HOOK_AGAIN	0 /* the hook starts over */
#define GN_HOOK_DROPPED 1
#define GN_HOOK_PASSED	2 /* the hook passes the site */

#define GN_FAST_OWNS_SIZE (GN_FAST_SLOTS * sizeof(struct gn_fast_own))

#define GN_FAST_HIDDEN __attribute__((visibility("hidden")))

/* The data of threads that have no ring in a session, and of threads that are
 * taking one. Never freed: threads may still use that of earlier sessions. */
struct gn_fast_without {
	struct gn_fast_own own, claims;
	struct gn_fast_without *before;
};

/* The process's fast hooks. `alive` is in memory that a fork wipes. */
struct gn_fast_hooks {
	struct gn_fast_page *page; /* NULL: no fast hooks */
	struct gn_fast_ring *rings;
	struct gn_fast_own *owns;
	unsigned char *data;
	uint32_t slots, slot; /* their number and size */
	/* what forked children use; NULL: they pass the sites */
	struct gn_fast_page *children;
	bool follows; /* this program's forked children may have rings */
	_Atomic uint32_t *alive;
	gn_fast_tell_fn tell;
	const void *own_site; /* gn_fast_lives_at() */
	/* this session's: in the next one its threads look for a ring again */
	struct gn_fast_without *without;
	_Atomic uint32_t next; /* slot to try next */
	_Atomic uint32_t over; /* gnomon no longer reads */
	void (*on_over)(void);
	uint64_t lowest, top; /* of the first thread's stack */
};

extern struct gn_fast_hooks gn_fast_hooks GN_FAST_HIDDEN;

/* With glibc, hooks read it relative to %fs: a call would be too slow. */
#ifdef GNOMON_MUSL
#define GN_FAST_TLS "global-dynamic"
#else
#define GN_FAST_TLS "initial-exec"
#endif
extern _Thread_local struct gn_fast_own *gn_fast_own
	__attribute__((visibility("hidden"), tls_model(GN_FAST_TLS)));

/* The data of a thread that looks for a ring at its next hook. */
extern struct gn_fast_own gn_fast_newborn GN_FAST_HIDDEN;

/* This memory is the process's from now on. */
void gn_fast_use(struct gn_fast_page *page, uint32_t slots,
		 uint32_t slot) GN_FAST_HIDDEN;

static inline bool gn_fast_is_child(void)
{
	return gn_fast_hooks.page &&
	       gn_fast_hooks.page == gn_fast_hooks.children;
}

/* Why the process can have no fast hooks: a value of GN_FAST_NONE; 0: it
 * can. */
uint64_t gn_fast_forbidden(void) GN_FAST_HIDDEN;

/* A file for the memory that gnomon reads; -1: there is none. */
int gn_fast_make_memory(void) GN_FAST_HIDDEN;

/* Maps the memory, aligned to a slot, so that the low half of an address gives
 * the position in the slot. NULL: there is no room. */
void *gn_fast_map_shared(int fd) GN_FAST_HIDDEN;

/* This part of the memory can be read and written from now on. False: the
 * process has no room for another mapping. Hooks call this. */
bool gn_fast_open(uint64_t at, uint64_t size) GN_FAST_HIDDEN;

/* Maps private memory where the memory of this process's parent was. False:
 * there is no room. */
bool gn_fast_replace_parents(void) GN_FAST_HIDDEN;

/*
 * The threads' own data stays mapped after a session: a thread may come back to
 * it much later, and must find no ring there. So each session maps new memory,
 * or a thread could find the ring that another thread took meanwhile.
 */
bool gn_fast_map_own(void) GN_FAST_HIDDEN;
void gn_fast_leave_own(void) GN_FAST_HIDDEN;

static inline long gn_fast_call(long nr, long a, long b, long c, long d)
{
	register long r10 __asm__("r10") = d;
	long got;

	__asm__ volatile("syscall"
			 : "=a"(got)
			 : "0"(nr), "D"(a), "S"(b), "d"(c), "r"(r10)
			 : "rcx", "r11", "memory");
	return got;
}

static inline uint64_t gn_fast_ticks(void)
{
	uint32_t lo, hi;

	__asm__ volatile("rdtsc" : "=a"(lo), "=d"(hi));
	return (uint64_t)hi << 32 | lo;
}

static inline void gn_fast_wait_for(_Atomic uint32_t *word, uint32_t value,
				    long ns)
{
	struct timespec limit = {.tv_nsec = ns % 1000000000,
				 .tv_sec = ns / 1000000000};

	gn_fast_call(SYS_futex, (long)word, FUTEX_WAIT, value, (long)&limit);
}

static inline void gn_fast_publish(struct gn_fast_own *own, uint64_t cur)
{
	own->cur = cur;
	atomic_store_explicit(&own->ring->head, (uint32_t)cur,
			      memory_order_release);
}

static inline void gn_fast_be_free(struct gn_fast_own *own)
{
	atomic_store_explicit(&own->ring->busy, 0, memory_order_release);
}

#endif
