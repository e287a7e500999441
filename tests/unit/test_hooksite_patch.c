// SPDX-License-Identifier: BSD-2-Clause
/* Whichever write into the code fails: each event is reported once, by the
 * sled's hook or by the probe. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "fail.h"
#include "hooksite/native/patch.h"

#define FUNCTIONS 3
#define APART	  64 /* between the functions */
#define EACH	  5  /* entries of a function */
#define LEAVE	  32
#define TRAP	  0xcc
#define JUMP	  0xe9
#define CODE	  0x55 /* where there is a probe, but no sled */

WRAP(ssize_t, pwrite, (int fd, const void *p, size_t n, off_t at),
     (fd, p, n, at), -1, ENOMEM)

int __real_open(const char *path, int flags, ...);
int __wrap_open(const char *path, int flags, ...);
int __wrap_open(const char *path, int flags, ...)
{
	return fails("open", EMFILE) ? -1 : __real_open(path, flags);
}

/* The stubs would jump there. */
void gn_hook_native_enter(void);
void gn_hook_native_leave(void);
void gn_hook_native_tailcall(void);
void gn_hook_nothing(void);
void gn_hook_native_enter(void)
{
}

void gn_hook_native_leave(void)
{
}

void gn_hook_native_tailcall(void)
{
}

void gn_hook_nothing(void)
{
}

/*
 * Three functions. Each begins with a sled that has a probe on it, and ends by
 * two sleds: one has its probe before it, the other one has it behind it.
 */
static unsigned char code[FUNCTIONS * APART];
static struct gn_sled_entry entries[FUNCTIONS * EACH];

static void put_sled(size_t at, enum gn_sled_form form)
{
	memcpy(code + at, gn_sled_bytes(form), GN_SLED_BYTES);
}

static void put_function(size_t f)
{
	struct gn_sled_entry *e = &entries[f * EACH];
	size_t at = f * APART;

	put_sled(at, GN_SLED_ENTER_NOPS);
	code[at] = TRAP;
	put_sled(at + LEAVE, GN_SLED_LEAVE_RET);
	code[at + LEAVE - 1] = TRAP;
	put_sled(at + LEAVE + 8, GN_SLED_LEAVE_RET);
	code[at + LEAVE + 14] = TRAP;
	e[0] = (struct gn_sled_entry){
		.addr = at, .form = GN_SLED_ENTER_NOPS, .byte = 1};
	e[1] = (struct gn_sled_entry){.addr = at + LEAVE,
				      .form = GN_SLED_LEAVE_RET};
	e[2] = (struct gn_sled_entry){.addr = at + LEAVE + 8,
				      .form = GN_SLED_LEAVE_RET};
	e[3] = (struct gn_sled_entry){
		.addr = at + LEAVE - 1, .form = GN_SLED_PROBE, .byte = CODE};
	e[4] = (struct gn_sled_entry){
		.addr = at + LEAVE + 14, .form = GN_SLED_PROBE, .byte = CODE};
	for (size_t i = 0; i < EACH; i++)
		e[i].func = (uint32_t)f;
}

/* The kernel's program of a probe beside a sled leaves the report to a jump
 * there. Hooks report only if they go on. */
static int reports(size_t sled, size_t probe, bool hooks)
{
	bool jump = code[sled] == JUMP;

	return (jump && hooks) +
	       (code[probe] == TRAP && (!jump || probe == sled));
}

static void expect_each_once(bool hooks)
{
	for (size_t f = 0; f < FUNCTIONS; f++) {
		size_t at = f * APART;

		assert_int_equal(reports(at, at, hooks), 1);
		assert_int_equal(reports(at + LEAVE, at + LEAVE - 1, hooks), 1);
		assert_int_equal(
			reports(at + LEAVE + 8, at + LEAVE + 14, hooks), 1);
	}
}

static int patch(void)
{
	static const struct gn_stubs stubs[GN_SLED_FORMS];
	const uint64_t base = (uintptr_t)code;
	const struct gn_patches p = {.entry = entries,
				     .count = FUNCTIONS * EACH,
				     .base = &base,
				     .stubs = stubs};

	for (size_t f = 0; f < FUNCTIONS; f++)
		put_function(f);
	return gn_patch(&p);
}

static void all_is_patched(void **state)
{
	(void)state;
	assert_int_equal(patch(), 0);
	expect_each_once(true);
	for (size_t i = 0; i < FUNCTIONS * EACH; i++)
		assert_int_equal(code[entries[i].addr],
				 entries[i].form == GN_SLED_PROBE ? CODE
								  : JUMP);
}

/* Each write fails in turn. */
static void nothing_is_lost(void **state)
{
	bool any = true, hooks;

	(void)state;
	for (int n = 1; any; n++) {
		arm(n);
		hooks = !patch();
		any = atomic_load(&failed);
		disarm();
		expect_each_once(hooks);
	}
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(all_is_patched),
		cmocka_unit_test(nothing_is_lost),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
