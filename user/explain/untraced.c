/* SPDX-License-Identifier: BSD-2-Clause */
/* The rule about time that is in no traced function, and why. */
#include <stdlib.h>
#include <string.h>

#include <gnomon/path.h>
#include "explain/rules.h"
#include "output/header.h"

/* Whether each line of a text begins with '!'. */
static bool only_excludes(const char *lines)
{
	while (*lines == '!')
		lines += strcspn(lines, "\n") + (strchr(lines, '\n') != NULL);
	return !*lines;
}

/* App time of a process that is in no traced function. */
static uint64_t outside_of(const struct gn_model_process *p)
{
	uint64_t all = p->v.class_incl[GN_CLASS_APP];
	uint64_t traced = p->v.class_excl[GN_CLASS_APP];

	return all > traced ? all - traced : 0;
}

static int by_name(const void *a, const void *b)
{
	const struct gn_model_process *const *x = a, *const *y = b;

	return strcmp((*x)->name, (*y)->name);
}

/* Whether a process's name is that of the command's own program. The kernel
 * cuts names to 15 bytes. */
static bool is_command(const struct gn_model *m, const char *name)
{
	const char *json = gn_model_info(m, "command");
	char *text = json ? gn_command_text(json) : NULL;
	char *word = text ? malloc(strlen(text) + 1) : NULL;
	bool is = true; /* not known */

	if (word) {
		gn_take_word(text, word);
		is = !strncmp(gn_base_name(word), name, 15);
	}
	free(word);
	free(text);
	return is;
}

/* Whether the process runs a runtime or an interpreter, whose functions are in
 * no file. */
static bool has_runtime(const struct gn_model *m, uint32_t pid)
{
	for (size_t i = 0; i < m->nthreads; i++)
		if (m->threads[i].pid == pid &&
		    m->threads[i].runtime != GN_RUNTIME_NATIVE)
			return true;
	return false;
}

/* The program whose processes have most of such time, if it is not the command
 * itself: a shell or env only started it. */
static const char *other_program(const struct gn_model *m, uint64_t *ns)
{
	const struct gn_model_process **p = NULL;
	const char *most = NULL;
	uint64_t sum = 0;
	uint32_t pid = 0;

	*ns = 0;
	if (!gn_model_attached(m) && m->nprocesses)
		p = calloc(m->nprocesses, sizeof(*p));
	for (size_t i = 0; p && i < m->nprocesses; i++)
		p[i] = &m->processes[i];
	if (p)
		qsort(p, m->nprocesses, sizeof(*p), by_name);
	for (size_t i = 0; p && i < m->nprocesses; i++) {
		if (i && by_name(&p[i - 1], &p[i]) != 0)
			sum = 0;
		sum += outside_of(p[i]);
		if (sum > *ns) {
			*ns = sum;
			most = p[i]->name;
			pid = p[i]->pid;
		}
	}
	free(p);
	return most && !is_command(m, most) && !has_runtime(m, pid) ? most
								    : NULL;
}

/* Whether -f names no function, or only what it leaves out. */
static bool names_none(const struct gn_model *m)
{
	const char *asked = gn_model_info(m, "functions.asked");

	return asked && (!strcmp(asked, "all") || only_excludes(asked));
}

/* Whether a runtime has methods, which are in no file. One of .NET that was
 * already running may compile none in the capture, and a JVM without USDT
 * probes does not say what it compiles. */
static bool has_methods(const struct gn_model *m)
{
	for (size_t i = 0; i < m->nthreads; i++)
		if (m->threads[i].runtime == GN_RUNTIME_CLR)
			return true;
	for (size_t i = 0; i < m->nfunctions; i++)
		if (m->functions[i].runtime == GN_RUNTIME_JAVA)
			return true;
	return m->code.compiled;
}

/* The same where a runtime compiles functions. */
static bool asked_all(const struct gn_model *m)
{
	return has_methods(m) && names_none(m);
}

/* Whether the functions are those of an interpreter: no file has them, so they
 * cannot be listed, and samples show the interpreter instead, or, of CPython
 * and Ruby, functions that are traced already. */
