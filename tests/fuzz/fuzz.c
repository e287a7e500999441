/* SPDX-License-Identifier: BSD-2-Clause */
#include "fuzz.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void must(bool truth, const char *what)
{
	if (truth)
		return;
	fprintf(stderr, "fuzz: not so: %s\n", what);
	abort();
}

/* Decodes the UTF-8 character at p. Returns its length. 0: there is none. */
static size_t character(const uint8_t *p, size_t n, uint32_t *c)
{
	static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
	size_t len = *p < 0x80	 ? 1
		     : *p < 0xc0 ? 0
		     : *p < 0xe0 ? 2
		     : *p < 0xf0 ? 3
		     : *p < 0xf8 ? 4
				 : 0;

	if (!len || len > n)
		return 0;
	*c = len == 1 ? *p : *p & (0x7fu >> len);
	for (size_t i = 1; i < len; i++) {
		if ((p[i] & 0xc0) != 0x80)
			return 0;
		*c = *c << 6 | (p[i] & 0x3f);
	}
	if (*c < least[len] || *c > 0x10ffff || (*c >= 0xd800 && *c < 0xe000))
		return 0;
	return len;
}

bool gn_fuzz_is_text(const char *text, size_t n, const char *allowed)
{
	const uint8_t *p = (const uint8_t *)text;

	while (n) {
		uint32_t c;
		size_t len = character(p, n, &c);

		if (!len)
			return false;
		if (allowed && (c < 0x20 || (c >= 0x7f && c < 0xa0)) &&
		    !(c && c < 0x80 && strchr(allowed, (int)c)))
			return false;
		p += len;
		n -= len;
	}
	return true;
}

uint64_t gn_fuzz_take(struct gn_fuzz_in *in, size_t size)
{
	uint64_t v = 0;
	size_t n = size < in->left ? size : in->left;

	for (size_t i = 0; i < n; i++)
		v |= (uint64_t)in->p[i] << (8 * i);
	in->p += n;
	in->left -= n;
	return v;
}

char *gn_fuzz_take_text(struct gn_fuzz_in *in, char end, size_t *n)
{
	const uint8_t *stop = in->left ? memchr(in->p, end, in->left) : NULL;
	size_t len = stop ? (size_t)(stop - in->p) : in->left;
	char *text = malloc(len + 1);

	must(text, "there is memory");
	if (len)
		memcpy(text, in->p, len);
	text[len] = '\0';
	in->p += len + !!stop;
	in->left -= len + !!stop;
	if (n)
		*n = len;
	return text;
}

uint8_t *gn_fuzz_take_bytes(struct gn_fuzz_in *in, size_t *n)
{
	uint8_t *bytes;

	*n = *n < in->left ? *n : in->left;
	bytes = malloc(*n ? *n : 1);
	must(bytes, "there is memory");
	if (*n)
		memcpy(bytes, in->p, *n);
	in->p += *n;
	in->left -= *n;
	return bytes;
}
