/* SPDX-License-Identifier: BSD-2-Clause */
/* How `top` shows periods: on the screen, as rows or as JSON lines; also in a
 * file for Prometheus. */
#ifndef GNOMON_CMD_TOP_SHOW_H
#define GNOMON_CMD_TOP_SHOW_H

#include "cmd/live.h"
#include "top/batch.h"

enum gn_top_format {
	GN_TOP_ROWS = 0,
	GN_TOP_LINES,
};

struct gn_top_show_opts {
	bool batch;
	enum gn_top_format format;
	const char *sort;
	uint64_t limit;	    /* 0 = all */
	const char *output; /* NULL = stdout */
	const char *prom;   /* NULL = none */
	bool command;	    /* there is a command, whose output needs a place */
	const struct gn_user *user; /* the user that the command runs as */
	uint64_t period;
	enum gn_classify classify;
};

struct gn_top_show;

/*
 * Opens the files. The screen opens only when tracing runs, so that earlier
 * messages can be read. If there is no screen, reports that and prints rows
 * instead. Returns GN_EXIT_OK, or an exit status after it has reported the
 * error.
 */
int gn_top_show_new(const struct gn_top_show_opts *opts,
		    struct gn_top_show **out);

const struct gn_live_show *gn_top_show_live(const struct gn_top_show *s);

/* The descriptor for the command's output while there is a screen; 0 =
 * unchanged. */
int gn_top_show_command_out(const struct gn_top_show *s);

/* Whether a file could not be written. If so, that was reported, and nothing
 * more is shown. */
bool gn_top_show_failed(const struct gn_top_show *s);

/* Closes the screen: from now on `idle` of gn_top_show_live() prints the
 * command's output. True: there was a screen. */
bool gn_top_show_close(struct gn_top_show *s);

/* Prints the rest of the command's output, if it was kept. */
void gn_top_show_output(struct gn_top_show *s);

void gn_top_show_free(struct gn_top_show *s);

#endif
