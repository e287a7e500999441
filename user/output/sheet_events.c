// SPDX-License-Identifier: BSD-2-Clause
/* Sheets of runtime events: all events and loads by time, compilations by
 * length, sums of exceptions and of allocations. */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include <gnomon/runtime_event_info.h>
#include "model/table.h"
#include "output/sheet.h"

/* Why the runtime suspends its threads (COR_PRF_SUSPEND_REASON). */
static const char *reason_text(uint64_t reason)
{
	static const char *const texts[] = {
		[1] = "for a collection",
		[2] = "for the end of an application domain",
		[3] = "to give code back",
		[4] = "for the shutdown",
		[6] = "for a debugger",
		[7] = "before a collection",
		[8] = "to replace code",
		[9] = "for a profiler",
	};

	return reason < sizeof(texts) / sizeof(texts[0]) ? texts[reason] : NULL;
}

static void put_value(enum gn_rt_value what, uint64_t v, FILE *f)
{
	const char *between = ftell(f) > 0 ? ", " : "";

	switch (what) {
	case GN_RT_STATUS:
		if ((int32_t)v < 0)
			fprintf(f, "%sfailed: 0x%08" PRIx32, between,
				(uint32_t)v);
		break;
	case GN_RT_RESULT:
		fprintf(f, "%s%s", between, v ? "found" : "not found");
		break;
	case GN_RT_ID:
		fprintf(f, "%s0x%" PRIx64, between, v);
		break;
	case GN_RT_TID:
		fprintf(f, "%sthread %" PRIu64, between, v);
		break;
	case GN_RT_SIZE:
		if (v)
			fprintf(f, "%s%" PRIu64 " bytes", between, v);
		break;
	case GN_RT_COUNT:
		if (v > 1)
			fprintf(f, "%sfor the %" PRIu64 "%s time", between, v,
				v % 10 == 2 && v % 100 != 12   ? "nd"
				: v % 10 == 3 && v % 100 != 13 ? "rd"
				: v % 10 == 1 && v % 100 != 11 ? "st"
							       : "th");
		break;
	case GN_RT_RETURN:
		fprintf(f, "%s%s", between, v ? "return" : "call");
		break;
	case GN_RT_REASON:
		if (reason_text(v))
			fprintf(f, "%s%s", between, reason_text(v));
		break;
	case GN_RT_GENERATION:
		if (v)
			fprintf(f, "%sgeneration %" PRIu64, between, v - 1);
		break;
	case GN_RT_INDUCED:
		if (v & 1)
			fprintf(f, "%sinduced", between);
		break;
	default:
		break;
	}
}

char *gn_event_detail(uint16_t event, const uint64_t value[GN_RT_VALUES])
{
	const struct gn_rt_info *info = gn_rt_info(event);
	struct gn_text_stream text;
	FILE *f = gn_text_stream_open(&text);

	if (!f)
		return NULL;
	for (int i = 0; i < GN_RT_VALUES; i++)
		put_value(info->value[i], value[i], f);
	return gn_text_stream_close(&text);
}

static const char *family_text(enum gn_family family)
{
	return gn_family_text((uint32_t)__builtin_ctz(family));
}

static uint64_t since_start(const struct gn_model *m, uint64_t time)
{
	return time > m->start ? time - m->start : 0;
}

/* The values of an activity come with its end event. */
static int put_event(const struct gn_model *m, const struct gn_model_event *e,
		     struct gn_sheet *s)
{
	const struct gn_rt_info *info = gn_rt_info(e->event);
	const char *detail;
	struct gn_cell *c;

	if (info->phase == GN_RT_BEGIN && gn_rt_info(e->event + 1u)->text)
		info = gn_rt_info(e->event + 1u);
	detail = gn_sheet_own(s, gn_event_detail(info->phase == GN_RT_END
							 ? e->event + 1u
							 : e->event,
						 e->value));
	c = gn_sheet_row(s);
	if (!c || !detail)
		return -ENOMEM;
	gn_cell_number(c++, since_start(m, e->start));
	if (gn_rt_info(e->event)->phase == GN_RT_BEGIN && !e->no_end)
		gn_cell_number(c, e->end - e->start);
	c++;
	gn_cell_text(c++, family_text(info->family));
	gn_cell_text(c++, info->text);
	gn_cell_number(c++, e->pid);
	gn_cell_number(c++, e->tid);
	gn_cell_text(c++, e->thread);
	gn_cell_name(c++, &e->of);
	gn_cell_module(c++, e->of.module);
	gn_cell_name(c++, &e->other);
	gn_cell_text(c, detail);
	return 0;
}

