/* SPDX-License-Identifier: BSD-2-Clause */
/* Reports what was lost, and whether the self-checks passed. */
#include <inttypes.h>
#include <stdlib.h>

#include "output/header.h"
#include "output/kernel.h"
#include "output/text.h"

/* Colours a line that must not be overlooked. */
static void begin_attention(const struct gn_output_opts *o, FILE *f)
{
	fputs(o->color ? GN_ATTENTION "# " : "# ", f);
}

static void end_attention(const struct gn_output_opts *o, FILE *f)
{
	fputs(o->color ? GN_PLAIN "\n" : "\n", f);
}

void gn_loss_causes(const struct gn_model *m, FILE *f)
{
	const char *before = " (";
	char n[GN_CELL];

#define CAUSE(name, value, text, loss, meaning)                     \
	if (loss && m->counters[GN_COUNTER_##name]) {               \
		gn_format_count(n, m->counters[GN_COUNTER_##name]); \
		fprintf(f, "%s%s %s", before, text, n);             \
		before = ", ";                                      \
	}
	GN_COUNTER_LIST(CAUSE)
#undef CAUSE
	if (before[0] == ',')
		fputc(')', f);
}

/* Losses are counted by cause. Only losses that a later record of the same
 * thread reveals can be attributed to a thread (m->lost). */
static void put_losses(const struct gn_model *m, const struct gn_output_opts *o,
		       FILE *f)
{
	uint64_t all = gn_model_losses(m);
	char n[GN_CELL], rest[GN_CELL];

	gn_format_count(n, all);
	gn_format_count(rest, all - m->lost);
	begin_attention(o, f);
	fprintf(f, "%-11s %s %s missing", "LOST", n,
		gn_word(all, "record is", "records are"));
	gn_loss_causes(m, f);
	end_attention(o, f);
	begin_attention(o, f);
	if (all > m->lost)
		fprintf(f,
			"%-11s where %s of them came from is not known: any "
			"number can be too low",
			"", rest);
	else
		fprintf(f, "%-11s numbers marked ! are incomplete", "");
	end_attention(o, f);
}

int gn_header_loss(const struct gn_model *m, const struct gn_output_opts *o,
		   FILE *f)
{
	if (m->truncated) {
		begin_attention(o, f);
		fprintf(f, "%-11s the trace %s: what followed is lost",
			"TRUNCATED", gn_model_truncation(m));
		end_attention(o, f);
	}
	if (!gn_model_lossy(m)) {
		fprintf(f, "# %-11s nothing\n", "lost");
		return 0;
	}
	if (!gn_model_losses(m))
		return 0;
	put_losses(m, o, f);
	return gn_header_line(f, "why", gn_model_info(m, "loss"), o->utf8);
}

/* Prints the thread with the most records in doubt, and how many records the
 * kernel side could not complete. */
static void put_doubts(const struct gn_model *m, const struct gn_output_opts *o,
		       FILE *f)
{
	const struct gn_model_thread *worst = NULL;
	char n[GN_CELL], calls[GN_CELL], torn[GN_CELL], busy[GN_CELL];

	for (size_t i = 0; i < m->nthreads; i++)
		if (gn_model_thread_doubtful(&m->threads[i]) &&
		    (!worst || m->threads[i].in_doubt > worst->in_doubt))
			worst = &m->threads[i];
	if (worst) {
		gn_format_count(n, worst->in_doubt);
		gn_format_count(calls, worst->entered);
		begin_attention(o, f);
		fprintf(f,
			"%-11s thread %" PRIu32 ": %s %s in doubt, of %s "
			"%s; its functions may be wrong",
			"", worst->tid, n,
			gn_word(worst->in_doubt, "record", "records"), calls,
			gn_word(worst->entered, "call", "calls"));
		end_attention(o, f);
	}
	if (!m->counters[GN_COUNTER_TORN] &&
	    !m->counters[GN_COUNTER_STACK_BUSY])
		return;
	gn_format_count(torn, m->counters[GN_COUNTER_TORN]);
	gn_format_count(busy, m->counters[GN_COUNTER_STACK_BUSY]);
	fprintf(f,
		"# %-11s records whose time was torn: %s; whose stack could "
		"not be looked up: %s\n",
		"note", torn, busy);
}

/* Prints what to do if a plug-in got its probes late. */
static void put_by_path(const struct gn_model *m,
			const struct gn_output_opts *o, FILE *f)
{
	char *path = m->by_path ? gn_escape(m->by_path, o->utf8) : NULL;

	if (path)
		fprintf(f,
			"# %-11s name the file by its path, so that it has its "
			"probes in time: -f '%s:GLOB'\n",
			"", path);
	free(path);
}

/* Says how a server's children have their probes at once. */
static void put_at_once(const struct gn_model *m,
			const struct gn_output_opts *o, FILE *f)
{
	const char *name;
	uint64_t pid, n;
	char *shown;
	bool other = gn_unprobed_other(m, &pid, &name);

	if (!other || gn_children_of(m, &n))
		fprintf(f,
			"# %-11s new children have their probes at once if all "
			"processes that map a file are\n# %-11s traced: name a "
			"server's children, too: -p PID,$(pgrep -d, -P PID)\n",
			"", "");
	shown = other ? gn_escape(name, o->utf8) : NULL;
	if (shown)
		fprintf(f,
			"# %-11s new children have their probes at once if no "
			"untraced process maps their file,\n# %-11s as %s "
			"(%" PRIu64 ") does: end it first, or name it with -p, "
			"too\n",
			"", "", shown, pid);
	free(shown);
}

/* Prints how often and how long processes ran before their probes were in
 * place. A process counts for each file that it maps later. */
void gn_header_late(const struct gn_model *m, const struct gn_output_opts *o,
		    FILE *f)
{
	uint64_t late = m->counters[GN_COUNTER_UNPROBED];
	char ns[GN_CELL];

	if (!late)
		return;
	gn_format_duration(ns, m->counters[GN_COUNTER_UNPROBED_NS], o->ns);
	begin_attention(o, f);
	fprintf(f, "%-11s ", "UNPROBED");
	gn_put_counted(f, late, "time", "times");
	fprintf(f, " a process ran before all probes were in place, %s in all;",
		ns);
	end_attention(o, f);
	begin_attention(o, f);
	fprintf(f,
		"%-11s calls until then are not seen: those marked < can "
		"be too few",
		"");
	end_attention(o, f);
	put_by_path(m, o, f);
	if (!m->by_path && gn_model_attached(m))
		put_at_once(m, o, f);
}

int gn_header_checks(const struct gn_model *m, const struct gn_output_opts *o,
		     FILE *f)
{
	bool doubt = m->checks.unmatched_leaves > m->checks.earlier_leaves ||
		     m->checks.unmatched_unwinds;
	char n[GN_CELL];

	if (!gn_model_broken(m)) {
		fprintf(f,
			"# %-11s %s: every thread's classes sum to its "
			"elapsed time%s\n",
			"self-check", doubt ? "passed for times" : "passed",
			doubt ? "; not for calls" : "");
	}
#define CHECK_ERROR(field, text, error)                        \
	if (error && m->checks.field) {                        \
		begin_attention(o, f);                         \
		gn_format_count(n, m->checks.field);           \
		fprintf(f, "%-11s %s: %s", "FAILED", text, n); \
		end_attention(o, f);                           \
	}
	GN_CHECK_LIST(CHECK_ERROR)
#undef CHECK_ERROR
	put_doubts(m, o, f);
#define CHECK_ODDITY(field, text, error)                         \
	if (!error && m->checks.field) {                         \
		gn_format_count(n, m->checks.field);             \
		fprintf(f, "# %-11s %s: %s\n", "note", text, n); \
	}
	GN_CHECK_LIST(CHECK_ODDITY)
#undef CHECK_ODDITY
	return m->checks.sched_errors ? gn_kernel_print(m, o, f) : 0;
}
