/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Sites in gnomon's own program, to try and to measure probes on.
 */
#ifndef GNOMON_CAPTURE_CALIBRATE_H
#define GNOMON_CAPTURE_CALIBRATE_H

#include <stdint.h>

#define GN_CAL_PATH "/proc/self/exe"

enum gn_cal_site {
	GN_CAL_NOP1, /* a one-byte nop: emulated everywhere */
	GN_CAL_NOP5, /* a five-byte nop: optimised from 6.16 on */
	GN_CAL_PUSH, /* push: emulated, as at the start of functions */
	GN_CAL_CALL, /* the same, for a return probe */
	GN_CAL_NEST, /* the same, and calls GN_CAL_CALL */
	GN_CAL_STEP, /* xor: single-stepped */
	GN_CAL_COUNT
};

/* File offset of the site in GN_CAL_PATH; <0 when it cannot be found. */
int gn_calibrate_offset(enum gn_cal_site site, uint64_t *offset);

/* Runs through the site `n` times; nanoseconds of all. */
uint64_t gn_calibrate_run(enum gn_cal_site site, unsigned int n);

/* Runs through the site once. */
void gn_calibrate_hit(enum gn_cal_site site);

#endif
