// SPDX-License-Identifier: BSD-2-Clause
#include "top/prom.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "output/emit.h"
#include "output/classes.h"
#include "output/text.h"
#include "top/prom_series.h"
#include "top/words.h"

/* From this share of a period's length on, a function gets labels of its
 * own. */
#define ADMITTED_PER_CENT 1

#define STATES (GN_THREAD_ENDED + 1)

struct gn_top_prom {
	struct gn_top_series_set threads, functions;
	uint64_t periods;
	struct gn_top_tally traced, own_cpu, probe_cost;
	uint64_t missing;
	uint64_t lost[GN_COUNTER_COUNT];
	struct gn_checks checks;
	/* of the last period */
	char version[32];
	uint64_t wall, rss, muted, inlined;
	uint64_t states[STATES];
	bool running;
	double slowdown, budget;
};

struct gn_top_prom *gn_top_prom_new(void)
{
	struct gn_top_prom *t = calloc(1, sizeof(*t));

	if (!t)
		return NULL;
	t->slowdown = -1;
	if (gn_top_series_init(&t->threads, true, GN_TOP_PROM_THREADS) ||
	    gn_top_series_init(&t->functions, false, GN_TOP_PROM_FUNCTIONS)) {
		gn_top_prom_free(t);
		return NULL;
	}
	return t;
}

void gn_top_prom_free(struct gn_top_prom *t)
{
	if (!t)
		return;
	gn_top_series_clear(&t->threads);
	gn_top_series_clear(&t->functions);
	free(t);
}

static void add_threads(struct gn_top_prom *t, const struct gn_model *m)
{
	memset(t->states, 0, sizeof(t->states));
	for (size_t i = 0; i < m->nthreads; i++) {
		const struct gn_model_thread *th = &m->threads[i];
		unsigned int state = th->live ? (unsigned int)th->live->state
					      : GN_THREAD_UNKNOWN;
		struct gn_top_series *s;

		t->states[state < STATES ? state : GN_THREAD_UNKNOWN]++;
		if (!th->elapsed)
			continue;
		s = gn_top_series_find(&t->threads, th->pid, th->name, "");
		if (!s)
			s = gn_top_series_admit(&t->threads, th->pid, th->name,
						"");
		if (!s)
			s = &t->threads.other;
		for (int c = 0; c < GN_CLASS_COUNT; c++)
			gn_top_tally_add(&s->classes[c], th->classes[c]);
	}
}

static int most_time_first(const void *left, const void *right)
{
	const struct gn_model_function *a =
		*(const struct gn_model_function *const *)left;
	const struct gn_model_function *b =
		*(const struct gn_model_function *const *)right;
	int order;

	if (a->v.elapsed_excl != b->v.elapsed_excl)
		return a->v.elapsed_excl > b->v.elapsed_excl ? -1 : 1;
	order = strcmp(a->name, b->name);
	return order ? order : strcmp(a->module, b->module);
}

/* Gives labels to the functions that have reached the threshold. */
static void admit_functions(struct gn_top_prom *t,
			    const struct gn_top_period *p)
{
	uint64_t least = p->length / 100 * ADMITTED_PER_CENT;
	const struct gn_model *m = p->m;
	const struct gn_model_function **who;
	size_t n = 0;

	if (!least || t->functions.n == t->functions.most)
		return;
	who = calloc(m->nfunctions + 1, sizeof(*who));
	if (!who)
		return;
	for (size_t i = 0; i < m->nfunctions; i++) {
		if (m->functions[i].v.elapsed_excl >= least)
			who[n++] = &m->functions[i];
	}
	qsort(who, n, sizeof(*who), most_time_first);
	for (size_t i = 0; i < n; i++) {
		if (!gn_top_series_find(&t->functions, 0, who[i]->name,
					who[i]->module))
			gn_top_series_admit(&t->functions, 0, who[i]->name,
					    who[i]->module);
	}
	free(who);
}

static void add_functions(struct gn_top_prom *t, const struct gn_top_period *p)
{
	const struct gn_model *m = p->m;

	admit_functions(t, p);
	for (size_t i = 0; i < m->nfunctions; i++) {
		const struct gn_model_function *f = &m->functions[i];
		struct gn_top_series *s;

		if (!f->v.calls && !f->v.elapsed_excl)
			continue;
		s = gn_top_series_find(&t->functions, 0, f->name, f->module);
		if (!s)
			s = &t->functions.other;
		s->calls += f->v.calls;
		gn_top_tally_add(&s->elapsed, f->v.elapsed_excl);
		gn_top_tally_add(&s->app, f->v.app_excl);
	}
}

