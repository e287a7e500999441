// SPDX-License-Identifier: BSD-2-Clause
#include "top/view_columns.h"

#include "output/text.h"

static const struct {
	const char *title, *word;
	bool text;
} infos[GN_TOP_CLASS] = {
	[GN_TOP_NAME] = {"NAME", "name", true},
	[GN_TOP_MODULE] = {"MODULE", "module", true},
	[GN_TOP_PID] = {"PID", "PID", false},
	[GN_TOP_TID] = {"TID", "TID", false},
	[GN_TOP_RUNTIME] = {"RUNTIME", "runtime", true},
	[GN_TOP_STATE] = {"STATE", "state", true},
	[GN_TOP_BAR] = {"CLASSES", "", true},
	[GN_TOP_CPU] = {"cpu%", "on a CPU", false},
	[GN_TOP_EI] = {"ei%", "elapsed incl", false},
	[GN_TOP_EE] = {"ee%", "elapsed excl", false},
	[GN_TOP_AI] = {"ai%", "app incl", false},
	[GN_TOP_AE] = {"ae%", "app excl", false},
	[GN_TOP_CALLS] = {"calls/s", "calls/s", false},
	[GN_TOP_CURRENT] = {"RUNS NOW", "runs now", true},
	[GN_TOP_HOTTEST] = {"MOST TIME IN", "most time in", true},
};

static void add(struct gn_top_columns *out, int column)
{
	out->column[out->n++] = column;
}

static void add_classes(struct gn_top_columns *out)
{
	for (int i = 0; i < GN_CLASS_COUNT; i++)
		add(out, GN_TOP_CLASS + gn_top_class_at(i));
}

static void add_all(struct gn_top_columns *out, const int *columns, size_t n)
{
	for (size_t i = 0; i < n; i++)
		add(out, columns[i]);
}

void gn_top_columns(enum gn_top_mode mode, struct gn_top_columns *out)
{
	static const int thread[] = {
		GN_TOP_NAME,  GN_TOP_PID, GN_TOP_TID, GN_TOP_RUNTIME,
		GN_TOP_STATE, GN_TOP_BAR, GN_TOP_CPU,
	};
	static const int numbers[] = {
		GN_TOP_CALLS, GN_TOP_EI, GN_TOP_EE,
		GN_TOP_AI,    GN_TOP_AE, GN_TOP_BAR,
	};

	out->n = 0;
	if (mode == GN_TOP_THREADS) {
		add_all(out, thread, sizeof(thread) / sizeof(thread[0]));
		add_classes(out);
		add(out, GN_TOP_CALLS);
		add(out, GN_TOP_CURRENT);
		add(out, GN_TOP_HOTTEST);
		return;
	}
	add_all(out, numbers, sizeof(numbers) / sizeof(numbers[0]));
	add_classes(out);
	add(out, GN_TOP_NAME);
	if (mode != GN_TOP_MODULES)
		add(out, GN_TOP_MODULE);
}

void gn_top_sort_columns(enum gn_top_mode mode, struct gn_top_columns *out)
{
	struct gn_top_columns all;

	gn_top_columns(mode, &all);
	out->n = 0;
	for (int i = 0; i < all.n; i++) {
		if (all.column[i] != GN_TOP_BAR)
			add(out, all.column[i]);
	}
}

int gn_top_usual_sort(enum gn_top_mode mode)
{
	switch (mode) {
	case GN_TOP_THREADS:
		return GN_TOP_CPU;
	case GN_TOP_TREE:
		return GN_TOP_EI;
	default:
		return GN_TOP_AE;
	}
}

const char *gn_top_column_title(int column, enum gn_top_mode mode)
{
	if (column >= GN_TOP_CLASS)
		return gn_top_class_short(column - GN_TOP_CLASS);
	if (column == GN_TOP_NAME) {
		static const char *const names[] = {
			[GN_TOP_THREADS] = "THREAD",
			[GN_TOP_FUNCTIONS] = "FUNCTION",
			[GN_TOP_MODULES] = "MODULE",
			[GN_TOP_TREE] = "CALL PATH",
		};

		return names[mode];
	}
	return infos[column].title;
}

const char *gn_top_column_word(int column, enum gn_top_mode mode)
{
	if (column >= GN_TOP_CLASS)
		return gn_class_text(column - GN_TOP_CLASS);
	if (column == GN_TOP_NAME && mode == GN_TOP_MODULES)
		return infos[GN_TOP_MODULE].word;
	return infos[column].word;
}

bool gn_top_column_text(int column)
{
	return column < GN_TOP_CLASS && infos[column].text;
}

const struct gn_model_function *gn_top_function(const struct gn_model *m,
						int32_t index)
{
	if (index < 0 || (size_t)index >= m->nfunctions)
		return NULL;
	return &m->functions[index];
}

int32_t gn_top_current(const struct gn_model_thread *t)
{
	if (!t->live || !t->live->nstack)
		return -1;
	return t->live->stack[t->live->nstack - 1];
}

int32_t gn_top_hottest(const struct gn_model_thread *t)
{
	for (size_t i = 0; t->live && i < t->live->nshares; i++) {
		if (t->live->shares[i].function >= 0 &&
		    t->live->shares[i].elapsed)
			return t->live->shares[i].function;
	}
	return -1;
}

const char *gn_top_runtime_text(enum gn_runtime_id runtime)
{
	static const char *const texts[] = {
#define RUNTIME_TEXT(name, value, text) [GN_RUNTIME_##name] = text,
		GN_RUNTIME_LIST(RUNTIME_TEXT)
#undef RUNTIME_TEXT
	};

	return (unsigned)runtime < GN_RUNTIME_COUNT ? texts[runtime] : "-";
}

const char *gn_top_runtime(const struct gn_model *m,
			   const struct gn_model_thread *t)
{
	const struct gn_model_live *live = t->live;
	const struct gn_model_function *f;
	const char *text = "-";

	/* native code is below every runtime's: it says least */
	for (size_t i = 0; live && i < live->nshares + live->nstack; i++) {
		f = gn_top_function(
			m, i < live->nshares
				   ? live->shares[i].function
				   : live->stack[live->nstack + live->nshares -
						 i - 1]);
		if (!f)
			continue;
		text = gn_top_runtime_text(f->runtime);
		if (f->runtime != GN_RUNTIME_NATIVE)
			return text;
	}
	return text;
}

const char *gn_top_state(const struct gn_model_thread *t)
{
	if (!t->live)
		return "-";
	switch (t->live->state) {
	case GN_THREAD_RUNNING:
		return "R";
	case GN_THREAD_RUNNABLE:
		return "Q";
	case GN_THREAD_WAITING:
		return gn_top_class_short(t->live->doing);
	case GN_THREAD_ENDED:
		return "X";
	default:
		return "-";
	}
}

uint64_t gn_top_cpu_ns(const uint64_t classes[GN_CLASS_COUNT])
{
	uint64_t sum = 0;

	for (int c = 0; c < GN_CLASS_COUNT; c++)
		sum += gn_class_on_cpu((enum gn_class)c) ? classes[c] : 0;
	return sum;
}

double gn_top_rate(uint64_t count, uint64_t length)
{
	return length ? (double)count * 1e9 / (double)length : 0;
}
