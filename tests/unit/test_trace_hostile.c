/* SPDX-License-Identifier: BSD-2-Clause */
/* Files whose checksums are right and whose content is not. */
#include <sys/mman.h>
#include <zlib.h>

#include "trace_records.h"
#include "trace/format.h"

#define KIND_FIXED    200 /* kinds of a newer gnomon */
#define KIND_VARIABLE 201

/* A trace that is made by hand. */
struct forged {
	int fd;
	char path[64];
	uint64_t chunks;
	struct gn_trace_reader *r;
};

static void put32(unsigned char *p, uint32_t v)
{
	memcpy(p, &v, sizeof(v));
}

static void emit(const struct forged *f, const void *bytes, size_t n)
{
	assert_int_equal(write(f->fd, bytes, n), n);
}

/* A row of the table of kinds. */
static size_t add_row(unsigned char *h, size_t size, uint8_t kind,
		      uint32_t fixed)
{
	h[size] = kind;
	h[size + 1] = GN_STREAM_USER;
	put32(h + size + 4, fixed);
	memcpy(h + size + 8, "new", 3);
	return size + GN_TRACE_ROW;
}

/* The header of a newer gnomon. */
static void begin(struct forged *f)
{
	unsigned char h[GN_TRACE_HEADER_MAX];
	size_t size = gn_trace_header_encode(GN_TRACE_FORMAT, h);
	uint32_t crc;

	memset(f, 0, sizeof(*f));
	f->fd = memfd_create("trace", MFD_CLOEXEC);
	assert_true(f->fd >= 0);
	snprintf(f->path, sizeof(f->path), "/proc/self/fd/%d", f->fd);
	size = add_row(h, size, KIND_FIXED, 48);
	size = add_row(h, size, KIND_VARIABLE, 0);
	put32(h + 16, (uint32_t)size);
	put32(h + 20, (uint32_t)(size - GN_TRACE_HEADER) / GN_TRACE_ROW);
	crc = gn_trace_crc(0, h + 16, 12);
	crc = gn_trace_crc(crc, h + 32, size - 32);
	put32(h + 28, crc);
	/* what is in a chunk is told as it is; test_trace_pack has the other */
	put32(h + 8, GN_TRACE_FORMAT_PLAIN);
	put32(h + 12, gn_trace_crc(0, h, 12));
	emit(f, h, size);
}

static void finish(struct forged *f)
{
	close(f->fd);
}

/* A true header for the records, to be made untrue by the test. */
static struct gn_trace_chunk head_of(const struct forged *f, const void *raw,
				     size_t n, uint32_t records)
{
	struct gn_trace_chunk h = {.raw = (uint32_t)n, .records = records};
	const struct gn_rec *rec = raw;

	/* all records of these tests have the same time */
	h.first = rec->time;
	h.last = rec->time;
	h.number = f->chunks;
	return h;
}

static void add_packed(struct forged *f, struct gn_trace_chunk *h,
		       const void *packed, size_t n)
{
	unsigned char head[GN_TRACE_CHUNK_HEAD];

	h->packed = (uint32_t)n;
	h->crc = gn_trace_crc(0, packed, n);
	gn_trace_chunk_encode(h, head);
	emit(f, head, sizeof(head));
	emit(f, packed, n);
	f->chunks++;
}

static void add_raw(struct forged *f, struct gn_trace_chunk *h, const void *raw,
		    size_t n)
{
	uLongf size = compressBound(n);
	unsigned char *packed = malloc(size);

	assert_non_null(packed);
	assert_int_equal(compress(packed, &size, raw, n), Z_OK);
	add_packed(f, h, packed, size);
	free(packed);
}

static void add_chunk(struct forged *f, const void *raw, size_t n,
		      uint32_t records)
{
	struct gn_trace_chunk h = head_of(f, raw, n, records);

	add_raw(f, &h, raw, n);
}

static void add_end(struct forged *f, uint64_t records, uint64_t time)
{
	struct gn_trace_end e = {
		.records = records,
		.first = time,
		.last = time,
		.chunks = f->chunks,
	};
	unsigned char mark[GN_TRACE_CHUNK_HEAD];

	gn_trace_end_encode(&e, mark);
	emit(f, mark, sizeof(mark));
}

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

	begin(&f);
	add_chunk(&f, &good, sizeof(good), 1);
	add_chunk(&f, raw, n, records);
	add_end(&f, records + 1, 7);
	assert_int_equal(count(&f, GN_TRACE_CORRUPT, 0), 1);
	finish(&f);
}

