// SPDX-License-Identifier: BSD-2-Clause
/* Why nothing matched a glob of -f, and what to do. */
#include <stdio.h>

#include "capture/prepare.h"
#include "capture/unseen_parts.h"
#include "process/files.h"
#include "runtime/filter.h"
#include "runtime/native.h"
#include "runtime/runtime.h"

#define GLOB_LINE 1024

/* Says where the glob has matches that are not probed. False: it has none. */
static bool tell_other(const struct gn_unseen_methods *m,
		       const struct gn_filter *filter,
		       const struct gn_native_stats *native,
		       const struct gn_files *files, const char *glob,
		       char line[GLOB_LINE])
{
	const char *elsewhere;
	char other[256];
	size_t n;

	if (gn_filter_names_ifunc(filter, glob, other, sizeof(other))) {
		snprintf(line, GLOB_LINE, GN_IFUNC_TEXT, glob, other);
		return true;
	}
	if (m->hooked || m->unhooked)
		return false;
	/* the launcher of a runtime that failed: methods were meant */
	if (native->stripped_program && gn_runtime_started_by(native->stripped))
		return false;
	elsewhere = gn_native_elsewhere(files, glob, &n);
	if (elsewhere)
		snprintf(line, GLOB_LINE, GN_ELSEWHERE_TEXT, glob,
			 GN_ITSELF_TEXT(native), n, elsewhere, glob);
	return elsewhere;
}

static const char lacks[] =
	"no file with functions that its LIB matches was mapped; a library can "
	"also be a part of the program itself";

/* Says what to do about a glob that nothing explains. */
static void tell_unknown(const struct gn_unseen_methods *m,
			 const struct gn_filter *filter,
			 const struct gn_files *files, bool usdt, bool light,
			 const char *glob, char line[GLOB_LINE])
{
	const char *todo =
		gn_filter_missed(filter, glob)
			? "such a library was mapped, but it was "
			  "unmapped, or its process or the capture "
			  "ended, before its probes were in place; "
			  "give the library's path as LIB to probe it "
			  "from the start"
		: usdt ? "gnomon list --usdt shows which there are"
		: m->hooked && light
			? "--clr light traces no methods; leave it out "
			  "to trace those that -f names"
		: m->archives
			? "a JVM that writes an archive of its classes or an "
			  "AOT cache gets no hooks; trace a run without that "
			  "option"
		: m->hooked && !m->lists
			? "gnomon knows only functions that were "
			  "called: leave -f out to see them; most names "
			  "begin with a module or class, for which "
			  "-f '*NAME' allows; a GLOB "
			  "without ( matches names without parameters"
		: m->hooked ? "gnomon list -p PID shows which there are; "
			      "a GLOB without ( or < matches managed "
			      "names without parameters and type arguments"
		: gn_filter_lacks(filter, glob)
			? lacks
			: "gnomon list shows which there are; "
			  "LIB:GLOB searches a library";
	/* a link can be the command, but LIB must be the name of a file */
	const char *program = todo == lacks ? gn_files_program(files) : NULL;

	snprintf(line, GLOB_LINE, "no %s matched '%s'; %s%s%s",
		 usdt ? "USDT probe" : "function", glob, todo,
		 program ? ": " : "", program ?: "");
}

/* Says why nothing matched the glob. False: the glob cannot mean a managed
 * function. */
static bool tell_glob(const struct gn_unseen_methods *m,
		      const struct gn_filter *filter,
		      const struct gn_native_stats *native,
		      const struct gn_files *files, bool light,
		      const char *glob, char line[GLOB_LINE])
{
	const char *stripped = gn_native_stripped(native, glob);
	const char *aot = gn_native_aot(native, glob);
	bool library = gn_filter_stripped(filter, glob);
	/* LIB can be an assembly, whose launcher has its name */
	bool managed = stripped || !gn_prepare_native_only(glob);
	bool usdt = gn_filter_is_usdt(glob);
	const struct gn_runtime *rt;

	if (tell_other(m, filter, native, files, glob, line))
		return false;
	if (gn_filter_is_list(glob))
		snprintf(line, GLOB_LINE, GN_LIST_TEXT, glob);
	else if (aot)
		snprintf(line, GLOB_LINE, GN_AOT_TEXT, glob, aot,
			 gn_native_aot_todo(native));
	else if ((stripped || library) && managed && m->unhooked)
		snprintf(line, GLOB_LINE,
			 "no function matched '%s'; managed functions were "
			 "not traced",
			 glob);
	else if (stripped && !m->hooked &&
		 (rt = gn_runtime_started_by(stripped)))
		snprintf(line, GLOB_LINE,
			 "no function matched '%s': '%s' did not start the %s",
			 glob, stripped, rt->title);
	else if (stripped && !m->hooked)
		snprintf(line, GLOB_LINE,
			 "no function matched '%s': '%s' is stripped, so only "
			 "its exported functions are known; install its debug "
			 "symbols%s",
			 glob, stripped, native->symbols);
	else if (library && !(managed && m->hooked))
		snprintf(line, GLOB_LINE,
			 "no function matched '%s': the library is stripped, "
			 "so only its exported functions are known; install "
			 "its debug symbols%s",
			 glob, GN_MINI_TEXT(gn_filter_mini(filter, glob)));
	else
		tell_unknown(m, filter, files, usdt, light && managed, glob,
			     line);
	return !usdt;
}

/* What to know of an interpreter that the program has as a library, or NULL. */
static const char *embedded(const struct gn_files *files)
{
	const struct gn_runtime *rt;

	for (size_t i = 0; (rt = gn_runtime_at(i)); i++)
		for (size_t k = 0; rt->embedded && k < files->count; k++)
			if (gn_runtime_is_interpreter(rt, files->file[k].path))
				return rt->embedded;
	return NULL;
}

void gn_unseen_globs(const struct gn_unseen *u, const struct gn_filter *filter,
		     const struct gn_native_stats *native,
		     const struct gn_files *files, bool light,
		     gn_unseen_fn tell, void *ctx)
{
	const struct gn_unseen_methods m = gn_unseen_methods(u);
	char line[GLOB_LINE];
	const char *glob, *said;
	bool left = false;

	for (size_t at = 0; (glob = gn_filter_unmatched_next(filter, &at));) {
		left |= tell_glob(&m, filter, native, files, light, glob, line);
		tell(ctx, line);
	}
	if (left && m.abstract)
		tell(ctx, "methods that -f names are abstract, such as those "
			  "of interfaces; name the methods that implement "
			  "them, for example with -f '*.METHOD'");
	if (left && m.modules_left)
		tell(ctx,
		     "modules that can be unloaded or are made in memory "
		     "(plug-ins, emitted code) were not searched; --clr-hooks "
		     "elt traces them from the program's start");
	if (left && m.no_il)
		tell(ctx, "methods that -f names have no IL of their own, such "
			  "as those of other libraries (P/Invoke), so they get "
			  "no hooks; -f 'LIB:GLOB' names native functions");
	/* with -p it was said before */
	if (left && !m.hooked && !m.unhooked && !m.attached &&
	    (said = embedded(files)))
		tell(ctx, said);
}
