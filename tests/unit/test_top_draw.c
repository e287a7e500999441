/* SPDX-License-Identifier: BSD-2-Clause */
/* Drawn screens compared with expected ones, and their content with the
 * model. */
#include <stdarg.h>
#include <setjmp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "output/classes.h"
#include "output/text.h"
#include "top/draw.h"
#include "top/keys.h"
#include "top_model.h"

#define SECOND 1000000000ULL

static const struct size {
	int rows, cols;
	const char *name;
} sizes[] = {{24, 80, "80x24"},
	     {40, 120, "120x40"},
	     {10, 40, "40x10"},
	     {1, 1, "1x1"}};

static void view_make(struct gn_top_view *v)
{
	gn_top_view_init(v, SECOND, GN_CLASSIFY_EXACT);
}

static void press(struct gn_top_view *v, const struct gn_top_period *p,
		  int32_t key)
{
	assert_true(gn_top_key(v, key, p) >= 0);
}

/* A screen in one size. */
static void golden(const char *name, const struct gn_top_period *p,
		   struct gn_top_view *v)
{
	tm_golden(name, tm_draw(p, v, 24, 80, true, 256));
}

static void every_size(void **state)
{
	struct tm_period *t = tm_make();
	struct gn_top_view v;
	char name[64];

	(void)state;
	view_make(&v);
	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		const struct size *s = &sizes[i];

		snprintf(name, sizeof(name), "threads-%s.txt", s->name);
		tm_golden(name,
			  tm_draw(&t->p, &v, s->rows, s->cols, true, 256));
		snprintf(name, sizeof(name), "plain-%s.txt", s->name);
		tm_golden(name, tm_draw(&t->p, &v, s->rows, s->cols, false, 0));
	}
	tm_golden("threads-200x12.txt", tm_draw(&t->p, &v, 12, 200, true, 8));
	gn_top_view_free(&v);
	free(t);
}

static void every_table(void **state)
{
	static const char *const names[] = {"functions", "modules", "tree"};
	struct tm_period *t = tm_make();
	struct gn_top_view v;
	char name[64];

	(void)state;
	view_make(&v);
	for (int i = 0; i < 3; i++) {
		press(&v, &t->p, 't');
		snprintf(name, sizeof(name), "%s.txt", names[i]);
		golden(name, &t->p, &v);
		snprintf(name, sizeof(name), "%s-120x40.txt", names[i]);
		tm_golden(name, tm_draw(&t->p, &v, 40, 120, false, 8));
	}
	gn_top_view_free(&v);
	free(t);
}

/* If idle threads sleep most of the time, functions show the classes of their
 * own time. */
static void functions_own_classes(void **state)
{
	struct tm_period *t = tm_make();
	struct gn_top_view v;
	char *text;

	(void)state;
	t->m.session.class_incl[GN_CLASS_SLEEP] = 1000 * SECOND;
	memset(t->m.session.class_excl, 0, sizeof(t->m.session.class_excl));
	t->m.session.class_excl[GN_CLASS_CHILD] = SECOND;
	view_make(&v);
	press(&v, &t->p, 't');
	text = tm_draw(&t->p, &v, 40, 120, false, 8);
	assert_non_null(strstr(text, " child"));
	free(text);
	gn_top_view_free(&v);
	free(t);
}

static void thread_page(void **state)
{
	struct tm_period *t = tm_make();
	struct gn_top_view v;

	(void)state;
	view_make(&v);
	press(&v, &t->p, GN_KEY_DOWN);
	press(&v, &t->p, GN_KEY_ENTER);
	assert_int_equal(v.focus, GN_TOP_ON_THREAD);
	golden("thread.txt", &t->p, &v);
	tm_golden("thread-120x40.txt", tm_draw(&t->p, &v, 40, 120, false, 0));
	tm_golden("thread-40x10.txt", tm_draw(&t->p, &v, 10, 40, false, 0));
	press(&v, &t->p, GN_KEY_TAB);
	tm_golden("thread-40x10-stack.txt",
		  tm_draw(&t->p, &v, 10, 40, false, 0));
	tm_end_thread(t, 4201);
	golden("thread-gone.txt", &t->p, &v);
	/* the view has its own copy: the period can go */
	free(t);
	t = tm_make_many(0);
	t->p.number = 99;
	free(tm_draw(&t->p, &v, 24, 80, true, 256));
	press(&v, &t->p, GN_KEY_LEFT);
	assert_int_equal(v.focus, GN_TOP_ON_TABLE);
	golden("no-threads.txt", &t->p, &v);
	gn_top_view_free(&v);
	free(t);
}

