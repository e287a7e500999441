/* SPDX-License-Identifier: BSD-2-Clause */
/* Keys, and what the view keeps from period to period. */
#include <stdarg.h>
#include <setjmp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "output/text.h"
#include "top/draw.h"
#include "top/keys.h"
#include "top/view_columns.h"
#include "top/view_rows.h"
#include "top/view_thread.h"
#include "top_model.h"

#define MS 1000000ULL

static int press(struct gn_top_view *v, const struct gn_top_period *p,
		 int32_t key)
{
	int action = gn_top_key(v, key, p);

	assert_true(action >= 0);
	return action;
}

static void type(struct gn_top_view *v, const struct gn_top_period *p,
		 const char *text)
{
	for (; *text; text++)
		press(v, p, *text);
}

static void draw(struct gn_top_view *v, const struct gn_top_period *p)
{
	free(tm_draw(p, v, 24, 80, true, 256));
}

/* The thread of the selected row. */
static uint32_t selected(struct gn_top_view *v, const struct gn_top_period *p)
{
	const struct gn_top_list *l = &v->list[GN_TOP_THREADS];

	assert_int_equal(gn_top_view_update(v, p), 0);
	assert_true(l->selected < v->nrows);
	return p->m->threads[v->rows[l->selected].index].tid;
}

static void start(struct gn_top_view *v)
{
	gn_top_view_init(v, 1000 * MS, GN_CLASSIFY_EXACT);
}

static void selection_is_kept(void **state)
{
	struct tm_period *t = tm_make_many(1000);
	struct gn_top_view v;

	(void)state;
	start(&v);
	draw(&v, &t->p);
	/* the last thread has the most CPU time; it is the first row */
	assert_int_equal(selected(&v, &t->p), 5999);
	for (int i = 0; i < 10; i++)
		press(&v, &t->p, GN_KEY_DOWN);
	assert_int_equal(selected(&v, &t->p), 5989);
	/* now it has the least */
	t->threads[989].classes[GN_CLASS_SLEEP] = 1000 * MS;
	t->threads[989].classes[GN_CLASS_APP] = 0;
	t->p.number++;
	draw(&v, &t->p);
	assert_int_equal(selected(&v, &t->p), 5989);
	assert_int_equal(v.list[GN_TOP_THREADS].selected, 999);
	assert_true(v.list[GN_TOP_THREADS].scroll > 900);
	/* it ends: the selection stays at its place */
	tm_end_thread(t, 5989);
	draw(&v, &t->p);
	assert_int_equal(v.list[GN_TOP_THREADS].selected, 998);
	/* after Home the first row is selected, whichever it is */
	press(&v, &t->p, GN_KEY_HOME);
	assert_int_equal(selected(&v, &t->p), 5999);
	tm_end_thread(t, 5999);
	assert_int_equal(selected(&v, &t->p), 5998);
	gn_top_view_free(&v);
	free(t);
}

static void pages(void **state)
{
	struct tm_period *t = tm_make_many(1000);
	struct gn_top_view v;
	const struct gn_top_list *l = &v.list[GN_TOP_THREADS];

	(void)state;
	start(&v);
	draw(&v, &t->p);
	assert_int_equal(v.page, 16); /* 24 less 5, tabs, titles, keys */
	press(&v, &t->p, GN_KEY_PAGE_DOWN);
	draw(&v, &t->p);
	assert_int_equal(l->selected, 16);
	assert_int_equal(l->scroll, 1);
	press(&v, &t->p, GN_KEY_END);
	draw(&v, &t->p);
	assert_int_equal(l->selected, 999);
	assert_int_equal(l->scroll, 984);
	press(&v, &t->p, GN_KEY_DOWN);
	assert_int_equal(l->selected, 999);
	press(&v, &t->p, GN_KEY_PAGE_UP);
	assert_int_equal(l->selected, 983);
	press(&v, &t->p, GN_KEY_UP);
	assert_int_equal(l->selected, 982);
	press(&v, &t->p, GN_KEY_HOME);
	press(&v, &t->p, GN_KEY_UP);
	assert_int_equal(l->selected, 0);
	draw(&v, &t->p);
	assert_int_equal(l->scroll, 0);
	gn_top_view_free(&v);
	free(t);
}

/* Functions of the same name are distinguished as long as one period is
 * shown. */
