/* SPDX-License-Identifier: BSD-2-Clause */
#include "compare/words.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

void gn_format_reading(char buf[GN_CELL], int metric, enum gn_reading reading,
		       double value)
{
	if (reading == GN_READ_SHARE)
		snprintf(buf, GN_CELL, "%.2f %%", value);
	else if (gn_metric_is_time(metric) && fabs(value) < 1e3)
		snprintf(buf, GN_CELL, "%.0f ns", value);
	else if (gn_metric_is_time(metric))
		gn_format_difference(buf, (int64_t)value, false);
	else if (value == floor(value) && value >= 0)
		gn_format_count(buf, (uint64_t)value);
	else
		snprintf(buf, GN_CELL, "%.1f", value);
}

void gn_format_change(char buf[GN_CELL], double base, double now)
{
	if (base == now)
		snprintf(buf, GN_CELL, "%s", base > 0 ? "0.0 %" : "");
	else if (base <= 0)
		snprintf(buf, GN_CELL, "new");
	else if (now <= 0)
		snprintf(buf, GN_CELL, "gone");
	else if (now / base > 100)
		snprintf(buf, GN_CELL, "x %.0f", now / base);
	else
		snprintf(buf, GN_CELL, "%+.1f %%", 100 * (now / base - 1));
}

/* What Markdown, and the HTML in it, gives a meaning. */
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
	case '@': /* a person, who would be told */
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
