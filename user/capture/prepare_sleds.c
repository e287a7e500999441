/* SPDX-License-Identifier: BSD-2-Clause */
/* Decides whether the hook-site library for sleds can be loaded into the
 * command, and how. */
#include "capture/prepare.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "capture/preload.h"
#include "capture/sleds.h"
#include "runtime/preload.h"
#include "runtime/sleds.h"

int gn_sleds_begin(struct gn_session *s)
{
	if (s->opts.hooks == GN_HOOKS_UPROBE || s->opts.live ||
	    !s->opts.command)
		return 0;
	s->sleds = gn_sled_table_new();
	return s->sleds ? 0 : -ENOMEM;
}

/* Calls of the program that can break memory that it shares with gnomon, or
 * hooks that must know their thread's stack. */
struct risk {
	const char *symbol, *why;
	bool ends_probed; /* only if ends of functions are probes */
};

static const struct risk risks[] = {
	{"seccomp_load", "the program can block what fast hooks need", false},
	{"prctl", "the program can block what fast hooks need (prctl)", false},
	{"syscall", "the program can block what fast hooks need (syscall)",
	 false},
	{"mlockall", "the program can lock all memory (mlockall)", false},
	{"clone", "the program creates threads in its own way (clone)", false},
	{"_Fork", "the program can fork within a hook unnoticed (_Fork)",
	 false},
	{"sigaltstack",
	 "the program has additional stacks (sigaltstack), and its sleds do "
	 "not report the ends of functions",
	 true},
	{"makecontext",
	 "the program has additional stacks (makecontext), and its sleds do "
	 "not report the ends of functions",
	 true},
};

struct search {
	const char *why;
	bool ends_probed;
};

static bool is_risk(void *ctx, const char *name)
{
	struct search *x = ctx;

	for (size_t i = 0; i < sizeof(risks) / sizeof(risks[0]); i++)
		if (!strcmp(name, risks[i].symbol) &&
		    (x->ends_probed || !risks[i].ends_probed))
			x->why = risks[i].why;
	return !x->why;
}

/* Searches the program's imports. It does not search libraries: most C++
 * programs have one that makes such a call. */
static const char *risky(const struct gn_session *s)
{
	struct search x = {.ends_probed = false};
	struct gn_elf *elf;

	for (size_t i = 0; i < s->sleds->count; i++)
		x.ends_probed |=
			s->sleds->entry[i].form == GN_SLED_ENTER_NOPS ||
			s->sleds->entry[i].form == GN_SLED_ENTER_NOP5;
	if (gn_elf_open(s->program, &elf))
		return NULL;
	gn_elf_names(elf, is_risk, &x);
	gn_elf_close(elf);
	return x.why;
}

static const char *unfit(const struct gn_session *s)
{
	const char *why =
		gn_session_unfit(s)
			?: gn_preload_unfit(s->program, s->opts.user.uid);

	return why || s->opts.hooks == GN_HOOKS_FAST ? why : risky(s);
}

/* Keeps the one-byte nops, because forked children reach the sites, too: a
 * kernel that turns probes on five-byte nops into calls does not give the child
 * the code that is called. */
static int plan_sites(struct gn_session *s, const char *library)
{
	char place[GN_FILE_PLACE];
	size_t file;
	int err = gn_files_add(&s->files, library, false, &file);

	if (err)
		return err;
	s->files.file[file].hooksite = true;
	return gn_runtime_probes(&gn_runtime_sleds,
				 gn_file_place(s->files.file[file].fd, place),
				 file, 0, &s->specs, &s->probes);
}

static int add_table(struct gn_session *s)
{
	char numbers[32];

	s->launch.keep = gn_sled_table_share(s->sleds);
	if (s->launch.keep < 0)
		return s->launch.keep;
	snprintf(numbers, sizeof(numbers), "%d %u", s->launch.keep,
		 gn_runtime_own_site());
	return gn_launch_env(&s->launch, GN_SLEDS_ENV, numbers);
}

/* Warns if XRay of the program itself will overwrite hooks and probes. */
static void tell_own_xray(struct gn_session *s)
{
	const char *options = getenv("XRAY_OPTIONS");
	bool has = false;

	for (size_t i = 0; i < s->sleds->count; i++)
		has |= s->sleds->entry[i].form == GN_SLED_ENTER_JUMP;
	if (has && options && strstr(options, "patch_premain=true") &&
	    !*s->warning)
		snprintf(s->warning, sizeof(s->warning),
			 "XRAY_OPTIONS has patch_premain, so the program's own "
			 "XRay uses its sleds, and calls of functions with "
			 "sleds are not seen; unset it");
}

int gn_sleds_plan(struct gn_session *s)
{
	char library[PATH_MAX];
	int err;

	if (!s->sleds || !s->sleds->count)
		return 0;
	tell_own_xray(s);
	s->not_fast =
		unfit(s) ?: gn_preload_find(s, &gn_runtime_sleds, library);
	if (s->not_fast)
		return 0;
	err = plan_sites(s, library);
	if (!err)
		err = add_table(s);
	if (!err)
		err = gn_launch_preload(&s->launch, library);
	if (err)
		return gn_session_fail(s, err, 1,
				       "the hook sites of '%s' cannot be read "
				       "(%s); install gnomon again",
				       library, strerror(-err));
	s->launch.fast = true;
	return 0;
}

void gn_sleds_free(struct gn_session *s)
{
	gn_sled_table_free(s->sleds);
	s->sleds = NULL;
}