static bool interpreted(const struct gn_model *m)
{
	for (size_t i = 0; i < m->nfunctions; i++)
		switch (m->functions[i].runtime) {
		case GN_RUNTIME_CPYTHON:
		case GN_RUNTIME_PHP:
		case GN_RUNTIME_RUBY:
		case GN_RUNTIME_ZEND:
			return true;
		default:
			break;
		}
	return false;
}

/* Whether the functions of runtimes were left out, by --clr light or because
 * nothing asks for those of a process that was already running. */
static bool light(const struct gn_model *m)
{
	const char *level = gn_model_info(m, "clr");

	return has_methods(m) && level && !strcmp(level, "light");
}

/* Whether code made in memory before gnomon attached can have inlined copies of
 * the methods that -f names. */
static bool can_be_copied(const struct gn_model *m)
{
	const char *hooks = gn_model_info(m, "hooks");

	return m->code.selected[GN_SELECTED_METHODS] && !m->nfunctions &&
	       !(hooks && strcmp(hooks, "il") != 0);
}

/* Whether -f found no method in a program of .NET that it started, but could
 * not look into all modules. Hooks of the runtime see these, too. */
static bool unsearched(const struct gn_model *m)
{
	const char *hooks = gn_model_info(m, "hooks");

	return !m->nfunctions && !m->code.selected[GN_SELECTED_METHODS] &&
	       m->code.selected[GN_SELECTED_MODULES_LEFT] && hooks &&
	       !strcmp(hooks, "il at start");
}

/* Whether an interpreter or a JVM had no hooks. */
static bool left(const struct gn_model *m)
{
	return m->code.selected[GN_SELECTED_PYTHONS_LEFT] ||
	       m->code.selected[GN_SELECTED_RUBIES_LEFT] ||
	       m->code.selected[GN_SELECTED_PHPS_HIDDEN] ||
	       m->code.selected[GN_SELECTED_JVMS_LEFT];
}

/* Whether only functions of a runtime could have been traced, and it had no
 * hooks. */
static bool unhooked(const struct gn_model *m)
{
	return !m->nfunctions && (gn_model_info(m, "clr.unhooked") || left(m));
}

/* Whether no function has probes because those that -f names were refused.
 * Otherwise, if none was seen, none was called. */
static bool refused(const struct gn_model *m, uint64_t *attached)
{
	uint64_t by_ret = 0, by_return = 0, all = 0, kernel = 0;

	gn_info_number(m, "functions.ret", &by_ret);
	gn_info_number(m, "functions.return", &by_return);
	gn_info_number(m, "functions.refused", &all);
	gn_info_number(m, "functions.refused.kernel", &kernel);
	*attached = by_ret + by_return;
	return all && *attached <= kernel;
}

static void say_none(const struct gn_model *m, FILE *out)
{
	const char *first = gn_model_info(m, "functions.refused.first");
	uint64_t attached;

	if (refused(m, &attached)) {
		fputs("No function was traced, as what -f names was refused",
		      out);
		if (first)
			fprintf(out, " (%s)", first);
	} else if (attached || m->code.selected[GN_SELECTED_METHODS]) {
		fputs("No call of what -f names was seen", out);
	} else {
		fputs("No function was traced", out);
	}
}

/* Whether a JVM ran already, whose methods -f would have to name. */
static bool unnamed_java(const struct gn_model *m)
{
	return !m->nfunctions && names_none(m) && gn_came_to_jvm(m);
}

/* The language of a program whose functions samples have, or would have, and
 * nothing else has, because gnomon did not start it; or NULL. */
static const char *sampled_only(const struct gn_model *m)
{
	if (m->nfunctions)
		return NULL;
	if (!m->nsamples)
		return gn_model_info(m, "program.sampled");
	if (m->counters[GN_COUNTER_PYTHON_STACKS])
		return "Python";
	if (m->counters[GN_COUNTER_RUBY_STACKS])
		return "Ruby";
	return m->counters[GN_COUNTER_PHP_STACKS] ? "PHP" : NULL;
}

/* Whether what is in no traced function can be in methods that nothing asked
 * for, or in such functions, which samples show. */
static bool samples_tell(const struct gn_model *m)
{
	if (sampled_only(m))
		return true;
	return has_methods(m) && !interpreted(m) && !unhooked(m) &&
	       (light(m) || !asked_all(m));
}

