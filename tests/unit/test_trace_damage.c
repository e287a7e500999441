/* SPDX-License-Identifier: BSD-2-Clause */
/* Files that differ from what a writer wrote. */
#include <sys/mman.h>

#include "trace_records.h"
#include "trace/format.h"

struct image {
	unsigned char *bytes;
	size_t size;
	uint64_t records;
	int fd; /* a file in memory that holds the variants */
	char path[64];
};

/* A small file: a few chunks with one record, and one with more. */
static void make_image(struct image *img, void **state)
{
	struct gn_trace_writer_opts opts = small_chunks();
	struct gn_trace_writer *w;
	union any_record rec;
	char path[4096];
	uint64_t i;

	img->records = 12;
	in_folder(path, state, "trace");
	assert_int_equal(gn_trace_writer_open(path, &opts, &w), 0);
	for (i = 0; i < img->records; i++) {
		size_t size = make_record(5, i, &rec);

		assert_int_equal(gn_trace_writer_append(w, &rec.h, size), 0);
		/* more chunks than are read without a thread */
		if (i < 7)
			assert_int_equal(gn_trace_writer_flush(w), 0);
	}
	assert_int_equal(gn_trace_writer_close(w, NULL), 0);
	img->bytes = read_bytes(path, &img->size);
	img->fd = memfd_create("trace", MFD_CLOEXEC);
	assert_true(img->fd >= 0);
	snprintf(img->path, sizeof(img->path), "/proc/self/fd/%d", img->fd);
}

static void free_image(struct image *img)
{
	close(img->fd);
	free(img->bytes);
}

static void put(const struct image *img, size_t size)
{
	assert_int_equal(ftruncate(img->fd, 0), 0);
	assert_int_equal(pwrite(img->fd, img->bytes, size, 0), size);
}

static int open_error(const struct image *img, size_t size)
{
	struct gn_trace_reader *r = NULL;
	int err;

	put(img, size);
	err = gn_trace_reader_open(img->path, &r);
	if (!err)
		gn_trace_reader_close(r);
	return err;
}

static size_t header_size(const struct image *img)
{
	uint32_t version;
	size_t size;

	assert_int_equal(gn_trace_header_begin(img->bytes, GN_TRACE_HEADER,
					       &version, &size),
			 0);
	assert_int_equal(version, written_version());
	return size;
}

/* The beginning of the chunk after the one at `at`. */
static size_t next_chunk(const struct image *img, size_t at)
{
	struct gn_trace_chunk h;

	assert_true(
		gn_trace_chunk_decode(img->bytes + at, written_version(), &h));
	return at + GN_TRACE_CHUNK_HEAD + h.packed;
}

static void cut_at_every_byte(void **state)
{
	struct image img;
	size_t size, whole, header;
	uint64_t n, lost, records = 0;
	struct gn_trace_reader *r;

	make_image(&img, state);
	header = header_size(&img);
	whole = header;
	assert_int_equal(open_error(&img, 0), -GN_TRACE_EMPTY);
	for (size = 1; size < header; size++)
		assert_int_equal(open_error(&img, size), -GN_TRACE_CUT);
	for (; size < img.size; size++) {
		put(&img, size);
		assert_int_equal(gn_trace_reader_open(img.path, &r), 0);
		n = read_prefix(r, 5);
		assert_true(gn_trace_reader_truncated(r, &lost));
		assert_int_equal(gn_trace_reader_tail(r), GN_TRACE_CUT);
		/* it only grows, and only at the end of a chunk */
		if (n != records) {
			assert_true(n > records);
			records = n;
			whole = next_chunk(&img, whole);
			assert_int_equal(whole, size);
		}
		assert_int_equal(lost, size - whole);
		gn_trace_reader_close(r);
	}
	assert_int_equal(records, img.records);
	free_image(&img);
}

/* True if the damage was noticed; what was read must always be right. */
static int damage_is_seen(const struct image *img)
{
	struct gn_trace_reader *r;
	uint64_t lost;
	int seen;

	put(img, img->size);
	if (gn_trace_reader_open(img->path, &r))
		return 1;
	assert_true(read_prefix(r, 5) <= img->records);
	seen = gn_trace_reader_truncated(r, &lost);
	if (seen)
		assert_int_not_equal(gn_trace_reader_tail(r), GN_TRACE_OK);
	gn_trace_reader_close(r);
	return seen;
}