static void same_names(void **state)
{
	struct tm_period *t = tm_make();
	struct gn_top_view v;

	(void)state;
	start(&v);
	for (size_t i = 0; i < t->m.nfunctions; i++)
		t->functions[i].name = t->functions[i].module = "same";
	press(&v, &t->p, 't');
	draw(&v, &t->p);
	for (size_t i = 0; i < 3; i++) {
		press(&v, &t->p, GN_KEY_DOWN);
		draw(&v, &t->p);
	}
	assert_int_equal(v.list[GN_TOP_FUNCTIONS].selected, 3);
	gn_top_view_free(&v);
	free(t);
}

static void sorting(void **state)
{
	struct tm_period *t = tm_make();
	struct gn_top_view v;

	(void)state;
	start(&v);
	assert_int_equal(press(&v, &t->p, 's'), GN_TOP_DO_DRAW);
	assert_int_equal(v.focus, GN_TOP_ON_CHOOSER);
	press(&v, &t->p, GN_KEY_HOME); /* name */
	press(&v, &t->p, GN_KEY_ENTER);
	assert_int_equal(v.focus, GN_TOP_ON_TABLE);
	assert_int_equal(v.list[GN_TOP_THREADS].sort, GN_COLUMN_NAME);
	assert_int_equal(selected(&v, &t->p), 4203); /* disk */
	press(&v, &t->p, 'I');
	assert_int_equal(selected(&v, &t->p), 4204); /* starve */
	for (const char *key = "<>"; *key; key++) {
		press(&v, &t->p, *key);
		assert_int_equal(v.focus, GN_TOP_ON_CHOOSER);
		press(&v, &t->p, GN_KEY_ESC);
	}
	assert_int_equal(v.list[GN_TOP_THREADS].sort, GN_COLUMN_NAME);
	press(&v, &t->p, GN_KEY_F1 + 5);
	press(&v, &t->p, GN_KEY_DOWN);
	press(&v, &t->p, GN_KEY_DOWN); /* TID, upwards again */
	press(&v, &t->p, GN_KEY_ENTER);
	assert_int_equal(v.list[GN_TOP_THREADS].sort, GN_COLUMN_TID);
	assert_int_equal(selected(&v, &t->p), 4200);
	gn_top_view_free(&v);
	free(t);
}

/* Each column sorts the rows in its order. */
/* Equal threads keep their places, whatever the order in the model. */
static void equal_rows(void **state)
{
	struct tm_period *t = tm_make_many(100);
	struct gn_model_thread first;
	struct gn_top_view v;

	(void)state;
	start(&v);
	for (int i = 0; i < 100; i++) {
		t->threads[i].name = "alike";
		t->threads[i].classes[GN_CLASS_SLEEP] = 1000 * MS;
		t->threads[i].classes[GN_CLASS_APP] = 0;
	}
	for (int round = 0; round < 3; round++) {
		draw(&v, &t->p);
		assert_int_equal(v.nrows, 100);
		for (uint32_t i = 0; i < 100; i++)
			assert_int_equal(t->threads[v.rows[i].index].tid,
					 5000 + i);
		first = t->threads[0];
		memmove(&t->threads[0], &t->threads[1], 99 * sizeof(first));
		t->threads[99] = first;
		t->p.number++;
	}
	gn_top_view_free(&v);
	free(t);
}

static void every_column_sorts(void **state)
{
	struct tm_period *t = tm_make();
	struct gn_top_view v;

	(void)state;
	for (int mode = 0; mode < GN_TOP_MODES; mode++) {
		struct gn_top_columns c;

		gn_top_sort_columns((enum gn_top_mode)mode, &c);
		for (int i = 0; i < c.n; i++) {
			start(&v);
			v.mode = (enum gn_top_mode)mode;
			v.list[mode].sort = c.column[i];
			draw(&v, &t->p);
			assert_true(v.nrows > 1);
			for (size_t r = 1; mode != GN_TOP_TREE && r < v.nrows;
			     r++) {
				struct gn_top_sortable a = gn_top_value(
					&v, &t->p, v.rows[r - 1].index);
				struct gn_top_sortable b = gn_top_value(
					&v, &t->p, v.rows[r].index);

				assert_true(a.text ? strcmp(a.text, b.text) <= 0
						   : a.number >= b.number);
			}
			gn_top_view_free(&v);
		}
	}
	free(t);
}

