/* SPDX-License-Identifier: BSD-2-Clause */
#include "capture/outside.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <gnomon/path.h>
#include <gnomon/syscalls.h>
#include "process/parent.h"

#define TIDS	    (1u << 22) /* the kernel's PID_MAX_LIMIT */
#define WAKERS	    256	       /* threads that are counted; a power of two */
#define TOLD_MOST   3
#define LEFT_MOST   256	      /* threads; a process's first is its leader */
#define SHARE	    10	      /* reported from a tenth of the capture on */
#define LEAST_NS    20000000u /* and from this time on */
#define COMMAND_MAX 80
#define FORKS_MOST  8

struct waker {
	uint32_t id; /* a thread; for the report, a process. 0: free */
	uint32_t pid;
	bool forked; /* `pid` forked the thread's process */
	uint64_t waits, ns;
};

struct gn_outside {
	uint64_t first, last; /* times of records */
	struct waker waker[WAKERS];
	uint32_t left[LEFT_MOST]; /* threads that outlived the capture */
	size_t nleft;
	uint8_t traced[TIDS / 8]; /* a bit a thread */
};

struct gn_outside *gn_outside_new(void)
{
	return calloc(1, sizeof(struct gn_outside));
}

void gn_outside_free(struct gn_outside *o)
{
	free(o);
}

static void set_traced(struct gn_outside *o, uint32_t tid)
{
	if (tid < TIDS)
		o->traced[tid / 8] |= (uint8_t)(1u << tid % 8);
}

static bool is_traced(const struct gn_outside *o, uint32_t tid)
{
	return tid >= TIDS || o->traced[tid / 8] >> tid % 8 & 1;
}

/* Whether an answer ends the wait. Waits of a writer for a reader, and of
 * accept() for a client, do not count. */
static bool is_for_answer(const struct gn_rec_slice *s)
{
	static const uint16_t others[] = {
		GN_NR_write,  GN_NR_pwrite64, GN_NR_writev,  GN_NR_accept,
		GN_NR_sendto, GN_NR_sendmsg,  GN_NR_accept4, GN_NR_sendmmsg,
	};

	if (s->class != GN_CLASS_NET && s->class != GN_CLASS_IPC &&
	    s->class != GN_CLASS_POLL)
		return false;
	/* a timer or a signal is not an answer */
	if (GN_WAIT_END(s->detail) == GN_END_BY_TIMEOUT ||
	    GN_WAIT_END(s->detail) == GN_END_BY_SIGNAL ||
	    GN_WAIT_POLLED(s->detail) == GN_POLLED_TIMERFD)
		return false;
	for (size_t i = 0; i < sizeof(others) / sizeof(*others); i++)
		if (s->reason == others[i])
			return false;
	return true;
}

/* The process of a living thread. 0: it has ended, or is a kernel thread or the
 * machine's first process. */
static uint32_t process_of(uint32_t tid)
{
	uint32_t parent, pid = gn_process_and_parent(tid, &parent);

	return pid > 2 && parent != 2 ? pid : 0;
}

/* The process that counts for a child that it forked: a server can have one for
 * each client, which ends with the client's connection. */
static uint32_t server_of(const struct gn_outside *o, uint32_t pid)
{
	uint32_t above;

	for (int i = 0; i < FORKS_MOST; i++, pid = above) {
		above = gn_process_like_parent(pid);
		if (!above || is_traced(o, above) || gn_is_ancestor(above))
			break;
	}
	return pid;
}

/* The thread's process and server are looked up at its first wait: it can end
 * before the capture does. */
static void add_waker(const struct gn_outside *o, struct waker *w, uint32_t tid)
{
	uint32_t pid = process_of(tid);

	w->id = tid;
	w->pid = server_of(o, pid);
	w->forked = w->pid != pid;
}

/* The entry of `id`, or a free one; NULL: all are taken. */
static struct waker *place_of(struct waker *wakers, uint32_t id)
{
	for (uint32_t i = 0; i < WAKERS; i++) {
		struct waker *w = &wakers[(id + i) % WAKERS];

		if (!w->id || w->id == id)
			return w;
	}
	return NULL;
}

static void note_wait(struct gn_outside *o, const struct gn_rec_slice *s)
{
	struct waker *w;

	if (!s->waker || s->h.time < s->start || !is_for_answer(s) ||
	    is_traced(o, s->waker))
		return;
	w = place_of(o->waker, s->waker);
	if (!w)
		return;
	if (!w->id)
		add_waker(o, w, s->waker);
	w->waits++;
	w->ns += s->h.time - s->start;
}

void gn_outside_record(struct gn_outside *o, const struct gn_rec *rec)
{
	if (!o->first)
		o->first = rec->time;
	if (rec->time > o->last)
		o->last = rec->time;
	if (rec->kind == GN_KIND_SLICE)
		note_wait(o, (const void *)rec);
	else if (rec->kind == GN_KIND_THREAD || rec->kind == GN_KIND_EXEC)
		set_traced(o, rec->tid);
	else if (rec->kind == GN_KIND_STOP && o->nleft < LEFT_MOST)
		o->left[o->nleft++] = rec->tid;
}