/* Whether the program works enough for samples, which see it on CPUs only: it
 * wants half of one. If no call was seen, why matters more. */
static bool works_enough(const struct gn_facts *f)
{
	if (f->m->nfunctions && samples_tell(f->m))
		return f->cpu + f->classes[GN_CLASS_RUNQUEUE] > f->wall / 2;
	return f->cpu > f->wall / 20;
}

/* Whether another finding has samples, and this one would only name them. */
static bool told_by_samples(const struct gn_model *m)
{
	return (light(m) || sampled_only(m)) &&
	       gn_share_of_samples(m) >= GN_SAMPLED_LEAST;
}

int gn_look_untraced(const struct gn_facts *f, struct gn_subject *s)
{
	uint64_t traced = 0, all = f->classes[GN_CLASS_APP], whole;

	for (size_t i = 0; i < f->m->nfunctions; i++)
		traced += gn_own_time(&f->m->functions[i]);
	if (traced < all && works_enough(f) && !told_by_samples(f->m)) {
		s->ns = all - traced;
		s->share = gn_share(s->ns, all);
		s->rank = gn_share_of_work(f, s->ns);
	}
	/* methods are not in files, so they cannot be listed */
	if (unsearched(f->m))
		s->what = GN_NEXT_AGAIN;
	else if (samples_tell(f->m))
		s->what = f->m->nsamples ? GN_NEXT_REPORT : GN_NEXT_AGAIN;
	else if (asked_all(f->m) || unhooked(f->m) ||
		 (interpreted(f->m) &&
		  (!other_program(f->m, &whole) || whole < s->ns / 2)))
		s->what = GN_NEXT_REPORT;
	else if (!f->m->counters[GN_COUNTER_UNPROBED] &&
		 other_program(f->m, &whole))
		s->what = GN_NEXT_OTHER;
	return 0;
}

static bool stripped(const struct gn_model *m)
{
	return gn_model_info(m, "program.stripped") != NULL;
}

/* Go's linker leaves symbols out, and then there are none anywhere. */
static bool stripped_go(const struct gn_model *m)
{
	return stripped(m) &&
	       !strcmp(gn_model_info(m, "program.stripped"), "go");
}

/* How new children have their probes in time, if there is a way. */
static const char *at_once(const struct gn_model *m)
{
	const char *name;
	uint64_t n;

	if (m->by_path || !gn_model_attached(m))
		return "";
	if (gn_unprobed_other(m, &n, &name) && !gn_children_of(m, &n))
		return "New children have them at once if no untraced process "
		       "maps their file. ";
	return "A server's new children have them at once if -p names all its "
	       "processes (-p A,B,C). ";
}

/* Writes what to name with -f. If probes came late, other names may not
 * help. */
static void put_to_name(const struct gn_model *m, FILE *out)
{
	const char *language = gn_model_info(m, "program.language");
	uint64_t attached = 0;
	bool none = !m->nfunctions && refused(m, &attached);
	bool named = none || attached;

	fputs(") is in none. ", out);
	if (named && !none && m->counters[GN_COUNTER_UNPROBED])
		fprintf(out,
			"Calls before probes were in place are not seen (see "
			"UNPROBED). %sName %sothers with -f; this lists them:",
			at_once(m),
			m->by_path ? "the file by its path, or " : "");
	else if (language)
		fprintf(out,
			"gnomon does not see functions of %s in this "
			"interpreter. Native functions have names; this lists "
			"them:",
			language);
	else if (stripped_go(m))
		fputs("The Go program has no symbols, so its functions have no "
		      "names here; a build without -ldflags=-s has them.",
		      out);
	else if (stripped(m))
		fputs("The program is stripped: its file names only what it "
		      "exports. Its debug symbols name the rest (a package "
		      "NAME-dbgsym or NAME-debuginfo, or a build without "
		      "strip). Functions of its libraries have names; this "
		      "lists all that have one:",
		      out);
	else
		fprintf(out, "Name %s with -f; this lists them:",
			named ? "others" : "some");
}

/* Another program than the command itself does it. */
static void put_other(const struct gn_model *m, uint64_t whole, FILE *out)
{
	uint64_t ns;
	const char *name = other_program(m, &ns);

	fputs(") is in none. Most of it, ", out);
	gn_put_pct(out, ns < whole ? ns : whole, whole);
	fprintf(out, ", is in %s: name its functions with -f; this lists them:",
		name ? name : "another program");
}