/* A number that the edge cuts would be another number. */
static void no_number_is_cut(void **state)
{
	struct tm_period *t = tm_make();
	struct gn_top_view v;
	char *all, *end;

	(void)state;
	view_make(&v);
	all = tm_draw(&t->p, &v, 24, 200, false, 0);
	for (int cols = 20; cols < 80; cols++) {
		char *text = tm_draw(&t->p, &v, 24, cols, false, 0);
		char *line = strstr(text, " threads"), *whole;

		assert_non_null(line);
		while (line > text && line[-1] != '\n')
			line--;
		line[strcspn(line, "\n")] = '\0';
		whole = strstr(all, line);
		assert_non_null(whole);
		end = whole + strlen(line);
		assert_non_null(strchr(" \n,:;", *end));
		free(text);
	}
	free(all);
	gn_top_view_free(&v);
	free(t);
}

static void overlays(void **state)
{
	struct tm_period *t = tm_make();
	struct gn_top_view v;
	char *text;

	(void)state;
	view_make(&v);
	golden("waiting.txt", NULL, &v);
	press(&v, &t->p, '?');
	golden("help.txt", &t->p, &v);
	text = tm_draw(&t->p, &v, 24, 80, false, 0);
	/* everything is there, and nothing says that there is more */
	for (int class = 0; class < GN_CLASS_COUNT; class ++)
		assert_non_null(strstr(text, gn_class_help(class)));
	assert_non_null(strstr(text, "q goes back\n"));
	free(text);
	/* on less room, lines are broken, and the rest can be reached */
	tm_golden("help-60x15.txt", tm_draw(&t->p, &v, 15, 60, false, 0));
	press(&v, &t->p, GN_KEY_END);
	tm_golden("help-60x15-end.txt", tm_draw(&t->p, &v, 15, 60, false, 0));
	press(&v, &t->p, 'q');
	press(&v, &t->p, 's');
	golden("chooser.txt", &t->p, &v);
	press(&v, &t->p, GN_KEY_ESC);
	press(&v, &t->p, '/');
	for (const char *c = "sPi"; *c; c++)
		press(&v, &t->p, *c);
	golden("filter.txt", &t->p, &v);
	press(&v, &t->p, GN_KEY_ENTER);
	press(&v, &t->p, 'p');
	press(&v, &t->p, 'c');
	golden("filtered-paused.txt", &t->p, &v);
	gn_top_view_free(&v);
	free(t);
}

/* The column of the cursor, and the characters before and at it. */
static void cursor_is(struct gn_top_view *v, const struct gn_top_period *p,
		      int col, uint32_t before, uint32_t at)
{
	struct gn_cells g = {.utf8 = true};

	assert_int_equal(gn_cells_resize(&g, 10, 40), 0);
	assert_int_equal(gn_top_draw(p, v, &g), 0);
	assert_int_equal(g.cursor_row, 9);
	assert_int_equal(g.cursor_col, col);
	assert_int_equal(gn_cells_at(&g, 9, col - 1)->c, before);
	assert_int_equal(gn_cells_at(&g, 9, col)->c, at);
	gn_cells_free(&g);
}

