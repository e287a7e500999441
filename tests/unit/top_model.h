/* SPDX-License-Identifier: BSD-2-Clause */
/* Handmade periods for the tests of the screen. */
#ifndef TESTS_UNIT_TOP_MODEL_H
#define TESTS_UNIT_TOP_MODEL_H

#include "top/cells.h"
#include "top/top.h"
#include "top/view.h"

/* Threads of which there is room for, with what belongs to one. */
#define TM_THREADS   1000
#define TM_FUNCTIONS 64
#define TM_NODES     128

struct tm_thread {
	char name[32];
	struct gn_model_live live;
	struct gn_model_share shares[4];
	int32_t stack[4];
};

/*
 * A second of a program of one process whose threads each do one thing:
 *   main sleeps; spin runs App.Spin; queue waits for a lock; disk reads; starve
 *   wants a CPU; gc collects, and ended meanwhile
 */
struct tm_period {
	struct gn_top_period p;
	struct gn_model m;
	struct gn_model_function functions[TM_FUNCTIONS];
	struct gn_model_module modules[3];
	struct gn_model_process processes[2];
	struct gn_model_node nodes[TM_NODES];
	struct gn_model_thread threads[TM_THREADS];
	struct tm_thread more[TM_THREADS];
	struct gn_top_muted muted[3];
};

/* Escapes, a change of direction, a bell, no UTF-8, wide and combining ones. */
#define TM_HOSTILE                                \
	"\033[2J\033]0;x\007\xe2\x80\xae"         \
	"abc\xff\xc3\r\n\xe6\x97\xa5\xe6\x9c\xac" \
	"e\xcc\x81z"

/* Freed by free(). */
struct tm_period *tm_make(void);
/* n threads (up to TM_THREADS) named w0, w1, .. with TIDs from 5000 on, of
 * which each runs one part in a thousand more than the one before. */
struct tm_period *tm_make_many(size_t n);

/* Another second: the thread is gone. */
void tm_end_thread(struct tm_period *t, uint32_t tid);
/* Records were lost. */
void tm_lose(struct tm_period *t);
/* All names are this one. */
void tm_rename(struct tm_period *t, const char *name);
/* Probes are on a budget, and three functions muted. */
void tm_budget(struct tm_period *t);
/* A second process; a path 60 calls deep. */
void tm_fork(struct tm_period *t);
void tm_deepen(struct tm_period *t);

/* What is drawn, as lines; freed by the caller. */
char *tm_draw(const struct gn_top_period *p, struct gn_top_view *v, int rows,
	      int cols, bool utf8, unsigned colours);
char *tm_text(const struct gn_cells *g);

/* Compares with tests/golden/screen/NAME. With GN_UPDATE_GOLDEN in the
 * environment the file is written instead. Frees the text. */
void tm_golden(const char *name, char *text);

#endif
