// SPDX-License-Identifier: BSD-2-Clause
#include "top/keys.h"

#include <errno.h>
#include <string.h>

#include <gnomon/utf8.h>

#include "output/text.h"
#include "top/cells.h"
#include "top/view_columns.h"
#include "top/view_rows.h"
#include "top/view_thread.h"

#define MS 1000000ULL

#define IS_F(key, n) ((key) == GN_KEY_F1 + (n)-1)

/* The new place in a list of n after an arrow or page key. False: it is
 * another key. */
static bool move(int32_t key, size_t *at, size_t n, size_t page)
{
	size_t last = n ? n - 1 : 0;

	if (!page)
		page = 1;
	switch (key) {
	case GN_KEY_UP:
		*at -= *at > 0;
		break;
	case GN_KEY_DOWN:
		*at += *at < last;
		break;
	case GN_KEY_PAGE_UP:
		*at -= *at < page ? *at : page;
		break;
	case GN_KEY_PAGE_DOWN:
		*at = last - *at < page ? last : *at + page;
		break;
	case GN_KEY_HOME:
		*at = 0;
		break;
	case GN_KEY_END:
		*at = last;
		break;
	default:
		return false;
	}
	return true;
}

/* Follows the selected row; after Home, stays at the top. */
static bool move_selection(struct gn_top_view *v, int32_t key)
{
	struct gn_top_list *l = &v->list[v->mode];

	if (!move(key, &l->selected, v->nrows, v->page))
		return false;
	l->follow = key != GN_KEY_HOME && v->nrows;
	if (v->nrows)
		l->id = v->rows[l->selected].id;
	return true;
}

static int change_period(struct gn_top_view *v, bool longer)
{
	static const uint64_t steps[] = {
		100 * MS,  200 * MS,   500 * MS,   1000 * MS,  2000 * MS,
		5000 * MS, 10000 * MS, 30000 * MS, 60000 * MS,
	};
	const size_t n = sizeof(steps) / sizeof(steps[0]);

	for (size_t i = 0; i < n; i++) {
		uint64_t step = steps[longer ? i : n - 1 - i];

		if (longer ? step > v->period : step < v->period) {
			v->period = step;
			return GN_TOP_DO_PERIOD;
		}
	}
	return GN_TOP_DO_NOTHING;
}

static int open_chooser(struct gn_top_view *v)
{
	struct gn_top_columns c;

	gn_top_sort_columns(v->mode, &c);
	v->chosen = 0;
	for (int i = 0; i < c.n; i++) {
		if (c.column[i] == v->list[v->mode].sort)
			v->chosen = i;
	}
	v->focus = GN_TOP_ON_CHOOSER;
	return GN_TOP_DO_DRAW;
}

static int in_chooser(struct gn_top_view *v, int32_t key)
{
	struct gn_top_list *l = &v->list[v->mode];
	size_t at = (size_t)v->chosen;
	struct gn_top_columns c;

	gn_top_sort_columns(v->mode, &c);
	if (move(key, &at, (size_t)c.n, v->page)) {
		v->chosen = (int)at;
		return GN_TOP_DO_DRAW;
	}
	switch (key) {
	case 'I':
		l->inverted = !l->inverted;
		v->stale = true;
		return GN_TOP_DO_DRAW;
	case GN_KEY_ENTER:
		if (l->sort != c.column[v->chosen])
			l->inverted = false;
		l->sort = c.column[v->chosen];
		v->stale = true;
		break;
	case GN_KEY_ESC:
	case GN_KEY_BACKSPACE:
	case GN_KEY_LEFT:
	case 'q':
	case 's':
		break;
	default:
		return GN_TOP_DO_NOTHING;
	}
	v->focus = GN_TOP_ON_TABLE;
	return GN_TOP_DO_DRAW;
}

/* Bytes of the character before or after the cursor of the filter. */
static size_t before_cursor(const struct gn_top_view *v)
{
	size_t n = 0;

	while (n < v->cursor) {
		n++;
		if ((v->filter[v->cursor - n] & 0xc0) != 0x80)
			break;
	}
	return n;
}

static size_t behind_cursor(const struct gn_top_view *v)
{
	size_t n = 0;

	if (v->filter[v->cursor])
		gn_utf8_next(v->filter + v->cursor, &n);
	return n;
}

static void filter_delete(struct gn_top_view *v, size_t n)
{
	char *at = v->filter + v->cursor;

	memmove(at, at + n, strlen(at + n) + 1);
	v->stale = true;
}

