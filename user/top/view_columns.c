// SPDX-License-Identifier: BSD-2-Clause
#include "top/view_columns.h"

static void add(struct gn_top_columns *out, int column)
{
	out->column[out->n++] = column;
}

static void add_classes(struct gn_top_columns *out)
{
	for (int i = 0; i < GN_CLASS_COUNT; i++)
		add(out, GN_COLUMN_CLASS + gn_class_at(i));
}

static void add_all(struct gn_top_columns *out, const int *columns, size_t n)
{
	for (size_t i = 0; i < n; i++)
		add(out, columns[i]);
}

void gn_top_columns(enum gn_top_mode mode, struct gn_top_columns *out)
{
	static const int thread[] = {
		GN_COLUMN_NAME,	   GN_COLUMN_PID,   GN_COLUMN_TID,
		GN_COLUMN_RUNTIME, GN_COLUMN_STATE, GN_COLUMN_BAR,
		GN_COLUMN_ON_CPU,
	};
	static const int numbers[] = {
		GN_COLUMN_CALLS,  GN_COLUMN_EI_PCT, GN_COLUMN_EE_PCT,
		GN_COLUMN_AI_PCT, GN_COLUMN_AE_PCT, GN_COLUMN_BAR,
	};

	out->n = 0;
	if (mode == GN_TOP_THREADS) {
		add_all(out, thread, sizeof(thread) / sizeof(thread[0]));
		add_classes(out);
		add(out, GN_COLUMN_CALLS);
		add(out, GN_COLUMN_NOW);
		add(out, GN_COLUMN_MOST);
		return;
	}
	add_all(out, numbers, sizeof(numbers) / sizeof(numbers[0]));
	add_classes(out);
	add(out, GN_COLUMN_NAME);
	if (mode != GN_TOP_MODULES)
		add(out, GN_COLUMN_MODULE);
}

void gn_top_sort_columns(enum gn_top_mode mode, struct gn_top_columns *out)
{
	struct gn_top_columns all;

	gn_top_columns(mode, &all);
	out->n = 0;
	for (int i = 0; i < all.n; i++) {
		if (all.column[i] != GN_COLUMN_BAR)
			add(out, all.column[i]);
	}
}

int gn_top_usual_sort(enum gn_top_mode mode)
{
	switch (mode) {
	case GN_TOP_THREADS:
		return GN_COLUMN_ON_CPU;
	case GN_TOP_TREE:
		return GN_COLUMN_EI_PCT;
	default:
		return GN_COLUMN_AE_PCT;
	}
}

const char *gn_top_column_title(int column, enum gn_top_mode mode)
{
	static const char *const names[] = {
		[GN_TOP_THREADS] = "THREAD",
		[GN_TOP_FUNCTIONS] = "FUNCTION",
		[GN_TOP_MODULES] = "MODULE",
		[GN_TOP_TREE] = "CALL PATH",
	};

	return column == GN_COLUMN_NAME ? names[mode] : gn_column_brief(column);
}

bool gn_top_column_up(int column)
{
	enum gn_show show = gn_column_show(column);

	return show == GN_SHOW_TEXT || show == GN_SHOW_ID;
}

double gn_top_rate(uint64_t count, uint64_t length)
{
	return length ? (double)count * 1e9 / (double)length : 0;
}
