/* SPDX-License-Identifier: BSD-2-Clause */
#include "capture/later.h"

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <gnomon/hook.h>
#include <gnomon/thread.h>
#include "capture/clock.h"
#include "capture/drain.h"
#include "capture/later_parts.h"
#include "capture/setter.h"
#include "capture/tell.h"
#include "process/ended.h"
#include "process/mapped.h"
#include "process/share.h"
#include "runtime/native.h"

/* A new process can map files before its own record comes: how long to wait. */
#define KNOWN_AFTER_NS 100000000u

static bool stopping(struct gn_later *l)
{
	bool quit;

	pthread_mutex_lock(&l->lock);
	quit = l->quit;
	pthread_mutex_unlock(&l->lock);
	return quit;
}

/* If gnomon lacks something, calls from `since` on are missing for good. */
static void fail(struct gn_later *l, int err, uint64_t since)
{
	if (!gn_later_lacks(err))
		return;
	pthread_mutex_lock(&l->lock);
	gn_later_overrun(l, since);
	pthread_mutex_unlock(&l->lock);
	if (!l->failed && !l->session->opts.live)
		gn_error("not all libraries and programs that are loaded later "
			 "can be probed (%s), so calls will be missing; %s",
			 strerror(-err),
			 err == -EMFILE
				 ? "raise the limit of open files (ulimit -Hn)"
			 : err == -E2BIG ? "name fewer functions with -f"
					 : "free some memory");
	l->failed = true;
}

/* `pid` 0: every process. */
static int link_group(struct gn_later *l, const struct gn_files *files,
		      const struct gn_probe_group *g, pid_t pid)
{
	char place[GN_FILE_PLACE];
	struct gn_probe_set set = {
		.path = gn_file_place(files->file[g->file].fd, place),
		.offsets = g->offsets,
		.cookies = g->cookies,
		.counters = g->counters,
		.count = g->count,
		.pid = pid,
		.key = (uint32_t)pid,
		.file = files->file[g->file].fd,
		.left_out = gn_functions_left_out,
		.ctx = &l->functions,
	};

	return gn_session_link(l->session, l->links, g->prog, &set,
			       &l->refused);
}

/* All groups of probes: the session's first, then ours. */
static size_t group_count(const struct gn_later *l)
{
	return l->session->probes.count + l->probes.count;
}

static const struct gn_probe_group *group_at(const struct gn_later *l, size_t i,
					     const struct gn_files **files)
{
	const struct gn_probes *first = &l->session->probes;
	bool ours = i >= first->count;

	*files = ours ? &l->files : &l->session->files;
	return ours ? &l->probes.group[i - first->count] : &first->group[i];
}

/* Attaches the links of single processes that this process does not have yet.
 */
static void link_process(struct gn_later *l, pid_t pid)
{
	size_t all = group_count(l);
	size_t i = gn_later_take_groups(l, pid, all);
	int err = 0;

	for (; !err && i < all; i++) {
		const struct gn_files *files;
		const struct gn_probe_group *g = group_at(l, i, &files);

		if (gn_session_private(l->session, &files->file[g->file],
				       g->prog))
			err = link_group(l, files, g, pid);
	}
	fail(l, err, gn_now_ns());
}

/* Threads can outlive the leader, which has no memory then. */
static int files_of(pid_t pid, struct gn_files *files)
{
	return gn_files_of_process(gn_process_living(pid) ?: pid, files);
}

/*
 * Whether the process could call functions of the file. If no traced process
 * had mapped the file when the capture began, looks whether this one has. If
 * the process has ended, it may have mapped a file that -f names; a runtime
 * whose start is reported counts only if it began there.
 */
static bool could_call(struct gn_later *l, const struct gn_file *file,
		       pid_t pid, uint64_t since, struct gn_files *mapped)
{
	bool asked;
	int err = 0;

	/* the session's thread looks at what is mapped */
	pthread_mutex_lock(&l->lock);
	asked = file->asked;
	pthread_mutex_unlock(&l->lock);
	if (!pid || (!asked && !file->awaited))
		return true;
	if (!mapped->count)
		err = files_of(pid, mapped);
	if (!err)
		return gn_files_have(mapped, &file->id);
	return asked || !file->begins ||
	       gn_setter_began(l->session->setter, pid, since);
}

/* Records that the process could have called every function that has links of
 * single processes. */
