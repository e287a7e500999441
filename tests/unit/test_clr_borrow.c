// SPDX-License-Identifier: BSD-2-Clause
/* Signatures that a module has already, and when hooks no longer use them. The
 * module has the columns that are read, two bytes each. */
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

#include "hooksite/clr/borrow.h"
#include "hooksite/clr/profiler.h"
#include "hooksite/clr/rejit.h"
#include "hooksite/clr/thread.h"

enum { METHOD = 0x06, METHOD_SIG = 4, SIG = 0x11, ROWS = 8 };

static uint8_t blobs[512];
static size_t used;
static uint8_t methods[2 * ROWS], sigs[2 * ROWS];
static struct gn_md md;

static void add(unsigned int table, uint8_t *rows, const char *bytes, size_t n)
{
	struct gn_md_table *t = &md.table[table];
	size_t row = 2u * t->count++;

	assert_true(t->count <= ROWS && used + n < sizeof(blobs));
	rows[row] = (uint8_t)used;
	rows[row + 1] = (uint8_t)(used >> 8);
	blobs[used++] = (uint8_t)n;
	memcpy(blobs + used, bytes, n);
	used += n;
}

#define METHOD_OF(text) add(METHOD, methods, text, sizeof(text) - 1)
#define LOCALS_OF(text) add(SIG, sigs, text, sizeof(text) - 1)

static int begin(void **state)
{
	(void)state;
	used = 1;
	md = (struct gn_md){.blobs = {blobs, sizeof(blobs)}};
	md.table[METHOD] = (struct gn_md_table){.rows = methods, .size = 2};
	md.table[METHOD].width[METHOD_SIG] = 2;
	md.table[SIG] = (struct gn_md_table){.rows = sigs, .size = 2};
	md.table[SIG].width[0] = 2;
	return 0;
}

/* The second byte is the number of parameters, the third the result. */
static void calls(void **state)
{
	struct gn_il_borrowed b = {0};

	(void)state;
	METHOD_OF("\x00\x01\x01\x0a");	       /* static void(long) */
	METHOD_OF("\x20\x01\x01\x08");	       /* void(int) */
	METHOD_OF("\x20\x01\x01\x0e");	       /* void(string) */
	METHOD_OF("\x20\x02\x01\x0a\x0a");     /* void(long, long) */
	METHOD_OF("\x30\x01\x01\x01\x0a");     /* void<T>(long) */
	METHOD_OF("\x20\x01\x11\x08\x0a");     /* a struct(long) */
	METHOD_OF("\x20\x01\x02\x10\x11\x08"); /* bool(ref a struct) */
	assert_int_equal(gn_borrow_call(&md, &b), 0);
	METHOD_OF("\x20\x01\x02\x10\x08"); /* bool(ref int) */
	assert_int_equal(gn_borrow_call(&md, &b), 0x06000008);
	assert_true(b.by_ref && b.pops);
	begin(NULL);
	METHOD_OF("\x20\x01\x01\x18"); /* void(nint) */
	assert_int_equal(gn_borrow_call(&md, &b), 0x06000001);
	assert_false(b.by_ref || b.pops);
}

static void slot_is(gn_token own, bool found, gn_token locals, int frame,
		    bool in_arg)
{
	struct gn_il_hooks hooks = {.index = 1};

	assert_int_equal(gn_borrow_slot(&md, 1, own, &hooks), found);
	if (!found)
		return;
	assert_int_equal(hooks.locals, locals);
	assert_int_equal(hooks.frame, frame);
	assert_int_equal(hooks.borrowed.in_arg, in_arg);
}

/* A signature that begins with the method's own locals, and has few more. */
static void locals(void **state)
{
	(void)state;
	METHOD_OF("\x20\x00\x08"); /* int() */
	slot_is(0, false, 0, 0, false);
	LOCALS_OF("\x07\x01\x02");	   /* bool, which is too narrow */
	LOCALS_OF("\x07\x02\x08\x12\x05"); /* int, a class to be loaded */
	LOCALS_OF("\x07\x02\x08\x45\x08"); /* int, and a pinned one */
	slot_is(0, false, 0, 0, false);
	LOCALS_OF("\x07\x03\x0e\x1c\x09"); /* string, object, uint */
	slot_is(0, true, 0x11000004, 2, false);
	LOCALS_OF("\x07\x02\x0e\x08"); /* string, int */
	slot_is(0, true, 0x11000005, 1, false);
	/* of a method with a string, there is one more */
	LOCALS_OF("\x07\x01\x0e");
	slot_is(0x11000006, true, 0x11000005, 1, false);
	/* no signature has more than these, and one of them serves */
	slot_is(0x11000004, true, 0x11000004, 2, false);
	slot_is(0x11000002, true, 0x11000002, 0, false);
	/* none serves; and there is no such signature */
	slot_is(0x11000001, false, 0, 0, false);
	slot_is(0x11000007, false, 0, 0, false);
}

