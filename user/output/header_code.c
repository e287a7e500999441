// SPDX-License-Identifier: BSD-2-Clause
/* Reports what code the runtime compiled, and which calls are therefore not
 * seen. */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include <gnomon/path.h>
#include "output/header.h"
#include "output/text.h"

#define NAMED_MAX 3 /* functions */

static int put_one(const struct gn_model_unseen *one,
		   const struct gn_output_opts *o, FILE *f)
{
	char *name = gn_escape(one->name, o->utf8);
	char count[GN_CELL];

	if (!name)
		return -ENOMEM;
	gn_format_count(count, one->sites);
	if (one->sites)
		fprintf(f, "# %-11s %10s  %s\n", "", count, name);
	else
		fprintf(f, "# %-11s   %s\n", "", name);
	free(name);
	return 0;
}

/* Whether the module is .NET's own. */
static bool of_framework(const char *module)
{
	const char *file = gn_base_name(module);

	return strstr(module, "/shared/Microsoft.") ||
	       !strncmp(file, "System.", strlen("System.")) ||
	       !strncmp(file, "Microsoft.", strlen("Microsoft."));
}

/* Prints the first functions with their call sites, one per line. The program's
 * own functions come first, as people look for those. */
static int put_named(const struct gn_model_unseen *all, size_t n,
		     const struct gn_output_opts *o, FILE *f)
{
	size_t named = 0;
	int err = 0;

	for (int framework = 0; framework < 2; framework++)
		for (size_t i = 0; i < n && named < NAMED_MAX && !err; i++) {
			if (of_framework(all[i].module) != framework)
				continue;
			err = put_one(&all[i], o, f);
			named++;
		}
	return err;
}

static int put_inlined(const struct gn_model *m, const struct gn_output_opts *o,
		       FILE *f)
{
	const char *how = gn_model_info(m, "inlining");
	char n[GN_CELL];

	/* a shell can start .NET, but what it started can be a JVM */
	if (how && !strcmp(how, "refused") && m->code.compiled &&
	    !gn_model_of_jvm(m))
		fprintf(f,
			"# %-11s refused for managed functions that are "
			"traced: each call is seen,\n# %-11s and small "
			"functions cost the program more than without gnomon\n",
			"inlining", "");
	if (!m->code.sites)
		return 0;
	gn_format_count(n, m->code.sites);
	fprintf(f,
		"# %-11s at %s call %s, the compiler may have copied the "
		"callee into its caller:\n# %-11s such calls are not counted, "
		"and their time is their caller's\n# %-11s (--inline refuse "
		"sees them); the rows of these callees are marked <.\n# %-11s "
		"The most frequent ones, those of the program first:\n",
		"inlining", n, gn_word(m->code.sites, "site", "sites"), "", "",
		"");
	return put_named(m->code.inlined, m->code.ninlined, o, f);
}

static void put_thrown(const struct gn_model *m, FILE *f)
{
	char n[GN_CELL];

	if (!m->code.thrown)
		return;
	gn_format_count(n, m->code.thrown);
	fprintf(f,
		"# %-11s %s %s ended by an exception, at a time that the "
		"runtime does not\n# %-11s report: what %s did up to the next "
		"compilation or traced call counts as jit\n",
		"compiling", n,
		gn_word(m->code.thrown, "compilation", "compilations"), "",
		gn_word(m->code.thrown, "its thread", "their threads"));
}

static void put_code_off(const struct gn_model *m, FILE *f)
{
	uint64_t modules = m->code.selected[GN_SELECTED_CODE_OFF];
	char n[GN_CELL];

	if (!modules)
		return;
	gn_format_count(n, modules);
	fprintf(f,
		"# %-11s code of %s %s was turned off completely, because it "
		"does not say which methods\n# %-11s it has copied (such as a "
		"composite image in one file with the program); this\n# %-11s "
		"makes the program slower (-p leaves the code on)\n",
		"precompiled", n, gn_word(modules, "module", "modules"), "",
		"");
}

