/* SPDX-License-Identifier: BSD-2-Clause */
#include "capture/later.h"

#include <dirent.h>
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <gnomon/hook.h>
#include "capture/clock.h"
#include "capture/drain.h"
#include "capture/session_internal.h"
#include "process/mapped.h"
#include "process/share.h"
#include "runtime/native.h"

/* More news than this at once is of a target that wants no answer. */
#define NEWS_MAX 65536
/* Programs without a function that was asked for are looked at once, the
 * latest of them. */
#define PLAIN_MAX 256
/* What a new process maps can be known before the process is. */
#define KNOWN_AFTER_NS 100000000u

/* LOOK: it has mapped a library. */
enum news_kind { NEWS_PROCESS, NEWS_PROGRAM, NEWS_LOOK, NEWS_END };

struct news {
	enum news_kind kind;
	pid_t pid;
	bool anew;	/* PROGRAM: the process has another leader */
	bool again;	/* LOOK: it was not known before */
	uint64_t since; /* when it happened */
	uint64_t due;	/* not before */
};

struct plain {
	struct gn_file_id id;
	struct timespec changed; /* tells one that has the number again */
};

/* A process that is traced. */
struct process {
	pid_t pid;
	size_t linked; /* groups of probes that were gone through for it */
};

struct gn_later {
	struct gn_session *session;
	pthread_t thread;
	pthread_mutex_t lock;
	pthread_cond_t wake;
	int event; /* for the session's thread */
	struct gn_mapped *mapped;
	int poll; /* both of them */
	bool quit;

	/* under the lock */
	struct process *process;
	size_t nprocesses, processes_room;
	struct news *news;
	size_t nnews, news_room;
	char *out; /* records for the stream */
	size_t out_size, out_room;
	bool privates; /* some files' links are of single processes */
	uint64_t late, late_ns;
	uint64_t overrun; /* when news had no room first, 0: never */

	/* of the thread */
	struct gn_links *links;
	struct gn_files files; /* those that have functions */
	struct gn_probes probes;
	struct gn_functions functions;
	struct gn_native_stats stats;
	size_t refused; /* by the kernel, for whatever process */
	struct plain plain[PLAIN_MAX];
	unsigned nplain;
};

/* With the lock held, as the next three; NULL: it is not traced. */
static struct process *find_process(struct gn_later *l, pid_t pid)
{
	for (size_t i = 0; i < l->nprocesses; i++)
		if (l->process[i].pid == pid)
			return &l->process[i];
	return NULL;
}

/* False: it was there, or there is no memory. */
static bool add_process(struct gn_later *l, pid_t pid, size_t linked)
{
	if (find_process(l, pid))
		return false;
	if (l->nprocesses == l->processes_room) {
		size_t room = l->processes_room ? l->processes_room * 2 : 64;
		struct process *list =
			reallocarray(l->process, room, sizeof(*list));

		if (!list)
			return false;
		l->process = list;
		l->processes_room = room;
	}
	l->process[l->nprocesses++] = (struct process){pid, linked};
	return true;
}

static void remove_process(struct gn_later *l, struct process *p)
{
	*p = l->process[--l->nprocesses];
}

/* The first group of probes that the process has not got: all are gone through
 * now. SIZE_MAX: it is not traced any more. */
static size_t take_groups(struct gn_later *l, pid_t pid, size_t all)
{
	struct process *p;
	size_t from = SIZE_MAX;

	pthread_mutex_lock(&l->lock);
	p = find_process(l, pid);
	if (p) {
		from = p->linked;
		p->linked = all;
	}
	pthread_mutex_unlock(&l->lock);
	return from;
}

static bool is_traced(void *later, pid_t pid)
{
	struct gn_later *l = later;
	bool is;

	pthread_mutex_lock(&l->lock);
	is = find_process(l, pid);
	pthread_mutex_unlock(&l->lock);
	return is;
}

/* News that are forgotten: of how many processes is counted, of the first one
 * since when. */
