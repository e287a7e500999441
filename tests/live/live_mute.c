/* SPDX-License-Identifier: BSD-2-Clause */
/* A capture that mutes a function while the command runs. */
#include "live_mute.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <bpf/libbpf.h>

#include "capture/clock.h"

#define N PRIu64

/* `name` is a glob that may only have a * at its end. */
static bool names(const char *name, const char *text, size_t len)
{
	size_t n = strcspn(name, "*");

	return len >= n && !memcmp(name, text, n) && (len == n || name[n]);
}

static void take_name(struct capture *c, const struct gn_rec_text *r)
{
	struct seen *both[] = {&c->muted, &c->other};

	for (size_t i = 0; i < 2; i++) {
		if (!both[i]->name || !names(both[i]->name, r->text, r->len[0]))
			continue;
		both[i]->func = r->id;
		both[i]->pid = r->h.kind == GN_KIND_NAME ? r->ref : 0;
	}
}

static void time_other(struct capture *c, const struct gn_rec_func *r)
{
	uint64_t *fastest;
	size_t i;

	for (i = 0; i < OPEN_MAX; i++)
		if (c->open[i].tid == r->h.tid || !c->open[i].tid)
			break;
	if (i == OPEN_MAX)
		return;
	c->open[i].tid = r->h.tid;
	if (r->h.kind == GN_KIND_ENTER) {
		c->open[i].time = r->h.time;
		return;
	}
	/* calls during the muting count neither as before nor as after */
	if (c->asked && !c->mute_time && r->h.time > c->asked)
		return;
	/* ignores calls that began before the last late record */
	if (c->mute_time && c->open[i].time < c->muted.last)
		return;
	fastest = &c->fastest[c->mute_time ? 1 : 0];
	if (!*fastest || r->h.time - c->open[i].time < *fastest)
		*fastest = r->h.time - c->open[i].time;
}

static void take_call(struct capture *c, const struct gn_rec_func *r)
{
	struct seen *s = r->func == c->muted.func   ? &c->muted
			 : r->func == c->other.func ? &c->other
						    : NULL;

	if (!s || !r->func)
		return;
	if (r->h.kind == GN_KIND_ENTER)
		s->enters++;
	else
		s->leaves++;
	if (!s->first)
		s->first = r->h.time;
	s->last = r->h.time;
	if (s == &c->other)
		time_other(c, r);
}

static int take(void *ctx, const struct gn_rec *rec, size_t size)
{
	const struct gn_rec_count *count = (const void *)rec;
	struct capture *c = ctx;

	(void)size;
	switch (rec->kind) {
	case GN_KIND_NAME:
	case GN_KIND_FUNCTION:
		take_name(c, (const struct gn_rec_text *)rec);
		break;
	case GN_KIND_ENTER:
	case GN_KIND_LEAVE:
	case GN_KIND_TAILCALL:
	case GN_KIND_UNWIND_END:
		take_call(c, (const struct gn_rec_func *)rec);
		break;
	case GN_KIND_MUTE:
		c->mutes++;
		c->mute_time = rec->time;
		CHECK(c->t,
		      ((const struct gn_rec_mute *)rec)->func ==
				      c->muted.func &&
			      ((const struct gn_rec_mute *)rec)->pid ==
				      c->muted.pid,
		      "another function is told as muted");
		break;
	case GN_KIND_COUNT:
		if (count->id == GN_COUNTER_RING_FULL ||
		    count->id == GN_COUNTER_NO_STORAGE ||
		    count->id == GN_COUNTER_MISSED)
			c->lost += count->count;
		break;
	default:
		break;
	}
	return 0;
}

static int no_print(enum libbpf_print_level level, const char *format,
		    va_list ap)
{
	(void)level, (void)format, (void)ap;
	return 0;
}

void capture_init(struct live *t, struct capture *c, char *const *command)
{
	memset(c, 0, sizeof(*c));
	c->t = t;
	c->opts.command = command;
	c->opts.can_mute = true;
	c->opts.follow = true;
	c->opts.sink = take;
	c->opts.sink_ctx = c;
	CHECK(t, !gn_user_find(&c->opts.user, NULL), "the user cannot be told");
	c->opts.user.other = false;
	libbpf_set_print(no_print);
}

