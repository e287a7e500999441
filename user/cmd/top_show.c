// SPDX-License-Identifier: BSD-2-Clause
#include "cmd/top_show.h"

#include <errno.h>
#include <inttypes.h>
#include <langinfo.h>
#include <limits.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cmd/outfile.h"
#include "cmd/top_output.h"
#include "output/text.h"
#include "top/draw.h"
#include "top/keys.h"
#include "top/lines.h"
#include "top/prom.h"
#include "top/screen.h"

struct gn_top_show {
	struct gn_top_show_opts opts;
	struct gn_live_show live;
	struct gn_live_run *owner;
	struct gn_textfile rows;
	bool wrote; /* rows were written */
	struct gn_top_prom *prom;
	struct gn_top_output command; /* its output while there is a screen */
	const char *no_screen;	      /* the reason; NULL: not known */
	struct gn_screen *screen;
	struct gn_cells cells;
	struct gn_top_view view;
	struct gn_top_period shown; /* model NULL: none yet */
	bool failed; /* a file could not be written, and that was reported */
};

static void ignore_pipe(struct sigaction *before)
{
	struct sigaction ignore = {.sa_handler = SIG_IGN};

	sigemptyset(&ignore.sa_mask);
	sigaction(SIGPIPE, &ignore, before);
}

/*
 * If a reader stops reading, gnomon and its probes must still be able to end.
 * Signals do not interrupt a write, so no write may wait. Errors as
 * gn_live_writable().
 */
static int put_all(struct gn_top_show *s, const char *text, size_t size)
{
	int fd = fileno(s->rows.f);

	while (size) {
		int came = gn_live_writable(s->owner, fd);
		ssize_t n;

		if (came)
			return came;
		/* a pipe that is ready has room for PIPE_BUF bytes */
		n = write(fd, text, size < PIPE_BUF ? size : PIPE_BUF);
		if (n < 0 && errno != EINTR && errno != EAGAIN)
			return -errno;
		if (n > 0) {
			s->wrote = true;
			text += n;
			size -= (size_t)n;
		}
	}
	return 0;
}

static int print_rows(struct gn_top_show *s, const struct gn_top_period *p)
{
	struct gn_top_batch_opts rows = {
		.sort = s->opts.sort,
		.limit = s->opts.limit,
		.utf8 = !strcmp(nl_langinfo(CODESET), "UTF-8"),
	};
	struct gn_top_lines_opts lines = {.limit = s->opts.limit};
	struct sigaction before;
	struct gn_text_stream stream;
	FILE *f = gn_text_stream_open(&stream);
	char *text;
	int err;

	if (!f)
		return -ENOMEM;
	err = s->opts.format == GN_TOP_LINES ? gn_top_lines(p, &lines, f)
					     : gn_top_batch(p, &rows, f);
	text = gn_text_stream_close(&stream);
	if (!text && !err)
		err = -ENOMEM;
	ignore_pipe(&before);
	if (!err)
		err = put_all(s, text, stream.size);
	sigaction(SIGPIPE, &before, NULL);
	free(text);
	return err;
}

/* 1: stop, because nobody reads the rows or they cannot be written. */
static int write_rows(struct gn_top_show *s, const struct gn_top_period *p)
{
	const char *where = s->opts.output ? s->opts.output : "stdout";
	int err = print_rows(s, p);

	if (!err || err == -EPIPE)
		return err != 0; /* its reader stopped reading */
	if (err == -EINTR || err == -ETIMEDOUT)
		gn_error("nobody reads %s; period %" PRIu64 " is incomplete",
			 where, p->number);
	else
		gn_textfile_refused(where, err, "-o");
	s->failed = true;
	return 1;
}

static int write_prom(struct gn_top_show *s, const struct gn_top_period *p)
{
	struct gn_textfile out;
	int err;

	if (!s->prom)
		return 0;
	gn_top_prom_add(s->prom, p);
	err = gn_textfile_open(&out, s->opts.prom);
	if (!err) {
		err = gn_top_prom_write(s->prom, out.f);
		if (err)
			gn_textfile_abort(&out);
		else
			err = gn_textfile_commit(&out);
	}
	if (!err)
		return 0;
	gn_textfile_refused(s->opts.prom, err, "--prom");
	s->failed = true;
	return 1;
}

static const struct gn_top_period *shown(const struct gn_top_show *s)
{
	return s->shown.m ? &s->shown : NULL;
}

static int paint(struct gn_top_show *s)
{
	int err = gn_screen_fit(s->screen, &s->cells);

	if (!err)
		err = gn_top_draw(shown(s), &s->view, &s->cells);
	return err ? err : gn_screen_paint(s->screen, &s->cells);
}

static int show_period(void *ctx, const struct gn_top_period *p)
{
	struct gn_top_show *s = ctx;
	int err = write_prom(s, p);

	if (err)
		return err;
	if (!s->screen)
		return write_rows(s, p);
	if (s->view.paused)
		return 0;
	s->shown = *p;
	return paint(s);
}

/* The command's output is kept while there is a screen, and printed later. */
static void idle(void *ctx)
{
	struct gn_top_show *s = ctx;

	if (!s->screen)
		gn_top_output_print_some(&s->command, stdout);
	gn_top_output_bound(&s->command);
}