static void filtering(void **state)
{
	struct tm_period *t = tm_make();
	struct gn_top_view v;

	(void)state;
	start(&v);
	press(&v, &t->p, '/');
	type(&v, &t->p, "SPq"); /* here q is a letter */
	assert_int_equal(v.focus, GN_TOP_ON_FILTER);
	draw(&v, &t->p);
	assert_int_equal(v.nrows, 0);
	press(&v, &t->p, GN_KEY_BACKSPACE);
	assert_int_equal(selected(&v, &t->p), 4201);
	assert_int_equal(v.nrows, 1);
	/* editing in the middle of the line */
	press(&v, &t->p, GN_KEY_HOME);
	press(&v, &t->p, GN_KEY_RIGHT);
	press(&v, &t->p, 'x');
	assert_string_equal(v.filter, "SxP");
	press(&v, &t->p, GN_KEY_LEFT);
	press(&v, &t->p, GN_KEY_DELETE);
	assert_string_equal(v.filter, "SP");
	press(&v, &t->p, GN_KEY_END);
	press(&v, &t->p, 0x65e5); /* three bytes, removed again */
	assert_string_equal(v.filter, "SP\xe6\x97\xa5");
	press(&v, &t->p, 0x7f);
	assert_string_equal(v.filter, "SP");
	press(&v, &t->p, GN_KEY_ENTER);
	assert_int_equal(v.focus, GN_TOP_ON_TABLE);
	assert_int_equal(v.nrows, 1);
	press(&v, &t->p, GN_KEY_ESC);
	assert_string_equal(v.filter, "");
	draw(&v, &t->p);
	assert_int_equal(v.nrows, 6);
	/* by TID; Esc clears it while it is typed */
	press(&v, &t->p, GN_KEY_F1 + 3);
	type(&v, &t->p, "4203");
	assert_int_equal(selected(&v, &t->p), 4203);
	press(&v, &t->p, GN_KEY_ESC);
	assert_int_equal(v.focus, GN_TOP_ON_TABLE);
	assert_string_equal(v.filter, "");
	/* not more than fits, and no unprintable characters */
	press(&v, &t->p, '/');
	for (int i = 0; i < 2 * GN_TOP_FILTER; i++)
		press(&v, &t->p, 0x10348);
	assert_true(strlen(v.filter) < GN_TOP_FILTER);
	press(&v, &t->p, GN_KEY_CTRL_U);
	press(&v, &t->p, 0x202e);
	press(&v, &t->p, 0xd800);
	press(&v, &t->p, 0x01);
	assert_string_equal(v.filter, "");
	gn_top_view_free(&v);
	free(t);
}

static void tree_keys(void **state)
{
	struct tm_period *t = tm_make();
	struct gn_top_view v;
	const struct gn_top_list *l = &v.list[GN_TOP_TREE];

	(void)state;
	start(&v);
	type(&v, &t->p, "ttt");
	draw(&v, &t->p);
	assert_int_equal(v.mode, GN_TOP_TREE);
	/* app: Main, lock, Spin: Add, read: mark that is closed */
	assert_int_equal(v.nrows, 7);
	press(&v, &t->p, GN_KEY_END);
	press(&v, &t->p, GN_KEY_RIGHT);
	draw(&v, &t->p);
	assert_int_equal(v.nrows, 8);
	press(&v, &t->p, ' ');
	draw(&v, &t->p);
	assert_int_equal(v.nrows, 7);
	assert_false(v.paused);
	/* Left goes to the caller of a closed node, and closes it */
	press(&v, &t->p, GN_KEY_LEFT);
	draw(&v, &t->p);
	assert_int_equal(l->selected, 5);
	press(&v, &t->p, GN_KEY_LEFT);
	draw(&v, &t->p);
	assert_int_equal(v.nrows, 6);
	assert_int_equal(l->selected, 5);
	/* it stays closed in the next period */
	t->p.number++;
	draw(&v, &t->p);
	assert_int_equal(v.nrows, 6);
	press(&v, &t->p, GN_KEY_ENTER);
	draw(&v, &t->p);
	assert_int_equal(v.nrows, 7);
	/* the filter shows the path to its matches, closed or not */
	press(&v, &t->p, '/');
	type(&v, &t->p, "GC_MARK");
	draw(&v, &t->p);
	assert_int_equal(v.nrows, 3);
	gn_top_view_free(&v);
	free(t);
}

