/* SPDX-License-Identifier: BSD-2-Clause */
/* Everything that is written can be read, also during the writing and after a
 * kill. */
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/wait.h>

#include "trace_records.h"

static uint64_t read_whole(const char *path, uint64_t stream)
{
	struct gn_trace_reader *r;
	uint64_t n, lost;

	assert_int_equal(gn_trace_reader_open(path, &r), 0);
	n = read_prefix(r, stream);
	assert_false(gn_trace_reader_truncated(r, &lost));
	assert_int_equal(lost, 0);
	assert_int_equal(gn_trace_reader_tail(r), GN_TRACE_OK);
	assert_int_equal(gn_trace_reader_skipped(r), 0);
	gn_trace_reader_close(r);
	return n;
}

static void every_kind_comes_back(void **state)
{
	char path[4096];
	int kind_seen[GN_KIND_LIMIT] = {0};
	union any_record rec;
	uint64_t i;

	write_file(in_folder(path, state, "trace"), 1, 20000);
	assert_int_equal(read_whole(path, 1), 20000);
	for (i = 0; i < 20000; i++) {
		make_record(1, i, &rec);
		kind_seen[rec.h.kind] = 1;
	}
	for (i = 0; i < sizeof(all_kinds); i++)
		assert_true(kind_seen[all_kinds[i]]);
}

static void no_record_is_a_whole_file_too(void **state)
{
	char path[4096];

	write_file(in_folder(path, state, "trace"), 1, 0);
	assert_int_equal(read_whole(path, 1), 0);
}

static void options_do_not_change_the_records(void **state)
{
	static const size_t sizes[] = {0, GN_TEXT_MAX, 100001, 64u << 20};
	struct gn_trace_writer_opts opts = small_chunks();
	struct gn_trace_writer *w;
	union any_record rec;
	char path[4096];
	uint64_t bytes, i;
	struct stat st;
	size_t k;

	in_folder(path, state, "trace");
	for (k = 0; k < sizeof(sizes) / sizeof(*sizes); k++) {
		opts.chunk_size = sizes[k];
		opts.level = k ? (int)k * 3 : 0;
		assert_int_equal(gn_trace_writer_open(path, &opts, &w), 0);
		for (i = 0; i < 3000; i++) {
			size_t size = make_record(k, i, &rec);

			assert_int_equal(
				gn_trace_writer_append(w, &rec.h, size), 0);
		}
		assert_int_equal(gn_trace_writer_close(w, &bytes), 0);
		assert_int_equal(read_whole(path, k), 3000);
		assert_int_equal(stat(path, &st), 0);
		assert_int_equal(st.st_size, bytes);
	}
}

static int open_with(const char *path, size_t chunk, int level, size_t queue)
{
	struct gn_trace_writer_opts opts = small_chunks();
	struct gn_trace_writer *w;

	opts.chunk_size = chunk;
	opts.level = level;
	opts.queue_limit = queue;
	return gn_trace_writer_open(path, &opts, &w);
}

static void bad_options_are_refused(void **state)
{
	char path[4096];

	in_folder(path, state, "trace");
	assert_int_equal(open_with(path, GN_TEXT_MAX - 1, 0, 0), -EINVAL);
	assert_int_equal(open_with(path, (64u << 20) + 1, 0, 0), -EINVAL);
	assert_int_equal(open_with(path, 0, 10, 0), -EINVAL);
	assert_int_equal(open_with(path, 0, -1, 0), -EINVAL);
	assert_int_equal(open_with(path, 8192, 0, 8191), -EINVAL);
	assert_int_equal(files_in(*state, 0), 0);
}

static void malformed_records_are_not_taken(void **state)
{
	struct gn_trace_writer_opts opts = small_chunks();
	struct gn_trace_writer *w;
	union any_record rec;
	char path[4096];
	size_t size;

	in_folder(path, state, "trace");
	assert_int_equal(gn_trace_writer_open(path, &opts, &w), 0);
	size = make_record(7, 0, &rec);
	assert_int_equal(gn_trace_writer_append(w, &rec.h, 0), -EINVAL);
	assert_int_equal(gn_trace_writer_append(w, &rec.h, size - 1), -EINVAL);
	assert_int_equal(gn_trace_writer_append(w, &rec.h, size + 8), -EINVAL);
	assert_int_equal(gn_trace_writer_append(w, &rec.h, size), 0);
	rec.h.kind = 0;
	assert_int_equal(gn_trace_writer_append(w, &rec.h, size), -EINVAL);
	assert_int_equal(gn_trace_writer_close(w, NULL), 0);
	assert_int_equal(read_whole(path, 7), 1);
}

