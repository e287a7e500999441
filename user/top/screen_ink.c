// SPDX-License-Identifier: BSD-2-Clause
#define NCURSES_WIDECHAR 1
#include "top/screen_ink.h"

#include <errno.h>

#include <curses.h>

/* The colour pair of an ink; that of a selected row comes last. Curses uses
 * 0. */
#define PAIR(ink)     ((short)((ink) + 1))
#define PAIR_SELECTED PAIR(GN_INK_COUNT)

#define OWN -1 /* the terminal's own colour */

/* The colours for a terminal with 8 colours, and with 256 of the usual palette;
 * the attributes with colours, and without. */
struct look {
	short front, back;
	short front256, back256;
	unsigned with, without;
};

static const struct look looks[GN_INK_COUNT] = {
	[GN_INK_PLAIN] = {OWN, OWN, OWN, OWN, A_NORMAL, A_NORMAL},
	[GN_INK_DIM] = {OWN, OWN, 245, OWN, A_DIM, A_NORMAL},
	[GN_INK_STRONG] = {COLOR_CYAN, OWN, 81, OWN, A_NORMAL, A_BOLD},
	[GN_INK_HEAD] = {COLOR_BLACK, COLOR_GREEN, 16, 71, A_NORMAL, A_REVERSE},
	[GN_INK_SORTED] = {COLOR_BLACK, COLOR_CYAN, 16, 80, A_NORMAL,
			   A_REVERSE | A_BOLD},
	[GN_INK_LABEL] = {COLOR_BLACK, COLOR_CYAN, 16, 80, A_NORMAL, A_REVERSE},
	[GN_INK_GOOD] = {COLOR_GREEN, OWN, 77, OWN, A_NORMAL, A_NORMAL},
	[GN_INK_WARN] = {COLOR_YELLOW, OWN, 220, OWN, A_BOLD, A_BOLD},
	[GN_INK_BAD] = {COLOR_WHITE, COLOR_RED, 231, 160, A_BOLD,
			A_REVERSE | A_BOLD},
};

static const struct {
	short front, front256;
	unsigned with;
} classes[GN_CLASS_COUNT] = {
#define CLASS(name, value, text, brief, letter, group, where, front, front256, \
	      with, help)                                                      \
	[GN_CLASS_##name] = {COLOR_##front, front256, A_##with},
	GN_CLASS_LIST(CLASS)
#undef CLASS
};

static struct look look_of(int ink)
{
	struct look look;

	if (ink < GN_INK_CLASS)
		return looks[ink];
	look.front = classes[ink - GN_INK_CLASS].front;
	look.front256 = classes[ink - GN_INK_CLASS].front256;
	look.back = look.back256 = OWN;
	look.with = classes[ink - GN_INK_CLASS].with;
	look.without = A_NORMAL;
	return look;
}

static int make_pair(short pair, short front, short back, bool standard)
{
	if (!standard && front == OWN)
		front = COLOR_WHITE;
	if (!standard && back == OWN)
		back = COLOR_BLACK;
	return init_pair(pair, front, back) == OK ? 0 : -ENOTSUP;
}

int gn_ink_pairs(int colours, int pairs, bool standard)
{
	bool many = colours >= 256;

	if (pairs <= PAIR_SELECTED)
		return -ENOTSUP;
	for (int ink = 0; ink < GN_INK_COUNT; ink++) {
		struct look look = look_of(ink);

		if (make_pair(PAIR(ink), many ? look.front256 : look.front,
			      many ? look.back256 : look.back, standard))
			return -ENOTSUP;
	}
	return make_pair(PAIR_SELECTED, many ? 16 : COLOR_BLACK,
			 many ? 152 : COLOR_WHITE, standard);
}

struct gn_style gn_ink_style(const struct gn_cell *cell, unsigned colours)
{
	struct look look = look_of(cell->ink);
	struct gn_style style = {0, 0};

	if (!colours) {
		style.attributes = look.without;
		if (cell->selected)
			style.attributes ^= A_REVERSE;
		return style;
	}
	style.pair = PAIR(cell->ink);
	style.attributes = look.with;
	/* with 256 colours the shade shows it */
	if (colours >= 256)
		style.attributes &= ~(unsigned)(A_BOLD | A_DIM);
	/* important texts and bars keep their colours */
	if (cell->selected && cell->ink < GN_INK_GOOD) {
		style.pair = PAIR_SELECTED;
		style.attributes = A_NORMAL;
	} else if (cell->selected && cell->c == ' ') {
		style.pair = PAIR_SELECTED;
	}
	return style;
}
