/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Fast hooks: what a hook-site library and gnomon share in the memory of one
 * process. A thread writes its enters, leaves and compilations into a ring of
 * its own there, and the names of functions into one that all threads share,
 * and gnomon reads them; all other events still come by probes.
 *
 * The library makes the memory (a memfd whose size is sealed), passes its site
 * `fast` with GN_FAST_OFFER and waits until gnomon has mapped it. A thread that
 * takes a slot passes the site with GN_FAST_CLAIM, so it is the kernel that
 * says which thread and process a ring is of. If it has no room to say it, it
 * does so before the thread's next record, for which a thread passes the site
 * with GN_FAST_UNBOUND when half of its ring is full and is not read. Gnomon
 * gives a slot back when the kernel says that its thread has ended.
 *
 * Neither side can be hurt by what the other writes here: gnomon keeps its own
 * count of what it has read, and a thread can only lose its own records.
 *
 * Times are of the processor's time-stamp counter. Positions are bytes from the
 * begin of a slot's data. Assembly code and BPF programs take the numbers.
 */
#ifndef GNOMON_FAST_H
#define GNOMON_FAST_H

/* The memory: a page, the rings' control blocks, the data of each slot. */
#define GN_FAST_SLOTS	 1024
#define GN_FAST_SLOT	 (1 << 20) /* bytes of a slot: the largest ring */
#define GN_FAST_FIRST	 (1 << 16) /* of it the ring that a thread begins with */
#define GN_FAST_CHUNK	 (1 << 14) /* what is written between two checks */
#define GN_FAST_PAGE	 4096
#define GN_FAST_RING	 128		/* bytes of a control block */
#define GN_FAST_DATA	 (GN_FAST_SLOT) /* where the data begin */
#define GN_FAST_SIZE	 (GN_FAST_DATA + GN_FAST_SLOTS * (1l << 20))
#define GN_FAST_GROWN	 (128l << 20) /* rings of a process grow by so much */
#define GN_FAST_MAGIC	 0x33747361666e67 /* "gnfast3" */
#define GN_FAST_RECORD	 16
#define GN_FAST_AWAY	 (1 << 15) /* ticks, 10 us or so: others can have run */
#define GN_FAST_SPARE	 (2 * GN_FAST_RECORD) /* bytes that hooks leave free */
#define GN_FAST_MEASURED 512 /* records that tell what a hook costs; slot 0 */
#define GN_FAST_NAMES	 (1 << 17) /* bytes of names: the end of slot 0 */

/* Kinds of records; with index 0 other ones. */
#define GN_FAST_ENTER	 0
#define GN_FAST_LEAVE	 1
#define GN_FAST_TAILCALL 2
#define GN_FAST_UNWOUND	 3
/* with any index: it is compiled; of its end, `sp` is the bytes of its code, or
 * GN_JIT_GONE */
#define GN_FAST_COMPILES  0x40000000
#define GN_FAST_JIT_BEGIN (GN_FAST_COMPILES | 0)
#define GN_FAST_JIT_END	  (GN_FAST_COMPILES | 1)
#define GN_FAST_WRAP	  1 /* index 0: goes on at the begin of the slot */
#define GN_FAST_LOST	  2 /* index 0: `sp` records did not fit */
#define GN_FAST_WAITED	  3 /* index 0: the thread waited, up to the next one */

/* The site `fast`: what is told, and of what. */
#define GN_FAST_OFFER	 1 /* the memory: its descriptor */
#define GN_FAST_CLAIM	 2 /* a ring: its slot */
#define GN_FAST_BELL	 3 /* a ring is half full: gnomon sleeps */
#define GN_FAST_NONE	 4 /* there are no fast hooks: why */
#define GN_FAST_RINGLESS 5 /* the thread found no slot free */
#define GN_FAST_UNBOUND	 6 /* its ring is not read yet: a claim is lost? */

/* Why there are none. */
#define GN_FAST_LIMITED	 1 /* by a limit on files' sizes or memory */
#define GN_FAST_FILTERED 2 /* a seccomp filter could forbid what they need */
#define GN_FAST_KEPT	 3 /* the memory of the last session could not go */
#define GN_FAST_PLACES	 4 /* the sleds are not what they were, or far away */

/* Where assembly code finds the fields. */
#define GN_FAST_OF_HEAD	    0
#define GN_FAST_OF_BUSY	    4
#define GN_FAST_OF_DEADLINE 64
#define GN_FAST_OWN_CUR	    0
#define GN_FAST_OWN_LIM	    8
#define GN_FAST_OWN_RING    16
#define GN_FAST_OWN_PAGE    24
#define GN_FAST_OWN_SITE    32
#define GN_FAST_OWN_GONE    34
#define GN_FAST_OWN_STACK   40
#define GN_FAST_OWN_STACKED 48
#define GN_FAST_OWN_AT	    56
#define GN_FAST_OWN_LAST    96
#define GN_FAST_OWN_AWAY    104

#if !defined(__ASSEMBLER__) && !defined(__bpf__)
#include <assert.h>
#include <stddef.h>
#include <stdint.h>

struct gn_fast_rec {
	uint32_t sp;   /* the low half of the frame key */
	uint32_t what; /* index << 2 | kind */
	uint64_t tsc;
};

