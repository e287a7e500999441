/* SPDX-License-Identifier: BSD-2-Clause */
#include "capture/written.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <gnomon/grow.h>
#include <gnomon/thread.h>
#include "capture/clock.h"
#include "capture/later_parts.h"
#include "capture/session_internal.h"
#include "capture/tell.h"
#include "runtime/runtime.h"

struct guarded {
	int fd;
	int with; /* the file of its sets */
	struct gn_file_id id;
	uint32_t module;
	char *path;
	uint64_t written; /* when; 0: it was not */
	bool told;	  /* that is recorded */
};

/* The kernel reports an open by SIGIO, to one thread. */
struct gn_written {
	struct gn_session *session;
	pthread_t thread;
	pthread_mutex_t lock;
	pthread_cond_t begun;
	pid_t tid; /* of the thread; 0 = it has not begun */
	bool runs;

	/* under the lock */
	bool stopped, quit;
	struct guarded *file;
	size_t count, room;
};

static bool is_wanted_by_writer(const struct guarded *g)
{
	return !g->written && fcntl(g->fd, F_GETLEASE) != F_RDLCK;
}

static bool was_written(const struct gn_written *w, const struct gn_file_id *id)
{
	for (size_t i = 0; i < w->count; i++)
		if (w->file[i].written && gn_file_same(&w->file[i].id, id))
			return true;
	return false;
}

/* Records that calls of the file are not seen from now on, until it is mapped
 * again. */
static void miss(struct gn_later *l, const struct guarded *g)
{
	uint64_t now = gn_now_ns();

	gn_later_put_unprobed(l, g->module, false, 0, now, now);
	gn_later_count_late(l, 0, now, now);
}

static void tell(const struct guarded *g, bool itself, bool again)
{
	gn_error("'%s' %s, so its probes were removed%s; %s calls are missing",
		 g->path ?: "?",
		 itself ? "was opened for writing"
			: "shares links with that file",
		 again ? "; it gets new ones when it is mapped again" : "",
		 again ? "until then," : "from now on,");
}

static void note(struct gn_written *w, struct guarded *g, bool itself)
{
	struct gn_session *s = w->session;

	/* a runtime's sites are planned at the start only */
	if (!was_written(w, &g->id))
		tell(g, itself,
		     s->later && !gn_runtime_with_core(g->path ?: ""));
	g->written = gn_now_ns();
	g->told = s->later;
}

/* Removes the probes of a file, and of those that share links with it. */
static void give_up(struct gn_written *w, struct guarded *g)
{
	struct gn_session *s = w->session;

	note(w, g, true);
	gn_links_remove_file(s->links, g->with);
	if (s->later)
		gn_links_remove_file(s->later->links, g->fd);
	for (size_t i = 0; i < w->count; i++) {
		struct guarded *o = &w->file[i];

		if (o->with != g->with)
			continue;
		if (o != g)
			note(w, o, false);
		if (s->later)
			miss(s->later, o);
		fcntl(o->fd, F_SETLEASE, F_UNLCK);
	}
}

static void give_way(struct gn_written *w)
{
	for (size_t i = 0; i < w->count; i++)
		if (is_wanted_by_writer(&w->file[i]))
			give_up(w, &w->file[i]);
}

static void *watch(void *written)
{
	struct gn_written *w = written;
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGIO);
	pthread_mutex_lock(&w->lock);
	w->tid = gettid();
	pthread_cond_signal(&w->begun);
	while (!w->quit) {
		if (!w->stopped)
			give_way(w);
		pthread_mutex_unlock(&w->lock);
		sigwaitinfo(&set, NULL);
		pthread_mutex_lock(&w->lock);
	}
	for (size_t i = 0; i < w->count; i++)
		fcntl(w->file[i].fd, F_SETLEASE, F_UNLCK);
	pthread_mutex_unlock(&w->lock);
	return NULL;
}

int gn_written_new(struct gn_session *s)
{
	struct gn_written *w = calloc(1, sizeof(*w));

	if (!w)
		return -ENOMEM;
	w->session = s;
	pthread_mutex_init(&w->lock, NULL);
	pthread_cond_init(&w->begun, NULL);
	s->written = w;
	return 0;
}

