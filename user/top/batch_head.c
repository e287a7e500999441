// SPDX-License-Identifier: BSD-2-Clause
#include "top/batch_head.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

#include "output/emit.h"
#include "output/text.h"
#include "top/view_columns.h"
#include "top/words.h"

static void put_number(FILE *f, const char *key, double value, int decimals)
{
	char text[GN_CELL];

	gn_format_fixed(text, value, decimals);
	fprintf(f, " %s=%s", key, text);
}

static void put_count(FILE *f, const char *key, uint64_t n)
{
	fprintf(f, " %s=%" PRIu64, key, n);
}

/* Prints a time, to the nanosecond. */
static void put_seconds(FILE *f, const char *key, uint64_t ns)
{
	fprintf(f, " %s=%" PRIu64 ".%09" PRIu64, key, ns / 1000000000u,
		ns % 1000000000u);
}

static int put_word(FILE *f, const char *before, const char *text, bool utf8)
{
	char *word = gn_top_word(text, utf8);

	if (!word)
		return -ENOMEM;
	fprintf(f, "%s%s", before, word);
	free(word);
	return 0;
}

static void put_period(const struct gn_top_period *p, FILE *f)
{
	char time[GN_TOP_TIME];

	gn_top_time_text(time, p->wall);
	fputs("# period", f);
	put_count(f, "number", p->number);
	fprintf(f, " time=%s", time);
	put_seconds(f, "length", p->length);
	put_seconds(f, "session", p->session);
	fputc('\n', f);
}

static int put_target(const struct gn_top_period *p, size_t shown, bool utf8,
		      FILE *f)
{
	const struct gn_model *m = p->m;
	int err;

	fprintf(f, "# target state=%s signal=%d status=",
		gn_top_target_word(p->target), p->signal);
	if (p->status >= 0)
		fprintf(f, "%d", p->status);
	else
		fputc('-', f);
	put_count(f, "processes", m->nprocesses);
	put_count(f, "threads", m->nthreads);
	put_count(f, "shown", shown);
	fprintf(f, " functions=%s classify=%s", p->functions ? "on" : "off",
		m->classify == GN_CLASSIFY_EXACT ? "exact" : "interval");
	err = put_word(f, " command=", p->title ? p->title : "", utf8);
	fputc('\n', f);
	return err;
}

/* Percents of the time of all threads. */
static void put_classes(const struct gn_top_period *p, FILE *f)
{
	const uint64_t *classes = p->m->session.class_incl;
	uint64_t whole = p->m->session.elapsed_incl;

	fputs("# classes", f);
	put_seconds(f, "seconds", whole);
	put_number(f, "cpu", gn_pct(gn_class_cpu_ns(classes), whole), 1);
	for (int i = 0; i < GN_CLASS_COUNT; i++) {
		int c = gn_class_at(i);

		put_number(f, gn_class_text(c), gn_pct(classes[c], whole), 1);
	}
	put_number(f, "calls/s", gn_top_rate(p->m->session.calls, p->length),
		   1);
	fputc('\n', f);
}

/* Prints what makes the numbers incomplete or wrong. */
static void put_lost(const struct gn_top_period *p, FILE *f)
{
	fputs("# lost", f);
	put_count(f, "records", p->m->lost);
	put_count(f, "session", p->lost);
#define CAUSE(name, value, text, loss, meaning)        \
	if (loss && p->m->counters[GN_COUNTER_##name]) \
		put_count(f, text, p->m->counters[GN_COUNTER_##name]);
	GN_COUNTER_LIST(CAUSE)
#undef CAUSE
	fputs("\n# checks", f);
#define CHECK(field, text, error) put_count(f, #field, p->m->checks.field);
	GN_CHECK_LIST(CHECK)
#undef CHECK
	fputc('\n', f);
}

static void put_machine(const struct gn_top_period *p, FILE *f)
{
	const struct gn_top_machine *m = &p->machine;

	fputs("# gnomon", f);
	put_number(f, "cpu", gn_pct(p->own_cpu_ns, p->length), 1);
	put_count(f, "rss", p->own_rss);
	fputs("\n# machine", f);
	put_count(f, "cpus", m->cpus);
	put_number(f, "busy", gn_pct(m->busy_ns, m->total_ns), 1);
	put_number(f, "iowait", gn_pct(m->iowait_ns, m->total_ns), 1);
	put_number(f, "steal", gn_pct(m->steal_ns, m->total_ns), 1);
	put_count(f, "mem_total", m->mem_total);
	put_count(f, "mem_available", m->mem_available);
	put_number(f, "load1", m->load[0], 2);
	put_number(f, "load5", m->load[1], 2);
	put_number(f, "load15", m->load[2], 2);
	fputc('\n', f);
}

static int put_probes(const struct gn_top_period *p, bool utf8, FILE *f)
{
	int err = 0;

	fputs("# probes", f);
	put_seconds(f, "cost",
		    p->m->probe_cost + (uint64_t)p->m->probe_cost_left);
	if (p->slowdown >= 0)
		put_number(f, "slowdown", p->slowdown, 1);
	else
		fputs(" slowdown=-", f);
	if (p->budget > 0)
		put_number(f, "budget", p->budget, 1);
	else
		fputs(" budget=-", f);
	put_count(f, "muted", p->nmuted);
	put_count(f, "inlined_sites", p->m->code.sites);
	fputc('\n', f);
	for (size_t i = 0; i < p->nmuted && !err; i++) {
		err = put_word(f, "# muted function=", p->muted[i].name, utf8);
		if (!err)
			err = put_word(f, " module=", p->muted[i].module, utf8);
		fputc('\n', f);
	}
	return err;
}

int gn_top_batch_head(const struct gn_top_period *p, size_t shown, bool utf8,
		      FILE *f)
{
	int err;

	put_period(p, f);
	err = put_target(p, shown, utf8, f);
	if (err)
		return err;
	put_classes(p, f);
	put_lost(p, f);
	put_machine(p, f);
	err = put_probes(p, utf8, f);
	return err ? err : gn_stream_status(f);
}
