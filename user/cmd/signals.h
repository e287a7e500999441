/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Signals to gnomon during a capture. gnomon reads them from a descriptor, so
 * that a capture ends in an orderly way.
 *
 * INT, TERM, HUP and QUIT are meant for what gnomon runs. If there is a
 * command, the first one is passed on to it, unless the sender also sent it to
 * the command (a key of the terminal, a kill of a process group or a control
 * group). The capture goes on, to see the end of the command. A second signal
 * ends the capture at once. Without a command, and before it was started, the
 * first one does.
 */
#ifndef GNOMON_CMD_SIGNALS_H
#define GNOMON_CMD_SIGNALS_H

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>

#include "capture/session.h"

struct gn_signals {
	int fd; /* readable when a signal is pending; -1 = not open */
	bool quiet;
	bool interactive; /* a screen is open: a key of the terminal closes it,
			     which ends the capture at once */
	bool noted; /* gnomon has reported that it waits for the command */
	sigset_t before;
	int first, due; /* signals; `due` is still to be passed on */
	int last;
	unsigned int count; /* of signals; a repeated one counts once */
	uint64_t first_at, last_at, due_at;
	int end; /* the signal that ended the capture, 0 = none */
};

/* Begins to read signals. `resizes`: also SIGWINCH. From now on SIGPIPE does
 * not end gnomon. 0 or -errno. */
int gn_signals_open(struct gn_signals *s, bool resizes);

/* Handles the pending signals; call it often. Returns the signal that ends the
 * capture, or SIGWINCH; 0: continue. `session` may be NULL. */
int gn_signals_take(struct gn_signals *s, struct gn_session *session);

/* Call it after a screen was closed and before waiting for the command. The key
 * that closed the screen also sent its signal to the command: it is the
 * command's first signal. */
void gn_signals_screen_closed(struct gn_signals *s);

/* Restores the effects that signals had before. Call it when a signal that ends
 * gnomon would lose nothing. */
void gn_signals_close(struct gn_signals *s);

#endif
