/* SPDX-License-Identifier: BSD-2-Clause */
/* Prepares a session for runtimes: the probes of their sites, and what the
 * command needs at its start. */
#include "capture/prepare.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <gnomon/preload.h>
#include "capture/denied.h"
#include "capture/fast_clock.h"
#include "capture/preload.h"
#include "capture/unseen.h"
#include "elf/elf_file.h"
#include "process/parent.h"
#include "runtime/preload.h"
#include "runtime/runtime.h"
#include "runtime/values.h"

static const char *own_variable(const void *env, const char *name)
{
	(void)env;
	return getenv(name);
}

/* Warns if the runtime will not load the library. It runs in the environment of
 * the command, and as its user. */
static void check_loads(struct gn_session *s, const struct gn_runtime *rt,
			const char *library)
{
	const struct gn_user *u = &s->opts.user;
	const char *why =
		rt->hindered ? rt->hindered(own_variable, NULL) : NULL;
	bool can = !u->other || gn_user_can_read(u, library);

	if ((can && !why) || !gn_runtime_starts(rt, s->program))
		return;
	s->no_runtime = true;
	s->no_library = !can;
	if (!can)
		snprintf(s->warning, sizeof(s->warning),
			 "'%s' cannot be read by user %u, so managed functions "
			 "are not traced; install gnomon (cmake --install), or "
			 "let that user read the folder",
			 library, (unsigned int)u->uid);
	else
		snprintf(s->warning, sizeof(s->warning),
			 "%s is 0, so the %s does not load gnomon's hook-site "
			 "library, and managed functions are not traced; unset "
			 "it",
			 why, rt->title);
}

static int plan_library(struct gn_session *s, const struct gn_runtime *rt,
			char *library)
{
	bool musl = s->opts.command && gn_elf_needs_musl(s->program);
	int err = gn_runtime_library(rt, musl, library, PATH_MAX);

	if (err) {
		/* other programs need no library */
		if (!s->opts.command || !gn_runtime_starts(rt, s->program))
			return -ENOENT;
		s->no_library = true;
		snprintf(s->warning, sizeof(s->warning),
			 "the hook-site library '%s' is missing, so managed "
			 "functions are not traced; install gnomon again",
			 musl ? rt->library_musl : rt->library);
		return -ENOENT;
	}
	err = gn_prepare_library_at(s, rt, library, library);
	if (err)
		return err;
	if (s->opts.command)
		check_loads(s, rt, library);
	return 0;
}

/* Leaves a runtime out: its options would slow down threads that are not
 * traced. */
static int leave_apart(struct gn_session *s, const struct gn_runtime *rt)
{
	const char *glob = gn_filter_unmatched(s->filter);

	if (glob && gn_prepare_managed(s) && !s->native.functions &&
	    !s->native.usdt)
		return gn_session_fail(s, -EINVAL, 2,
				       "no function matches '%s'; %s", glob,
				       rt->apart);
	snprintf(s->warning, sizeof(s->warning), "%s", rt->apart);
	s->no_runtime = true;
	return -ENOENT;
}

/* Finds the preloaded library. Returns why the command cannot have it. */
static const char *find_preload(const struct gn_session *s, char *library)
{
	return gn_preload_unfit(s->program, s->opts.user.uid)
		       ?: gn_preload_find(s, &gn_runtime_preload, library);
}

/* Plans the hooks of a library in a runtime that the command starts. Without
 * them `library` becomes empty, and *why, if they were
 * asked for, says why. */
static int plan_methods(struct gn_session *s, const struct gn_runtime *rt,
			char *library, const char **why)
{
	int err;

	*why = NULL;
	*library = '\0';
	if (!gn_prepare_methods(s, rt) || gn_prepare_nothing(s))
		return 0;
	*why = find_preload(s, library)
		       ?: gn_preload_find(s, rt->methods, library);
	if (*why) {
		*library = '\0';
		return 0;
	}
	err = gn_prepare_library_at(s, rt->methods, library, library);
	s->methods = !err && !rt->hooks_all;
	return err;
}

/* Warns of values that the runtime does not give. */
static void note_valueless(struct gn_session *s, const struct gn_runtime *rt)
{
	s->valueless = gn_prepare_asks_values(s);
	if (s->valueless)
		snprintf(s->warning, sizeof(s->warning),
			 "%s: " GN_VALUELESS_TEXT, rt->title);
}

