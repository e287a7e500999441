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

/* Pairs of bytes that differ in their low bits: letters do. */
#define PAIRS (1u << 12)
#define NONE  UINT32_MAX

/* The lines whose words are looked for at once, as Wu and Manber do: how far
 * the next pair of bytes can lie that any of the words can end its first
 * `least` bytes with; and the words that end them with a pair. */
struct search {
	struct {
		const struct gn_filter_line *line;
		uint32_t next; /* of the same pair; NONE: no more */
		bool found;    /* its other word is there, too */
		bool never;    /* that is not there: no name matches */
	} * of;
	uint32_t n;
	size_t least; /* the length of the shortest word */
	uint32_t first[PAIRS];
	uint8_t skip[PAIRS];
};

static size_t pair_at(const char *p)
{
	return (size_t)(p[0] & 0x3f) << 6 | (p[1] & 0x3f);
}

static void set_skips(struct search *s)
{
	size_t last = s->least - 2;

	memset(s->skip, (int)(last + 1), sizeof(s->skip));
	memset(s->first, 0xff, sizeof(s->first));
	for (uint32_t i = 0; i < s->n; i++) {
		const char *word = s->of[i].line->word.at;
		size_t pair = pair_at(word + last);

		s->of[i].next = s->first[pair];
		s->first[pair] = i;
		for (size_t at = 0; at <= last; at++)
			if (s->skip[pair_at(word + at)] > last - at)
				s->skip[pair_at(word + at)] =
					(uint8_t)(last - at);
	}
}

static bool is_in(const struct gn_filter_word *word, const struct gn_bytes *in)
{
	const char *at = (const char *)in->at, *end = at + in->n;

	while ((at = memmem(at, (size_t)(end - at), word->at, word->len))) {
		if (gn_filter_word_at(word, at, (size_t)(end - at)))
			return true;
		at++;
	}
	return false;
}

/* Whether the module has the other word of a line, which is looked for once. */
static bool has_other(struct search *s, uint32_t i, const struct gn_bytes *in)
{
	const struct gn_filter_word *other = &s->of[i].line->other;

	if (!s->of[i].found && !s->of[i].never) {
		s->of[i].found = !other->len || is_in(other, in);
		s->of[i].never = !s->of[i].found;
	}
	return s->of[i].found;
}

static bool is_word_at(struct search *s, const struct gn_bytes *in, size_t at)
{
	const char *text = (const char *)in->at + at;
	uint32_t i = s->first[pair_at(text + s->least - 2)];

	for (; i != NONE; i = s->of[i].next)
		if (!s->of[i].never &&
		    gn_filter_word_at(&s->of[i].line->word, text, in->n - at) &&
		    has_other(s, i, in))
			return true;
	return false;
}

/* False: there is no more room. */
static bool search(struct gn_words *w, struct search *s)
{
	const struct gn_bytes *in = w->strings;
	size_t at = 0;

	while (at + s->least <= in->n) {
		size_t skip = s->skip[pair_at((const char *)in->at + at +
					      s->least - 2)];

		if (!skip && is_word_at(s, in, at) && !add(w, (uint32_t)at))
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
		if (line->word.len < 2)
			return false;
		s->of[s->n++].line = line;
		if (line->word.len < s->least)
			s->least = line->word.len;
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
	s->of = calloc(lines->n + 1, sizeof(*s->of));
	if (s->of && choose(s, lines, module)) {
		if (s->n)
			set_skips(s);
		w->any = s->n && !search(w, s);
	}
	free(s->of);
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
