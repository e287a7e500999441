/* SPDX-License-Identifier: BSD-2-Clause */
#include "capture/later.h"

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <gnomon/thread.h>
#include "capture/clock.h"
#include "capture/later_parts.h"
#include "process/ended.h"

static void handle(struct gn_later *l, struct gn_later_news *n)
{
	switch (n->kind) {
	case GN_NEWS_PROCESS:
		gn_later_link(l, n->pid);
		gn_later_miss(l, n->pid, n->since);
		break;
	case GN_NEWS_PROGRAM:
		if (n->anew && l->privates) {
			gn_later_link_anew(l, n->pid);
			gn_later_miss(l, n->pid, n->since);
		}
		gn_later_take_files(l, n);
		break;
	case GN_NEWS_LOOK:
		gn_later_look_at(l, n);
		break;
	case GN_NEWS_GATE:
		gn_later_pass(l, n);
		break;
	case GN_NEWS_END:
		if (!gn_process_has_ended(n->pid)) {
			gn_later_go_on(l, n);
			break;
		}
		gn_later_end(l, n);
		gn_later_unlink_ended(l, n->pid);
		break;
	}
}

static void *work(void *later)
{
	struct gn_later *l = later;
	struct gn_later_news n;
	uint64_t due;

	pthread_mutex_lock(&l->lock);
	while (!l->quit) {
		if (!gn_later_next(l, &n, &due)) {
			gn_later_await(l, due);
			continue;
		}
		pthread_mutex_unlock(&l->lock);
		handle(l, &n);
		gn_later_forget(&n);
		pthread_mutex_lock(&l->lock);
	}
	pthread_mutex_unlock(&l->lock);
	return NULL;
}

static int open_events(struct gn_later *l)
{
	struct epoll_event event = {.events = EPOLLIN};

	l->event = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	l->poll = epoll_create1(EPOLL_CLOEXEC);
	if (l->event < 0 || l->poll < 0 ||
	    epoll_ctl(l->poll, EPOLL_CTL_ADD, l->event, &event))
		return -errno;
	return 0;
}

/* If this fails, at least what is mapped now is found. */
static void watch_mapped(struct gn_later *l)
{
	struct epoll_event event = {.events = EPOLLIN};
	struct gn_session *s = l->session;
	int err = gn_mapped_new(&l->mapped);

	if (!err &&
	    epoll_ctl(l->poll, EPOLL_CTL_ADD, gn_mapped_fd(l->mapped), &event))
		err = -errno;
	if (err && !*s->warning)
		snprintf(s->warning, sizeof(s->warning),
			 "libraries that are mapped later are not traced: the "
			 "kernel does not report them (%s)",
			 strerror(-err));
}

/* Who starts a file of the session again need not wait if it has no probes. */
static void note_plain_files(struct gn_later *l)
{
	const struct gn_session *s = l->session;

	for (size_t i = 0; i < s->files.count; i++) {
		const struct gn_file *file = &s->files.file[i];
		size_t k = 0;
		struct stat st;

		while (k < s->probes.count && s->probes.group[k].file != i)
			k++;
		if (k == s->probes.count && !fstat(file->fd, &st))
			gn_later_note_plain(l, &file->id, &st);
	}
}

int gn_later_new(struct gn_session *s, const pid_t *pids, size_t n)
{
	struct gn_later *l = calloc(1, sizeof(*l));
	struct gn_mapped_file now = {.time = gn_now_ns()};
	int err;

	if (!l)
		return -ENOMEM;
	pthread_mutex_init(&l->lock, NULL);
	pthread_cond_init(&l->wake, NULL);
	l->session = s;
	l->privates = gn_later_has_privates(s);
	l->functions = s->functions;
	l->functions.name = NULL;
	l->functions.names = 0;
	l->functions.put = gn_later_put;
	l->functions.ctx = l;
	l->links = gn_links_new();
	err = open_events(l);
	if (!err)
		err = gn_later_ended_new(l);
	if (!err && !l->links)
		err = -ENOMEM;
	if (!err && gn_filter_libraries(s->filter))
		watch_mapped(l);
	for (size_t i = 0; i < s->files.count; i++)
		gn_later_note_name(&s->files.file[i]);
	note_plain_files(l);
	for (size_t i = 0; !err && i < n; i++) {
		if (gn_later_add(l, pids[i], s->probes.count) < 0)
			err = -ENOMEM;
		/* what was mapped since we looked */
		else if (l->mapped && !s->opts.command)
			gn_later_look(l, &now, pids[i]);
	}
	if (err)
		goto fail;
	s->later = l; /* the thread looks at it */
	err = gn_thread_start(&l->thread, work, l);
	if (!err) {
		gn_gate_serve(s->gate, l);
		return 0;
	}
	s->later = NULL;
fail:
	l->quit = true;
	gn_later_free(l);
	return err;
}

