/* SPDX-License-Identifier: BSD-2-Clause */
/* Records of threads' own: their times, their places among the kernel's, and
 * memory that holds anything at all. */
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmocka.h>

#include <gnomon/fast.h>
#include "capture/clock.h"
#include "capture/fast.h"
#include "capture/fast_clock.h"

#define TID	  7
#define MAX	  64
#define RING_PAGE ((size_t)sysconf(_SC_PAGESIZE))

struct taken {
	union {
		struct gn_rec h;
		struct gn_rec_func f;
		struct gn_rec_slice s;
		struct gn_rec_os_ns w;
		unsigned char room[64];
	} rec[MAX];
	size_t n, all;
	size_t plain; /* of the thread's own */
	uint32_t seq;
	uint64_t time; /* of the last that ended an interval */
	bool back;     /* time or numbers went back */
};

static int take(void *ctx, const struct gn_rec *rec, size_t size)
{
	struct taken *t = ctx;

	assert_in_range(size, sizeof(*rec), sizeof(t->rec[0]));
	if (rec->tid == TID && rec->seq && rec->kind != GN_KIND_SLICE) {
		t->back |= rec->seq <= t->seq;
		t->seq = rec->seq;
	}
	if (rec->tid == TID && rec->kind <= GN_KIND_PASSED) {
		t->back |= rec->time < t->time;
		t->time = rec->time;
	}
	t->all++;
	if (t->n < MAX)
		memcpy(&t->rec[t->n++], rec, size);
	return 0;
}

static int take_calls(void *ctx, const struct gn_rec_func *recs, size_t n)
{
	for (size_t i = 0; i < n; i++)
		take(ctx, &recs[i].h, sizeof(recs[i]));
	return 0;
}

/* Counters of two CPUs, of which the second is ahead by some ns. */
static bool agree_ahead(int64_t ahead)
{
	const struct gn_fast_moment m[] = {
		{1000000, 5000, 20},
		{(uint64_t)(1300000 + ahead * 3), 105000, 30},
		{1600000, 205000, 20},
	};

	return gn_fast_moments_agree(m, 3);
}

static void test_counters(void **state)
{
	const struct gn_fast_moment back[] = {{5, 5, 1}, {4, 9, 1}};

	(void)state;
	assert_true(agree_ahead(0));
	assert_true(agree_ahead(70));
	assert_true(agree_ahead(-70));
	assert_false(agree_ahead(80));
	assert_false(agree_ahead(-80));
	/* before the first one's */
	assert_false(agree_ahead(-200000));
	assert_false(gn_fast_moments_agree(back, 2));
	assert_false(gn_fast_moments_agree(back, 1));
}

/* A counter that goes back, as when a machine is moved, is no line. */
static void test_counter_back(void **state)
{
	struct gn_fast_clock *c = calloc(1, sizeof(*c));
	const struct gn_fast_moment m[] = {{1000000, 5000, 20},
					   {31000000, 10005000, 20},
					   {2000000, 20005000, 20}};

	(void)state;
	assert_non_null(c);
	for (int i = 0; i < 2; i++)
		gn_fast_clock_add(c, &m[i]);
	assert_int_equal(gn_fast_clock_bound(c), 10);
	gn_fast_clock_add(c, &m[2]);
	assert_true(gn_fast_clock_bound(c) >= 10000000);
	free(c);
}