static void new_kinds_are_left_out(void **state)
{
	union any_record rec = {0};
	struct gn_rec_func good = func_record();
	unsigned char raw[4096];
	size_t at = 0;
	struct forged f;

	(void)state;
	begin(&f);
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
	add_chunk(&f, raw, at, 5);
	/* a chunk with nothing that is known */
	add_chunk(&f, &rec, 32, 1);
	add_chunk(&f, &good, sizeof(good), 1);
	add_end(&f, 7, 7);
	assert_int_equal(count(&f, GN_TRACE_OK, 4), 3);
	finish(&f);
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
	/* in no table */
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
		begin(&f);
		h = head_of(&f, &good, sizeof(good), 1);
		h.records += i == 0;
		h.records -= i == 1;
		h.first -= i == 2;
		h.last += i == 3;
		h.number += i == 4;
		h.raw += i == 5 ? 8 : 0;
		h.raw -= i == 6 ? 8 : 0;
		h.raw = i == 7 ? (64u << 20) + 8 : h.raw;
		h.raw = i == 8 ? 0 : h.raw;
		add_raw(&f, &h, &good, sizeof(good));
		add_end(&f, 1, 7);
		assert_int_equal(count(&f, GN_TRACE_CORRUPT, 0), 0);
		finish(&f);
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
		/* the third is right */
		static const int more[] = {-1, 1, 0, 8, -6};

		begin(&f);
		h = head_of(&f, &good, sizeof(good), 1);
		add_packed(&f, &h, packed, size + (size_t)more[i]);
		add_end(&f, 1, 7);
		assert_int_equal(
			count(&f, more[i] ? GN_TRACE_CORRUPT : GN_TRACE_OK, 0),
			!more[i]);
		finish(&f);
	}
	/* far more bytes than records can need */
	begin(&f);
	h = head_of(&f, &good, sizeof(good), 1);
	add_packed(&f, &h, packed, sizeof(good) + sizeof(good) / 4 + 64 + 1);
	assert_int_equal(count(&f, GN_TRACE_CORRUPT, 0), 0);
	finish(&f);
}

/* A chunk says that there are gigabytes; none of it is there. */
static void sizes_beyond_the_file_are_a_cut(void **state)
{
	struct gn_rec_func good = func_record();
	unsigned char head[GN_TRACE_CHUNK_HEAD];
	struct gn_trace_chunk h;
	struct forged f;

	(void)state;
	begin(&f);
	h = head_of(&f, &good, 64u << 20, 1);
	h.packed = gn_trace_packed_max(GN_TRACE_FORMAT_PLAIN, h.raw);
	gn_trace_chunk_encode(&h, head);
	emit(&f, head, sizeof(head));
	assert_int_equal(count(&f, GN_TRACE_CUT, 0), 0);
	finish(&f);
}

/* A stream that unpacks to a thousand times its size, and to more than said. */
static void bombs_are_bounded(void **state)
{
	size_t n = 64u << 20;
	unsigned char *zeros = calloc(1, n);
	struct gn_trace_chunk h;
	struct forged f;

	(void)state;
	assert_non_null(zeros);
	begin(&f);
	h = head_of(&f, zeros, 4096, 1);
	add_raw(&f, &h, zeros, n);
	assert_int_equal(count(&f, GN_TRACE_CORRUPT, 0), 0);
	finish(&f);
	begin(&f);
	h = head_of(&f, zeros, n, 1);
	add_raw(&f, &h, zeros, n);
	assert_int_equal(count(&f, GN_TRACE_CORRUPT, 0), 0);
	finish(&f);
	free(zeros);
}

static void end_marks_must_agree(void **state)
{
	struct gn_rec_func good = func_record();
	struct forged f;
	int i;

	(void)state;
	for (i = 0; i < 4; i++) {
		begin(&f);
		add_chunk(&f, &good, sizeof(good), 1);
		f.chunks += i == 1;
		add_end(&f, 1 + (i == 2), 7 + (i == 3));
		assert_int_equal(
			count(&f, i ? GN_TRACE_CORRUPT : GN_TRACE_OK, 0), 1);
		finish(&f);
	}
}

/* Records without a time do not make the earliest one. */
static void records_without_a_time_do_not_count(void **state)
{
	struct gn_rec_func two[2] = {func_record(), func_record()};
	struct gn_trace_chunk h;
	struct forged f;

	(void)state;
	two[0].h.time = 0;
	begin(&f);
	h = head_of(&f, &two[1], sizeof(two), 2);
	add_raw(&f, &h, two, sizeof(two));
	add_end(&f, 2, 7);
	assert_int_equal(count(&f, GN_TRACE_OK, 0), 2);
	finish(&f);
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