/* If a filter is longer than the line, the part at the cursor is visible. */
static void long_filter(void **state)
{
	struct tm_period *t = tm_make();
	struct gn_top_view v;

	(void)state;
	view_make(&v);
	press(&v, &t->p, '/');
	for (int i = 0; i < 31; i++)
		press(&v, &t->p, 'a' + i % 26);
	cursor_is(&v, &t->p, 39, 'e', ' ');
	for (int i = 31; i < 100; i++)
		press(&v, &t->p, 'a' + i % 26);
	cursor_is(&v, &t->p, 39, 'v', ' ');
	for (int i = 0; i < 50; i++)
		press(&v, &t->p, GN_KEY_LEFT);
	cursor_is(&v, &t->p, 39, 'x', 'y');
	press(&v, &t->p, 0x5b57); /* two cells wide */
	cursor_is(&v, &t->p, 39, 0, 'y');
	press(&v, &t->p, GN_KEY_HOME);
	cursor_is(&v, &t->p, 8, ' ', 'a');
	press(&v, &t->p, GN_KEY_RIGHT);
	cursor_is(&v, &t->p, 9, 'a', 'b');
	press(&v, &t->p, 0x301); /* a mark, on the cell before it */
	cursor_is(&v, &t->p, 9, 'a', 'b');
	gn_top_view_free(&v);
	free(t);
}

/* Every table has the names that people write, and the screen says what was
 * inlined, also where no row is left to be marked. */
static void managed_names(void **state)
{
	struct tm_period *t = tm_make();
	struct gn_top_view v;

	(void)state;
	view_make(&v);
	for (size_t i = 0; i < t->m.nfunctions; i++)
		if (!strncmp(t->functions[i].name, "App.Work.Spin(", 14))
			t->functions[i].short_name = "Work.Spin(int)";
	t->m.code.sites = 1231;
	for (int i = 0; i < 3; i++) {
		char *text = tm_draw(&t->p, &v, 40, 140, true, 8);

		assert_non_null(strstr(text, "calls at 1,231 sites may be"));
		/* modules have no functions */
		assert_true(i == 2 || strstr(text, "Work.Spin(int)"));
		assert_null(strstr(text, "App.Work.Spin("));
		free(text);
		press(&v, &t->p, 't');
	}
	gn_top_view_free(&v);
	free(t);
}

static void bad_news(void **state)
{
	struct tm_period *t = tm_make();
	struct gn_top_view v;

	(void)state;
	view_make(&v);
	tm_lose(t);
	tm_budget(t);
	tm_fork(t);
	golden("lost.txt", &t->p, &v);
	tm_golden("lost-40x10.txt", tm_draw(&t->p, &v, 10, 40, true, 256));
	t->m.checks.account_error_ns = 17;
	t->p.target = GN_TOP_KILLED;
	t->p.signal = 9;
	golden("killed.txt", &t->p, &v);
	t->p.target = GN_TOP_ENDED;
	t->p.status = 3;
	golden("ended.txt", &t->p, &v);
	press(&v, &t->p, 't');
	golden("lost-functions.txt", &t->p, &v);
	t->p.functions = false;
	t->m.nfunctions = 0;
	t->p.number++;
	golden("no-functions.txt", &t->p, &v);
	gn_top_view_free(&v);
	free(t);
}

static void deep_tree(void **state)
{
	struct tm_period *t = tm_make();
	struct gn_top_view v;

	(void)state;
	view_make(&v);
	tm_deepen(t);
	for (int i = 0; i < 3; i++)
		press(&v, &t->p, 't');
	tm_golden("deep-tree.txt", tm_draw(&t->p, &v, 76, 80, true, 256));
	gn_top_view_free(&v);
	free(t);
}