static void put_precompiled(const struct gn_model *m,
			    const struct gn_output_opts *o, FILE *f)
{
	char n[GN_CELL], all[GN_CELL];

	gn_format_count(all, m->code.compiled);
	if (gn_model_info(m, "precompiled") && m->code.compiled &&
	    !gn_model_of_jvm(m)) {
		fprintf(f,
			"# %-11s code was turned off completely to report "
			"transitions: what had such\n# %-11s code was compiled "
			"instead, which counts as jit (%s %s in all)\n",
			"precompiled", "", all,
			gn_word(m->code.compiled, "compilation",
				"compilations"));
	} else if (m->code.refused) {
		gn_format_count(n, m->code.refused);
		fprintf(f,
			"# %-11s code of %s %s was turned off to see all "
			"calls: %s compiled\n# %-11s instead, which counts as "
			"jit (%s %s in all)\n",
			"precompiled", n,
			gn_word(m->code.refused, "function", "functions"),
			gn_word(m->code.refused, "it was", "they were"), "",
			all,
			gn_word(m->code.compiled, "compilation",
				"compilations"));
	}
	put_code_off(m, f);
	if (!m->code.copies_ran)
		return;
	gn_format_count(n, m->code.copies_ran);
	fprintf(f,
		"%s# %-11s %s precompiled %s that may contain copies of traced "
		"ones may have run%s\n",
		o->color ? GN_ATTENTION : "", "COPIES", n,
		gn_word(m->code.copies_ran, "function", "functions"),
		o->color ? GN_PLAIN : "");
	fprintf(f,
		"%s# %-11s before gnomon knew that: calls can be too few "
		"(--inline refuse without -f sees all)%s\n",
		o->color ? GN_ATTENTION : "", "", o->color ? GN_PLAIN : "");
}

/* Whether gnomon started the program with hooks in its IL. */
static bool started_by_il(const struct gn_model *m)
{
	const char *hooks = gn_model_info(m, "hooks");

	return hooks && !strcmp(hooks, "il at start");
}

static void put_without(uint64_t methods, const char *why, FILE *f)
{
	char n[GN_CELL];

	if (!methods)
		return;
	gn_format_count(n, methods);
	fprintf(f, "# %-11s %s %s %s: %s calls are not seen\n", "untraced", n,
		gn_word(methods, "method", "methods"), why,
		gn_word(methods, "its", "their"));
}

/* Hooks that a JVM got when it was initialized. */
static void put_at_start(uint64_t loaded, FILE *f)
{
	char n[GN_CELL];

	fprintf(f, "# %-11s in the bytecode of the methods that -f names\n",
		"hooks");
	if (!loaded)
		return;
	gn_format_count(n, loaded);
	fprintf(f,
		"# %-11s %s %s loaded before the JVM was initialized: calls "
		"until then, as by premain()\n# %-11s of its agents, are not "
		"seen\n",
		"", n, gn_word(loaded, "was", "were"), "");
}

/* Hooks in the bytecode of a JVM. Whether there are any. */
static bool put_in_bytecode(const struct gn_model *m, FILE *f)
{
	const uint64_t *selected = m->code.selected;
	const char *hooks = gn_model_info(m, "hooks");
	uint64_t methods = selected[GN_SELECTED_METHODS];
	char n[GN_CELL];

	if (!hooks || strncmp(hooks, "bytecode", 8) != 0)
		return false;
	if (!strcmp(hooks, "bytecode")) {
		gn_format_count(n, methods);
		fprintf(f,
			"# %-11s in the bytecode of %s loaded %s that -f "
			"names, and of those of classes\n# %-11s that were "
			"loaded later. Not seen are calls that were already "
			"running\n",
			"hooks", n, gn_word(methods, "method", "methods"), "");
	} else if (m->nfunctions || !gn_model_info(m, "clr.unhooked")) {
		put_at_start(methods, f);
	}
	/* if more are seen, the glob was wide, and meant these as well */
	if (selected[GN_SELECTED_NO_BYTECODE] > methods + m->nfunctions)
		put_without(selected[GN_SELECTED_NO_BYTECODE],
			    "without bytecode (abstract or native)", f);
	put_without(selected[GN_SELECTED_UNCHANGED],
		    "whose bytecode cannot be changed", f);
	return true;
}

static void put_by_runtime(uint64_t processes, FILE *f)
{
	char n[GN_CELL];

	if (!processes)
		return;
	gn_format_count(n, processes);
	fprintf(f,
		"# %-11s by the runtime (as with --clr-hooks elt) in %s %s "
		"with edit and\n# %-11s continue: there, the runtime accepts "
		"no hooks in the IL\n",
		"hooks", n, gn_word(processes, "process", "processes"), "");
}