static void every_bit_flipped(void **state)
{
	struct image img;
	size_t bit;

	make_image(&img, state);
	assert_false(damage_is_seen(&img));
	for (bit = 0; bit < img.size * 8; bit++) {
		img.bytes[bit / 8] ^= (unsigned char)(1 << bit % 8);
		assert_true(damage_is_seen(&img));
		img.bytes[bit / 8] ^= (unsigned char)(1 << bit % 8);
	}
	free_image(&img);
}

static void every_byte_zeroed_or_filled(void **state)
{
	struct image img;
	unsigned char was;
	size_t i;

	make_image(&img, state);
	for (i = 0; i < img.size; i++) {
		was = img.bytes[i];
		img.bytes[i] = 0;
		assert_int_equal(damage_is_seen(&img), was != 0);
		img.bytes[i] = 0xff;
		assert_int_equal(damage_is_seen(&img), was != 0xff);
		img.bytes[i] = was;
	}
	free_image(&img);
}

static void lost_and_moved_chunks_are_seen(void **state)
{
	struct image img;
	size_t a, b, c, size;
	unsigned char *was;

	make_image(&img, state);
	a = header_size(&img);
	b = next_chunk(&img, a);
	c = next_chunk(&img, b);
	was = malloc(img.size);
	assert_non_null(was);
	memcpy(was, img.bytes, img.size);
	size = img.size;

	/* the second chunk is missing */
	memmove(img.bytes + b, img.bytes + c, size - c);
	img.size = size - (c - b);
	assert_true(damage_is_seen(&img));
	/* it comes first */
	memcpy(img.bytes, was, size);
	img.size = size;
	memcpy(img.bytes + a, was + b, c - b);
	memcpy(img.bytes + a + (c - b), was + a, b - a);
	assert_true(damage_is_seen(&img));
	/* it is there twice */
	memcpy(img.bytes, was, size);
	memcpy(img.bytes + a, was + b, c - b < b - a ? c - b : b - a);
	assert_true(damage_is_seen(&img));
	/* only the end mark is left */
	memcpy(img.bytes, was, size);
	memmove(img.bytes + a, img.bytes + size - GN_TRACE_CHUNK_HEAD,
		GN_TRACE_CHUNK_HEAD);
	img.size = a + GN_TRACE_CHUNK_HEAD;
	assert_true(damage_is_seen(&img));
	free(was);
	free_image(&img);
}

static void bytes_after_the_end_mark_are_damage(void **state)
{
	struct image img;
	struct gn_trace_reader *r;
	uint64_t lost;

	make_image(&img, state);
	put(&img, img.size);
	assert_int_equal(pwrite(img.fd, "tail", 4, (off_t)img.size), 4);
	assert_int_equal(gn_trace_reader_open(img.path, &r), 0);
	assert_int_equal(read_prefix(r, 5), img.records);
	assert_true(gn_trace_reader_truncated(r, &lost));
	assert_int_equal(gn_trace_reader_tail(r), GN_TRACE_CORRUPT);
	assert_int_equal(lost, 4);
	gn_trace_reader_close(r);
	free_image(&img);
}

static void put32(unsigned char *p, uint32_t v)
{
	memcpy(p, &v, sizeof(v));
}

/* Makes the checksums of the file header right again. */
static void mend_header(struct image *img, size_t size)
{
	unsigned char *h = img->bytes;
	uint32_t crc = gn_trace_crc(0, h + 16, 12);

	crc = gn_trace_crc(crc, h + 32, size - 32);
	put32(h + 28, crc);
	put32(h + 12, gn_trace_crc(0, h, 12));
}

static void other_files_are_told_apart(void **state)
{
	static const char elf[] = "\177ELF\2\1\1";
	struct image img;
	size_t header;

	make_image(&img, state);
	header = header_size(&img);
	put32(img.bytes + 8, GN_TRACE_FORMAT_ZSTD + 1);
	assert_int_equal(open_error(&img, img.size), -GN_TRACE_CORRUPT);
	mend_header(&img, header);
	assert_int_equal(open_error(&img, img.size), -GN_TRACE_VERSION);
	/* what follows the version is unknown, so it may be anything */
	assert_int_equal(open_error(&img, 16), -GN_TRACE_VERSION);
	put32(img.bytes + 8, 0);
	mend_header(&img, header);
	assert_int_equal(open_error(&img, img.size), -GN_TRACE_VERSION);

	memcpy(img.bytes, elf, sizeof(elf));
	assert_int_equal(open_error(&img, img.size), -GN_TRACE_NOT_A_TRACE);
	assert_int_equal(open_error(&img, 1), -GN_TRACE_NOT_A_TRACE);
	free_image(&img);
}

