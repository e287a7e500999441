/* SPDX-License-Identifier: BSD-2-Clause */
#include "output/markup.h"

#include <errno.h>
#include <stdlib.h>

#include "output/text.h"

/* What replaces a character that has a meaning in Markdown, or in the HTML in
 * it. A backslash only precedes the character. NULL: the character stays. */
static const char *markdown_of(char c)
{
	switch (c) {
	case '<':
		return "&lt;";
	case '>':
		return "&gt;";
	case '&':
		return "&amp;";
	case '|':
		return "&#124;";
	case '@': /* a person, who would be notified */
		return "&#64;";
	case '\\':
	case '`':
	case '*':
	case '_':
	case '[':
	case ']':
	case '!':
	case '~':
	case '#':
	case '$':
		return "\\";
	default:
		return NULL;
	}
}

int gn_markdown_text(FILE *f, const char *name)
{
	char *plain = gn_escape(name, true);

	if (!plain)
		return -ENOMEM;
	for (const char *p = plain; *p; p++) {
		const char *instead = markdown_of(*p);

		if (instead)
			fputs(instead, f);
		if (!instead || *instead == '\\')
			fputc(*p, f);
	}
	free(plain);
	return 0;
}

int gn_xml_text(FILE *f, const char *name)
{
	char *plain = gn_escape(name, true);

	if (!plain)
		return -ENOMEM;
	for (const char *p = plain; *p; p++) {
		if (*p == '<')
			fputs("&lt;", f);
		else if (*p == '>')
			fputs("&gt;", f);
		else if (*p == '&')
			fputs("&amp;", f);
		else if (*p == '"')
			fputs("&quot;", f);
		else
			fputc(*p, f);
	}
	free(plain);
	return 0;
}
