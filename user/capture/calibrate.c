/* SPDX-License-Identifier: BSD-2-Clause */
#include "capture/calibrate.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <time.h>

/* Hidden functions of their own, aligned so that no nop crosses a page. */
__asm__(".pushsection .text\n"
	".balign 64\n"
	".type gn_cal_nop1, @function\n"
	"gn_cal_nop1: .byte 0x90\n"
	"ret\n"
	".size gn_cal_nop1, .-gn_cal_nop1\n"
	".balign 64\n"
	".type gn_cal_nop5, @function\n"
	"gn_cal_nop5: .byte 0x0f,0x1f,0x44,0x00,0x00\n"
	"ret\n"
	".size gn_cal_nop5, .-gn_cal_nop5\n"
	".balign 64\n"
	".type gn_cal_push, @function\n"
	"gn_cal_push: push %rbp\n"
	"pop %rbp\n"
	"ret\n"
	".size gn_cal_push, .-gn_cal_push\n"
	".balign 64\n"
	".type gn_cal_call, @function\n"
	"gn_cal_call: push %rbp\n"
	"pop %rbp\n"
	"ret\n"
	".size gn_cal_call, .-gn_cal_call\n"
	".balign 64\n"
	".type gn_cal_nest, @function\n"
	"gn_cal_nest: push %rbp\n"
	"call gn_cal_call\n"
	"pop %rbp\n"
	"ret\n"
	".size gn_cal_nest, .-gn_cal_nest\n"
	".balign 64\n"
	".type gn_cal_step, @function\n"
	"gn_cal_step: xor %eax, %eax\n"
	"ret\n"
	".size gn_cal_step, .-gn_cal_step\n"
	".popsection\n");

#define HIDDEN __attribute__((visibility("hidden")))
extern void gn_cal_nop1(void) HIDDEN;
extern void gn_cal_nop5(void) HIDDEN;
extern void gn_cal_push(void) HIDDEN;
extern void gn_cal_call(void) HIDDEN;
extern void gn_cal_nest(void) HIDDEN;
extern void gn_cal_step(void) HIDDEN;

typedef void (*site_fn)(void);

static site_fn site_of(enum gn_cal_site site)
{
	static const site_fn sites[GN_CAL_COUNT] = {
		[GN_CAL_NOP1] = gn_cal_nop1, [GN_CAL_NOP5] = gn_cal_nop5,
		[GN_CAL_PUSH] = gn_cal_push, [GN_CAL_CALL] = gn_cal_call,
		[GN_CAL_NEST] = gn_cal_nest, [GN_CAL_STEP] = gn_cal_step,
	};

	return sites[site];
}

void gn_calibrate_hit(enum gn_cal_site site)
{
	site_of(site)();
}

int gn_calibrate_offset(enum gn_cal_site site, uint64_t *offset)
{
	uint64_t addr = (uint64_t)(uintptr_t)site_of(site);
	uint64_t lo, hi, pgoff;
	char line[512];
	int err = -ENOENT;
	FILE *f = fopen("/proc/self/maps", "re");

	if (!f)
		return -errno;
	while (err && fgets(line, sizeof(line), f)) {
		if (sscanf(line, "%" SCNx64 "-%" SCNx64 " %*s %" SCNx64, &lo,
			   &hi, &pgoff) == 3 &&
		    addr >= lo && addr < hi) {
			*offset = addr - lo + pgoff;
			err = 0;
		}
	}
	fclose(f);
	return err;
}

uint64_t gn_calibrate_run(enum gn_cal_site site, unsigned int n)
{
	void (*volatile run)(void) = site_of(site);
	struct timespec a, b;

	clock_gettime(CLOCK_MONOTONIC, &a);
	for (unsigned int i = 0; i < n; i++)
		run();
	clock_gettime(CLOCK_MONOTONIC, &b);
	return (uint64_t)(b.tv_sec - a.tv_sec) * 1000000000u +
	       (uint64_t)b.tv_nsec - (uint64_t)a.tv_nsec;
}