static int filter_insert(struct gn_top_view *v, int32_t c)
{
	char *at = v->filter + v->cursor, bytes[4];
	size_t n;

	if (c < ' ' || c > 0x10ffff || (c >= 0xd800 && c <= 0xdfff) ||
	    !gn_printable(c))
		return GN_TOP_DO_NOTHING;
	n = gn_utf8_encode((uint32_t)c, bytes);
	if (strlen(v->filter) + n >= GN_TOP_FILTER)
		return GN_TOP_DO_NOTHING;
	memmove(at + n, at, strlen(at) + 1);
	memcpy(at, bytes, n);
	v->cursor += n;
	v->stale = true;
	return GN_TOP_DO_DRAW;
}

static void filter_clear(struct gn_top_view *v)
{
	v->filter[0] = '\0';
	v->cursor = 0;
	v->stale = true;
}

static int in_filter(struct gn_top_view *v, int32_t key)
{
	size_t n;

	switch (key) {
	case GN_KEY_ESC:
		filter_clear(v);
		v->focus = GN_TOP_ON_TABLE;
		return GN_TOP_DO_DRAW;
	case GN_KEY_ENTER:
		v->focus = GN_TOP_ON_TABLE;
		return GN_TOP_DO_DRAW;
	case GN_KEY_CTRL_U:
		filter_clear(v);
		return GN_TOP_DO_DRAW;
	case GN_KEY_LEFT:
		v->cursor -= before_cursor(v);
		return GN_TOP_DO_DRAW;
	case GN_KEY_RIGHT:
		v->cursor += behind_cursor(v);
		return GN_TOP_DO_DRAW;
	case GN_KEY_HOME:
		v->cursor = 0;
		return GN_TOP_DO_DRAW;
	case GN_KEY_END:
		v->cursor = strlen(v->filter);
		return GN_TOP_DO_DRAW;
	case GN_KEY_BACKSPACE:
		n = before_cursor(v);
		v->cursor -= n;
		filter_delete(v, n);
		return GN_TOP_DO_DRAW;
	case GN_KEY_DELETE:
		filter_delete(v, behind_cursor(v));
		return GN_TOP_DO_DRAW;
	default:
		break;
	}
	return move_selection(v, key) ? GN_TOP_DO_DRAW : filter_insert(v, key);
}

static int in_help(struct gn_top_view *v, int32_t key)
{
	/* drawing corrects a place beyond the end */
	if (move(key, &v->help_scroll, 1000, v->page))
		return GN_TOP_DO_DRAW;
	if (key != GN_KEY_ESC && key != GN_KEY_ENTER && key != 'q' &&
	    key != '?' && key != 'h' && key != GN_KEY_BACKSPACE &&
	    key != GN_KEY_LEFT && !IS_F(key, 1) && !IS_F(key, 10))
		return GN_TOP_DO_NOTHING;
	v->focus = v->before_help;
	return GN_TOP_DO_DRAW;
}

/* Keys that mean the same wherever no text is typed. */
static int everywhere(struct gn_top_view *v, int32_t key)
{
	switch (key) {
	case 'p':
	case ' ':
		v->paused = !v->paused;
		return GN_TOP_DO_PAUSE;
	case '+':
	case '=':
		return change_period(v, true);
	case '-':
		return change_period(v, false);
	case 'c':
		v->classify = v->classify == GN_CLASSIFY_EXACT
				      ? GN_CLASSIFY_INTERVAL
				      : GN_CLASSIFY_EXACT;
		return GN_TOP_DO_CLASSIFY;
	case '?':
	case 'h':
	case GN_KEY_F1:
		v->before_help = v->focus;
		v->focus = GN_TOP_ON_HELP;
		v->help_scroll = 0;
		return GN_TOP_DO_DRAW;
	default:
		return GN_TOP_DO_NOTHING;
	}
}

static int on_thread(struct gn_top_view *v, int32_t key)
{
	size_t rows = gn_top_part_rows(v->open, v->part);
	size_t page = v->part_page[v->part];
	size_t *at = &v->part_scroll[v->part];

	/* a page is scrolled: there is no row to select */
	if (move(key, at, rows > page ? rows - page + 1 : 1, page))
		return GN_TOP_DO_DRAW;
	switch (key) {
	case GN_KEY_TAB:
	case GN_KEY_RIGHT:
		v->part = (enum gn_top_part)((v->part + 1) % GN_TOP_PARTS);
		return GN_TOP_DO_DRAW;
	case 'q':
	case GN_KEY_ESC:
	case GN_KEY_BACKSPACE:
	case GN_KEY_LEFT:
		gn_top_thread_close(v);
		v->focus = GN_TOP_ON_TABLE;
		return GN_TOP_DO_DRAW;
	default:
		return everywhere(v, key);
	}
}

