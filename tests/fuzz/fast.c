/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Memory that a traced process shares with gnomon can hold anything, and can
 * change at any time. An input is a list of steps: writes to the memory,
 * records from the kernel, and rounds of reading.
 */
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include <gnomon/fast.h>
#include "capture/fast.h"
#include "fuzz.h"

#define THREADS 4
#define STEPS	256

struct seen {
	uint32_t seq[THREADS];
	uint64_t time[THREADS];
};

/* Whatever goes in, records come out in the order of each thread. */
static int put(void *ctx, const struct gn_rec *rec, size_t size)
{
	struct seen *s = ctx;
	uint32_t tid = rec->tid;

	must(size >= sizeof(*rec) && size % 8 == 0, "a record has a size");
	if (tid >= THREADS || rec->kind == GN_KIND_COST ||
	    rec->kind == GN_KIND_SLICE)
		return 0;
	must(!rec->seq || (int32_t)(rec->seq - s->seq[tid]) > 0,
	     "numbers go on");
	s->seq[tid] = rec->seq;
	must(rec->time >= s->time[tid], "times go on");
	s->time[tid] = rec->time;
	return 0;
}

static int put_calls(void *ctx, const struct gn_rec_func *recs, size_t n)
{
	for (size_t i = 0; i < n; i++)
		put(ctx, &recs[i].h, sizeof(recs[i]));
	return 0;
}

static int settle(void *ctx)
{
	(void)ctx;
	return 0;
}

static bool never(void *ctx)
{
	(void)ctx;
	return false;
}

struct memory {
	struct gn_fast_page *page;
	struct gn_fast_ring *rings;
	unsigned char *data;
	int fd;
};

static void open_memory(struct memory *m)
{
	void *at;

	m->fd = memfd_create("fuzz", MFD_CLOEXEC | MFD_ALLOW_SEALING);
	must(m->fd >= 0 && !ftruncate(m->fd, GN_FAST_FILE) &&
		     !fcntl(m->fd, F_ADD_SEALS,
			    F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL),
	     "there is memory");
	at = mmap(NULL, GN_FAST_FILE, PROT_READ | PROT_WRITE, MAP_SHARED, m->fd,
		  0);
	must(at != MAP_FAILED, "it is mapped");
	m->page = at;
	m->rings = (void *)((unsigned char *)at + GN_FAST_PAGE);
	m->data = (unsigned char *)at + GN_FAST_DATA;
	m->page->magic = GN_FAST_MAGIC;
	m->page->size = GN_FAST_FILE;
}

static struct gn_fast *open_reader(struct seen *seen)
{
	struct gn_fast_opts opts = {put, put_calls, settle, never, seen, false};
	int ring = memfd_create("ring", MFD_CLOEXEC);
	struct gn_fast *f;

	must(ring >= 0 && !ftruncate(ring, 2 * sysconf(_SC_PAGESIZE)),
	     "there is a ring");
	f = gn_fast_new(&opts, ring);
	must(f, "there is a reader");
	close(ring);
	return f;
}

/* The kernel's side: its order, numbers and times are right. */
struct kernel {
	uint64_t time;
	uint32_t seq[THREADS], slice[THREADS];
	bool gone[THREADS];
	struct gn_fast *f;
	struct seen *seen;
};

static uint64_t now(struct kernel *k)
{
	struct timespec ts;
	uint64_t ns;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	ns = (uint64_t)ts.tv_sec * 1000000000u + (uint64_t)ts.tv_nsec;
	k->time = ns > k->time ? ns : k->time;
	return k->time;
}

static void give(struct kernel *k, const struct gn_rec *rec, size_t size)
{
	if (!gn_fast_record(k->f, rec, size))
		put(k->seen, rec, size);
}

static void tell(struct kernel *k, uint32_t tid, uint32_t what, uint64_t value)
{
	struct gn_rec_ring r = {
		.f = {.h = {.time = now(k),
			    .tid = tid,
			    .seq = ++k->seq[tid],
			    .kind = GN_KIND_RING,
			    .key = value},
		      .func = GN_FUNC(GN_RUNTIME_CLR, what)},
		.pid = (uint32_t)getpid(),
		.sp = 0x7f0000001000,
	};

	give(k, &r.f.h, sizeof(r));
}

static void tell_func(struct kernel *k, uint32_t tid, uint8_t kind)
{
	static const uint8_t kinds[] = {GN_KIND_ENTER, GN_KIND_LEAVE,
					GN_KIND_GC_BEGIN, GN_KIND_EXIT};
	struct gn_rec_func r = {.h = {.time = now(k),
				      .tid = tid,
				      .seq = ++k->seq[tid],
				      .kind = kinds[kind % 4]}};

	k->gone[tid] = r.h.kind == GN_KIND_EXIT;
	give(k, &r.h, sizeof(r));
}

