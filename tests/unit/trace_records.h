/* SPDX-License-Identifier: BSD-2-Clause */
/* For the tests of the trace file: reproducible records, files and folders. */
#ifndef GNOMON_TESTS_TRACE_RECORDS_H
#define GNOMON_TESTS_TRACE_RECORDS_H

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <cmocka.h>

#include "trace/codec.h"
#include "trace/format.h"
#include "trace/rec.h"
#include "trace/trace.h"

union any_record {
	struct gn_rec h;
	struct gn_rec_text text;
	struct gn_rec_sample sample;
	uint64_t words[GN_TEXT_MAX / 8];
	unsigned char bytes[GN_TEXT_MAX];
};

static inline uint64_t next_random(uint64_t *state)
{
	uint64_t z = (*state += 0x9e3779b97f4a7c15u);

	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
	z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
	return z ^ (z >> 31);
}

/* The kinds of kind.h, in its order. */
static const uint8_t all_kinds[] = {
#define ONE_KIND(name, value, text, stream, type) (value),
	GN_KIND_LIST(ONE_KIND)
#undef ONE_KIND
};

/* The i-th record of a stream: any kind, any content. Returns its size. */
static inline size_t make_record(uint64_t stream, uint64_t i,
				 union any_record *rec)
{
	uint64_t s = stream * 0x100000001b3u + i;
	uint8_t kind = all_kinds[next_random(&s) % sizeof(all_kinds)];
	size_t size = gn_kind_info(kind)->size, w;
	size_t len[2];

	memset(rec, 0, sizeof(*rec));
	len[0] = next_random(&s) % (next_random(&s) % 16 ? 40 : 2000);
	len[1] = next_random(&s) % (next_random(&s) % 16 ? 40 : 2000);
	if (kind == GN_KIND_SAMPLE)
		size = gn_sample_size(len[0] % GN_SAMPLE_FRAMES);
	else if (!size)
		size = (sizeof(struct gn_rec_text) + len[0] + len[1] + 7) / 8 *
		       8;
	for (w = 0; w < size / 8; w++)
		rec->words[w] = next_random(&s);
	rec->h.kind = kind;
	if (kind == GN_KIND_SAMPLE) {
		rec->sample.size = (uint32_t)size;
		rec->sample.frames = len[0] % GN_SAMPLE_FRAMES;
	} else if (!gn_kind_info(kind)->size) {
		rec->text.size = (uint32_t)size;
		rec->text.len[0] = (uint16_t)len[0];
		rec->text.len[1] = (uint16_t)len[1];
	}
	return size;
}

/* The i-th record of the file from version 1 of the format (version-1.trace).
 * Returns its size. */
static inline size_t old_record(uint64_t i, union any_record *rec)
{
	memset(rec, 0, sizeof(*rec));
	rec->h.tid = 100 + i % 3;
	rec->h.time = 1000000 + i * 700;
	rec->h.seq = (uint32_t)(1 + i / 3);
	rec->h.key = 0x7ffe00100000 - i % 7 * 64;
	rec->words[3] = i % 5 | i << 32;
	rec->h.kind = i % 2 ? GN_KIND_LEAVE : GN_KIND_ENTER;
	if (i % 10 == 8)
		rec->h.kind = GN_KIND_SLICE;
	if (i % 10 != 9)
		return gn_kind_info(rec->h.kind)->size;
	rec->h.kind = GN_KIND_NAME;
	rec->text.size = 56;
	rec->text.len[0] = 4;
	rec->text.len[1] = 9;
	memcpy(rec->bytes + sizeof(rec->text), "namemodule.so", 13);
	return 56;
}

/* A separate folder for each test; the state is its path. */
static inline int make_folder(void **state)
{
	char *path = strdup(GN_BUILD_DIR "/trace-XXXXXX");

	if (!path || !mkdtemp(path))
		return -1;
	*state = path;
	return 0;
}