/* An older file stays until the new one has its header; then it is gone. */
static void an_older_file_is_replaced(void **state)
{
	char path[4096];

	write_bytes(in_folder(path, state, "trace"), "old", 3);
	write_file(path, 1, 100);
	assert_int_equal(read_whole(path, 1), 100);
	assert_int_equal(files_in(*state, 0), 1);
}

/* Waits until a reader sees at least `n` records of stream 1. */
static void wait_for(const char *path, uint64_t n)
{
	struct gn_trace_reader *r;
	uint64_t seen = 0;

	while (seen < n) {
		assert_int_equal(gn_trace_reader_open(path, &r), 0);
		seen = read_prefix(r, 1);
		assert_true(gn_trace_reader_truncated(r, NULL));
		gn_trace_reader_close(r);
		sched_yield();
	}
	assert_int_equal(seen, n);
}

static void flushed_records_can_be_read(void **state)
{
	struct gn_trace_writer_opts opts = small_chunks();
	struct gn_trace_writer *w;
	union any_record rec;
	char path[4096];
	uint64_t i;

	in_folder(path, state, "trace");
	opts.chunk_size = 0;
	assert_int_equal(gn_trace_writer_open(path, &opts, &w), 0);
	assert_int_equal(gn_trace_writer_flush(w), 0);
	wait_for(path, 0);
	for (i = 0; i < 50; i++) {
		size_t size = make_record(1, i, &rec);

		assert_int_equal(gn_trace_writer_append(w, &rec.h, size), 0);
		assert_int_equal(gn_trace_writer_flush(w), 0);
		wait_for(path, i + 1);
	}
	assert_int_equal(gn_trace_writer_close(w, NULL), 0);
	assert_int_equal(read_whole(path, 1), 50);
}

/* Chunks are reused, in another order than the first time. */
static void chunks_come_back(void **state)
{
	struct gn_trace_writer_opts opts = small_chunks();
	struct gn_trace_writer *w;
	union any_record rec;
	char path[4096];
	uint64_t i, n = 0;
	int round;

	in_folder(path, state, "trace");
	assert_int_equal(gn_trace_writer_open(path, &opts, &w), 0);
	for (round = 0; round < 10; round++) {
		for (i = 0; i < 5; i++) {
			size_t size = make_record(1, n++, &rec);

			assert_int_equal(
				gn_trace_writer_append(w, &rec.h, size), 0);
			assert_int_equal(gn_trace_writer_flush(w), 0);
		}
		wait_for(path, n);
	}
	/* the current chunk is one of them, and empty */
	assert_int_equal(gn_trace_writer_close(w, NULL), 0);
	assert_int_equal(read_whole(path, 1), n);
}

struct background {
	const char *path;
	atomic_bool done;
};

/* No assertion outside the test's own thread. */
static void *write_in_background(void *arg)
{
	struct background *b = arg;
	struct gn_trace_writer_opts opts = small_chunks();
	struct gn_trace_writer *w;
	union any_record rec;
	intptr_t failed = 0;
	uint64_t i;

	if (gn_trace_writer_open(b->path, &opts, &w)) {
		atomic_store(&b->done, true);
		return (void *)1;
	}
	for (i = 0; i < 20000; i++) {
		size_t size = make_record(1, i, &rec);
		int err;

		while ((err = gn_trace_writer_append(w, &rec.h, size)) ==
		       -ENOBUFS)
			sched_yield();
		failed |= err != 0;
		if (i % 7 == 0)
			gn_trace_writer_flush(w);
	}
	failed |= gn_trace_writer_close(w, NULL) != 0;
	atomic_store(&b->done, true);
	return (void *)failed;
}

