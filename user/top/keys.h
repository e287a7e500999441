/* SPDX-License-Identifier: BSD-2-Clause */
/* The keys and their actions. Pure: no terminal. */
#ifndef GNOMON_TOP_KEYS_H
#define GNOMON_TOP_KEYS_H

#include <stdint.h>

#include "top/top.h"
#include "top/view.h"

/* A key is the code point of its character, or one of these. */
enum gn_key {
	GN_KEY_NONE = 0, /* no key, or an unknown one */
	GN_KEY_CTRL_C = 0x03,
	GN_KEY_BACKSPACE = 0x08,
	GN_KEY_TAB = 0x09,
	GN_KEY_CTRL_L = 0x0c,
	GN_KEY_ENTER = 0x0d,
	GN_KEY_CTRL_U = 0x15,
	GN_KEY_ESC = 0x1b,
	GN_KEY_UP = 0x110000, /* beyond all code points */
	GN_KEY_DOWN,
	GN_KEY_LEFT,
	GN_KEY_RIGHT,
	GN_KEY_PAGE_UP,
	GN_KEY_PAGE_DOWN,
	GN_KEY_HOME,
	GN_KEY_END,
	GN_KEY_DELETE,
	GN_KEY_F1, /* F1 to F12 follow each other */
	GN_KEY_F12 = GN_KEY_F1 + 11,
	GN_KEY_RESIZE, /* the terminal has another size */
	GN_KEY_HANGUP, /* the terminal is gone: no more keys will come */
	GN_KEY_LAST = GN_KEY_HANGUP,
};

/* What the caller must do after a key. All but NONE and QUIT: draw again. */
enum gn_top_action {
	GN_TOP_DO_NOTHING = 0,
	GN_TOP_DO_DRAW,
	GN_TOP_DO_REPAINT,  /* and clear the terminal first: gn_screen_redraw */
	GN_TOP_DO_PAUSE,    /* view->paused has changed */
	GN_TOP_DO_PERIOD,   /* view->period has changed */
	GN_TOP_DO_CLASSIFY, /* view->classify has changed */
	GN_TOP_DO_QUIT,
};

/*
 * `key` was pressed while `p` is on show (NULL: before the first period).
 * Returns an enum gn_top_action, or -ENOMEM.
 */
int gn_top_key(struct gn_top_view *v, int32_t key,
	       const struct gn_top_period *p);

#endif