/* Three ticks are 1 ns, and a try takes 40 ns. */
static void test_tries(void **state)
{
	struct gn_fast_tries t = {.ns = 1000, .ticks = 3000};

	(void)state;
	gn_fast_moment_try(&t, 3300, 1120, 3480);
	assert_in_range(t.best.apart, 60, 80);
	/* for 50 us it has no CPU before the next one */
	gn_fast_moment_try(&t, 153780, 51280, 153900);
	assert_int_equal(t.best.apart, 40);
	assert_int_equal(t.best.ns, 51280);
	assert_int_equal(t.best.ticks, 153840);
	/* and in the next one, behind the clock */
	gn_fast_moment_try(&t, 154020, 51360, 304140);
	assert_int_equal(t.best.apart, 40);
	assert_int_equal(t.best.ns, 51280);
	/* and before the clock: it cannot be told from a slow counter */
	gn_fast_moment_try(&t, 304200, 151420, 454320);
	assert_in_range(t.best.apart, 41, 61);
	assert_int_equal(t.best.ns, 51280);
	gn_fast_moment_try(&t, 454380, 151480, 454500);
	assert_int_equal(t.best.apart, 40);
}

static void clock_lines(void **state)
{
	static struct gn_fast_clock c;
	struct gn_fast_moment m = {.ticks = 1000000, .ns = 5000, .apart = 20};

	(void)state;
	gn_fast_clock_add(&c, &m);
	m = (struct gn_fast_moment){1000000 + 30000000, 5000 + 10000000, 20};
	gn_fast_clock_add(&c, &m);
	assert_int_equal(gn_fast_clock_ns(&c, 1000000), 5000);
	assert_int_equal(gn_fast_clock_ns(&c, 1000300), 5100);
	assert_int_equal(gn_fast_clock_ns(&c, 31000300), 10005100);
	/* before the first moment, by the same line */
	assert_int_equal(gn_fast_clock_ns(&c, 999700), 4900);
	/* the rate changes: each time by the line that it is on */
	m = (struct gn_fast_moment){61000000, 25005000, 20};
	gn_fast_clock_add(&c, &m);
	assert_int_equal(gn_fast_clock_ns(&c, 46000000), 17505000);
	assert_int_equal(gn_fast_clock_ns(&c, 16000000), 5005000);
	/* one that goes back is none */
	m.ns -= 10;
	m.ticks += 10;
	gn_fast_clock_add(&c, &m);
	assert_int_equal(c.n, 3);
	m = (struct gn_fast_moment){91000000, 45005000, 40};
	gn_fast_clock_add(&c, &m);
	/* 15 ms of 20 where the line says 17.5 */
	assert_in_range(c.off, 2499999, 2500002);
	assert_in_range(gn_fast_clock_bound(&c), 2500019, 2500023);
}

static struct gn_rec_func func(enum gn_kind kind, uint64_t time, uint32_t seq,
			       uint32_t os)
{
	return (struct gn_rec_func){
		.h = {.time = time, .tid = TID, .seq = seq, .kind = kind},
		.os_ns = os,
	};
}

static void queue(struct gn_fast_thread *t, const void *rec, size_t size)
{
	assert_int_equal(gn_fast_thread_queue(t, rec, size), 0);
}

static void queue_slice(struct gn_fast_thread *t, uint64_t start, uint64_t end,
			uint32_t seq)
{
	struct gn_rec_slice s = {
		.h = {.time = end,
		      .tid = TID,
		      .seq = seq,
		      .kind = GN_KIND_SLICE},
		.start = start,
	};

	queue(t, &s, sizeof(s));
}

static void queue_func(struct gn_fast_thread *t, uint64_t time, uint32_t seq,
		       uint32_t os)
{
	struct gn_rec_func f = func(GN_KIND_GC_BEGIN, time, seq, os);

	queue(t, &f, sizeof(f));
}

/* A plain event has the record that it has as any event, and leaves the thread
 * as that does. Returns whether it is one. */
static bool is_plain(const struct gn_fast_thread *t,
		     const struct gn_fast_event *e)
{
	struct gn_fast_thread plain = *t, any = *t;
	struct gn_fast_counts counts = {0};
	struct taken out = {0};
	struct gn_rec_func r;

	if (!gn_fast_thread_make(&plain, e, gn_fast_thread_plain_until(t), &r))
		return false;
	assert_int_equal(gn_fast_thread_put(&any, e, &counts, take, &out), 0);
	assert_int_equal(out.n, 1);
	assert_int_equal(counts.unordered, 0);
	assert_memory_equal(&out.rec[0].f, &r, sizeof(r));
	assert_memory_equal(&any, &plain, sizeof(any));
	return true;
}

