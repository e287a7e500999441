/* SPDX-License-Identifier: BSD-2-Clause */
/* The fast hooks in musl's processes: if their thread may have been switched
 * out since its last hook, they use their site and change no register. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>

#include <cmocka.h>

#include <gnomon/fast.h>
#include "hooksite/fast.h"

#define HITS  100
#define TRIES 1000

/* hook_vectors.S */
extern _Atomic uint64_t passed;
void gn_fast_probe_enter(uint64_t index, uint64_t sp);
void gn_fast_probe_leave(uint64_t index, uint64_t sp);
int through_ymm(gn_fast_hook_fn hook, const void *in, void *out);

static struct gn_fast_page *page;

/* gnomon's answer when it is offered the memory. */
static void answer(uint64_t what, uint64_t value)
{
	void *at;

	if (what != GN_FAST_OFFER)
		return;
	at = mmap(NULL, GN_FAST_FILE, PROT_READ | PROT_WRITE, MAP_SHARED,
		  (int)value, 0);
	assert_ptr_not_equal(at, MAP_FAILED);
	page = at;
	atomic_store(&page->taken, 1);
}

/* The number of records in the only ring in use. */
static uint64_t written(void)
{
	struct gn_fast_ring *rings =
		(void *)((unsigned char *)page + GN_FAST_PAGE);

	for (uint32_t i = 1; i < GN_FAST_SLOTS; i++)
		if (atomic_load(&rings[i].state) == GN_FAST_USED)
			return (atomic_load(&rings[i].head) &
				(GN_FAST_SLOT - 1)) /
			       GN_FAST_RECORD;
	return 0;
}

static void hit(void)
{
	unsigned char in[32 * 16], out[32 * 16];

	for (size_t i = 0; i < sizeof(in); i++)
		in[i] = (unsigned char)(i * 7 + 1);
	memset(out, 0, sizeof(out));
	assert_int_equal(through_ymm(gn_fast_probe_enter, in, out), 0);
	assert_memory_equal(in, out, sizeof(in));
}

static void wait_away(void)
{
	uint64_t since = __builtin_ia32_rdtsc();

	while (__builtin_ia32_rdtsc() - since <= GN_FAST_AWAY)
		;
}

static void passes_its_site(void **state)
{
	uint64_t before;

	(void)state;
	if (!__builtin_cpu_supports("avx2"))
		skip();
	assert_true(gn_fast_start(answer, gn_fast_probe_enter,
				  gn_fast_probe_leave));
	/* the cost of hooks was measured without records */
	assert_int_equal(passed, 0);
	hit();
	assert_int_equal(passed, 1);
	assert_int_equal(written(), 0);
	for (int i = 1; i <= HITS; i++) {
		before = written();
		wait_away();
		hit();
		assert_int_equal(written(), before);
	}
	assert_int_equal(passed, HITS + 1);
	/* the next one at once: works unless a switch comes between */
	for (int i = 0; i < TRIES && written() < HITS; i++)
		gn_fast_probe_leave(1, (uint64_t)&before);
	assert_int_equal(written(), HITS);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(passes_its_site),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