/* A node of the tree: Right opens, Left closes or goes to its caller. */
static int on_node(struct gn_top_view *v, int32_t key)
{
	struct gn_top_list *l = &v->list[v->mode];
	const struct gn_top_row *row;

	if (l->selected >= v->nrows)
		return GN_TOP_DO_NOTHING;
	row = &v->rows[l->selected];
	l->follow = true;
	l->id = row->id;
	/* with a filter all nodes that match are shown */
	if (key == GN_KEY_LEFT && (!row->open || v->filter[0])) {
		size_t at = l->selected;

		while (at > 0 && v->rows[at].depth >= row->depth)
			at--;
		if (v->rows[at].depth < row->depth)
			l->selected = at;
		l->id = v->rows[l->selected].id;
		return GN_TOP_DO_DRAW;
	}
	if (row->parent && !v->filter[0])
		gn_top_toggle(v, row, !row->open && key != GN_KEY_LEFT);
	return GN_TOP_DO_DRAW;
}

static int open_selected(struct gn_top_view *v, const struct gn_top_period *p)
{
	const struct gn_top_list *l = &v->list[v->mode];
	int err;

	if (v->mode == GN_TOP_TREE)
		return on_node(v, ' ');
	if (v->mode != GN_TOP_THREADS || l->selected >= v->nrows || !p || !p->m)
		return GN_TOP_DO_NOTHING;
	err = gn_top_thread_open(v, p,
				 &p->m->threads[v->rows[l->selected].index]);
	return err ? err : GN_TOP_DO_DRAW;
}

static int next_mode(struct gn_top_view *v)
{
	v->mode = (enum gn_top_mode)((v->mode + 1) % GN_TOP_MODES);
	v->nrows = 0;
	v->stale = true;
	return GN_TOP_DO_DRAW;
}

static int on_table(struct gn_top_view *v, int32_t key,
		    const struct gn_top_period *p)
{
	if (v->mode == GN_TOP_TREE &&
	    (key == GN_KEY_LEFT || key == ' ' ||
	     (key == GN_KEY_RIGHT && v->list[v->mode].selected < v->nrows &&
	      !v->rows[v->list[v->mode].selected].open)))
		return on_node(v, key);
	if (move_selection(v, key))
		return GN_TOP_DO_DRAW;
	switch (key) {
	case GN_KEY_ENTER:
		return open_selected(v, p);
	case 't':
	case GN_KEY_F1 + 4:
		return next_mode(v);
	case 's':
	case '<':
	case '>':
	case GN_KEY_F1 + 5:
		return open_chooser(v);
	case 'I':
		v->list[v->mode].inverted = !v->list[v->mode].inverted;
		v->stale = true;
		return GN_TOP_DO_DRAW;
	case '/':
	case GN_KEY_F1 + 3:
		v->cursor = strlen(v->filter);
		v->focus = GN_TOP_ON_FILTER;
		return GN_TOP_DO_DRAW;
	case GN_KEY_ESC:
		if (!v->filter[0])
			return GN_TOP_DO_NOTHING;
		filter_clear(v);
		return GN_TOP_DO_DRAW;
	case 'q':
	case GN_KEY_F1 + 9:
		return GN_TOP_DO_QUIT;
	default:
		return everywhere(v, key);
	}
}

static int dispatch(struct gn_top_view *v, int32_t key,
		    const struct gn_top_period *p)
{
	switch (v->focus) {
	case GN_TOP_ON_THREAD:
		return on_thread(v, key);
	case GN_TOP_ON_CHOOSER:
		return in_chooser(v, key);
	case GN_TOP_ON_FILTER:
		return in_filter(v, key);
	case GN_TOP_ON_HELP:
		return in_help(v, key);
	default:
		return on_table(v, key, p);
	}
}

int gn_top_key(struct gn_top_view *v, int32_t key,
	       const struct gn_top_period *p)
{
	int err = gn_top_view_update(v, p);

	if (err)
		return err;
	if (key == '\n')
		key = GN_KEY_ENTER;
	else if (key == 0x7f)
		key = GN_KEY_BACKSPACE;
	switch (key) {
	case GN_KEY_CTRL_C:
	case GN_KEY_HANGUP:
		return GN_TOP_DO_QUIT;
	case GN_KEY_CTRL_L:
		return GN_TOP_DO_REPAINT;
	case GN_KEY_RESIZE:
		return GN_TOP_DO_DRAW;
	default:
		return dispatch(v, key, p);
	}
}