/* Cells contain only what a terminal shows, and wide ones are complete. */
static void check_cells(const struct gn_cells *g)
{
	for (int row = 0; row < g->rows; row++) {
		for (int col = 0; col < g->cols; col++) {
			const struct gn_cell *c = gn_cells_at(g, row, col);
			const struct gn_cell *next =
				gn_cells_at(g, row, col + 1);

			assert_true(c->ink < GN_INK_COUNT);
			if (!c->c) {
				assert_int_equal(c->width, 0);
				assert_true(col > 0);
				assert_int_equal((c - 1)->width, 2);
				continue;
			}
			assert_true(gn_printable((int32_t)c->c));
			assert_int_equal(gn_cells((int32_t)c->c), c->width);
			if (c->width == 2)
				assert_true(next && !next->c);
			if (!g->utf8)
				assert_true(c->c < 0x80 && !c->marks[0]);
			for (int i = 0; i < GN_CELL_MARKS; i++)
				assert_true(!c->marks[i] ||
					    !gn_cells((int32_t)c->marks[i]));
		}
	}
}

static void hostile_names(void **state)
{
	static char huge[10241];
	const char *const names[] = {
		TM_HOSTILE,
		huge,
		"",
		"\xcc\x81\xcc\x82\xcc\x83\xcc\x84",
		"\xe6\x97\xa5\xe6\x9c\xac\xe8\xaa\x9e\xe6\x97\xa5\xe6\x9c\xac"
		"\xe8\xaa\x9e\xe6\x97\xa5\xe6\x9c\xac\xe8\xaa\x9e",
		"\xd7\xa9\xd7\x9c\xd7\x95\xd7\x9d", /* right-to-left text */
		"%s%n%p",
	};
	struct gn_top_view v;

	(void)state;
	memset(huge, 'x', sizeof(huge) - 1);
	for (size_t n = 0; n < sizeof(names) / sizeof(names[0]); n++) {
		struct tm_period *t = tm_make();

		tm_budget(t);
		tm_rename(t, names[n]);
		for (int i = 0; i < 2 * 6 * 2; i++) {
			struct gn_cells g = {.utf8 = i % 2,
					     .colours = i % 4 < 2 ? 0 : 256};

			view_make(&v);
			for (int k = 0; k < i / 2 % 4; k++)
				press(&v, &t->p, 't');
			if (i / 2 >= 4)
				press(&v, &t->p, GN_KEY_ENTER);
			assert_int_equal(gn_cells_resize(&g, 24, 60 + i * 3),
					 0);
			assert_int_equal(gn_top_draw(&t->p, &v, &g), 0);
			check_cells(&g);
			gn_cells_free(&g);
			gn_top_view_free(&v);
		}
		free(t);
	}
}

static void hostile_screen(void **state)
{
	struct tm_period *t = tm_make();
	struct gn_top_view v;

	(void)state;
	view_make(&v);
	tm_rename(t, TM_HOSTILE);
	tm_golden("hostile.txt", tm_draw(&t->p, &v, 24, 120, true, 256));
	tm_golden("hostile-plain.txt", tm_draw(&t->p, &v, 24, 120, false, 0));
	gn_top_view_free(&v);
	free(t);
}

/* The first line that has `word` in it. */
static char *line_of(char *text, const char *word)
{
	for (char *line = strtok(text, "\n"); line; line = strtok(NULL, "\n")) {
		if (strstr(line, word))
			return line;
	}
	fail_msg("no line has %s in it", word);
	return NULL;
}

/* On a screen with room for all columns, each thread's numbers are those of the
 * model, below the right titles. */