static void put_interpreted(const struct gn_model *m, FILE *out)
{
	bool all = names_none(m);

	fputs(") is in none: in the interpreter's own code", out);
	if (!all)
		fprintf(out, "%s in functions that -f does not name",
			m->nprocesses > 1 ? "," : " or");
	fprintf(out, "%s; --by thread tells.%s",
		m->nprocesses < 2 ? ""
		: all		  ? " or in other programs"
				  : ", or in other programs",
		all ? "" : " Without -f all functions are traced.");
}

void gn_say_untraced(const struct gn_facts *f, const struct gn_subject *s,
		     FILE *out)
{
	if (!f->m->nfunctions)
		say_none(f->m, out);
	else
		fputs("Much happens outside of the traced functions", out);
	fputs(": ", out);
	gn_put_ns(out, s->ns);
	fputs(" of app time (", out);
	gn_put_pct(out, s->ns, f->classes[GN_CLASS_APP]);
	if (unsearched(f->m))
		fputs(") is in none: in methods that -f does not name, in "
		      "modules that were not searched for them (see "
		      "untraced), or in the runtime's own code. Hooks of the "
		      "runtime see those modules, too:",
		      out);
	else if (unhooked(f->m))
		fprintf(out, ") is in none (see %s); --by thread tells.",
			left(f->m) ? "UNTRACED" : "runtime");
	else if (unnamed_java(f->m))
		fputs(") is in none: in a JVM that ran already, -f must name "
		      "the methods (-f 'com.example.*'); --by thread tells "
		      "what the runtime itself did.",
		      out);
	else if (interpreted(f->m) && s->what == GN_NEXT_REPORT)
		put_interpreted(f->m, out);
	else if (sampled_only(f->m))
		fprintf(out,
			") is in none: calls in %s are seen only if gnomon "
			"starts the program. Samples tell:",
			sampled_only(f->m));
	else if (light(f->m))
		fputs(") is in none: methods were not traced (see clr). "
		      "Samples tell:",
		      out);
	else if (samples_tell(f->m))
		fprintf(out,
			") is in none: in methods that -f does not name, %sor "
			"in the runtime's own code. Samples tell:",
			can_be_copied(f->m)
				? "in copies of named ones in compiled "
				  "expressions, which call the handlers of MVC "
				  "(see hooks), "
				: "");
	else if (s->what == GN_NEXT_REPORT)
		fputs(") is in none: in the runtime's own code, in methods "
		      "that can have no hooks, or, where gnomon came to a "
		      "process that ran, in what it did there; --by thread "
		      "tells.",
		      out);
	else if (s->what == GN_NEXT_OTHER)
		put_other(f->m, s->ns, out);
	else
		put_to_name(f->m, out);
}

/* The file of a program, or its name if that is not known. */
static const char *file_of(const struct gn_model *m, const char *name)
{
	const char *path = gn_model_info(m, "program.launched");
	char key[64];

	if (path && !strncmp(gn_base_name(path), name, 15))
		return path;
	snprintf(key, sizeof(key), "program.started.%s", name);
	path = gn_model_info(m, key);
	return path ? path : name;
}

void gn_next_untraced(const struct gn_facts *f, const struct gn_subject *s,
		      FILE *out)
{
	const char *name;
	uint64_t ns;

	if (s->what == GN_NEXT_AGAIN)
		fputs(unsearched(f->m) ? "--clr-hooks elt" : "--snapshot 499",
		      out);
	else if (samples_tell(f->m))
		fputs("--by samples --limit 20", out);
	else if (s->what != GN_NEXT_REPORT &&
		 (s->what == GN_NEXT_OTHER || !stripped_go(f->m)))
		fputs(s->what != GN_NEXT_OTHER && stripped(f->m)
			      ? "list -f '*:*'"
			      : "list -f '*'",
		      out);
	name = s->what == GN_NEXT_OTHER ? other_program(f->m, &ns) : NULL;
	if (name) {
		fputs(" -- ", out);
		gn_put_word(out, file_of(f->m, name));
	}
}