static void a_reader_beside_the_writer_sees_a_prefix(void **state)
{
	struct background b = {.done = false};
	struct gn_trace_reader *r;
	char path[4096];
	pthread_t thread;
	uint64_t n, before = 0;
	void *failed;

	b.path = in_folder(path, state, "trace");
	assert_int_equal(pthread_create(&thread, NULL, write_in_background, &b),
			 0);
	while (!atomic_load(&b.done)) {
		if (gn_trace_reader_open(path, &r) == -ENOENT)
			continue;
		n = read_prefix(r, 1);
		assert_true(n >= before);
		before = n;
		gn_trace_reader_close(r);
	}
	assert_int_equal(pthread_join(thread, &failed), 0);
	assert_null(failed);
	assert_int_equal(read_whole(path, 1), 20000);
}

/* Writes forever, and writes a byte to `report` after each flush. */
static void write_until_killed(const char *path, int report)
{
	struct gn_trace_writer_opts opts = small_chunks();
	struct gn_trace_writer *w;
	union any_record rec;
	uint64_t i;

	if (gn_trace_writer_open(path, &opts, &w))
		_exit(1);
	for (i = 0;; i++) {
		size_t size = make_record(1, i, &rec);
		int err;

		while ((err = gn_trace_writer_append(w, &rec.h, size)) ==
		       -ENOBUFS)
			sched_yield();
		if (err)
			_exit(1);
		if (i % 50 == 49 &&
		    (gn_trace_writer_flush(w) || write(report, "", 1) != 1))
			_exit(1);
	}
}

static void a_killed_writer_leaves_a_prefix(void **state)
{
	uint64_t seed = 42, with_records = 0;
	struct gn_trace_reader *r;
	char path[4096], byte;
	int round, fds[2], status;

	in_folder(path, state, "trace");
	for (round = 0; round < 20; round++) {
		uint64_t flushes = 1 + next_random(&seed) % 200;
		pid_t pid;

		unlink(path); /* an older one would stay */
		assert_int_equal(pipe(fds), 0);
		pid = fork();
		assert_true(pid >= 0);
		if (!pid) {
			close(fds[0]);
			write_until_killed(path, fds[1]);
		}
		close(fds[1]);
		for (; flushes; flushes--)
			assert_int_equal(read(fds[0], &byte, 1), 1);
		assert_int_equal(kill(pid, SIGKILL), 0);
		assert_int_equal(waitpid(pid, &status, 0), pid);
		assert_true(WIFSIGNALED(status));
		close(fds[0]);

		assert_int_equal(gn_trace_reader_open(path, &r), 0);
		with_records += read_prefix(r, 1) > 0;
		assert_true(gn_trace_reader_truncated(r, NULL));
		gn_trace_reader_close(r);
		assert_int_equal(files_in(*state, 0), 1);
	}
	assert_true(with_records > 0);
}

/* A FIFO that nobody empties simulates a slow disk. */
static void a_full_queue_refuses_and_keeps_what_it_took(void **state)
{
	struct gn_trace_writer_opts opts = small_chunks();
	struct gn_trace_writer *w;
	struct gn_trace_reader *r;
	union any_record rec;
	char path[4096];
	uint64_t i, taken = 0;
	const struct gn_rec *got;
	uint64_t *kept;
	size_t size;
	int fd, err;

	assert_int_equal(mkfifo(in_folder(path, state, "fifo"), 0600), 0);
	fd = open(path, O_RDWR | O_CLOEXEC);
	assert_true(fd >= 0);
	/* room only for the header and some chunks */
	assert_true(fcntl(fd, F_SETPIPE_SZ, 4096) >= 4096);
	opts.queue_limit = (size_t)4 * GN_TEXT_MAX;
	assert_int_equal(gn_trace_writer_open(path, &opts, &w), 0);
	kept = calloc(100000, sizeof(*kept));
	assert_non_null(kept);
	for (i = 0; i < 100000; i++) {
		size = make_record(1, i, &rec);
		err = gn_trace_writer_append(w, &rec.h, size);
		if (!err)
			kept[taken++] = i;
		else
			assert_int_equal(err, -ENOBUFS);
	}
	assert_true(taken > 0 && taken < 1000);
	assert_int_equal(gn_trace_writer_flush(w), -ENOBUFS);

	assert_int_equal(
		gn_trace_reader_open_fd(fcntl(fd, F_DUPFD_CLOEXEC, 3), &r), 0);
	for (i = 0; i < taken / 2; i++) {
		assert_int_equal(gn_trace_reader_next(r, &got, &size), 1);
		assert_int_equal(size, make_record(1, kept[i], &rec));
		assert_memory_equal(got, &rec, size);
	}
	/* now the rest fits into the pipe */
	assert_true(fcntl(fd, F_SETPIPE_SZ, 1 << 20) >= 1 << 20);
	assert_int_equal(gn_trace_writer_close(w, NULL), 0);
	for (; i < taken; i++) {
		assert_int_equal(gn_trace_reader_next(r, &got, &size), 1);
		assert_int_equal(size, make_record(1, kept[i], &rec));
		assert_memory_equal(got, &rec, size);
	}
	assert_int_equal(gn_trace_reader_next(r, &got, &size), 0);
	assert_false(gn_trace_reader_truncated(r, NULL));
	gn_trace_reader_close(r);
	close(fd);
	free(kept);
}

