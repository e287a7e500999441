/* SPDX-License-Identifier: BSD-2-Clause */
#include "output/header.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "output/busy.h"
#include "output/classes.h"
#include "output/columns.h"
#include "output/text.h"

/* The command as a user would type it, cut to the terminal's width. */
static int put_command(const struct gn_model *m, const struct gn_output_opts *o,
		       FILE *f)
{
	static const char label[] = "# command     ";
	const char *json = gn_model_info(m, "command");
	char *text, *escaped;

	/* a capture of running processes has no command */
	if (!json || !strcmp(json, "[]"))
		return 0;
	text = gn_command_text(json);
	if (!text)
		return -ENOMEM;
	escaped = gn_escape(text, o->utf8);
	free(text);
	if (!escaped)
		return -ENOMEM;
	if (o->width && *escaped)
		gn_text_cut(escaped,
			    o->width > (int)sizeof(label) + 8
				    ? (size_t)o->width - sizeof(label) + 1
				    : 8);
	if (*escaped)
		fprintf(f, "%s%s\n", label, escaped);
	free(escaped);
	return 0;
}

static int put_machine(const struct gn_model *m, const struct gn_output_opts *o,
		       FILE *f)
{
	const char *machine = gn_model_info(m, "machine");
	const char *kernel = gn_model_info(m, "kernel");
	char *text = NULL;
	int err;

	if (!machine || !kernel)
		return gn_header_line(f, machine ? "machine" : "kernel",
				      machine ? machine : kernel, o->utf8);
	if (asprintf(&text, "%s; kernel %s", machine, kernel) < 0)
		return -ENOMEM;
	err = gn_header_line(f, "machine", text, o->utf8);
	free(text);
	return err;
}

static void put_time(const struct gn_model *m, const struct gn_output_opts *o,
		     FILE *f)
{
	uint64_t wall = m->end > m->start ? m->end - m->start : 0;
	char time[GN_CELL];

	gn_format_duration(time, wall, o->ns);
	fprintf(f, "# %-11s %s; ", "duration", time);
	gn_put_counted(f, gn_model_threads(m), "thread", "threads");
	fputs(" in ", f);
	gn_put_counted(f, m->nprocesses, "process", "processes");
	gn_format_duration(time, m->session.elapsed_incl, o->ns);
	fprintf(f, ", %s of thread time\n", time);
}

/* A share of the capture below 1 / ATTACHED_PART is not worth a line. */
#define ATTACHED_PART 20

/* Prints how long it took until running runtimes had done what gnomon asked
 * for. */
static void put_attached(const struct gn_model *m,
			 const struct gn_output_opts *o, FILE *f)
{
	uint64_t wall = m->end > m->start ? m->end - m->start : 0, after;
	char time[GN_CELL];

	if (!gn_info_number(m, "attached_ns", &after) ||
	    after < wall / ATTACHED_PART)
		return;
	gn_format_duration(time, after, o->ns);
	fprintf(f,
		"# %-11s after the first %s, in which the runtime added the "
		"hooks: all times include\n# %-11s this part, too; calls of a "
		"method are seen as soon as it has its hooks\n",
		"attached", time, "");
}

/* Prints how many children the processes had already. */
static void put_children(const struct gn_model *m, FILE *f)
{
	uint64_t n;
	const char *of = gn_children_of(m, &n);
	char count[GN_CELL];

	if (!of)
		return;
	gn_format_count(count, n);
	fprintf(f,
		"# %-11s not traced: %s that process %s had already; -p "
		"$(pgrep -d, -P %s) adds %s\n",
		"children", count, of, of, gn_word(n, "it", "them"));
}

#define IDLE_NAMED 6

/* The number of idle threads with the name of thread `from`; 0 if an earlier
 * thread has the same name. */
static size_t idle_named(const struct gn_model *m, size_t from)
{
	size_t n = 0;

	for (size_t i = 0; i < m->nthreads; i++) {
		if (!gn_thread_idle(&m->threads[i]) ||
		    strcmp(m->threads[i].name, m->threads[from].name) != 0)
			continue;
		if (i < from)
			return 0;
		n += gn_model_row_threads(&m->threads[i]);
	}
	return n;
}

