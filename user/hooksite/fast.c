// SPDX-License-Identifier: BSD-2-Clause
/*
 * What fast hooks do seldom: take a ring, go on to its next part, wait for
 * gnomon. Hooks come here with all vector registers live, so this file is
 * compiled without them, and what hooks call calls nothing of libc.
 */
#include "fast.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <gnomon/fast.h>
#include <gnomon/hooksite.h>

#define OFFER_NS 1000000000l /* gnomon is waited for at the start */
#define WAIT_NS	 50000000l   /* until what it said of its life is looked at */
#define WAITS	 100	     /* of these without a record read: 5 s */
#define SPINS	 100

#define AGAIN	0 /* the hook is to begin anew */
#define DROPPED 1
#define PASSED	2 /* it is to pass the site */

/* What threads without a ring in a session have, and those that look for one.
 * Threads of earlier sessions have older ones, so none is ever freed. */
struct without_ring {
	struct gn_fast_own own, claims;
	struct without_ring *before;
};

/* Where a process has fast hooks. `alive` is in memory that a fork wipes. */
static struct {
	struct gn_fast_page *page; /* NULL: it has none */
	struct gn_fast_ring *rings;
	struct gn_fast_own *owns;
	unsigned char *data;
	_Atomic uint32_t *alive;
	gn_fast_tell_fn tell;
	/* of threads that have no ring in this session; each session's own,
	 * for they are to look for one again in the next */
	struct without_ring *without;
	_Atomic uint32_t next; /* slot to look at */
	_Atomic uint32_t over; /* gnomon does not read any more */
	void (*on_over)(void);
	uint64_t lowest, top; /* of the first thread's stack */
	_Atomic uint64_t grown;
} fast;

static struct gn_fast_own none;

/* By the thread's own register: hooks have no time for a call. */
#ifdef GNOMON_MUSL
#define TLS_MODEL "global-dynamic"
#else
#define TLS_MODEL "initial-exec"
#endif
extern _Thread_local struct gn_fast_own *gn_fast_own
	__attribute__((visibility("hidden"), tls_model(TLS_MODEL)));
_Thread_local struct gn_fast_own *gn_fast_own = &none;

static inline long call(long nr, long a, long b, long c, long d)
{
	register long r10 __asm__("r10") = d;
	long got;

	__asm__ volatile("syscall"
			 : "=a"(got)
			 : "0"(nr), "D"(a), "S"(b), "d"(c), "r"(r10)
			 : "rcx", "r11", "memory");
	return got;
}

static inline uint64_t ticks(void)
{
	uint32_t lo, hi;

	__asm__ volatile("rdtsc" : "=a"(lo), "=d"(hi));
	return (uint64_t)hi << 32 | lo;
}

static void wait_for(_Atomic uint32_t *word, uint32_t value, long ns)
{
	struct timespec limit = {.tv_nsec = ns % 1000000000,
				 .tv_sec = ns / 1000000000};

	call(SYS_futex, (long)word, FUTEX_WAIT, value, (long)&limit);
}

static void be_free(struct gn_fast_own *own)
{
	atomic_store_explicit(&own->ring->busy, 0, memory_order_release);
}

static int give_up(struct gn_fast_own *own)
{
	gn_fast_own = &fast.without->own;
	be_free(own);
	return AGAIN;
}

static void put_special(struct gn_fast_own *own, uint32_t kind, uint32_t n,
			uint64_t tsc)
{
	struct gn_fast_rec *rec = (struct gn_fast_rec *)own->cur;

	*rec = (struct gn_fast_rec){.sp = n, .what = kind, .tsc = tsc};
}

static void publish(struct gn_fast_own *own, uint64_t cur)
{
	own->cur = cur;
	atomic_store_explicit(&own->ring->head, (uint32_t)cur,
			      memory_order_release);
}

static void open_part(struct gn_fast_own *own, uint64_t bytes)
{
	own->lim = own->cur + (bytes < GN_FAST_CHUNK ? bytes : GN_FAST_CHUNK);
}

static bool grow(struct gn_fast_own *own)
{
	uint64_t more = own->size, most = atomic_load(&own->page->grows);

	if (own->size >= GN_FAST_SLOT)
		return false;
	if (atomic_fetch_add(&fast.grown, more) + more > most) {
		atomic_fetch_sub(&fast.grown, more);
		return false;
	}
	own->size += more;
	return true;
}

/* The ring goes on at its begin, where `bytes` can be written. */
static void wrap(struct gn_fast_own *own, uint64_t bytes)
{
	put_special(own, GN_FAST_WRAP, 0, ticks());
	publish(own, own->base);
	open_part(own, bytes);
}