/*
 * Names of functions: a ring of bytes that all threads of the process share.
 * The positions in control block 0 only grow, modulo 2^32. A name is there
 * before its function is entered, but not before its compilation begins. The
 * bytes of both texts follow, and zeros.
 */
struct gn_fast_name {
	uint32_t size; /* of all of it, a multiple of 8 */
	uint32_t index;
	uint64_t token;	 /* of the method in its module, 0: it is none */
	uint16_t len[2]; /* of the name, and of the module */
	uint32_t pad;
};

enum gn_fast_state { GN_FAST_FREE, GN_FAST_USED };

struct gn_fast_ring {
	/* the thread's: the low half of the address of its next record */
	_Atomic uint32_t head;
	_Atomic uint8_t busy; /* it is in a hook */
	uint8_t pad[3];
	_Atomic uint32_t state; /* enum gn_fast_state */
	_Atomic uint32_t wants; /* it waits for `tail` */
	uint8_t pad2[48];
	/* gnomon's: up to where it has read */
	_Atomic uint32_t tail;	/* a futex */
	_Atomic uint32_t bound; /* its thread's claim has come */
	/* the stack that its thread was on when it took the ring; `stacked` is
	 * its size, 0 = not known yet */
	_Atomic uint64_t stack, stacked;
	uint8_t pad4[40];
};

struct gn_fast_page {
	uint64_t magic;
	uint64_t size;
	_Atomic uint32_t drops; /* a full ring loses records and counts them */
	_Atomic uint32_t grows; /* gnomon's: bytes that rings may grow by, in
				   all */
	uint8_t pad2[40];
	/* gnomon's. Records of a later time are not written, their hooks pass
	 * the sites: gnomon moves it on while it lives, so one that is killed
	 * or stopped is noticed. */
	_Atomic uint64_t deadline;
	_Atomic uint32_t taken; /* 1: gnomon reads, 2: it will not; a futex */
	_Atomic uint32_t sleeping; /* a half-full ring is to ring the bell */
	uint8_t pad3[48];
};

/* What a thread knows of its ring; its own memory. */
struct gn_fast_own {
	/* addresses: of the next record, and of no more; where there is no
	 * ring, of the site `fast` */
	uint64_t cur, lim;
	struct gn_fast_ring *ring;
	struct gn_fast_page *page;
	uint8_t by_site; /* this thread's hooks pass the sites */
	uint8_t tight;	 /* the ring was too small since it last began anew */
	uint8_t gone;	 /* no ring: its session has ended for good */
	uint8_t pad[5];
	/* Frame keys within these bytes can be told by their low halves, for
	 * gnomon knows that the thread is on that stack. Only hooks of native
	 * functions look at it: others run on one stack. */
	uint64_t stack, stacked;
	uint64_t at;   /* the frame key of the hook that makes the ring busy */
	uint64_t home; /* `stacked` when the thread is on that stack */
	uint64_t base;
	uint64_t size; /* of the ring so far */
	uint64_t lost; /* records that found no room */
	/* when its last hook ran, and ticks: after more of them without a hook
	 * it passes the site. Only musl's threads look at it. */
	uint64_t last, away;
};

static_assert(sizeof(struct gn_fast_rec) == GN_FAST_RECORD, "record");
static_assert(sizeof(struct gn_fast_name) == 24, "name");
static_assert(GN_FAST_MEASURED * GN_FAST_RECORD <= GN_FAST_SLOT - GN_FAST_NAMES,
	      "names are behind what is measured");
static_assert(sizeof(struct gn_fast_ring) == GN_FAST_RING, "ring");
static_assert(offsetof(struct gn_fast_ring, head) == GN_FAST_OF_HEAD, "head");
static_assert(offsetof(struct gn_fast_ring, busy) == GN_FAST_OF_BUSY, "busy");
static_assert(offsetof(struct gn_fast_ring, tail) == 64, "its own line");
static_assert(offsetof(struct gn_fast_page, deadline) == GN_FAST_OF_DEADLINE,
	      "deadline");
static_assert(offsetof(struct gn_fast_own, cur) == GN_FAST_OWN_CUR, "cur");
static_assert(offsetof(struct gn_fast_own, lim) == GN_FAST_OWN_LIM, "lim");
static_assert(offsetof(struct gn_fast_own, ring) == GN_FAST_OWN_RING, "ring");
static_assert(offsetof(struct gn_fast_own, page) == GN_FAST_OWN_PAGE, "page");
static_assert(offsetof(struct gn_fast_own, by_site) == GN_FAST_OWN_SITE,
	      "by_site");
static_assert(offsetof(struct gn_fast_own, gone) == GN_FAST_OWN_GONE, "gone");
static_assert(offsetof(struct gn_fast_own, stack) == GN_FAST_OWN_STACK,
	      "stack");
static_assert(offsetof(struct gn_fast_own, stacked) == GN_FAST_OWN_STACKED,
	      "stacked");
static_assert(offsetof(struct gn_fast_own, at) == GN_FAST_OWN_AT, "at");
static_assert(offsetof(struct gn_fast_own, last) == GN_FAST_OWN_LAST, "last");
static_assert(offsetof(struct gn_fast_own, away) == GN_FAST_OWN_AWAY, "away");
static_assert(sizeof(struct gn_fast_page) == 128, "page");
static_assert(GN_FAST_PAGE + GN_FAST_SLOTS * GN_FAST_RING <= GN_FAST_DATA,
	      "the data begin behind the control blocks");
#endif
#endif