/* Changes a byte of the table, with a correct checksum. */
static int with_row(struct image *img, size_t at, unsigned char value)
{
	size_t header = header_size(img);
	unsigned char was = img->bytes[GN_TRACE_HEADER + at];
	int err;

	img->bytes[GN_TRACE_HEADER + at] = value;
	mend_header(img, header);
	err = open_error(img, img->size);
	img->bytes[GN_TRACE_HEADER + at] = was;
	mend_header(img, header);
	return err;
}

static void tables_that_cannot_be_true(void **state)
{
	struct image img;

	make_image(&img, state);
	assert_int_equal(open_error(&img, img.size), 0);
	/* first row: kind, stream, reserved, size, name */
	assert_int_equal(with_row(&img, 0, 0), -GN_TRACE_CORRUPT);
	assert_int_equal(with_row(&img, 0, GN_KIND_LEAVE), -GN_TRACE_CORRUPT);
	assert_int_equal(with_row(&img, 1, 0), -GN_TRACE_CORRUPT);
	assert_int_equal(with_row(&img, 1, 5), -GN_TRACE_CORRUPT);
	assert_int_equal(with_row(&img, 1, GN_STREAM_USER), -GN_TRACE_CORRUPT);
	assert_int_equal(with_row(&img, 2, 1), -GN_TRACE_CORRUPT);
	assert_int_equal(with_row(&img, 4, 40), -GN_TRACE_CORRUPT);
	assert_int_equal(with_row(&img, 4, 0), -GN_TRACE_CORRUPT);
	assert_int_equal(with_row(&img, 8, 0), -GN_TRACE_CORRUPT);
	assert_int_equal(with_row(&img, 8, 27), -GN_TRACE_CORRUPT);
	assert_int_equal(with_row(&img, 31, 'x'), -GN_TRACE_CORRUPT);
	/* an unknown kind, and its size */
	assert_int_equal(with_row(&img, 0, 200), 0);
	img.bytes[GN_TRACE_HEADER] = 200;
	assert_int_equal(with_row(&img, 4, 0), 0);
	assert_int_equal(with_row(&img, 4, 24), 0);
	assert_int_equal(with_row(&img, 4, 16), -GN_TRACE_CORRUPT);
	assert_int_equal(with_row(&img, 4, 36), -GN_TRACE_CORRUPT);
	assert_int_equal(with_row(&img, 7, 1), -GN_TRACE_CORRUPT);
	free_image(&img);
}

static void header_fields_that_cannot_be_true(void **state)
{
	struct image img;
	size_t header, at;

	make_image(&img, state);
	header = header_size(&img);
	for (at = 16; at < 28; at++) {
		img.bytes[at] ^= 0x80;
		mend_header(&img, header);
		assert_int_equal(open_error(&img, img.size), -GN_TRACE_CORRUPT);
		img.bytes[at] ^= 0x80;
	}
	free_image(&img);
}

static void directories_and_missing_files(void **state)
{
	struct gn_trace_reader *r;
	char path[4096];

	assert_int_equal(gn_trace_reader_open(*state, &r), -EISDIR);
	assert_int_equal(
		gn_trace_reader_open(in_folder(path, state, "none"), &r),
		-ENOENT);
	assert_int_equal(gn_trace_reader_open("/dev/null", &r),
			 -GN_TRACE_EMPTY);
	assert_int_equal(gn_trace_reader_open("/dev/zero", &r),
			 -GN_TRACE_NOT_A_TRACE);
}

static void errors_have_sentences(void **state)
{
	int err;

	(void)state;
	for (err = GN_TRACE_NOT_A_TRACE; err <= GN_TRACE_CUT; err++) {
		assert_string_not_equal(gn_trace_strerror(-err),
					gn_trace_strerror(-EIO));
		assert_ptr_equal(gn_trace_strerror(-err),
				 gn_trace_strerror(err));
		assert_string_not_equal(gn_trace_strerror(err),
					gn_trace_strerror(99999));
	}
	assert_string_equal(gn_trace_strerror(-ENOSPC),
			    strerrordesc_np(ENOSPC));
}

#define TEST(name) \
	cmocka_unit_test_setup_teardown(name, make_folder, remove_folder)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(cut_at_every_byte),
		TEST(every_bit_flipped),
		TEST(every_byte_zeroed_or_filled),
		TEST(lost_and_moved_chunks_are_seen),
		TEST(bytes_after_the_end_mark_are_damage),
		TEST(other_files_are_told_apart),
		TEST(tables_that_cannot_be_true),
		TEST(header_fields_that_cannot_be_true),
		TEST(directories_and_missing_files),
		TEST(errors_have_sentences),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