/* Merges as the consumer does, with all events known. */
static void merge(struct gn_fast_thread *t, const uint64_t *times, size_t n,
		  struct gn_fast_counts *counts, struct taken *out)
{
	size_t i = 0;

	for (;;) {
		const struct gn_rec *rec = gn_fast_thread_first(t);
		struct gn_fast_event e = {.kind = GN_KIND_ENTER, .func = 1};

		if (i < n)
			e.time = times[i];
		if (i < n && (!rec || gn_fast_thread_before(t, &e, rec))) {
			out->plain += is_plain(t, &e);
			assert_int_equal(
				gn_fast_thread_put(t, &e, counts, take, out),
				0);
			i++;
		} else if (rec) {
			assert_int_equal(gn_fast_thread_put_first(t, take, out),
					 0);
		} else {
			break;
		}
	}
}

/* The OS time of an interval is that of the slices in it, whoever ends it. */
static void os_time_follows(void **state)
{
	static const uint64_t times[] = {100, 300, 900};
	struct gn_fast_counts counts = {0};
	struct gn_fast_thread t;
	struct taken out = {0};

	(void)state;
	gn_fast_thread_init(&t, TID);
	queue_func(&t, 50, 10, 5);
	queue_slice(&t, 150, 250, 1);
	queue_slice(&t, 400, 600, 2);
	queue_slice(&t, 1000, 1400, 3);
	queue_func(&t, 1500, 11, 700);
	merge(&t, times, 3, &counts, &out);
	gn_fast_thread_free(&t);
	assert_int_equal(out.n, 8);
	assert_false(out.back);
	assert_int_equal(out.rec[0].f.os_ns, 5);
	assert_int_equal(out.rec[1].h.time, 100);
	assert_int_equal(out.rec[1].f.os_ns, 0);
	assert_int_equal(out.rec[3].h.time, 300);
	assert_int_equal(out.rec[3].f.os_ns, 100);
	assert_true(out.rec[3].h.flags & GN_F_OS_EVENT);
	assert_int_equal(out.rec[5].f.os_ns, 200);
	/* 700 since the kernel's last, 300 of them handed out */
	assert_int_equal(out.rec[7].f.os_ns, 400);
	assert_int_equal(out.rec[7].h.seq, 14);
	assert_int_equal(counts.records, 3);
	assert_int_equal(counts.unordered, 0);
}

/* Most events of its own have nothing of the kernel's near them. */
static void plain_events(void **state)
{
	static const uint64_t times[] = {100, 110, 150, 160, 290, 300,
					 310, 310, 305, 450, 460};
	struct gn_fast_counts counts = {0};
	struct gn_fast_thread t;
	struct taken out = {0};

	(void)state;
	gn_fast_thread_init(&t, TID);
	t.bound = 10;
	queue_slice(&t, 160, 300, 1); /* from the fourth to the sixth */
	queue_func(&t, 400, 11, 140);
	merge(&t, times, 11, &counts, &out);
	gn_fast_thread_free(&t);
	/* not the first ones, the slice's, the one that came too early, and the
	 * first after the kernel's */
	assert_int_equal(out.plain, 6);
	assert_int_equal(counts.records, 11);
	assert_int_equal(counts.unordered, 0);
	assert_false(out.back);
}

/* A time within a slice is moved to its nearer end; more than the clocks
 * explain is said. */
