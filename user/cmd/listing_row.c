/* SPDX-License-Identifier: BSD-2-Clause */
/* The rows of a listing, and the names in them. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/listing.h"
#include "output/text.h"

void *gn_list_more(void *list, size_t n, size_t size, void **row)
{
	char *grown = list;

	if (!(n & (n - 1)))
		grown = reallocarray(list, n ? n * 2 : 1, size);
	if (grown) {
		*row = grown + n * size;
		memset(*row, 0, size);
	}
	return grown;
}

int gn_list_put_name(FILE *f, const char *before, const char *name,
		     const char *after)
{
	char *escaped = gn_escape(name, true);

	if (!escaped)
		return -ENOMEM;
	fprintf(f, "%s%s%s", before, escaped, after);
	free(escaped);
	return 0;
}