/*
 * Opens the next part of the ring, which grows rather than wake gnomon, or wait
 * for it, time and again: that costs more than memory. What is written is
 * between gnomon's place `tail` and ours; one record stays free, for equal
 * places mean an empty ring. The last one of a ring is that which says so.
 * Another one is kept for a wait that ended without room.
 */
static bool make_room(struct gn_fast_own *own, uint32_t tail)
{
	uint64_t at = own->cur - own->base;

	if (at < tail) {
		if (tail - at <= GN_FAST_SPARE)
			return false;
		open_part(own, tail - at - GN_FAST_SPARE);
		return true;
	}
	if (at >= own->size - GN_FAST_SPARE) {
		bool grown = own->tight && grow(own);

		own->tight = 0;
		if (!grown && tail >= GN_FAST_CHUNK) {
			wrap(own, tail - GN_FAST_SPARE);
			return true;
		}
		if (!grown && !grow(own))
			return false;
	}
	open_part(own, own->size - GN_FAST_SPARE - at);
	return true;
}

static uint64_t used(const struct gn_fast_own *own, uint32_t tail)
{
	uint64_t at = own->cur - own->base;

	return at >= tail ? at - tail : own->size + at - tail;
}

bool gn_fast_ring_bell(struct gn_fast_page *page)
{
	uint32_t asleep = 1;

	if (!atomic_compare_exchange_strong(&page->sleeping, &asleep, 0))
		return false;
	fast.tell(GN_FAST_BELL, 0);
	return true;
}

static void ring_bell(struct gn_fast_own *own)
{
	if (!atomic_load_explicit(&own->ring->bound, memory_order_relaxed))
		fast.tell(GN_FAST_UNBOUND, 0);
	if (gn_fast_ring_bell(own->page))
		own->tight = 1;
}

static void wait_tail(struct gn_fast_own *own, uint32_t tail)
{
	struct gn_fast_ring *ring = own->ring;

	for (int i = 0; i < SPINS; i++) {
		if (atomic_load_explicit(&ring->tail, memory_order_acquire) !=
		    tail)
			return;
		__builtin_ia32_pause();
	}
	atomic_store(&ring->wants, 1);
	ring_bell(own);
	if (atomic_load(&ring->tail) == tail)
		wait_for(&ring->tail, tail, WAIT_NS);
}

/* The kernel takes the probes of a gnomon that was killed. One that is stopped
 * has them, and may wake up: then they tell what happened since. */
bool gn_fast_is_gone(gn_fast_tell_fn tell)
{
	const volatile uint16_t *site = (const uint16_t *)(uintptr_t)tell;

	return *site == GN_SITE_BARE;
}

static bool is_over(struct gn_fast_own *own)
{
	bool ended = gn_fast_is_gone(fast.tell) ||
		     atomic_load(&own->page->taken) != 1;

	if (!atomic_load(fast.alive))
		return true; /* a forked child, which ends its parent's hook */
	if (!ended && !atomic_load(&fast.over))
		return false;
	if (!atomic_exchange(&fast.over, 1) && fast.on_over && ended)
		fast.on_over();
	return true;
}

/* It is stopped, has no CPU, or the machine slept. */
static bool is_away(const struct gn_fast_own *own)
{
	return ticks() > atomic_load(&own->page->deadline);
}

/* What did not fit is told where it would have been. */
static void tell_lost(struct gn_fast_own *own)
{
	if (!own->lost)
		return;
	put_special(own, GN_FAST_LOST,
		    own->lost > UINT32_MAX ? UINT32_MAX : (uint32_t)own->lost,
		    ticks());
	publish(own, own->cur + GN_FAST_RECORD);
	own->lost = 0;
}

/* It waited from `since` up to its next record, which the hook writes now. */
static void tell_waited(struct gn_fast_own *own, uint64_t since)
{
	own->tight = 1;
	put_special(own, GN_FAST_WAITED, 0, since);
	publish(own, own->cur + GN_FAST_RECORD);
}

/* It waited for nothing, up to the record that the kernel makes at the site
 * now. The record that is kept says so. */
static void tell_waited_in_vain(struct gn_fast_own *own, uint64_t since,
				uint32_t waits)
{
	if (waits)
		tell_waited(own, since);
}

/* The record that is kept is in use: until gnomon has read, nothing could tell
 * of another wait. */
static bool has_waited_in_vain(const struct gn_fast_own *own)
{
	return own->cur > own->lim;
}