static void inside_a_slice(void **state)
{
	static const uint64_t times[] = {205, 450};
	struct gn_fast_counts counts = {0};
	struct gn_fast_thread t;
	struct taken out = {0};

	(void)state;
	gn_fast_thread_init(&t, TID);
	t.bound = 10;
	queue_slice(&t, 200, 300, 1);
	queue_slice(&t, 400, 480, 2);
	merge(&t, times, 2, &counts, &out);
	gn_fast_thread_free(&t);
	assert_int_equal(out.n, 4);
	assert_int_equal(out.rec[0].h.kind, GN_KIND_ENTER);
	assert_int_equal(out.rec[0].h.time, 200);
	assert_false(out.rec[0].h.flags & GN_F_IN_DOUBT);
	assert_int_equal(out.rec[3].h.kind, GN_KIND_ENTER);
	assert_int_equal(out.rec[3].h.time, 480);
	assert_true(out.rec[3].h.flags & GN_F_IN_DOUBT);
	assert_int_equal(counts.unordered, 1);
}

/* Nobody knows in which interval up to the next slice it was. The kernel's next
 * record has its time, and that of its own interval only is wanted. */
static void lost_slice(void **state)
{
	static const uint64_t times[] = {80, 120, 300, 310, 320};
	struct gn_fast_counts counts = {0};
	struct gn_fast_thread t;
	struct taken out = {0};

	(void)state;
	gn_fast_thread_init(&t, TID);
	queue_func(&t, 50, 10, 0);
	queue_slice(&t, 60, 70, 1);
	queue_slice(&t, 200, 250, 3);
	queue_func(&t, 500, 11, 100);
	queue_func(&t, 600, 12, 0);
	merge(&t, times, 5, &counts, &out);
	gn_fast_thread_free(&t);
	assert_int_equal(out.n, 10);
	/* behind numbers that are missing: 11, 13, and 15 */
	assert_int_equal(out.rec[2].h.seq, 12);
	assert_int_equal(out.rec[3].h.seq, 14);
	assert_int_equal(out.rec[5].h.seq, 16);
	assert_int_equal(out.rec[6].h.seq, 17);
	assert_int_equal(out.rec[7].h.seq, 18);
	assert_int_equal(out.rec[8].h.seq, 20);
	assert_int_equal(out.rec[9].h.seq, 21);
}

/* Half a key is in the ring: the other half is that of the nearest address to
 * one of the stack. What the kernel knows of its mapping says no more. */
static void whole_keys(void **state)
{
	static const uint64_t stacks[] = {0x7f0180000100, 0x7f01fffff000,
					  0x7f0200000ff8};
	static const uint64_t keys[] = {0x7f017ffffff8, 0x7f0200000010,
					0x7f01fffffff8};
	struct gn_fast_counts counts = {0};

	(void)state;
	for (int i = 0; i < 3; i++) {
		struct gn_fast_event e = {.time = 100,
					  .kind = GN_KIND_ENTER,
					  .func = 1,
					  .sp = (uint32_t)keys[i]};
		struct gn_fast_thread t;
		struct gn_rec_stack mapped = {
			.h = {.time = 200,
			      .tid = TID,
			      .seq = 1,
			      .kind = GN_KIND_STACK},
			.lo = stacks[i] & ~0xfffull,
			.hi = (stacks[i] & ~0xfffull) + 0x100000,
		};
		struct taken out = {0};

		gn_fast_thread_init(&t, TID);
		t.stack = stacks[i];
		assert_int_equal(
			gn_fast_thread_put(&t, &e, &counts, take, &out), 0);
		queue(&t, &mapped, sizeof(mapped));
		assert_int_equal(gn_fast_thread_put_first(&t, take, &out), 0);
		e.time = 300;
		assert_int_equal(
			gn_fast_thread_put(&t, &e, &counts, take, &out), 0);
		gn_fast_thread_free(&t);
		assert_int_equal(out.n, 3);
		assert_int_equal(out.rec[0].h.key, keys[i]);
		assert_int_equal(out.rec[2].h.key, keys[i]);
	}
}

struct fixture {
	uint64_t *ring; /* its positions, each in a page */
	struct gn_fast *f;
	struct gn_fast_page *page;
	struct gn_fast_ring *rings;
	unsigned char *data;
	struct taken out;
	uint32_t seq;
};

