/* SPDX-License-Identifier: BSD-2-Clause */
/* Handmade periods for the tests of gnomon top's output. */
#ifndef TESTS_UNIT_TOP_SAMPLE_H
#define TESTS_UNIT_TOP_SAMPLE_H

#include "top/top.h"

#define TOP_MS 1000000ULL

/* A name with everything that names can contain: colour, lines, quotes, half a
 * character, text that changes direction, a backslash. */
#define TOP_HOSTILE "evil\033[31m\r\n\"a,b\"\xff\xe2\x80\xae=1\\"

#define TOP_THREADS   6
#define TOP_FUNCTIONS 6

/*
 * The third second of a program of two processes: a thread spins in a CLR
 * function, one waits for a lock, one sleeps, one does disk I/O, one is starved
 * of CPU, one has ended.
 */
struct top_sample {
	struct gn_top_period p;
	struct gn_model m;
	struct gn_model_info info[8];
	struct gn_model_function functions[TOP_FUNCTIONS];
	struct gn_model_module modules[2];
	struct gn_model_thread threads[TOP_THREADS];
	struct gn_model_live live[TOP_THREADS];
	struct gn_model_process processes[2];
	struct gn_model_share shares[4];
	struct gn_model_wait waits[2];
	struct gn_top_muted muted[1];
	int32_t stack[3];
};

void top_sample_make(struct top_sample *s);

/* Losses, a failed check, unknown probe cost, a killed target. */
void top_sample_worst(struct top_sample *s);

/* No thread, no function: the program has not begun, or has ended. */
void top_sample_empty(struct top_sample *s);

/* Computes the functions, processes and the session of s->m from its threads
 * again, after a test has changed them. */
void top_sample_sum(struct top_sample *s);

/* Compares with tests/golden/top/NAME. If GN_UPDATE_GOLDEN is in the
 * environment, writes the file instead. */
void top_golden(const char *name, const char *text);

/*
 * Makes the C library write numbers with a comma, with a locale that this
 * builds in `dir`. False: it cannot be built here. top_locale_plain() undoes
 * this.
 */
bool top_locale_comma(const char *dir);
void top_locale_plain(void);

#endif