int gn_fast_full(struct gn_fast_own *own)
{
	struct gn_fast_ring *ring = own->ring;
	uint64_t since = ticks();
	uint32_t waits = 0;

	for (;;) {
		uint32_t tail =
			atomic_load_explicit(&ring->tail, memory_order_acquire);

		if (is_over(own))
			return give_up(own);
		if (is_away(own)) {
			tell_waited_in_vain(own, since, waits);
			be_free(own);
			return PASSED;
		}
		if (make_room(own, tail)) {
			if (used(own, tail) >= own->size / 2)
				ring_bell(own);
			break;
		}
		if (atomic_load(&own->page->drops)) {
			ring_bell(own);
			own->lost++;
			be_free(own);
			return DROPPED;
		}
		if (has_waited_in_vain(own)) {
			ring_bell(own);
			be_free(own);
			return PASSED;
		}
		wait_tail(own, tail);
		waits = atomic_load(&ring->tail) == tail ? waits + 1 : 1;
		if (waits > WAITS) {
			tell_waited_in_vain(own, since, waits);
			return give_up(own);
		}
	}
	/* what was opened has room for one record at least */
	if (waits)
		tell_waited(own, since);
	else
		tell_lost(own);
	be_free(own);
	return AGAIN;
}

struct gn_fast_own *gn_fast_set_ring_aside(void)
{
	struct gn_fast_own *own = gn_fast_own;

	if (fast.without)
		gn_fast_own = &fast.without->own;
	return own;
}

struct gn_fast_own *gn_fast_interrupted(void)
{
	struct gn_fast_own *own = gn_fast_own;
	bool claims = fast.without && own == &fast.without->claims;

	/* before its ring is busy, a hook has read already where it is */
	return claims || own->ring ? own : NULL;
}

void gn_fast_end_interrupted(struct gn_fast_own *own,
			     const struct gn_fast_own *before)
{
	int err = errno;
	void *at = mmap(fast.page, GN_FAST_SIZE, PROT_READ | PROT_WRITE,
			MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE |
				MAP_FIXED_NOREPLACE,
			-1, 0);

	/* else hooks would write where nothing is; a child's child has it */
	if (at == (void *)fast.page || errno == EEXIST) {
		*own = *before;
		gn_fast_own = own;
	}
	errno = err;
}

static struct gn_fast_ring *take_slot(uint32_t *slot)
{
	uint32_t first = atomic_fetch_add(&fast.next, 1);

	for (uint32_t i = 0; i < GN_FAST_SLOTS - 1; i++) {
		uint32_t at = 1 + (first + i) % (GN_FAST_SLOTS - 1);
		uint32_t empty = GN_FAST_FREE;

		if (!atomic_compare_exchange_strong(&fast.rings[at].state,
						    &empty, GN_FAST_USED))
			continue;
		*slot = at;
		return &fast.rings[at];
	}
	fast.tell(GN_FAST_RINGLESS, 0);
	return NULL;
}

/* A ring at its begin. One that grew for another thread stays as it is. */
static void open_ring(struct gn_fast_own *own, struct gn_fast_ring *ring,
		      uint32_t slot)
{
	own->ring = ring;
	own->page = fast.page;
	own->base = (uint64_t)fast.data + (uint64_t)slot * GN_FAST_SLOT;
	own->lost = 0;
	own->stacked = own->home = 0;
	own->away = GN_FAST_AWAY;
	if (!own->size)
		own->size = GN_FAST_FIRST;
	publish(own, own->base);
	own->lim = own->cur;
}

/* A forked child has nothing of its parent's. */
static bool can_claim(void)
{
	return fast.page && atomic_load(fast.alive) && !atomic_load(&fast.over);
}

bool gn_fast_has_ended(void)
{
	return atomic_load(&fast.over);
}

struct gn_fast_page *gn_fast_read_page(void)
{
	return can_claim() && ticks() <= atomic_load(&fast.page->deadline)
		       ? fast.page
		       : NULL;
}

int gn_fast_claim(struct gn_fast_own *own)
{
	struct gn_fast_ring *ring = NULL;
	uint32_t slot;

	(void)own;
	gn_fast_own = &fast.without->claims; /* hooks of signals on top */
	if (can_claim())
		ring = take_slot(&slot);
	/* a signal's handler can have forked meanwhile */
	if (!ring || !can_claim()) {
		gn_fast_own = &fast.without->own;
		return AGAIN;
	}
	own = &fast.owns[slot];
	open_ring(own, ring, slot);
	fast.tell(GN_FAST_CLAIM, slot);
	gn_fast_own = own;
	return AGAIN;
}