static int fill_events(const struct gn_model *m, struct gn_sheet *s)
{
	int err = 0;

	s->nothing = GN_SHEET_NOTHING(m, "no runtime reported an event");
	for (size_t i = 0; i < m->nevents && !err; i++)
		err = put_event(m, &m->events[i], s);
	return err;
}

static const struct gn_sheet_column events_columns[] = {
	{"at", "at", GN_CELL_TIME},
	{"elapsed", "duration", GN_CELL_TIME},
	{"family", "family", GN_CELL_TEXT},
	{"event", "event", GN_CELL_TEXT},
	{"pid", "pid", GN_CELL_ID},
	{"tid", "tid", GN_CELL_ID},
	{"thread", "thread", GN_CELL_TEXT},
	{"name", "name", GN_CELL_TEXT},
	{"module", "module", GN_CELL_TEXT},
	{"other", "by, or class", GN_CELL_TEXT},
	{"detail", "", GN_CELL_TEXT},
};

const struct gn_sheet_kind gn_sheet_events = {
	.json = "events",
	.column = events_columns,
	.ncolumns = sizeof(events_columns) / sizeof(events_columns[0]),
	.spare = "tid,family,pid,module,thread,other",
	.fill = fill_events,
};

/* Whether --events left out a family that is recorded without the option. */
static bool left_out(const struct gn_model *m, const char *family)
{
	const char *left = gn_model_info(m, "events.left");

	return left && strstr(left, family);
}

static bool is_load(uint16_t event)
{
	return gn_rt_info(event)->family == GN_FAMILY_LOADS ||
	       gn_rt_info(event)->family == GN_FAMILY_CLASSES;
}

static int fill_loads(const struct gn_model *m, struct gn_sheet *s)
{
	s->nothing =
		gn_model_of_jvm(m)
			? "a JVM reports no load but that of classes; ask for "
			  "them with --events classes"
		: left_out(m, "loads")
			? "loads were not recorded; ask for them with "
			  "--events loads"
			: GN_SHEET_NOTHING(m, "no runtime reported a load");
	for (size_t i = 0; i < m->nevents; i++) {
		const struct gn_model_event *e = &m->events[i];
		struct gn_cell *c;

		if (!is_load(e->event))
			continue;
		c = gn_sheet_row(s);
		if (!c)
			return -ENOMEM;
		gn_cell_number(c++, since_start(m, e->start));
		if (!e->no_end)
			gn_cell_number(c, e->end - e->start);
		c++;
		gn_cell_text(c++, gn_rt_info(e->event)->text);
		gn_cell_number(c++, (int32_t)e->value[0] < 0);
		gn_cell_number(c++, e->pid);
		gn_cell_number(c++, e->tid);
		gn_cell_text(c++, e->thread);
		gn_cell_name(c++, &e->of);
		gn_cell_module(c, e->of.module);
	}
	return 0;
}

static const struct gn_sheet_column loads_columns[] = {
	{"at", "at", GN_CELL_TIME},
	{"elapsed", "duration", GN_CELL_TIME},
	{"event", "event", GN_CELL_TEXT},
	{"failed", "failed", GN_CELL_FLAG},
	{"pid", "pid", GN_CELL_ID},
	{"tid", "tid", GN_CELL_ID},
	{"thread", "thread", GN_CELL_TEXT},
	{"name", "name", GN_CELL_TEXT},
	{"module", "module", GN_CELL_TEXT},
};

const struct gn_sheet_kind gn_sheet_loads = {
	.json = "loads",
	.column = loads_columns,
	.ncolumns = sizeof(loads_columns) / sizeof(loads_columns[0]),
	.spare = "tid,pid,thread",
	.fill = fill_loads,
};

/* Guesses the tier from the thread that compiles, because the runtimes' events
 * do not have it. */
static const char *tier_of(const struct gn_model_event *e)
{
	static const struct {
		const char *thread, *tier;
	} tiers[] = {
		{".NET Tiered Com", "1"},
		{".NET Tiered JIT", "1"},
		{"C1 Compiler", "C1"},
		{"C2 Compiler", "C2"},
	};

	for (size_t i = 0; i < sizeof(tiers) / sizeof(tiers[0]); i++)
		if (!strncmp(e->thread, tiers[i].thread,
			     strlen(tiers[i].thread)))
			return tiers[i].tier;
	return "";
}