/* Reads a file of the process's folder in /proc; returns its length. */
static size_t read_of(uint32_t pid, const char *name, char *text, size_t size)
{
	char path[64];
	size_t n = 0;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%" PRIu32 "/%s", pid, name);
	f = fopen(path, "re");
	if (f) {
		n = fread(text, 1, size - 1, f);
		fclose(f);
	}
	text[n] = '\0';
	return n;
}

/*
 * Writes the words of the process's command line without directories and
 * control characters. A title that a program sets is one text of several words
 * and can end in blanks. During an exec there is no command line: then uses its
 * name.
 */
static void command_of(uint32_t pid, char *out, size_t size)
{
	size_t n, len = 0;
	char text[4096];

	n = read_of(pid, "cmdline", text, sizeof(text));
	if (!n) {
		n = read_of(pid, "comm", text, sizeof(text));
		n -= n && text[n - 1] == '\n';
		text[n] = '\0';
	}
	for (size_t i = 0; i < n; i++)
		if (text[i] == ' ')
			text[i] = '\0';
	for (size_t at = 0; at < n && len + 1 < size;) {
		const char *word = text + at;

		at += strlen(word) + 1;
		if (!*word)
			continue;
		word = gn_base_name(word);
		if (len)
			out[len++] = ' ';
		for (; *word && len + 1 < size; word++)
			out[len++] = *word >= ' ' && *word <= '~' ? *word : '?';
	}
	out[len] = '\0';
}

static int by_time(const void *a, const void *b)
{
	const struct waker *x = a, *y = b;

	if (x->ns != y->ns)
		return x->ns > y->ns ? -1 : 1;
	return x->id < y->id ? -1 : x->id > y->id;
}

static size_t sum_processes(const struct gn_outside *o,
			    struct waker process[WAKERS])
{
	size_t n = 0;

	memset(process, 0, WAKERS * sizeof(*process));
	for (size_t i = 0; i < WAKERS; i++) {
		const struct waker *w = &o->waker[i];
		struct waker *p;

		/* gnomon's ancestors wake the command by a signal or by typed
		 * input, and do no work for it */
		if (!w->pid || w->pid == (uint32_t)getpid() ||
		    is_traced(o, w->pid) || gn_is_ancestor(w->pid))
			continue;
		p = place_of(process, w->pid);
		p->id = w->pid;
		p->forked |= w->forked;
		p->waits += w->waits;
		p->ns += w->ns;
	}
	qsort(process, WAKERS, sizeof(*process), by_time);
	while (n < WAKERS && process[n].id)
		n++;
	return n;
}

void gn_outside_tell(struct gn_outside *o,
		     void (*tell)(void *ctx, const char *line), void *ctx)
{
	uint64_t least = (o->last - o->first) / SHARE;
	struct waker process[WAKERS];
	size_t n = sum_processes(o, process), told = 0;

	if (least < LEAST_NS)
		least = LEAST_NS;
	for (size_t i = 0; i < n && told < TOLD_MOST; i++) {
		const struct waker *p = &process[i];
		const char *it = p->forked ? "them" : "it";
		char command[COMMAND_MAX], line[512];

		if (p->ns < least)
			break;
		command_of(p->id, command, sizeof(command));
		if (!*command)
			continue;
		snprintf(
			line, sizeof(line),
			"process %" PRIu32
			" (%s)%s not in the capture, and the command waited "
			"%.3f s for %s, %" PRIu64
			" time%s: what %s did in that time is not in the "
			"report; trace %s, too (-p %" PRIu32
			"), or, if the command starts its own where none runs, "
			"end %s first",
			p->id, command,
			p->forked ? " and what it forked are" : " is",
			(double)p->ns / 1e9, it, p->waits,
			p->waits == 1 ? "" : "s", p->forked ? "they" : "it", it,
			p->id, it);
		tell(ctx, line);
		told++;
	}
}

void gn_outside_tell_left(const struct gn_outside *o, bool attached,
			  void (*tell)(void *ctx, const char *line), void *ctx)
{
	for (size_t i = 0, told = 0; i < o->nleft && told < TOLD_MOST; i++) {
		uint32_t pid = o->left[i];
		char command[COMMAND_MAX], line[512];

		if (process_of(pid) != pid)
			continue;
		command_of(pid, command, sizeof(command));
		if (!*command)
			continue;
		snprintf(line, sizeof(line),
			 "%s ended, but process %" PRIu32
			 " (%s), which %s started, continues untraced; trace "
			 "it with -p %" PRIu32 "%s",
			 attached ? "the processes of -p have"
				  : "the command has",
			 pid, command, attached ? "that" : "it", pid,
			 attached ? ""
				  : ", or keep the command in the foreground");
		tell(ctx, line);
		told++;
	}
}