/* 1: the user quits. */
static int take_key(struct gn_top_show *s, int32_t key)
{
	int action;

	if (key == GN_KEY_HANGUP)
		return 1;
	action = gn_top_key(&s->view, key, shown(s));
	if (action < 0)
		return action;
	switch ((enum gn_top_action)action) {
	case GN_TOP_DO_NOTHING:
		return 0;
	case GN_TOP_DO_QUIT:
		return 1;
	case GN_TOP_DO_REPAINT:
		gn_screen_redraw(s->screen);
		break;
	case GN_TOP_DO_PAUSE:
		gn_live_pause(s->owner, s->view.paused);
		if (!s->view.paused && gn_live_last(s->owner)->m)
			s->shown = *gn_live_last(s->owner);
		break;
	case GN_TOP_DO_PERIOD:
		gn_live_set_period(s->owner, s->view.period);
		break;
	case GN_TOP_DO_CLASSIFY:
		gn_live_set_classify(s->owner, s->view.classify);
		break;
	case GN_TOP_DO_DRAW:
		break;
	}
	return paint(s);
}

static int take_input(void *ctx)
{
	struct gn_top_show *s = ctx;
	int32_t key;
	int done = 0;

	while (!done && (key = gn_screen_key(s->screen)) != GN_KEY_NONE)
		done = take_key(s, key);
	return done;
}

static int resized(void *ctx)
{
	struct gn_top_show *s = ctx;

	if (!s->screen)
		return 0;
	gn_screen_resized(s->screen);
	return paint(s);
}

static int screen_fd(void *ctx)
{
	struct gn_top_show *s = ctx;

	return s->screen ? gn_screen_fd(s->screen) : -1;
}

/* Tracing has begun: opens the screen, or prints rows instead. */
static int open_screen(void *ctx, struct gn_live_run *owner)
{
	struct gn_top_show *s = ctx;
	const char *why = s->no_screen;
	int err = -ENOTSUP;

	s->owner = owner;
	if (s->opts.batch)
		return 0;
	if (!why)
		err = gn_screen_open(&s->screen, &why);
	if (err == -ENOTTY || err == -ENOTSUP) {
		gn_error("the screen cannot be used: %s; gnomon prints rows, "
			 "as with --batch",
			 why);
		s->live.stays = false;
		return 0;
	}
	return err ? err : paint(s);
}

/* Checks that the file can be written before anything runs. */
static int open_prom(struct gn_top_show *s)
{
	struct gn_textfile out;
	struct stat st;
	int err;

	if (!s->opts.prom)
		return 0;
	/* each period would have to wait for a reader */
	if (!stat(s->opts.prom, &st) && S_ISFIFO(st.st_mode))
		return -EPERM;
	s->prom = gn_top_prom_new();
	if (!s->prom)
		return -ENOMEM;
	err = gn_textfile_open(&out, s->opts.prom);
	if (!err)
		gn_textfile_abort(&out);
	return err;
}

static int open_files(struct gn_top_show *s)
{
	const char *path = s->opts.output;
	/* it grows while gnomon runs, so it must be a new file */
	int err = gn_textfile_create(&s->rows, path);

	if (err)
		return gn_textfile_refused(path, err, "-o");
	err = open_prom(s);
	if (err)
		return gn_textfile_refused(s->opts.prom, err, "--prom");
	/* if there is no screen, the command keeps the terminal */
	if (s->opts.batch || s->no_screen || !s->opts.command)
		return GN_EXIT_OK;
	err = gn_top_output_open(&s->command, s->opts.user);
	if (err) {
		gn_error("no file for what the command prints can be made in "
			 "$TMPDIR or /tmp (%s); use --batch",
			 strerror(-err));
		return GN_EXIT_FAILED;
	}
	return GN_EXIT_OK;
}

int gn_top_show_new(const struct gn_top_show_opts *opts,
		    struct gn_top_show **out)
{
	struct gn_top_show *s = calloc(1, sizeof(*s));
	const char *why;
	int status;

	*out = s;
	if (!s) {
		gn_error("no memory; free some");
		return GN_EXIT_FAILED;
	}
	s->opts = *opts;
	if (!opts->batch && gn_screen_check(&why))
		s->no_screen = why;
	gn_top_view_init(&s->view, opts->period, opts->classify);
	s->live = (struct gn_live_show){.open = open_screen,
					.period = show_period,
					.fd = screen_fd,
					.input = take_input,
					.resized = resized,
					.stays = !opts->batch,
					.ctx = s};
	status = open_files(s);
	if (s->command.fd > 0)
		s->live.idle = idle;
	return status;
}

const struct gn_live_show *gn_top_show_live(const struct gn_top_show *s)
{
	return &s->live;
}

int gn_top_show_command_out(const struct gn_top_show *s)
{
	return s->command.fd;
}

bool gn_top_show_failed(const struct gn_top_show *s)
{
	return s->failed;
}

static void say_dropped(struct gn_top_show *s)
{
	if (s->command.dropped)
		gn_error("%" PRIu64 " bytes of what the command printed were "
			 "not kept; use --batch",
			 s->command.dropped);
	s->command.dropped = 0;
}

bool gn_top_show_close(struct gn_top_show *s)
{
	bool open = s->screen != NULL;

	gn_screen_close(s->screen);
	s->screen = NULL;
	say_dropped(s);
	return open;
}

void gn_top_show_output(struct gn_top_show *s)
{
	struct sigaction before;

	say_dropped(s);
	ignore_pipe(&before);
	gn_top_output_print(&s->command, stdout);
	sigaction(SIGPIPE, &before, NULL);
}

void gn_top_show_free(struct gn_top_show *s)
{
	if (!s)
		return;
	gn_top_show_close(s);
	/* the file must be new: a leftover would make the next try fail */
	if (!s->wrote)
		gn_outfile_remove(&s->rows.file);
	gn_textfile_abort(&s->rows);
	gn_top_output_close(&s->command);
	gn_top_prom_free(s->prom);
	gn_top_view_free(&s->view);
	gn_cells_free(&s->cells);
	free(s);
}