static void add_sums(struct gn_top_prom *t, const struct gn_top_period *p)
{
	const struct gn_model *m = p->m;

	t->periods++;
	gn_top_tally_add(&t->traced, p->length);
	gn_top_tally_add(&t->own_cpu, p->own_cpu_ns);
	gn_top_tally_add(&t->probe_cost,
			 m->probe_cost + (uint64_t)m->probe_cost_left);
	t->missing += m->lost;
	for (int i = 0; i < GN_COUNTER_COUNT; i++)
		t->lost[i] += m->counters[i];
#define CHECK(field, text, error) t->checks.field += m->checks.field;
	GN_CHECK_LIST(CHECK)
#undef CHECK
}

void gn_top_prom_add(struct gn_top_prom *t, const struct gn_top_period *p)
{
	const char *version = gn_model_info(p->m, "version");

	snprintf(t->version, sizeof(t->version), "%s", version ? version : "");
	add_sums(t, p);
	add_threads(t, p->m);
	add_functions(t, p);
	t->wall = p->wall;
	t->rss = p->own_rss;
	t->muted = p->nmuted;
	t->inlined = p->m->code.sites;
	t->running = p->target == GN_TOP_RUNNING;
	t->slowdown = p->slowdown;
	t->budget = p->budget;
}

/* Describes a metric, before its samples. */
static void put_help(FILE *f, const char *name, const char *type,
		     const char *help)
{
	fprintf(f, "# HELP gnomon_%s %s\n# TYPE gnomon_%s %s\n", name, help,
		name, type);
}

static void put_count(FILE *f, const char *name, const char *type,
		      uint64_t value, const char *help)
{
	put_help(f, name, type, help);
	fprintf(f, "gnomon_%s %" PRIu64 "\n", name, value);
}

static void put_seconds(FILE *f, const struct gn_top_tally *t)
{
	fprintf(f, " %" PRIu64 ".%09" PRIu32 "\n", t->seconds, t->ns);
}

static void put_time(FILE *f, const char *name, const struct gn_top_tally *t,
		     const char *help)
{
	put_help(f, name, "counter", help);
	fprintf(f, "gnomon_%s", name);
	put_seconds(f, t);
}

static void put_ratio(FILE *f, const char *name, double percent,
		      const char *help)
{
	char text[GN_CELL];

	put_help(f, name, "gauge", help);
	gn_format_fixed(text, percent / 100, 6);
	fprintf(f, "gnomon_%s %s\n", name, text);
}

static void put_thread(const struct gn_top_series *s, FILE *f)
{
	for (int c = 0; c < GN_CLASS_COUNT; c++) {
		fprintf(f, "gnomon_thread_time_seconds_total{%s,class=\"%s\"}",
			s->labels, gn_class_text(c));
		put_seconds(f, &s->classes[c]);
	}
}

static void put_threads(const struct gn_top_prom *t, FILE *f)
{
	put_help(f, "thread_time_seconds_total", "counter",
		 "Time of traced threads by what it was spent on, summed by "
		 "process and thread name.");
	for (size_t i = 0; i < t->threads.n; i++)
		put_thread(&t->threads.own[i], f);
	put_thread(&t->threads.other, f);
	put_help(f, "threads", "gauge",
		 "Traced threads by where they were when the period ended.");
	for (int i = 0; i < STATES; i++)
		fprintf(f, "gnomon_threads{state=\"%s\"} %" PRIu64 "\n",
			gn_top_state_word((enum gn_thread_state)i),
			t->states[i]);
}

enum value {
	CALLS,
	ELAPSED,
	APP,
};

static void put_function(const struct gn_top_series *s, const char *name,
			 enum value value, FILE *f)
{
	fprintf(f, "gnomon_%s{%s}", name, s->labels);
	if (value == CALLS)
		fprintf(f, " %" PRIu64 "\n", s->calls);
	else
		put_seconds(f, value == ELAPSED ? &s->elapsed : &s->app);
}

