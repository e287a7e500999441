// SPDX-License-Identifier: BSD-2-Clause
#include "words.h"

#include <stdlib.h>
#include <string.h>

/* With more of them little is passed over. */
#define WORDS_MAX (1u << 16)

static bool add(struct gn_words *w, uint32_t at)
{
	uint32_t room = w->room ? w->room * 2 : 64;
	uint32_t *more;

	if (w->n == w->room) {
		if (room > WORDS_MAX)
			return false;
		more = realloc(w->at, room * sizeof(*more));
		if (!more)
			return false;
		w->at = more;
		w->room = room;
	}
	w->at[w->n++] = at;
	return true;
}

/* False: any name can have it. */
static bool find(struct gn_words *w, const struct gn_filter_line *line)
{
	const uint8_t *from = w->strings->at;
	const uint8_t *end = from + w->strings->n;

	while (line->word_len && (from = memmem(from, (size_t)(end - from),
						line->word, line->word_len))) {
		if (!add(w, (uint32_t)(from - w->strings->at)))
			return false;
		from++;
	}
	return line->word_len;
}

static int compare(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	return (x > y) - (x < y);
}

void gn_words_find(struct gn_words *w, const struct gn_filter_lines *lines,
		   const char *module, const struct gn_bytes *strings)
{
	*w = (struct gn_words){.strings = strings};
	for (uint32_t i = 0; i < lines->n && !w->any; i++)
		if (gn_filter_line_is_in(&lines->line[i], module))
			w->any = !find(w, &lines->line[i]);
	if (w->n)
		qsort(w->at, w->n, sizeof(*w->at), compare);
}

void gn_words_free(struct gn_words *w)
{
	free(w->at);
	*w = (struct gn_words){.strings = NULL};
}

/* The first at or behind `from`; strings->n: there is none. */
static size_t next(const struct gn_words *w, size_t from)
{
	uint32_t low = 0, high = w->n;

	while (low < high) {
		uint32_t middle = low + (high - low) / 2;

		if (w->at[middle] < from)
			low = middle + 1;
		else
			high = middle;
	}
	return low < w->n ? w->at[low] : w->strings->n;
}

/* A string can be the end of another one. */
bool gn_words_in(const struct gn_words *w, uint32_t at)
{
	size_t word;

	if (w->any)
		return true;
	word = next(w, at);
	return word < w->strings->n &&
	       !memchr(w->strings->at + at, '\0', word - at);
}
