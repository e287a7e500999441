/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Fast hooks: the memory that a hook-site library shares with gnomon in one
 * process. A thread writes its enters, leaves and compilations into its own
 * ring there. The names of functions go into one ring that all threads share.
 * gnomon reads both; all other events still come from probes.
 *
 * The library makes the memory (a memfd whose size is sealed), passes its site
 * `fast` with GN_FAST_OFFER and waits until gnomon has mapped it. A thread that
 * takes a slot passes the site with GN_FAST_CLAIM, so the kernel says which
 * thread and process own the ring. The kernel's ring may have no room for that
 * record. Then the kernel side emits it before the thread's next record; for
 * this a thread passes the site with GN_FAST_UNBOUND when half of its ring is
 * full and nobody reads it. gnomon frees a slot when the kernel reports that
 * its thread has ended.
 *
 * A forked child does not have this memory. The file has a second part, which
 * is for all processes that the program forks, and theirs. They inherit its
 * mapping, so a child needs no system call for a ring. Its claim also passes
 * the number (`token`) that gnomon put there, which nobody else knows. Names
 * come from the site.
 *
 * Neither side can be harmed by what the other writes here: gnomon keeps its
 * own count of what it has read, and a process that writes elsewhere than to
 * its rings can spoil only records: its own, and those of forked children if
 * it is one of them.
 *
 * Times are of the processor's time-stamp counter. Positions are bytes from the
 * start of a slot's data. Assembly code and BPF programs use the numbers.
 */
#ifndef GNOMON_FAST_H
#define GNOMON_FAST_H

/* The memory: a page, the rings' control blocks, the data of each slot. */
#define GN_FAST_SLOTS 1024
#define GN_FAST_SLOT  (1 << 20) /* size of a slot, and of the largest ring */
#define GN_FAST_FIRST (1 << 16) /* initial size of a thread's ring */
#define GN_FAST_CHUNK (1 << 14) /* bytes written between two checks */
#define GN_FAST_PAGE  4096
#define GN_FAST_RING  128	     /* bytes of a control block */
#define GN_FAST_DATA  (GN_FAST_SLOT) /* offset of the slots' data */
#define GN_FAST_SIZE  (GN_FAST_DATA + GN_FAST_SLOTS * (1l << 20))
/* The same for forked children, behind it. It is small: children inherit it,
 * and it counts if one of them limits its address space. */
#define GN_FAST_CHILD_SLOTS 512
#define GN_FAST_CHILD_SLOT  (1 << 18)
#define GN_FAST_CHILD_SIZE  (GN_FAST_DATA + GN_FAST_CHILD_SLOTS * (1l << 18))
#define GN_FAST_FILE	    (GN_FAST_SIZE + GN_FAST_CHILD_SIZE)
#define GN_FAST_SLOT_BITS   16 /* of a claim's 48 bits; `token` follows */
#define GN_FAST_GROWN	    (128l << 20) /* limit of growth of a process's rings */
#define GN_FAST_MAGIC	    0x34747361666e67 /* "gnfast4" */
#define GN_FAST_RECORD	    16
#define GN_FAST_SPARE	    (2 * GN_FAST_RECORD) /* bytes that hooks leave free */
#define GN_FAST_MEASURED    512 /* records that measure a hook; in slot 0 */
#define GN_FAST_NAMES	    (1 << 17) /* bytes of names: the end of slot 0 */

/* Kinds of records. With index 0 they mean something else, see below. */
#define GN_FAST_ENTER	 0
#define GN_FAST_LEAVE	 1
#define GN_FAST_TAILCALL 2
#define GN_FAST_UNWOUND	 3
/* Of async methods that the runtime itself suspends: GN_KIND_RESUMED and so on.
 * `sp` is the await's number in the last two. */
#define GN_FAST_ASYNC	  0x20000000
#define GN_FAST_RESUMED	  (GN_FAST_ASYNC | 0)
#define GN_FAST_SUSPENDED (GN_FAST_ASYNC | 1)
#define GN_FAST_AWAITS	  (GN_FAST_ASYNC | 2)
#define GN_FAST_AWAITED	  (GN_FAST_ASYNC | 3)
/* Compilation of the function with this index. At its end, `sp` is the size of
 * the code, or GN_JIT_GONE. */
#define GN_FAST_COMPILES  0x40000000
#define GN_FAST_JIT_BEGIN (GN_FAST_COMPILES | 0)
#define GN_FAST_JIT_END	  (GN_FAST_COMPILES | 1)
#define GN_FAST_WRAP	  1 /* index 0: continues at the slot's start */
#define GN_FAST_LOST	  2 /* index 0: `sp` records did not fit */
#define GN_FAST_WAITED	  3 /* index 0: it waited until the next record */