static void settings(void **state)
{
	static const uint64_t steps[] = {100,  200,   500,   1000, 2000,
					 5000, 10000, 30000, 60000};
	const size_t n = sizeof(steps) / sizeof(steps[0]);
	struct tm_period *t = tm_make();
	struct gn_top_view v;

	(void)state;
	start(&v);
	v.period = 150 * MS; /* between two steps */
	assert_int_equal(press(&v, &t->p, '-'), GN_TOP_DO_PERIOD);
	assert_int_equal(v.period, 100 * MS);
	assert_int_equal(press(&v, &t->p, '-'), GN_TOP_DO_NOTHING);
	for (size_t i = 1; i < n; i++) {
		assert_int_equal(press(&v, &t->p, '+'), GN_TOP_DO_PERIOD);
		assert_int_equal(v.period, steps[i] * MS);
	}
	assert_int_equal(press(&v, &t->p, '+'), GN_TOP_DO_NOTHING);
	assert_int_equal(press(&v, &t->p, 'c'), GN_TOP_DO_CLASSIFY);
	assert_int_equal(v.classify, GN_CLASSIFY_INTERVAL);
	assert_int_equal(press(&v, &t->p, 'c'), GN_TOP_DO_CLASSIFY);
	assert_int_equal(v.classify, GN_CLASSIFY_EXACT);
	assert_int_equal(press(&v, &t->p, 'p'), GN_TOP_DO_PAUSE);
	assert_true(v.paused);
	assert_int_equal(press(&v, &t->p, ' '), GN_TOP_DO_PAUSE);
	assert_false(v.paused);
	assert_int_equal(press(&v, &t->p, GN_KEY_CTRL_L), GN_TOP_DO_REPAINT);
	assert_int_equal(press(&v, &t->p, GN_KEY_RESIZE), GN_TOP_DO_DRAW);
	assert_int_equal(press(&v, &t->p, 'z'), GN_TOP_DO_NOTHING);
	assert_int_equal(press(&v, &t->p, -5), GN_TOP_DO_NOTHING);
	assert_int_equal(press(&v, &t->p, GN_KEY_HANGUP), GN_TOP_DO_QUIT);
	assert_int_equal(press(&v, &t->p, GN_KEY_CTRL_C), GN_TOP_DO_QUIT);
	assert_int_equal(press(&v, &t->p, 'q'), GN_TOP_DO_QUIT);
	assert_int_equal(press(&v, &t->p, GN_KEY_F1 + 9), GN_TOP_DO_QUIT);
	gn_top_view_free(&v);
	free(t);
}

static void help_and_back(void **state)
{
	static const int32_t ways[] = {'?', 'h', GN_KEY_F1};
	static const int32_t back[] = {'q', GN_KEY_ESC, '?', GN_KEY_F1};
	struct tm_period *t = tm_make();
	struct gn_top_view v;

	(void)state;
	start(&v);
	for (size_t i = 0; i < sizeof(ways) / sizeof(ways[0]); i++) {
		for (size_t k = 0; k < sizeof(back) / sizeof(back[0]); k++) {
			press(&v, &t->p, ways[i]);
			assert_int_equal(v.focus, GN_TOP_ON_HELP);
			draw(&v, &t->p);
			assert_int_equal(press(&v, &t->p, back[k]),
					 GN_TOP_DO_DRAW);
			assert_int_equal(v.focus, GN_TOP_ON_TABLE);
		}
	}
	/* from a thread it leads back to the thread */
	press(&v, &t->p, GN_KEY_ENTER);
	press(&v, &t->p, '?');
	press(&v, &t->p, 'q');
	assert_int_equal(v.focus, GN_TOP_ON_THREAD);
	gn_top_view_free(&v);
	free(t);
}

static void opened_thread(void **state)
{
	static const int32_t back[] = {'q', GN_KEY_ESC, GN_KEY_BACKSPACE, 0x7f,
				       GN_KEY_LEFT};
	struct tm_period *t = tm_make();
	struct gn_top_view v;

	(void)state;
	start(&v);
	for (size_t i = 0; i < sizeof(back) / sizeof(back[0]); i++) {
		press(&v, &t->p, GN_KEY_ENTER);
		assert_int_equal(v.open->tid, 4205);
		assert_int_equal(press(&v, &t->p, back[i]), GN_TOP_DO_DRAW);
		assert_null(v.open);
	}
	press(&v, &t->p, GN_KEY_DOWN);
	press(&v, &t->p, '\n');
	assert_int_equal(v.open->tid, 4201);
	assert_int_equal(v.open->nshares, 2);
	assert_int_equal(v.open->nstack, 2);
	assert_string_equal(v.open->stack[0],
			    "App.Work.Add(System.Int32, System.Int32)");
	/* it follows the thread, and says when the thread is gone */
	t->threads[1].classes[GN_CLASS_APP] = 1;
	t->p.number++;
	draw(&v, &t->p);
	assert_int_equal(v.open->t.classes[GN_CLASS_APP], 1);
	assert_false(v.open->gone);
	tm_end_thread(t, 4201);
	draw(&v, &t->p);
	assert_true(v.open->gone);
	assert_int_equal(v.open->nshares, 2);
	gn_top_view_free(&v);
	free(t);
}

