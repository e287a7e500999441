/* SPDX-License-Identifier: BSD-2-Clause */
/* The list of what the thread of later.c has to do, and for which processes. */
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <gnomon/grow.h>
#include "capture/clock.h"
#include "capture/drain.h"
#include "capture/later_parts.h"
#include "process/ended.h"

/* Time between two looks whether threads outlive their leader. */
#define END_AGAIN_NS 100000000u
/* How long to wait for the stream. */
#define CAUGHT_UP_MOST_NS 1000000000u

struct gn_later_process *gn_later_find(struct gn_later *l, pid_t pid)
{
	for (size_t i = 0; i < l->nprocesses; i++)
		if (l->process[i].pid == pid)
			return &l->process[i];
	return NULL;
}

int gn_later_add(struct gn_later *l, pid_t pid, size_t linked)
{
	int err;

	if (gn_later_find(l, pid))
		return 0;
	err = gn_grow_by_one(&l->process, &l->processes_room, l->nprocesses,
			     sizeof(*l->process));
	if (err)
		return err;
	l->process[l->nprocesses++] =
		(struct gn_later_process){.pid = pid, .linked = linked};
	return 1;
}

static void remove_process(struct gn_later *l, struct gn_later_process *p)
{
	*p = l->process[--l->nprocesses];
}

size_t gn_later_take_groups(struct gn_later *l, pid_t pid, size_t all)
{
	struct gn_later_process *p;
	size_t from = SIZE_MAX;

	pthread_mutex_lock(&l->lock);
	p = gn_later_find(l, pid);
	if (p) {
		from = p->linked;
		p->linked = all;
	}
	pthread_mutex_unlock(&l->lock);
	return from;
}

bool gn_later_traced(void *later, pid_t pid)
{
	struct gn_later *l = later;
	bool is;

	pthread_mutex_lock(&l->lock);
	is = gn_later_find(l, pid);
	pthread_mutex_unlock(&l->lock);
	return is;
}

/* The traced process that had the number at that time and has ended since. */
static struct gn_later_ended *find_ended(struct gn_later *l, pid_t pid,
					 uint64_t at)
{
	struct gn_later_ended *first = NULL;

	for (size_t i = 0; i < GN_ENDED_MAX && i < l->nended; i++) {
		struct gn_later_ended *e = &l->ended[i];

		if (e->pid == pid && at <= e->time &&
		    (!first || e->time < first->time))
			first = e;
	}
	return first;
}

uint64_t *gn_later_until(struct gn_later *l, pid_t pid, uint64_t at,
			 uint64_t *end)
{
	struct gn_later_ended *ended = find_ended(l, pid, at);
	struct gn_later_process *p;

	if (ended) {
		*end = ended->time < *end ? ended->time : *end;
		return &ended->late_until;
	}
	p = gn_later_find(l, pid);
	return p ? &p->late_until : NULL;
}

bool gn_later_was_traced(struct gn_later *l, pid_t pid, uint64_t at)
{
	bool was;

	pthread_mutex_lock(&l->lock);
	was = find_ended(l, pid, at);
	pthread_mutex_unlock(&l->lock);
	return was;
}

void gn_later_overrun(struct gn_later *l, uint64_t since)
{
	l->late++;
	l->overrun = l->overrun ?: since;
}

void gn_later_forget(struct gn_later_news *n)
{
	free(n->path);
	if (n->kind != GN_NEWS_GATE)
		return;
	if (n->fd >= 0)
		close(n->fd);
	if (n->gate >= 0)
		close(n->gate);
}

/* A LOOK counts, too: its process can be a new traced one. */
static void drop(struct gn_later *l, struct gn_later_news n)
{
	if (n.kind == GN_NEWS_LOOK && n.path)
		gn_filter_miss(l->session->filter, n.path);
	if (n.kind != GN_NEWS_END && n.kind != GN_NEWS_GATE)
		gn_later_overrun(l, n.since);
	gn_later_forget(&n);
}

void gn_later_ask(struct gn_later *l, const struct gn_later_news *n)
{
	uint64_t one = 1;

	l->asked = n->since > l->asked ? n->since : l->asked;
	gn_later_tell(l, n);
	/* if this fails, the stream is read a little later */
	if (write(l->event, &one, sizeof(one)) < 0)
		return;
}

void gn_later_tell(struct gn_later *l, const struct gn_later_news *n)
{
	if (l->nnews < GN_NEWS_MAX &&
	    !gn_grow_by_one(&l->news, &l->news_room, l->nnews,
			    sizeof(*l->news)))
		l->news[l->nnews++] = *n;
	else
		drop(l, *n);
	pthread_cond_signal(&l->wake);
}

/* The time that was counted as late can go beyond the process's end, which was
 * not known then: takes the rest back. */
