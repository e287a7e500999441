// SPDX-License-Identifier: BSD-2-Clause
#include "yields.h"

#include <limits.h>
#include <stdlib.h>

#define YIELD_FROM 72 /* up to 3.10 */

/* YIELD_VALUE by version. */
static bool suspends(uint8_t opcode, int minor)
{
	switch (minor) {
	case 8:
	case 9:
	case 10:
	case 11:
		return opcode == 86;
	case 12:
		return opcode == 150;
	case 13:
		return opcode == 118;
	default:
		return opcode == 120;
	}
}

static void mark(struct gn_yields *y, size_t i)
{
	y->at[i / 8] |= (uint8_t)(1u << i % 8);
	y->first = (int)(i * 2);
}

struct gn_yields *gn_yields_read(const uint8_t *code, size_t len, int minor)
{
	size_t bits = len / 2;
	struct gn_yields *y = calloc(1, sizeof(*y) + bits / 8 + 1);

	if (!y)
		return NULL;
	y->bits = bits;
	y->first = INT_MAX;
	for (size_t i = bits; i-- > 0;)
		if (suspends(code[i * 2], minor))
			mark(y, i);
	if (minor > 10)
		return y;
	/* it is repeated after each suspension */
	for (size_t i = 1; i < bits; i++)
		if (code[i * 2] == YIELD_FROM)
			mark(y, i - 1);
	/* the frame begins before its first instruction */
	y->first = 0;
	return y;
}

bool gn_yields_begins(const struct gn_yields *y, int lasti)
{
	return lasti < y->first;
}

bool gn_yields_at(const struct gn_yields *y, int lasti)
{
	size_t i = (size_t)lasti / 2;

	return lasti >= 0 && i < y->bits && y->at[i / 8] >> i % 8 & 1;
}
