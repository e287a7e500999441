/* SPDX-License-Identifier: BSD-2-Clause */
/* Packed records: they are unpacked unchanged, their size is as small as
 * expected, and invalid columns are refused. */
#include "trace_records.h"
#include "trace/format.h"

#define RECORDS 4000

struct packed {
	unsigned char *bytes[GN_PACK_COLUMNS];
	size_t size[GN_PACK_COLUMNS];
	unsigned char *raw, *again;
	size_t raw_size, again_size;
	struct gn_packer p;
};

static void begin(struct packed *k, size_t room)
{
	memset(k, 0, sizeof(*k));
	k->p.state = gn_pack_state_new();
	k->raw = malloc(room);
	k->again = malloc(room);
	assert_true(k->p.state && k->raw && k->again);
	for (int i = 0; i < GN_PACK_COLUMNS; i++) {
		k->bytes[i] = malloc(gn_pack_bound(room));
		assert_non_null(k->bytes[i]);
		k->p.at[i] = k->bytes[i];
	}
}

static void add(struct packed *k, const void *rec, size_t size)
{
	memcpy(k->raw + k->raw_size, rec, size);
	k->raw_size += size;
	gn_pack(&k->p, rec, size);
	for (int i = 0; i < GN_PACK_COLUMNS; i++)
		k->size[i] = (size_t)(k->p.at[i] - k->bytes[i]);
}

static size_t packed_size(const struct packed *k)
{
	size_t n = 0;

	for (int i = 0; i < GN_PACK_COLUMNS; i++)
		n += k->size[i];
	return n;
}

static bool unpack(struct packed *k, size_t room)
{
	struct gn_unpacker u = {.state = k->p.state};

	for (int i = 0; i < GN_PACK_COLUMNS; i++) {
		u.at[i] = k->bytes[i];
		u.end[i] = k->bytes[i] + k->size[i];
	}
	return gn_unpack(&u, k->again, room, &k->again_size);
}

static void expect_same(struct packed *k)
{
	assert_true(packed_size(k) <= gn_pack_bound(k->raw_size));
	assert_true(unpack(k, k->raw_size));
	assert_int_equal(k->again_size, k->raw_size);
	assert_memory_equal(k->again, k->raw, k->raw_size);
}

static void finish(struct packed *k)
{
	for (int i = 0; i < GN_PACK_COLUMNS; i++)
		free(k->bytes[i]);
	gn_pack_state_free(k->p.state);
	free(k->raw);
	free(k->again);
}

/* None of these can be predicted. */
static void any_records_come_back(void **state)
{
	union any_record rec;
	struct packed k;

	(void)state;
	for (uint64_t stream = 0; stream < 20; stream++) {
		begin(&k, RECORDS * sizeof(rec));
		for (uint64_t i = 0; i < RECORDS; i++) {
			size_t size = make_record(stream, i, &rec);

			add(&k, &rec, size);
		}
		expect_same(&k);
		finish(&k);
	}
}

/* Threads that call, return, wait and sometimes lose records: more threads than
 * are remembered, and deeper stacks. */
struct caller {
	uint64_t time;
	uint32_t seq, slices, depth;
	uint32_t func[100];
};

static void call(struct packed *k, struct caller *c, uint32_t tid,
		 uint64_t *random)
{
	struct gn_rec_func f = {.h = {.tid = tid}};
	struct gn_rec_slice s = {.h = {.tid = tid, .kind = GN_KIND_SLICE}};
	uint64_t what = next_random(random) % 100;
	bool enter = !c->depth || (c->depth < 99 && what < 45);

	c->time += next_random(random) % (what % 10 ? 300 : 70000);
	if (what > 90) {
		s.h.time = c->time;
		s.h.seq = ++c->slices;
		s.start = c->time - 17;
		s.reason = what % 2 ? GN_NO_SYSCALL : 202;
		s.class = GN_CLASS_LOCK;
		add(k, &s, sizeof(s));
		return;
	}
	if (enter)
		c->func[++c->depth] =
			GN_FUNC(GN_RUNTIME_CLR, 1 + next_random(random) % 50);
	f.h.time = c->time;
	c->seq += 1 + (what == 90);
	f.h.seq = c->seq;
	f.h.kind = enter ? GN_KIND_ENTER : GN_KIND_LEAVE;
	f.h.key = 0x7ffe00100000 - (uint64_t)c->depth * 64;
	f.h.flags = what % 7 ? 0 : GN_F_OS_EVENT;
	f.os_ns = what % 7 ? 0 : (uint32_t)next_random(random);
	f.func = c->func[c->depth];
	/* some ends are not seen */
	if (!enter && what == 89)
		c->depth /= 2;
	else
		c->depth -= !enter;
	add(k, &f, sizeof(f));
}

