/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The terminal: paints cells and reads keys, with ncursesw. A process has one
 * screen at a time, because ncurses allows no more.
 *
 * While it is open, ncurses handles SIGTSTP (and SIGINT, SIGTERM and SIGWINCH
 * if the process has no handlers of its own). A caller that reads those from a
 * signalfd keeps them blocked, and closes the screen before it ends: nothing
 * else restores the terminal.
 */
#ifndef GNOMON_TOP_SCREEN_H
#define GNOMON_TOP_SCREEN_H

#include <stdint.h>

#include "top/cells.h"

struct gn_screen;

/* Whether gn_screen_open() would succeed, and why not; opens nothing. */
int gn_screen_check(const char **why);

/*
 * Opens the terminal on stdout. Keys come from stdin if that is a terminal,
 * else from /dev/tty. Call setlocale(LC_CTYPE, "") first. 0, -ENOTTY: there is
 * no terminal, -ENOTSUP: it cannot be drawn on, -ENOMEM. On failure *why gives
 * the reason in a few words ("TERM is not set"), and nothing was written, so
 * plain rows can follow.
 */
int gn_screen_open(struct gn_screen **out, const char **why);

/* Restores the terminal. NULL is fine. */
void gn_screen_close(struct gn_screen *s);

/* Makes `g` as large as the terminal, and sets its utf8 and colours; 0 colours
 * if NO_COLOR is set. 0, -ENOMEM. */
int gn_screen_fit(struct gn_screen *s, struct gn_cells *g);

/* Shows the cells. Unchanged ones are not written again. 0 or -ENOMEM. */
int gn_screen_paint(struct gn_screen *s, const struct gn_cells *g);

/* The next painting clears the terminal first (Ctrl-L). */
void gn_screen_redraw(struct gn_screen *s);

/* Takes the terminal's new size, after a SIGWINCH. Then fit, draw and paint. */
void gn_screen_resized(struct gn_screen *s);

/* The file descriptor to poll for keys (POLLIN). It is the screen's. */
int gn_screen_fd(const struct gn_screen *s);

/*
 * The next key: the code point of a character, or an enum gn_key (top/keys.h).
 * GN_KEY_NONE: no more for now; call it until then after each poll.
 * GN_KEY_RESIZE: ncurses saw a SIGWINCH, and has taken the size. GN_KEY_HANGUP:
 * the terminal is gone.
 */
int32_t gn_screen_key(struct gn_screen *s);

#endif