static void standard_input_can_be_read(void **state)
{
	int before = dup(STDIN_FILENO), fd;
	char path[4096];

	write_file(in_folder(path, state, "trace"), 3, 500);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	assert_true(fd >= 0);
	assert_true(dup2(fd, STDIN_FILENO) >= 0);
	assert_int_equal(read_whole("-", 3), 500);
	/* it is still open */
	assert_true(fcntl(STDIN_FILENO, F_GETFD) >= 0);
	if (before >= 0)
		dup2(before, STDIN_FILENO);
	close(before);
	close(fd);
}

/* Written by a gnomon that knew no other version. */
static void version_1_is_read(void **state)
{
	const struct gn_rec *rec;
	struct gn_trace_reader *r;
	union any_record want;
	uint64_t n = 0;
	size_t size;

	(void)state;
	assert_int_equal(
		gn_trace_reader_open(GN_GOLDEN_DIR "/version-1.trace", &r), 0);
	for (; gn_trace_reader_next(r, &rec, &size) == 1; n++) {
		assert_int_equal(size, old_record(n, &want));
		assert_memory_equal(rec, &want, size);
	}
	assert_int_equal(n, 500);
	assert_false(gn_trace_reader_truncated(r, NULL));
	gn_trace_reader_close(r);
}

/* Its table has every kind of its time: this finds a kind whose size has
 * changed. */
static void version_2_is_read(void **state)
{
	uint64_t n = 0, calls = 0, returns = 0;
	const struct gn_rec *rec;
	struct gn_trace_reader *r;
	size_t size;

	(void)state;
	assert_int_equal(
		gn_trace_reader_open(GN_GOLDEN_DIR "/version-2.trace", &r), 0);
	for (; gn_trace_reader_next(r, &rec, &size) == 1; n++) {
		calls += rec->kind == GN_KIND_ENTER;
		returns += rec->kind == GN_KIND_LEAVE;
	}
	assert_int_equal(n, 275);
	assert_int_equal(calls + returns, 200);
	assert_int_equal(gn_trace_reader_skipped(r), 0);
	assert_false(gn_trace_reader_truncated(r, NULL));
	gn_trace_reader_close(r);
}

#define TEST(name) \
	cmocka_unit_test_setup_teardown(name, make_folder, remove_folder)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(every_kind_comes_back),
		TEST(no_record_is_a_whole_file_too),
		TEST(options_do_not_change_the_records),
		TEST(bad_options_are_refused),
		TEST(malformed_records_are_not_taken),
		TEST(an_older_file_is_replaced),
		TEST(flushed_records_can_be_read),
		TEST(chunks_come_back),
		TEST(a_reader_beside_the_writer_sees_a_prefix),
		TEST(a_killed_writer_leaves_a_prefix),
		TEST(a_full_queue_refuses_and_keeps_what_it_took),
		TEST(standard_input_can_be_read),
		TEST(version_1_is_read),
		TEST(version_2_is_read),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