void gn_fast_first_stack(uint64_t lowest, uint64_t top)
{
	fast.lowest = lowest;
	fast.top = top;
}

/* The kernel tells which stack a thread is on at probes only, so one is passed
 * when the thread leaves its own stack, at each call elsewhere, and when it is
 * back. */
int gn_fast_stack(struct gn_fast_own *own, uint64_t sp)
{
	uint64_t stack = atomic_load(&own->ring->stack);
	uint64_t stacked = atomic_load(&own->ring->stacked);

	if (sp >= fast.lowest && sp < fast.top) {
		stack = fast.lowest;
		stacked = fast.top - stack;
	}
	own->stack = stack;
	own->home = stacked;
	own->stacked = sp - stack < stacked ? stacked : 0;
	return AGAIN;
}

/* What it interrupted, or what comes next, tells its stack then. A handler can
 * have left that hook for good by a jump: frames above it are called again.
 * What the hook was about to write had not begun, or was unwound. */
int gn_fast_on_top(struct gn_fast_own *own, uint64_t sp)
{
	own->stacked = 0;
	if (sp - own->stack < own->home && sp >= own->at)
		be_free(own);
	return AGAIN;
}

/* A limit would be the program's to run into, or its end. */
static bool is_limited(void)
{
	static const int limits[] = {RLIMIT_FSIZE, RLIMIT_AS};
	struct rlimit l;

	for (int i = 0; i < 2; i++)
		if (getrlimit(limits[i], &l) || l.rlim_cur != RLIM_INFINITY)
			return true;
	return false;
}

/* The memory, aligned to a slot so that half an address says the place in it.
 */
