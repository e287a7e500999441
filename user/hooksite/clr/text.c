// SPDX-License-Identifier: BSD-2-Clause
#include "text.h"

#include <string.h>

#include <gnomon/utf8.h>

#define MARK	 "..."
#define MARK_LEN (sizeof(MARK) - 1)

void gn_text_init(struct gn_text *t, char *bytes, size_t cap)
{
	t->bytes = bytes;
	t->len = 0;
	t->cap = cap;
	t->full = false;
	bytes[0] = '\0';
}

static void put_bytes(struct gn_text *t, const char *s, size_t n)
{
	size_t room = t->cap - t->len - 1 - MARK_LEN;

	if (t->full)
		return;
	if (n > room) {
		t->full = true;
		s = MARK;
		n = MARK_LEN;
	}
	memcpy(t->bytes + t->len, s, n);
	t->len += n;
	t->bytes[t->len] = '\0';
}

/* The length of the UTF-8 character that begins with this byte. */
static size_t char_len(char lead)
{
	unsigned char c = (unsigned char)lead;

	return c < 0xc0 ? 1 : c < 0xe0 ? 2 : c < 0xf0 ? 3 : 4;
}

void gn_text_put(struct gn_text *t, const char *s)
{
	size_t left = strlen(s);

	while (left && !t->full) {
		size_t n = char_len(*s);

		n = n < left ? n : left;
		put_bytes(t, s, n);
		s += n;
		left -= n;
	}
}

void gn_text_put_u32(struct gn_text *t, uint32_t value)
{
	char digits[11];
	char *p = digits + sizeof(digits) - 1;

	*p = '\0';
	do {
		*--p = (char)('0' + value % 10);
		value /= 10;
	} while (value);
	gn_text_put(t, p);
}

static bool is_high(uint32_t c)
{
	return c >= 0xd800 && c < 0xdc00;
}

static bool is_low(uint32_t c)
{
	return c >= 0xdc00 && c < 0xe000;
}

void gn_text_put_utf16(struct gn_text *t, const uint16_t *s, size_t n)
{
	char out[4];

	for (size_t i = 0; i < n && s[i] && !t->full; i++) {
		uint32_t c = s[i];

		if (is_high(c) && i + 1 < n && is_low(s[i + 1]))
			c = 0x10000 + ((c - 0xd800) << 10) + (s[++i] - 0xdc00u);
		else if (is_high(c) || is_low(c))
			c = 0xfffd;
		put_bytes(t, out, gn_utf8_encode(c, out));
	}
}