/* What the site `fast` reports, and the argument. */
#define GN_FAST_OFFER	 1 /* the memory: its descriptor */
#define GN_FAST_CLAIM	 2 /* a ring: its slot, and `token` of the memory */
#define GN_FAST_BELL	 3 /* a ring is half full while gnomon sleeps */
#define GN_FAST_NONE	 4 /* there are no fast hooks: the reason */
#define GN_FAST_RINGLESS 5 /* the thread found no slot free: `token` */
#define GN_FAST_UNBOUND	 6 /* nobody reads its ring: the claim may be lost */

/* Reasons of GN_FAST_NONE. */
#define GN_FAST_LIMITED	 1 /* a limit on file size or memory */
#define GN_FAST_FILTERED 2 /* a seccomp filter might block the system calls */
#define GN_FAST_KEPT	 3 /* the last session's memory could not be freed */
#define GN_FAST_PLACES	 4 /* the sleds have changed, or are too far away */

/* Offsets of the fields for assembly code. */
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
 * before its function is entered, but possibly after its compilation begins.
 * The bytes of both texts follow, then zeros.
 */
struct gn_fast_name {
	uint32_t size; /* of the whole entry, a multiple of 8 */
	uint32_t index;
	uint64_t token;	 /* of the method in its module, 0: no method */
	uint16_t len[2]; /* of the name, and of the module */
	uint32_t pad;
};

enum gn_fast_state { GN_FAST_FREE, GN_FAST_USED };

struct gn_fast_ring {
	/* the thread's: low half of its next record's address */
	_Atomic uint32_t head;
	_Atomic uint8_t busy; /* the thread is in a hook */
	uint8_t pad[3];
	_Atomic uint32_t state; /* enum gn_fast_state */
	_Atomic uint32_t wants; /* the thread waits for `tail` */
	_Atomic uint32_t size;	/* to which it grew; 0: it did not */
	uint8_t pad2[44];
	/* gnomon's: the position up to which it has read */
	_Atomic uint32_t tail;	/* a futex */
	_Atomic uint32_t bound; /* its thread's claim has arrived */
	/* the thread's stack when it took the ring; `stacked` is its size, 0 =
	 * not known yet */
	_Atomic uint64_t stack, stacked;
	uint8_t pad4[40];
};

struct gn_fast_page {
	uint64_t magic;
	uint64_t size;
	_Atomic uint32_t drops; /* a full ring loses records and counts them */
	_Atomic uint32_t grows; /* gnomon's: how many bytes all rings together
				   may grow by */
	_Atomic uint64_t grown; /* and have grown by */
	uint32_t token;		/* gnomon's. 0: not for forked children */
	uint8_t pad2[28];
	/* gnomon's. After this time hooks write no records but pass the sites.
	 * gnomon moves it on while it lives, so hooks notice when it was killed
	 * or stopped. */
	_Atomic uint64_t deadline;
	_Atomic uint32_t taken; /* 1: gnomon reads, 2: it never will; a futex */
	_Atomic uint32_t sleeping; /* the thread must send GN_FAST_BELL when its
				      ring is half full */
	uint8_t pad3[48];
};

/* A thread's own data about its ring, in memory that gnomon does not share. */
struct gn_fast_own {
	/* addresses of the next record and of the limit; without a ring, of the
	 * site `fast` */
	uint64_t cur, lim;
	struct gn_fast_ring *ring;
	struct gn_fast_page *page;
	uint8_t by_site; /* this thread's hooks pass the sites */
	uint8_t tight;	 /* the ring was too small since its last wrap */
	uint8_t gone;	 /* no ring: its session has ended */
	uint8_t pad[5];
	/* For frame keys in this range the low half is enough, because gnomon
	 * knows that the thread is on that stack. Only hooks of native
	 * functions check it: managed code runs on one stack. */
	uint64_t stack, stacked;
	uint64_t at;   /* the frame key of the hook that makes the ring busy */
	uint64_t home; /* `stacked` when the thread is on that stack */
	uint64_t base;
	uint64_t size; /* current size of the ring */
	uint64_t lost; /* records that found no room */
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
static_assert(sizeof(struct gn_fast_page) == 128, "page");
static_assert(GN_FAST_SLOTS < 1 << GN_FAST_SLOT_BITS, "slots in claims");
static_assert(GN_FAST_SIZE % GN_FAST_SLOT == 0, "children's slots are aligned");
static_assert(GN_FAST_PAGE + GN_FAST_SLOTS * GN_FAST_RING <= GN_FAST_DATA,
	      "the data begin behind the control blocks");
#endif
#endif
