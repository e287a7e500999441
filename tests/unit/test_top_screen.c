/* SPDX-License-Identifier: BSD-2-Clause */
/* A real terminal, on a pseudo terminal: a child has the screen, the test is
 * the other side. */
#include <stdarg.h>
#include <setjmp.h>
#include <stdint.h>
#include <errno.h>
#include <fcntl.h>
#include <locale.h>
#include <poll.h>
#include <pty.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <termios.h>
#include <utmp.h>
#include <unistd.h>
#include <cmocka.h>

#include "top/draw.h"
#include "top/keys.h"
#include "top/screen.h"
#include "top_model.h"

/* How long the other side may take on a busy machine. */
#define PATIENCE_MS 20000

/* Exit statuses of the child. */
enum { FINE = 0, NO_TTY = 10, NO_SUPPORT = 11, NO_MEMORY = 12, GONE = 13 };

struct pty {
	int master, slave;
	pid_t child;
	struct termios before;
	char *text; /* everything that was written */
	size_t len;
};

/* The loop of `gnomon top`, with a single period. */
static int run_screen(void)
{
	struct tm_period *t = tm_make();
	struct gn_cells g = {0};
	struct gn_screen *s = NULL;
	struct gn_top_view v;
	const char *why = "";
	int action = GN_TOP_DO_DRAW, err;

	err = gn_screen_open(&s, &why);
	if (err) {
		printf("why: %s\n", why);
		fflush(stdout);
		free(t);
		return err == -ENOTTY	 ? NO_TTY
		       : err == -ENOTSUP ? NO_SUPPORT
					 : NO_MEMORY;
	}
	gn_top_view_init(&v, 1000000000, GN_CLASSIFY_EXACT);
	while (!err && action != GN_TOP_DO_QUIT) {
		struct pollfd p = {.fd = gn_screen_fd(s), .events = POLLIN};
		int32_t key;

		if (action == GN_TOP_DO_REPAINT)
			gn_screen_redraw(s);
		err = gn_screen_fit(s, &g);
		if (!err)
			err = gn_top_draw(&t->p, &v, &g);
		if (!err)
			err = gn_screen_paint(s, &g);
		if (err || (poll(&p, 1, PATIENCE_MS) < 0 && errno != EINTR))
			break;
		while ((key = gn_screen_key(s)) != GN_KEY_NONE &&
		       action != GN_TOP_DO_QUIT) {
			err = key == GN_KEY_HANGUP ? -EIO : 0;
			action = gn_top_key(&v, key, &t->p);
		}
	}
	gn_top_view_free(&v);
	gn_cells_free(&g);
	gn_screen_close(s);
	free(t);
	return err ? GONE : FINE;
}

static void start(struct pty *p, const char *term, const char *locale,
		  const char *no_color, int rows, int cols)
{
	struct winsize size = {.ws_row = (unsigned short)rows,
			       .ws_col = (unsigned short)cols};

	memset(p, 0, sizeof(*p));
	assert_int_equal(openpty(&p->master, &p->slave, NULL, NULL, &size), 0);
	assert_int_equal(tcgetattr(p->slave, &p->before), 0);
	fflush(NULL);
	p->child = fork();
	assert_true(p->child >= 0);
	if (p->child)
		return;
	close(p->master);
	login_tty(p->slave);
	signal(SIGHUP, SIG_IGN); /* the screen itself must notice the end */
	setenv("LC_ALL", locale, 1);
	setlocale(LC_ALL, "");
	unsetenv("LINES");
	unsetenv("COLUMNS");
	unsetenv("NO_COLOR");
	if (no_color)
		setenv("NO_COLOR", no_color, 1);
	if (term)
		setenv("TERM", term, 1);
	else
		unsetenv("TERM");
	/* not exit(): the child must not run the test program's clean-up */
	_exit(run_screen());
}

static bool has(const struct pty *p, const char *text)
{
	return p->len && memmem(p->text, p->len, text, strlen(text));
}

/* Reads the child's output until it contains `text`, or until the child
 * ends. */
static bool wait_for(struct pty *p, const char *text)
{
	char buf[4096];
	ssize_t n;

	while (!text || !has(p, text)) {
		struct pollfd in = {.fd = p->master, .events = POLLIN};

		if (poll(&in, 1, PATIENCE_MS) <= 0)
			fail_msg("no '%s' came", text ? text : "end");
		n = read(p->master, buf, sizeof(buf));
		if (n <= 0)
			return false;
		p->text = realloc(p->text, p->len + (size_t)n);
		assert_non_null(p->text);
		memcpy(p->text + p->len, buf, (size_t)n);
		p->len += (size_t)n;
	}
	return true;
}

static void forget(struct pty *p)
{
	p->len = 0;
}

static void send_keys(struct pty *p, const char *keys)
{
	assert_int_equal(write(p->master, keys, strlen(keys)), strlen(keys));
}

