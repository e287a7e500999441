/* SPDX-License-Identifier: BSD-2-Clause */
/* Keeps the longest of the items that arrive, in bounded memory. */
#include <stdlib.h>
#include <string.h>

#include "model/mem.h"
#include "output/html_times.h"

/* Lengths are sorted into classes, eight for each power of two. */
#define STEPS	8
#define CLASSES (64 * STEPS)

static uint32_t class_of(uint64_t length)
{
	uint32_t bits;

	if (length < STEPS)
		return (uint32_t)length;
	bits = 63 - (uint32_t)__builtin_clzll(length);
	return (bits - 2) * STEPS + (uint32_t)((length >> (bits - 3)) % STEPS);
}

/* The shortest length of a class. */
static uint64_t length_of(uint32_t class)
{
	if (class < STEPS)
		return class;
	return (uint64_t)(STEPS + class % STEPS) << (class / STEPS - 1);
}

/* Drops a quarter of all: the shortest, and of the longest class among these
 * the last that came. */
static void drop(struct gn_html_keep *k)
{
	uint32_t count[CLASSES] = {0}, class = 0, gone = 0, n = 0, stay;

	for (uint32_t i = 0; i < k->n; i++)
		count[class_of(k->kept[i].length)]++;
	while (gone + count[class] < k->n / 4)
		gone += count[class ++];
	stay = count[class] - (k->n / 4 - gone);
	for (uint32_t i = 0; i < k->n; i++) {
		uint32_t is = class_of(k->kept[i].length);

		if (is > class || (is == class && stay)) {
			stay -= is == class;
			k->kept[n++] = k->kept[i];
		}
	}
	k->shortest = length_of(class + 1);
	k->left_out += k->n - n;
	k->n = n;
}

int gn_html_keep(struct gn_html_keep *k, const struct gn_html_kept *one)
{
	int err;

	if (one->length < k->shortest) {
		k->left_out++;
		return 0;
	}
	if (k->n == GN_HTML_KEPT)
		drop(k);
	if (one->length < k->shortest) {
		k->left_out++;
		return 0;
	}
	err = gn_grow(&k->kept, &k->cap, (size_t)k->n + 1, sizeof(*k->kept));
	if (!err)
		k->kept[k->n++] = *one;
	return err;
}

/* Of two that begin at the same time, the outer one is longer, or less deep. */
static int in_order(const void *left, const void *right)
{
	const struct gn_html_kept *a = left, *b = right;

	if (a->lane != b->lane)
		return a->lane < b->lane ? -1 : 1;
	if (a->start != b->start)
		return a->start < b->start ? -1 : 1;
	if (a->length != b->length)
		return a->length > b->length ? -1 : 1;
	return a->what < b->what ? -1 : a->what > b->what;
}

void gn_html_keep_sort(struct gn_html_keep *k)
{
	if (k->n)
		qsort(k->kept, k->n, sizeof(*k->kept), in_order);
}
