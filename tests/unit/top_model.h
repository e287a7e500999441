/* SPDX-License-Identifier: BSD-2-Clause */
/* Handmade periods for the tests of the screen. */
#ifndef TESTS_UNIT_TOP_MODEL_H
#define TESTS_UNIT_TOP_MODEL_H

#include "top/cells.h"
#include "top/top.h"
#include "top/view.h"

/* The limits for threads and their data. */
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
 * A second of a program with one process, whose threads each do one thing: main
 * sleeps; spin runs App.Spin; queue waits for a lock; disk reads; starve wants
 * a CPU; gc collects, and has ended meanwhile.
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

/* Escapes, a change of direction, a bell, invalid UTF-8, wide and combining
 * characters. */
#define TM_HOSTILE                                \
	"\033[2J\033]0;x\007\xe2\x80\xae"         \
	"abc\xff\xc3\r\n\xe6\x97\xa5\xe6\x9c\xac" \
	"e\xcc\x81z"

/* Free it with free(). */
struct tm_period *tm_make(void);
/* n threads (up to TM_THREADS) named w0, w1, .. with TIDs from 5000 on. Each
 * runs a thousandth more than the one before. */
struct tm_period *tm_make_many(size_t n);

/* Another second: the thread has ended. */
void tm_end_thread(struct tm_period *t, uint32_t tid);
/* Records were lost. */
void tm_lose(struct tm_period *t);
/* Gives everything this name. */
void tm_rename(struct tm_period *t, const char *name);
/* Probes have a budget, and three functions are muted. */
void tm_budget(struct tm_period *t);
/* A second process; a path 60 calls deep. */
void tm_fork(struct tm_period *t);
void tm_deepen(struct tm_period *t);

/* The drawn screen, as lines; freed by the caller. */
char *tm_draw(const struct gn_top_period *p, struct gn_top_view *v, int rows,
	      int cols, bool utf8, unsigned colours);
char *tm_text(const struct gn_cells *g);
/* The row as UTF-8 without trailing blanks. Returns the bytes written, without
 * the NUL; text that does not fit into `size` is cut. */
size_t tm_row_text(const struct gn_cells *g, int row, char *buf, size_t size);

/* Compares with tests/golden/screen/NAME. If GN_UPDATE_GOLDEN is in the
 * environment, writes the file instead. Frees the text. */
void tm_golden(const char *name, char *text);

#endif