static void put_in_il(const struct gn_model *m, FILE *f)
{
	uint64_t methods = m->code.selected[GN_SELECTED_METHODS];
	bool started = started_by_il(m);
	char n[GN_CELL];

	gn_format_count(n, methods);
	fprintf(f,
		"# %-11s in the IL of %s %s that -f names (--clr-hooks rejit), "
		"compiled again\n# %-11s for this%s. %s\n",
		"hooks", n, gn_word(methods, "method", "methods"), "",
		m->code.selected[GN_SELECTED_CODE_OFF]
			? ""
			: "; other code is unchanged",
		started ? "All calls are seen except those named below"
			: "Not seen are calls that were already running,");
	if (started)
		return;
	fprintf(f,
		"# %-11s and copies of small methods in these calls (for "
		"example in a long loop) and in\n# %-11s methods that were "
		"generated in memory before: compiled expressions, which "
		"call\n# %-11s handlers of MVC, minimal APIs and SignalR, and "
		"code that serialisers, mappers\n# %-11s and ORMs generate. To "
		"see these, start the program under gnomon. gnomon finds\n# "
		"%-11s the methods and requests their hooks on the thread .NET "
		"EventPipe; this work\n# %-11s %s\n",
		"", "", "", "", "", "",
		m->own_work ? "is not in the times of that thread"
			    : "is in the times of that thread");
}

/* Beside hooks by the runtime. */
static void put_awaits(uint64_t methods, FILE *f)
{
	char n[GN_CELL];

	if (!methods)
		return;
	gn_format_count(n, methods);
	fprintf(f,
		"# %-11s in the IL of %s async %s that the runtime itself "
		"suspends\n",
		"hooks", n, gn_word(methods, "method", "methods"));
}

static void put_edited(uint64_t methods, bool started, FILE *f)
{
	char n[GN_CELL];

	if (!methods)
		return;
	gn_format_count(n, methods);
	fprintf(f,
		"# %-11s %s %s of modules with edit and continue\n# %-11s "
		"(DOTNET_MODIFIABLE_ASSEMBLIES=debug): the runtime accepts no "
		"hooks in their IL\n# %-11s (%s)\n",
		"untraced", n, gn_word(methods, "method", "methods"), "", "",
		started ? "--clr-hooks elt sees them"
			: "start the program without that variable");
}

static void put_copied(uint64_t methods, bool started, FILE *f)
{
	char n[GN_CELL];

	if (!methods)
		return;
	gn_format_count(n, methods);
	fprintf(f,
		"# %-11s calls of %s %s by precompiled code that can contain "
		"copies of %s%s\n",
		"untraced", n, gn_word(methods, "method", "methods"),
		gn_word(methods, "it", "them"),
		started ? " (-f without a wildcard sees all)" : "");
}

/* Prints how many requested methods have hooks in their IL, and which have
 * none. */
static void put_selected(const struct gn_model *m, FILE *f)
{
	const uint64_t *selected = m->code.selected;
	bool started = started_by_il(m);

	if (put_in_bytecode(m, f))
		return;
	put_by_runtime(selected[GN_SELECTED_BY_RUNTIME], f);
	put_awaits(selected[GN_SELECTED_AWAITS], f);
	if (!selected[GN_SELECTED_METHODS] && !selected[GN_SELECTED_NO_IL] &&
	    !selected[GN_SELECTED_EDITED] && !selected[GN_SELECTED_FAILED])
		return;
	put_in_il(m, f);
	put_without(selected[GN_SELECTED_NO_IL], "without IL", f);
	put_without(selected[GN_SELECTED_FAILED],
		    "refused by the runtime or for lack of CPU time", f);
	put_edited(selected[GN_SELECTED_EDITED], started, f);
	put_copied(selected[GN_SELECTED_COPIED], started, f);
}

/* Printed even if no requested method was found: it can be in such a module. */
static void put_modules_left(const struct gn_model *m, FILE *f)
{
	uint64_t left = m->code.selected[GN_SELECTED_MODULES_LEFT];
	char n[GN_CELL];

	if (!left)
		return;
	gn_format_count(n, left);
	fprintf(f,
		"# %-11s methods of %s module%s: made in memory, able to "
		"unload, or beyond\n# %-11s the first 4,096%s\n",
		"untraced", n, gn_word(left, "", "s"), "",
		started_by_il(m) ? " (--clr-hooks elt sees them)" : "");
}

/* A glob that names an interface's method selects nothing that can be traced.
 * If more methods are traced than are abstract, the glob was wide and also
 * selected the implementations, so nothing is printed. */
