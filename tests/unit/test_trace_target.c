/* SPDX-License-Identifier: BSD-2-Clause */
/* Where a trace may be written, and what happens if that is impossible. */
#include <sched.h>
#include <signal.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>

#include "trace_records.h"

#define STRANGER 12345

static int try_open(const char *path)
{
	struct gn_trace_writer_opts opts = small_chunks();
	struct gn_trace_writer *w;
	int err = gn_trace_writer_open(path, &opts, &w);

	return err ? err : gn_trace_writer_close(w, NULL);
}

/* Checks that the file has `n` records of stream 1 and a valid end. */
static void assert_trace(const char *path, uint64_t n)
{
	struct gn_trace_reader *r;

	assert_int_equal(gn_trace_reader_open(path, &r), 0);
	assert_int_equal(read_prefix(r, 1), n);
	assert_false(gn_trace_reader_truncated(r, NULL));
	gn_trace_reader_close(r);
}

static void assert_content(const char *path, const char *want)
{
	size_t size;
	unsigned char *bytes = read_bytes(path, &size);

	assert_int_equal(size, strlen(want));
	assert_memory_equal(bytes, want, size);
	free(bytes);
}

static void files_are_private(void **state)
{
	mode_t before = umask(0);
	struct stat st;
	char path[4096];

	write_file(in_folder(path, state, "trace"), 1, 1);
	umask(before);
	assert_int_equal(stat(path, &st), 0);
	assert_int_equal(st.st_mode, S_IFREG | 0600);
	assert_int_equal(st.st_uid, geteuid());
}

static void the_owner_is_the_one_asked_for(void **state)
{
	struct gn_trace_writer_opts opts = small_chunks();
	struct gn_trace_writer *w;
	struct stat st;
	char path[4096];

	if (geteuid())
		skip();
	in_folder(path, state, "trace");
	opts.uid = STRANGER;
	opts.gid = STRANGER + 1;
	assert_int_equal(gn_trace_writer_open(path, &opts, &w), 0);
	assert_int_equal(gn_trace_writer_close(w, NULL), 0);
	assert_int_equal(stat(path, &st), 0);
	assert_int_equal(st.st_uid, STRANGER);
	assert_int_equal(st.st_gid, STRANGER + 1);
}

static void paths_that_cannot_be_files(void **state)
{
	char path[4096], sub[4096];

	assert_int_equal(try_open(""), -ENOENT);
	assert_int_equal(try_open("/"), -EISDIR);
	assert_int_equal(try_open("."), -EISDIR);
	assert_int_equal(try_open(".."), -EISDIR);
	assert_int_equal(try_open(*state), -EISDIR);
	assert_int_equal(try_open(in_folder(path, state, "")), -EISDIR);
	assert_int_equal(try_open(in_folder(path, state, "no/trace")), -ENOENT);
	write_bytes(in_folder(path, state, "file"), "", 0);
	assert_int_equal(try_open(in_folder(path, state, "file/trace")),
			 -ENOTDIR);
	assert_int_equal(unlink(in_folder(path, state, "file")), 0);
	in_folder(path, state, "link");
	assert_int_equal(symlink(*state, path), 0);
	assert_int_equal(try_open(path), -EISDIR);
	assert_int_equal(try_open(in_folder(sub, state, "link/trace")), 0);
	assert_trace(sub, 0);
	assert_int_equal(files_in(*state, 0), 2);
}

static void names_in_the_current_directory(void **state)
{
	int here = open(".", O_PATH | O_DIRECTORY | O_CLOEXEC);
	char path[4096], name[256];

	assert_true(here >= 0);
	assert_int_equal(chdir(*state), 0);
	write_file("trace", 1, 10);
	/* the longest possible name */
	memset(name, 'n', sizeof(name) - 1);
	name[sizeof(name) - 1] = '\0';
	assert_int_equal(try_open(name), 0);
	assert_int_equal(fchdir(here), 0);
	close(here);
	assert_trace(in_folder(path, state, "trace"), 10);
	assert_trace(in_folder(path, state, name), 0);
	assert_int_equal(files_in(*state, 0), 2);
}

static void sockets_are_refused(void **state)
{
	struct sockaddr_un addr = {.sun_family = AF_UNIX};
	int here = open(".", O_PATH | O_DIRECTORY | O_CLOEXEC);
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

	assert_true(fd >= 0 && here >= 0);
	assert_int_equal(chdir(*state), 0);
	strcpy(addr.sun_path, "socket");
	assert_int_equal(bind(fd, (struct sockaddr *)&addr, sizeof(addr)), 0);
	assert_int_equal(try_open("socket"), -EPERM);
	assert_int_equal(fchdir(here), 0);
	close(here);
	close(fd);
	assert_int_equal(files_in(*state, 0), 1);
}

