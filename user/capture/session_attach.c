/* SPDX-License-Identifier: BSD-2-Clause */
/* The session's probes: attached by file and program. */
#include "capture/session_internal.h"
#include "capture/attach_awaited.h"
#include "capture/denied.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <unistd.h>

#include <bpf/libbpf.h>

#include <gnomon/control.h>
#include "capture/copied.h"
#include "capture/meter.h"
#include "capture/prepare.h"
#include "capture/setter.h"
#include "capture/sleds.h"
#include "process/share.h"
#include "runtime/runtime.h"
#include "gnomon.skel.h"

/* Whether a runtime's own sites are linked per process. Children get such links
 * when they are born. */
static bool has_private_cores(const struct gn_session *s)
{
	for (size_t i = 0; s->nsetups && i < s->probes.count; i++) {
		const struct gn_probe_group *g = &s->probes.group[i];

		if (g->prog == GN_PROG_INTERNED && s->opts.follow &&
		    gn_session_private(s, &s->files.file[g->file], g->prog))
			return true;
	}
	return false;
}

static bool is_first(void *session, pid_t pid)
{
	const struct gn_session *s = session;
	size_t n;
	const pid_t *pids = gn_session_first(s, &n);

	for (size_t i = 0; i < n; i++)
		if (pids[i] == pid)
			return true;
	return false;
}

/* Finds the files with probes that untraced processes map, too. In a PID
 * namespace not all of them can be seen. */
static int find_shared(struct gn_session *s)
{
	bool *wanted;
	int err = 0;

	if (!s->opts.follow)
		return 0; /* each probe is of one process */
	wanted = calloc(s->files.count + 1, sizeof(*wanted));
	if (!wanted)
		return -ENOMEM;
	for (size_t i = 0; i < s->probes.count; i++)
		wanted[s->probes.group[i].file] =
			!s->files.file[s->probes.group[i].file].hooksite;
	if (s->skel->bss->control.pid_level)
		for (size_t i = 0; i < s->files.count; i++)
			s->files.file[i].elsewhere = !s->files.file[i].hooksite;
	else
		err = gn_share_find(&s->files, wanted, is_first, s);
	free(wanted);
	if (!err)
		return 0;
	return gn_session_fail(s, err, 1,
			       "the processes cannot be listed (%s); see "
			       "gnomon doctor",
			       strerror(-err));
}

/* `pid` 0: every process that maps the file. */
static int attach_group(struct gn_session *s, const struct gn_probe_group *g,
			pid_t pid)
{
	const struct gn_file *file = &s->files.file[g->file];
	char place[GN_FILE_PLACE];
	struct gn_probe_set set = {
		.path = gn_file_place(file->fd, place),
		.offsets = g->offsets,
		.cookies = g->cookies,
		.counters = g->counters,
		.count = g->count,
		.pid = pid,
		/* later.c removes them by this key when another thread of the
		 * process becomes the first one; keepers have no keys */
		.key = s->mode == GN_ATTACH_SINGLE ? 0 : (uint32_t)pid,
		.file = file->fd,
	};

	return gn_session_attach_set(s, g->prog, &set, file->path);
}

static int attach_private(struct gn_session *s, const struct gn_probe_group *g)
{
	size_t n;
	const pid_t *pids = gn_session_first(s, &n);
	int err = 0;

	while (!err && n--)
		err = attach_group(s, g, pids[n]);
	return err;
}

static int attach_groups(struct gn_session *s)
{
	int err = gn_awaited_attach(s);

	for (size_t i = 0; !err && i < s->probes.count; i++) {
		const struct gn_probe_group *g = &s->probes.group[i];

		if (gn_awaited_has(s, g))
			continue;
		/* groups of a file follow one another; the links of a function
		 * that can be muted are held elsewhere */
		if (!s->mute && (!i || g[-1].file != g->file))
			gn_written_guard(s->written, &s->files.file[g->file],
					 (uint32_t)g->file + 1, 0);
		if (!gn_session_private(s, &s->files.file[g->file], g->prog))
			err = attach_group(s, g, 0);
		else
			err = attach_private(s, g);
	}
	return err;
}