static void put_abstract(const struct gn_model *m, FILE *f)
{
	uint64_t abstract = m->code.selected[GN_SELECTED_ABSTRACT];
	char n[GN_CELL];

	if (!abstract || abstract < m->code.selected[GN_SELECTED_METHODS])
		return;
	gn_format_count(n, abstract);
	fprintf(f,
		"# %-11s %s abstract %s, such as those of interfaces: to trace "
		"what\n# %-11s implements %s, use -f '*.METHOD'\n",
		"untraced", n, gn_word(abstract, "method", "methods"), "",
		gn_word(abstract, "it", "them"));
}

static void put_no_room(const struct gn_model *m,
			const struct gn_output_opts *o, FILE *f)
{
	uint64_t left = m->code.selected[GN_SELECTED_NO_ROOM];
	char n[GN_CELL];

	if (!left)
		return;
	gn_format_count(n, left);
	fprintf(f,
		"%s# %-11s %s time%s a function was compiled or requested when "
		"no room was left: a process has\n# %-11s room for 1,048,576 "
		"in its life. Others have no name, and their calls are not "
		"seen%s\n",
		o->color ? GN_ATTENTION : "", "UNTRACED", n,
		gn_word(left, "", "s"), "", o->color ? GN_PLAIN : "");
}

/* Says if exceptions are not watched, or are watched on request: watching can
 * crash the program. */
static void put_exceptions(const struct gn_model *m,
			   const struct gn_output_opts *o, FILE *f)
{
	const uint64_t *selected = m->code.selected;

	if (selected[GN_SELECTED_EXCEPTIONS_LEFT]) {
		fprintf(f,
			"# %-11s are not watched: in .NET 9 and later, that "
			"can crash a program that\n# %-11s filters them (catch "
			".. when), because of a bug of the runtime;\n# %-11s "
			"--events exceptions watches them anyway\n",
			"exceptions", "", "");
		if (gn_model_info(m, "hooks.elt"))
			fprintf(f,
				"# %-11s a call that an exception ends seems "
				"to last until a caller of it calls or "
				"returns\n",
				"");
	}
	if (selected[GN_SELECTED_EXCEPTIONS_RISKED])
		fprintf(f,
			"%s# %-11s are watched, as requested: in .NET 9 and "
			"later, that can crash a program that\n# %-11s filters "
			"them (catch .. when), because of a bug of the "
			"runtime%s\n",
			o->color ? GN_ATTENTION : "", "exceptions", "",
			o->color ? GN_PLAIN : "");
}

static void put_allocations(const struct gn_model *m,
			    const struct gn_output_opts *o, FILE *f)
{
	if (m->code.selected[GN_SELECTED_ALLOCATIONS_LEFT])
		fprintf(f,
			"%s# %-11s of boxed values and combined delegates are "
			"reported only in part: .NET 10 makes\n# %-11s most of "
			"them without an event. All other allocations are "
			"reported%s\n",
			o->color ? GN_ATTENTION : "", "ALLOCATIONS", "",
			o->color ? GN_PLAIN : "");
}

/* Says that the runtime makes the hooks itself, and why, if they saw calls. */
static void put_elt(const struct gn_model *m, FILE *f)
{
	static const char option[] = "--clr-hooks elt";
	const char *why = gn_model_info(m, "hooks.elt");
	bool seen = false;

	for (size_t i = 0; why && !seen && i < m->nfunctions; i++)
		seen = m->functions[i].runtime == GN_RUNTIME_CLR &&
		       m->functions[i].v.calls;
	if (seen)
		fprintf(f,
			"# %-11s by the runtime, in the code that it compiles "
			"(%s%s%s)\n",
			"hooks", option, strcmp(why, option) ? ": " : "",
			strcmp(why, option) ? why : "");
}

/* Prints what gnomon reports of a runtime whose functions it does not trace:
 * "light", or why it reports nothing. */
static int put_light(const struct gn_model *m, const struct gn_output_opts *o,
		     FILE *f)
{
	const char *level = gn_model_info(m, "clr");

	if (!level && gn_model_info(m, "clr.unhooked"))
		return gn_header_line(f, "runtime",
				      gn_model_info(m, "clr.unhooked"),
				      o->utf8);
	if (!level || strcmp(level, "light") != 0)
		return gn_header_line(f, "clr", level, o->utf8);
	fprintf(f,
		"# %-11s light: compilation, collections and suspension, "
		"without functions;\n# %-11s all code is unchanged (-f names "
		"functions)\n",
		"clr", "");
	return gn_header_line(f, "", gn_model_info(m, "clr.without"), o->utf8);
}