static void cut_late(struct gn_later *l, struct gn_later_process *p,
		     uint64_t end)
{
	if (p->late_until <= end)
		return;
	l->late_ns -= p->late_until - end;
	p->late_until = end;
}

/* Moves the process to the ended ones, because another process can get its
 * number soon. */
static void end_process(struct gn_later *l, struct gn_later_process *p,
			uint64_t time)
{
	cut_late(l, p, time);
	l->ended[l->nended++ % GN_ENDED_MAX] =
		(struct gn_later_ended){p->pid, time, p->late_until};
	remove_process(l, p);
}

/* The leader has ended. Other threads can go on, and call functions. */
static void end_leader(struct gn_later *l, struct gn_later_process *p,
		       const struct gn_rec *rec)
{
	struct gn_later_news n = {
		.kind = GN_NEWS_END, .pid = p->pid, .since = rec->time};

	if (rec->flags & GN_F_PROCESS_ENDS || gn_process_has_ended(p->pid))
		end_process(l, p, rec->time);
	else
		p->headless = rec->time;
	gn_later_tell(l, &n);
}

static struct gn_later_process *find_headless(struct gn_later *l,
					      const struct gn_later_news *end)
{
	struct gn_later_process *p = gn_later_find(l, end->pid);

	return p && p->headless == end->since ? p : NULL;
}

void gn_later_go_on(struct gn_later *l, const struct gn_later_news *end)
{
	struct gn_later_news again = *end;

	again.due = gn_now_ns() + END_AGAIN_NS;
	pthread_mutex_lock(&l->lock);
	if (find_headless(l, end))
		gn_later_tell(l, &again);
	pthread_mutex_unlock(&l->lock);
}

void gn_later_end(struct gn_later *l, const struct gn_later_news *end)
{
	struct gn_later_process *p;

	pthread_mutex_lock(&l->lock);
	p = find_headless(l, end);
	if (p)
		end_process(l, p, gn_now_ns());
	pthread_mutex_unlock(&l->lock);
}

/* Adds a process that has no links yet. Without memory its calls are missing.
 * Returns whether it is a new one. */
static bool add_new(struct gn_later *l, const struct gn_later_news *n)
{
	int added = gn_later_add(l, n->pid, 0);

	if (added < 0)
		gn_later_overrun(l, n->since);
	return added > 0;
}

static void new_thread(struct gn_later *l, const struct gn_rec_thread *r)
{
	struct gn_later_news n = {.kind = GN_NEWS_PROCESS,
				  .pid = (pid_t)r->pid,
				  .since = r->f.h.time};
	struct gn_later_process *old;

	if (r->f.h.tid != r->pid)
		return;
	old = gn_later_find(l, n.pid);
	if (old && old->headless)
		end_process(l, old, n.since);
	/* for the command, this record stands for its first program */
	if (l->session->child.pid == n.pid)
		n.kind = GN_NEWS_PROGRAM;
	else if (!add_new(l, &n) || !l->privates)
		return;
	gn_later_tell(l, &n);
}

void gn_later_record(struct gn_later *l, const struct gn_rec *rec)
{
	const struct gn_rec_thread *r = (const void *)rec;
	struct gn_later_news n = {.since = rec->time};
	struct gn_later_process *p;

	if (rec->kind != GN_KIND_THREAD && rec->kind != GN_KIND_EXEC &&
	    rec->kind != GN_KIND_EXIT)
		return;
	pthread_mutex_lock(&l->lock);
	if (rec->kind == GN_KIND_THREAD) {
		new_thread(l, r);
	} else if (rec->kind == GN_KIND_EXEC) {
		l->programs++;
		n.kind = GN_NEWS_PROGRAM;
		n.pid = (pid_t)r->pid;
		n.anew = r->parent != r->pid;
		memcpy(n.comm, r->comm, sizeof(n.comm));
		/* another thread is the leader now */
		if (n.anew && !add_new(l, &n)) {
			p = gn_later_find(l, n.pid);
			if (p)
				p->headless = 0;
		}
		gn_later_tell(l, &n);
	} else if ((p = gn_later_find(l, (pid_t)rec->tid))) {
		end_leader(l, p, rec);
	}
	pthread_mutex_unlock(&l->lock);
}

void gn_later_catch_up(struct gn_later *l, uint64_t time)
{
	if (!l)
		return;
	pthread_mutex_lock(&l->lock);
	if (l->caught_up < l->asked)
		pthread_cond_signal(&l->wake);
	l->caught_up = time;
	pthread_mutex_unlock(&l->lock);
}

static bool has_look(const struct gn_later *l, pid_t pid,
		     const struct gn_file_id *file)
{
	for (size_t i = 0; i < l->nnews; i++)
		if (l->news[i].kind == GN_NEWS_LOOK && l->news[i].pid == pid &&
		    (l->nnews >= GN_LOOKS_MAX ||
		     gn_file_same(&l->news[i].file, file)))
			return true;
	return false;
}

