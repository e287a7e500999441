// SPDX-License-Identifier: BSD-2-Clause
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "capture/holders.h"
#include "capture/mute_memory.h"

#define LIB "/opt/lib/libgnomon-clr.so\n"

/* A library whose bytes begin in its last mapping and end after it. */
static const struct gn_mute_file library = {
	.id = {0xfe00000001, 42},
	.table = 0x8040,
	.size = 0x100001,
};

#define TEXT_MAP "7f0000001000-7f0000004000 r--p 00000000 fe:01 42 " LIB
#define CODE_MAP "7f0000004000-7f0000007000 r-xp 00003000 fe:01 42 " LIB
#define RO_MAP	 "7f0000007000-7f0000009000 r--p 00006000 fe:01 42 " LIB
#define DATA_MAP "7f0000009000-7f000000a000 rw-p 00007000 fe:01 42 " LIB
#define BSS_MAP	 "7f000000a000-7f000010b000 rw-p 00000000 00:00 0 \n"
#define WHOLE	 TEXT_MAP CODE_MAP RO_MAP DATA_MAP BSS_MAP
#define OTHER	 "7e0000000000-7e0000002000 rw-p 00000000 00:00 0 \n"
#define STACK	 "7ffc00000000-7ffc00021000 rw-p 00000000 00:00 0   [stack]\n"

static int scan_bytes(const void *text, size_t size, uint64_t *base)
{
	FILE *f = size ? fmemopen((void *)(uintptr_t)text, size, "r")
		       : fopen("/dev/null", "r");
	int err;

	assert_non_null(f);
	*base = 0;
	err = gn_mute_scan(f, &library, base);
	fclose(f);
	return err;
}

static int scan(const char *text, uint64_t *base)
{
	return scan_bytes(text, strlen(text), base);
}

static void test_found(void **state)
{
	static const char *const texts[] = {
		WHOLE,
		(OTHER WHOLE STACK),
		/* the mapping after it has merged with the bytes */
		(TEXT_MAP CODE_MAP RO_MAP DATA_MAP
		 "7f000000a000-7f0100000000 rw-p 00000000 00:00 0 \n" STACK),
		/* a hole, and everything in one mapping */
		(TEXT_MAP
		 "7f0000009000-7f0000200000 rw-p 00007000 fe:01 42 " LIB),
		/* the last line is incomplete, a name with arbitrary text */
		(OTHER TEXT_MAP CODE_MAP RO_MAP DATA_MAP
		 "7f000000a000-7f000010b000 rw-p 00000000 00:00 0 [anon: fe:01 "
		 "42]"),
		/* the file again, but not from its beginning */
		(WHOLE "7f1000009000-7f100000a000 rw-p 00007000 fe:01 42 " LIB),
	};
	uint64_t base;

	(void)state;
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		assert_int_equal(scan(texts[i], &base), 0);
		assert_int_equal(base, 0x7f0000001000);
	}
}

static void test_not_there(void **state)
{
	static const char *const texts[] = {
		"",
		(OTHER STACK),
		(TEXT_MAP CODE_MAP RO_MAP DATA_MAP STACK),
		/* another file, another device, or both only in the name */
		("7f0000001000-7f0000004000 r--p 00000000 fe:01 43 " LIB
			 DATA_MAP BSS_MAP),
		("7f0000001000-7f0000004000 r--p 00000000 fe:02 42 " LIB
			 DATA_MAP BSS_MAP),
		/* shared, or not writable: at the first and the last byte */
		(TEXT_MAP
		 "7f0000009000-7f000000a000 rw-s 00007000 fe:01 42 " LIB
			 BSS_MAP),
		(TEXT_MAP
		 "7f0000009000-7f000000a000 r--p 00007000 fe:01 42 " LIB
			 BSS_MAP),
		(TEXT_MAP DATA_MAP
		 "7f000000a000-7f000010b000 rw-s 00000000 00:00 0 \n"),
		(TEXT_MAP DATA_MAP
		 "7f000000a000-7f000010b000 r--p 00000000 00:00 0 \n"),
		/* the next mapping is a page away, another file's, or too
		 * short */
		(TEXT_MAP DATA_MAP
		 "7f000000b000-7f000010b000 rw-p 00000000 00:00 0 \n"),
		(TEXT_MAP DATA_MAP
		 "7f000000a000-7f000010b000 rw-p 00000000 fe:01 43 /x\n"),
		(TEXT_MAP DATA_MAP
		 "7f000000a000-7f0000109000 rw-p 00000000 00:00 0 \n"),
		/* another file between the file and the next mapping */
		(TEXT_MAP DATA_MAP
		 "7f000000a000-7f000000b000 rw-p 00000000 fe:01 43 /x\n"
		 "7f000000b000-7f000010b000 rw-p 00000000 00:00 0 \n"),
		/* no beginning of the file; the bytes would be beyond all
		 * addresses */
		(CODE_MAP RO_MAP DATA_MAP BSS_MAP),
		("ffffffffffff0000-ffffffffffff8000 r--p 00000000 fe:01 "
		 "42 " LIB),
	};
	uint64_t base;

	(void)state;
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
		assert_int_equal(scan(texts[i], &base), -ENOENT);
}