/* Warns that a runtime lacks sites of its own. */
static void note_siteless(struct gn_session *s, const struct gn_runtime *rt,
			  const char *core, const char *why)
{
	s->no_runtime = !s->methods;
	if (s->methods)
		snprintf(s->warning, sizeof(s->warning),
			 "'%s' lacks USDT probes: methods that -f names are "
			 "seen, but no collections, compilations and waits for "
			 "monitors of the %s; a build that has them (as "
			 "Debian's 17) shows these, too",
			 core, rt->title);
	else
		snprintf(s->warning, sizeof(s->warning),
			 "'%s' lacks the USDT probes that gnomon needs%s%s, so "
			 "of the %s only threads and time classes are seen; "
			 "%suse a build that has them (as Debian 12's)",
			 core, why ? ", and its functions get no hooks: " : "",
			 why ?: "", rt->title,
			 !rt->methods || rt->hooks_all ? ""
			 : why ? "attach to it (-p PID), or "
			       : "name methods with -f, which needs none, or ");
}

/* Warns that the runtime's own probes report functions. */
static void note_hookless(struct gn_session *s, const struct gn_runtime *rt,
			  const char *why)
{
	if (rt->hooks_all)
		snprintf(s->warning, sizeof(s->warning),
			 "functions get no hooks (%s): the probes of the %s "
			 "report them, and all functions are slower",
			 why, rt->title);
	else
		snprintf(s->warning, sizeof(s->warning),
			 "methods that -f names get no hooks in their bytecode "
			 "(%s): the probes of the JVM report them, and all "
			 "methods are slower; attach to it instead (-p PID)",
			 why);
}

/* Plans a runtime with its own sites, which are probed before the command loads
 * it. `library`: of its methods, or empty. */
static int plan_core(struct gn_session *s, const struct gn_runtime *rt,
		     char *library)
{
	char core[PATH_MAX];
	const char *why;
	bool siteless;
	size_t file;
	int err;

	*library = '\0';
	if (!s->opts.command || !gn_runtime_starts(rt, s->program) ||
	    rt->find_core(s->program, core))
		return -ENOENT;
	if (rt->apart && !s->opts.follow)
		return leave_apart(s, rt);
	err = gn_files_add(&s->files, core, false, &file)
		      ?: gn_prepare_sites(s, rt, file);
	if (err == -ENOMEM)
		return err;
	siteless = err;
	err = plan_methods(s, rt, library, &why);
	if (err)
		return err;
	if (siteless && !(rt->hooks_all && *library)) {
		note_siteless(s, rt, core, why);
		return -ENOENT;
	}
	if (why)
		note_hookless(s, rt, why);
	s->called = !*library;
	s->costly = s->called && rt->methods && !rt->hooks_all;
	gn_prepare_links(s);
	note_valueless(s, rt);
	return 0;
}

bool gn_session_resolves(const struct gn_session *s)
{
	return s->sources && s->launches && !s->light && !gn_prepare_nothing(s);
}

const char *gn_session_unfit(const struct gn_session *s)
{
	const char *why = gn_fast_clock_unfit();

	if (why)
		return why;
	if (gn_prepare_asks_values(s))
		return "-a records values with probes";
	/* a ring has one reader, and hooks overwrite the other gnomon's
	 * probes */
	if (gn_is_below_its_like())
		return "another gnomon started this one";
	return gn_capable(CAP_SYS_PTRACE) ? NULL : "CAP_SYS_PTRACE is missing";
}

/* In the live view, the records of a period would come after its end. A runtime
 * that runs already has fast hooks for functions only. */
static bool may_be_fast(struct gn_session *s)
{
	if (s->opts.hooks == GN_HOOKS_UPROBE || s->opts.live ||
	    (!s->opts.command && (s->light || gn_prepare_nothing(s))))
		return false;
	s->not_fast = gn_session_unfit(s);
	return !s->not_fast;
}

static bool is_set_later(const struct gn_session *s,
			 const struct gn_runtime *rt)
{
	for (size_t i = 0; i < s->nsetups; i++)
		if (s->setups[i].runtime == rt)
			return true;
	return false;
}

/* Plans what the command needs at its start so that the runtime reports all
 * that is requested. NULL: the runtimes of a library that is preloaded. */
static int plan_launch(struct gn_session *s, const struct gn_runtime *rt,
		       const char *library)
{
	static const char *const inlining[] = {
		[GN_INLINING_AUTO] = "",
		[GN_INLINING_KEEP] = "keep",
		[GN_INLINING_REFUSE] = "refuse",
	};
	char families[16];
	int err;

	/* without a library a runtime reports all functions or none */
	if (rt && !rt->library && gn_prepare_nothing(s))
		return 0;
	s->launch.program = s->program;
	s->launch.library = library;
	s->launch.filter = s->managed_filter;
	s->launch.inlining = inlining[s->opts.inlining];
	s->launch.hooks = !gn_session_by_il(s)			    ? ""
			  : s->opts.clr_hooks == GN_CLR_HOOKS_REJIT ? "rejit"
								    : "auto";
	s->launch.fast = may_be_fast(s);
	s->launch.set_later = rt && is_set_later(s, rt);
	snprintf(families, sizeof(families), "%x", s->opts.families);
	s->launch.families = families;
	s->launch.values = s->managed_values;
	err = !rt	    ? gn_launch_hooked(&s->launch, library)
	      : rt->prepare ? rt->prepare(&s->launch)
			    : 0;
	s->launch.library = s->launch.families = NULL;
	if (err == -EBUSY)
		return gn_session_fail(s, err, 2,
				       "%s is set: another profiler is "
				       "configured; unset it and run again",
				       s->launch.why);
	if (err)
		return gn_session_fail(s, err, 1, "no memory");
	return 0;
}