static int begins(void *ctx)
{
	(void)ctx;
	return 0;
}

static bool never(void *ctx)
{
	(void)ctx;
	return false;
}

static void tell(struct fixture *x, uint32_t what, uint64_t value, uint32_t tid)
{
	struct gn_rec_ring r = {
		.f = {.h = {.time = 1,
			    .tid = tid,
			    .seq = ++x->seq,
			    .kind = GN_KIND_RING,
			    .key = value},
		      .func = GN_FUNC(GN_RUNTIME_CLR, what)},
		.pid = (uint32_t)getpid(),
		.sp = 0x7fff00000000,
	};

	if (!gn_fast_record(x->f, &r.f.h, sizeof(r)))
		take(&x->out, &r.f.h, sizeof(r));
}

static void open_fixture(struct fixture *x, int seals)
{
	struct gn_fast_opts opts = {take,  take_calls, begins,
				    never, &x->out,    false};
	int ring = memfd_create("ring", MFD_CLOEXEC);
	int fd = memfd_create("x", MFD_CLOEXEC | MFD_ALLOW_SEALING);

	memset(x, 0, sizeof(*x));
	assert_int_equal(ftruncate(ring, 2 * RING_PAGE), 0);
	x->f = gn_fast_new(&opts, ring);
	assert_non_null(x->f);
	x->ring = mmap(NULL, 2 * RING_PAGE, PROT_READ | PROT_WRITE, MAP_SHARED,
		       ring, 0);
	assert_ptr_not_equal(x->ring, MAP_FAILED);
	close(ring);
	assert_int_equal(ftruncate(fd, GN_FAST_SIZE), 0);
	assert_int_equal(fcntl(fd, F_ADD_SEALS, seals), 0);
	x->page = mmap(NULL, GN_FAST_SIZE, PROT_READ | PROT_WRITE, MAP_SHARED,
		       fd, 0);
	assert_ptr_not_equal(x->page, MAP_FAILED);
	x->rings = (void *)((char *)x->page + GN_FAST_PAGE);
	x->data = (unsigned char *)x->page + GN_FAST_DATA;
	x->page->magic = GN_FAST_MAGIC;
	x->page->size = GN_FAST_SIZE;
	gn_fast_mark(x->f);
	tell(x, GN_FAST_OFFER, (uint64_t)fd, TID);
	close(fd);
}

static void close_fixture(struct fixture *x)
{
	gn_fast_free(x->f);
	munmap(x->page, GN_FAST_SIZE);
	munmap(x->ring, 2 * RING_PAGE);
}

#define SEALS (F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL)

/* Memory that could shrink would end gnomon by SIGBUS. */
static void unsealed(void **state)
{
	struct gn_fast_facts facts;
	struct fixture *x = malloc(sizeof(*x));

	(void)state;
	open_fixture(x, F_SEAL_GROW);
	assert_int_equal(x->page->taken, 0);
	gn_fast_tell(x->f, &facts);
	assert_int_equal(facts.refused, 1);
	close_fixture(x);
	free(x);
}

static void write_record(struct fixture *x, uint32_t slot, uint32_t what)
{
	uint32_t head = x->rings[slot].head;
	struct gn_fast_rec rec = {8, what, gn_fast_ticks()};

	memcpy(x->data + (size_t)slot * GN_FAST_SLOT + head, &rec, sizeof(rec));
	x->rings[slot].head = what == GN_FAST_WRAP ? 0 : head + sizeof(rec);
}

