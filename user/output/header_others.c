/* SPDX-License-Identifier: BSD-2-Clause */
/* Processes that were not traced, but matter. */
#include <stdlib.h>
#include <string.h>

#include "output/header.h"

const char *gn_children_of(const struct gn_model *m, uint64_t *n)
{
	const char *of = gn_model_info(m, "children.of");

	/* it becomes a part of a command */
	if (!of || !*of || of[strspn(of, "0123456789,")])
		return NULL;
	return gn_info_number(m, "children", n) ? of : NULL;
}

bool gn_unprobed_other(const struct gn_model *m, uint64_t *pid,
		       const char **name)
{
	const char *other = gn_model_info(m, "unprobed.other");
	size_t n = other ? strspn(other, "0123456789") : 0;

	/* it becomes a part of a command */
	if (!n || n > 10 || other[n] != ' ')
		return false;
	*pid = strtoull(other, NULL, 10);
	*name = other + n + 1;
	return true;
}
