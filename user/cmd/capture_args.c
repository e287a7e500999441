/* SPDX-License-Identifier: BSD-2-Clause */
/* The options of the verbs that trace: their choices, and what they ask for. */
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/capture.h"
#include "cmd/outfile.h"
#include "process/target.h"
#include "runtime/filter.h"
#include "runtime/values.h"

/* The kernel's maps have no larger power of two. */
#define RING_MOST ((uint64_t)2 << 30)

const char *gn_attach_choice(size_t i)
{
	static const char *const names[] = {"auto", "session", "multi",
					    "single"};

	return GN_CHOICE(names, i);
}

const char *gn_inlining_choice(size_t i)
{
	static const char *const names[] = {"auto", "keep", "refuse"};

	return GN_CHOICE(names, i);
}

const char *gn_clr_choice(size_t i)
{
	static const char *const names[] = {"calls", "light", "full"};

	return GN_CHOICE(names, i);
}

const char *gn_clr_hooks_choice(size_t i)
{
	static const char *const names[] = {"auto", "rejit", "elt"};

	return GN_CHOICE(names, i);
}

const char *gn_hooks_choice(size_t i)
{
	static const char *const names[] = {"auto", "fast", "uprobe"};

	return GN_CHOICE(names, i);
}

const char *gn_on_full_choice(size_t i)
{
	static const char *const names[] = {"wait", "drop"};

	return GN_CHOICE(names, i);
}

bool gn_capture_user(struct gn_capture_args *a, int *status)
{
	int err = gn_user_find(&a->user, a->as);

	*status = GN_EXIT_USAGE;
	if (!err && a->as && a->args.pids.n)
		gn_error("--user is for a command that gnomon starts; leave "
			 "it out with -p");
	else if (!err)
		return true;
	else if (err == -EINVAL)
		gn_error("SUDO_UID or SUDO_GID is not a number; run it by "
			 "sudo, or unset both");
	else if (err == -ENOENT)
		gn_error("there is no user '%s'; give a login name from "
			 "'getent passwd'",
			 a->as);
	else if (err == -EPERM)
		gn_error("only root may run the command as user '%s'; run "
			 "gnomon by sudo, or leave --user out",
			 a->as);
	else
		gn_error("the user cannot be looked up (%s); see 'getent "
			 "passwd'",
			 strerror(-err));
	return false;
}

/* Takes one -a; its functions are asked for as by an -f before all others: the
 * last pattern that matches a function counts, so -f '!GLOB' leaves it out. */
static bool take_values(struct gn_capture_args *a, const char *text, size_t nth,
			struct gn_asked *asked)
{
	const char *want, **functions;
	size_t at;
	int err = gn_asked_parse(text, asked, &at, &want);

	functions = reallocarray(a->args.functions.item,
				 a->args.functions.n + 1, sizeof(*functions));
	if (functions)
		a->args.functions.item = functions;
	if (!err && functions) {
		memmove(functions + nth + 1, functions + nth,
			(a->args.functions.n++ - nth) * sizeof(*functions));
		functions[nth] = asked->function;
		return true;
	}
	if (err == -EINVAL)
		gn_error("--args cannot be '%s': %s%s at character %zu; %s",
			 text, text[at] ? text + at : "it ends",
			 text[at] ? " is wrong" : "", at + 1, want);
	else
		gn_error("no memory; free some");
	return false;
}

static bool take_all_values(struct gn_capture_args *a)
{
	size_t n = a->values.n;

	a->asked = n ? calloc(n, sizeof(*a->asked)) : NULL;
	if (n && !a->asked)
		gn_error("no memory; free some");
	for (size_t i = 0; a->asked && i < n; i++)
		if (!take_values(a, a->values.item[i], i, &a->asked[i]))
			return false;
	return a->asked || !n;
}

bool gn_capture_functions(const struct gn_list *functions, int *status)
{
	*status = GN_EXIT_USAGE;
	for (size_t i = 0; i < functions->n; i++) {
		if (gn_filter_sound(functions->item[i]))
			continue;
		gn_error("'%s' matches nothing; give -f GLOB, LIB:GLOB, !GLOB "
			 "or usdt:LIB:NAME",
			 functions->item[i]);
		return false;
	}
	return true;
}

void gn_capture_args_clear(struct gn_capture_args *a)
{
	for (size_t i = 0; a->asked && i < a->values.n; i++)
		gn_asked_clear(&a->asked[i]);
	free(a->asked);
	free(a->values.item);
	gn_args_clear(&a->args);
}

bool gn_capture_overwrites(const struct gn_args *args, const char *output)
{
	char path[PATH_MAX];

	return output && args->command &&
	       !gn_target_resolve(args->command[0], path) &&
	       gn_overwrites(output, path);
}

bool gn_capture_target(struct gn_capture_args *a, int *status)
{
	*status = GN_EXIT_USAGE;
	if (!take_all_values(a) ||
	    !gn_capture_functions(&a->args.functions, status))
		return false;
	if (a->ring > RING_MOST) {
		gn_error("--ring-size cannot be more than 2G; give less");
		return false;
	}
	if (a->args.command && a->args.pids.n)
		gn_error("both a command and -p are given; give one of them");
	else if (!a->args.command && !a->args.pids.n)
		gn_error("nothing to trace; give a command after -- or a "
			 "process with -p PID");
	else if (!gn_capture_overwrites(&a->args, a->args.output))
		return gn_capture_user(a, status);
	return false;
}
