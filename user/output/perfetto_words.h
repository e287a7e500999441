/* SPDX-License-Identifier: BSD-2-Clause */
/* Numbers of texts in Perfetto's trace format: names of functions, modules and
 * events. A text is sent once, before its first use. */
#ifndef GNOMON_OUTPUT_PERFETTO_WORDS_H
#define GNOMON_OUTPUT_PERFETTO_WORDS_H

#include <stdint.h>

#include <gnomon/event.h>
#include <gnomon/time_class.h>
#include "model/mem.h"
#include "model/pool.h"
#include "output/perfetto_packets.h"
#include "output/timeline.h"

/* Interned categories, and names of events that are not functions. */
enum {
	WORD_CALL = 1,
	WORD_INHERITED, /* a call inherited from the parent at a fork */
	WORD_AGAIN,	/* the rest of a call whose caller ended first */
	WORD_RESUMED,	/* a part of a call, after an await */
	WORD_TIME,
	WORD_RUNTIME,
	WORD_WAKE,
	WORD_WOKEN,
	WORD_LOST,
	WORD_JIT,
	WORD_GC,
	WORD_SUSPENSION,
	WORD_BACKGROUND,
	WORD_CLASS,				  /* and its number */
	WORD_EVENT = WORD_CLASS + GN_CLASS_COUNT, /* and its number */
	WORD_FUNCTION = WORD_EVENT + GN_RT_LIMIT, /* the first function */
};

struct gn_word_function {
	uint32_t name, module; /* interned; 0: none */
};

struct gn_words {
	struct gn_word_function *functions; /* by the timeline's numbers */
	uint32_t nfunctions, functions_cap;
	struct gn_pool modules;
	struct gn_table by_module; /* pool's pointer -> category */
	uint64_t interned;
};

/* All return 0, -ENOMEM, or -errno of the file. gn_words_begin() sends the
 * words that are not functions. */
int gn_words_begin(struct gn_words *w, struct gn_packets *out);
int gn_words_function(struct gn_words *w, struct gn_packets *out,
		      const struct gn_seen_function *f);
void gn_words_free(struct gn_words *w);

#endif