static void put_interpreters(const struct gn_model *m,
			     const struct gn_output_opts *o, FILE *f)
{
	static const struct {
		enum gn_selected what;
		const char *label, *one, *many, *text, *more;
	} lines[] = {
		{GN_SELECTED_PROFILED, "UNTRACED", "thread", "threads",
		 "of Python set a profile function of the program's",
		 "own (sys.setprofile, cProfile): calls after that are not "
		 "seen"},
		{GN_SELECTED_SUBINTERPRETERS, "UNTRACED", "subinterpreter",
		 "subinterpreters",
		 "of Python 3.12 or later, or beyond 63: calls there",
		 "are not seen"},
		{GN_SELECTED_FOREIGN_THREADS, "IN DOUBT", "thread", "threads",
		 "of Python that C code started, or in subinterpreters:",
		 "their first calls, or all, can be missing"},
		{GN_SELECTED_PYTHONS_LEFT, "UNTRACED", "interpreter",
		 "interpreters", "of Python without hooks: gnomon knows",
		 "CPython 3.8 to 3.14 with a global lock"},
		{GN_SELECTED_RUBIES_LEFT, "UNTRACED", "interpreter",
		 "interpreters", "of Ruby without hooks: gnomon knows",
		 "CRuby 3.1 and later with a shared libruby"},
		{GN_SELECTED_RACTORS, "UNTRACED", "program", "programs",
		 "of Ruby with Ractors: methods that run in another one",
		 "than the main one are not seen"},
		{GN_SELECTED_MONOS_LEFT, "UNTRACED", "runtime", "runtimes",
		 "of Mono without hooks: gnomon knows Mono 6 with its",
		 "compiler, not with its interpreter"},
		{GN_SELECTED_JVMS_LEFT, "UNTRACED", "JVM", "JVMs",
		 "without hooks: they would be in the archive of classes",
		 "or AOT cache that it writes; trace a run without that "
		 "option"},
		{GN_SELECTED_PHPS_HIDDEN, "UNTRACED", "process", "processes",
		 "of PHP whose code an extension runs by itself, as pcov",
		 "does (php -d pcov.enabled=0): functions are not seen"},
		{GN_SELECTED_JITS_OFF, "JIT OFF", "program", "programs",
		 "of PHP without opcache's compiler, which PHP turns off",
		 "while functions are traced: without gnomon it is faster"},
		{GN_SELECTED_GREENLETS, "IN DOUBT", "program", "programs",
		 "of Python with a greenlet that gnomon does not know:",
		 "its switches are not seen, and times of calls can be wrong"},
	};

	for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++) {
		uint64_t count = m->code.selected[lines[i].what];
		char n[GN_CELL];

		if (!count)
			continue;
		gn_format_count(n, count);
		fprintf(f, "%s# %-11s %s %s %s\n# %-11s %s%s\n",
			o->color ? GN_ATTENTION : "", lines[i].label, n,
			gn_word(count, lines[i].one, lines[i].many),
			lines[i].text, "", lines[i].more,
			o->color ? GN_PLAIN : "");
	}
}

int gn_header_code(const struct gn_model *m, const struct gn_output_opts *o,
		   FILE *f)
{
	char n[GN_CELL];
	int err = put_inlined(m, o, f);

	if (!err)
		err = put_light(m, o, f);
	if (!err)
		err = gn_header_line(f, "runtime",
				     gn_model_info(m, "runtime.silent"),
				     o->utf8);
	if (err)
		return err;
	put_thrown(m, f);
	put_precompiled(m, o, f);
	put_elt(m, f);
	put_selected(m, f);
	put_abstract(m, f);
	put_modules_left(m, f);
	put_no_room(m, o, f);
	put_interpreters(m, o, f);
	put_exceptions(m, o, f);
	put_allocations(m, o, f);
	if (!m->code.nunhooked)
		return 0;
	gn_format_count(n, m->code.nunhooked);
	fprintf(f,
		"# %-11s %s %s that can have no hooks: %s calls are not seen\n",
		"untraced", n,
		gn_word(m->code.nunhooked, "function", "functions"),
		gn_word(m->code.nunhooked, "its", "their"));
	return put_named(m->code.unhooked, m->code.nunhooked, o, f);
}