/* Prints the idle threads, by name. -ENOMEM. */
static int put_idle(const struct gn_model *m, const struct gn_output_opts *o,
		    FILE *f)
{
	size_t idle, told = 0, named = 0;
	uint64_t busy = gn_busy_elapsed(m, &idle);
	char time[GN_CELL];

	if (o->of != GN_OF_BUSY || !idle)
		return 0;
	gn_format_duration(time, busy, o->ns);
	fprintf(f, "# %-11s %zu of %" PRIu64 " threads only waited (", "idle",
		idle, gn_model_threads(m));
	for (size_t i = 0; i < m->nthreads && named < IDLE_NAMED; i++) {
		size_t n =
			gn_thread_idle(&m->threads[i]) ? idle_named(m, i) : 0;
		char *name = n ? gn_escape(m->threads[i].name, o->utf8) : NULL;

		if (!n)
			continue;
		if (!name)
			return -ENOMEM;
		fprintf(f, "%s%s", named++ ? ", " : "", name);
		if (n > 1 && !m->threads[i].merged)
			fprintf(f, " x%zu", n);
		told += n;
		free(name);
	}
	if (told < idle)
		fprintf(f, ", %zu more", idle - told);
	fprintf(f,
		"); %% of elapsed times are of the others' %s (--of threads: "
		"of all)\n",
		time);
	return 0;
}

/* Prints the time of each class. */
static void put_classes(const struct gn_model *m, FILE *f)
{
	const char *between = "";
	char pct[GN_CELL];

	if (!m->session.elapsed_incl)
		return;
	fprintf(f, "# %-11s ", "classes");
	for (int c = 0; c < GN_CLASS_COUNT; c++) {
		if (!m->session.class_incl[c])
			continue;
		gn_format_pct(pct, m->session.class_incl[c],
			      m->session.elapsed_incl);
		fprintf(f, "%s%s %s %%", between, gn_class_text(c), pct);
		between = ", ";
	}
	fputc('\n', f);
}

/* Says which kernel work was not traced: its CPU time counts as app. */
static void put_untimed(const struct gn_model *m, FILE *f)
{
	static const struct {
		const char *key, *what;
	} work[] = {
		{"syscalls", "system calls'"},
		{"faults", "page faults'"},
	};

	for (size_t i = 0; i < sizeof(work) / sizeof(work[0]); i++) {
		const char *value = gn_model_info(m, work[i].key);

		if (value && !strcmp(value, "0"))
			fprintf(f,
				"# %-11s %s own CPU time counts as app (--os "
				"%s shows it)\n",
				"", work[i].what, work[i].key);
	}
}

static int put_functions(const struct gn_model *m, bool utf8, FILE *f)
{
	const char *first = gn_model_info(m, "functions.refused.first");
	uint64_t by_return = 0, by_ret = 0, refused = 0;
	bool any = gn_info_number(m, "functions.return", &by_return);
	char n[GN_CELL];

	any |= gn_info_number(m, "functions.ret", &by_ret);
	any |= gn_info_number(m, "functions.refused", &refused);
	/* only native functions are counted here */
	if (!any || (!by_return && !by_ret && !refused))
		return 0;
	gn_format_count(n, by_return + by_ret);
	fprintf(f, "# %-11s native: %s; end ", "functions", n);
	gn_format_count(n, by_return);
	fprintf(f, "by return probe: %s, ", n);
	gn_format_count(n, by_ret);
	fprintf(f, "at own returns: %s; ", n);
	gn_format_count(n, refused);
	fprintf(f, "refused: %s%s\n", n, refused ? " (see gnomon list)" : "");
	return gn_header_line(f, "", first, utf8);
}

/* Prints what leave probes on the functions' own returns cost, if any was hit:
 * fast hooks can replace them. */
static void put_stepped(const struct gn_model *m, FILE *f)
{
	const struct gn_model_cost *dear = &m->costs[GN_PROBE_STEPPED];
	const struct gn_model_cost *cheap = &m->costs[GN_PROBE_EMULATED];
	uint64_t stepped, tenth, cheaper;
	char n[GN_CELL];

	if (!gn_info_number(m, "functions.stepped", &stepped) || !stepped ||
	    !dear->hits)
		return;
	gn_format_count(n, stepped);
	fprintf(f, "# %-11s ends by a single-stepped probe: %s", "", n);
	tenth = (uint64_t)cheap->before_ns + cheap->after_ns;
	if (dear->samples && cheap->samples && tenth) {
		tenth = ((uint64_t)dear->before_ns + dear->after_ns) * 10 /
			tenth;
		fprintf(f,
			", each end %" PRIu64 ".%" PRIu64
			" times the cost of another probe",
			tenth / 10, tenth % 10);
	}
	fputc('\n', f);
	/* older files lack this number */
	if (gn_info_number(m, "functions.dear", &cheaper) && !cheaper)
		return;
	fprintf(f,
		"# %-11s --leave return avoids that; only for programs in "
		"which nothing unwinds,\n# %-11s switches stacks, cancels, "
		"jumps or looks at stacks in signal handlers\n",
		"", "");
}

