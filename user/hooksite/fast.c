// SPDX-License-Identifier: BSD-2-Clause
/*
 * The slow paths of fast hooks: take a ring, open its next part, wait for
 * gnomon. All vector registers are live in hooks. So this file is compiled
 * without vector instructions, and functions that hooks call use no libc.
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

#define OFFER_NS 1000000000l /* wait for gnomon at the start */
#define WAIT_NS	 50000000l   /* then checks again whether gnomon lives */
#define WAITS	 100	     /* of these while gnomon reads nothing: 5 s */
#define SPINS	 100

#define AGAIN	0 /* the hook starts over */
#define DROPPED 1
#define PASSED	2 /* the hook passes the site */

/* The data of threads that have no ring in a session, and of threads that are
 * taking one. Never freed: threads may still use that of earlier sessions. */
struct without_ring {
	struct gn_fast_own own, claims;
	struct without_ring *before;
};

/* The process's fast hooks. `alive` is in memory that a fork wipes. */
static struct {
	struct gn_fast_page *page; /* NULL: no fast hooks */
	struct gn_fast_ring *rings;
	struct gn_fast_own *owns;
	unsigned char *data;
	_Atomic uint32_t *alive;
	gn_fast_tell_fn tell;
	/* this session's: in the next one its threads look for a ring again */
	struct without_ring *without;
	_Atomic uint32_t next; /* slot to try next */
	_Atomic uint32_t over; /* gnomon no longer reads */
	void (*on_over)(void);
	uint64_t lowest, top; /* of the first thread's stack */
	_Atomic uint64_t grown;
} fast;

static struct gn_fast_own none;

/* With glibc, hooks read it relative to %fs: a call would be too slow. */
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

/* Continues at the start of the ring, where `bytes` are free. */
static void wrap(struct gn_fast_own *own, uint64_t bytes)
{
	put_special(own, GN_FAST_WRAP, 0, ticks());
	publish(own, own->base);
	open_part(own, bytes);
}

/*
 * Opens the next part of the ring. A ring that was too small grows: to wake
 * gnomon or wait for it again and again costs more than memory. Unread records
 * are between gnomon's position `tail` and ours. Two records stay free. One is
 * needed because equal positions mean an empty ring, and for the wrap record at
 * the ring's end. The other one, the spare record, is for a wait that ends
 * without room.
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

/* The kernel removes the probes of a gnomon that was killed. A stopped gnomon
 * keeps its probes and may wake up: they report what happened meanwhile. */
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
		return true; /* a forked child that ends its parent's hook */
	if (!ended && !atomic_load(&fast.over))
		return false;
	if (!atomic_exchange(&fast.over, 1) && fast.on_over && ended)
		fast.on_over();
	return true;
}

/* gnomon is stopped or gets no CPU, or the machine slept. */
static bool is_away(const struct gn_fast_own *own)
{
	return ticks() > atomic_load(&own->page->deadline);
}

/* Records the loss in the place of the lost records. */
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

/* The thread waited from `since` until its next record, which the hook writes
 * now. */
static void tell_waited(struct gn_fast_own *own, uint64_t since)
{
	own->tight = 1;
	put_special(own, GN_FAST_WAITED, 0, since);
	publish(own, own->cur + GN_FAST_RECORD);
}

/* The thread waited in vain. The wait ends with the record that the kernel
 * makes at the site now. The spare record reports it. */
static void tell_waited_in_vain(struct gn_fast_own *own, uint64_t since,
				uint32_t waits)
{
	if (waits)
		tell_waited(own, since);
}

/* The spare record is in use: until gnomon reads, another wait could not be
 * reported. */
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
	/* the part that was opened has room for at least one record */
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

	/* a hook reads the ring's address before it makes the ring busy */
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

	/* without the mapping, hooks would write to unmapped memory; a child's
	 * child has it already (EEXIST) */
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

/* Opens an empty ring. One that grew for another thread keeps its size. */
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

/* A forked child does not have the memory of its parent. */
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
	gn_fast_own = &fast.without->claims; /* for hooks in signal handlers */
	if (can_claim())
		ring = take_slot(&slot);
	/* a signal handler may have forked meanwhile */
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

/* The kernel reports a thread's stack at probes only. So the thread passes a
 * site when it leaves its own stack, at each call on another stack, and when it
 * is back. */
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

/* The interrupted hook, or the next one, then reports its stack. The handler
 * may have left the interrupted hook for good by a jump. It has if the thread
 * is on its own stack and not below that hook's frame. The record that the hook
 * did not write is not missed: its function had not begun, or was unwound. */
int gn_fast_on_top(struct gn_fast_own *own, uint64_t sp)
{
	own->stacked = 0;
	if (sp - own->stack < own->home && sp >= own->at)
		be_free(own);
	return AGAIN;
}

/* Our memory counts towards these limits: the program could run into one, or
 * die of it. */
static bool is_limited(void)
{
	static const int limits[] = {RLIMIT_FSIZE, RLIMIT_AS};
	struct rlimit l;

	for (int i = 0; i < 2; i++)
		if (getrlimit(limits[i], &l) || l.rlim_cur != RLIM_INFINITY)
			return true;
	return false;
}

/* Maps the memory, aligned to a slot, so that the low half of an address gives
 * the position in the slot. */
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

/* The byte after a text in a file; 0: the file does not have the text. */
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
		/* the text can continue in the next part */
		kept = end < len ? end : len;
		memmove(text, text + end - kept, kept);
	}
	return '\0';
}

/* A seccomp filter can forbid system calls that hooks need, and kill the
 * caller. What it forbids cannot be seen from here. A filter that the program
 * sets later is no problem: the program needs the same call (futex) itself.
 * The process's groups, which can be thousands, come first in the file. */
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
 * The threads' own data stays mapped after a session: a thread may come back to
 * it much later, and must find no ring there. So each session maps new memory,
 * or a thread could find the ring that another thread took meanwhile.
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

/* Measures a hook's cost by hooks in a row, in slot 0, which no thread takes.
 */
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
	/* from now on it is the position of names */
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

/* From now on threads take rings, also those that had none before. */
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
	/* from now on these are zeros, which take no memory */
	madvise(fast.owns, OWNS_SIZE, MADV_DONTNEED);
	fast.owns = NULL;
	munmap(fast.page, GN_FAST_SIZE);
	fast.page = NULL;
}