static void test_twice(void **state)
{
	uint64_t base;

	(void)state;
	assert_int_equal(
		scan(WHOLE
		     "7f1000001000-7f1000004000 r--p 00000000 fe:01 42 " LIB
		     "7f1000009000-7f100020a000 rw-p 00007000 fe:01 42 " LIB,
		     &base),
		-ENOTUNIQ);
	/* mapped twice, once partly: e.g. somebody reads the file */
	assert_int_equal(
		scan("7e0000001000-7e0000004000 r--p 00000000 fe:01 42 " LIB
			     WHOLE,
		     &base),
		0);
	assert_int_equal(base, 0x7f0000001000);
}

static void test_hostile(void **state)
{
	static const char *const texts[] = {
		"\n",
		"x",
		"7f0000001000",
		"7f0000001000-",
		"7f0000001000-7f0000004000\n",
		"7f0000001000-7f0000004000 \n",
		"7f0000001000-7f0000004000 r--p\n",
		"7f0000001000-7f0000004000 r--p 0 fe:01\n",
		"7f0000001000-7f0000004000 r--p 0 fe:01 \n",
		"7f0000001000-7f0000004000 r--p 0 fe:01 42x \n",
		"7f0000001000-7f0000004000 r--p 0 fe01 42 \n",
		"7f0000001000-7f0000004000 r--p 0 100000000:01 42 \n",
		("7f0000001000-7f0000004000 r--p 0 fe:01 18446744073709551616 "
		 "\n"),
		"10000000000000000-7f0000004000 r--p 0 fe:01 42 \n",
		"-7f0000001000-7f0000004000 r--p 0 fe:01 42 \n",
		" 7f0000001000-7f0000004000 r--p 0 fe:01 42 \n",
		"+7f0000001000-7f0000004000 r--p 0 fe:01 42 \n",
		/* empty, backwards, overlapping */
		"7f0000004000-7f0000004000 r--p 0 fe:01 42 \n",
		"7f0000004000-7f0000001000 r--p 0 fe:01 42 \n",
		(TEXT_MAP "7f0000003000-7f0000005000 r--p 0 fe:01 42 \n"),
		(DATA_MAP TEXT_MAP),
	};
	static const char nul[] =
		"7f0000001000-7f0000004000 r-\0p 00000000 fe:01 42 " LIB;
	uint64_t base;

	(void)state;
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
		assert_int_equal(scan(texts[i], &base), -EILSEQ);
	assert_int_equal(scan_bytes(nul, sizeof(nul), &base), -EILSEQ);
	/* every beginning of a good text */
	for (size_t n = 0; n < sizeof(WHOLE) - 2; n++)
		assert_true(scan_bytes(WHOLE, n, &base) < 0 ||
			    n > sizeof(WHOLE) - 6);
}

/* One byte of a good text changes: the result is always a verdict. */
static void test_mutated(void **state)
{
	char text[] = OTHER WHOLE STACK;
	uint64_t base;

	(void)state;
	for (size_t i = 0; i < sizeof(text) - 1; i++) {
		char was = text[i];

		for (int c = 0; c < 256; c += 5) {
			int err;

			text[i] = (char)c;
			err = scan_bytes(text, sizeof(text) - 1, &base);
			assert_true(err == 0 || err == -ENOENT ||
				    err == -EILSEQ || err == -ENOTUNIQ);
		}
		text[i] = was;
	}
}

static void test_long_line(void **state)
{
	size_t room = 1 << 20, at = sizeof(TEXT_MAP) - 2;
	char *text = malloc(room);
	uint64_t base;

	(void)state;
	assert_non_null(text);
	memcpy(text, TEXT_MAP, at);
	memset(text + at, 'x', room - at);
	assert_int_equal(scan_bytes(text, room, &base), -ENOENT);
	memcpy(text + room - sizeof(DATA_MAP BSS_MAP), "\n" DATA_MAP BSS_MAP,
	       sizeof(DATA_MAP BSS_MAP));
	assert_int_equal(scan_bytes(text, room, &base), 0);
	free(text);
}