bool gn_later_sees_mapped(const struct gn_later *l)
{
	return l && l->mapped;
}

int gn_later_fd(const struct gn_later *l)
{
	return l->poll;
}

uint64_t gn_later_count(struct gn_later *l, enum gn_counter counter)
{
	uint64_t n;

	pthread_mutex_lock(&l->lock);
	n = counter == GN_COUNTER_UNPROBED	? l->late
	    : counter == GN_COUNTER_UNPROBED_NS ? l->late_ns
						: 0;
	pthread_mutex_unlock(&l->lock);
	return n;
}

const char *gn_later_other(const struct gn_later *l)
{
	return l ? l->other : "";
}

void gn_later_stop(struct gn_later *l)
{
	if (!l || l->quit)
		return;
	gn_gate_close(l->session->gate);
	pthread_mutex_lock(&l->lock);
	if (l->mapped)
		gn_later_take_mapped(l);
	l->quit = true;
	l->stopped = gn_now_ns();
	pthread_cond_signal(&l->wake);
	pthread_cond_signal(&l->ends);
	pthread_cond_signal(&l->ready);
	pthread_mutex_unlock(&l->lock);
	pthread_join(l->thread, NULL);
	gn_later_let_go(l);
}

void gn_later_rest(struct gn_later *l)
{
	if (!l)
		return;
	if (l->overrun)
		gn_later_miss(l, 0, l->overrun);
	l->overrun = 0;
	for (size_t i = 0; i < l->nnews; i++) {
		const struct gn_later_news *n = &l->news[i];

		if (n->kind == GN_NEWS_PROGRAM)
			gn_later_ended_early(l, n);
		if (n->kind == GN_NEWS_PROCESS ||
		    (n->kind == GN_NEWS_PROGRAM && n->anew))
			gn_later_miss(l, n->pid, n->since);
		else if (n->kind == GN_NEWS_LOOK &&
			 (gn_later_traced(l, n->pid) ||
			  gn_later_was_traced(l, n->pid, n->since)))
			gn_later_miss_library(l, n);
		gn_later_forget(&l->news[i]);
	}
	l->nnews = 0;
	gn_later_tell_untold(l);
}

unsigned gn_later_gone(const struct gn_later *l)
{
	unsigned unseen;

	if (!l || !l->quit || l->programs < l->passed)
		return 0;
	/* those at the gate can have ended early, too */
	unseen = l->programs - l->passed;
	return l->ngone < unseen ? l->ngone : unseen;
}

const char *gn_later_narrow(const struct gn_later *l)
{
	return l && l->quit ? l->narrow : NULL;
}

bool gn_later_failed(const struct gn_later *l)
{
	return l && l->quit && l->failed;
}

bool gn_later_sum(const struct gn_later *l, struct gn_native_stats *stats)
{
	if (!l || !(l->stats.functions + l->stats.usdt))
		return false;
	gn_native_add(stats, &l->stats);
	stats->refused += l->refused;
	return true;
}

void gn_later_detach(struct gn_later *l, struct gn_links *links)
{
	if (!l)
		return;
	gn_later_stop(l);
	gn_links_join(links, l->links);
	l->links = NULL;
	gn_later_ended_free(l, links);
}

void gn_later_free(struct gn_later *l)
{
	if (!l)
		return;
	gn_later_detach(l, NULL);
	gn_mapped_free(l->mapped);
	if (l->event >= 0)
		close(l->event);
	if (l->poll >= 0)
		close(l->poll);
	gn_functions_clear(&l->functions);
	gn_probes_free(&l->probes);
	gn_files_free(&l->files);
	pthread_mutex_destroy(&l->lock);
	pthread_cond_destroy(&l->wake);
	pthread_cond_destroy(&l->ends);
	pthread_cond_destroy(&l->ready);
	for (size_t i = 0; i < l->nnews; i++)
		gn_later_forget(&l->news[i]);
	free(l->narrow);
	free(l->process);
	free(l->news);
	free(l->out);
	free(l);
}