static void note_overrun(struct gn_later *l, uint64_t since)
{
	l->late++;
	l->overrun = l->overrun ?: since;
}

/* With the lock held. */
static void add_news(struct gn_later *l, const struct news *n)
{
	if (l->nnews == l->news_room && l->news_room < NEWS_MAX) {
		size_t room = l->news_room ? l->news_room * 2 : 64;
		struct news *news = reallocarray(l->news, room, sizeof(*news));

		if (news) {
			l->news = news;
			l->news_room = room;
		}
	}
	if (l->nnews < l->news_room)
		l->news[l->nnews++] = *n;
	else if (n->kind == NEWS_PROCESS || n->kind == NEWS_PROGRAM)
		note_overrun(l, n->since);
	pthread_cond_signal(&l->wake);
}

static void new_thread(struct gn_later *l, const struct gn_rec_thread *r)
{
	struct news n = {.kind = NEWS_PROCESS,
			 .pid = (pid_t)r->pid,
			 .since = r->f.h.time};

	if (r->f.h.tid != r->pid)
		return;
	/* the command becomes its first program with this record */
	if (l->session->child.pid == n.pid)
		n.kind = NEWS_PROGRAM;
	else if (!add_process(l, n.pid, 0) || !l->privates)
		return;
	add_news(l, &n);
}

void gn_later_record(struct gn_later *l, const struct gn_rec *rec)
{
	const struct gn_rec_thread *r = (const void *)rec;
	struct news n = {.since = rec->time};
	struct process *p;

	if (rec->kind != GN_KIND_THREAD && rec->kind != GN_KIND_EXEC &&
	    rec->kind != GN_KIND_EXIT)
		return;
	pthread_mutex_lock(&l->lock);
	if (rec->kind == GN_KIND_THREAD) {
		new_thread(l, r);
	} else if (rec->kind == GN_KIND_EXEC) {
		n.kind = NEWS_PROGRAM;
		n.pid = (pid_t)r->pid;
		n.anew = r->parent != r->pid;
		add_news(l, &n);
	} else if ((p = find_process(l, (pid_t)rec->tid))) {
		/* its number can be another's soon */
		remove_process(l, p);
		n.kind = NEWS_END;
		n.pid = (pid_t)rec->tid;
		add_news(l, &n);
	}
	pthread_mutex_unlock(&l->lock);
}

/* Its processes could have called what was not attached yet. */
static void count_late(struct gn_later *l, uint64_t since)
{
	uint64_t now = gn_now_ns();

	pthread_mutex_lock(&l->lock);
	l->late++;
	l->late_ns += now > since ? now - since : 0;
	pthread_mutex_unlock(&l->lock);
}

static bool stopping(struct gn_later *l)
{
	bool quit;

	pthread_mutex_lock(&l->lock);
	quit = l->quit;
	pthread_mutex_unlock(&l->lock);
	return quit;
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
		.count = g->count,
		.pid = pid,
		.key = (uint32_t)pid,
		.left_out = gn_functions_left_out,
		.ctx = &l->functions,
	};

	return gn_session_link(l->session, l->links, g->prog, &set,
			       &l->refused);
}

/* The links of single processes that this one has not got. Groups are those of
 * the session, and then ours. */
static void link_process(struct gn_later *l, pid_t pid)
{
	const struct gn_probes *first = &l->session->probes;
	size_t all = first->count + l->probes.count;
	size_t i = take_groups(l, pid, all);
	int err = 0;

	for (; !err && i < all; i++) {
		bool ours = i >= first->count;
		const struct gn_probe_group *g =
			ours ? &l->probes.group[i - first->count]
			     : &first->group[i];
		const struct gn_files *files =
			ours ? &l->files : &l->session->files;

		if (gn_session_private(l->session, g->prog,
				       &files->file[g->file]))
			err = link_group(l, files, g, pid);
	}
}

