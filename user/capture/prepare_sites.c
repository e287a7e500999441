/* SPDX-License-Identifier: BSD-2-Clause */
/* Plans the probes of a runtime's sites. */
#include "capture/prepare.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "capture/denied.h"
#include "runtime/runtime.h"

int gn_prepare_sites(struct gn_session *s, const struct gn_runtime *rt,
		     size_t file)
{
	char place[GN_FILE_PLACE];
	int err;

	gn_file_place(s->files.file[file].fd, place);
	/* a kernel that turns probes on five-byte nops into calls does not give
	 * a forked child the code that is called */
	s->files.file[file].nop5 = rt->library && !rt->preloaded;
	err = gn_runtime_probes(rt, place, file, s->opts.families, &s->specs,
				&s->probes);
	if (!err && rt->library && s->mute &&
	    gn_mute_library(s->mute, rt->id, place))
		err = -ENOMEM;
	if (!err && rt->name)
		err = gn_prepare_measured(s, rt);
	s->runtimes += !err;
	if (!err && rt->options && gn_prepare_sets_up(s))
		err = gn_prepare_setup(s, rt, place, file);
	return err;
}

/* Fails. What gnomon itself lacks is not blamed on the library. */
static int fail_library(struct gn_session *s, int err, const char *library)
{
	if (err == -ENOMEM)
		return gn_session_fail(s, err, 1, "no memory");
	if (err == -EAGAIN)
		return gn_session_no_thread(s, err);
	if (err == -ENFILE)
		return gn_session_fail(s, err, 1,
				       "the system has no file descriptors "
				       "left; raise its limit (fs.file-max)");
	return gn_session_fail(s, err == -EMFILE ? err : -EIO, 1,
			       "the hook sites of '%s' cannot be read (%s); "
			       "install gnomon again",
			       library, strerror(-err));
}

int gn_prepare_library_at(struct gn_session *s, const struct gn_runtime *rt,
			  const char *place, const char *library)
{
	size_t file;
	int err = gn_files_add(&s->files, place, false, &file);

	if (!err && s->files.file[file].hooksite)
		return 0; /* two processes have the same copy */
	if (!err) {
		s->files.file[file].hooksite = true;
		err = gn_prepare_sites(s, rt, file);
	}
	return err ? fail_library(s, err, library) : 0;
}

int gn_prepare_copy(struct gn_session *s, const struct gn_runtime *rt, int fd,
		    const char *path)
{
	char place[GN_FILE_PLACE];

	return gn_prepare_library_at(s, rt, gn_file_place(fd, place), path);
}

int gn_prepare_library(struct gn_session *s, const struct gn_runtime *rt,
		       const char *path)
{
	return gn_prepare_library_at(s, rt, path, path);
}

bool gn_prepare_sets_up(const struct gn_session *s)
{
	return !s->light && !gn_prepare_nothing(s) &&
	       gn_capable(CAP_SYS_PTRACE);
}

int gn_prepare_setup(struct gn_session *s, const struct gn_runtime *rt,
		     const char *place, size_t file)
{
	struct gn_runtime_setup *grown;
	int err;

	grown = reallocarray(s->setups, s->nsetups + 1, sizeof(*grown));
	if (!grown)
		return -ENOMEM;
	s->setups = grown;
	err = gn_runtime_plan_setup(rt, place, file, (uint32_t)s->nsetups,
				    &s->specs, &s->probes, &grown[s->nsetups]);
	s->nsetups += !err;
	s->files.file[file].begins |= !err;
	return err == -ENOMEM ? err : 0;
}

void gn_prepare_links(struct gn_session *s)
{
	/* kernels with session links never need this */
	s->by_thread = s->mode == GN_ATTACH_MULTI && !gn_attach_whole_process();
}