void gn_later_look(struct gn_later *l, const struct gn_mapped_file *mapped,
		   pid_t pid)
{
	struct gn_later_news n = {.kind = GN_NEWS_LOOK,
				  .pid = pid,
				  .since = mapped->time,
				  .file = mapped->file};

	if (has_look(l, pid, &n.file))
		return;
	if (mapped->file.ino && l->nnews < GN_LOOKS_MAX)
		n.path = strdup(mapped->path);
	gn_later_tell(l, &n);
}

/* Notes that some process has mapped a file or, in a container, another file of
 * that path. If news of mappings were lost, it can be any file. */
static void saw_mapped(struct gn_files *files, const struct gn_mapped_file *m)
{
	for (size_t i = 0; i < files->count; i++)
		if (!m->pid || gn_file_same(&files->file[i].id, &m->file) ||
		    !strcmp(files->file[i].path, m->path))
			files->file[i].asked = false;
}

void gn_later_take_mapped(struct gn_later *l)
{
	const struct gn_filter *filter = l->session->filter;
	struct gn_mapped_file m, lost = {.path = ""};
	bool any = false;

	while (gn_mapped_next(l->mapped, UINT64_MAX, &m)) {
		if (!m.pid) {
			/* look at all processes, once */
			lost.time = any ? lost.time : m.time;
			any = true;
			continue;
		}
		saw_mapped(&l->session->files, &m);
		if (gn_filter_file(filter, m.path, false))
			gn_later_look(l, &m, m.pid);
	}
	if (!any)
		return;
	saw_mapped(&l->session->files, &lost);
	for (size_t i = 0; i < l->nprocesses; i++)
		gn_later_look(l, &lost, l->process[i].pid);
}

/*
 * New processes come first: they only need the probes that there are, while to
 * plan those of a large program can take a second. Then comes who waits. Ends
 * come last, because removing probes takes long.
 */
static int rank(const struct gn_later_news *n)
{
	static const int ranks[] = {
		[GN_NEWS_PROCESS] = 0, [GN_NEWS_GATE] = 1,
		[GN_NEWS_PROGRAM] = 2, [GN_NEWS_LOOK] = 2,
		[GN_NEWS_END] = 3,
	};

	return ranks[n->kind];
}

/* When to handle it. A process that has mapped a library, or is at the gate,
 * must be known first, and what it ran before: the records of that can come
 * later. */
static uint64_t due_at(const struct gn_later *l, const struct gn_later_news *n)
{
	bool asks = n->kind == GN_NEWS_GATE || n->again;

	return asks && l->caught_up < n->since ? n->since + CAUGHT_UP_MOST_NS
					       : n->due;
}

/* The first that is due of the news of a process at the gate: while it waits,
 * it still maps the files of its old program. */
static size_t before_gate(const struct gn_later *l, size_t gate, uint64_t now)
{
	for (size_t i = 0; i < l->nnews; i++) {
		const struct gn_later_news *n = &l->news[i];

		if (n->pid == l->news[gate].pid && n->due <= now &&
		    (n->kind == GN_NEWS_PROGRAM || n->kind == GN_NEWS_LOOK))
			return i;
	}
	return gate;
}

bool gn_later_next(struct gn_later *l, struct gn_later_news *out, uint64_t *due)
{
	uint64_t now = gn_now_ns(), at;
	size_t best = l->nnews;

	*due = UINT64_MAX;
	for (size_t i = 0; i < l->nnews; i++) {
		const struct gn_later_news *n = &l->news[i];

		at = due_at(l, n);
		if (at > now)
			*due = at < *due ? at : *due;
		else if (best == l->nnews || rank(n) < rank(&l->news[best]))
			best = i;
		if (best < l->nnews && !rank(&l->news[best]))
			break;
	}
	if (best == l->nnews)
		return false;
	if (l->news[best].kind == GN_NEWS_GATE)
		best = before_gate(l, best, now);
	*out = l->news[best];
	l->nnews--;
	memmove(l->news + best, l->news + best + 1,
		(l->nnews - best) * sizeof(*l->news));
	return true;
}

void gn_later_await(struct gn_later *l, uint64_t due)
{
	struct timespec at = {.tv_sec = (time_t)(due / 1000000000u),
			      .tv_nsec = (long)(due % 1000000000u)};

	if (due == UINT64_MAX)
		pthread_cond_wait(&l->wake, &l->lock);
	else
		pthread_cond_clockwait(&l->wake, &l->lock, CLOCK_MONOTONIC,
				       &at);
}

bool gn_later_stopping(struct gn_later *l)
{
	bool quit;

	pthread_mutex_lock(&l->lock);
	quit = l->quit;
	pthread_mutex_unlock(&l->lock);
	return quit;
}
