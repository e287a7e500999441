/* SPDX-License-Identifier: BSD-2-Clause */
#include "capture/calibrate.h"

#include <errno.h>

#include "capture/clock.h"
#include "process/maps.h"

/* A hidden function, aligned so that no nop crosses a page. Its ret is not the
 * return address of any call, so a probe there is hit once per call. */
#define FUNCTION(name, body)                                                \
	".balign 64\n"                                                      \
	".type gn_cal_" #name ", @function\n"                               \
	"gn_cal_" #name ": " body ".size gn_cal_" #name ", .-gn_cal_" #name \
	"\n"

/* Functions with an enter and a leave of their own. */
#define PLAIN(kind)                                          \
	FUNCTION(inner##kind, "push %rbp\n"                  \
			      "call gn_cal_work\n"           \
			      "pop %rbp\n"                   \
			      "gn_cal_inner_ret" #kind ":\n" \
			      "ret\n")                       \
	FUNCTION(outer##kind, "push %rbp\n"                  \
			      "call gn_cal_work\n"           \
			      ".rept 3\n"                    \
			      "call gn_cal_inner" #kind "\n" \
			      "call gn_cal_work\n"           \
			      ".endr\n"                      \
			      "pop %rbp\n"                   \
			      "gn_cal_outer_ret" #kind ":\n" \
			      "ret\n")

/* Functions that call hooks like compiled code. */
#define HOOKED(nop)                                                      \
	FUNCTION(hooked_inner##nop, "call gn_cal_enter" #nop "\n"        \
				    "call gn_cal_work\n"                 \
				    "call gn_cal_leave" #nop "\n"        \
				    "ret\n")                             \
	FUNCTION(hooked_outer##nop, "call gn_cal_enter" #nop "\n"        \
				    "call gn_cal_work\n"                 \
				    ".rept 3\n"                          \
				    "call gn_cal_hooked_inner" #nop "\n" \
				    "call gn_cal_work\n"                 \
				    ".endr\n"                            \
				    "call gn_cal_leave" #nop "\n"        \
				    "ret\n")

#define NOP1(name) FUNCTION(name, ".byte 0x90\n ret\n")
#define NOP5(name) FUNCTION(name, ".byte 0x0f,0x1f,0x44,0x00,0x00\n ret\n")

/* Reads the counter of cycles into rax. */
#define CYCLES            \
	"rdtsc\n"         \
	"shl $32, %rdx\n" \
	"or %rdx, %rax\n"

/* rdi: cycles; no function changes it */
#define WORK                                                  \
	FUNCTION(work, CYCLES "lea (%rax, %rdi), %rcx\n"      \
			      "1: " CYCLES "cmp %rcx, %rax\n" \
			      "jb 1b\n"                       \
			      "ret\n")

#define FIRST                                 \
	FUNCTION(first, "push %rbp\n"         \
			"call gn_cal_work\n"  \
			"pop %rbp\n"          \
			"gn_cal_first_ret:\n" \
			"ret\n")

/* clang-format off */
__asm__(".pushsection .text\n"
	NOP1(nop1)
	NOP5(nop5)
	NOP1(enter1)
	NOP1(leave1)
	NOP5(enter5)
	NOP5(leave5)
	NOP1(enter_named)
	NOP1(leave_named)
	WORK
	PLAIN()
	PLAIN(_call)
	HOOKED(1)
	HOOKED(5)
	HOOKED(_named)
	FIRST
	".popsection\n");
/* clang-format on */

