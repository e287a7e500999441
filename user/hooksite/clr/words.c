// SPDX-License-Identifier: BSD-2-Clause
#include "words.h"

#include <stdlib.h>
#include <string.h>

#define HASHES	 (1u << 16)
#define CHAINS	 (1u << 12)
#define NONE	 UINT32_MAX
#define STEP_MAX 16u
#define WIDE	 4u /* bytes of a piece, if all words are long enough */
#define NARROW	 2u

/*
 * Searches for the words of all lines at once. A word with `step` - 1 bytes
 * more than a piece contains, wherever it begins, a piece at an offset that is
 * a multiple of `step`. So the search reads only these, which makes it fast.
 */
struct search {
	struct {
		const struct gn_filter_line *line;
		bool found; /* the line's `other` was found too */
		bool never; /* `other` is missing: no name matches */
	} * of;
	uint32_t n, step;
	bool wide;
	/* The pieces of all words: the first `step` of each. Pieces with the
	 * same hash form a chain, which ends with NONE. */
	uint32_t *next, first[CHAINS];
	uint64_t has[HASHES / 64];
};

static uint16_t hash_at(const char *p, bool wide)
{
	uint16_t pair;
	uint32_t four;

	if (wide) {
		memcpy(&four, p, WIDE);
		return (uint16_t)(four * 2654435761u >> 16);
	}
	memcpy(&pair, p, NARROW);
	return pair;
}

static uint32_t chain_of(uint16_t hash)
{
	return (hash * 40503u >> 4) % CHAINS;
}

/* False: out of memory. */
static bool set_pieces(struct search *s)
{
	s->next = calloc((size_t)s->n * s->step, sizeof(*s->next));
	if (!s->next)
		return false;
	memset(s->first, 0xff, sizeof(s->first));
	memset(s->has, 0, sizeof(s->has));
	for (uint32_t i = 0; i < s->n * s->step; i++) {
		const struct gn_filter_line *line = s->of[i / s->step].line;
		uint16_t hash = hash_at(line->word.at + i % s->step, s->wide);

		s->next[i] = s->first[chain_of(hash)];
		s->first[chain_of(hash)] = i;
		s->has[hash / 64] |= 1ull << hash % 64;
	}
	return true;
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

/* Whether the module has the line's other word. Searches for it once. */
static bool has_other(struct search *s, uint32_t i, const struct gn_bytes *in)
{
	const struct gn_filter_word *other = &s->of[i].line->other;

	if (!s->of[i].found && !s->of[i].never) {
		s->of[i].found = !other->len || is_in(other, in);
		s->of[i].never = !s->of[i].found;
	}
	return s->of[i].found;
}

static bool is_word_at(struct search *s, uint32_t i, const struct gn_bytes *in,
		       size_t at)
{
	return !s->of[i].never &&
	       gn_filter_word_at(&s->of[i].line->word,
				 (const char *)in->at + at, in->n - at) &&
	       has_other(s, i, in);
}

/* Marks the strings that contain the byte. One can begin at any byte, because
 * strings can share their ends. */
static void mark(struct gn_words *w, size_t at)
{
	const uint8_t *strings = w->strings->at;

	w->some = true;
	while (!(w->has[at / 64] >> at % 64 & 1)) {
		w->has[at / 64] |= 1ull << at % 64;
		if (!at || !strings[at - 1])
			return;
		at--;
	}
}

/* Marks the words that have this piece. */
static void take_words(struct gn_words *w, struct search *s, size_t at,
		       uint16_t hash)
{
	for (uint32_t i = s->first[chain_of(hash)]; i != NONE; i = s->next[i]) {
		uint32_t before = i % s->step;

		if (before <= at &&
		    is_word_at(s, i / s->step, w->strings, at - before))
			mark(w, at - before);
	}
}

static void search(struct gn_words *w, struct search *s)
{
	const struct gn_bytes *in = w->strings;
	const bool wide = s->wide;
	size_t size = wide ? WIDE : NARROW;

	for (size_t at = 0; at + size <= in->n; at += s->step) {
		uint16_t hash = hash_at((const char *)in->at + at, wide);

		if (s->has[hash / 64] >> hash % 64 & 1)
			take_words(w, s, at, hash);
	}
}

/* False: some line has no word to search for. */
static bool choose(struct search *s, const struct gn_filter_lines *lines,
		   const char *module)
{
	size_t shortest = STEP_MAX + WIDE - 1;

	for (uint32_t i = 0; i < lines->n; i++) {
		const struct gn_filter_line *line = &lines->line[i];

		if (!gn_filter_line_is_in(line, module))
			continue;
		if (line->word.len < NARROW)
			return false;
		s->of[s->n++].line = line;
		if (line->word.len < shortest)
			shortest = line->word.len;
	}
	s->wide = shortest > WIDE;
	s->step = (uint32_t)shortest - (s->wide ? WIDE : NARROW) + 1;
	return true;
}

/* False: out of memory. */
static bool find(struct gn_words *w, struct search *s)
{
	w->has = calloc(w->strings->n / 64 + 1, sizeof(*w->has));
	if (!w->has || !set_pieces(s))
		return false;
	search(w, s);
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
	s->next = NULL;
	s->of = calloc(lines->n + 1, sizeof(*s->of));
	if (s->of && choose(s, lines, module))
		w->any = s->n && !find(w, s);
	free(s->next);
	free(s->of);
	free(s);
}

void gn_words_free(struct gn_words *w)
{
	free(w->has);
	*w = (struct gn_words){.strings = NULL};
}