/* Prepares for what appears later, if any of it can be requested. */
static int attach_later(struct gn_session *s)
{
	size_t n;
	const pid_t *pids = gn_session_first(s, &n);
	int err;

	if (!gn_session_awaits(s) && !has_private_cores(s))
		return 0;
	s->skel->bss->control.attend = 1;
	err = gn_later_new(s, pids, n);
	if (!err)
		return 0;
	return gn_session_no_thread(s, err);
}

static int start_setter(struct gn_session *s)
{
	int err = gn_setter_start(s);

	return err ? gn_session_no_thread(s, err) : 0;
}

static int fork_command(struct gn_session *s)
{
	int err;

	if (!s->opts.command)
		return 0;
	s->command = gn_launch_command(&s->launch, s->opts.command);
	err = s->command ? gn_child_fork(&s->child, s->command, &s->opts.user,
					 s->launch.env, s->launch.keep)
			 : -ENOMEM;
	if (!err)
		return 0;
	return gn_session_fail(s, err, 1, "no process can be started (%s); %s",
			       strerror(-err), gn_denied_start(err));
}

/* Opens a descriptor that is readable once after the kernel side has woken
 * us. */
static int open_wake(int map)
{
	struct epoll_event event = {.events = EPOLLIN | EPOLLET};
	int fd = epoll_create1(EPOLL_CLOEXEC);

	if (fd >= 0 && epoll_ctl(fd, EPOLL_CTL_ADD, map, &event)) {
		close(fd);
		fd = -1;
	}
	return fd;
}

static int open_ring(struct gn_session *s)
{
	int map = bpf_map__fd(s->skel->maps.ring);

	if (!s->ring)
		s->ring = gn_ring_map(map, s->opts.ring_size, gn_session_sample,
				      s);
	if (!s->ring)
		return gn_session_fail(s, -errno, 1,
				       "the ring buffer cannot be mapped (%s); "
				       "give a smaller --ring-size",
				       strerror(errno));
	s->wake = open_wake(map);
	if (s->wake < 0)
		return gn_session_fail(s, -errno, 1,
				       "the ring buffer cannot be watched (%s)",
				       strerror(errno));
	return 0;
}

bool gn_session_wants_managed(const struct gn_session *s)
{
	return (s->runtimes || s->active) && !s->light &&
	       !gn_prepare_nothing(s);
}

const char *gn_session_refused(const struct gn_session *s)
{
	size_t n = s->native.functions;
	bool comes = s->awaits || s->launches || s->active ||
		     s->runtimes > s->may_start ||
		     s->native.usdt > s->functions.usdt_refused;

	return n && n <= s->native.refused + s->refused && s->opts.nfunctions &&
			       !comes
		       ? s->functions.refused
		       : NULL;
}

/* Whether what is traced has no runtime, but can start a program that has, or
 * load a JVM that gnomon does not know. */
static bool may_start_one(const struct gn_session *s)
{
	const struct gn_runtime *rt;

	if (s->active || !s->opts.command)
		return !s->active && s->runtimes == s->may_start;
	rt = gn_runtime_started_by(s->program);
	return !rt ||
	       (rt->methods && !rt->hooks_all && !s->methods && !s->called);
}

