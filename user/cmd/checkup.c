// SPDX-License-Identifier: BSD-2-Clause
#include "cmd/checkup.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

void gn_finding_add(struct gn_checkup *c, const char *group, const char *id,
		    const char *title, enum gn_found state, const char *advice,
		    const char *format, ...)
{
	struct gn_finding *rows;
	char *detail = NULL;
	va_list ap;

	va_start(ap, format);
	if (vasprintf(&detail, format, ap) < 0)
		detail = NULL;
	va_end(ap);
	rows = reallocarray(c->row, c->n + 1, sizeof(*rows));
	if (rows)
		c->row = rows;
	if (!rows || !detail) {
		free(detail);
		c->no_memory = true;
		return;
	}
	c->row[c->n++] =
		(struct gn_finding){group, id, title, state, detail, advice};
}

void gn_checkup_clear(struct gn_checkup *c)
{
	for (size_t i = 0; i < c->n; i++)
		free(c->row[i].detail);
	free(c->row);
}