static void links_to_files_are_replaced(void **state)
{
	char path[4096], link[4096];
	struct stat st;

	write_bytes(in_folder(path, state, "precious"), "precious", 8);
	in_folder(link, state, "link");
	assert_int_equal(symlink(path, link), 0);
	write_file(link, 1, 10);
	assert_content(path, "precious");
	assert_trace(link, 10);
	assert_int_equal(lstat(link, &st), 0);
	assert_true(S_ISREG(st.st_mode));
	/* a dangling link */
	assert_int_equal(unlink(link), 0);
	assert_int_equal(symlink("nowhere", link), 0);
	write_file(link, 1, 10);
	assert_trace(link, 10);
	assert_int_equal(files_in(*state, 0), 2);
}

static void full_devices_say_so(void **state)
{
	char link[4096];

	assert_int_equal(try_open("/dev/full"), -ENOSPC);
	assert_int_equal(try_open("/dev/null"), 0);
	in_folder(link, state, "full");
	assert_int_equal(symlink("/dev/full", link), 0);
	assert_int_equal(try_open(link), -ENOSPC);
	assert_int_equal(files_in(*state, 0), 1);
}

/* As after `> file` in a shell. The trace must not replace the link. */
static void open_files_are_written_as_they_are(void **state)
{
	char path[4096], target[64], link[4096];
	struct stat st;
	int fd;

	write_bytes(in_folder(path, state, "file"), "something before", 16);
	fd = open(path, O_WRONLY | O_CLOEXEC);
	assert_true(fd >= 0);
	snprintf(target, sizeof(target), "/proc/self/fd/%d", fd);
	in_folder(link, state, "stdout");
	assert_int_equal(symlink(target, link), 0);
	write_file(link, 1, 10);
	assert_int_equal(lstat(link, &st), 0);
	assert_true(S_ISLNK(st.st_mode));
	assert_trace(path, 10);
	close(fd);
	assert_int_equal(files_in(*state, 0), 2);
}

/* Like /tmp: everybody may create files there. */
static void strangers_cannot_redirect(void **state)
{
	char link[4096], fifo[4096];
	struct stat st;

	if (geteuid())
		skip();
	assert_int_equal(chmod(*state, 01777), 0);
	in_folder(link, state, "link");
	assert_int_equal(symlink("/dev/full", link), 0);
	assert_int_equal(lchown(link, STRANGER, STRANGER), 0);
	write_file(link, 1, 10);
	assert_int_equal(lstat(link, &st), 0);
	assert_true(S_ISREG(st.st_mode));
	assert_trace(link, 10);

	in_folder(fifo, state, "fifo");
	assert_int_equal(mkfifo(fifo, 0666), 0);
	assert_int_equal(chown(fifo, STRANGER, STRANGER), 0);
	assert_int_equal(try_open(fifo), -EACCES);
	assert_int_equal(files_in(*state, 0), 2);
}

static void a_pipe_carries_a_trace(void **state)
{
	char path[4096];
	int status;
	pid_t pid;

	assert_int_equal(mkfifo(in_folder(path, state, "fifo"), 0600), 0);
	pid = fork();
	assert_true(pid >= 0);
	if (!pid) {
		write_file(path, 1, 5000);
		_exit(0);
	}
	assert_trace(path, 5000);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
	assert_int_equal(files_in(*state, 0), 1);
}

/* Appends until the writer refuses. Returns the reason, and how many it
 * took. */
static int append_until_error(struct gn_trace_writer *w, uint64_t *taken)
{
	union any_record rec;
	int err;

	for (*taken = 0;;) {
		size_t size = make_record(1, *taken, &rec);

		err = gn_trace_writer_append(w, &rec.h, size);
		if (!err)
			++*taken;
		else if (err != -ENOBUFS)
			return err;
		else
			sched_yield();
	}
}

static void a_reader_that_leaves_is_an_error_not_a_signal(void **state)
{
	struct gn_trace_writer_opts opts = small_chunks();
	struct gn_trace_writer *w;
	uint64_t taken;
	char path[4096];
	int fd;

	assert_int_equal(mkfifo(in_folder(path, state, "fifo"), 0600), 0);
	fd = open(path, O_RDWR | O_CLOEXEC);
	assert_true(fd >= 0);
	assert_int_equal(gn_trace_writer_open(path, &opts, &w), 0);
	close(fd);
	assert_int_equal(append_until_error(w, &taken), -EPIPE);
	assert_int_equal(gn_trace_writer_flush(w), -EPIPE);
	assert_int_equal(gn_trace_writer_close(w, NULL), -EPIPE);
}

/* Writes until the file cannot grow any more. */
static int fill(const char *path, const struct gn_trace_writer_opts *opts,
		int want, uint64_t *taken, uint64_t *bytes)
{
	struct gn_trace_writer *w;

	if (gn_trace_writer_open(path, opts, &w))
		return 1;
	if (append_until_error(w, taken) != want)
		return 2;
	return gn_trace_writer_close(w, bytes) == want ? 0 : 3;
}

static int limit_size(rlim_t bytes)
{
	struct rlimit limit = {.rlim_cur = bytes, .rlim_max = bytes};

	return setrlimit(RLIMIT_FSIZE, &limit);
}

