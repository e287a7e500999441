/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Signals to gnomon while it captures: they are read, not taken, so that a
 * capture ends whole.
 *
 * INT, TERM, HUP and QUIT are meant for what gnomon does. With a command that
 * is the command: the first one is passed on to it, unless it was sent to the
 * command too (by a terminal's key, a process group's or a control group's
 * kill), and the capture goes on, so that the end of the command is seen. A
 * second one ends the capture at once. Without a command, and before it was
 * started, the first one does.
 */
#ifndef GNOMON_CMD_SIGNALS_H
#define GNOMON_CMD_SIGNALS_H

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>

#include "capture/session.h"

struct gn_signals {
	int fd; /* readable if there is a signal; -1 = not open */
	bool quiet;
	bool interactive; /* a screen is open: keys of the terminal close it,
			     which ends the capture at once */
	bool noted; /* whether it was reported that gnomon waits for the command
		     */
	sigset_t before;
	int first, due; /* signals; `due` is to be passed on */
	int last;
	unsigned int count; /* of those that are not the same again */
	uint64_t first_at, last_at, due_at;
	int end; /* the one that ended the capture, 0 = none */
};

/* Begins to read signals; `resizes`: SIGWINCH, too. From now on SIGPIPE does
 * not end gnomon. 0 or -errno. */
int gn_signals_open(struct gn_signals *s, bool resizes);

/* Handles the pending signals; call it often. Returns the signal that ends the
 * capture, or SIGWINCH; 0: go on. `session` may be NULL. */
int gn_signals_take(struct gn_signals *s, struct gn_session *session);

/* Call it when a screen was closed, before the command is waited for. The key
 * that closed it is the command's first signal: the terminal sent it there,
 * too. */
void gn_signals_screen_closed(struct gn_signals *s);

/* Restores the effects that signals had before. Call it when nothing would be
 * lost if a signal ended gnomon. */
void gn_signals_close(struct gn_signals *s);

#endif