static void put_functions(const struct gn_top_prom *t, FILE *f)
{
	static const struct {
		const char *name, *help;
	} metrics[] = {
		[CALLS] = {"function_calls_total",
			   "Calls of traced functions."},
		[ELAPSED] = {"function_elapsed_exclusive_seconds_total",
			     "Time in a function's own code."},
		[APP] = {"function_application_exclusive_seconds_total",
			 "Time in a function's own code, without the operating "
			 "system's."},
	};

	for (int v = CALLS; v <= APP; v++) {
		put_help(f, metrics[v].name, "counter", metrics[v].help);
		for (size_t i = 0; i < t->functions.n; i++)
			put_function(&t->functions.own[i], metrics[v].name,
				     (enum value)v, f);
		put_function(&t->functions.other, metrics[v].name,
			     (enum value)v, f);
	}
}

static void put_losses(const struct gn_top_prom *t, FILE *f)
{
	put_help(f, "lost_records_total", "counter",
		 "Records that were counted as lost, by cause.");
#define CAUSE(name, value, text, loss, meaning)                          \
	if (loss)                                                        \
		fprintf(f,                                               \
			"gnomon_lost_records_total{cause=\"" text "\"} " \
			"%" PRIu64 "\n",                                 \
			t->lost[GN_COUNTER_##name]);
	GN_COUNTER_LIST(CAUSE)
#undef CAUSE
	put_count(f, "missing_records_total", "counter", t->missing,
		  "Records missing by the numbers that threads give them.");
	put_help(f, "check_errors_total", "counter",
		 "What self-checks found wrong; 0 unless gnomon errs.");
#define CHECK(field, text, error)                                          \
	if (error)                                                         \
		fprintf(f,                                                 \
			"gnomon_check_errors_total{check=\"" #field "\"} " \
			"%" PRIu64 "\n",                                   \
			t->checks.field);
	GN_CHECK_LIST(CHECK)
#undef CHECK
}

static void put_probes(const struct gn_top_prom *t, FILE *f)
{
	put_time(f, "probe_cost_seconds_total", &t->probe_cost,
		 "What probes cost the traced threads.");
	if (t->slowdown >= 0)
		put_ratio(f, "probe_slowdown_ratio", t->slowdown,
			  "Probe cost by the time on CPUs without it, in the "
			  "last period.");
	if (t->budget > 0)
		put_ratio(f, "probe_budget_ratio", t->budget,
			  "Slow-down above which functions are muted.");
	put_count(f, "muted_functions", "gauge", t->muted,
		  "Functions that are not seen, to keep within the budget.");
	put_count(f, "inlined_call_sites", "gauge", t->inlined,
		  "Call sites that may have a copy of the function: such calls "
		  "are not counted.");
}

static void put_session(const struct gn_top_prom *t, FILE *f)
{
	char version[GN_CELL];
	size_t n = 0;

	for (const char *p = t->version; *p; p++) {
		if (*p > ' ' && *p <= '~' && *p != '"' && *p != '\\')
			version[n++] = *p;
	}
	version[n] = '\0';
	put_help(f, "build_info", "gauge", "The version of gnomon; always 1.");
	fprintf(f, "gnomon_build_info{version=\"%s\"} 1\n", version);
	put_count(f, "target_running", "gauge", t->running,
		  "1 while what is traced runs, 0 when all of it has ended.");
	put_count(f, "periods_total", "counter", t->periods,
		  "Periods that were reported.");
	put_time(f, "traced_seconds_total", &t->traced,
		 "How long the periods lasted.");
	put_help(f, "period_end_timestamp_seconds", "gauge",
		 "When the last period ended.");
	fprintf(f,
		"gnomon_period_end_timestamp_seconds %" PRIu64 ".%03" PRIu64
		"\n",
		t->wall / 1000000000u, t->wall / 1000000u % 1000u);
	put_time(f, "self_cpu_seconds_total", &t->own_cpu,
		 "CPU time of gnomon itself.");
	put_count(f, "self_resident_bytes", "gauge", t->rss,
		  "Resident memory of gnomon itself.");
}

int gn_top_prom_write(const struct gn_top_prom *t, FILE *f)
{
	put_session(t, f);
	put_losses(t, f);
	put_probes(t, f);
	put_threads(t, f);
	put_functions(t, f);
	fflush(f);
	return gn_stream_status(f);
}