static int longest_first(const void *left, const void *right)
{
	const struct gn_model_event *a = *(void *const *)left;
	const struct gn_model_event *b = *(void *const *)right;
	uint64_t x = a->end - a->start, y = b->end - b->start;

	if (x != y)
		return x > y ? -1 : 1;
	return a->order < b->order ? -1 : a->order > b->order;
}

/* Finds the first event of each pid, which marks the start of its runtime. */
static int find_starts(const struct gn_model *m, struct gn_table *starts)
{
	int err = 0;

	for (size_t i = 0; i < m->nevents && !err; i++)
		if (gn_table_get(starts, m->events[i].pid) == GN_NONE)
			err = gn_table_put(starts, m->events[i].pid,
					   (uint32_t)i);
	return err;
}

#define START_NS 1000000000u

/* Says how much of the compilation time was in the first second of each
 * process. NULL: no memory. */
static char *startup_note(const struct gn_model *m,
			  const struct gn_model_event *const *all, size_t n)
{
	uint64_t sum = 0, first = 0, nameless = 0;
	struct gn_table starts = {0};
	char number[GN_CELL], time[GN_CELL], pct[GN_CELL], without[GN_CELL];
	char note[GN_CELL + 64] = "";
	int err = find_starts(m, &starts);
	size_t known = 0;
	char *text;

	for (size_t i = 0; i < n && !err; i++) {
		uint32_t start = gn_table_get(&starts, all[i]->pid);

		known += !all[i]->no_end;
		nameless += !*all[i]->of.name;
		sum += all[i]->end - all[i]->start;
		if (all[i]->start - m->events[start].start < START_NS)
			first += all[i]->end - all[i]->start;
	}
	gn_table_free(&starts);
	if (err)
		return NULL;
	gn_format_count(number, known);
	gn_format_duration(time, sum, false);
	gn_format_pct(pct, first, sum);
	if (nameless) {
		gn_format_count(without, nameless);
		snprintf(note, sizeof(note),
			 "; %s %s no name here: --events jit names all",
			 without, gn_word(nameless, "has", "have"));
	}
	if (asprintf(&text,
		     "%s compilations in %s; %s %% of it in the first second "
		     "of each process%s",
		     number, time, pct, note) < 0)
		return NULL;
	return text;
}

static int put_compilation(const struct gn_model *m,
			   const struct gn_model_event *e, struct gn_sheet *s)
{
	struct gn_cell *c = gn_sheet_row(s);

	if (!c)
		return -ENOMEM;
	if (!e->no_end) {
		gn_cell_number(c, e->end - e->start);
		gn_cell_number(c + 1, e->cpu);
	}
	c += 2;
	if (e->value[0])
		gn_cell_number(c, e->value[0]);
	c++;
	gn_cell_text(c++, tier_of(e));
	if (e->value[1])
		gn_cell_number(c, e->value[1]);
	c++;
	gn_cell_number(c++, since_start(m, e->start));
	gn_cell_number(c++, e->pid);
	gn_cell_number(c++, e->tid);
	gn_cell_text(c++, e->thread);
	gn_cell_name(c++, &e->of);
	gn_cell_module(c, e->of.module);
	return 0;
}

static int fill_jit(const struct gn_model *m, struct gn_sheet *s)
{
	const struct gn_model_event **all;
	size_t n = 0;
	int err = 0;

	s->nothing = GN_SHEET_NOTHING(m, "no runtime reported a compilation");
	all = calloc(m->nevents + 1, sizeof(*all));
	if (!all)
		return -ENOMEM;
	for (size_t i = 0; i < m->nevents; i++)
		if (m->events[i].event == GN_RT_COMPILE)
			all[n++] = &m->events[i];
	if (n)
		s->note = startup_note(m, all, n);
	qsort(all, n, sizeof(*all), longest_first);
	for (size_t i = 0; i < n && !err; i++)
		err = put_compilation(m, all[i], s);
	free(all);
	return n && !s->note ? -ENOMEM : err;
}

