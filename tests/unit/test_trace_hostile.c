/* SPDX-License-Identifier: BSD-2-Clause */
/* Files with correct checksums and wrong content. */
#include "trace_records.h"
#include "forged.h"

/* How many records can be read, and how the file ends. */
static uint64_t count(struct forged *f, enum gn_trace_error tail,
		      uint64_t skipped)
{
	const struct gn_rec *rec;
	struct gn_trace_reader *r;
	uint64_t n = 0;
	size_t size;
	int got;

	assert_int_equal(gn_trace_reader_open(f->path, &r), 0);
	while ((got = gn_trace_reader_next(r, &rec, &size)) == 1) {
		assert_int_equal(gn_rec_size_of(rec, size), size);
		n++;
	}
	assert_int_equal(got, 0);
	assert_int_equal(gn_trace_reader_tail(r), tail);
	assert_int_equal(gn_trace_reader_skipped(r), skipped);
	gn_trace_reader_close(r);
	return n;
}

static struct gn_rec_func func_record(void)
{
	struct gn_rec_func f = {.h.time = 7, .h.kind = GN_KIND_ENTER};

	return f;
}

/* One good chunk, then one with `raw`, which must not be read. */
static void refuse(const void *raw, size_t n, uint32_t records)
{
	struct gn_rec_func good = func_record();
	struct forged f;

	forge_begin(&f);
	forge_chunk(&f, &good, sizeof(good), 1);
	forge_chunk(&f, raw, n, records);
	forge_end(&f, records + 1, 7);
	assert_int_equal(count(&f, GN_TRACE_CORRUPT, 0), 1);
	forge_close(&f);
}

static void new_kinds_are_left_out(void **state)
{
	union any_record rec = {0};
	struct gn_rec_func good = func_record();
	unsigned char raw[4096];
	size_t at = 0;
	struct forged f;

	(void)state;
	forge_begin(&f);
	rec.h.time = 7;
	rec.h.kind = KIND_FIXED;
	memcpy(raw + at, &rec, 48);
	at += 48;
	memcpy(raw + at, &good, sizeof(good));
	at += sizeof(good);
	rec.h.kind = KIND_VARIABLE;
	rec.text.size = 1000;
	memcpy(raw + at, &rec, 1000);
	at += 1000;
	rec.text.size = 32;
	memcpy(raw + at, &rec, 32);
	at += 32;
	memcpy(raw + at, &good, sizeof(good));
	at += sizeof(good);
	forge_chunk(&f, raw, at, 5);
	/* a chunk with only unknown records */
	forge_chunk(&f, &rec, 32, 1);
	forge_chunk(&f, &good, sizeof(good), 1);
	forge_end(&f, 7, 7);
	assert_int_equal(count(&f, GN_TRACE_OK, 4), 3);
	forge_close(&f);
}

static void new_kinds_have_bounds_too(void **state)
{
	union any_record rec = {0};

	(void)state;
	rec.h.time = 7;
	rec.h.kind = KIND_VARIABLE;
	rec.text.size = 0;
	refuse(&rec, 32, 1);
	rec.text.size = 24;
	refuse(&rec, 32, 1);
	rec.text.size = 36;
	refuse(&rec, 40, 1);
	rec.text.size = 64;
	refuse(&rec, 56, 1);
	rec.text.size = 0xfffffff8;
	refuse(&rec, 64, 1);
	rec.text.size = 24;
	refuse(&rec, 24, 1);
	rec.h.kind = KIND_FIXED;
	refuse(&rec, 40, 1);
	refuse(&rec, 56, 1);
	/* its kind is in no table */
	rec.h.kind = 202;
	refuse(&rec, 32, 1);
	rec.h.kind = 0;
	refuse(&rec, 32, 1);
}

static void malformed_records_are_refused(void **state)
{
	union any_record rec = {0};

	(void)state;
	rec.h.time = 7;
	rec.h.kind = GN_KIND_ENTER;
	refuse(&rec, 24, 1);
	refuse(&rec, 40, 1);
	rec.h.kind = GN_KIND_INFO;
	rec.text.size = 48;
	refuse(&rec, 40, 1);
	rec.text.size = 40;
	rec.text.len[0] = 1;
	refuse(&rec, 40, 1);
	rec.text.len[0] = 0;
	rec.text.size = 0;
	refuse(&rec, 40, 1);
}

static void headers_that_contradict_are_refused(void **state)
{
	struct gn_rec_func good = func_record();
	struct gn_trace_chunk h;
	struct forged f;
	int i;

	(void)state;
	for (i = 0; i < 9; i++) {
		forge_begin(&f);
		h = forged_head(&f, &good, sizeof(good), 1);
		h.records += i == 0;
		h.records -= i == 1;
		h.first -= i == 2;
		h.last += i == 3;
		h.number += i == 4;
		h.raw += i == 5 ? 8 : 0;
		h.raw -= i == 6 ? 8 : 0;
		h.raw = i == 7 ? (64u << 20) + 8 : h.raw;
		h.raw = i == 8 ? 0 : h.raw;
		forge_raw(&f, &h, &good, sizeof(good));
		forge_end(&f, 1, 7);
		assert_int_equal(count(&f, GN_TRACE_CORRUPT, 0), 0);
		forge_close(&f);
	}
}