/* With the lock held. */
static int append(struct gn_later *l, const struct gn_rec *rec, size_t size)
{
	if (l->out_size + size > l->out_room) {
		size_t room = l->out_room ? l->out_room * 2 : 1 << 16;
		char *out = realloc(l->out, room);

		if (!out)
			return -ENOMEM;
		l->out = out;
		l->out_room = room;
	}
	memcpy(l->out + l->out_size, rec, size);
	l->out_size += size;
	return 0;
}

static int put_out(void *later, const struct gn_rec *rec, size_t size)
{
	struct gn_later *l = later;
	int err;

	pthread_mutex_lock(&l->lock);
	err = l->quit ? -ECANCELED : append(l, rec, size);
	pthread_mutex_unlock(&l->lock);
	return err;
}

/* The MODULE record of one of our files; the session's are before them. */
static uint32_t module_of(const struct gn_later *l, size_t file)
{
	return (uint32_t)(l->session->files.count + file) + 1;
}

/* Calls of a file's functions are missing. Told even when all ends. */
static void put_unprobed(struct gn_later *l, uint32_t module, pid_t pid,
			 uint64_t since)
{
	struct gn_rec_unprobed r = {
		.h = {.kind = GN_KIND_UNPROBED, .time = gn_now_ns()},
		.module = module,
		.pid = (uint32_t)pid,
		.since = since,
	};

	pthread_mutex_lock(&l->lock);
	append(l, &r.h, sizeof(r));
	pthread_mutex_unlock(&l->lock);
}

/* The process could call whatever has links of single processes. */
static void miss_process(struct gn_later *l, pid_t pid, uint64_t since)
{
	const struct gn_probes *first = &l->session->probes;
	size_t all = first->count + l->probes.count;
	uint32_t told = 0;

	for (size_t i = 0; i < all; i++) {
		bool ours = i >= first->count;
		const struct gn_probe_group *g =
			ours ? &l->probes.group[i - first->count]
			     : &first->group[i];
		const struct gn_files *files =
			ours ? &l->files : &l->session->files;
		uint32_t module =
			ours ? module_of(l, g->file) : (uint32_t)g->file + 1;

		/* groups of a file follow one another */
		if (module == told ||
		    !gn_session_private(l->session, g->prog,
					&files->file[g->file]))
			continue;
		told = module;
		put_unprobed(l, module, pid, since);
	}
	count_late(l, since);
}

static bool has_look(const struct gn_later *l, pid_t pid)
{
	for (size_t i = 0; i < l->nnews; i++)
		if (l->news[i].kind == NEWS_LOOK && l->news[i].pid == pid)
			return true;
	return false;
}

/* With the lock held. */
static void add_look(struct gn_later *l, pid_t pid, uint64_t since)
{
	struct news n = {.kind = NEWS_LOOK, .pid = pid, .since = since};

	if (!has_look(l, pid))
		add_news(l, &n);
}

/* Libraries that were mapped and that can have functions. */
static void take_mapped(struct gn_later *l)
{
	const struct gn_filter *filter = l->session->filter;
	struct gn_mapped_file m;

	while (gn_mapped_next(l->mapped, &m))
		if (m.pid && gn_filter_file(filter, m.path, false))
			add_look(l, m.pid, m.time);
		else if (!m.pid)
			for (size_t i = 0; i < l->nprocesses; i++)
				add_look(l, l->process[i].pid, m.time);
}

void gn_later_serve(struct gn_later *l)
{
	uint64_t n;

	if (!l)
		return;
	if (read(l->event, &n, sizeof(n)) < 0)
		n = 0; /* nothing waits for it */
	pthread_mutex_lock(&l->lock);
	if (l->mapped && !l->quit)
		take_mapped(l);
	for (size_t at = 0; at < l->out_size;) {
		const struct gn_rec_text *r = (const void *)(l->out + at);
		size_t size = r->h.kind == GN_KIND_UNPROBED
				      ? sizeof(struct gn_rec_unprobed)
				      : r->size;

		gn_session_put(l->session, &r->h, size);
		at += size;
	}
	l->out_size = 0;
	pthread_cond_signal(&l->wake);
	pthread_mutex_unlock(&l->lock);
}