static void miss_process(struct gn_later *l, pid_t pid, uint64_t since)
{
	size_t all = group_count(l);
	uint32_t last = 0;
	bool told = !pid;
	struct gn_files mapped = {0};

	for (size_t i = 0; i < all; i++) {
		const struct gn_files *files;
		const struct gn_probe_group *g = group_at(l, i, &files);
		const struct gn_file *file = &files->file[g->file];
		uint32_t module = files == &l->files
					  ? gn_later_module(l, g->file)
					  : (uint32_t)g->file + 1;

		/* groups of a file follow one another */
		if (module == last ||
		    !gn_session_private(l->session, file, g->prog))
			continue;
		last = module;
		if (!could_call(l, file, pid, since, &mapped))
			continue;
		told = true;
		gn_later_put_unprobed(l, module, false, pid, since,
				      gn_later_until_now(l));
	}
	gn_files_free(&mapped);
	if (told)
		gn_later_count_late(l, pid, since, gn_later_until_now(l));
}

/* Names the file, where the capture's own summary goes (stderr). */
static void tell(const struct gn_later *l, const struct gn_file *file,
		 pid_t pid, uint32_t functions)
{
	if (l->session->opts.quiet)
		return;
	gn_error("attached: process %d runs '%s': %u more native function%s",
		 (int)pid, file->path, functions, functions == 1 ? "" : "s");
}

/* A process that does not have all links of single processes; 0 = none. */
static pid_t next_behind(struct gn_later *l)
{
	size_t all = group_count(l);
	pid_t pid = 0;

	pthread_mutex_lock(&l->lock);
	l->privates = true;
	for (size_t i = 0; !pid && i < l->nprocesses; i++)
		if (l->process[i].linked < all)
			pid = l->process[i].pid;
	pthread_mutex_unlock(&l->lock);
	return pid;
}

/* Writes the records of a file's functions, then attaches them. */
static void attach_file(struct gn_later *l, struct gn_file *file, size_t from)
{
	bool wanted[1] = {true};
	struct gn_files one = {.file = file, .count = 1};
	pid_t pid;
	int err = 0;

	if (gn_share_find(&one, wanted, gn_later_traced, l))
		file->elsewhere = true;
	if (!gn_later_await_stream(l))
		return;
	for (size_t i = from; !err && i < l->probes.count; i++)
		if (!gn_session_private(l->session, file,
					l->probes.group[i].prog))
			err = link_group(l, &l->files, &l->probes.group[i], 0);
	fail(l, err, gn_now_ns());
	if (!file->elsewhere)
		return;
	while ((pid = next_behind(l)))
		link_process(l, pid);
}

/* Moves the file and its probes to those that are kept. */
static int keep_file(struct gn_later *l, struct gn_file *file,
		     struct gn_probes *probes)
{
	int err = gn_files_move(&l->files, file);

	for (size_t i = 0; !err && i < probes->count; i++)
		probes->group[i].file = l->files.count - 1;
	return err ?: gn_probes_move(&l->probes, probes);
}

/* Whether the file is kept already. The process may have mapped it before the
 * file had its probes. */
static bool take_kept(struct gn_later *l, const struct gn_file *file,
		      const struct gn_later_news *n, uint64_t told)
{
	for (size_t i = 0; i < l->files.count; i++)
		if (gn_file_same(&l->files.file[i].id, &file->id) &&
		    !gn_written_is(l->session->written, l->files.file[i].fd)) {
			gn_later_again(l, i, n, told);
			return true;
		}
	return false;
}

static bool has_twin(const struct gn_later *l, const struct gn_files *files,
		     int fd)
{
	const struct gn_file *twin = gn_files_twin(files, fd);

	return twin && !gn_written_is(l->session->written, twin->fd);
}

/* There is no memory for the file. Functions that were announced for it would
 * look as if they were not called. */
static void lose_file(struct gn_later *l, int err, uint64_t since)
{
	fail(l, err, since);
	if (gn_later_lacks(err) && l->functions.last_file)
		gn_later_lose(l, l->functions.modules + 1, since);
}

