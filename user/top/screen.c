// SPDX-License-Identifier: BSD-2-Clause
#define NCURSES_WIDECHAR 1
#include "top/screen.h"

#include <errno.h>
#include <fcntl.h>
#include <langinfo.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>
#include <wchar.h>

/* curses.h makes macros of common words: it comes last */
#include <curses.h>
#include <term.h>

#include "top/keys.h"
#include "top/screen_ink.h"

/* Milliseconds after Esc in which the rest of a function key arrives. */
#define ESC_DELAY 25
#define NO_KEYS	  "there is no terminal to read keys from"

struct gn_screen {
	SCREEN *curses;
	FILE *out, *in;
	bool utf8, redraw;
	unsigned colours;
	struct gn_cells shown; /* the cells painted last */
};

/* Opens the source of keys; negative: there is none. */
static int open_keys(void)
{
	if (isatty(STDIN_FILENO))
		return fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 3);
	return open("/dev/tty", O_RDWR | O_CLOEXEC | O_NOCTTY);
}

static int open_streams(struct gn_screen *s, const char **why)
{
	int fd = open_keys();

	*why = NO_KEYS;
	if (fd < 0)
		return -ENOTTY;
	s->in = fdopen(fd, "r");
	if (!s->in) {
		close(fd);
		return -ENOMEM;
	}
	*why = "the terminal cannot be written";
	fd = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3);
	s->out = fd < 0 ? NULL : fdopen(fd, "w");
	if (s->out)
		return 0;
	if (fd >= 0)
		close(fd);
	return fd < 0 ? -ENOTTY : -ENOMEM;
}

/* Whether a full-screen program can run on the terminal. Writes nothing. */
static int check_terminal(const char **why)
{
	const char *term = getenv("TERM");
	const char *move;
	int status = 0, err = 0;

	*why = "TERM is not set";
	if (!term || !*term)
		return -ENOTSUP;
	*why = "the terminal is a dumb one";
	if (!strcmp(term, "dumb"))
		return -ENOTSUP;
	*why = "the terminal's kind (TERM) is not known";
	if (setupterm(term, STDOUT_FILENO, &status) != OK)
		return -ENOTSUP;
	*why = "the terminal's cursor cannot be moved";
	move = tigetstr("cup");
	if (!move || move == (char *)-1)
		err = -ENOTSUP;
	del_curterm(cur_term);
	return err;
}

int gn_screen_check(const char **why)
{
	int fd;

	*why = "stdout is not a terminal";
	if (!isatty(STDOUT_FILENO))
		return -ENOTTY;
	*why = NO_KEYS;
	fd = open_keys();
	if (fd < 0)
		return -ENOTTY;
	close(fd);
	return check_terminal(why);
}

static void take_colours(struct gn_screen *s)
{
	const char *no = getenv("NO_COLOR");
	bool standard;

	s->colours = 0;
	if ((no && *no) || !has_colors() || start_color() != OK || COLORS < 8)
		return;
	standard = use_default_colors() == OK;
	if (gn_ink_pairs(COLORS, COLOR_PAIRS, standard))
		return;
	s->colours = (unsigned)COLORS;
}

int gn_screen_open(struct gn_screen **out, const char **why)
{
	struct gn_screen *s = calloc(1, sizeof(*s));
	int err;

	*out = NULL;
	*why = "there is no memory";
	if (!s)
		return -ENOMEM;
	err = gn_screen_check(why);
	if (!err)
		err = open_streams(s, why);
	if (err)
		goto fail;
	*why = "the terminal cannot be set up";
	s->curses = newterm(NULL, s->out, s->in);
	if (!s->curses) {
		err = -ENOTSUP;
		goto fail;
	}
	set_term(s->curses);
	s->utf8 = !strcmp(nl_langinfo(CODESET), "UTF-8");
	set_escdelay(ESC_DELAY);
	cbreak();
	noecho();
	nonl();
	intrflush(stdscr, FALSE);
	keypad(stdscr, TRUE);
	nodelay(stdscr, TRUE);
	leaveok(stdscr, FALSE);
	curs_set(0);
	take_colours(s);
	s->redraw = true;
	*out = s;
	return 0;
fail:
	gn_screen_close(s);
	return err;
}

void gn_screen_close(struct gn_screen *s)
{
	if (!s)
		return;
	if (s->curses) {
		curs_set(1);
		/* without a second screen this one stays, and what comes next
		 * is written where the keys were */
		move(LINES - 1, 0);
		clrtoeol();
		refresh();
		endwin();
		delscreen(s->curses);
	}
	if (s->out)
		fclose(s->out);
	if (s->in)
		fclose(s->in);
	gn_cells_free(&s->shown);
	free(s);
}

int gn_screen_fit(struct gn_screen *s, struct gn_cells *g)
{
	int rows = getmaxy(stdscr), cols = getmaxx(stdscr);

	/* a larger terminal stays blank beyond the limit */
	rows = rows < 1 ? 1 : rows > GN_CELLS_MAX ? GN_CELLS_MAX : rows;
	cols = cols < 1 ? 1 : cols > GN_CELLS_MAX ? GN_CELLS_MAX : cols;
	g->utf8 = s->utf8;
	g->colours = s->colours;
	return gn_cells_resize(g, rows, cols);
}