static void threads_come_back(void **state)
{
	static const uint32_t counts[] = {1, 2, 7, 300, 3000};
	struct caller *c = calloc(3000, sizeof(*c));
	uint64_t random = 5;
	struct packed k;

	(void)state;
	assert_non_null(c);
	for (size_t i = 0; i < sizeof(counts) / sizeof(counts[0]); i++) {
		memset(c, 0, 3000 * sizeof(*c));
		begin(&k, 10 * RECORDS * sizeof(struct gn_rec_slice));
		for (int n = 0; n < 10 * RECORDS; n++) {
			uint32_t t =
				(uint32_t)(next_random(&random) % counts[i]);

			call(&k, &c[t], 1000 + t, &random);
		}
		expect_same(&k);
		finish(&k);
	}
	free(c);
}

/* fib(20): each call and return is a byte and its time. */
static void fib(struct packed *k, uint64_t *time, uint32_t *seq, uint64_t key,
		int n)
{
	struct gn_rec_func f = {
		.h = {.tid = 7, .kind = GN_KIND_ENTER, .key = key}, .func = 9};

	f.h.time = *time += 700;
	f.h.seq = ++*seq;
	add(k, &f, sizeof(f));
	if (n > 1) {
		fib(k, time, seq, key - 48, n - 1);
		fib(k, time, seq, key - 48, n - 2);
	}
	f.h.kind = GN_KIND_LEAVE;
	f.h.time = *time += 700;
	f.h.seq = ++*seq;
	add(k, &f, sizeof(f));
}

static void what_repeats_takes_three_bytes(void **state)
{
	uint64_t time = 5000000000;
	uint32_t seq = 0;
	struct packed k;

	(void)state;
	begin(&k, 21891 * 2 * sizeof(struct gn_rec_func));
	fib(&k, &time, &seq, 0x7ffe00100000, 20);
	expect_same(&k);
	/* control, and two bytes for 700 ns; the first records need more */
	assert_true(packed_size(&k) < 3 * (size_t)seq + 100);
	finish(&k);
}

/* A chunk is read without the chunks before it. */
static void a_chunk_begins_anew(void **state)
{
	uint64_t time = 5000000000;
	unsigned char *first;
	uint32_t seq = 0;
	struct packed k;
	size_t size;

	(void)state;
	begin(&k, 2 * sizeof(struct gn_rec_func) * 200);
	fib(&k, &time, &seq, 0x7ffe00100000, 5);
	size = k.size[GN_PACK_REST];
	first = malloc(size);
	assert_non_null(first);
	memcpy(first, k.bytes[GN_PACK_REST], size);
	/* the same records in another chunk */
	gn_pack_reset(k.p.state);
	for (int i = 0; i < GN_PACK_COLUMNS; i++)
		k.p.at[i] = k.bytes[i];
	k.raw_size = 0;
	time = 5000000000;
	seq = 0;
	fib(&k, &time, &seq, 0x7ffe00100000, 5);
	assert_int_equal(k.size[GN_PACK_REST], size);
	assert_memory_equal(k.bytes[GN_PACK_REST], first, size);
	expect_same(&k);
	free(first);
	finish(&k);
}

/* Each column a byte shorter or longer, and less room than needed. */
static void columns_must_agree(void **state)
{
	uint64_t time = 5000000000;
	uint32_t seq = 0;
	struct packed k;

	(void)state;
	begin(&k, 2 * sizeof(struct gn_rec_func) * 200);
	fib(&k, &time, &seq, 0x7ffe00100000, 5);
	for (int i = 0; i < GN_PACK_COLUMNS; i++) {
		k.size[i]--;
		assert_false(unpack(&k, k.raw_size));
		k.size[i] += 2;
		k.bytes[i][k.size[i] - 1] = 0;
		assert_false(unpack(&k, k.raw_size));
		k.size[i]--;
	}
	assert_false(unpack(&k, k.raw_size - 8));
	expect_same(&k);
	finish(&k);
}

/* Invalid bytes: any verdict, and no access out of bounds (the sanitizers check
 * that). */
static void hostile_columns_are_bounded(void **state)
{
	uint64_t random = 11, taken = 0;
	struct packed k;

	(void)state;
	begin(&k, 4096);
	for (int round = 0; round < 100000; round++) {
		size_t room = next_random(&random) % 4096 & ~(size_t)7;

		for (int i = 0; i < GN_PACK_COLUMNS; i++) {
			k.size[i] = next_random(&random) % 64;
			for (size_t n = 0; n < k.size[i]; n += 8) {
				uint64_t v = next_random(&random);

				/* mostly small values, like real ones */
				v &= round % 2 ? ~0ull : 0x0f0f030f070f030full;
				memcpy(k.bytes[i] + n, &v, 8);
			}
		}
		taken += unpack(&k, room);
		if (k.again_size > room)
			fail();
		k.again_size = 0;
	}
	assert_true(taken < 100000);
	finish(&k);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(any_records_come_back),
		cmocka_unit_test(threads_come_back),
		cmocka_unit_test(what_repeats_takes_three_bytes),
		cmocka_unit_test(a_chunk_begins_anew),
		cmocka_unit_test(columns_must_agree),
		cmocka_unit_test(hostile_columns_are_bounded),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