/* Before the first period. */
static void nothing_yet(void **state)
{
	struct gn_top_view v;
	struct tm_period *t = tm_make();

	(void)state;
	start(&v);
	for (int32_t key = 1; key <= GN_KEY_LAST;
	     key = key == 127 ? GN_KEY_UP : key + 1) {
		press(&v, NULL, key);
		draw(&v, NULL);
		assert_null(v.open);
	}
	v.focus = GN_TOP_ON_TABLE;
	draw(&v, &t->p);
	gn_top_view_free(&v);
	free(t);
}

/* The same numbers in each run. */
static uint32_t next_random(uint32_t *seed)
{
	*seed = *seed * 1664525 + 1013904223;
	return *seed >> 8;
}

static void check_screen(const struct gn_top_view *v, const struct gn_cells *g)
{
	for (int row = 0; row < g->rows; row++) {
		for (int col = 0; col < g->cols; col++) {
			const struct gn_cell *c = gn_cells_at(g, row, col);

			assert_true(c->ink < GN_INK_COUNT);
			assert_true(!c->c || gn_printable((int32_t)c->c));
			assert_true(g->utf8 || c->c < 0x80);
		}
	}
	assert_true(v->list[v->mode].selected < (v->nrows ? v->nrows : 1));
	assert_true(g->cursor_row < g->rows && g->cursor_col < g->cols);
	assert_true(strlen(v->filter) < GN_TOP_FILTER);
	assert_true(v->cursor <= strlen(v->filter));
	assert_true(v->period >= 100 * MS && v->period <= 60000 * MS);
	assert_true((v->focus == GN_TOP_ON_THREAD) <= (v->open != NULL));
}

/* Random keys, in random periods and sizes. */
static void key_storm(void **state)
{
	static const int32_t keys[] = {'t',
				       's',
				       'I',
				       '/',
				       'p',
				       ' ',
				       '+',
				       '-',
				       'c',
				       '?',
				       'q',
				       'x',
				       'a',
				       0xe9,
				       0x65e5,
				       GN_KEY_ENTER,
				       GN_KEY_ESC,
				       GN_KEY_TAB,
				       GN_KEY_BACKSPACE};
	const size_t nkeys = sizeof(keys) / sizeof(keys[0]);
	struct tm_period *t[6] = {tm_make(),	   tm_make_many(300),
				  tm_make_many(0), tm_make(),
				  tm_make(),	   tm_make_many(1)};
	struct gn_cells g = {0};
	struct gn_top_view v;
	uint32_t seed = 1;

	(void)state;
	tm_rename(t[3], TM_HOSTILE);
	tm_lose(t[3]);
	tm_deepen(t[4]);
	tm_fork(t[4]);
	tm_budget(t[4]);
	start(&v);
	for (uint64_t i = 0; i < 20000; i++) {
		uint32_t what = next_random(&seed) % 40;
		int rows = 1 + (int)(next_random(&seed) % 30);
		int cols = 1 + (int)(next_random(&seed) % 130);
		struct tm_period *now = t[i / 50 % 6];
		int32_t key = keys[next_random(&seed) % nkeys];

		if (what < 15)
			key = GN_KEY_UP + (int32_t)(next_random(&seed) % 22);
		if (i % 10 == 0)
			now->p.number = 100 + i;
		press(&v, i % 997 ? &now->p : NULL, key);
		g.utf8 = i % 3;
		g.colours = i % 2 ? 256 : 0;
		assert_int_equal(gn_cells_resize(&g, rows, cols), 0);
		assert_int_equal(gn_top_draw(&now->p, &v, &g), 0);
		check_screen(&v, &g);
	}
	gn_top_view_free(&v);
	gn_cells_free(&g);
	for (int i = 0; i < 6; i++)
		free(t[i]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(selection_is_kept),
		cmocka_unit_test(pages),
		cmocka_unit_test(same_names),
		cmocka_unit_test(sorting),
		cmocka_unit_test(equal_rows),
		cmocka_unit_test(every_column_sorts),
		cmocka_unit_test(filtering),
		cmocka_unit_test(tree_keys),
		cmocka_unit_test(settings),
		cmocka_unit_test(help_and_back),
		cmocka_unit_test(opened_thread),
		cmocka_unit_test(nothing_yet),
		cmocka_unit_test(key_storm),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