static void test_no_library(void **state)
{
	struct gn_mute_process p;
	struct gn_mute_file file;

	(void)state;
	assert_int_equal(gn_mute_file_read("/nonexistent", &file), -ENOENT);
	assert_int_equal(gn_mute_file_read("/", &file), -EISDIR);
	assert_int_equal(gn_mute_file_read("/dev/null", &file), -ENOEXEC);
	assert_int_equal(
		gn_mute_file_read(GN_TESTS_DIR "/CMakeLists.txt", &file),
		-ENOEXEC);
	/* a program without these bytes */
	assert_true(gn_mute_file_read("/proc/self/exe", &file) < 0);
	assert_int_equal(gn_mute_file_read(GN_CLR, &file), 0);
	/* this process has not loaded it yet */
	assert_int_equal(gn_mute_process_open(&p, getpid(), &file), -ENOENT);
	assert_int_equal(gn_mute_process_open(&p, 0, &file), -ESRCH);
	assert_int_equal(gn_mute_process_open(&p, -1, &file), -ESRCH);
}

/* A child that has the library and waits. It answers with one of its bytes. */
struct child {
	pid_t pid;
	int ask, answer;
};

static _Noreturn void serve(int ask, int answer)
{
	void *handle = dlopen(GN_CLR, RTLD_NOW);
	uint8_t *bytes = handle ? dlsym(handle, GN_MUTE_SYMBOL) : NULL;
	uint32_t index = 0;

	while (bytes && write(answer, &bytes[index], 1) == 1 &&
	       read(ask, &index, sizeof(index)) == sizeof(index)) {
		if (index == UINT32_MAX) {
			execl("/bin/sleep", "sleep", "100", NULL);
			break;
		}
	}
	_exit(bytes ? 0 : 1);
}

static void start_child(struct child *c)
{
	int ask[2], answer[2];
	uint8_t ready;

	assert_int_equal(pipe(ask), 0);
	assert_int_equal(pipe(answer), 0);
	c->pid = fork();
	assert_true(c->pid >= 0);
	if (!c->pid) {
		close(ask[1]);
		close(answer[0]);
		serve(ask[0], answer[1]);
	}
	close(ask[0]);
	close(answer[1]);
	c->ask = ask[1];
	c->answer = answer[0];
	assert_int_equal(read(c->answer, &ready, 1), 1);
}

static uint8_t ask_child(const struct child *c, uint32_t index)
{
	uint8_t value;

	assert_int_equal(write(c->ask, &index, sizeof(index)), sizeof(index));
	assert_int_equal(read(c->answer, &value, 1), 1);
	return value;
}

static void end_child(struct child *c)
{
	close(c->ask);
	close(c->answer);
	kill(c->pid, SIGKILL);
	assert_int_equal(waitpid(c->pid, NULL, 0), c->pid);
}

/* The first byte is in a mapping of the file, the last one after it. */
static void test_process(void **state)
{
	struct gn_mute_process p;
	struct gn_mute_file file;
	struct child c;
	uint32_t last;

	(void)state;
	assert_int_equal(gn_mute_file_read(GN_CLR, &file), 0);
	last = (uint32_t)file.size - 1;
	start_child(&c);
	assert_int_equal(gn_mute_process_open(&p, c.pid, &file), 0);
	assert_true(gn_mute_process_lives(&p));
	assert_int_equal(ask_child(&c, 1), 0);
	assert_int_equal(gn_mute_process_set(&p, &file, 1), 0);
	assert_int_equal(gn_mute_process_set(&p, &file, 1), -EALREADY);
	assert_int_equal(gn_mute_process_set(&p, &file, last), 0);
	assert_int_equal(gn_mute_process_set(&p, &file, 0), -ERANGE);
	assert_int_equal(gn_mute_process_set(&p, &file, last + 1), -ERANGE);
	assert_int_equal(ask_child(&c, 1), 1);
	assert_int_equal(ask_child(&c, 2), 0);
	assert_int_equal(ask_child(&c, last), 1);
	assert_int_equal(ask_child(&c, last - 1), 0);
	gn_mute_process_close(&p);
	assert_int_equal(ask_child(&c, 1), 0);
	assert_int_equal(ask_child(&c, last), 0);
	end_child(&c);
	assert_int_equal(gn_mute_process_open(&p, c.pid, &file), -ESRCH);
}

struct churn {
	pthread_t thread;
	bool over;
};

