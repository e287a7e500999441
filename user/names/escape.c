/* SPDX-License-Identifier: BSD-2-Clause */
#include "names/escape.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct range {
	int32_t first, last;
};

static bool within(const struct range *r, size_t n, int32_t c)
{
	for (size_t i = 0; i < n; i++) {
		if (c >= r[i].first && c <= r[i].last)
			return true;
	}
	return false;
}

int32_t gn_utf8_next(const char *text, size_t *len)
{
	static const int32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
	const unsigned char *p = (const unsigned char *)text;
	int32_t c;
	size_t n;

	*len = 1;
	if (p[0] < 0x80)
		return p[0];
	if (p[0] >= 0xc2 && p[0] <= 0xdf)
		n = 2;
	else if (p[0] >= 0xe0 && p[0] <= 0xef)
		n = 3;
	else if (p[0] >= 0xf0 && p[0] <= 0xf4)
		n = 4;
	else
		return -1;
	c = p[0] & (0xff >> (n + 1));
	for (size_t i = 1; i < n; i++) {
		if ((p[i] & 0xc0) != 0x80)
			return -1;
		c = c << 6 | (p[i] & 0x3f);
	}
	if (c < least[n] || c > 0x10ffff || (c >= 0xd800 && c <= 0xdfff))
		return -1;
	*len = n;
	return c;
}

bool gn_printable(int32_t c)
{
	static const struct range hidden[] = {
		{0x00, 0x1f},	     {0x7f, 0x9f},     {0xad, 0xad},
		{0x61c, 0x61c},	     {0x180e, 0x180e}, {0x200b, 0x200f},
		{0x2028, 0x202e},    {0x2060, 0x206f}, {0xfeff, 0xfeff},
		{0xfff0, 0xfffb},    {0xfffe, 0xffff}, {0xe000, 0xf8ff},
		{0xe0000, 0x10ffff},
	};

	return c >= 0 && !within(hidden, sizeof(hidden) / sizeof(*hidden), c);
}

int gn_cells(int32_t c)
{
	static const struct range none[] = {
		{0x300, 0x36f},	  {0x483, 0x489},   {0x591, 0x5bd},
		{0x610, 0x61a},	  {0x64b, 0x65f},   {0x1ab0, 0x1aff},
		{0x1dc0, 0x1dff}, {0x20d0, 0x20ff}, {0xfe00, 0xfe0f},
		{0xfe20, 0xfe2f},
	};
	static const struct range wide[] = {
		{0x1100, 0x115f},   {0x2e80, 0x303e},	{0x3041, 0xa4cf},
		{0xa960, 0xa97f},   {0xac00, 0xd7a3},	{0xf900, 0xfaff},
		{0xfe30, 0xfe6f},   {0xff00, 0xff60},	{0xffe0, 0xffe6},
		{0x1f300, 0x1f64f}, {0x1f900, 0x1f9ff}, {0x20000, 0x3fffd},
	};

	if (c < 0x300)
		return 1;
	if (within(none, sizeof(none) / sizeof(*none), c))
		return 0;
	return within(wide, sizeof(wide) / sizeof(*wide), c) ? 2 : 1;
}

/* Writes the escape of a character, or of a byte that is no character (c =
 * -1). */
static int put_escape(char *out, size_t size, int32_t c, char byte)
{
	if (c < 0x80)
		return snprintf(out, size, "\\x%02x", (unsigned char)byte);
	return snprintf(out, size, "\\u{%" PRIx32 "}", (uint32_t)c);
}

/* `own`: characters to escape with a backslash. A NUL must follow `text`. */
static char *escape(const char *text, size_t n, bool utf8, const char *own)
{
	/* longest escapes: \u{10ffff} for 4 bytes, \xNN for one */
	size_t size = n * 4 + 1, at = 0, len;
	const char *end = text + n;
	char *out = malloc(size);

	if (!out)
		return NULL;
	for (; text < end; text += len) {
		int32_t c = gn_utf8_next(text, &len);

		if (c > 0 && c < 0x80 && strchr(own, c))
			out[at++] = '\\';
		if (c >= 0 && gn_printable(c) && (utf8 || c < 0x80)) {
			memcpy(out + at, text, len);
			at += len;
		} else {
			at += (size_t)put_escape(out + at, size - at, c, *text);
		}
	}
	out[at] = '\0';
	return out;
}

char *gn_escape(const char *name, bool utf8)
{
	return escape(name, strlen(name), utf8, "");
}

char *gn_escape_string(const char *text, size_t len, bool utf8)
{
	return escape(text, len, utf8, "\"\\");
}