/* Gives a file its probes. */
static void probe_file(struct gn_later *l, struct gn_file *file,
		       const struct gn_later_news *n,
		       const struct gn_later_plain *plain)
{
	uint32_t first = l->functions.next;
	struct gn_probes probes = {0};
	size_t from = l->probes.count;
	int got = gn_later_plan(l, file, &probes);

	if (!got) {
		l->plain[l->nplain++ % GN_PLAIN_MAX] = *plain;
	} else if (got == -ECANCELED) {
		/* it has functions of -f; miss_file() counts libraries */
		if (file->program && !n->path)
			gn_later_count_late(l, n->pid, n->since,
					    gn_later_until_now(l));
	} else if (got < 0 || (got = keep_file(l, file, &probes))) {
		lose_file(l, got, n->since);
	} else {
		size_t at = l->files.count - 1;

		file = &l->files.file[at];
		gn_later_note_name(file);
		gn_written_guard(l->session->written, file,
				 gn_later_module(l, at), 0);
		attach_file(l, file, from);
		file->probed = gn_now_ns();
		gn_later_miss_file(l, at, n->pid, n->since, file->probed);
		gn_later_miss_gone(l, at);
		tell(l, file, n->pid, l->functions.next - first);
	}
	gn_probes_free(&probes);
}

/* Gives a file its probes, if it was not seen before, or was written since. */
static void take_file(struct gn_later *l, struct gn_file *file,
		      const struct gn_later_news *n, uint64_t told)
{
	struct gn_later_plain plain = {.id = file->id};
	struct stat st;

	if (file->fd < 0 ||
	    gn_later_has_file(l, &l->session->files, &file->id) ||
	    take_kept(l, file, n, told) ||
	    !gn_filter_file(l->session->filter, file->path, file->program) ||
	    fstat(file->fd, &st))
		return;
	plain.changed = st.st_ctim;
	if (gn_later_is_plain(l, &plain))
		return;
	if (has_twin(l, &l->session->files, file->fd) ||
	    has_twin(l, &l->files, file->fd)) {
		/* its twin has the probes */
		l->plain[l->nplain++ % GN_PLAIN_MAX] = plain;
		return;
	}
	probe_file(l, file, n, &plain);
}

static void take_files(struct gn_later *l, const struct gn_later_news *n)
{
	uint64_t told = gn_later_told(l, n->pid, n->since);
	struct gn_files files = {0};
	int err = files_of(n->pid, &files);
	size_t taken = 0;

	fail(l, err, n->since);
	/* nothing to attach to if the process has ended */
	if (!err)
		for (; taken < files.count && !stopping(l); taken++)
			take_file(l, &files.file[taken], n, told);
	if (n->kind == GN_NEWS_PROGRAM && !gn_later_lacks(err) &&
	    (!files.count || taken < files.count))
		gn_later_ended_early(l, n);
	gn_files_free(&files);
}

/* Counts a library that a traced process had mapped and that could not be
 * probed, because the process has ended or has unmapped it. */
static void miss_file(struct gn_later *l, const struct gn_later_news *n)
{
	if (!n->file.ino || gn_later_knows_file(l, &n->file))
		return;
	/* there can have been no room for its path */
	if (n->path)
		gn_filter_miss(l->session->filter, n->path);
	gn_later_count_late(l, n->pid, n->since, gn_later_until_now(l));
}

/* Looks at what a process has mapped, if it is a traced one. */
static void look(struct gn_later *l, struct gn_later_news *n)
{
	struct gn_later_news again = *n;
	bool traced = gn_later_traced(l, n->pid);

	if (traced)
		take_files(l, n);
	if (traced || gn_later_was_traced(l, n->pid, n->since)) {
		miss_file(l, n);
		return;
	}
	if (n->again)
		return;
	n->path = NULL; /* `again` owns it now */
	again.again = true;
	again.due = gn_now_ns() + KNOWN_AFTER_NS;
	pthread_mutex_lock(&l->lock);
	gn_later_tell(l, &again);
	pthread_mutex_unlock(&l->lock);
}

/* Removes the process's own links, including those of the session: to the
 * kernel the old leader still is a thread of the process, so old and new links
 * would both see a call. */
static void unlink_process(struct gn_later *l, pid_t pid)
{
	gn_written_begin(l->session->written, 0);
	gn_links_remove(l->links, (uint32_t)pid);
	gn_links_remove(l->session->links, (uint32_t)pid);
	gn_written_end(l->session->written);
}

/* Another thread became the leader of its process, and the links belonged to
 * the old leader: attaches again. */
