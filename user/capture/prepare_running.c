/* SPDX-License-Identifier: BSD-2-Clause */
/* Prepares a session for the runtime of a process that runs already. */
#include "capture/prepare.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include <gnomon/path.h>
#include "capture/unseen.h"
#include "runtime/runtime.h"

/* Looks at files from `first` on. */
static const struct gn_runtime *mapped_runtime(const struct gn_session *s,
					       size_t first,
					       const struct gn_file **core)
{
	const struct gn_runtime *rt;

	for (size_t i = 0; (rt = gn_runtime_at(i)); i++)
		for (size_t k = first; k < s->files.count; k++)
			if (gn_runtime_is_core(rt, s->files.file[k].path)) {
				*core = &s->files.file[k];
				return rt;
			}
	return NULL;
}

/* The preloaded runtime that the process has as a library, or NULL. */
static const struct gn_runtime *library_runtime(const struct gn_session *s,
						size_t first)
{
	const struct gn_runtime *rt;

	for (size_t i = 0; (rt = gn_runtime_at(i)); i++)
		for (size_t k = first; rt->preloaded && k < s->files.count;
		     k++) {
			const char *path = s->files.file[k].path;

			if (!strncmp(gn_base_name(path), "lib", 3) &&
			    gn_runtime_is_interpreter(rt, path))
				return rt;
		}
	return NULL;
}

/* Warns if the process is a launcher: one that waits for the program that it
 * has started, or one that will become the runtime itself. */
static void note_none(struct gn_session *s, pid_t pid, size_t first)
{
	const struct gn_runtime *rt, *library = NULL;
	pid_t child = gn_runtime_child(pid, &rt);

	if (child)
		snprintf(
			s->warning, sizeof(s->warning),
			"process %d has no runtime, but its child %d has (%s): "
			"trace that with -p %d",
			(int)pid, (int)child, rt->title, (int)child);
	else if ((rt = gn_runtime_launched(pid)
			       ?: (library = library_runtime(s, first))) &&
		 rt->preloaded)
		snprintf(s->warning, sizeof(s->warning),
			 "process %d (%s) was already running: %s", (int)pid,
			 rt->title,
			 library && rt->embedded ? rt->embedded : rt->attached);
	else if (rt)
		snprintf(s->warning, sizeof(s->warning),
			 "process %d can start the %s, but has not loaded it; "
			 "attach again when it has, or start it under gnomon",
			 (int)pid, rt->title);
	s->no_runtime |= rt != NULL;
}

/* NULL: samples name no functions. */
static const char *sampled_language(const struct gn_runtime *rt)
{
	return rt->sampled ? rt->language : NULL;
}

/* Notes the language if the process is an interpreter, whether or not calls are
 * asked for. */
static void note_sampled(struct gn_session *s, pid_t pid, size_t first)
{
	const struct gn_runtime *rt =
		gn_runtime_launched(pid) ?: library_runtime(s, first);

	if (rt && rt->preloaded)
		s->sampled = sampled_language(rt);
}

static enum gn_wait step(void *ctx)
{
	const struct gn_session *s = ctx;
	const struct gn_step *asked = s->opts.step;

	return asked && asked->fn(asked->ctx, true, 0, 0) ? GN_WAIT_ENOUGH
							  : GN_WAIT_ON;
}

int gn_prepare_await(struct gn_session *s, pid_t pid)
{
	int err = s->opts.nfunctions && !gn_prepare_managed(s)
			  ? 0
			  : gn_runtime_await(pid, step, s);

	return err ? gn_session_fail(s, err, 1, "attaching was interrupted")
		   : 0;
}

/* Whether it was started with what makes it report functions; <0: not known. */
static int was_told(const struct gn_runtime *rt, const struct gn_file *core,
		    pid_t pid)
{
	char place[GN_FILE_PLACE];

	return core && core->fd >= 0
		       ? gn_runtime_was_told(rt, gn_file_place(core->fd, place),
					     pid)
		       : -ENOENT;
}

/* Warns of what a runtime without a library does not report to a gnomon that
 * comes later. `told`: was_told(). */
static void note_attached(struct gn_session *s, pid_t pid,
			  const struct gn_runtime *rt, int told)
{
	const char *values = gn_prepare_asks_values(s) ? GN_VALUELESS_TEXT : "";

	s->valueless = *values;
	s->called = told != 0;
	/* a PHP that lacks these options also lacks sites in its functions */
	s->no_runtime |=
		told == 0 || !rt->options || (told == -ENOENT && rt->hooks_all);
	if (told <= 0)
		s->sampled = sampled_language(rt);
	gn_unseen_running(s->unseen, (uint32_t)pid, rt);
	if (told > 0 && !*values)
		return;
	snprintf(s->warning, sizeof(s->warning),
		 "process %d (%s) was already running: %s%s%s", (int)pid,
		 rt->title,
		 told > 0    ? ""
		 : told == 0 ? rt->untold
			     : rt->attached,
		 told <= 0 && *values ? "; " : "", values);
}

int gn_prepare_running(struct gn_session *s, pid_t pid, size_t first)
{
	const struct gn_file *core = NULL;
	const struct gn_runtime *rt = mapped_runtime(s, first, &core);
	bool packed;
	int told;

	/* a runtime that is packed into the program has no file of its own */
	if (!rt) {
		rt = gn_runtime_running(pid, &packed);
		/* its file is there already, of another process */
		if (mapped_runtime(s, 0, &core) != rt)
			core = NULL;
	}
	if (!rt) {
		if (!s->light)
			note_none(s, pid, first);
		note_sampled(s, pid, first);
		return 0;
	}
	told = rt->attach ? -ENOENT : was_told(rt, core, pid);
	if (gn_prepare_methods(s, rt) && rt->methods->attach && told <= 0 &&
	    !gn_runtime_has_musl(pid)) {
		gn_unseen_running(s->unseen, (uint32_t)pid, rt);
		return gn_running_add(s, pid, rt->methods);
	}
	if (rt->attach && (s->light || s->opts.clr_hooks != GN_CLR_HOOKS_ELT))
		return gn_running_add(s, pid, rt);
	s->late_for_elt = rt->attach ? pid : 0;
	if (rt->attach)
		snprintf(s->warning, sizeof(s->warning),
			 "process %d (%s) was already running: %s; --clr-hooks "
			 "elt is for programs that gnomon starts; leave it out "
			 "to see more",
			 (int)pid, rt->title, rt->attached);
	else
		note_attached(s, pid, rt, told);
	return 0;
}
