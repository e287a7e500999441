/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
#include <string.h>

#include "compare/budget.h"

/* Above this a double is not an exact count. */
#define NUMBER_MAX 9e15

/* Reads a number without sign or exponent, in any locale. Returns the text
 * after it, or NULL. */
static const char *read_number(const char *p, double *out)
{
	double scale = 1;
	size_t digits = 0;

	*out = 0;
	for (; *p >= '0' && *p <= '9'; p++, digits++)
		*out = *out * 10 + (*p - '0');
	if (*p == '.') {
		for (p++; *p >= '0' && *p <= '9'; p++, digits++)
			*out += (*p - '0') * (scale /= 10);
	}
	return digits && *out < NUMBER_MAX ? p : NULL;
}

static int unit(const char *text, double *ns)
{
	static const struct {
		const char *text;
		double ns;
	} units[] = {
		{"ns", 1},  {"us", 1e3}, {"ms", 1e6},
		{"s", 1e9}, {"m", 60e9}, {"h", 3600e9},
	};

	for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++) {
		if (!strcmp(text, units[i].text)) {
			*ns = units[i].ns;
			return 0;
		}
	}
	return -EINVAL;
}

int gn_limit_time(const char *text, double *ns)
{
	double scale;

	text = read_number(text, ns);
	if (!text || unit(text, &scale))
		return -EINVAL;
	*ns *= scale;
	return 0;
}

int gn_limit_parse(const char *text, bool is_time, struct gn_limit *l)
{
	bool over = *text == '+';
	const char *behind = read_number(text + over, &l->value);
	double scale = 1;

	if (!behind)
		return -EINVAL;
	if (!strcmp(behind, "%")) {
		l->kind = over ? GN_LIMIT_OVER_PCT : GN_LIMIT_SHARE;
		return over || l->value <= 100 ? 0 : -EINVAL;
	}
	l->kind = over ? GN_LIMIT_OVER_BASE : GN_LIMIT_AT_MOST;
	/* a time without a unit could be anything */
	if (is_time ? unit(behind, &scale) : *behind != '\0')
		return -EINVAL;
	l->value *= scale;
	return 0;
}