/* Checks the child's exit status, and that the terminal is as before. */
static void finish(struct pty *p, int wanted)
{
	struct termios after;
	int status;

	assert_int_equal(tcgetattr(p->slave, &after), 0);
	close(p->slave);
	wait_for(p, NULL);
	assert_int_equal(waitpid(p->child, &status, 0), p->child);
	assert_true(WIFEXITED(status));
	assert_int_equal(WEXITSTATUS(status), wanted);
	free(p->text);
	close(p->master);
}

/* Waits until the child has restored the terminal. */
static void check_restored(struct pty *p)
{
	struct termios now;

	assert_true(wait_for(p, "\033[?1049l"));
	for (int i = 0; i < PATIENCE_MS / 10; i++) {
		assert_int_equal(tcgetattr(p->slave, &now), 0);
		if (now.c_lflag == p->before.c_lflag &&
		    now.c_iflag == p->before.c_iflag &&
		    now.c_oflag == p->before.c_oflag)
			return;
		poll(NULL, 0, 10);
	}
	fail_msg("the terminal is not as it was");
}

static void draws_and_restores(void **state)
{
	struct termios now;
	struct pty p;

	(void)state;
	start(&p, "xterm-256color", "C.UTF-8", NULL, 24, 80);
	assert_true(wait_for(&p, "Exact"));
	assert_true(has(&p, "\033[?1049h"));
	assert_true(has(&p, "\033[?25l"));    /* no cursor */
	assert_true(has(&p, "\xe2\x96\x88")); /* bars are blocks */
	assert_true(has(&p, "38;5;"));	      /* one of 256 colours */
	assert_true(has(&p, "App.Work.Add"));
	assert_int_equal(tcgetattr(p.slave, &now), 0);
	assert_false(now.c_lflag & (ECHO | ICANON));
	send_keys(&p, "q");
	check_restored(&p);
	assert_true(has(&p, "\033[?25h") || has(&p, "\033[?12l\033[?25h"));
	finish(&p, FINE);
}

/* Only changes are written: a key that changes little writes little. */
static void writes_only_changes(void **state)
{
	struct pty p;

	(void)state;
	start(&p, "xterm-256color", "C.UTF-8", NULL, 24, 80);
	assert_true(wait_for(&p, "Exact"));
	forget(&p);
	send_keys(&p, "p");
	assert_true(wait_for(&p, "PAUSED"));
	assert_true(wait_for(&p, "Go on"));
	assert_true(p.len < 600);
	send_keys(&p, "\014"); /* everything again */
	assert_true(wait_for(&p, "runqueue"));
	send_keys(&p, "q");
	check_restored(&p);
	finish(&p, FINE);
}

static void keys_arrive(void **state)
{
	struct pty p;

	(void)state;
	start(&p, "xterm-256color", "C.UTF-8", NULL, 24, 80);
	assert_true(wait_for(&p, "Exact"));
	send_keys(&p, "\033OB\r"); /* Down, Enter: the second thread */
	assert_true(wait_for(&p, "TID 4201"));
	assert_true(wait_for(&p, "Last GC and JIT events"));
	forget(&p);
	send_keys(&p, "\033"); /* nothing follows: it is Esc itself */
	assert_true(wait_for(&p, "call tree"));
	send_keys(&p, "\033OP"); /* F1 */
	assert_true(wait_for(&p, "keys and columns"));
	forget(&p);
	send_keys(&p, "q/\xe6\x97\xa5");
	assert_true(wait_for(&p, "Filter: "));
	assert_true(wait_for(&p, "Nothing matches"));
	assert_true(wait_for(&p, "\xe6\x97\xa5"));
	send_keys(&p, "\033");
	assert_true(wait_for(&p, "1-6 of 6"));
	send_keys(&p, "\033[6~\033[5~\033[1~\033[4~q"); /* pages, ends */
	check_restored(&p);
	finish(&p, FINE);
}

static void resizes(void **state)
{
	static const struct winsize sizes[] = {
		{.ws_row = 40, .ws_col = 120}, {.ws_row = 1, .ws_col = 1},
		{.ws_row = 2, .ws_col = 300},  {.ws_row = 10, .ws_col = 40},
		{.ws_row = 24, .ws_col = 80},
	};
	struct pty p;

	(void)state;
	start(&p, "xterm-256color", "C.UTF-8", NULL, 24, 80);
	assert_true(wait_for(&p, "Exact"));
	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++)
		assert_int_equal(ioctl(p.master, TIOCSWINSZ, &sizes[i]), 0);
	forget(&p);
	send_keys(&p, "tt");
	assert_true(wait_for(&p, "libdisk.so"));
	/* only the wide one */
	assert_int_equal(ioctl(p.master, TIOCSWINSZ, &sizes[0]), 0);
	forget(&p);
	send_keys(&p, "tt");
	assert_true(wait_for(&p, "MOST TIME IN"));
	assert_int_equal(ioctl(p.master, TIOCSWINSZ, &sizes[1]), 0);
	send_keys(&p, "tttq");
	check_restored(&p);
	finish(&p, FINE);
}

