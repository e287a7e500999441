/* SPDX-License-Identifier: BSD-2-Clause */
/* The first stage of a session: what to trace, and with which probes. */
#include "capture/prepare.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "capture/calibrate.h"
#include "capture/denied.h"
#include "capture/ring_size.h"
#include "capture/sleds.h"
#include "capture/unseen.h"
#include "elf/elf_file.h"
#include "process/ended.h"
#include "process/namespaces.h"

/* Takes the mode that was asked for. */
static int take_mode(struct gn_session *s, enum gn_attach_mode mode)
{
	int err = mode == GN_ATTACH_SINGLE ? 0 : gn_attach_offers(mode);

	if (gn_denied_by(err))
		return gn_session_denied(s, err);
	if (err)
		return gn_session_fail(s, err, 1,
				       "this kernel has no %s links for probes "
				       "(%s); leave --attach out, and gnomon "
				       "uses the best kind that the kernel has",
				       gn_attach_mode_name(mode),
				       strerror(-err));
	s->mode = mode;
	return 0;
}

static int find_mode(struct gn_session *s)
{
	int mode;

	if (s->opts.attach != GN_ATTACH_AUTO)
		return take_mode(s, s->opts.attach);
	mode = gn_attach_probe_mode();
	if (mode < 0 && gn_denied_by(mode))
		return gn_session_denied(s, mode);
	if (mode < 0)
		return gn_session_fail(
			s, mode, 1,
			"this kernel offers no uprobes to BPF programs (%s); "
			"see gnomon doctor",
			strerror(-mode));
	s->mode = (enum gn_attach_mode)mode;
	return 0;
}

/* Makes the program's path absolute, as the kernel shows other files: the
 * reader of the trace works in another folder. */
static int from_root(struct gn_session *s)
{
	const char *path = s->program;
	char *whole = NULL, *folder;

	if (*path == '/')
		return 0;
	while (!strncmp(path, "./", 2))
		path += 2;
	folder = getcwd(NULL, 0);
	/* a folder that was removed has no path */
	if (!folder)
		return errno == ENOMEM ? -ENOMEM : 0;
	if (asprintf(&whole, "%s/%s", strcmp(folder, "/") ? folder : "", path) <
	    0)
		whole = NULL;
	free(folder);
	if (!whole)
		return -ENOMEM;
	if (strlen(whole) < sizeof(s->program))
		strcpy(s->program, whole);
	free(whole);
	return 0;
}

static int find_command(struct gn_session *s)
{
	const char *name = s->opts.command[0];
	int err = gn_target_resolve(name, s->program);

	if (err == -EACCES)
		return gn_session_fail(s, err, 126,
				       "'%s' is not an executable file; "
				       "check it with ls -ld",
				       name);
	if (err)
		return gn_session_fail(s, err, 127,
				       "command '%s' is not found; check its "
				       "name or PATH",
				       name);
	return from_root(s);
}

static int find_processes(struct gn_session *s)
{
	size_t i = 0;

	while (i < s->opts.npids) {
		size_t first = s->files.count;
		pid_t pid = s->opts.pids[i];
		int err = gn_prepare_await(s, pid);
		char why[GN_MISSING_MAX];

		if (err)
			return err;
		err = gn_files_of_running(pid, &s->files);
		/* the message of the last one says more */
		if (err && s->opts.npids > 1 &&
		    gn_process_ends(pid, GN_ENDS_MS)) {
			gn_session_lose(s, pid);
			continue;
		}
		if (gn_files_missing(pid, err, why))
			return gn_session_fail(s, -ESRCH, 1, "%s", why);
		if (err)
			return gn_session_fail(
				s, err, 1, "process %d cannot be read (%s)%s",
				(int)pid, strerror(-err),
				gn_denied_process(err));
		err = gn_prepare_running(s, pid, first);
		if (err)
			return gn_session_fail(s, err, 1, "no memory");
		i++;
	}
	return 0;
}

static int take_function(void *ctx, size_t file, struct gn_elf *elf,
			 const struct gn_elf_symbol *sym,
			 const struct gn_plan *plan)
{
	struct gn_session *s = ctx;

	if (s->opts.step && s->functions.next % 64 == 0 &&
	    s->opts.step->fn(s->opts.step->ctx, true, 0, 0))
		return -EINTR;
	return gn_functions_take(&s->functions, file, elf, sym, plan);
}

static int take_usdt(void *ctx, size_t file, struct gn_elf *elf,
		     const struct gn_note *site, size_t count)
{
	struct gn_session *s = ctx;

	return gn_functions_take_usdt(&s->functions, file, elf, site, count);
}

static int take_landing(void *ctx, size_t file, const struct gn_site *enter)
{
	struct gn_session *s = ctx;

	return gn_functions_take_landing(&s->functions, file, enter);
}

