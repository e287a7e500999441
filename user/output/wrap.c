/* SPDX-License-Identifier: BSD-2-Clause */
#include "output/wrap.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "output/header.h"
#include "output/text.h"

/* "# " and a label of 11 cells */
#define LABEL 14

/* The length of a piece that must stay together: a word, or a number and its
 * unit. */
static size_t piece(const char *text)
{
	static const char *const units[] = {" %", " ns", " us", " ms", " s"};
	size_t len = strcspn(text, " ");

	for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++) {
		size_t n = strlen(units[i]);

		if (!strncmp(text + len, units[i], n) &&
		    strchr(" ,.;:)", text[len + n]))
			return len + n + strcspn(text + len + n, " ");
	}
	return len;
}

/* The length of a word of a shell's command, with its quotes. */
static size_t length_of_word(const char *text)
{
	return (size_t)(gn_take_word(text, NULL) - text);
}

static size_t cells_of(const char *text, size_t len)
{
	size_t cells = 0, n;

	for (size_t at = 0; at < len; at += n)
		cells += (size_t)gn_cells(gn_utf8_next(text + at, &n));
	return cells;
}

void gn_wrap(FILE *f, const char *text, const struct gn_wrap *w)
{
	size_t used = w->used + gn_text_width(w->first);

	fputs(w->first, f);
	for (bool start = true; *text; start = false) {
		/* an indent and the word after it stay together */
		size_t indent = start ? strspn(text, " ") : 0;
		const char *word = text + indent;
		size_t len = indent + (w->broken[0] ? length_of_word(word)
						    : piece(word));
		size_t cells = cells_of(text, len);

		if (!start && used + 1 + cells + strlen(w->broken) > w->width) {
			fprintf(f, "%s\n%s", w->broken, w->rest);
			used = gn_text_width(w->rest);
		} else if (!start) {
			fputc(' ', f);
			used++;
		}
		fwrite(text, 1, len, f);
		used += cells;
		text += len + strspn(text + len, " ");
	}
	fputc('\n', f);
}

/* Wraps a note that is too wide. */
static void wrap_note(FILE *f, char *line, size_t width)
{
	static const char rest[] = "#             ";
	size_t label =
		strlen(line) > LABEL && line[LABEL - 1] == ' ' ? LABEL : 2;
	char first[LABEL + 1];
	struct gn_wrap w = {.first = first,
			    .rest = label == 2 ? "#   " : rest,
			    .broken = "",
			    .width = width};

	memcpy(first, line, label);
	first[label] = '\0';
	gn_wrap(f, line + label, &w);
}

void gn_wrap_notes(FILE *f, const char *text, size_t width)
{
	while (*text) {
		size_t len = strcspn(text, "\n");
		char *line = NULL;

		if (!strncmp(text, "# ", 2) && cells_of(text, len) > width)
			line = strndup(text, len);
		if (line)
			wrap_note(f, line, width);
		else
			fwrite(text, 1, len + (text[len] == '\n'), f);
		free(line);
		text += len + (text[len] == '\n');
	}
}