static int plan_sites(struct gn_session *s, const struct gn_runtime *rt)
{
	char library[PATH_MAX];

	return gn_preload_find(s, rt, library)
		       ? 0
		       : gn_prepare_library_at(s, rt, library, library);
}

/* Adds the runtimes whose libraries get into any program that the command
 * starts. */
static int plan_preloads(struct gn_session *s, const char *library)
{
	const struct gn_runtime *rt;
	int err =
		gn_prepare_library_at(s, &gn_runtime_preload, library, library);

	for (size_t i = 0; !err && (rt = gn_runtime_at(i)); i++) {
		if (rt->preloaded)
			err = plan_sites(s, rt);
		if (!err && gn_prepare_methods(s, rt)) {
			err = plan_sites(s, rt->methods);
			s->launch.jvm |= !rt->hooks_all;
		}
	}
	return err;
}

/* The runtime that the command itself starts, if a preloaded library reports
 * all of its functions, or NULL. */
static const struct gn_runtime *started_preloaded(const struct gn_session *s)
{
	const struct gn_runtime *rt;

	for (size_t i = 0; (rt = gn_runtime_at(i)); i++)
		if ((rt->preloaded || rt->hooks_all) &&
		    gn_runtime_starts(rt, s->program))
			return rt;
	return NULL;
}

/* The command's program, or one that it starts, can be an interpreter. */
static bool may_interpret(const struct gn_session *s,
			  const struct gn_runtime *started)
{
	return !s->light && !gn_prepare_nothing(s) &&
	       (started || s->opts.follow);
}

/* The library has nothing to do but to lend. */
static int plan_lender(struct gn_session *s, const char *library)
{
	int err =
		gn_prepare_library_at(s, &gn_runtime_preload, library, library);

	if (err)
		return err;
	return gn_launch_lender(&s->launch, library)
		       ? gn_session_fail(s, -ENOMEM, 1, "no memory")
		       : 0;
}

static int plan_preloaded(struct gn_session *s)
{
	const struct gn_runtime *rt = started_preloaded(s);
	char library[PATH_MAX];
	const char *why;
	int err;

	if (!s->opts.command)
		return 0;
	why = find_preload(s, library);
	if (!may_interpret(s, rt))
		return s->launch.lends ? plan_lender(s, library) : 0;
	if (why && rt && rt->preloaded) {
		s->no_runtime = true;
		snprintf(s->warning, sizeof(s->warning),
			 "functions of %s are not traced: %s", rt->title, why);
	}
	if (why)
		return 0;
	err = plan_preloads(s, library);
	if (!err && rt)
		note_valueless(s, rt);
	if (!err && rt && rt->prepare)
		err = rt->prepare(&s->launch);
	return err ? err : plan_launch(s, NULL, library);
}

static int plan_runtime(struct gn_session *s, const struct gn_runtime *rt)
{
	char library[PATH_MAX];
	int err;

	if (rt->preloaded)
		return 0;
	s->methods |= gn_running_has(s->active, rt->methods);
	if (gn_running_has(s->active, rt->methods))
		err = plan_library(s, rt->methods, library);
	else
		err = rt->library ? plan_library(s, rt, library)
				  : plan_core(s, rt, library);
	if (err)
		return err == -ENOENT ? 0 : err;
	if (!s->opts.command)
		return 0;
	return plan_launch(s, rt, *library ? library : NULL);
}

/* Programs that the command starts wait for their probes. */
static int plan_gate(struct gn_session *s)
{
	s->gate = gn_gate_new(s->opts.user.uid);
	if (s->gate && gn_launch_env(&s->launch, GN_PRELOAD_ENV_GATE,
				     gn_gate_name(s->gate)))
		return gn_session_fail(s, -ENOMEM, 1, "no memory");
	return 0;
}

int gn_prepare_runtimes(struct gn_session *s)
{
	const struct gn_runtime *rt;
	char library[PATH_MAX];
	int err = 0;

	s->launch.lends = s->opts.command && !find_preload(s, library);
	if (s->launch.lends && gn_session_awaits(s))
		err = plan_gate(s);
	if (s->active)
		s->launch.fast = may_be_fast(s);
	for (size_t i = 0; !err && (rt = gn_runtime_at(i)); i++)
		err = plan_runtime(s, rt);
	return err ? err : plan_preloaded(s);
}