/* Adds the files of the program that a launcher may start, so that they have
 * their probes before it begins. Without a list of its libraries nothing is
 * known of it; a static program has none. */
static int add_launched(struct gn_session *s)
{
	struct gn_files own = {0};
	char name[PATH_MAX], path[PATH_MAX], *linker;
	int err;

	if (!s->opts.follow || !gn_target_launched(s->opts.command, name) ||
	    !realpath(name, path) || gn_elf_linker(path, &linker))
		return 0;
	err = gn_files_of_program(path, &s->opts.user, &own);
	for (size_t i = 0; !err && (!own.unlisted || !linker) && i < own.count;
	     i++) {
		if (own.file[i].fd < 0 ||
		    gn_files_have(&s->files, &own.file[i].id))
			continue;
		own.file[i].asked = own.file[i].launched = true;
		err = gn_files_move(&s->files, &own.file[i]);
	}
	gn_files_free(&own);
	free(linker);
	return err == -ENOMEM || err == -E2BIG ? err : 0;
}

static int plan_native(struct gn_session *s)
{
	struct gn_native_opts opts = {
		.filter = s->filter,
		.usdt = take_usdt,
		.landing = take_landing,
		.result = gn_functions_result,
		.results = &s->functions,
		.leave = s->opts.leave,
		.return_is_private = s->mode == GN_ATTACH_SESSION,
		.follow = s->opts.follow,
	};
	int err = gn_sleds_begin(s);

	if (err)
		return gn_session_fail(s, err, 1, "no memory");
	opts.sleds = s->sleds;
	s->functions.sleds = s->sleds;
	s->functions.files = &s->files;
	s->functions.probes = &s->probes;
	s->functions.session = s->mode == GN_ATTACH_SESSION;
	s->functions.verbose = s->opts.verbose;
	s->functions.put = gn_session_put;
	s->functions.ctx = s;
	err = gn_values_plan(s);
	if (!err && s->opts.command)
		err = gn_files_of_program(s->program, &s->opts.user, &s->files)
			      ?: add_launched(s);
	if (!err)
		err = gn_native_libraries(&s->files,
					  s->opts.command ? s->program : NULL,
					  s->filter);
	if (!err)
		err = gn_native_walk(&s->files, &opts, take_function, s,
				     &s->native);
	gn_functions_tell_left(&s->native);
	s->foreign = err == -ENOEXEC;
	if (s->foreign)
		return 0; /* a script: it can start a managed program */
	/* gnomon forks a process to find the program's libraries */
	if (err == -EAGAIN)
		return gn_session_fail(s, err, 1,
				       "no process can be started (%s); %s",
				       strerror(-err), gn_denied_start(err));
	if (err)
		return gn_session_fail(s, err, 1,
				       "the functions of '%s' cannot be read "
				       "(%s); see gnomon list",
				       s->program, strerror(-err));
	return 0;
}

/* Whether some -f names a library that nothing has mapped yet. */
static bool awaits(const struct gn_session *s)
{
	const char *glob;

	if (!s->opts.follow)
		return false; /* nothing is attached later */
	for (size_t at = 0; (glob = gn_filter_awaited(s->filter, &at));)
		if (!s->launches || gn_prepare_native_only(glob))
			return true;
	return false;
}

/* Whether only a runtime that a process has yet to start can match the glob;
 * then warns of that. */
static bool may_come(struct gn_session *s, const char *glob)
{
	if (!s->may_start || s->foreign || !strchr(glob, '.') ||
	    strchr(glob, ':') || gn_native_aot(&s->native, glob))
		return false;
	if (!*s->warning)
		snprintf(s->warning, sizeof(s->warning),
			 "no function matches '%.200s' yet: only a JVM that "
			 "the process starts can have it",
			 glob);
	return true;
}