static void link_anew(struct gn_later *l, pid_t pid)
{
	struct gn_later_process *p;

	unlink_process(l, pid);
	pthread_mutex_lock(&l->lock);
	p = gn_later_find(l, pid);
	if (p)
		p->linked = 0;
	pthread_mutex_unlock(&l->lock);
	link_process(l, pid);
}

static void handle(struct gn_later *l, struct gn_later_news *n)
{
	switch (n->kind) {
	case GN_NEWS_PROCESS:
		link_process(l, n->pid);
		miss_process(l, n->pid, n->since);
		break;
	case GN_NEWS_PROGRAM:
		if (n->anew && l->privates) {
			link_anew(l, n->pid);
			miss_process(l, n->pid, n->since);
		}
		take_files(l, n);
		break;
	case GN_NEWS_LOOK:
		look(l, n);
		break;
	case GN_NEWS_END:
		if (!gn_process_has_ended(n->pid)) {
			gn_later_go_on(l, n);
			break;
		}
		gn_later_end(l, n);
		unlink_process(l, n->pid);
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
		free(n.path);
		pthread_mutex_lock(&l->lock);
	}
	pthread_mutex_unlock(&l->lock);
	return NULL;
}

static bool has_privates(const struct gn_session *s)
{
	for (size_t i = 0; i < s->probes.count; i++) {
		const struct gn_probe_group *g = &s->probes.group[i];

		if (gn_session_private(s, &s->files.file[g->file], g->prog))
			return true;
	}
	return false;
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
	l->privates = has_privates(s);
	l->functions = s->functions;
	l->functions.name = NULL;
	l->functions.names = 0;
	l->functions.put = gn_later_put;
	l->functions.ctx = l;
	l->links = gn_links_new();
	err = open_events(l);
	if (!err && !l->links)
		err = -ENOMEM;
	if (!err && gn_filter_libraries(s->filter))
		watch_mapped(l);
	for (size_t i = 0; i < s->files.count; i++)
		gn_later_note_name(&s->files.file[i]);
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
	if (!err)
		return 0;
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

void gn_later_stop(struct gn_later *l)
{
	if (!l || l->quit)
		return;
	pthread_mutex_lock(&l->lock);
	if (l->mapped)
		gn_later_take_mapped(l);
	l->quit = true;
	l->stopped = gn_now_ns();
	pthread_cond_signal(&l->wake);
	pthread_mutex_unlock(&l->lock);
	pthread_join(l->thread, NULL);
}

void gn_later_rest(struct gn_later *l)
{
	if (!l)
		return;
	if (l->overrun)
		miss_process(l, 0, l->overrun);
	l->overrun = 0;
	for (size_t i = 0; i < l->nnews; i++) {
		const struct gn_later_news *n = &l->news[i];

		if (n->kind == GN_NEWS_PROGRAM)
			gn_later_ended_early(l, n);
		if (n->kind == GN_NEWS_PROCESS ||
		    (n->kind == GN_NEWS_PROGRAM && n->anew))
			miss_process(l, n->pid, n->since);
		else if (n->kind == GN_NEWS_LOOK &&
			 (gn_later_traced(l, n->pid) ||
			  gn_later_was_traced(l, n->pid, n->since)))
			miss_file(l, n);
		free(n->path);
	}
	l->nnews = 0;
	gn_later_tell_untold(l);
}

unsigned gn_later_gone(const struct gn_later *l)
{
	return l && l->quit ? l->ngone : 0;
}

bool gn_later_failed(const struct gn_later *l)
{
	return l && l->quit && l->failed;
}

bool gn_later_sum(const struct gn_later *l, struct gn_native_stats *stats)
{
	if (!l || !(l->stats.functions + l->stats.usdt))
		return false;
	stats->functions += l->stats.functions;
	stats->usdt += l->stats.usdt;
	stats->by_return += l->stats.by_return;
	stats->by_ret += l->stats.by_ret;
	stats->stepped += l->stats.stepped;
	stats->dear += l->stats.dear;
	stats->begins += l->stats.begins;
	stats->refused += l->stats.refused + l->refused;
	return true;
}

void gn_later_detach(struct gn_later *l, struct gn_links *links)
{
	if (!l)
		return;
	gn_later_stop(l);
	gn_links_join(links, l->links);
	l->links = NULL;
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
	for (size_t i = 0; i < l->nnews; i++)
		free(l->news[i].path);
	free(l->process);
	free(l->news);
	free(l->out);
	free(l);
}