/* Until the stream has what was put; false: it will not. */
static bool await_stream(struct gn_later *l)
{
	uint64_t one = 1;
	bool taken;

	if (write(l->event, &one, sizeof(one)) != sizeof(one))
		return false;
	pthread_mutex_lock(&l->lock);
	while (l->out_size && !l->quit)
		pthread_cond_wait(&l->wake, &l->lock);
	taken = !l->out_size;
	pthread_mutex_unlock(&l->lock);
	return taken;
}

static bool is_plain(const struct gn_later *l, const struct plain *p)
{
	for (size_t i = 0; i < PLAIN_MAX && i < l->nplain; i++)
		if (gn_file_same(&l->plain[i].id, &p->id) &&
		    l->plain[i].changed.tv_sec == p->changed.tv_sec &&
		    l->plain[i].changed.tv_nsec == p->changed.tv_nsec)
			return true;
	return false;
}

static bool has_file(const struct gn_files *files, const struct gn_file *file)
{
	for (size_t i = 0; i < files->count; i++)
		if (files->file[i].fd >= 0 &&
		    gn_file_same(&files->file[i].id, &file->id))
			return true;
	return false;
}

/* The functions of one file of the list, which takes it over where there are
 * some: 1, or 0 for none. */
static int plan_file(struct gn_later *l, struct gn_file *file,
		     struct gn_probes *probes)
{
	struct gn_files one = {.file = file, .count = 1};
	struct gn_native_opts opts = {
		.filter = l->session->filter,
		.leave = l->session->opts.leave,
		.return_is_private = l->session->mode == GN_ATTACH_SESSION,
		.follow = true,
		.later = true,
	};
	struct gn_native_stats stats;

	l->functions.files = &one;
	l->functions.probes = probes;
	l->functions.modules =
		(uint32_t)(l->session->files.count + l->files.count);
	l->functions.last_file = 0;
	if (gn_native_walk(&one, &opts, gn_functions_take, &l->functions,
			   &stats))
		return 0; /* no ELF file; what was told of it is never hit */
	l->stats.functions += stats.functions;
	l->stats.by_return += stats.by_return;
	l->stats.by_ret += stats.by_ret;
	l->stats.stepped += stats.stepped;
	l->stats.refused += stats.refused;
	return probes->count > 0;
}

/* Whose code it is, told where the capture's own summary is. */
static void tell(const struct gn_later *l, const struct gn_file *file,
		 pid_t pid, uint32_t functions)
{
	if (l->session->opts.quiet)
		return;
	fprintf(stderr,
		"gnomon: attached: process %d runs '%s': %u native "
		"function%s more\n",
		(int)pid, file->path, functions, functions == 1 ? "" : "s");
}

/* A process that has not got all links of single processes, 0 = none. */
static pid_t next_behind(struct gn_later *l)
{
	size_t all = l->session->probes.count + l->probes.count;
	pid_t pid = 0;

	pthread_mutex_lock(&l->lock);
	l->privates = true;
	for (size_t i = 0; !pid && i < l->nprocesses; i++)
		if (l->process[i].linked < all)
			pid = l->process[i].pid;
	pthread_mutex_unlock(&l->lock);
	return pid;
}

