/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The signatures and names of a .NET module's metadata, as the hook-site
 * library reads them inside the traced program. An input is the room for the
 * text, then blobs, each with its length first. The first blob is a method's
 * signature. The others are TypeSpec signatures, or names in UTF-16.
 */
#include <stdlib.h>
#include <string.h>

#include "fuzz.h"
#include "hooksite/clr/sig.h"

#define BLOBS_MAX 16
#define ROOM_MAX  1024
#define WORK_MAX  2000000 /* limit of names that one signature looks up */

struct blob {
	uint8_t *bytes;
	size_t size;
};

struct module {
	struct blob blobs[BLOBS_MAX];
	size_t n;
	unsigned int work;
};

static void put_variable(void *ctx, struct gn_text *out, bool of_method,
			 uint32_t n)
{
	(void)ctx;
	gn_text_put(out, of_method ? "!!" : "!");
	gn_text_put_u32(out, n);
}

static void put_name(const struct blob *b, struct gn_text *out)
{
	size_t n = b->size / 2;
	uint16_t *units = malloc(2 * n + 1);

	must(units, "there is memory");
	memcpy(units, b->bytes, 2 * n);
	gn_text_put_utf16(out, units, n);
	free(units);
}

static void put_type(void *ctx, struct gn_text *out, gn_token token,
		     unsigned int depth)
{
	struct module *m = ctx;
	const struct gn_sig_env env = {ctx, put_type, put_variable, NULL, NULL};
	const struct blob *b = &m->blobs[GN_TOKEN_ROW(token) % m->n];
	struct gn_sig sig = {.bytes = b->bytes, .size = b->size};

	must(++m->work < WORK_MAX, "a signature is bounded work");
	if (GN_TOKEN_TABLE(token) != GN_TOKEN_TYPESPEC)
		put_name(b, out);
	else if (!gn_sig_put_type(out, &sig, &env, depth))
		gn_text_put(out, "?");
	must(sig.at <= sig.size, "no byte behind the blob is read");
}

void gn_fuzz(const uint8_t *bytes, size_t size)
{
	struct gn_fuzz_in in = {bytes, size};
	struct module m = {0};
	const struct gn_sig_env env = {&m, put_type, put_variable, NULL, NULL};
	size_t room = GN_TEXT_CAP_MIN + gn_fuzz_take(&in, 2) % ROOM_MAX;
	char *text = malloc(room);
	struct gn_text out;

	must(text, "there is memory");
	do {
		struct blob *b = &m.blobs[m.n++];

		b->size = gn_fuzz_take(&in, 1);
		b->bytes = gn_fuzz_take_bytes(&in, &b->size);
	} while (in.left && m.n < BLOBS_MAX);
	gn_text_init(&out, text, room);
	gn_sig_put_params(&out, m.blobs[0].bytes, m.blobs[0].size, &env);
	must(out.len < room && text[out.len] == '\0' && strlen(text) == out.len,
	     "the text has one end, within its room");
	must(text[0] == '(', "it is a list");
	must(gn_fuzz_is_text(text, out.len, NULL), "the text is UTF-8");
	while (m.n)
		free(m.blobs[--m.n].bytes);
	free(text);
}