/* True when the C library, which ncurses asks, agrees on the width. */
static bool as_wide(const struct gn_cell *cell)
{
	for (int i = 0; i < GN_CELL_MARKS && cell->marks[i]; i++) {
		if (wcwidth((wchar_t)cell->marks[i]) != 0)
			return false;
	}
	return wcwidth((wchar_t)cell->c) == cell->width;
}

static void put(const struct gn_screen *s, const struct gn_cell *cell, int row,
		int col)
{
	wchar_t text[GN_CELL_MARKS + 2] = {(wchar_t)cell->c};
	struct gn_style style = gn_ink_style(cell, s->colours);
	cchar_t c;

	for (int i = 0; i < GN_CELL_MARKS; i++)
		text[i + 1] = (wchar_t)cell->marks[i];
	if (!as_wide(cell))
		wcscpy(text, L"?");
	if (setcchar(&c, text, style.attributes, style.pair, NULL) != OK)
		return;
	mvadd_wchnstr(row, col, &c, 1);
	/* the "?" in the place of a wide character is narrow */
	if (cell->width == 2 && text[0] == L'?' && cell->c != '?') {
		wcscpy(text, L" ");
		if (setcchar(&c, text, style.attributes, style.pair, NULL) ==
		    OK)
			mvadd_wchnstr(row, col + 1, &c, 1);
	}
}

static bool same(const struct gn_cell *a, const struct gn_cell *b)
{
	return a->c == b->c && a->ink == b->ink && a->width == b->width &&
	       a->selected == b->selected &&
	       !memcmp(a->marks, b->marks, sizeof(a->marks));
}

int gn_screen_paint(struct gn_screen *s, const struct gn_cells *g)
{
	bool all = s->redraw || g->rows != s->shown.rows ||
		   g->cols != s->shown.cols;

	if (all && gn_cells_resize(&s->shown, g->rows, g->cols))
		return -ENOMEM;
	if (all)
		erase();
	if (s->redraw)
		clearok(stdscr, TRUE);
	s->redraw = false;
	for (int row = 0; row < g->rows; row++) {
		for (int col = 0; col < g->cols; col++) {
			const struct gn_cell *cell = gn_cells_at(g, row, col);
			struct gn_cell *old = gn_cells_at(&s->shown, row, col);

			if (!all && same(cell, old))
				continue;
			*old = *cell;
			if (cell->c)
				put(s, cell, row, col);
		}
	}
	curs_set(g->cursor_row >= 0);
	if (g->cursor_row >= 0)
		move(g->cursor_row, g->cursor_col);
	refresh();
	return 0;
}

void gn_screen_redraw(struct gn_screen *s)
{
	s->redraw = true;
}

void gn_screen_resized(struct gn_screen *s)
{
	struct winsize size;

	if (!ioctl(fileno(s->out), TIOCGWINSZ, &size) && size.ws_row &&
	    size.ws_col)
		resizeterm(size.ws_row, size.ws_col);
	s->redraw = true;
}

int gn_screen_fd(const struct gn_screen *s)
{
	return fileno(s->in);
}

/* No key was read: tells "none yet" from "no more". */
static int32_t no_key(const struct gn_screen *s)
{
	struct pollfd p = {.fd = fileno(s->in), .events = POLLIN};
	int waiting = 0;

	if (poll(&p, 1, 0) <= 0)
		return GN_KEY_NONE;
	if (p.revents & (POLLERR | POLLHUP | POLLNVAL))
		return GN_KEY_HANGUP;
	if (p.revents & POLLIN && !ioctl(p.fd, FIONREAD, &waiting) && !waiting)
		return GN_KEY_HANGUP;
	return GN_KEY_NONE;
}

static int32_t special_key(wint_t key)
{
	static const struct {
		int curses;
		int32_t ours;
	} keys[] = {
		{KEY_UP, GN_KEY_UP},	     {KEY_DOWN, GN_KEY_DOWN},
		{KEY_LEFT, GN_KEY_LEFT},     {KEY_RIGHT, GN_KEY_RIGHT},
		{KEY_PPAGE, GN_KEY_PAGE_UP}, {KEY_NPAGE, GN_KEY_PAGE_DOWN},
		{KEY_HOME, GN_KEY_HOME},     {KEY_END, GN_KEY_END},
		{KEY_FIND, GN_KEY_HOME},     {KEY_SELECT, GN_KEY_END},
		{KEY_DC, GN_KEY_DELETE},     {KEY_BACKSPACE, GN_KEY_BACKSPACE},
		{KEY_ENTER, GN_KEY_ENTER},   {KEY_RESIZE, GN_KEY_RESIZE},
		{KEY_CANCEL, GN_KEY_ESC},
	};

	for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++) {
		if (key == (wint_t)keys[i].curses)
			return keys[i].ours;
	}
	if (key >= (wint_t)KEY_F(1) && key <= (wint_t)KEY_F(12))
		return GN_KEY_F1 + (int32_t)(key - (wint_t)KEY_F(1));
	return -1;
}

int32_t gn_screen_key(struct gn_screen *s)
{
	for (;;) {
		wint_t key = 0;
		int kind = get_wch(&key);
		int32_t special;

		if (kind == ERR)
			return no_key(s);
		if (kind != KEY_CODE_YES && key)
			return (int32_t)key;
		special = kind == KEY_CODE_YES ? special_key(key) : -1;
		if (special == GN_KEY_RESIZE)
			s->redraw = true;
		/* ignored; more keys may follow */
		if (special >= 0)
			return special;
	}
}