static void results(void **state)
{
	static const struct {
		const char *method, *locals;
		bool serves;
	} pairs[] = {
		{"\x20\x01\x01\x02", "\x02", true},  /* void */
		{"\x20\x01\x02\x02", "\x02", true},  /* bool */
		{"\x20\x01\x04\x02", "\x05", false}, /* sbyte, byte */
		{"\x20\x01\x04\x02", "\x08", true},  /* sbyte, int */
		{"\x20\x01\x08\x02", "\x0a", false}, /* int, long */
		{"\x20\x01\x0a\x02", "\x18", true},  /* long, nint */
		{"\x20\x01\x0c\x02", "\x0d", false}, /* float, double */
		{"\x20\x01\x0d\x02", "\x0d", true},  /* double */
		{"\x20\x01\x0e\x02", "\x1c", true},  /* string, object */
		{"\x20\x01\x1c\x02", "\x08", false}, /* object, int */
	};

	(void)state;
	for (size_t i = 0; i < sizeof(pairs) / sizeof(pairs[0]); i++) {
		const char sig[] = {7, 1, pairs[i].locals[0]};
		struct gn_il_hooks hooks = {.index = 1};
		/* its object serves for objects, and a bool is its argument */
		bool any;

		begin(NULL);
		add(METHOD, methods, pairs[i].method, 4);
		add(SIG, sigs, sig, sizeof(sig));
		any = gn_borrow_slot(&md, 1, 0, &hooks);
		assert_int_equal(any && !hooks.borrowed.in_arg,
				 pairs[i].serves);
		assert_int_equal(hooks.result, pairs[i].method[2] != 1);
	}
}

static void arguments(void **state)
{
	(void)state;
	/* a class(ref int, string); its arguments are number 1 and 2 */
	METHOD_OF("\x20\x02\x12\x05\x10\x08\x0e");
	slot_is(0, true, 0, 2, true);
	begin(NULL);
	METHOD_OF("\x00\x02\x12\x05\x10\x08\x0e"); /* the same, static */
	slot_is(0, true, 0, 1, true);
	begin(NULL);
	METHOD_OF("\x20\x01\x12\x05\x08"); /* a class(int): its own object */
	slot_is(0, true, 0, 0, true);
	begin(NULL);
	METHOD_OF("\x00\x01\x12\x05\x08"); /* a static one has none */
	slot_is(0, false, 0, 0, false);
	begin(NULL);
	METHOD_OF("\x20\x01\x11\x04\x11\x08"); /* a struct(another) */
	slot_is(0, false, 0, 0, false);
	begin(NULL);
	METHOD_OF("\x20\x01\x11\x08\x11\x08"); /* a struct(the same) */
	slot_is(0, true, 0, 1, true);
}

static uint64_t clock_ns;
static uint32_t again;
static bool threads;

int __wrap_clock_gettime(clockid_t id, struct timespec *t);
int __wrap_clock_gettime(clockid_t id, struct timespec *t)
{
	(void)id;
	t->tv_sec = (time_t)(clock_ns / 1000000000);
	t->tv_nsec = (long)(clock_ns % 1000000000);
	return 0;
}

bool __wrap_gn_clr_thread(void *(*fn)(void *ctx), void *ctx);
bool __wrap_gn_clr_thread(void *(*fn)(void *ctx), void *ctx)
{
	assert_true(threads);
	fn(ctx);
	return true;
}

void gn_rejit_again(struct gn_clr *clr, gn_rejit_list_fn fn)
{
	struct gn_rejit_list list = {0};

	fn(clr, &list);
	again++;
	assert_int_equal(list.n, 1);
	assert_int_equal(list.modules[0], 77);
	assert_int_equal(list.tokens[0], 0x06000001);
	gn_rejit_list_free(&list);
}

bool gn_rejit_is_base(const struct gn_clr *clr, uint32_t index)
{
	(void)clr, (void)index;
	return false;
}

static bool borrows(struct gn_clr *clr, struct gn_il_hooks *hooks)
{
	static const uint8_t ret[] = {1 << 2 | 2, 0x2a};
	const struct gn_bytes body = {ret, sizeof(ret)};

	*hooks = (struct gn_il_hooks){.index = 1};
	return gn_rejit_borrow(clr, &clr->rejit.module[0], &md, 0x06000001,
			       &body, hooks);
}

static void suspend(struct gn_clr *clr, uint64_t us)
{
	gn_borrowing_suspends(&clr->rejit.borrowing);
	clock_ns += us * 1000;
	gn_borrowing_suspended(&clr->rejit.borrowing);
	clock_ns += 1000000000; /* a collection takes long */
	gn_borrowing_check(clr);
}

/* One long suspension, and its methods are compiled again, once in a
 * session. */
static void ends(void **state)
{
	struct gn_clr *clr = calloc(1, sizeof(*clr));
	struct gn_il_hooks hooks;
	uint32_t index;

	(void)state;
	assert_non_null(clr);
	METHOD_OF("\x20\x01\x01\x0a"); /* void(long), which serves itself */
	clr->fast = true;
	atomic_store(&clr->rejit.modules.module[0], 77);
	index = gn_ids_get(&clr->ids, GN_REJIT_ID(1, 0x06000001));
	atomic_store(&gn_id_of(&clr->ids, index)->chosen, 1);
	suspend(clr, 50000); /* nothing is borrowed */
	assert_true(borrows(clr, &hooks));
	assert_int_equal(hooks.call, 0x06000001);
	assert_true(hooks.borrowed.is_set && !hooks.borrowed.pops);
	suspend(clr, 900);
	threads = true;
	suspend(clr, 50000);
	assert_int_equal(again, 1);
	assert_false(borrows(clr, &hooks));
	suspend(clr, 50000);
	assert_int_equal(again, 1);
	atomic_store(&clr->rejit.borrowing.state, GN_BORROWING_NONE);
	assert_true(borrows(clr, &hooks));
	clr->fast = false;
	assert_false(borrows(clr, &hooks));
	free(clr);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(calls, begin),
		cmocka_unit_test_setup(locals, begin),
		cmocka_unit_test_setup(results, begin),
		cmocka_unit_test_setup(arguments, begin),
		cmocka_unit_test_setup(ends, begin),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