/* No native function matches the glob: fails, and says where it can be. */
static int fail_files(struct gn_session *s, const char *glob)
{
	const char *started =
		s->opts.command ? ""
				: "; of a program that the process starts, "
				  "give the file, too: -f '/PATH/PROGRAM:GLOB'";
	char line[GN_LANGUAGE_LINE];
	const char *elsewhere;
	size_t n;

	if (s->native.stripped &&
	    gn_unseen_language(s->native.stripped, &s->files, line))
		return gn_session_fail(s, -ENOENT, 2,
				       "no function matches '%s': %s", glob,
				       line);
	elsewhere = gn_native_elsewhere(&s->files, glob, &n);
	if (elsewhere)
		return gn_session_fail(s, -ENOENT, 2, GN_ELSEWHERE_TEXT, glob,
				       GN_ITSELF_TEXT(&s->native), n, elsewhere,
				       glob);
	if (s->native.stripped)
		return gn_session_fail(
			s, -ENOENT, 2,
			"no function matches '%s': '%s' is stripped; install "
			"its debug symbols%s or see gnomon list%s",
			glob, s->native.stripped, s->native.symbols, started);
	if (s->awaits)
		return 0;
	if (gn_native_aot(&s->native, glob))
		return gn_session_fail(s, -ENOENT, 2, GN_AOT_TEXT, glob,
				       s->native.aot,
				       gn_native_aot_todo(&s->native));
	if (s->foreign && !gn_filter_libraries(s->filter))
		return gn_session_fail(
			s, -ENOENT, 2,
			"no function matches '%s': the program is not a 64-bit "
			"ELF file; leave -f out to trace only its threads",
			glob);
	return gn_session_fail(s, -ENOENT, 2,
			       "no function matches '%s'; gnomon list shows "
			       "which there are; LIB:GLOB searches a library%s",
			       glob, started);
}

static int check_match(struct gn_session *s)
{
	const char *glob = gn_filter_unmatched(s->filter);
	char other[256];

	if (!glob || s->native.functions || s->native.usdt || s->launches ||
	    s->runtimes > s->may_start)
		return 0;
	if (gn_filter_is_usdt(glob) && !s->awaits)
		return gn_session_fail(s, -ENOENT, 2,
				       "no USDT probe matches '%s'; gnomon "
				       "list --usdt shows which there are",
				       glob);
	if (s->no_runtime)
		return gn_session_fail(s, -ENOENT, 2,
				       "no function matches '%s'; %s", glob,
				       s->warning);
	if (s->late_for_elt)
		return gn_session_fail(
			s, -ENOENT, 2,
			"no function matches '%s': --clr-hooks elt is for "
			"programs that gnomon starts, and process %d was "
			"already running; leave --clr-hooks out",
			glob, (int)s->late_for_elt);
	if (gn_filter_names_ifunc(s->filter, glob, other, sizeof(other)))
		return gn_session_fail(s, -ENOENT, 2, GN_IFUNC_TEXT, glob,
				       other);
	if (gn_filter_is_list(glob))
		return gn_session_fail(s, -ENOENT, 2, GN_LIST_TEXT, glob);
	if (may_come(s, glob))
		return 0;
	return fail_files(s, glob);
}

static int check_place(struct gn_session *s)
{
	const char *what, *todo;
	int err = gn_namespaces_check(&what, &todo);

	if (err == -EXDEV)
		return gn_session_fail(s, err, 1, "%s; %s", what, todo);
	return err; /* errno says what is wrong */
}

int gn_session_prepare(struct gn_session *s)
{
	int err = check_place(s);

	/* for files and links; the command gets the old limit back */
	gn_files_raise(&s->opts.user.nofile);
	s->light = s->opts.no_managed ||
		   (!s->opts.command && !gn_prepare_managed(s));
	if (!err)
		err = find_mode(s);
	if (!err)
		err = gn_ring_choose(s);
	if (!err)
		s->ring_ahead = gn_ring_ahead_begin(s->opts.ring_size);
	if (!err && !s->opts.no_managed)
		s->nop5_ahead = gn_attach_nop5_begin(s->mode);
	if (!err)
		err = s->opts.command ? find_command(s) : find_processes(s);
	if (err)
		return err;
	err = gn_prepare_check_values(s);
	if (err)
		return err;
	s->launches = gn_prepare_launches(s);
	s->filter = gn_filter_new(s->opts.functions, s->opts.nfunctions);
	if (!s->filter)
		return gn_session_fail(s, -ENOMEM, 1, "no memory");
	s->managed_filter = gn_prepare_filter(s);
	s->managed_values = gn_prepare_values(s);
	if (!s->managed_filter || !s->managed_values)
		return gn_session_fail(s, -ENOMEM, 1, "no memory");
	if (s->opts.nfunctions)
		s->unwanted.filter = s->managed_filter;
	if (gn_filter_positive(s->filter) || !s->opts.follow ||
	    !s->opts.command)
		gn_prepare_links(s);
	if (!s->opts.command)
		err = gn_prepare_cores(s);
	if (!err && gn_filter_positive(s->filter)) {
		err = plan_native(s);
		s->awaits = !err && awaits(s);
	}
	if (!err && !s->opts.command)
		err = gn_prepare_started(s);
	if (!err && gn_filter_positive(s->filter))
		err = check_match(s);
	if (!err && s->launches)
		err = gn_prepare_runtimes(s);
	if (!err && s->launches && s->opts.command)
		err = gn_prepare_started(s);
	if (!err && s->launches)
		err = gn_running_open(s);
	return err ? err : gn_sleds_plan(s);
}
