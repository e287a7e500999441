/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Every fallible call fails once: the linker redirects those of the library to
 * these wrappers. Whatever fails, nothing leaks, no temporary file stays, an
 * older file is replaced by a readable one or not at all, and what can be read
 * is what was written.
 */
#include <pthread.h>
#include <sched.h>
#include <zlib.h>
#ifdef GNOMON_ZSTD
#include <zstd.h>
#include <zstd_errors.h>
#endif

#include "trace_records.h"

#include "fail.h"

#define RECORDS 400

WRAP(void *, malloc, (size_t n), (n), NULL, ENOMEM)
WRAP(void *, calloc, (size_t n, size_t m), (n, m), NULL, ENOMEM)
WRAP(char *, strdup, (const char *s), (s), NULL, ENOMEM)
WRAP(char *, strndup, (const char *s, size_t n), (s, n), NULL, ENOMEM)
WRAP(int, open, (const char *p, int f, mode_t m), (p, f, m), -1, EIO)
WRAP(int, openat, (int d, const char *p, int f, mode_t m), (d, p, f, m), -1,
     EIO)
WRAP(int, fstat, (int fd, struct stat *s), (fd, s), -1, EIO)
WRAP(int, fstatat, (int d, const char *p, struct stat *s, int f), (d, p, s, f),
     -1, EIO)
WRAP(off_t, lseek, (int fd, off_t o, int w), (fd, o, w), -1, EIO)
WRAP(ssize_t, read, (int fd, void *p, size_t n), (fd, p, n), -1, EIO)
WRAP(int, fchown, (int fd, uid_t u, gid_t g), (fd, u, g), -1, EIO)
WRAP(int, fsync, (int fd), (fd), -1, EIO)
WRAP(int, fdatasync, (int fd), (fd), -1, EIO)
WRAP(int, renameat, (int a, const char *p, int b, const char *q), (a, p, b, q),
     -1, EIO)
WRAP(ssize_t, getrandom, (void *p, size_t n, unsigned int f), (p, n, f), -1,
     EIO)
WRAP(int, pthread_create,
     (pthread_t * t, const pthread_attr_t *a, void *(*f)(void *), void *x),
     (t, a, f, x), EAGAIN, EIO)
WRAP(int, deflateInit_, (z_streamp z, int l, const char *v, int s),
     (z, l, v, s), Z_MEM_ERROR, EIO)
WRAP(int, deflateReset, (z_streamp z), (z), Z_STREAM_ERROR, EIO)
WRAP(int, deflate, (z_streamp z, int f), (z, f), Z_STREAM_ERROR, EIO)
WRAP(int, inflateInit_, (z_streamp z, const char *v, int s), (z, v, s),
     Z_MEM_ERROR, EIO)
WRAP(int, inflateReset, (z_streamp z), (z), Z_STREAM_ERROR, EIO)
WRAP(int, inflate, (z_streamp z, int f), (z, f), Z_MEM_ERROR, EIO)
#ifdef GNOMON_ZSTD
#define GENERIC	  ((size_t)-ZSTD_error_GENERIC)
#define NO_MEMORY ((size_t)-ZSTD_error_memory_allocation)
WRAP(ZSTD_CCtx *, ZSTD_createCCtx, (void), (), NULL, ENOMEM)
WRAP(size_t, ZSTD_CCtx_setParameter, (ZSTD_CCtx * c, ZSTD_cParameter p, int v),
     (c, p, v), GENERIC, EIO)
WRAP(size_t, ZSTD_CCtx_reset, (ZSTD_CCtx * c, ZSTD_ResetDirective r), (c, r),
     GENERIC, EIO)
WRAP(size_t, ZSTD_compressStream2,
     (ZSTD_CCtx * c, ZSTD_outBuffer *o, ZSTD_inBuffer *i, ZSTD_EndDirective e),
     (c, o, i, e), GENERIC, EIO)