static void summarize(struct gn_session *s)
{
	size_t n = s->native.functions - s->native.refused;
	size_t hits = s->native.usdt - s->functions.usdt_refused;
	char usdt[48] = "";
	/* texts name the functions, so none can be left out before it is
	 * called */
	bool called = s->called && !s->opts.nfunctions;
	const char *managed =
		!gn_session_wants_managed(s) || s->no_runtime ? ""
		: may_start_one(s) ? "; managed functions if a runtime starts"
		: s->methods ? "; methods that -f names, by hooks in their "
			       "bytecode"
		: called && s->costly
			? "; all methods as they are called, which makes a JVM "
			  "many times slower: name methods with -f, which "
			  "costs little"
		: called ? "; managed functions as they are called, those of "
			   "its library too: -f GLOB reports only some"
		: s->called ? "; managed functions as they are called, those "
			      "that -f does not name at the same cost"
			    : "; managed functions as they are compiled";
	const char *later =
		s->awaits ? "; those of libraries that are not mapped yet, "
			    "when they are"
			  : "";
	const char *links = gn_attach_mode_name(s->mode);

	if (hits)
		snprintf(usdt, sizeof(usdt), "%s%zu USDT probe%s",
			 n ? ", " : "", hits, hits == 1 ? "" : "s");
	if (n)
		snprintf(s->summary, sizeof(s->summary),
			 "%zu native function%s (end by return probe: %zu, at "
			 "own returns: %zu; single-stepped: %zu at the entry, "
			 "%zu at an end%s)%s%s%s; %s links",
			 n, n == 1 ? "" : "s", s->native.by_return,
			 s->native.by_ret, s->native.begins, s->native.stepped,
			 s->native.refused || s->refused ? ", some refused"
							 : "",
			 usdt, managed, later, links);
	else
		snprintf(s->summary, sizeof(s->summary), "%s%s%s; %s links",
			 *usdt	  ? usdt
			 : *later ? "no native function"
				  : "threads and processes",
			 managed, later, links);
}

/* Takes the five-byte nops if the kernel turns their probes into calls. Finding
 * out takes a probe and a while. */
static void choose_nop5(struct gn_session *s)
{
	bool called = gn_attach_nop5_called(s->nop5_ahead);

	for (size_t i = 0; called && i < s->files.count; i++)
		if (s->files.file[i].nop5 && gn_probes_take_nop5(&s->probes, i))
			s->nop5 = true;
	/* end the trial before the cost of probes is measured at the same
	 * sites */
	gn_attach_ahead_end(s->nop5_ahead);
	s->nop5_ahead = NULL;
}

/* The given option that only has a meaning for the hooks of .NET, or for the
 * memory that they write to; NULL: none. */
static const char *given_of_hooks(const struct gn_session *s)
{
	if (s->opts.clr_hooks != GN_CLR_HOOKS_AUTO)
		return "--clr-hooks";
	if (s->opts.hooks == GN_HOOKS_FAST)
		return "--hooks fast";
	return s->opts.drops ? "--on-full drop" : NULL;
}

/* Warns if such an option has no effect, because the runtime reports its calls
 * by probes only. */
static void tell_ignored(struct gn_session *s)
{
	const char *given = given_of_hooks(s);
	size_t n = strlen(s->warning);

	if (given && s->called && !(s->sleds && s->sleds->count))
		snprintf(s->warning + n, sizeof(s->warning) - n,
			 "%s%s changes nothing for a JVM: all its hooks are "
			 "probes",
			 n ? "; " : "", given);
}

int gn_session_attach(struct gn_session *s)
{
	bool probes = s->probes.count;
	int err;

	choose_nop5(s);
	/* fork the command before there are many descriptors and threads: what
	 * it has then counts in its ru_maxrss */
	err = gn_watch_attach(s);
	if (!err)
		err = fork_command(s);
	if (probes && !err && s->opts.command)
		s->attach_ahead = gn_attach_ahead_begin(s->mode);
	if (!err)
		err = open_ring(s);
	if (!err)
		err = gn_meter_new(s);
	if (!err)
		err = find_shared(s);
	if (!err)
		err = attach_groups(s);
	gn_mute_settle(s->mute);
	if (!err)
		gn_copied_tell(s);
	if (!err)
		err = start_setter(s);
	/* later attachments ask the setter */
	if (!err)
		err = attach_later(s);
	if (err)
		return err;
	if (s->not_fast && s->opts.hooks == GN_HOOKS_FAST && !*s->warning)
		snprintf(s->warning, sizeof(s->warning),
			 "--hooks fast: %s; hooks are probes", s->not_fast);
	tell_ignored(s);
	if (s->launch.fast &&
	    gn_session_open_fast(s, bpf_map__fd(s->skel->maps.ring)))
		return gn_session_fail(s, -errno, 1,
				       "the ring buffer cannot be watched (%s)",
				       strerror(errno));
	summarize(s);
	return 0;
}