void capture_functions(struct capture *c, const char *m, const char *o,
		       char *globs[2])
{
	c->muted.name = globs[0] = live_text(c->t, "%s", m);
	c->other.name = globs[1] = live_text(c->t, "%s", o);
	c->opts.functions = (const char *const *)globs;
	c->opts.nfunctions = 2;
}

static void must(struct capture *c, const char *what, int err)
{
	CHECK(c->t, err >= 0, "%s: %s: %s", what, strerror(-err),
	      c->session ? gn_session_error(c->session) : "");
}

void capture_start(struct capture *c, const char *out_path)
{
	int out = open(out_path, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
	int own = dup(STDOUT_FILENO);

	CHECK(c->t, out >= 0 && own >= 0, "%s: %s", out_path, strerror(errno));
	must(c, "new", gn_session_new(&c->opts, &c->session));
	must(c, "prepare", gn_session_prepare(c->session));
	must(c, "load", gn_session_load(c->session));
	/* the attach forks the command */
	CHECK(c->t, dup2(out, STDOUT_FILENO) == STDOUT_FILENO, "dup2");
	must(c, "attach", gn_session_attach(c->session));
	must(c, "start", gn_session_start(c->session));
	CHECK(c->t, dup2(own, STDOUT_FILENO) == STDOUT_FILENO, "dup2");
	close(own);
	close(out);
}

bool capture_until_hot(struct capture *c)
{
	int more = 1;

	while (more > 0 && (c->muted.enters + c->muted.leaves < MUTE_AFTER ||
			    c->other.leaves < c->others))
		must(c, "poll", more = gn_session_poll(c->session, -1, 5));
	return more;
}

int capture_mute(struct capture *c)
{
	c->asked = gn_now_ns();
	return gn_session_mute(c->session, c->muted.func, c->muted.pid);
}

int capture_finish(struct capture *c)
{
	int status = 0, more = 1;

	while (more > 0)
		must(c, "poll", more = gn_session_poll(c->session, -1, 5));
	must(c, "stop", gn_session_stop(c->session));
	while (!gn_session_ended(c->session, &status))
		poll(NULL, 0, 1);
	return status;
}

void mute_command(struct live *t, struct live_args *a, const char *command)
{
	const char *dotnet = getenv("DOTNET");

	if (strncmp(command, "demo.dll ", 9)) {
		live_command(t, a, command);
	} else {
		if (!dotnet || !*dotnet)
			live_skip(t, "no .NET SDK; install one and configure "
				     "again");
		live_add(t, a, dotnet, live_fixture(t, "../dotnet/demo.dll"),
			 NULL);
		live_split(t, a, command + 9);
	}
	live_add(t, a, "--counts-only", NULL);
}

static void set_modes(struct capture *c, const char *attach, const char *leave)
{
	c->opts.attach = !strcmp(attach, "session")  ? GN_ATTACH_SESSION
			 : !strcmp(attach, "multi")  ? GN_ATTACH_MULTI
			 : !strcmp(attach, "single") ? GN_ATTACH_SINGLE
						     : GN_ATTACH_AUTO;
	c->opts.leave = !strcmp(leave, "return") ? GN_LEAVE_RETURN
			: !strcmp(leave, "ret")	 ? GN_LEAVE_RET
						 : GN_LEAVE_AUTO;
	if (c->opts.attach != GN_ATTACH_AUTO && gn_attach_try(c->opts.attach))
		live_skip(c->t, "this kernel has no such links");
}

/* The fastest call of the other function without gnomon, if the program prints
 * it. Otherwise 0: probes take so long that it does not matter. */
static uint64_t fastest_bare(struct capture *c, const struct live_args *command)
{
	const char *line, *word = live_text(c->t, "fastest %s ", c->other.name);
	struct live_args bare = *command;
	struct live_end end;

	bare.word[--bare.n] = NULL; /* --counts-only */
	live_run(c->t, &bare, NULL, &end);
	line = strstr(end.out, word);
	return line ? strtoull(line + strlen(word), NULL, 10) : 0;
}

/* Muting removes nearly all of the cost of probes, and most of the cost of
 * hooks without traps: those are still called. */
static void check_faster(struct capture *c, uint64_t bare)
{
	uint64_t before = c->fastest[0], after = c->fastest[1];
	uint64_t share = bare ? 2 : 4;

	CHECK(c->t,
	      after && before > bare &&
		      (after < bare || (after - bare) * share < before - bare),
	      "calls of %s take %" N " ns before and %" N " ns after; without "
	      "gnomon %" N " ns",
	      c->other.name, before, after, bare);
}

static void check_records(struct capture *c)
{
	struct live *t = c->t;

	CHECK(t, c->mutes == 1, "%u MUTE records", c->mutes);
	CHECK(t, !c->lost, "%" N " records lost", c->lost);
	CHECK(t, c->muted.first < c->mute_time, "muted before it was seen");
	CHECK(t,
	      c->muted.last < c->mute_time ||
		      c->muted.last - c->mute_time < MUTE_LATE_NS,
	      "records of %s come %" N " ns after its muting", c->muted.name,
	      c->muted.last - c->mute_time);
	CHECK(t, c->other.last > c->mute_time && c->other.last > c->muted.last,
	      "%s is not seen after the muting of %s", c->other.name,
	      c->muted.name);
	CHECK(t, c->other.enters == c->other.leaves,
	      "%s: %" N " enters, %" N " leaves", c->other.name,
	      c->other.enters, c->other.leaves);
}

/* "calls NAME N" of the other function, if the program prints it */
static void check_calls(struct capture *c, const char *out)
{
	const char *line =
		strstr(out, live_text(c->t, "calls %s ", c->other.name));
	const char *end = line ? strchr(line, '\n') : NULL;

	while (end && *end != ' ')
		end--;
	CHECK(c->t, !end || strtoull(end, NULL, 10) == c->other.enters,
	      "%s: %" N " calls recorded, it told of %s", c->other.name,
	      c->other.enters, end);
}

void live_run_row(struct live *t, const struct live_row *row)
{
	struct live_args command = {.n = 0}, words = {.n = 0};
	char *out = live_path(t, "traced"), *globs[2], *text;
	struct live_end plain;
	struct capture c;
	int status;

	mute_command(t, &command, row->command);
	live_split(t, &words, row->options);
	live_run(t, &command, NULL, &plain);
	capture_init(t, &c, command.word);
	set_modes(&c, words.word[0], words.word[1]);
	capture_functions(&c, words.word[2], words.word[3], globs);
	c.others = words.n > 4 ? 4 : 0;
	capture_start(&c, out);
	CHECK(t, capture_until_hot(&c), "%s has made %" N " records only",
	      c.muted.name, c.muted.enters + c.muted.leaves);
	if (GN_FUNC_RUNTIME(c.muted.func) == GN_RUNTIME_CLR)
		CHECK(t,
		      gn_session_mute(c.session, c.muted.func, INT32_MAX) ==
				      -ESRCH &&
			      gn_session_mute(c.session, c.muted.func,
					      (uint32_t)getpid()) == -ENOENT,
		      "muted in no process, or in one without the library");
	CHECK(t, !(status = capture_mute(&c)), "mute: %s", strerror(-status));
	CHECK(t, capture_mute(&c) == -EALREADY, "muted twice");
	status = capture_finish(&c);
	gn_session_free(c.session);
	text = live_read(t, out, NULL);
	CHECK(t, status == plain.code, "ended with %d, without gnomon with %d",
	      status, plain.code);
	CHECK(t, !strcmp(text, plain.out),
	      "the program's output is another: %s instead of %s", text,
	      plain.out);
	check_records(&c);
	if (words.n > 4)
		check_faster(&c, fastest_bare(&c, &command));
	check_calls(&c, text);
}