/* Up to its end, back at its begin, and what found no room. */
static void round_the_ring(void **state)
{
	struct gn_fast_facts facts;
	struct fixture *x = malloc(sizeof(*x));

	(void)state;
	open_fixture(x, SEALS);
	assert_int_equal(x->page->taken, 1);
	tell(x, GN_FAST_CLAIM, 3, TID);
	for (int i = 0; i < 10000; i++) {
		if (x->rings[3].head == GN_FAST_FIRST - GN_FAST_RECORD)
			write_record(x, 3, GN_FAST_WRAP);
		write_record(x, 3, 5 << 2 | GN_FAST_ENTER);
		if (i % 100 == 99) {
			gn_fast_mark(x->f);
			assert_int_equal(gn_fast_merge(x->f), 0);
			assert_int_equal(x->rings[3].tail, x->rings[3].head);
		}
	}
	write_record(x, 3, GN_FAST_LOST);
	gn_fast_mark(x->f);
	assert_int_equal(gn_fast_merge(x->f), 0);
	gn_fast_tell(x->f, &facts);
	assert_int_equal(facts.counts.records, 10000);
	assert_int_equal(facts.counts.dropped, 8);
	assert_int_equal(facts.counts.hostile, 0);
	assert_false(x->out.back);
	close_fixture(x);
	free(x);
}

/* Gnomon does not sleep while a thread waits for it, but it does when there is
 * nothing to read, whatever the memory says. */
static void no_sleep_while_one_waits(void **state)
{
	struct fixture *x = malloc(sizeof(*x));

	(void)state;
	open_fixture(x, SEALS);
	tell(x, GN_FAST_CLAIM, 3, TID);
	assert_true(gn_fast_sleep(x->f));
	write_record(x, 3, 5 << 2 | GN_FAST_ENTER);
	assert_true(gn_fast_sleep(x->f));
	x->rings[3].wants = 1;
	assert_false(gn_fast_sleep(x->f));
	assert_int_equal(x->page->sleeping, 1);
	gn_fast_awake(x->f);
	assert_int_equal(x->page->sleeping, 0);
	gn_fast_mark(x->f);
	assert_int_equal(gn_fast_merge(x->f), 0);
	assert_int_equal(x->rings[3].wants, 0);
	assert_true(gn_fast_sleep(x->f));
	x->rings[3].wants = 1;
	assert_true(gn_fast_sleep(x->f));
	close_fixture(x);
	free(x);
}

/* Anything in the memory: nothing is read outside of a slot, nothing goes back,
 * and the kernel's records come out. */
static void any_bytes(void **state)
{
	struct fixture *x = malloc(sizeof(*x));
	uint32_t seed = 1;

	(void)state;
	for (int round = 0; round < 40; round++) {
		open_fixture(x, SEALS);
		tell(x, GN_FAST_CLAIM, 1, TID);
		tell(x, GN_FAST_CLAIM, 1, TID + 1);
		tell(x, GN_FAST_CLAIM, (uint64_t)rand_r(&seed) << 8, TID + 2);
		for (int i = 0; i < 200; i++) {
			uint32_t at = (uint32_t)rand_r(&seed) % GN_FAST_SLOT;
			unsigned char *p = x->data + GN_FAST_SLOT;

			if (i % 3)
				at %= 4096;
			write_record(x, 1, (uint32_t)rand_r(&seed) % 64);
			p[at] = (unsigned char)rand_r(&seed);
			if (i % 50 == 49)
				x->rings[1].head = (uint32_t)rand_r(&seed) &
						   (GN_FAST_SLOT - 16);
			if (x->rings[1].head > GN_FAST_SLOT - 64)
				x->rings[1].head = 0;
			gn_fast_mark(x->f);
			assert_int_equal(gn_fast_merge(x->f), 0);
		}
		assert_int_equal(gn_fast_flush(x->f), 0);
		assert_false(x->out.back);
		close_fixture(x);
	}
	free(x);
}

static void kernel_record(struct fixture *x, enum gn_kind kind, uint32_t tid,
			  uint64_t time)
{
	struct gn_rec_func r = {
		.h = {.time = time, .tid = tid, .seq = ++x->seq, .kind = kind}};

	if (!gn_fast_record(x->f, &r.h, sizeof(r)))
		take(&x->out, &r.h, sizeof(r));
}