WRAP(ZSTD_DCtx *, ZSTD_createDCtx, (void), (), NULL, ENOMEM)
WRAP(size_t, ZSTD_decompressDCtx,
     (ZSTD_DCtx * d, void *o, size_t room, const void *i, size_t n),
     (d, o, room, i, n), NO_MEMORY, EIO)
#endif

/* A failing close() closes the file anyway. */
int __real_close(int fd);
int __wrap_close(int fd);
int __wrap_close(int fd)
{
	int err = __real_close(fd);

	if (!fails("close", EIO))
		return err;
	return -1;
}

static atomic_bool no_truncate;
int __real_ftruncate(int fd, off_t n);
int __wrap_ftruncate(int fd, off_t n);
int __wrap_ftruncate(int fd, off_t n)
{
	if (no_truncate || fails("ftruncate", EIO)) {
		errno = EIO;
		return -1;
	}
	return __real_ftruncate(fd, n);
}

static atomic_bool full, short_writes, no_writes;
ssize_t __real_write(int fd, const void *p, size_t n);
ssize_t __wrap_write(int fd, const void *p, size_t n);
ssize_t __wrap_write(int fd, const void *p, size_t n)
{
	static _Thread_local bool interrupted;

	if (no_writes)
		return 0;
	if (short_writes) {
		interrupted = !interrupted;
		if (!interrupted)
			return __real_write(fd, p, n < 100 ? n : 100);
		errno = EINTR;
		return -1;
	}
	if (atomic_exchange(&full, false)) {
		errno = ENOSPC;
		return -1;
	}
	/* Only half of it is written before the disk is full. */
	if (fails("write", EIO)) {
		atomic_store(&full, true);
		return __real_write(fd, p, n / 2);
	}
	return __real_write(fd, p, n);
}

/* Calls whose failure need not be reported: the writer can wait for memory, and
 * the closed descriptor may be that of the folder. */
static bool harmless(const char *call)
{
	return !strcmp(call, "malloc") || !strcmp(call, "close");
}

/* Writes a file with an armed failure. Returns the first error. */
static int write_failing(const char *path, uint64_t *taken, bool *opened)
{
	struct gn_trace_writer_opts opts = small_chunks();
	struct gn_trace_writer *w;
	union any_record rec;
	int err, last;

	*taken = 0;
	opts.uid = geteuid();
	err = gn_trace_writer_open(path, &opts, &w);
	*opened = !err;
	if (err)
		return err;
	while (*taken < RECORDS) {
		size_t size = make_record(1, *taken, &rec);

		err = gn_trace_writer_append(w, &rec.h, size);
		if (err && err != -ENOBUFS)
			break;
		*taken += !err;
		err = 0;
	}
	last = gn_trace_writer_close(w, NULL);
	/* the first error is kept */
	if (err)
		assert_int_equal(last, err);
	return last;
}

/* Checks what is at `path` after the attempt, where an older file was. */
static void check_file(const char *path, int err, bool opened, uint64_t taken)
{
	struct gn_trace_reader *r;
	uint64_t n;
	int got = gn_trace_reader_open(path, &r);

	/* the older file is still there */
	if (err && got == -GN_TRACE_NOT_A_TRACE)
		return;
	assert_true(opened);
	assert_int_equal(got, 0);
	n = read_prefix(r, 1);
	assert_int_equal(n, taken);
	assert_false(gn_trace_reader_truncated(r, NULL));
	gn_trace_reader_close(r);
}

static void every_call_of_the_writer_fails_once(void **state)
{
	size_t files = open_files();
	uint64_t taken;
	char path[4096];
	bool opened;
	int n, err;

	in_folder(path, state, "trace");
	for (n = 1;; n++) {
		write_bytes(path, "old file", 8);
		arm(n);
		err = write_failing(path, &taken, &opened);
		disarm();
		atomic_store(&full, false);
		if (!atomic_load(&failed))
			break;
		if (!err)
			assert_true(harmless(atomic_load(&failed_call)));
		check_file(path, err, opened, taken);
		assert_int_equal(files_in(*state, 0), 1);
		assert_int_equal(open_files(), files);
	}
	assert_int_equal(err, 0);
	/* it got past the first chunks */
	assert_true(n > 30);
}

