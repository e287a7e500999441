/* SPDX-License-Identifier: BSD-2-Clause */
/* Attaches probes of files and links of processes that appear while the capture
 * runs. */
#include <string.h>

#include <gnomon/hook.h>
#include <gnomon/spec.h>
#include "capture/clock.h"
#include "capture/later_parts.h"
#include "capture/setter.h"
#include "process/ended.h"
#include "process/inside.h"
#include "process/parent.h"
#include "process/share.h"

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

void gn_later_link(struct gn_later *l, pid_t pid)
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
	gn_later_fail(l, err, gn_now_ns());
}

/* Whether the process of which `mapped` lists the files, if there are any, has
 * not come to the program: neither it nor its parent runs it. */
static bool runs_another(const struct gn_file *program, pid_t pid,
			 const struct gn_files *mapped)
{
	struct gn_files above = {0};
	uint32_t parent = 0;
	bool another;

	gn_process_and_parent((uint32_t)pid, &parent);
	another = mapped->count && !gn_files_have(mapped, &program->id) &&
		  parent && !gn_later_files_of((pid_t)parent, &above) &&
		  !gn_files_have(&above, &program->id);
	gn_files_free(&above);
	return another;
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
	bool asked, later = file->probed && file->program;
	int err = 0;

	/* the session's thread looks at what is mapped */
	pthread_mutex_lock(&l->lock);
	asked = file->asked;
	pthread_mutex_unlock(&l->lock);
	if (!pid || (!asked && !file->awaited && !later))
		return true;
	if (!mapped->count)
		err = gn_later_files_of(pid, mapped);
	if (later)
		return err || !runs_another(file, pid, mapped);
	if (!err)
		return gn_files_have(mapped, &file->id);
	return asked || !file->begins ||
	       gn_setter_began(l->session->setter, pid, since);
}

/* Whether all probes of the group are where handlers of exceptions begin:
 * there, no call is missed. */
static bool has_no_functions(const struct gn_probe_group *g)
{
	for (size_t i = 0; i < g->count; i++)
		if (GN_COOKIE_SPEC(g->cookies[i]) != GN_SPEC_LANDED)
			return false;
	return g->prog == GN_PROG_NATIVE;
}

/* Notes who keeps the file's probes from being in place for each process that
 * comes. Children of traced processes are told of as such. */
static void note_other(struct gn_later *l, const struct gn_file *file)
{
	uint32_t parent = 0;
	char name[32];

	if (!file->other || l->other[0])
		return;
	gn_process_and_parent((uint32_t)file->other, &parent);
	if (parent && gn_later_traced(l, (pid_t)parent))
		return;
	gn_inside_read(file->other, "comm", name, sizeof(name));
	name[strcspn(name, "\n")] = '\0';
	pthread_mutex_lock(&l->lock);
	snprintf(l->other, sizeof(l->other), "%d %s", (int)file->other, name);
	pthread_mutex_unlock(&l->lock);
}

void gn_later_miss(struct gn_later *l, pid_t pid, uint64_t since)
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
		    !gn_session_private(l->session, file, g->prog) ||
		    has_no_functions(g))
			continue;
		last = module;
		if (!could_call(l, file, pid, since, &mapped))
			continue;
		told = true;
		note_other(l, file);
		gn_later_put_unprobed(l, module, false, pid, since,
				      gn_later_until_now(l));
	}
	gn_files_free(&mapped);
	if (told)
		gn_later_count_late(l, pid, since, gn_later_until_now(l));
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

void gn_later_attach(struct gn_later *l, struct gn_file *file, size_t from)
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
	gn_later_fail(l, err, gn_now_ns());
	if (!file->elsewhere)
		return;
	while ((pid = next_behind(l)))
		gn_later_link(l, pid);
}

/* Includes the links of the session: to the kernel the old leader still is a
 * thread of the process, so old and new links would both see a call. */
void gn_later_unlink(struct gn_later *l, pid_t pid)
{
	gn_written_begin(l->session->written, 0);
	gn_links_remove(l->links, (uint32_t)pid);
	gn_links_remove(l->session->links, (uint32_t)pid);
	gn_written_end(l->session->written);
}

void gn_later_link_anew(struct gn_later *l, pid_t pid)
{
	struct gn_later_process *p;

	gn_later_unlink(l, pid);
	pthread_mutex_lock(&l->lock);
	p = gn_later_find(l, pid);
	if (p)
		p->linked = 0;
	pthread_mutex_unlock(&l->lock);
	gn_later_link(l, pid);
}

bool gn_later_has_privates(const struct gn_session *s)
{
	for (size_t i = 0; i < s->probes.count; i++) {
		const struct gn_probe_group *g = &s->probes.group[i];

		if (gn_session_private(s, &s->files.file[g->file], g->prog))
			return true;
	}
	return false;
}

/* Threads can outlive the leader, which has no memory then. */
int gn_later_files_of(pid_t pid, struct gn_files *files)
{
	return gn_files_of_process(gn_process_living(pid) ?: pid, files);
}
