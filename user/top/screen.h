/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The terminal: paints cells and reads keys, by ncursesw. One screen at a time
 * in a process, as ncurses has it.
 *
 * While it is open ncurses handles SIGTSTP (and SIGINT, SIGTERM and SIGWINCH
 * where the process has no handlers of its own). A caller that reads those by a
 * signalfd keeps them blocked, and closes the screen before it ends: nothing
 * else gives the terminal back.
 */
#ifndef GNOMON_TOP_SCREEN_H
#define GNOMON_TOP_SCREEN_H

#include <stdint.h>

#include "top/cells.h"

struct gn_screen;

/* Whether gnomon can have a screen, as gn_screen_open() would say; takes
 * nothing. */
int gn_screen_check(const char **why);

/*
 * Takes the terminal that stdout is. Keys come from stdin where that is a
 * terminal, else from /dev/tty. setlocale(LC_CTYPE, "") must have been called.
 * 0, -ENOTTY: there is no terminal, -ENOTSUP: it cannot be drawn on, -ENOMEM.
 * On failure *why says so in a few words ("TERM is not set") and nothing was
 * written: plain rows can be.
 */
int gn_screen_open(struct gn_screen **out, const char **why);

/* Gives the terminal back as it was. NULL is none. */
void gn_screen_close(struct gn_screen *s);

/* Makes `g` as large as the terminal, and says in it whether UTF-8 and how many
 * colours the terminal shows; 0 colours where NO_COLOR is set. 0, -ENOMEM. */
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
