// SPDX-License-Identifier: BSD-2-Clause
#include "output/perfetto_words.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "output/classes.h"

static const char *const words[WORD_CLASS] = {
	[WORD_CALL] = "call",
	[WORD_INHERITED] = "inherited",
	[WORD_AGAIN] = "again",
	[WORD_RESUMED] = "resumed",
	[WORD_TIME] = "time",
	[WORD_RUNTIME] = "runtime",
	[WORD_WAKE] = "wakes",
	[WORD_WOKEN] = "woken",
	[WORD_LOST] = "records lost",
	[WORD_JIT] = "JIT",
	[WORD_GC] = "GC",
	[WORD_SUSPENSION] = "suspension",
	[WORD_BACKGROUND] = GN_TIMELINE_BACKGROUND,
};

/* Interns an event's words, as a name and as a category. */
static int intern_event(struct gn_packets *out, uint32_t event)
{
	char name[GN_EVENT_NAME];
	int err;

	gn_timeline_event_text(name, event);
	if (!name[0])
		return 0;
	err = gn_packet_intern(out, WORD_EVENT + event, name, true, 0);
	return err ? err
		   : gn_packet_intern(out, WORD_EVENT + event, name, false, 0);
}

int gn_words_begin(struct gn_words *w, struct gn_packets *out)
{
	int err = gn_packet_intern(out, WORD_CALL, words[WORD_CALL], true,
				   GN_PACKETS_BEGIN);

	for (uint32_t i = WORD_CALL + 1; i < WORD_CLASS && !err; i++) {
		err = gn_packet_intern(out, i, words[i], true, 0);
		if (!err)
			err = gn_packet_intern(out, i, words[i], false, 0);
	}
	for (int c = 0; c < GN_CLASS_COUNT && !err; c++)
		err = gn_packet_intern(out, WORD_CLASS + (uint64_t)c,
				       gn_class_text(c), false, 0);
	for (uint32_t i = 0; i < GN_RT_LIMIT && !err; i++)
		err = intern_event(out, i);
	w->interned = WORD_FUNCTION;
	return err;
}

static int intern_module(struct gn_words *w, struct gn_packets *out,
			 const char *module, uint32_t *iid)
{
	const char *text;
	int err;

	*iid = 0;
	if (!module[0])
		return 0;
	text = gn_pool_add(&w->modules, module, strlen(module));
	if (!text)
		return -ENOMEM;
	*iid = gn_table_get(&w->by_module, (uintptr_t)text);
	if (*iid != GN_NONE)
		return 0;
	*iid = (uint32_t)w->interned++;
	err = gn_table_put(&w->by_module, (uintptr_t)text, *iid);
	return err ? err : gn_packet_intern(out, *iid, text, true, 0);
}

int gn_words_function(struct gn_words *w, struct gn_packets *out,
		      const struct gn_seen_function *f)
{
	struct gn_word_function *to;
	int err;

	err = gn_grow_to(&w->functions, &w->nfunctions, &w->functions_cap,
			 f->fn, sizeof(*w->functions));
	if (err)
		return err;
	to = &w->functions[f->fn];
	to->name = (uint32_t)w->interned++;
	err = gn_packet_intern(out, to->name, f->shown, false, 0);
	return err ? err : intern_module(w, out, f->module, &to->module);
}

void gn_words_free(struct gn_words *w)
{
	free(w->functions);
	gn_pool_free(&w->modules);
	gn_table_free(&w->by_module);
}
