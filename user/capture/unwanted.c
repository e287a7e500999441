/* SPDX-License-Identifier: BSD-2-Clause */
#include "capture/unwanted.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "capture/drain.h"
#include "runtime/runtime.h"

void gn_unwanted_free(struct gn_unwanted *u)
{
	free(u->bits);
	memset(u, 0, sizeof(*u));
}

/* Without memory the function is shown as if it were requested. */
static void leave_out(struct gn_unwanted *u, uint32_t index)
{
	size_t word = index / 64, words = u->words ? u->words : 64;
	uint64_t *grown;

	while (words <= word)
		words *= 2;
	if (words != u->words) {
		grown = reallocarray(u->bits, words, sizeof(*grown));
		if (!grown)
			return;
		memset(grown + u->words, 0,
		       (words - u->words) * sizeof(*grown));
		u->bits = grown;
		u->words = words;
	}
	u->bits[word] |= 1ull << index % 64;
}

static bool is_left_out(const struct gn_unwanted *u, uint32_t func)
{
	uint32_t index = GN_FUNC_INDEX(func);
	const struct gn_runtime *rt;

	if (index / 64 >= u->words || !(u->bits[index / 64] >> index % 64 & 1))
		return false;
	rt = gn_runtime_of(GN_FUNC_RUNTIME(func));
	return rt && rt->name;
}

static void take_name(struct gn_unwanted *u, const struct gn_rec_text *r)
{
	const struct gn_runtime *rt = gn_runtime_of(GN_FUNC_RUNTIME(r->id));
	const char *text, *module;
	char room[GN_TWO_TEXTS];

	if (!rt || !rt->name || !gn_text_split(r, room, &text, &module))
		return;
	for (const char *const *a = rt->always; a && *a; a++)
		if (!strncmp(text, *a, strlen(*a)))
			return;
	if (!rt->matches(u->filter, text, module))
		leave_out(u, GN_FUNC_INDEX(r->id));
}

const struct gn_rec *gn_unwanted_record(struct gn_unwanted *u,
					const struct gn_rec *rec,
					struct gn_rec_func *room)
{
	uint32_t func;

	switch (rec->kind) {
	case GN_KIND_NAME:
		if (u->filter)
			take_name(u, (const void *)rec);
		return rec;
	case GN_KIND_ENTER:
	case GN_KIND_RESUMED:
	case GN_KIND_LEAVE:
		func = ((const struct gn_rec_func *)rec)->func;
		if (func != GN_UNWANTED_METER && !is_left_out(u, func))
			return rec;
		memcpy(room, rec, sizeof(*room));
		room->h.kind = GN_KIND_PASSED;
		room->func = 0;
		return &room->h;
	default:
		return rec;
	}
}

bool gn_unwanted_any(const struct gn_unwanted *u,
		     const struct gn_rec_func *recs, size_t n)
{
	for (size_t i = 0; u->words && i < n; i++)
		if (is_left_out(u, recs[i].func))
			return true;
	return false;
}
