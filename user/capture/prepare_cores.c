/* SPDX-License-Identifier: BSD-2-Clause */
/* Prepares a session for runtimes that have the sites in their own file: in
 * processes that run already, and in those that traced ones will start. */
#include "capture/prepare.h"

#include <errno.h>

#include "capture/unseen.h"
#include "runtime/runtime.h"

struct starts {
	struct gn_session *session;
	const struct gn_runtime *runtime;
};

int gn_prepare_cores(struct gn_session *s)
{
	int err = 0;

	for (size_t i = 0; err != -ENOMEM && i < s->files.count; i++) {
		const struct gn_file *file = &s->files.file[i];
		const struct gn_runtime *rt = gn_runtime_with_core(file->path);

		if (!rt || file->fd < 0)
			continue;
		err = gn_prepare_sites(s, rt, i);
		if (err)
			gn_unseen_siteless(s->unseen, rt);
	}
	return err == -ENOMEM ? gn_session_fail(s, err, 1, "no memory") : 0;
}

static bool has_sites(const struct gn_session *s, size_t file)
{
	for (size_t i = 0; i < s->probes.count; i++)
		if (s->probes.group[i].file == file &&
		    s->probes.group[i].prog == GN_PROG_MANAGED)
			return true;
	return false;
}

/* A runtime that lacks sites or cannot be read is no error: it may never be
 * started. */
static int take_core(void *ctx, const char *path)
{
	struct starts *starts = ctx;
	struct gn_session *s = starts->session;
	size_t file, had = s->files.count;
	int err = gn_files_add(&s->files, path, false, &file);

	if (s->files.count > had)
		s->files.file[file].awaited = true;
	if (!err && !has_sites(s, file)) {
		size_t before = s->runtimes;

		err = gn_prepare_sites(s, starts->runtime, file);
		s->may_start += s->runtimes - before;
	}
	return err == -ENOMEM || err == -EMFILE ? err : 0;
}

/* Programs on a runtime with a library seldom start a runtime without one, and
 * the probes for it would make their start longer by a third. */
static bool has_library(const struct gn_session *s)
{
	const struct gn_runtime *rt;

	for (size_t i = 0; (rt = gn_runtime_at(i)); i++) {
		if (!rt->library || rt->preloaded)
			continue;
		if (s->opts.command && gn_runtime_starts(rt, s->program))
			return true;
		for (size_t k = 0; k < s->files.count; k++)
			if (gn_runtime_is_core(rt, s->files.file[k].path))
				return true;
	}
	return false;
}

int gn_prepare_started(struct gn_session *s)
{
	struct starts starts = {.session = s};
	size_t had = s->probes.count;
	int err = 0;

	if (!gn_prepare_sets_up(s) || !s->opts.follow || has_library(s))
		return 0;
	for (size_t i = 0; !err && (starts.runtime = gn_runtime_at(i)); i++)
		if (starts.runtime->find_cores)
			err = starts.runtime->find_cores(take_core, &starts);
	if (err)
		return gn_session_fail(s, err, 1, "no memory");
	if (s->probes.count > had)
		gn_prepare_links(s);
	return 0;
}
