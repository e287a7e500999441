/* SPDX-License-Identifier: BSD-2-Clause */
/* A writer that cannot take more says so before it must refuse, and says what
 * it waits for. A FIFO that nobody empties simulates a slow disk. */
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>

#include "trace_records.h"

struct disk {
	int from, to;
	atomic_bool stands;
};

/* No assertion outside the test's own thread. */
static void *disk_main(void *arg)
{
	struct disk *d = arg;
	char buf[4096];
	ssize_t n;

	while (atomic_load(&d->stands))
		sched_yield();
	while ((n = read(d->from, buf, sizeof(buf))) > 0)
		if (write(d->to, buf, (size_t)n) != n)
			return arg;
	return n ? arg : NULL;
}

static void open_disk(struct disk *d, const char *fifo, const char *file)
{
	assert_int_equal(mkfifo(fifo, 0600), 0);
	d->from = open(fifo, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	d->to = open(file, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
	assert_true(d->from >= 0 && d->to >= 0);
	assert_int_equal(fcntl(d->from, F_SETFL, 0), 0);
	atomic_init(&d->stands, true);
}

static void pace(void *ctx, bool behind)
{
	if (behind)
		atomic_store((atomic_bool *)ctx, true);
}

/* Appends everything that the writer takes; it never has to refuse. */
static uint64_t fill(struct gn_trace_writer *w, uint64_t from)
{
	union any_record rec;

	while (gn_trace_writer_wait(w) == GN_TRACE_WAIT_NOT) {
		size_t size = make_record(1, from++, &rec);

		assert_int_equal(gn_trace_writer_append(w, &rec.h, size), 0);
	}
	return from;
}

static void what_is_not_taken_can_wait(void **state)
{
	struct gn_trace_writer_opts opts = small_chunks();
	char fifo[4096], trace[4096];
	struct gn_trace_writer *w;
	struct gn_trace_reader *r;
	atomic_bool behind = false;
	uint64_t n = 0, more;
	pthread_t thread;
	struct disk disk;
	void *failed;

	open_disk(&disk, in_folder(fifo, state, "fifo"),
		  in_folder(trace, state, "trace"));
	assert_int_equal(pthread_create(&thread, NULL, disk_main, &disk), 0);
	opts.queue_limit = 32 * opts.chunk_size;
	opts.pace = pace;
	opts.pace_ctx = &behind;
	assert_int_equal(gn_trace_writer_open(fifo, &opts, &w), 0);
	do {
		n = fill(w, n);
		sched_yield();
	} while (gn_trace_writer_wait(w) < GN_TRACE_WAIT_DISK);
	/* it continues when the disk does */
	atomic_store(&disk.stands, false);
	for (more = n; more < 2 * n; sched_yield())
		more = fill(w, more);
	assert_true(atomic_load(&behind));
	assert_int_equal(gn_trace_writer_close(w, NULL), 0);
	assert_int_equal(pthread_join(thread, &failed), 0);
	assert_null(failed);
	assert_int_equal(gn_trace_reader_open(trace, &r), 0);
	assert_int_equal(read_prefix(r, 1), more);
	assert_false(gn_trace_reader_truncated(r, NULL));
	gn_trace_reader_close(r);
	close(disk.from);
	close(disk.to);
}

/* A file that failed is no reason to wait: append() reports the error. */
static void an_error_is_not_waited_for(void **state)
{
	struct gn_trace_writer_opts opts = small_chunks();
	struct gn_trace_writer *w;
	union any_record rec;
	char fifo[4096], trace[4096];
	struct disk disk;
	uint64_t i = 0;
	int err = 0;

	open_disk(&disk, in_folder(fifo, state, "fifo"),
		  in_folder(trace, state, "trace"));
	opts.queue_limit = 32 * opts.chunk_size;
	assert_int_equal(gn_trace_writer_open(fifo, &opts, &w), 0);
	close(disk.from);
	close(disk.to);
	while (!err) {
		size_t size = make_record(1, i++, &rec);

		while (gn_trace_writer_wait(w) != GN_TRACE_WAIT_NOT)
			sched_yield();
		err = gn_trace_writer_append(w, &rec.h, size);
	}
	assert_int_equal(err, -EPIPE);
	assert_int_equal(gn_trace_writer_wait(w), GN_TRACE_WAIT_NOT);
	assert_int_equal(gn_trace_writer_close(w, NULL), -EPIPE);
}

#define TEST(name) \
	cmocka_unit_test_setup_teardown(name, make_folder, remove_folder)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(what_is_not_taken_can_wait),
		TEST(an_error_is_not_waited_for),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