static void *map_shared(int fd)
{
	const size_t room = GN_FAST_SIZE + GN_FAST_SLOT;
	unsigned char *all =
		mmap(NULL, room, PROT_NONE,
		     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	unsigned char *at, *end;

	if (all == MAP_FAILED)
		return NULL;
	end = all + room;
	at = all + (-(uintptr_t)all & (GN_FAST_SLOT - 1));
	if (at > all)
		munmap(all, (size_t)(at - all));
	munmap(at + GN_FAST_SIZE, (size_t)(end - at) - GN_FAST_SIZE);
	if (mmap(at, GN_FAST_SIZE, PROT_READ | PROT_WRITE,
		 MAP_SHARED | MAP_FIXED, fd, 0) == MAP_FAILED) {
		munmap(at, GN_FAST_SIZE);
		return NULL;
	}
	madvise(at, GN_FAST_SIZE, MADV_DONTFORK);
	madvise(at, GN_FAST_SIZE, MADV_DONTDUMP);
	return at;
}

/* The byte behind a text in a file; 0: it has no such text. */
static char byte_behind(int fd, const char *what)
{
	size_t len = strlen(what), kept = 0;
	char text[4096];
	ssize_t n;

	while ((n = read(fd, text + kept, sizeof(text) - 1 - kept)) > 0) {
		size_t end = kept + (size_t)n;
		const char *at;

		text[end] = '\0';
		at = strstr(text, what);
		if (at && at[len])
			return at[len];
		/* the next part can begin in the middle of it */
		kept = end < len ? end : len;
		memmove(text, text + end - kept, kept);
	}
	return '\0';
}

/* A filter can forbid what hooks need, and end who asks for it. Which one it
 * is cannot be told from here, and one that comes later is the program's own:
 * it needs what hooks need (futex) itself. The groups of the process, which can
 * be thousands, come first. */
static bool is_filtered(void)
{
	int fd = open("/proc/thread-self/status", O_RDONLY | O_CLOEXEC);
	char mode = fd < 0 ? '\0' : byte_behind(fd, "\nSeccomp:\t");

	if (fd >= 0)
		close(fd);
	return mode && mode != '0';
}

#define OWNS_SIZE (GN_FAST_SLOTS * sizeof(struct gn_fast_own))

/*
 * What threads know of their rings stays: they come back to it, however much
 * later, and find none there. So each session has its own, or one of them would
 * find the ring that another thread took meanwhile.
 */
static bool map_own(void)
{
	unsigned char *at;

	if (fast.owns)
		return true;
	at = mmap(NULL, OWNS_SIZE + GN_FAST_PAGE, PROT_READ | PROT_WRITE,
		  MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (at == MAP_FAILED)
		return false;
	if (madvise(at, OWNS_SIZE + GN_FAST_PAGE, MADV_WIPEONFORK)) {
		munmap(at, OWNS_SIZE + GN_FAST_PAGE);
		return false;
	}
	fast.owns = (struct gn_fast_own *)at;
	fast.alive = (_Atomic uint32_t *)(at + OWNS_SIZE);
	atomic_store(fast.alive, 1);
	return true;
}

static int make_memory(void)
{
	int fd = memfd_create("gnomon", MFD_CLOEXEC | MFD_ALLOW_SEALING);

	if (fd < 0)
		return -1;
	if (!ftruncate(fd, GN_FAST_SIZE) &&
	    !fcntl(fd, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL))
		return fd;
	close(fd);
	return -1;
}

/* Slot 0 is nobody's: hooks in a row say what one costs. */
static void measure(struct gn_fast_page *page, gn_fast_hook_fn enter,
		    gn_fast_hook_fn leave)
{
	struct gn_fast_own own = {
		.page = page,
		.size = GN_FAST_FIRST,
		.stacked = UINT64_MAX,
		.away = UINT64_MAX,
	};
	struct gn_fast_own *before = gn_fast_own;

	own.ring = fast.rings;
	own.base = own.cur = (uint64_t)fast.data;
	own.lim = own.base + GN_FAST_MEASURED * GN_FAST_RECORD;
	gn_fast_own = &own;
	for (int i = 0; i < GN_FAST_MEASURED / 2; i++) {
		enter(0, (uint64_t)&own);
		leave(0, (uint64_t)&own);
	}
	gn_fast_own = before;
	/* of names from now on */
	atomic_store(&fast.rings->head, 0);
}

static bool offer(struct gn_fast_page *page, int fd)
{
	page->size = GN_FAST_SIZE;
	page->magic = GN_FAST_MAGIC;
	fast.tell(GN_FAST_OFFER, (uint64_t)fd);
	if (!atomic_load(&page->taken))
		wait_for(&page->taken, 0, OFFER_NS);
	return atomic_load(&page->taken) == 1;
}

/* Threads take rings from now on: also those that had none before. */
static void publish_session(struct gn_fast_page *page, struct without_ring *now)
{
	now->own.by_site = 1;
	now->own.cur = (uintptr_t)fast.tell;
	now->claims = now->own;
	now->before = fast.without;
	fast.without = now;
	fast.page = page;
	atomic_thread_fence(memory_order_seq_cst);
	if (now->before)
		now->before->own.by_site = now->before->claims.by_site = 0;
}

static bool share(int fd, gn_fast_hook_fn enter, gn_fast_hook_fn leave)
{
	struct without_ring *without = calloc(1, sizeof(*without));
	struct gn_fast_page *page = without ? map_shared(fd) : NULL;

	if (!page) {
		free(without);
		return false;
	}
	fast.rings = (void *)((unsigned char *)page + GN_FAST_PAGE);
	fast.data = (unsigned char *)page + GN_FAST_DATA;
	atomic_store(&fast.over, 0);
	atomic_store(&fast.grown, 0);
	atomic_store(&page->deadline, UINT64_MAX);
	measure(page, enter, leave);
	if (offer(page, fd)) {
		publish_session(page, without);
		return true;
	}
	free(without);
	munmap(page, GN_FAST_SIZE);
	return false;
}

bool gn_fast_start(gn_fast_tell_fn tell, gn_fast_hook_fn enter,
		   gn_fast_hook_fn leave)
{
	uint64_t why = is_filtered()  ? GN_FAST_FILTERED
		       : is_limited() ? GN_FAST_LIMITED
		       : fast.page    ? GN_FAST_KEPT
				      : 0;
	int fd;

	fast.tell = tell;
	if (why) {
		tell(GN_FAST_NONE, why);
		return false;
	}
	fd = make_memory();
	if (fd < 0)
		return false;
	if (map_own())
		share(fd, enter, leave);
	close(fd);
	return fast.page;
}

void gn_fast_on_over(void (*fn)(void))
{
	fast.on_over = fn;
}

void gn_fast_stop(void)
{
	atomic_store(&fast.over, 1);
	if (fast.page)
		atomic_store(&fast.page->deadline, 0);
}

void gn_fast_leave(void)
{
	if (!fast.page)
		return;
	/* zeros from now on, which take no memory */
	madvise(fast.owns, OWNS_SIZE, MADV_DONTNEED);
	fast.owns = NULL;
	munmap(fast.page, GN_FAST_SIZE);
	fast.page = NULL;
}