/* How many files there are; with `remove_them`, removes them. */
static inline size_t files_in(const char *folder, int remove_them)
{
	DIR *d = opendir(folder);
	const struct dirent *e;
	size_t n = 0;

	assert_non_null(d);
	while ((e = readdir(d))) {
		if (!strcmp(e->d_name, ".") || !strcmp(e->d_name, ".."))
			continue;
		if (remove_them)
			unlinkat(dirfd(d), e->d_name, 0);
		n++;
	}
	closedir(d);
	return n;
}

static inline int remove_folder(void **state)
{
	char *path = *state;

	files_in(path, 1);
	rmdir(path);
	free(path);
	return 0;
}

/* The path of a file in the folder, in a buffer of PATH_MAX. */
static inline char *in_folder(char *path, void **state, const char *name)
{
	snprintf(path, 4096, "%s/%s", (const char *)*state, name);
	return path;
}

static inline struct gn_trace_writer_opts small_chunks(void)
{
	return (struct gn_trace_writer_opts){
		.chunk_size = GN_TEXT_MAX,
		.uid = (uid_t)-1,
		.gid = (gid_t)-1,
		.zlib = getenv("GN_TEST_ZLIB") != NULL,
	};
}

/* The version of the files that these tests write. */
static inline uint32_t written_version(void)
{
	return gn_codec_zstd && !getenv("GN_TEST_ZLIB") ? GN_TRACE_FORMAT_ZSTD
							: GN_TRACE_FORMAT;
}

/* Writes a complete file with records 0 to n - 1 of a stream. */
static inline void write_file(const char *path, uint64_t stream, uint64_t n)
{
	struct gn_trace_writer_opts opts = small_chunks();
	struct gn_trace_writer *w;
	union any_record rec;
	uint64_t i;

	assert_int_equal(gn_trace_writer_open(path, &opts, &w), 0);
	for (i = 0; i < n; i++) {
		size_t size = make_record(stream, i, &rec);

		assert_int_equal(gn_trace_writer_append(w, &rec.h, size), 0);
	}
	assert_int_equal(gn_trace_writer_close(w, NULL), 0);
}

/* Reads to the end; all records must be the first ones of the stream. Returns
 * their number. */
static inline uint64_t read_prefix(struct gn_trace_reader *r, uint64_t stream)
{
	const struct gn_rec *rec;
	union any_record want;
	size_t size, calls;
	uint64_t n = 0;
	int got;

	while ((got = gn_trace_reader_next(r, &rec, &size)) == 1) {
		assert_int_equal(size, make_record(stream, n, &want));
		assert_memory_equal(rec, &want, size);
		n++;
		/* the ones after it form an array */
		for (calls = gn_trace_reader_calls(r, rec); calls > 1;
		     calls--) {
			rec = (const void *)((const char *)rec + size);
			assert_int_equal(size, make_record(stream, n, &want));
			assert_memory_equal(rec, &want, size);
			n++;
		}
	}
	assert_int_equal(got, 0);
	/* the end is final */
	assert_int_equal(gn_trace_reader_next(r, &rec, &size), 0);
	return n;
}

static inline unsigned char *read_bytes(const char *path, size_t *size)
{
	FILE *f = fopen(path, "rb");
	unsigned char *bytes;
	struct stat st;

	assert_non_null(f);
	assert_int_equal(fstat(fileno(f), &st), 0);
	*size = (size_t)st.st_size;
	bytes = malloc(*size + 1);
	assert_non_null(bytes);
	assert_int_equal(fread(bytes, 1, *size, f), *size);
	fclose(f);
	return bytes;
}

static inline void write_bytes(const char *path, const void *bytes, size_t n)
{
	FILE *f = fopen(path, "wb");

	assert_non_null(f);
	assert_int_equal(fwrite(bytes, 1, n, f), n);
	assert_int_equal(fclose(f), 0);
}

/* Open files of this process. */
static inline size_t open_files(void)
{
	return files_in("/proc/self/fd", 0);
}

#endif