static const struct gn_sheet_column jit_columns[] = {
	{"elapsed", "time", GN_CELL_TIME},
	{"cpu", "on a CPU", GN_CELL_TIME},
	{"code_bytes", "code bytes", GN_CELL_COUNT},
	{"tier", "tier", GN_CELL_TEXT},
	{"compilation", "n-th", GN_CELL_COUNT},
	{"at", "at", GN_CELL_TIME},
	{"pid", "pid", GN_CELL_ID},
	{"tid", "tid", GN_CELL_ID},
	{"thread", "thread", GN_CELL_TEXT},
	{"name", "method", GN_CELL_TEXT},
	{"module", "module", GN_CELL_TEXT},
};

const struct gn_sheet_kind gn_sheet_jit = {
	.json = "jit",
	.column = jit_columns,
	.ncolumns = sizeof(jit_columns) / sizeof(jit_columns[0]),
	.spare = "tid,pid,compilation,at,cpu,thread",
	.fill = fill_jit,
};

static int fill_exceptions(const struct gn_model *m, struct gn_sheet *s)
{
	s->nothing = gn_model_of_jvm(m) ? "a JVM reports no exception"
		     : m->code.selected[GN_SELECTED_EXCEPTIONS_LEFT] ||
				     left_out(m, "exceptions")
			     ? "no runtime reported an exception; ask for them "
			       "with --events exceptions"
			     : GN_SHEET_NOTHING(
				       m, "no runtime reported an exception");
	for (size_t i = 0; i < m->nexceptions; i++) {
		const struct gn_model_exception *x = &m->exceptions[i];
		struct gn_cell *c = gn_sheet_row(s);

		if (!c)
			return -ENOMEM;
		gn_cell_number(c++, x->count);
		if (x->caught)
			gn_cell_number(c, x->ns);
		c++;
		if (x->caught)
			gn_cell_number(c, x->ns / x->count);
		c++;
		gn_cell_name(c++, &x->class);
		gn_cell_module(c++, x->class.module);
		gn_cell_name(c++, &x->thrown_in);
		gn_cell_name(c, &x->caught_in);
	}
	return 0;
}

static const struct gn_sheet_column exceptions_columns[] = {
	{"count", "count", GN_CELL_COUNT},
	{"elapsed", "time to the catch", GN_CELL_TIME},
	{"mean", "of one", GN_CELL_TIME},
	{"name", "class", GN_CELL_TEXT},
	{"module", "module", GN_CELL_TEXT},
	{"thrown_in", "thrown in", GN_CELL_TEXT},
	{"caught_in", "caught in", GN_CELL_TEXT},
};

const struct gn_sheet_kind gn_sheet_exceptions = {
	.json = "exceptions",
	.column = exceptions_columns,
	.ncolumns = sizeof(exceptions_columns) / sizeof(exceptions_columns[0]),
	.spare = "mean,module",
	.fill = fill_exceptions,
};

static int fill_allocations(const struct gn_model *m, struct gn_sheet *s)
{
	const char *at_start = gn_model_info(m, "events.at_start");

	s->nothing = gn_model_without_clr(m) ? "only .NET reports allocations"
		     : gn_sheet_aot(m)
			     ? "no runtime reported an allocation" GN_SHEET_AOT
		     : at_start && strstr(at_start, "allocations")
			     ? "a process that already ran reports no "
			       "allocations; start it under gnomon to see them"
			     : "no runtime reported an allocation; ask for "
			       "them with --events allocations";
	for (size_t i = 0; i < m->nallocations; i++) {
		const struct gn_model_allocation *a = &m->allocations[i];
		struct gn_cell *c = gn_sheet_row(s);

		if (!c)
			return -ENOMEM;
		gn_cell_number(c++, a->bytes);
		gn_cell_number(c++, a->count);
		gn_cell_name(c++, &a->class);
		gn_cell_module(c++, a->class.module);
		gn_cell_name(c, &a->function);
	}
	return 0;
}

static const struct gn_sheet_column allocations_columns[] = {
	{"bytes", "bytes", GN_CELL_COUNT},
	{"count", "objects", GN_CELL_COUNT},
	{"name", "class", GN_CELL_TEXT},
	{"module", "module", GN_CELL_TEXT},
	{"function", "allocated in", GN_CELL_TEXT},
};

const struct gn_sheet_kind gn_sheet_allocations = {
	.json = "allocations",
	.column = allocations_columns,
	.ncolumns =
		sizeof(allocations_columns) / sizeof(allocations_columns[0]),
	.spare = "module",
	.fill = fill_allocations,
};
