/* SPDX-License-Identifier: BSD-2-Clause */
/* What the lines of a header are made of. */
#include "output/header.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

#include "output/text.h"

int gn_header_line(FILE *f, const char *label, const char *text, bool utf8)
{
	char *escaped;

	if (!text || !*text)
		return 0;
	escaped = gn_escape(text, utf8);
	if (!escaped)
		return -ENOMEM;
	fprintf(f, "# %-11s %s\n", label, escaped);
	free(escaped);
	return 0;
}

void gn_put_counted(FILE *f, uint64_t n, const char *one, const char *many)
{
	char count[GN_CELL];

	gn_format_count(count, n);
	fprintf(f, "%s %s", count, n == 1 ? one : many);
}

bool gn_info_number(const struct gn_model *m, const char *key, uint64_t *n)
{
	const char *text = gn_model_info(m, key);
	char *end;

	if (!text || *text < '0' || *text > '9')
		return false;
	errno = 0;
	*n = strtoull(text, &end, 10);
	return !errno && !*end;
}
