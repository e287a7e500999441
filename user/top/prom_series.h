/* SPDX-License-Identifier: BSD-2-Clause */
/* Series with labels of their own: a bounded set, and one series for all
 * others. */
#ifndef GNOMON_TOP_PROM_SERIES_H
#define GNOMON_TOP_PROM_SERIES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/model.h"

/* A sum of times that cannot overflow, however long the session and however
 * many threads. */
struct gn_top_tally {
	uint64_t seconds;
	uint32_t ns;
};

void gn_top_tally_add(struct gn_top_tally *t, uint64_t ns);

struct gn_top_series {
	uint64_t hash;
	uint32_t pid; /* 0 for functions */
	char *name, *module;
	char *labels; /* as in the output, between the braces */
	struct gn_top_tally classes[GN_CLASS_COUNT]; /* of threads */
	struct gn_top_tally elapsed, app;	     /* of functions */
	uint64_t calls;
};

struct gn_top_series_set {
	bool threads; /* else functions */
	struct gn_top_series *own;
	size_t n, most;
	struct gn_top_series other;
};

/* 0, -ENOMEM; gn_top_series_clear() in each case. */
int gn_top_series_init(struct gn_top_series_set *s, bool threads, size_t most);
void gn_top_series_clear(struct gn_top_series_set *s);

/* Finds the series of a function or a thread; NULL: it has no series of its
 * own. A thread's module is "". */
struct gn_top_series *gn_top_series_find(struct gn_top_series_set *s,
					 uint32_t pid, const char *name,
					 const char *module);

/* Adds a series. NULL: the set is full, there is no memory, or another series
 * has the same labels. */
struct gn_top_series *gn_top_series_admit(struct gn_top_series_set *s,
					  uint32_t pid, const char *name,
					  const char *module);

#endif