/* A file that has functions: theirs are told, then attached. */
static void attach_file(struct gn_later *l, struct gn_file *file, size_t from)
{
	bool wanted[1] = {true};
	struct gn_files one = {.file = file, .count = 1};
	pid_t pid;

	if (gn_share_find(&one, wanted, is_traced, l))
		file->elsewhere = true;
	if (!await_stream(l))
		return;
	for (size_t i = from; i < l->probes.count; i++)
		if (!gn_session_private(l->session, l->probes.group[i].prog,
					file))
			link_group(l, &l->files, &l->probes.group[i], 0);
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

/* A file that was not seen before. */
static void take_file(struct gn_later *l, struct gn_file *file,
		      const struct news *n)
{
	struct gn_filter *filter = l->session->filter;
	uint32_t first = l->functions.next;
	struct gn_probes probes = {0};
	size_t from = l->probes.count;
	struct plain plain = {.id = file->id};
	struct stat st;

	if (file->fd < 0 || has_file(&l->session->files, file) ||
	    has_file(&l->files, file) ||
	    !gn_filter_file(filter, file->path, file->program) ||
	    fstat(file->fd, &st))
		return;
	plain.changed = st.st_ctim;
	if (is_plain(l, &plain))
		return;
	if (!plan_file(l, file, &probes)) {
		l->plain[l->nplain++ % PLAIN_MAX] = plain;
	} else if (!keep_file(l, file, &probes)) {
		file = &l->files.file[l->files.count - 1];
		attach_file(l, file, from);
		put_unprobed(l, module_of(l, l->files.count - 1), n->pid,
			     n->since);
		count_late(l, n->since);
		tell(l, file, n->pid, l->functions.next - first);
	}
	gn_probes_free(&probes);
}

static void take_files(struct gn_later *l, const struct news *n)
{
	struct gn_files files = {0};

	/* of a process that has ended there is nothing to attach to */
	if (!gn_files_of_process(n->pid, &files))
		for (size_t i = 0; i < files.count && !stopping(l); i++)
			take_file(l, &files.file[i], n);
	gn_files_free(&files);
}

/* What a process has mapped, if it is a traced one. */
static void look(struct gn_later *l, const struct news *n)
{
	struct news again = *n;

	if (is_traced(l, n->pid)) {
		take_files(l, n);
		return;
	}
	if (n->again)
		return;
	again.again = true;
	again.due = gn_now_ns() + KNOWN_AFTER_NS;
	pthread_mutex_lock(&l->lock);
	add_news(l, &again);
	pthread_mutex_unlock(&l->lock);
}

/* Threads can outlive the first one of their process, and another process can
 * have its number. */
static bool has_ended(pid_t pid)
{
	char path[64];
	struct dirent *entry;
	bool others = false;
	DIR *dir;

	snprintf(path, sizeof(path), "/proc/%d/exe", (int)pid);
	if (!access(path, F_OK))
		return false;
	snprintf(path, sizeof(path), "/proc/%d/task", (int)pid);
	dir = opendir(path);
	while (dir && (entry = readdir(dir)))
		others = others || (entry->d_name[0] != '.' &&
				    atoi(entry->d_name) != (int)pid);
	if (dir)
		closedir(dir);
	return !others;
}

/* A thread became the first one of its process: links are of that one. */
static void link_anew(struct gn_later *l, pid_t pid)
{
	struct process *p;

	gn_links_remove(l->links, (uint32_t)pid);
	pthread_mutex_lock(&l->lock);
	p = find_process(l, pid);
	if (p)
		p->linked = 0;
	pthread_mutex_unlock(&l->lock);
	link_process(l, pid);
}

static void handle(struct gn_later *l, const struct news *n)
{
	switch (n->kind) {
	case NEWS_PROCESS:
		link_process(l, n->pid);
		miss_process(l, n->pid, n->since);
		break;
	case NEWS_PROGRAM:
		if (n->anew && l->privates) {
			link_anew(l, n->pid);
			miss_process(l, n->pid, n->since);
		}
		take_files(l, n);
		break;
	case NEWS_LOOK:
		look(l, n);
		break;
	case NEWS_END:
		if (!has_ended(n->pid))
			break;
		gn_links_remove(l->links, (uint32_t)n->pid);
		break;
	}
}

/* The next to do: what is due, ends last, for removing takes its time. With
 * the lock held; false: none, and `due` is when one will be. */
static bool next_news(struct gn_later *l, struct news *out, uint64_t *due)
{
	uint64_t now = gn_now_ns();
	size_t best = l->nnews;

	*due = UINT64_MAX;
	for (size_t i = 0; i < l->nnews; i++) {
		const struct news *n = &l->news[i];

		if (n->due > now) {
			*due = n->due < *due ? n->due : *due;
			continue;
		}
		if (best == l->nnews ||
		    (l->news[best].kind == NEWS_END && n->kind != NEWS_END))
			best = i;
		if (n->kind != NEWS_END)
			break;
	}
	if (best == l->nnews)
		return false;
	*out = l->news[best];
	l->nnews--;
	memmove(l->news + best, l->news + best + 1,
		(l->nnews - best) * sizeof(*l->news));
	return true;
}

static void await_news(struct gn_later *l, uint64_t due)
{
	struct timespec at = {.tv_sec = (time_t)(due / 1000000000u),
			      .tv_nsec = (long)(due % 1000000000u)};

	if (due == UINT64_MAX)
		pthread_cond_wait(&l->wake, &l->lock);
	else
		pthread_cond_clockwait(&l->wake, &l->lock, CLOCK_MONOTONIC,
				       &at);
}

/* At the end: those that nobody came to. */
static void miss_rest(struct gn_later *l)
{
	if (l->overrun)
		miss_process(l, 0, l->overrun);
	for (size_t i = 0; i < l->nnews; i++)
		if (l->news[i].kind == NEWS_PROCESS ||
		    (l->news[i].kind == NEWS_PROGRAM && l->news[i].anew))
			miss_process(l, l->news[i].pid, l->news[i].since);
}

static void *work(void *later)
{
	struct gn_later *l = later;
	struct news n;
	uint64_t due;

	pthread_mutex_lock(&l->lock);
	while (!l->quit) {
		if (!next_news(l, &n, &due)) {
			await_news(l, due);
			continue;
		}
		pthread_mutex_unlock(&l->lock);
		handle(l, &n);
		pthread_mutex_lock(&l->lock);
	}
	pthread_mutex_unlock(&l->lock);
	miss_rest(l);
	return NULL;
}

static int start(struct gn_later *l)
{
	sigset_t all, before;
	int err;

	/* signals are the process's own thread's */
	sigfillset(&all);
	pthread_sigmask(SIG_BLOCK, &all, &before);
	err = pthread_create(&l->thread, NULL, work, l);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	return -err;
}

static bool has_privates(const struct gn_session *s)
{
	for (size_t i = 0; i < s->probes.count; i++) {
		const struct gn_probe_group *g = &s->probes.group[i];

		if (gn_session_private(s, g->prog, &s->files.file[g->file]))
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

/* Without it there is still what is mapped now. */
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
			 "kernel does not tell of them (%s)",
			 strerror(-err));
}

int gn_later_new(struct gn_session *s, const pid_t *pids, size_t n)
{
	struct gn_later *l = calloc(1, sizeof(*l));
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
	l->functions.put = put_out;
	l->functions.ctx = l;
	l->links = gn_links_new();
	err = open_events(l);
	if (!err && !l->links)
		err = -ENOMEM;
	if (!err && gn_filter_libraries(s->filter))
		watch_mapped(l);
	for (size_t i = 0; !err && i < n; i++) {
		add_process(l, pids[i], s->probes.count);
		/* what it has mapped since it was looked at */
		if (l->mapped && !s->opts.command)
			add_look(l, pids[i], gn_now_ns());
	}
	if (!err)
		err = start(l);
	if (!err) {
		s->later = l;
		return 0;
	}
	l->quit = true;
	gn_later_free(l);
	return err;
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
	l->quit = true;
	pthread_cond_signal(&l->wake);
	pthread_mutex_unlock(&l->lock);
	pthread_join(l->thread, NULL);
}

bool gn_later_sum(const struct gn_later *l, struct gn_native_stats *stats)
{
	if (!l || !l->stats.functions)
		return false;
	stats->functions += l->stats.functions;
	stats->by_return += l->stats.by_return;
	stats->by_ret += l->stats.by_ret;
	stats->stepped += l->stats.stepped;
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
	free(l->process);
	free(l->news);
	free(l->out);
	free(l);
}