/* Reads a file with an armed failure. */
static int read_failing(const char *path, uint64_t *records)
{
	struct gn_trace_reader *r;
	const struct gn_rec *rec;
	union any_record want;
	size_t size;
	int got;

	*records = 0;
	got = gn_trace_reader_open(path, &r);
	if (got)
		return got;
	while ((got = gn_trace_reader_next(r, &rec, &size)) == 1) {
		assert_int_equal(size, make_record(1, *records, &want));
		assert_memory_equal(rec, &want, size);
		++*records;
	}
	/* an error stays */
	assert_int_equal(gn_trace_reader_next(r, &rec, &size), got);
	if (!got)
		assert_false(gn_trace_reader_truncated(r, NULL));
	gn_trace_reader_close(r);
	return got;
}

static void every_call_of_the_reader_fails_once(void **state)
{
	size_t files = open_files();
	uint64_t records;
	char path[4096];
	int n, err, threads = 0;

	write_file(in_folder(path, state, "trace"), 1, RECORDS);
	for (n = 1;; n++) {
		arm(n);
		err = read_failing(path, &records);
		disarm();
		if (!atomic_load(&failed))
			break;
		threads += !strcmp(atomic_load(&failed_call), "pthread_create");
		/* without a thread, the caller reads everything itself */
		if (!strcmp(atomic_load(&failed_call), "close") ||
		    !strcmp(atomic_load(&failed_call), "pthread_create")) {
			assert_int_equal(err, 0);
			assert_int_equal(records, RECORDS);
		} else {
			assert_true(err == -EIO || err == -ENOMEM);
		}
		assert_int_equal(open_files(), files);
	}
	assert_int_equal(err, 0);
	assert_int_equal(records, RECORDS);
	assert_true(n > 30);
	assert_true(threads > 0);
}

/* If a torn chunk cannot even be cut off, a reader stops before it. */
static void a_torn_chunk_is_not_read(void **state)
{
	struct gn_trace_reader *r;
	uint64_t taken, lost, records;
	char path[4096];
	bool opened;
	int n, torn = 0;

	in_folder(path, state, "trace");
	for (n = 1; n < 100; n++) {
		unlink(path);
		no_truncate = true;
		arm(n);
		write_failing(path, &taken, &opened);
		disarm();
		atomic_store(&full, false);
		no_truncate = false;
		if (access(path, F_OK))
			continue; /* not even one chunk was written */
		assert_true(opened);
		assert_int_equal(gn_trace_reader_open(path, &r), 0);
		records = read_prefix(r, 1);
		assert_true(records && records <= taken);
		gn_trace_reader_truncated(r, &lost);
		torn += lost > 0;
		gn_trace_reader_close(r);
	}
	assert_true(torn > 0);
}

/* Writes of a byte at a time, with interruptions, are no error. */
static void short_writes_go_on(void **state)
{
	char path[4096];
	struct gn_trace_reader *r;

	short_writes = true;
	write_file(in_folder(path, state, "trace"), 1, RECORDS);
	short_writes = false;
	assert_int_equal(gn_trace_reader_open(path, &r), 0);
	assert_int_equal(read_prefix(r, 1), RECORDS);
	assert_false(gn_trace_reader_truncated(r, NULL));
	gn_trace_reader_close(r);
}

/* A device that takes nothing and reports no error. */
static void writes_of_nothing_end(void **state)
{
	char path[4096];
	uint64_t taken;
	bool opened;

	no_writes = true;
	assert_int_equal(
		write_failing(in_folder(path, state, "trace"), &taken, &opened),
		-EIO);
	no_writes = false;
	assert_int_equal(files_in(*state, 0), 0);
}

#define TEST(name) \
	cmocka_unit_test_setup_teardown(name, make_folder, remove_folder)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(every_call_of_the_writer_fails_once),
		TEST(every_call_of_the_reader_fails_once),
		TEST(a_torn_chunk_is_not_read),
		TEST(short_writes_go_on),
		TEST(writes_of_nothing_end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