/* Splits and joins mappings, as a JIT compiler does. */
static void *churn_main(void *arg)
{
	const size_t page = 4096, pages = 8192;
	struct churn *c = arg;
	unsigned int seed = 1;
	char *at = mmap(NULL, pages * page, PROT_READ | PROT_WRITE,
			MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	while (at != MAP_FAILED &&
	       !__atomic_load_n(&c->over, __ATOMIC_RELAXED)) {
		size_t first = (size_t)rand_r(&seed) % (pages - 64);
		size_t n = 1 + (size_t)rand_r(&seed) % 50;

		mprotect(at + first * page, n * page,
			 rand_r(&seed) % 2 ? PROT_READ
					   : PROT_READ | PROT_WRITE);
	}
	if (at != MAP_FAILED)
		munmap(at, pages * page);
	return NULL;
}

/* The kernel lists a mapping twice if it grows during the listing. */
static void test_churn(void **state)
{
	struct churn c = {.over = false};
	void *self = dlopen(GN_CLR, RTLD_NOW | RTLD_LOCAL);
	struct gn_mute_process p;
	struct gn_mute_file file;

	(void)state;
	assert_non_null(self);
	assert_int_equal(gn_mute_file_read(GN_CLR, &file), 0);
	assert_int_equal(pthread_create(&c.thread, NULL, churn_main, &c), 0);
	for (int i = 0; i < 300; i++) {
		assert_int_equal(gn_mute_process_open(&p, getpid(), &file), 0);
		gn_mute_process_close(&p);
	}
	__atomic_store_n(&c.over, true, __ATOMIC_RELAXED);
	pthread_join(c.thread, NULL);
	dlclose(self);
}

/* Its program is gone, but its PID is not. */
static void test_exec_and_end(void **state)
{
	static const uint32_t exec = UINT32_MAX;
	struct gn_mute_process p, q;
	struct gn_mute_file file;
	struct child c;

	(void)state;
	assert_int_equal(gn_mute_file_read(GN_CLR, &file), 0);
	start_child(&c);
	assert_int_equal(gn_mute_process_open(&p, c.pid, &file), 0);
	assert_int_equal(gn_mute_process_open(&q, c.pid, &file), 0);
	assert_int_equal(gn_mute_process_set(&p, &file, 7), 0);
	assert_int_equal(write(c.ask, &exec, sizeof(exec)), sizeof(exec));
	/* the next program inherits the pipes, so only this shows the exec */
	while (gn_mute_process_lives(&p))
		usleep(1000);
	assert_int_equal(gn_mute_process_set(&p, &file, 8), -ESRCH);
	gn_mute_process_close(&p);
	assert_int_equal(gn_mute_process_open(&p, c.pid, &file), -ENOENT);
	end_child(&c);
	assert_false(gn_mute_process_lives(&q));
	assert_int_equal(gn_mute_process_set(&q, &file, 8), -ESRCH);
	gn_mute_process_close(&q);
}

/* Another file with the same bytes is another library. The same bytes at the
 * right place are not enough, nor is the right file with other bytes. */
static void test_impostor(void **state)
{
	struct gn_mute_process p;
	struct gn_mute_file file;
	struct child c;

	(void)state;
	assert_int_equal(gn_mute_file_read(GN_CLR, &file), 0);
	start_child(&c);
	file.id.ino++;
	assert_int_equal(gn_mute_process_open(&p, c.pid, &file), -ENOENT);
	file.id.ino--;
	file.head.bytes[100] ^= 1;
	assert_int_equal(gn_mute_process_open(&p, c.pid, &file), -ENOENT);
	end_child(&c);
}

struct opened {
	int fd;
	int seen;
};

/* In a holder's thread, which has its own table of descriptors. */
static int open_there(void *ctx, struct gn_links *links)
{
	struct opened *o = ctx;

	(void)links;
	o->seen = fcntl(o->fd, F_GETFD) >= 0;
	return dup(STDERR_FILENO);
}

static void test_holders(void **state)
{
	struct gn_holders *h = NULL;
	struct opened o = {.fd = dup(STDERR_FILENO)};
	static const uint32_t keys[] = {1, 2};
	int before, after, there;

	(void)state;
	assert_true(o.fd >= 0);
	assert_int_equal(gn_holders_new(20, &h), 0);
	before = dup(STDERR_FILENO);
	there = gn_holders_run(h, 5, open_there, &o);
	after = dup(STDERR_FILENO);
	assert_true(o.seen);
	assert_true(there >= 0);
	/* a descriptor in that thread is none in this one */
	assert_int_equal(after, before + 1);
	assert_int_equal(there, before);
	gn_holders_settle(h);
	gn_holders_run(h, 5, open_there, &o);
	assert_false(o.seen);
	assert_int_equal(gn_holders_remove(h, 5, keys, 2), 0);
	gn_holders_free(h);
	gn_holders_free(NULL);
	assert_true(fcntl(o.fd, F_GETFD) >= 0);
	close(o.fd);
	close(before);
	close(after);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_found),
		cmocka_unit_test(test_not_there),
		cmocka_unit_test(test_twice),
		cmocka_unit_test(test_hostile),
		cmocka_unit_test(test_mutated),
		cmocka_unit_test(test_long_line),
		cmocka_unit_test(test_no_library),
		cmocka_unit_test(test_process),
		cmocka_unit_test(test_churn),
		cmocka_unit_test(test_exec_and_end),
		cmocka_unit_test(test_impostor),
		cmocka_unit_test(test_holders),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
