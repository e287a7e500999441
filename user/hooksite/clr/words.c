// SPDX-License-Identifier: BSD-2-Clause
#include "words.h"

#include <stdlib.h>
#include <string.h>

#include <gnomon/grow.h>

/* With more words than this, few names are skipped. */
#define WORDS_MAX (1u << 16)

static bool add(struct gn_words *w, uint32_t at)
{
	if (w->n == WORDS_MAX ||
	    gn_grow(&w->at, &w->room, w->n + 1, sizeof(at)))
		return false;
	w->at[w->n++] = at;
	return true;
}

#define PAIRS	 (1u << 16)
#define CHAINS	 (1u << 12)
#define NONE	 UINT32_MAX
#define STEP_MAX 16u

/*
 * Searches for the words of all lines at once. A word longer than `step` bytes
 * contains, wherever it begins, a pair of bytes at an offset that is a multiple
 * of `step`. So the search reads only these pairs, which makes it fast.
 */
struct search {
	struct {
		const struct gn_filter_line *line;
		bool found; /* the line's `other` was found too */
		bool never; /* `other` is missing: no name matches */
	} * of;
	uint32_t n, step;
	/* The pairs of all words: the first `step` of each. Pairs with the same
	 * hash form a chain, which ends with NONE. */
	uint32_t *next, first[CHAINS];
	uint64_t has[PAIRS / 64];
};

static uint16_t pair_at(const char *p)
{
	uint16_t pair;

	memcpy(&pair, p, sizeof(pair));
	return pair;
}

static uint32_t chain_of(uint16_t pair)
{
	return (pair * 40503u >> 4) % CHAINS;
}

/* False: out of memory. */
static bool set_pairs(struct search *s)
{
	s->next = calloc((size_t)s->n * s->step, sizeof(*s->next));
	if (!s->next)
		return false;
	memset(s->first, 0xff, sizeof(s->first));
	memset(s->has, 0, sizeof(s->has));
	for (uint32_t i = 0; i < s->n * s->step; i++) {
		const struct gn_filter_line *line = s->of[i / s->step].line;
		uint16_t pair = pair_at(line->word.at + i % s->step);

		s->next[i] = s->first[chain_of(pair)];
		s->first[chain_of(pair)] = i;
		s->has[pair / 64] |= 1ull << pair % 64;
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

/* Adds the words that have this pair, in the order of their starts. False:
 * there is no room. */
static bool take_words(struct gn_words *w, struct search *s, size_t at,
		       uint16_t pair)
{
	uint32_t begins = 0; /* bit n: a word begins n bytes before `at` */

	for (uint32_t i = s->first[chain_of(pair)]; i != NONE; i = s->next[i]) {
		uint32_t before = i % s->step;

		if (before <= at &&
		    is_word_at(s, i / s->step, w->strings, at - before))
			begins |= 1u << before;
	}
	for (uint32_t before = s->step; before--;)
		if (begins >> before & 1 && !add(w, (uint32_t)(at - before)))
			return false;
	return true;
}

/* False: there is no room. */
static bool search(struct gn_words *w, struct search *s)
{
	const struct gn_bytes *in = w->strings;

	for (size_t at = 0; at + sizeof(uint16_t) <= in->n; at += s->step) {
		uint16_t pair = pair_at((const char *)in->at + at);

		if (s->has[pair / 64] >> pair % 64 & 1 &&
		    !take_words(w, s, at, pair))
			return false;
	}
	return true;
}

/* False: some line has no word to search for. */
static bool choose(struct search *s, const struct gn_filter_lines *lines,
		   const char *module)
{
	s->step = STEP_MAX;
	for (uint32_t i = 0; i < lines->n; i++) {
		const struct gn_filter_line *line = &lines->line[i];

		if (!gn_filter_line_is_in(line, module))
			continue;
		if (line->word.len < 2)
			return false;
		s->of[s->n++].line = line;
		if (line->word.len <= s->step)
			s->step = (uint32_t)line->word.len - 1;
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
	s->next = NULL;
	s->of = calloc(lines->n + 1, sizeof(*s->of));
	if (s->of && choose(s, lines, module))
		w->any = s->n && !(set_pairs(s) && search(w, s));
	free(s->next);
	free(s->of);
	free(s);
}

void gn_words_free(struct gn_words *w)
{
	free(w->at);
	*w = (struct gn_words){.strings = NULL};
}

/* The first word at or after `from`. strings->n: there is none. */
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

/* Strings can share their ends in the heap, so `at` can be in the middle of
 * another string. */
bool gn_words_in(const struct gn_words *w, uint32_t at)
{
	size_t word;

	if (w->any)
		return true;
	word = next(w, at);
	return word < w->strings->n &&
	       !memchr(w->strings->at + at, '\0', word - at);
}