static void tiny_terminal(void **state)
{
	struct pty p;

	(void)state;
	start(&p, "xterm", "C.UTF-8", NULL, 1, 1);
	send_keys(&p, "t?q");
	send_keys(&p, "\033OB\rqs\rq");
	check_restored(&p);
	finish(&p, FINE);
}

/* A sequence that sets a colour: ESC [ .. m with 30 to 38, 40 to 48, 90 to 107.
 */
static bool has_colour(const struct pty *p)
{
	for (size_t i = 0; i + 2 < p->len; i++) {
		size_t at = i + 2, number = 0;
		bool colour = false;

		if (p->text[i] != '\033' || p->text[i + 1] != '[')
			continue;
		for (; at < p->len &&
		       (p->text[at] == ';' ||
			(p->text[at] >= '0' && p->text[at] <= '9'));
		     at++) {
			number = p->text[at] == ';'
					 ? 0
					 : number * 10 +
						   (size_t)(p->text[at] - '0');
			colour |= (number >= 30 && number <= 38) ||
				  (number >= 40 && number <= 48) ||
				  (number >= 90 && number <= 107);
		}
		if (colour && at < p->len && p->text[at] == 'm')
			return true;
	}
	return false;
}

static void plain_terminals(void **state)
{
	struct pty p;

	(void)state;
	/* no colours, but attributes are allowed */
	start(&p, "xterm-256color", "C.UTF-8", "1", 24, 80);
	assert_true(wait_for(&p, "Exact"));
	assert_false(has_colour(&p));
	assert_false(has(&p, "\xe2\x96\x88"));
	assert_true(has(&p, "aaaaa"));
	send_keys(&p, "q");
	check_restored(&p);
	finish(&p, FINE);
	/* an empty NO_COLOR counts as unset */
	start(&p, "xterm", "C.UTF-8", "", 24, 80);
	assert_true(wait_for(&p, "Exact"));
	assert_true(has_colour(&p));
	send_keys(&p, "q");
	check_restored(&p);
	finish(&p, FINE);
	/* no UTF-8 */
	start(&p, "xterm", "C", NULL, 24, 80);
	assert_true(wait_for(&p, "Exact"));
	for (size_t i = 0; i < p.len; i++)
		assert_true((unsigned char)p.text[i] < 0x80);
	send_keys(&p, "q");
	check_restored(&p);
	finish(&p, FINE);
}

static void vt100(void **state)
{
	struct pty p;

	(void)state;
	start(&p, "vt100", "C", NULL, 24, 80);
	assert_true(wait_for(&p, "Exact"));
	forget(&p);
	send_keys(&p, "q");
	/* the keys' line does not stay behind what is written then */
	assert_true(wait_for(&p, "\033[J"));
	finish(&p, FINE);
}

static void terminals_that_cannot(void **state)
{
	static const struct {
		const char *term, *why;
	} terms[] = {
		{NULL, "TERM is not set"},
		{"", "TERM is not set"},
		{"dumb", "a dumb one"},
		{"no-such-terminal", "is not known"},
	};
	struct pty p;

	(void)state;
	for (size_t i = 0; i < sizeof(terms) / sizeof(terms[0]); i++) {
		start(&p, terms[i].term, "C.UTF-8", NULL, 24, 80);
		assert_true(wait_for(&p, terms[i].why));
		assert_false(has(&p, "\033"));
		finish(&p, NO_SUPPORT);
	}
}

static void no_terminal(void **state)
{
	int out[2], status;
	pid_t child;

	(void)state;
	assert_int_equal(pipe(out), 0);
	fflush(NULL);
	child = fork();
	assert_true(child >= 0);
	if (!child) {
		dup2(out[1], STDOUT_FILENO);
		setenv("TERM", "xterm", 1);
		_exit(run_screen());
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_true(WIFEXITED(status));
	assert_int_equal(WEXITSTATUS(status), NO_TTY);
	close(out[0]);
	close(out[1]);
}

/* The other side is closed: the screen ends instead of asking forever. */
static void hang_up(void **state)
{
	struct pty p;
	int status;

	(void)state;
	start(&p, "xterm", "C.UTF-8", NULL, 24, 80);
	assert_true(wait_for(&p, "Exact"));
	close(p.slave);
	close(p.master);
	assert_int_equal(waitpid(p.child, &status, 0), p.child);
	assert_true(WIFEXITED(status));
	assert_int_equal(WEXITSTATUS(status), GONE);
	free(p.text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(draws_and_restores),
		cmocka_unit_test(writes_only_changes),
		cmocka_unit_test(keys_arrive),
		cmocka_unit_test(resizes),
		cmocka_unit_test(tiny_terminal),
		cmocka_unit_test(plain_terminals),
		cmocka_unit_test(vt100),
		cmocka_unit_test(terminals_that_cannot),
		cmocka_unit_test(no_terminal),
		cmocka_unit_test(hang_up),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
