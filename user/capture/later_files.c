/* SPDX-License-Identifier: BSD-2-Clause */
/* Probes the files that processes map while the capture runs. */
#include <errno.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "capture/clock.h"
#include "capture/later_parts.h"
#include "capture/tell.h"
#include "process/parent.h"

/* A debugger does not get to see its own breakpoints at the places of probes.
 */
static void tell_debugged(const struct gn_later_news *n)
{
	char name[GN_DEBUGGER_NAME];

	if (gn_process_is_debugged((uint32_t)n->pid, name))
		gn_error("process %d runs under %s, which does not stop at "
			 "breakpoints at the begin or the end of functions "
			 "that -f names",
			 (int)n->pid, name);
}

/* Names the file, where the capture's own summary goes (stderr). */
static void tell(const struct gn_later *l, const struct gn_file *file,
		 const struct gn_later_news *n, uint32_t functions)
{
	if (l->session->opts.quiet)
		return;
	gn_error("attached: process %d %s '%s': %u more native function%s",
		 (int)n->pid, n->kind == GN_NEWS_GATE ? "starts" : "runs",
		 file->path, functions, functions == 1 ? "" : "s");
	tell_debugged(n);
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
	gn_later_fail(l, err, since);
	if (gn_later_lacks(err) && l->functions.last_file)
		gn_later_lose(l, l->functions.modules + 1, since);
}

/* Gives a file its probes. */
static void probe_file(struct gn_later *l, struct gn_file *file,
		       const struct gn_later_news *n, const struct stat *st)
{
	uint32_t first = l->functions.next;
	struct gn_probes probes = {0};
	size_t from = l->probes.count;
	int got = gn_later_plan(l, file, &probes);

	if (!got) {
		gn_later_note_plain(l, &file->id, st);
	} else if (got == -ECANCELED) {
		/* it has functions of -f; gn_later_miss_library() counts
		 * libraries */
		if (file->program && !n->path)
			gn_later_count_late(l, n->pid, n->since,
					    gn_later_until_now(l));
		if (file->program)
			gn_later_cut_off(l, file->path);
	} else if (got < 0 || (got = keep_file(l, file, &probes))) {
		lose_file(l, got, n->since);
	} else {
		size_t at = l->files.count - 1;

		file = &l->files.file[at];
		gn_later_note_name(file);
		gn_written_guard(l->session->written, file,
				 gn_later_module(l, at), 0);
		gn_later_attach(l, file, from);
		file->probed = gn_now_ns();
		if (n->kind != GN_NEWS_GATE)
			gn_later_miss_file(l, at, n->pid, n->since,
					   file->probed);
		gn_later_miss_gone(l, at);
		tell(l, file, n, l->functions.next - first);
	}
	gn_probes_free(&probes);
}

/* Gives a file its probes, if it was not seen before, or was written since. */
static void take_file(struct gn_later *l, struct gn_file *file,
		      const struct gn_later_news *n, uint64_t told)
{
	struct stat st;

	if (file->fd < 0 ||
	    gn_later_has_file(l, &l->session->files, &file->id) ||
	    take_kept(l, file, n, told) ||
	    !gn_filter_file(l->session->filter, file->path, file->program) ||
	    fstat(file->fd, &st) || gn_later_is_plain(l, &st))
		return;
	if (has_twin(l, &l->session->files, file->fd) ||
	    has_twin(l, &l->files, file->fd)) {
		/* its twin has the probes */
		gn_later_note_plain(l, &file->id, &st);
		return;
	}
	probe_file(l, file, n, &st);
}

void gn_later_take_program(struct gn_later *l, struct gn_file *file,
			   const struct gn_later_news *n)
{
	/* it runs when the file has its probes, so nothing is missing */
	take_file(l, file, n, UINT64_MAX);
}

void gn_later_take_files(struct gn_later *l, const struct gn_later_news *n)
{
	uint64_t told = gn_later_told(l, n->pid, n->since);
	struct gn_files files = {0};
	int err = gn_later_files_of(n->pid, &files);
	size_t taken = 0;

	gn_later_fail(l, err, n->since);
	/* nothing to attach to if the process has ended */
	if (!err)
		for (; taken < files.count && !gn_later_stopping(l); taken++)
			take_file(l, &files.file[taken], n, told);
	if (n->kind == GN_NEWS_PROGRAM && !gn_later_lacks(err) &&
	    (!files.count || taken < files.count))
		gn_later_ended_early(l, n);
	gn_files_free(&files);
}

void gn_later_miss_library(struct gn_later *l, const struct gn_later_news *n)
{
	if (!n->file.ino || gn_later_knows_file(l, &n->file))
		return;
	/* there can have been no room for its path */
	if (n->path)
		gn_filter_miss(l->session->filter, n->path);
	gn_later_count_late(l, n->pid, n->since, gn_later_until_now(l));
}

void gn_later_look_at(struct gn_later *l, struct gn_later_news *n)
{
	struct gn_later_news again = *n;
	bool traced = gn_later_traced(l, n->pid);

	if (traced)
		gn_later_take_files(l, n);
	if (traced || gn_later_was_traced(l, n->pid, n->since)) {
		gn_later_miss_library(l, n);
		return;
	}
	if (n->again)
		return;
	n->path = NULL; /* `again` owns it now */
	again.again = true;
	pthread_mutex_lock(&l->lock);
	gn_later_ask(l, &again);
	pthread_mutex_unlock(&l->lock);
}