/* The same, and checks what is left. */
static int write_until_full(const char *path, int want)
{
	struct gn_trace_writer_opts opts = small_chunks();
	struct gn_trace_reader *r;
	uint64_t taken, n, lost, bytes;
	struct stat st;
	int failed = fill(path, &opts, want, &taken, &bytes);

	if (failed)
		return failed;
	if (gn_trace_reader_open(path, &r))
		return 4;
	n = read_prefix(r, 1);
	if (!n || n > taken || !gn_trace_reader_truncated(r, &lost))
		return 5;
	/* no torn chunk is left */
	if (lost || gn_trace_reader_tail(r) != GN_TRACE_CUT)
		return 6;
	gn_trace_reader_close(r);
	if (stat(path, &st) || (uint64_t)st.st_size != bytes)
		return 7;
	return 0;
}

/* Runs in a separate process; its exit status is the result. */
static int in_child(int (*run)(const char *), const char *path)
{
	int status;
	pid_t pid = fork();

	assert_true(pid >= 0);
	if (!pid)
		_exit(run(path));
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFEXITED(status));
	return WEXITSTATUS(status);
}

static int with_size_limit(const char *path)
{
	return limit_size(100001) ? 10 : write_until_full(path, -EFBIG);
}

static void a_size_limit_is_an_error_not_a_signal(void **state)
{
	char path[4096];

	assert_int_equal(
		in_child(with_size_limit, in_folder(path, state, "trace")), 0);
	assert_int_equal(files_in(*state, 0), 1);
}

static int over_an_older_one(const char *path)
{
	struct gn_trace_writer_opts opts = small_chunks();
	struct gn_trace_writer *w;
	uint64_t taken, bytes;

	write_file(path, 1, 10);
	if (limit_size(100001) || fill(path, &opts, -EFBIG, &taken, &bytes) ||
	    bytes)
		return 10;
	/* the same with a killed writer */
	return gn_trace_writer_open(path, &opts, &w);
}

static void an_older_trace_stays_until_the_new_one_is_whole(void **state)
{
	struct gn_trace_writer_opts opts = small_chunks();
	struct gn_trace_writer *w;
	union any_record rec;
	char path[4096];
	size_t size;

	in_folder(path, state, "trace");
	assert_int_equal(in_child(over_an_older_one, path), 0);
	assert_trace(path, 10);
	assert_int_equal(gn_trace_writer_open(path, &opts, &w), 0);
	size = make_record(1, 0, &rec);
	assert_int_equal(gn_trace_writer_append(w, &rec.h, size), 0);
	assert_trace(path, 10);
	assert_int_equal(gn_trace_writer_close(w, NULL), 0);
	assert_trace(path, 1);
	assert_int_equal(files_in(*state, 0), 1);
}

/* No chunk fits. */
static int with_room_for_a_header(const char *path)
{
	struct gn_trace_writer_opts opts = small_chunks();
	uint64_t taken, bytes;

	opts.chunk_size = 1 << 20;
	opts.queue_limit = 4 << 20;
	return limit_size(2000) || fill(path, &opts, -EFBIG, &taken, &bytes) ||
	       bytes;
}

static void a_header_alone_is_not_left(void **state)
{
	char path[4096];

	assert_int_equal(in_child(with_room_for_a_header,
				  in_folder(path, state, "trace")),
			 0);
	assert_int_equal(files_in(*state, 0), 0);
}

#define NO_MOUNT 77

static int on_small_disk(const char *folder)
{
	char path[4096];
	int err;

	if (unshare(CLONE_NEWNS) ||
	    mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) ||
	    mount("tmpfs", folder, "tmpfs", 0, "size=128k"))
		return NO_MOUNT;
	snprintf(path, sizeof(path), "%s/trace", folder);
	err = write_until_full(path, -ENOSPC);
	if (!err && files_in(folder, 0) != 1)
		err = 20;
	return err;
}

static void a_full_disk_keeps_the_whole_chunks(void **state)
{
	int got = in_child(on_small_disk, *state);

	if (got == NO_MOUNT)
		skip();
	assert_int_equal(got, 0);
}

#define TEST(name) \
	cmocka_unit_test_setup_teardown(name, make_folder, remove_folder)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(files_are_private),
		TEST(the_owner_is_the_one_asked_for),
		TEST(paths_that_cannot_be_files),
		TEST(names_in_the_current_directory),
		TEST(sockets_are_refused),
		TEST(links_to_files_are_replaced),
		TEST(full_devices_say_so),
		TEST(open_files_are_written_as_they_are),
		TEST(strangers_cannot_redirect),
		TEST(a_pipe_carries_a_trace),
		TEST(a_reader_that_leaves_is_an_error_not_a_signal),
		TEST(a_size_limit_is_an_error_not_a_signal),
		TEST(an_older_trace_stays_until_the_new_one_is_whole),
		TEST(a_header_alone_is_not_left),
		TEST(a_full_disk_keeps_the_whole_chunks),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
