/* SPDX-License-Identifier: BSD-2-Clause */
#include "output/reason.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "output/text.h"
#include "output/wrap.h"

#define INDENT "    " /* of further lines, if the text has no columns */

/* The length of the text's first column and the blanks after it. */
static size_t column(const char *text)
{
	size_t indent = strspn(text, " ");
	const char *end = strstr(text + indent, "  ");

	return end ? (size_t)(end - text) + strspn(end, " ") : indent;
}

/* A copy in which each word fits in `room` cells. NULL: no memory. */
static char *shorten_words(const char *text, size_t room)
{
	char *copy = malloc(strlen(text) + 1), *to = copy;

	while (copy && *text) {
		size_t len = strcspn(text, " ");
		size_t blanks = strspn(text + len, " ");

		memcpy(to, text, len);
		to[len] = '\0';
		gn_text_shorten(to, room);
		to += strlen(to);
		memset(to, ' ', blanks);
		to += blanks;
		text += len + blanks;
	}
	if (copy)
		*to = '\0';
	return copy;
}

int gn_reason_print(FILE *f, const char *text, size_t used, size_t room)
{
	size_t len = column(text), cells;
	char *first = strndup(text, len), *rest = NULL, *words = NULL;
	int err = -ENOMEM;

	if (!first)
		return err;
	cells = gn_text_width(first);
	if (len == strspn(text, " "))
		cells += strlen(INDENT);
	if (asprintf(&rest, "%*s", (int)(used + cells), "") < 0)
		rest = NULL;
	if (rest)
		words = shorten_words(text + len,
				      room > cells ? room - cells : 1);
	if (words) {
		gn_wrap(f, words,
			&(struct gn_wrap){.first = first,
					  .rest = rest,
					  .broken = "",
					  .used = used,
					  .width = used + room});
		err = 0;
	}
	free(words);
	free(rest);
	free(first);
	return err;
}