static void tell_slice(struct kernel *k, uint32_t tid, uint64_t ns)
{
	struct gn_rec_slice r = {.h = {.tid = tid,
				       .seq = ++k->slice[tid],
				       .kind = GN_KIND_SLICE},
				 .start = now(k)};

	k->time += ns;
	r.h.time = k->time;
	give(k, &r.h, sizeof(r));
}

/* Writes nearly what a hook writes. A last byte of 255 writes enough records
 * for a whole ring of initial size. */
static void put_own(struct gn_fast_ring *ring, unsigned char *data,
		    struct gn_fuzz_in *in)
{
	struct gn_fast_rec rec = {
		.sp = (uint32_t)gn_fuzz_take(in, 2),
		.what = (uint32_t)gn_fuzz_take(in, 2),
	};
	uint64_t late = gn_fuzz_take(in, 1);
	/* bits that do not fit into two bytes */
	const uint32_t compiles = 1 << 15;
	uint32_t n = late == 255 ? GN_FAST_FIRST / GN_FAST_RECORD : 1;

	if (rec.what & compiles)
		rec.what ^= compiles | GN_FAST_COMPILES;
	rec.tsc = __builtin_ia32_rdtsc() + late;
	while (n--) {
		memcpy(data + (ring->head & (GN_FAST_SLOT - 16)), &rec,
		       sizeof(rec));
		ring->head += sizeof(rec);
	}
}

/* Writes nearly what reports a name. The texts have up to 1,031 and 775
 * bytes. */
static void put_name(struct memory *m, struct gn_fuzz_in *in)
{
	uint32_t head = m->rings[0].head;
	struct gn_fast_name h = {
		.index = (uint32_t)gn_fuzz_take(in, 1),
		.token = gn_fuzz_take(in, 2),
		.len = {(uint16_t)(gn_fuzz_take(in, 1) * 1031 / 255),
			(uint16_t)(gn_fuzz_take(in, 1) * 775 / 255)},
	};
	uint8_t off = (uint8_t)gn_fuzz_take(in, 1);

	h.size = (uint32_t)(sizeof(h) + h.len[0] + h.len[1] + 7) & ~7u;
	h.size += off > 250 ? off : 0;
	for (uint32_t i = 0; i < sizeof(h); i++)
		m->data[GN_FAST_SLOT - GN_FAST_NAMES +
			(head + i) % GN_FAST_NAMES] = ((unsigned char *)&h)[i];
	m->rings[0].head = head + h.size - (off == 250);
}

static void step(struct kernel *k, struct memory *m, struct gn_fuzz_in *in)
{
	uint32_t slot = (uint32_t)gn_fuzz_take(in, 1) % THREADS;
	struct gn_fast_ring *ring = &m->rings[slot];
	unsigned char *data = m->data + (size_t)slot * GN_FAST_SLOT;
	uint64_t what = gn_fuzz_take(in, 1) % 9, at;

	if (what >= 4 && what <= 6 && k->gone[slot])
		return;
	switch (what) {
	case 0:
		put_own(ring, data, in);
		break;
	case 1:
		ring->head = (uint32_t)gn_fuzz_take(in, 4);
		break;
	case 2:
		at = gn_fuzz_take(in, 3) % GN_FAST_SLOT;
		data[at] = (unsigned char)gn_fuzz_take(in, 1);
		break;
	case 3:
		ring->busy = (unsigned char)gn_fuzz_take(in, 1) & 1;
		ring->wants = (uint32_t)gn_fuzz_take(in, 1);
		ring->tail = (uint32_t)gn_fuzz_take(in, 4);
		break;
	case 4:
		tell(k, slot, GN_FAST_CLAIM, gn_fuzz_take(in, 2));
		break;
	case 5:
		tell_func(k, slot, (uint8_t)gn_fuzz_take(in, 1));
		break;
	case 6:
		tell_slice(k, slot, gn_fuzz_take(in, 2));
		break;
	case 8:
		put_name(m, in);
		break;
	default:
		gn_fast_mark(k->f);
		must(gn_fast_merge(k->f) == 0, "a round ends");
		break;
	}
}

void gn_fuzz(const uint8_t *bytes, size_t size)
{
	struct gn_fuzz_in in = {bytes, size};
	struct seen seen = {.seq = {0}};
	struct kernel k = {.seen = &seen};
	struct memory m;

	open_memory(&m);
	k.f = open_reader(&seen);
	gn_fast_mark(k.f);
	tell(&k, 0, GN_FAST_OFFER, (uint64_t)m.fd);
	for (int i = 0; in.left && i < STEPS; i++)
		step(&k, &m, &in);
	gn_fast_stop(k.f, UINT64_MAX);
	must(gn_fast_flush(k.f) == 0, "the end comes");
	gn_fast_free(k.f);
	munmap(m.page, GN_FAST_FILE);
	close(m.fd);
}
