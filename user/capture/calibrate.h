/* SPDX-License-Identifier: BSD-2-Clause */
/* Sites in gnomon's own program, on which probes are tried and measured. */
#ifndef GNOMON_CAPTURE_CALIBRATE_H
#define GNOMON_CAPTURE_CALIBRATE_H

#include <stdint.h>

#define GN_CAL_PATH "/proc/self/exe"

enum gn_cal_site {
	GN_CAL_NOP1, /* a one-byte nop: emulated everywhere */
	GN_CAL_NOP5, /* a five-byte nop: optimised from 6.16 on */
	/* Two functions, OUTER calls INNER three times. Each has its enter at a
	 * push and one ret. */
	GN_CAL_OUTER,
	GN_CAL_INNER,
	GN_CAL_OUTER_RET,
	GN_CAL_INNER_RET,
	/* the same for return probes */
	GN_CAL_OUTER_CALL,
	GN_CAL_INNER_CALL,
	/* The same two with hooks like those of a runtime: each calls an enter
	 * and a leave site, with a one-byte nop, or with a five-byte one. */
	GN_CAL_ENTER1,
	GN_CAL_LEAVE1,
	GN_CAL_ENTER5,
	GN_CAL_LEAVE5,
	/* once more with a one-byte nop, for hooks whose function is named by
	 * texts */
	GN_CAL_ENTER_NAMED,
	GN_CAL_LEAVE_NAMED,
	/* a function and its ret, for the first probes of a process */
	GN_CAL_FIRST,
	GN_CAL_FIRST_RET,
	GN_CAL_COUNT
};

/* The pairs of functions for gn_calibrate_call(). */
enum gn_cal_pair {
	GN_CAL_RETS,   /* OUTER, INNER and their rets */
	GN_CAL_CALLS,  /* OUTER_CALL, INNER_CALL */
	GN_CAL_HOOKS1, /* ENTER1, LEAVE1 */
	GN_CAL_HOOKS5, /* ENTER5, LEAVE5 */
	GN_CAL_NAMED,  /* ENTER_NAMED, LEAVE_NAMED */
};

/* File offset of the site in GN_CAL_PATH; <0 when it cannot be found. */
int gn_calibrate_offset(enum gn_cal_site site, uint64_t *offset);

/* Calls NOP1 or NOP5 `n` times. Returns the ns of all calls together. */
uint64_t gn_calibrate_run(enum gn_cal_site site, unsigned int n);

/*
 * Calls the outer function of a pair. It works, calls the inner one three times
 * and works again after each call; the inner one works once. Each piece of work
 * takes `cycles` of the time stamp counter.
 */
void gn_calibrate_call(enum gn_cal_pair pair, uint64_t cycles);

/* Calls FIRST `n` times. Each call works once. */
void gn_calibrate_first(unsigned int n, uint64_t cycles);

/* Does one such piece of work. */
void gn_calibrate_work(uint64_t cycles);

#endif