static void packed_bytes_must_be_one_stream(void **state)
{
	struct gn_rec_func good = func_record();
	unsigned char packed[256];
	uLongf size = sizeof(packed);
	struct gn_trace_chunk h;
	struct forged f;
	int i;

	(void)state;
	memset(packed, 0, sizeof(packed));
	assert_int_equal(
		compress(packed, &size, (unsigned char *)&good, sizeof(good)),
		Z_OK);
	for (i = 0; i < 5; i++) {
		/* the third size is right */
		static const int more[] = {-1, 1, 0, 8, -6};

		forge_begin(&f);
		h = forged_head(&f, &good, sizeof(good), 1);
		forge_packed(&f, &h, packed, size + (size_t)more[i]);
		forge_end(&f, 1, 7);
		assert_int_equal(
			count(&f, more[i] ? GN_TRACE_CORRUPT : GN_TRACE_OK, 0),
			!more[i]);
		forge_close(&f);
	}
	/* far more bytes than records can need */
	forge_begin(&f);
	h = forged_head(&f, &good, sizeof(good), 1);
	forge_packed(&f, &h, packed, sizeof(good) + sizeof(good) / 4 + 64 + 1);
	assert_int_equal(count(&f, GN_TRACE_CORRUPT, 0), 0);
	forge_close(&f);
}

/* A chunk claims gigabytes, but has nothing. */
static void sizes_beyond_the_file_are_a_cut(void **state)
{
	struct gn_rec_func good = func_record();
	unsigned char head[GN_TRACE_CHUNK_HEAD];
	struct gn_trace_chunk h;
	struct forged f;

	(void)state;
	forge_begin(&f);
	h = forged_head(&f, &good, 64u << 20, 1);
	h.packed = gn_trace_packed_max(GN_TRACE_FORMAT_PLAIN, h.raw);
	gn_trace_chunk_encode(&h, head);
	forge_bytes(&f, head, sizeof(head));
	assert_int_equal(count(&f, GN_TRACE_CUT, 0), 0);
	forge_close(&f);
}

/* A stream that unpacks to a thousand times its size, and to more than its
 * header says. */
static void bombs_are_bounded(void **state)
{
	size_t n = 64u << 20;
	unsigned char *zeros = calloc(1, n);
	struct gn_trace_chunk h;
	struct forged f;

	(void)state;
	assert_non_null(zeros);
	forge_begin(&f);
	h = forged_head(&f, zeros, 4096, 1);
	forge_raw(&f, &h, zeros, n);
	assert_int_equal(count(&f, GN_TRACE_CORRUPT, 0), 0);
	forge_close(&f);
	forge_begin(&f);
	h = forged_head(&f, zeros, n, 1);
	forge_raw(&f, &h, zeros, n);
	assert_int_equal(count(&f, GN_TRACE_CORRUPT, 0), 0);
	forge_close(&f);
	free(zeros);
}

static void end_marks_must_agree(void **state)
{
	struct gn_rec_func good = func_record();
	struct forged f;
	int i;

	(void)state;
	for (i = 0; i < 4; i++) {
		forge_begin(&f);
		forge_chunk(&f, &good, sizeof(good), 1);
		f.chunks += i == 1;
		forge_end(&f, 1 + (i == 2), 7 + (i == 3));
		assert_int_equal(
			count(&f, i ? GN_TRACE_CORRUPT : GN_TRACE_OK, 0), 1);
		forge_close(&f);
	}
}

/* Records without a time do not become the earliest ones. */
static void records_without_a_time_do_not_count(void **state)
{
	struct gn_rec_func two[2] = {func_record(), func_record()};
	struct gn_trace_chunk h;
	struct forged f;

	(void)state;
	two[0].h.time = 0;
	forge_begin(&f);
	h = forged_head(&f, &two[1], sizeof(two), 2);
	forge_raw(&f, &h, two, sizeof(two));
	forge_end(&f, 2, 7);
	assert_int_equal(count(&f, GN_TRACE_OK, 0), 2);
	forge_close(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(new_kinds_are_left_out),
		cmocka_unit_test(new_kinds_have_bounds_too),
		cmocka_unit_test(malformed_records_are_refused),
		cmocka_unit_test(headers_that_contradict_are_refused),
		cmocka_unit_test(packed_bytes_must_be_one_stream),
		cmocka_unit_test(sizes_beyond_the_file_are_a_cut),
		cmocka_unit_test(bombs_are_bounded),
		cmocka_unit_test(end_marks_must_agree),
		cmocka_unit_test(records_without_a_time_do_not_count),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