/* Starts the thread, which keeps the caller's privileges: only a file's owner
 * may take a lease without them. */
static bool start(struct gn_written *w)
{
	if (!w->runs && !w->stopped)
		w->runs = !gn_thread_start(&w->thread, watch, w);
	while (w->runs && !w->tid)
		pthread_cond_wait(&w->begun, &w->lock);
	return w->runs;
}

static void add(struct gn_written *w, const struct guarded *g)
{
	if (gn_grow_by_one(&w->file, &w->room, w->count, sizeof(*w->file))) {
		fcntl(g->fd, F_SETLEASE, F_UNLCK);
		return;
	}
	w->file[w->count] = *g;
	w->file[w->count++].path = g->path ? strdup(g->path) : NULL;
}

void gn_written_guard(struct gn_written *w, const struct gn_file *file,
		      uint32_t module, int with)
{
	struct guarded g = {.fd = file->fd,
			    .with = with ?: file->fd,
			    .id = file->id,
			    .module = module,
			    .path = file->path};
	struct f_owner_ex owner = {.type = F_OWNER_TID};

	if (!w)
		return;
	pthread_mutex_lock(&w->lock);
	if (start(w)) {
		owner.pid = w->tid;
		if (!fcntl(g.fd, F_SETOWN_EX, &owner) &&
		    !fcntl(g.fd, F_SETLEASE, F_RDLCK)) {
			add(w, &g);
		} else if (errno == EAGAIN && was_written(w, &file->id)) {
			g.written = gn_now_ns();
			g.told = true;
			add(w, &g);
		}
	}
	pthread_mutex_unlock(&w->lock);
}

/* With the lock held. */
static uint64_t written_at(const struct gn_written *w, int fd)
{
	for (size_t i = 0; i < w->count; i++)
		if (w->file[i].fd == fd)
			return w->file[i].written;
	return 0;
}

uint64_t gn_written_at(struct gn_written *w, int fd)
{
	uint64_t at;

	if (!w)
		return 0;
	pthread_mutex_lock(&w->lock);
	at = written_at(w, fd);
	pthread_mutex_unlock(&w->lock);
	return at;
}

bool gn_written_is(struct gn_written *w, int fd)
{
	return gn_written_at(w, fd);
}

bool gn_written_begin(struct gn_written *w, int fd)
{
	if (w)
		pthread_mutex_lock(&w->lock);
	return !w || !fd || !written_at(w, fd);
}

void gn_written_end(struct gn_written *w)
{
	if (w)
		pthread_mutex_unlock(&w->lock);
}

void gn_written_rest(struct gn_session *s, uint64_t end)
{
	struct gn_written *w = s->written;

	if (!w)
		return;
	pthread_mutex_lock(&w->lock);
	for (size_t i = 0; i < w->count; i++) {
		struct gn_rec_unprobed r = {
			.h = {.kind = GN_KIND_UNPROBED, .time = end},
			.module = w->file[i].module,
			.since = w->file[i].written,
		};

		if (!r.since || w->file[i].told || r.since >= end)
			continue;
		w->file[i].told = true;
		s->unprobed++;
		s->unprobed_ns += end - r.since;
		gn_session_put(s, &r.h, sizeof(r));
	}
	pthread_mutex_unlock(&w->lock);
}

void gn_written_stop(struct gn_written *w)
{
	if (!w)
		return;
	pthread_mutex_lock(&w->lock);
	w->stopped = true;
	pthread_mutex_unlock(&w->lock);
}

void gn_written_free(struct gn_written *w)
{
	if (!w)
		return;
	pthread_mutex_lock(&w->lock);
	w->quit = true;
	pthread_mutex_unlock(&w->lock);
	if (w->runs) {
		pthread_kill(w->thread, SIGIO);
		pthread_join(w->thread, NULL);
	}
	for (size_t i = 0; i < w->count; i++)
		free(w->file[i].path);
	pthread_cond_destroy(&w->begun);
	pthread_mutex_destroy(&w->lock);
	free(w->file);
	free(w);
}