static void numbers_are_the_models(void **state)
{
	static const enum gn_class order[] = {
		GN_CLASS_APP,	  GN_CLASS_JIT,		GN_CLASS_GC,
		GN_CLASS_SUSPEND, GN_CLASS_RUNQUEUE,	GN_CLASS_SYSCALL,
		GN_CLASS_FAULT,	  GN_CLASS_DISK,	GN_CLASS_LOCK,
		GN_CLASS_EVENT,	  GN_CLASS_POLL,	GN_CLASS_NET,
		GN_CLASS_IPC,	  GN_CLASS_SLEEP,	GN_CLASS_OTHER,
		GN_CLASS_CHILD,	  GN_CLASS_UNCLASSIFIED};
	struct tm_period *t = tm_make();
	struct gn_top_view v;

	(void)state;
	/* each class gets a different share */
	for (int c = 0; c < GN_CLASS_COUNT; c++)
		t->threads[0].classes[c] =
			t->threads[0].elapsed / 200 * (uint64_t)(c + 1);
	view_make(&v);
	for (size_t i = 0; i < t->m.nthreads; i++) {
		const struct gn_model_thread *x = &t->threads[i];
		char *text = tm_draw(&t->p, &v, 24, 240, false, 0);
		char tid[16], *at, *title = strstr(text, "cpu%");

		snprintf(tid, sizeof(tid), " %u ", x->tid);
		assert_non_null(title);
		while (title[-1] != '\n' && title > text)
			title--;
		/* after cpu%, where the column app begins */
		at = strstr(title, "cpu%") + 4 - (title - text);
		at = line_of(text, tid) + (at - text);
		for (int c = 0; c < GN_CLASS_COUNT; c++) {
			double share = strtod(at, &at);

			assert_true(share - gn_pct(x->classes[order[c]],
						   x->elapsed) <
					    0.0501 &&
				    gn_pct(x->classes[order[c]], x->elapsed) -
						    share <
					    0.0501);
		}
		free(text);
	}
	gn_top_view_free(&v);
	free(t);
}

/* The cells of a bar, counted by letter, are the rounded shares. */
static void bars_are_the_models(void **state)
{
	struct tm_period *t = tm_make();
	struct gn_cells g = {.utf8 = true, .colours = 256};
	struct gn_top_view v;
	int cells[GN_INK_COUNT] = {0};

	(void)state;
	view_make(&v);
	assert_int_equal(gn_cells_resize(&g, 24, 80), 0);
	assert_int_equal(gn_top_draw(&t->p, &v, &g), 0);
	/* the third row: starve, 60 % runqueue, 40 % app */
	for (int col = 0; col < 80; col++) {
		const struct gn_cell *c = gn_cells_at(&g, 9, col);

		if (c->c == 0x2588)
			cells[c->ink]++;
	}
	assert_int_equal(cells[GN_INK_CLASS + GN_CLASS_RUNQUEUE], 6);
	assert_int_equal(cells[GN_INK_CLASS + GN_CLASS_APP], 4);
	gn_cells_free(&g);
	gn_top_view_free(&v);
	free(t);
}

static void losses_are_loud(void **state)
{
	struct tm_period *t = tm_make();
	struct gn_cells g = {.utf8 = true, .colours = 256};
	struct gn_top_view v;

	(void)state;
	tm_lose(t);
	view_make(&v);
	assert_int_equal(gn_cells_resize(&g, 24, 80), 0);
	assert_int_equal(gn_top_draw(&t->p, &v, &g), 0);
	for (int col = 0; col < 80; col++)
		assert_int_equal(gn_cells_at(&g, 1, col)->ink, GN_INK_BAD);
	gn_cells_free(&g);
	gn_top_view_free(&v);
	free(t);
}

static void same_input_same_cells(void **state)
{
	struct tm_period *t = tm_make();
	struct gn_top_view v;
	char *a, *b;

	(void)state;
	view_make(&v);
	a = tm_draw(&t->p, &v, 24, 80, true, 256);
	b = tm_draw(&t->p, &v, 24, 80, true, 256);
	assert_string_equal(a, b);
	free(a);
	free(b);
	gn_top_view_free(&v);
	free(t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_size),
		cmocka_unit_test(every_table),
		cmocka_unit_test(managed_names),
		cmocka_unit_test(functions_own_classes),
		cmocka_unit_test(thread_page),
		cmocka_unit_test(no_number_is_cut),
		cmocka_unit_test(overlays),
		cmocka_unit_test(long_filter),
		cmocka_unit_test(bad_news),
		cmocka_unit_test(deep_tree),
		cmocka_unit_test(hostile_names),
		cmocka_unit_test(hostile_screen),
		cmocka_unit_test(numbers_are_the_models),
		cmocka_unit_test(bars_are_the_models),
		cmocka_unit_test(losses_are_loud),
		cmocka_unit_test(same_input_same_cells),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
