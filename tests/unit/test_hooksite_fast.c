/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Fast hooks change no register of their caller: not when they write a record,
 * not on their slow path, and not when they are given up. Another thread reads,
 * like gnomon.
 */
#include <pthread.h>
#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <linux/futex.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include <gnomon/fast.h>
#include "hooksite/fast.h"
#include "hooksite/fast_names.h"

#define HITS 200000

/* hook_vectors.S */
extern _Atomic uint64_t passed, offered, unbound;
void told(uint64_t what, uint64_t value);
void told_bare(uint64_t what, uint64_t value);
void gn_fast_probe_enter(uint64_t index, uint64_t sp);
void gn_fast_probe_leave(uint64_t index, uint64_t sp);
int through_ymm(gn_fast_hook_fn hook, const void *in, void *out);
int through_zmm(gn_fast_hook_fn hook, const void *in, void *out);

static struct {
	struct gn_fast_page *page;
	_Atomic bool enough;
	_Atomic bool stopped; /* it does not read */
	bool missed;	      /* somebody has waited for it, and knows */
	uint64_t records;
} reader;

/* Follows the positions of one ring around its end. A wrap is no record, nor is
 * the record that the thread waited. */
static void read_ring(struct gn_fast_ring *ring, uint32_t slot)
{
	const unsigned char *data = (const unsigned char *)reader.page +
				    GN_FAST_DATA + (size_t)slot * GN_FAST_SLOT;
	uint32_t head = atomic_load(&ring->head) & (GN_FAST_SLOT - 1);
	uint32_t tail = atomic_load(&ring->tail);

	while (tail != head) {
		const struct gn_fast_rec *rec = (const void *)(data + tail);

		if (rec->what == GN_FAST_WRAP) {
			tail = 0;
			continue;
		}
		reader.records += rec->what != GN_FAST_WAITED;
		tail += sizeof(*rec);
	}
	atomic_store(&ring->tail, tail);
}

static void read_rings(struct gn_fast_ring *rings)
{
	for (uint32_t i = 1; i < GN_FAST_SLOTS; i++)
		if (atomic_load(&rings[i].state) == GN_FAST_USED)
			read_ring(&rings[i], i);
}

static uint32_t waiting(const struct gn_fast_ring *rings)
{
	uint32_t n = 0;

	for (uint32_t i = 1; i < GN_FAST_SLOTS; i++)
		n += atomic_load(&rings[i].wants);
	return n;
}

static struct gn_fast_page *children_page(void)
{
	return (void *)((unsigned char *)reader.page + GN_FAST_SIZE);
}

static void *read_all(void *arg)
{
	struct gn_fast_ring *rings;
	uint64_t fd;
	void *at;

	while (!(fd = atomic_load(&offered)))
		sched_yield();
	at = mmap(NULL, GN_FAST_FILE, PROT_READ | PROT_WRITE, MAP_SHARED,
		  (int)fd, 0);
	assert_ptr_not_equal(at, MAP_FAILED);
	reader.page = at;
	atomic_store(&reader.page->grows,
		     atomic_load(&reader.stopped) ? 0 : GN_FAST_GROWN);
	rings = (void *)((unsigned char *)at + GN_FAST_PAGE);
	atomic_store(&children_page()->deadline, UINT64_MAX);
	atomic_store(&children_page()->taken, 1);
	atomic_store(&reader.page->taken, 1);
	syscall(SYS_futex, &reader.page->taken, FUTEX_WAKE, 1, NULL, NULL, 0);
	while (!atomic_load(&reader.enough)) {
		if (!atomic_load(&reader.stopped)) {
			read_rings(rings);
		} else if (!reader.missed && waiting(rings)) {
			reader.missed = true;
			atomic_store(&reader.page->deadline, 0);
		}
		sched_yield();
	}
	read_rings(rings);
	return arg;
}

/* The number of hits whose caller found a changed register. */
static uint64_t hit(uint64_t n)
{
	bool wide = __builtin_cpu_supports("avx512f");
	unsigned char in[64 * 32], out[64 * 32];
	size_t size = wide ? 64 * 32 : 32 * 16;
	uint64_t bad = 0;

	for (size_t i = 0; i < sizeof(in); i++)
		in[i] = (unsigned char)(i * 7 + 1);
	for (uint64_t i = 0; i < n; i++) {
		gn_fast_hook_fn hook =
			i % 2 ? gn_fast_probe_leave : gn_fast_probe_enter;

		memset(out, 0, sizeof(out));
		bad += (wide ? through_zmm : through_ymm)(hook, in, out) ||
		       memcmp(in, out, size) != 0;
	}
	return bad;
}

