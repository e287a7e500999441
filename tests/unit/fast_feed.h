/* SPDX-License-Identifier: BSD-2-Clause */
/* The sources of records in tests of threads' own records: memory shared with
 * gnomon, and a ring of the kernel. Include after cmocka.h. */
#ifndef GNOMON_TESTS_FAST_FEED_H
#define GNOMON_TESTS_FAST_FEED_H

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <gnomon/fast.h>
#include "capture/clock.h"
#include "capture/fast_clock.h"
#include "fast_taken.h"

#define RING_PAGE ((size_t)sysconf(_SC_PAGESIZE))

static inline int take_calls(void *ctx, const struct gn_rec_func *recs,
			     size_t n)
{
	for (size_t i = 0; i < n; i++)
		take(ctx, &recs[i].h, sizeof(recs[i]));
	return 0;
}

struct fixture {
	int fd;		/* of the shared memory */
	uint64_t *ring; /* its positions, one per page */
	struct gn_fast *f;
	struct gn_fast_page *page;
	struct gn_fast_ring *rings;
	unsigned char *data;
	struct taken out;
	uint32_t seq;
};

static inline int settle(void *ctx)
{
	struct taken *t = ctx;

	t->settled++;
	return 0;
}

static inline bool enough(void *ctx)
{
	const struct taken *t = ctx;

	return t->full;
}

static inline void tell_of(struct fixture *x, uint32_t what, uint64_t value,
			   uint32_t tid, pid_t pid)
{
	struct gn_rec_ring r = {
		.f = {.h = {.time = 1,
			    .tid = tid,
			    .seq = ++x->seq,
			    .kind = GN_KIND_RING,
			    .key = value},
		      .func = GN_FUNC(GN_RUNTIME_CLR, what)},
		.pid = (uint32_t)pid,
		.sp = 0x7fff00000000,
	};

	if (!gn_fast_record(x->f, &r.f.h, sizeof(r)))
		take(&x->out, &r.f.h, sizeof(r));
}

static inline void tell(struct fixture *x, uint32_t what, uint64_t value,
			uint32_t tid)
{
	tell_of(x, what, value, tid, getpid());
}

/* Does not offer the memory, whose descriptor is x->fd. */
static inline struct fixture *open_memory(int seals, bool drops)
{
	struct fixture *x = calloc(1, sizeof(*x));
	struct gn_fast_opts opts = {take,   take_calls, settle,
				    enough, NULL,	drops};
	int ring = memfd_create("ring", MFD_CLOEXEC);

	assert_non_null(x);
	opts.ctx = &x->out;
	x->fd = memfd_create("x", MFD_CLOEXEC | MFD_ALLOW_SEALING);
	assert_int_equal(ftruncate(ring, 2 * RING_PAGE), 0);
	x->f = gn_fast_new(&opts, ring);
	assert_non_null(x->f);
	x->ring = mmap(NULL, 2 * RING_PAGE, PROT_READ | PROT_WRITE, MAP_SHARED,
		       ring, 0);
	assert_ptr_not_equal(x->ring, MAP_FAILED);
	close(ring);
	assert_int_equal(ftruncate(x->fd, GN_FAST_FILE), 0);
	assert_int_equal(fcntl(x->fd, F_ADD_SEALS, seals), 0);
	x->page = mmap(NULL, GN_FAST_FILE, PROT_READ | PROT_WRITE, MAP_SHARED,
		       x->fd, 0);
	assert_ptr_not_equal(x->page, MAP_FAILED);
	x->rings = (void *)((char *)x->page + GN_FAST_PAGE);
	x->data = (unsigned char *)x->page + GN_FAST_DATA;
	x->page->magic = GN_FAST_MAGIC;
	x->page->size = GN_FAST_FILE;
	gn_fast_mark(x->f);
	return x;
}

static inline void offer(struct fixture *to, const struct fixture *memory)
{
	tell(to, GN_FAST_OFFER, (uint64_t)memory->fd, TID);
}

static inline struct fixture *open_fixture_of(int seals, bool drops)
{
	struct fixture *x = open_memory(seals, drops);

	offer(x, x);
	return x;
}

#define SEALS (F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL)

static inline struct fixture *open_fixture(void)
{
	return open_fixture_of(SEALS, false);
}

/* Ring 3 is the thread's. */
static inline struct fixture *open_claimed(void)
{
	struct fixture *x = open_fixture();

	tell(x, GN_FAST_CLAIM, 3, TID);
	return x;
}

static inline void merge(struct fixture *x)
{
	gn_fast_mark(x->f);
	assert_int_equal(gn_fast_merge(x->f), 0);
}

static inline void close_fixture(struct fixture *x)
{
	gn_fast_free(x->f);
	munmap(x->page, GN_FAST_FILE);
	munmap(x->ring, 2 * RING_PAGE);
	close(x->fd);
	free(x);
}

static inline void write_record(struct fixture *x, uint32_t slot, uint32_t what)
{
	uint32_t head = x->rings[slot].head;
	struct gn_fast_rec rec = {8, what, gn_fast_ticks()};

	memcpy(x->data + (size_t)slot * GN_FAST_SLOT + head, &rec, sizeof(rec));
	x->rings[slot].head = what == GN_FAST_WRAP ? 0 : head + sizeof(rec);
}

static inline void kernel_record(struct fixture *x, enum gn_kind kind,
				 uint32_t tid, uint64_t time)
{
	struct gn_rec_func r = {
		.h = {.time = time, .tid = tid, .seq = ++x->seq, .kind = kind}};

	if (!gn_fast_record(x->f, &r.h, sizeof(r)))
		take(&x->out, &r.h, sizeof(r));
}

static inline void begin_child_of(struct fixture *x, uint32_t tid,
				  uint32_t parent, uint64_t time)
{
	struct gn_rec_thread r = {
		.f = {.h = {.time = time,
			    .tid = tid,
			    .seq = 1,
			    .kind = GN_KIND_THREAD}},
		.pid = tid,
		.parent = parent,
	};

	assert_true(gn_fast_record(x->f, &r.f.h, sizeof(r)));
}

static inline void begin_child(struct fixture *x, uint32_t tid, uint64_t time)
{
	begin_child_of(x, tid, TID, time);
}

/* Sets how far the kernel's ring was read and written. */
static inline void move_ring(struct fixture *x, uint64_t consumed,
			     uint64_t produced)
{
	*x->ring = consumed;
	x->ring[RING_PAGE / sizeof(*x->ring)] = produced;
}

#endif