#define HIDDEN __attribute__((visibility("hidden")))
extern void gn_cal_nop1(void) HIDDEN;
extern void gn_cal_nop5(void) HIDDEN;
extern void gn_cal_outer(void) HIDDEN;
extern void gn_cal_inner(void) HIDDEN;
extern void gn_cal_outer_ret(void) HIDDEN;
extern void gn_cal_inner_ret(void) HIDDEN;
extern void gn_cal_outer_call(void) HIDDEN;
extern void gn_cal_inner_call(void) HIDDEN;
extern void gn_cal_enter1(void) HIDDEN;
extern void gn_cal_leave1(void) HIDDEN;
extern void gn_cal_enter5(void) HIDDEN;
extern void gn_cal_leave5(void) HIDDEN;
extern void gn_cal_enter_named(void) HIDDEN;
extern void gn_cal_leave_named(void) HIDDEN;
extern void gn_cal_hooked_outer_named(void) HIDDEN;
extern void gn_cal_first(uint64_t cycles) HIDDEN;
extern void gn_cal_first_ret(void) HIDDEN;
extern void gn_cal_work(uint64_t cycles) HIDDEN;
extern void gn_cal_hooked_outer1(void) HIDDEN;
extern void gn_cal_hooked_outer5(void) HIDDEN;

typedef void (*site_fn)(void);

static site_fn site_of(enum gn_cal_site site)
{
	static const site_fn sites[GN_CAL_COUNT] = {
		[GN_CAL_NOP1] = gn_cal_nop1,
		[GN_CAL_NOP5] = gn_cal_nop5,
		[GN_CAL_OUTER] = gn_cal_outer,
		[GN_CAL_INNER] = gn_cal_inner,
		[GN_CAL_OUTER_RET] = gn_cal_outer_ret,
		[GN_CAL_INNER_RET] = gn_cal_inner_ret,
		[GN_CAL_OUTER_CALL] = gn_cal_outer_call,
		[GN_CAL_INNER_CALL] = gn_cal_inner_call,
		[GN_CAL_ENTER1] = gn_cal_enter1,
		[GN_CAL_LEAVE1] = gn_cal_leave1,
		[GN_CAL_ENTER5] = gn_cal_enter5,
		[GN_CAL_LEAVE5] = gn_cal_leave5,
		[GN_CAL_ENTER_NAMED] = gn_cal_enter_named,
		[GN_CAL_LEAVE_NAMED] = gn_cal_leave_named,
		[GN_CAL_FIRST] = (site_fn)gn_cal_first,
		[GN_CAL_FIRST_RET] = gn_cal_first_ret,
	};

	return sites[site];
}

void gn_calibrate_call(enum gn_cal_pair pair, uint64_t cycles)
{
	static const site_fn outer[] = {
		[GN_CAL_RETS] = gn_cal_outer,
		[GN_CAL_CALLS] = gn_cal_outer_call,
		[GN_CAL_HOOKS1] = gn_cal_hooked_outer1,
		[GN_CAL_HOOKS5] = gn_cal_hooked_outer5,
		[GN_CAL_NAMED] = gn_cal_hooked_outer_named,
	};
	void (*volatile call)(uint64_t) = (void (*)(uint64_t))outer[pair];

	call(cycles);
}

void gn_calibrate_first(unsigned int n, uint64_t cycles)
{
	for (unsigned int i = 0; i < n; i++)
		gn_cal_first(cycles);
}

void gn_calibrate_work(uint64_t cycles)
{
	gn_cal_work(cycles);
}

int gn_calibrate_offset(enum gn_cal_site site, uint64_t *offset)
{
	uint64_t addr = (uint64_t)(uintptr_t)site_of(site);
	struct gn_mapping m;
	struct gn_maps maps;
	int err = gn_maps_open(&maps, 0);

	if (err)
		return err;
	err = -ENOENT;
	while (err == -ENOENT && gn_maps_next(&maps, &m) == 1) {
		if (addr >= m.start && addr < m.end) {
			*offset = addr - m.start + m.offset;
			err = 0;
		}
	}
	gn_maps_close(&maps);
	return err;
}

uint64_t gn_calibrate_run(enum gn_cal_site site, unsigned int n)
{
	void (*volatile run)(void) = site_of(site);
	uint64_t began = gn_now_ns();

	for (unsigned int i = 0; i < n; i++)
		run();
	return gn_now_ns() - began;
}