static void *many(void *bad)
{
	*(uint64_t *)bad = hit(HITS);
	return NULL;
}

/* A forked child has no part of the ring: it uses the sites. */
static void fork_has_no_ring(void)
{
	int status;
	pid_t pid = fork();

	assert_true(pid >= 0);
	if (!pid) {
		uint64_t bad = hit(10);

		_exit(bad ? 1 : passed == 10 ? 0 : 2);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
	assert_int_equal(passed, 0);
}

static void start(pthread_t *consumer, gn_fast_tell_fn tell)
{
	atomic_store(&offered, 0);
	atomic_store(&reader.enough, false);
	reader.records = 0;
	assert_int_equal(pthread_create(consumer, NULL, read_all, NULL), 0);
	assert_true(
		gn_fast_start(tell, gn_fast_probe_enter, gn_fast_probe_leave));
}

static void end_consumer(pthread_t consumer)
{
	atomic_store(&reader.enough, true);
	pthread_join(consumer, NULL);
}

/* Nothing is left of a session; threads that gave up in it get rings in the
 * next. */
static void sessions_follow(void)
{
	pthread_t consumer;

	gn_fast_stop();
	gn_fast_leave();
	assert_int_equal(hit(10), 0);
	assert_int_equal(passed, 110);
	start(&consumer, told);
	assert_int_equal(hit(10), 0);
	assert_int_equal(passed, 110);
	end_consumer(consumer);
	assert_int_equal(reader.records, 10);
}

/* Later probes at the sites do not count for a process that a gnomon left
 * behind. Only its own next session counts. */
static void gone_passes_nothing(void)
{
	pthread_t consumer;

	gn_fast_stop();
	gn_fast_leave();
	start(&consumer, told_bare);
	/* the first record asks for room, and finds that gnomon is gone */
	assert_int_equal(hit(100), 0);
	assert_int_equal(passed, 110);
	end_consumer(consumer);
	assert_int_equal(reader.records, 0);
	gn_fast_stop();
	gn_fast_leave();
	start(&consumer, told);
	assert_int_equal(hit(10), 0);
	assert_int_equal(passed, 110);
	end_consumer(consumer);
	assert_int_equal(reader.records, 10);
}

/* Starts again, with a reader that does not read yet. */
static struct gn_fast_ring *start_unread(pthread_t *consumer)
{
	gn_fast_stop();
	gn_fast_leave();
	atomic_store(&reader.stopped, true);
	start(consumer, told);
	return (void *)((unsigned char *)reader.page + GN_FAST_PAGE);
}

/* A thread that waited in vain for a stopped gnomon does not wait again before
 * gnomon has read: no record could tell the reason for the wait. */
static void waits_once(void **state)
{
	struct gn_fast_ring *rings;
	uint64_t before = passed, fit;
	pthread_t consumer;

	(void)state;
	if (!__builtin_cpu_supports("avx2"))
		skip();
	rings = start_unread(&consumer);
	for (fit = 0; passed == before; fit++) {
		assert_true(fit < GN_FAST_FIRST / GN_FAST_RECORD);
		assert_int_equal(hit(1), 0);
	}
	assert_int_equal(waiting(rings), 1);
	for (uint32_t i = 1; i < GN_FAST_SLOTS; i++)
		atomic_store(&rings[i].wants, 0);
	/* gnomon continues, and is stopped again before it has read */
	atomic_store(&reader.page->deadline, UINT64_MAX);
	assert_int_equal(hit(10), 0);
	assert_int_equal(passed, before + 11);
	assert_int_equal(waiting(rings), 0);
	atomic_store(&reader.stopped, false);
	end_consumer(consumer);
	assert_int_equal(reader.records, fit - 1);
	assert_int_equal(hit(10), 0);
	assert_int_equal(passed, before + 11);
}

/* Half of a ring, in records. */
#define HALF (GN_FAST_FIRST / GN_FAST_RECORD / 2)

/* A thread that gnomon does not know reports itself when its ring is half
 * full. */
static void unbound_is_told(void **state)
{
	struct gn_fast_ring *rings;
	pthread_t consumer;

	(void)state;
	if (!__builtin_cpu_supports("avx2"))
		skip();
	rings = start_unread(&consumer);
	atomic_store(&unbound, 0);
	assert_int_equal(hit(HALF), 0);
	assert_int_equal(unbound, 0);
	assert_int_equal(hit(1), 0);
	assert_int_equal(unbound, 1);
	for (uint32_t i = 1; i < GN_FAST_SLOTS; i++)
		atomic_store(&rings[i].bound, 1);
	assert_int_equal(hit(HALF / 2), 0);
	assert_int_equal(unbound, 1);
	atomic_store(&reader.stopped, false);
	end_consumer(consumer);
	assert_int_equal(reader.records, HALF / 2 * 3 + 1);
}

#define NAMES 20000

static void name_of(uint32_t index, char text[64], struct gn_fast_text *name,
		    struct gn_fast_text *module)
{
	int n = snprintf(text, 64, "T%u.F%*u", index, (int)(index % 23), 7u);
	int m = snprintf(text + n, (size_t)(64 - n), "/m%u.dll", index % 5);

	*name = (struct gn_fast_text){text, (uint16_t)n};
	*module = (struct gn_fast_text){text + n, (uint16_t)m};
}

static bool tell_name(uint32_t index)
{
	struct gn_fast_text name, module;
	char text[64];

	name_of(index, text, &name, &module);
	return gn_fast_tell_name(index, index + 1, name, module);
}

/* Odd or even names. */
static void *tell_names(void *first)
{
	for (uint32_t i = *(const uint32_t *)first; i <= NAMES; i += 2)
		while (!tell_name(i))
			sched_yield();
	return NULL;
}

static void copy_names(uint32_t from, void *to, uint32_t n)
{
	const unsigned char *names = (const unsigned char *)reader.page +
				     GN_FAST_DATA + GN_FAST_SLOT -
				     GN_FAST_NAMES;

	for (uint32_t i = 0; i < n; i++)
		((unsigned char *)to)[i] = names[(from + i) % GN_FAST_NAMES];
}

/* Reads the available names. Returns their end. */
static uint32_t read_names(uint32_t from, bool told_of[NAMES + 1])
{
	struct gn_fast_ring *ring =
		(void *)((unsigned char *)reader.page + GN_FAST_PAGE);
	uint32_t head = atomic_load(&ring->head);

	while (from != head) {
		struct gn_fast_text name, module;
		char text[64], got[64];
		struct gn_fast_name h;

		copy_names(from, &h, sizeof(h));
		assert_in_range(h.index, 1, NAMES);
		name_of(h.index, text, &name, &module);
		assert_int_equal(h.token, h.index + 1);
		assert_int_equal(h.len[0], name.len);
		assert_int_equal(h.len[1], module.len);
		assert_int_equal(h.size % 8, 0);
		assert_in_range(h.size - sizeof(h) - name.len - module.len, 0,
				7);
		copy_names(from + (uint32_t)sizeof(h), got,
			   (uint32_t)(name.len + module.len));
		assert_memory_equal(got, text, name.len + module.len);
		assert_false(told_of[h.index]);
		told_of[h.index] = true;
		from += h.size;
	}
	atomic_store(&ring->tail, from);
	return from;
}

/* While nobody reads, names without room go another way. */
static uint32_t names_have_an_end(uint32_t from)
{
	static bool told_of[NAMES + 1];
	uint32_t n = 0, end;

	while (tell_name(n + 1))
		n++;
	assert_false(tell_name(n + 1));
	end = read_names(from, told_of);
	assert_in_range(end - from, GN_FAST_NAMES - 128, GN_FAST_NAMES);
	for (uint32_t i = 1; i <= NAMES; i++)
		assert_int_equal(told_of[i], i <= n);
	return end;
}

static void names_in_no_child(void)
{
	int status;
	pid_t pid = fork();

	assert_true(pid >= 0);
	if (!pid)
		_exit(tell_name(1));
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
}

/* Two threads send names, and each name is complete. */
static void names_are_whole(void **state)
{
	static bool told_of[NAMES + 1];
	uint32_t first[] = {1, 2}, from = 0, n = 0;
	pthread_t consumer, thread[2];

	(void)state;
	gn_fast_stop();
	gn_fast_leave();
	assert_false(tell_name(1));
	start(&consumer, told);
	for (int i = 0; i < 2; i++)
		assert_int_equal(
			pthread_create(&thread[i], NULL, tell_names, &first[i]),
			0);
	while (n < NAMES) {
		from = read_names(from, told_of);
		for (n = 0; n < NAMES && told_of[n + 1]; n++)
			;
		sched_yield();
	}
	for (int i = 0; i < 2; i++)
		pthread_join(thread[i], NULL);
	from = names_have_an_end(from);
	names_in_no_child();
	assert_int_equal(read_names(from, told_of), from);
	atomic_store(&reader.page->deadline, 0);
	assert_false(tell_name(1));
	end_consumer(consumer);
}

/* How many records are in a ring of forked children that did not wrap. */
static uint64_t in_child_ring(uint32_t slot)
{
	const struct gn_fast_ring *ring =
		(void *)((unsigned char *)children_page() + GN_FAST_PAGE);

	return atomic_load(&ring[slot].head) % GN_FAST_CHILD_SLOT /
	       GN_FAST_RECORD;
}

/* Forks a child that is a child, with `n` hits that change no register. */
static void in_child(uint64_t n, void (*then)(void))
{
	uint64_t before = passed;
	int status;
	pid_t pid = fork();

	assert_true(pid >= 0);
	if (!pid) {
		uint64_t bad;

		gn_fast_be_child();
		bad = hit(n);
		if (then)
			then();
		bad += hit(1);
		_exit(bad ? 1 : passed == before ? 0 : 2);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
}

static void fork_again(void)
{
	in_child(5, NULL);
}

/* Forked children, and theirs, have rings of their own. None writes to the
 * ring of another, and the next ones use the slots of those that ended. */
static void children_have_rings(void **state)
{
	struct gn_fast_ring *rings;
	pthread_t consumer;

	(void)state;
	if (!__builtin_cpu_supports("avx2"))
		skip();
	gn_fast_stop();
	gn_fast_leave();
	gn_fast_follow();
	start(&consumer, told);
	assert_int_equal(hit(10), 0);
	in_child(20, fork_again);
	assert_int_equal(in_child_ring(1), 21);
	assert_int_equal(in_child_ring(2), 6);
	rings = (void *)((unsigned char *)children_page() + GN_FAST_PAGE);
	atomic_store(&rings[1].state, GN_FAST_FREE);
	in_child(30, NULL);
	assert_int_equal(in_child_ring(1), 31);
	assert_int_equal(in_child_ring(2), 6);
	assert_int_equal(in_child_ring(3), 0);
	assert_int_equal(hit(10), 0);
	end_consumer(consumer);
	assert_int_equal(reader.records, 20);
}

static void passes_sites(void)
{
	uint64_t before = passed;
	int status;
	pid_t pid = fork();

	assert_true(pid >= 0);
	if (!pid) {
		gn_fast_be_child();
		_exit(hit(10) ? 1 : passed == before + 10 ? 0 : 2);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
}

/* A child passes the sites if it finds nonsense in its ring, or if gnomon reads
 * no more there. */
static void children_without_rings(void **state)
{
	struct gn_fast_ring *rings;
	pthread_t consumer;

	(void)state;
	if (!__builtin_cpu_supports("avx2"))
		skip();
	gn_fast_stop();
	gn_fast_leave();
	start(&consumer, told);
	rings = (void *)((unsigned char *)children_page() + GN_FAST_PAGE);
	atomic_store(&rings[1].tail, 0x7ffffff0);
	rings[1].size = 0x80000000;
	passes_sites();
	assert_int_equal(in_child_ring(1), 0);
	atomic_store(&children_page()->taken, 2);
	passes_sites();
	assert_int_equal(rings[2].state, GN_FAST_FREE);
	end_consumer(consumer);
}

static void registers_are_kept(void **state)
{
	pthread_t consumer, thread[2];
	uint64_t bad[2] = {1, 1};

	(void)state;
	if (!__builtin_cpu_supports("avx2"))
		skip();
	start(&consumer, told);
	for (int i = 0; i < 2; i++)
		assert_int_equal(
			pthread_create(&thread[i], NULL, many, &bad[i]), 0);
	for (int i = 0; i < 2; i++) {
		pthread_join(thread[i], NULL);
		assert_int_equal(bad[i], 0);
	}
	assert_int_equal(passed, 0);
	assert_int_equal(hit(10), 0);
	fork_has_no_ring();
	/* gnomon is late: this thread gives up, and uses the sites */
	atomic_store(&reader.page->deadline, 0);
	assert_int_equal(hit(100), 0);
	assert_int_equal(passed, 100);
	end_consumer(consumer);
	assert_int_equal(reader.records, 2 * HITS + 10);
	sessions_follow();
	gone_passes_nothing();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(registers_are_kept),
		cmocka_unit_test(unbound_is_told),
		cmocka_unit_test(waits_once),
		cmocka_unit_test(names_are_whole),
		cmocka_unit_test(children_have_rings),
		cmocka_unit_test(children_without_rings),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