static void put_legend(const struct gn_model *m, FILE *f)
{
	fprintf(f, "# %-11s Elapsed: all time; Application: without %s.\n",
		"times",
		m->classify == GN_CLASSIFY_EXACT
			? "the operating system's (exact)"
			: "intervals with OS events (interval)");
	fprintf(f,
		"# %-11s Inclusive: with what it calls; Exclusive: its own "
		"code.\n",
		"");
}

static void put_leave_hint(const struct gn_model *m, FILE *f)
{
	uint64_t by_return;
	bool unknown = false;

	if (!m->checks.unwound_frames)
		return;
	for (size_t i = 0; i < m->nfunctions && !unknown; i++)
		unknown = gn_ends_unknown(&m->functions[i].v);
	if (unknown)
		fprintf(f,
			"# %-11s ~: more than a tenth of a function's calls "
			"ended so; each lasts until the next known event\n",
			"");
	if (gn_info_number(m, "functions.return", &by_return) && by_return)
		fprintf(f,
			"# %-11s return probes see at most 64 frames of a "
			"thread, --leave ret sees all; a call\n# %-11s that an "
			"exception or longjmp leaves has no end of its own\n",
			"", "");
}

int gn_header_print(const struct gn_model *m, const struct gn_output_opts *o,
		    FILE *f)
{
	int err;

	err = put_command(m, o, f);
	if (!err)
		err = put_machine(m, o, f);
	if (err)
		return err;
	put_time(m, o, f);
	put_attached(m, o, f);
	put_children(m, f);
	err = gn_header_ended(m, o, f);
	if (!err)
		err = put_idle(m, o, f);
	if (err)
		return err;
	put_classes(m, f);
	put_untimed(m, f);
	err = put_functions(m, o->utf8, f);
	if (err)
		return err;
	err = gn_header_line(f, "", gn_model_info(m, "functions.verdict"),
			     o->utf8);
	if (err)
		return err;
	put_stepped(m, f);
	err = gn_header_code(m, o, f);
	if (err)
		return err;
	put_legend(m, f);
	gn_header_probe_cost(m, o, f);
	gn_header_fast(m, o, f);
	gn_header_gate(m, o, f);
	gn_header_samples(m, f);
	err = gn_header_loss(m, o, f);
	gn_header_late(m, o, f);
	if (!err)
		err = gn_header_checks(m, o, f);
	if (err)
		return err;
	put_leave_hint(m, f);
	fputs("#\n", f);
	return gn_stream_status(f);
}

void gn_header_no_functions(const struct gn_model *m,
			    const struct gn_output_opts *o, FILE *f)
{
	const char *hint = gn_model_info(m, "hint");
	uint64_t by_return = 0, by_ret = 0, methods;

	gn_info_number(m, "functions.return", &by_return);
	gn_info_number(m, "functions.ret", &by_ret);
	methods = m->code.selected[GN_SELECTED_METHODS];
	if (by_return || by_ret || methods) {
		fputs("# ", f);
		gn_put_counted(f, by_return + by_ret + methods, "function was",
			       "functions were");
		fprintf(f,
			" traced, but none was %scalled: these are processes "
			"and threads.\n#\n",
			methods ? "seen to be " : "");
		return;
	}
	/* a killed recording may lack the list of traced functions */
	if (m->truncated && !hint && !gn_model_info(m, "functions.return")) {
		fputs("# The trace ends before it tells which functions were "
		      "traced: these are processes and threads.\n#\n",
		      f);
		return;
	}
	fputs("# No function was traced: these are processes and threads.\n",
	      f);
	/* without hooks, -f does not help; if it named some, there is no hint
	 */
	if (hint && !gn_model_info(m, "clr.unhooked") &&
	    (!*hint || gn_header_line(f, "hint", hint, o->utf8)))
		fputs("# Name functions with -f, as in: gnomon run -f 'main' "
		      "-f 'parse_*' -- CMD\n",
		      f);
	fputs("#\n", f);
}

int gn_footer_print(const struct gn_model *m, const struct gn_output_opts *o,
		    struct gn_marks marked, FILE *f)
{
	int err;

	if (marked.gap)
		fputs("# ! events were lost while it ran: the time is in "
		      "`unclassified`, calls can be missing\n",
		      f);
	if (marked.unprobed)
		fputs("# < it could be called before its probes were in "
		      "place: calls can be missing\n",
		      f);
	if (marked.inlined)
		fputs("# < the compiler may have copied it into callers: "
		      "calls can be missing\n",
		      f);
	if (marked.moved)
		fputs("# ~ its calls moved to other threads or stacks, as in "
		      "Go: their times are not known\n",
		      f);
	/* the header has shown them, but a long table scrolls it away */
	if (gn_model_lossy(m) && (err = gn_header_loss(m, o, f)))
		return err;
	gn_header_late(m, o, f);
	return o->bare && gn_model_broken(m) ? gn_header_checks(m, o, f) : 0;
}