/* What a thread did to others comes before what these tell later, whether it
 * is in a hook by then, and whether they have rings. */
static void order_between_threads(void **state)
{
	static const struct {
		enum gn_kind kind;
		uint32_t tid;
	} order[] = {
		{GN_KIND_RING, TID},
		{GN_KIND_SUSPEND_BEGIN, TID},
		{GN_KIND_SUSPEND_END, TID},
		{GN_KIND_SUSPEND_BEGIN, TID + 1},
	};
	struct fixture *x = malloc(sizeof(*x));
	size_t first;

	(void)state;
	open_fixture(x, SEALS);
	gn_fast_mark(x->f);
	assert_int_equal(gn_fast_merge(x->f), 0);
	first = x->out.n;
	tell(x, GN_FAST_CLAIM, 3, TID);
	kernel_record(x, GN_KIND_SUSPEND_BEGIN, TID, 100);
	kernel_record(x, GN_KIND_SUSPEND_END, TID, 200);
	kernel_record(x, GN_KIND_SUSPEND_BEGIN, TID + 1, 300);
	x->rings[3].busy = 1;
	/* this one can be after one that the hook is about to write */
	kernel_record(x, GN_KIND_GC_BEGIN, TID, 400);
	gn_fast_mark(x->f);
	assert_int_equal(gn_fast_merge(x->f), 0);
	assert_int_equal(x->out.n, first + 4);
	for (size_t i = 0; i < 4; i++) {
		assert_int_equal(x->out.rec[first + i].h.kind, order[i].kind);
		assert_int_equal(x->out.rec[first + i].h.tid, order[i].tid);
	}
	x->rings[3].busy = 0;
	gn_fast_mark(x->f);
	assert_int_equal(gn_fast_merge(x->f), 0);
	assert_int_equal(x->out.rec[first + 4].h.kind, GN_KIND_GC_BEGIN);
	close_fixture(x);
	free(x);
}

static void begin_child(struct fixture *x, uint64_t time)
{
	struct gn_rec_thread r = {
		.f = {.h = {.time = time,
			    .tid = TID + 1,
			    .seq = 1,
			    .kind = GN_KIND_THREAD}},
		.pid = TID + 1,
		.parent = TID,
	};

	assert_true(gn_fast_record(x->f, &r.f.h, sizeof(r)));
}

/* A forked child begins in what its parent wrote that it is in. */
static void parents_calls_come_before(void **state)
{
	struct fixture *x = malloc(sizeof(*x));
	size_t first;

	(void)state;
	open_fixture(x, SEALS);
	gn_fast_mark(x->f);
	assert_int_equal(gn_fast_merge(x->f), 0);
	tell(x, GN_FAST_CLAIM, 3, TID);
	gn_fast_mark(x->f);
	assert_int_equal(gn_fast_merge(x->f), 0);
	first = x->out.n;
	write_record(x, 3, 5 << 2 | GN_FAST_ENTER);
	begin_child(x, gn_now_ns() + 1000000);
	gn_fast_mark(x->f);
	assert_int_equal(gn_fast_merge(x->f), 0);
	assert_int_equal(x->out.n, first + 2);
	assert_int_equal(x->out.rec[first].h.kind, GN_KIND_ENTER);
	assert_int_equal(x->out.rec[first + 1].h.kind, GN_KIND_THREAD);
	close_fixture(x);
	free(x);
}

/* Where the kernel's ring was read up to, and where it is written. */
static void move_ring(struct fixture *x, uint64_t consumed, uint64_t produced)
{
	*x->ring = consumed;
	x->ring[RING_PAGE / sizeof(*x->ring)] = produced;
}

/* A thread that gnomon hears of after the mark, by a record of before it: what
 * others did later comes later. */
