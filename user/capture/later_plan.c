/* SPDX-License-Identifier: BSD-2-Clause */
/* Plans the functions of a file that appeared while the capture runs. */
#include "capture/later_parts.h"

#include <errno.h>
#include <string.h>

#include "capture/tell.h"
#include "elf/elf_file.h"

static bool is_same(const struct gn_later_plain *p, const struct stat *st)
{
	return p->dev == st->st_dev && p->ino == st->st_ino &&
	       p->changed.tv_sec == st->st_ctim.tv_sec &&
	       p->changed.tv_nsec == st->st_ctim.tv_nsec;
}

bool gn_later_is_plain(struct gn_later *l, const struct stat *st)
{
	bool is = false;

	pthread_mutex_lock(&l->lock);
	for (size_t i = 0; !is && i < GN_PLAIN_MAX && i < l->nplain; i++)
		is = is_same(&l->plain[i], st);
	pthread_mutex_unlock(&l->lock);
	return is;
}

void gn_later_note_plain(struct gn_later *l, const struct gn_file_id *id,
			 const struct stat *st)
{
	pthread_mutex_lock(&l->lock);
	l->plain[l->nplain++ % GN_PLAIN_MAX] = (struct gn_later_plain){
		*id, st->st_dev, st->st_ino, st->st_ctim};
	pthread_mutex_unlock(&l->lock);
}

bool gn_later_has_file(const struct gn_later *l, const struct gn_files *files,
		       const struct gn_file_id *id)
{
	for (size_t i = 0; i < files->count; i++)
		if (files->file[i].fd >= 0 &&
		    gn_file_same(&files->file[i].id, id) &&
		    !gn_written_is(l->session->written, files->file[i].fd))
			return true;
	return false;
}

bool gn_later_knows_file(const struct gn_later *l, const struct gn_file_id *id)
{
	for (size_t i = 0; i < GN_PLAIN_MAX && i < l->nplain; i++)
		if (gn_file_same(&l->plain[i].id, id))
			return true;
	return gn_later_has_file(l, &l->session->files, id) ||
	       gn_later_has_file(l, &l->files, id);
}

bool gn_later_lacks(int err)
{
	return err == -EMFILE || err == -ENOMEM || err == -E2BIG;
}

int gn_later_plan(struct gn_later *l, struct gn_file *file,
		  struct gn_probes *probes)
{
	struct gn_files one = {.file = file, .count = 1};
	struct gn_native_opts opts = {
		.filter = l->session->filter,
		.usdt = gn_functions_take_usdt,
		.landing = gn_functions_take_landing,
		.result = gn_functions_result,
		.results = &l->functions,
		.leave = l->session->opts.leave,
		.return_is_private = l->session->mode == GN_ATTACH_SESSION,
		.follow = true,
		.later = true,
	};
	struct gn_native_stats stats;
	char place[GN_FILE_PLACE];
	int err;

	l->functions.files = &one;
	l->functions.probes = probes;
	l->functions.modules =
		(uint32_t)(l->session->files.count + l->files.count);
	l->functions.last_file = 0;
	err = gn_native_walk(&one, &opts, gn_functions_take, &l->functions,
			     &stats);
	if (err == -ENOEXEC && !l->narrow &&
	    gn_elf_has_32_bits(gn_file_place(file->fd, place)))
		l->narrow = strdup(file->path);
	if (err)
		/* no ELF file; functions announced for it are never hit */
		return gn_later_lacks(err) || err == -ECANCELED ? err : 0;
	gn_functions_tell_left(&stats);
	gn_native_add(&l->stats, &stats);
	return probes->count > 0;
}

void gn_later_fail(struct gn_later *l, int err, uint64_t since)
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
