// SPDX-License-Identifier: BSD-2-Clause
#include "words.h"

#include <stdlib.h>
#include <string.h>

/* With more of them little is passed over. */
#define WORDS_MAX (1u << 16)
#define SKIP_MAX  255u

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

/* The lines whose words are looked for at once, as Wu and Manber do: how far
 * the next pair of bytes can lie that any of the words can end its first
 * `least` bytes with. */
struct search {
	const struct gn_filter_line **line;
	uint32_t n;
	size_t least; /* the length of the shortest word */
	uint8_t skip[1 << 16];
};

static size_t pair_at(const uint8_t *p)
{
	return (size_t)p[0] << 8 | p[1];
}

static void set_skips(struct search *s)
{
	size_t last = s->least - 2;

	memset(s->skip, (int)(last + 1), sizeof(s->skip));
	for (uint32_t i = 0; i < s->n; i++) {
		const uint8_t *word = (const uint8_t *)s->line[i]->word;

		for (size_t at = 0; at <= last; at++)
			if (s->skip[pair_at(word + at)] > last - at)
				s->skip[pair_at(word + at)] =
					(uint8_t)(last - at);
	}
}

static bool is_word_at(const struct search *s, const uint8_t *at, size_t left)
{
	for (uint32_t i = 0; i < s->n; i++)
		if (s->line[i]->word_len <= left &&
		    !memcmp(at, s->line[i]->word, s->line[i]->word_len))
			return true;
	return false;
}

/* False: there is no more room. */
static bool search(struct gn_words *w, const struct search *s)
{
	const struct gn_bytes *in = w->strings;
	size_t at = 0;

	while (at + s->least <= in->n) {
		size_t skip = s->skip[pair_at(in->at + at + s->least - 2)];

		if (!skip && is_word_at(s, in->at + at, in->n - at) &&
		    !add(w, (uint32_t)at))
			return false;
		at += skip ? skip : 1;
	}
	return true;
}

/* False: some line has no word that it can be found by. */
static bool choose(struct search *s, const struct gn_filter_lines *lines,
		   const char *module)
{
	s->least = SKIP_MAX;
	for (uint32_t i = 0; i < lines->n; i++) {
		const struct gn_filter_line *line = &lines->line[i];

		if (!gn_filter_line_is_in(line, module))
			continue;
		if (line->word_len < 2)
			return false;
		s->line[s->n++] = line;
		if (line->word_len < s->least)
			s->least = line->word_len;
	}
	return true;
}

void gn_words_find(struct gn_words *w, const struct gn_filter_lines *lines,
		   const char *module, const struct gn_bytes *strings)
{
	struct search *s = malloc(sizeof(*s));

	*w = (struct gn_words){.strings = strings, .any = true};
	if (!s)
		return;
	s->n = 0;
	s->line = calloc(lines->n + 1, sizeof(const void *));
	if (s->line && choose(s, lines, module)) {
		if (s->n)
			set_skips(s);
		w->any = s->n && !search(w, s);
	}
	free(s->line);
	free(s);
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