static void order_of_new_thread(void **state)
{
	struct fixture *x = malloc(sizeof(*x));
	size_t first;

	(void)state;
	open_fixture(x, SEALS);
	tell(x, GN_FAST_CLAIM, 3, TID);
	gn_fast_mark(x->f);
	assert_int_equal(gn_fast_merge(x->f), 0);
	first = x->out.n;
	move_ring(x, 0, 100);
	gn_fast_mark(x->f);
	begin_child(x, 0);
	move_ring(x, 50, 100);
	kernel_record(x, GN_KIND_EXIT, TID, 100);
	move_ring(x, 100, 100);
	assert_int_equal(gn_fast_merge(x->f), 0);
	assert_int_equal(x->out.n, first + 2);
	assert_int_equal(x->out.rec[first].h.kind, GN_KIND_THREAD);
	assert_int_equal(x->out.rec[first + 1].h.kind, GN_KIND_EXIT);
	close_fixture(x);
	free(x);
}

/* And what its creator did before, which got its ring after the mark and so
 * waits for the next one, comes before it. */
static void order_of_new_ring(void **state)
{
	struct fixture *x = malloc(sizeof(*x));
	size_t first;

	(void)state;
	open_fixture(x, SEALS);
	gn_fast_mark(x->f);
	assert_int_equal(gn_fast_merge(x->f), 0);
	first = x->out.n;
	move_ring(x, 0, 100);
	gn_fast_mark(x->f);
	tell(x, GN_FAST_CLAIM, 3, TID);
	begin_child(x, 0);
	move_ring(x, 100, 100);
	for (int i = 0; i < 2; i++) {
		assert_int_equal(gn_fast_merge(x->f), 0);
		gn_fast_mark(x->f);
	}
	assert_int_equal(gn_fast_merge(x->f), 0);
	assert_int_equal(x->out.n, first + 2);
	assert_int_equal(x->out.rec[first].h.kind, GN_KIND_RING);
	assert_int_equal(x->out.rec[first + 1].h.kind, GN_KIND_THREAD);
	close_fixture(x);
	free(x);
}

/* A thread whose program has another one execute, which has a ring at once:
 * what ends is not that ring. */
static void ring_after_exec(void **state)
{
	struct gn_rec_thread exec = {
		.f = {.h = {.time = 1,
			    .tid = TID,
			    .seq = 1,
			    .kind = GN_KIND_EXEC}},
		.pid = TID,
	};
	struct fixture *x = malloc(sizeof(*x));
	struct gn_fast_facts facts;

	(void)state;
	open_fixture(x, SEALS);
	x->seq = 1;
	assert_true(gn_fast_record(x->f, &exec.f.h, sizeof(exec)));
	gn_fast_mark(x->f);
	tell(x, GN_FAST_CLAIM, 3, TID);
	assert_int_equal(gn_fast_merge(x->f), 0);
	write_record(x, 3, 5 << 2 | GN_FAST_ENTER);
	gn_fast_mark(x->f);
	assert_int_equal(gn_fast_merge(x->f), 0);
	gn_fast_tell(x->f, &facts);
	assert_int_equal(facts.counts.records, 1);
	assert_int_equal(facts.counts.hostile, 0);
	close_fixture(x);
	free(x);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_counters),
		cmocka_unit_test(test_counter_back),
		cmocka_unit_test(test_tries),
		cmocka_unit_test(clock_lines),
		cmocka_unit_test(os_time_follows),
		cmocka_unit_test(plain_events),
		cmocka_unit_test(inside_a_slice),
		cmocka_unit_test(lost_slice),
		cmocka_unit_test(whole_keys),
		cmocka_unit_test(unsealed),
		cmocka_unit_test(round_the_ring),
		cmocka_unit_test(no_sleep_while_one_waits),
		cmocka_unit_test(any_bytes),
		cmocka_unit_test(order_between_threads),
		cmocka_unit_test(parents_calls_come_before),
		cmocka_unit_test(order_of_new_thread),
		cmocka_unit_test(order_of_new_ring),
		cmocka_unit_test(ring_after_exec),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
