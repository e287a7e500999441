/* SPDX-License-Identifier: BSD-2-Clause */
#include "output/emit.h"

#include <inttypes.h>
#include <string.h>

#include "output/text.h"

static void put_char(FILE *f, const char *text, size_t len, int32_t c)
{
	uint32_t high;

	if (c < 0)
		fprintf(f, "\\\\x%02x", (unsigned char)*text);
	else if (c == '<') /* only in markup */
		fputs("\\u003c", f);
	else if (c == '"' || c == '\\')
		fprintf(f, "\\%c", (char)c);
	else if (c == '\n')
		fputs("\\n", f);
	else if (c == '\t')
		fputs("\\t", f);
	else if (gn_printable(c))
		fwrite(text, 1, len, f);
	else if (c < 0x10000)
		fprintf(f, "\\u%04" PRIx32, (uint32_t)c);
	else {
		high = (uint32_t)c - 0x10000;
		fprintf(f, "\\u%04" PRIx32 "\\u%04" PRIx32,
			0xd800 + (high >> 10), 0xdc00 + (high & 0x3ff));
	}
}

/* Whether a byte needs no escape. Most strings have only such bytes. */
static bool plain(const struct gn_emit *e, char c)
{
	return c >= ' ' && c <= '~' && c != '"' && c != '\\' &&
	       (c != '<' || !e->in_markup);
}

/* A NUL follows the `n` bytes. */
static void put_text(const struct gn_emit *e, const char *text, size_t n)
{
	const char *end = text + n;
	FILE *f = e->f;
	size_t len;

	fputc_unlocked('"', f);
	for (; text < end; text += len) {
		for (len = 0; plain(e, text[len]);)
			len++;
		if (len) {
			fwrite_unlocked(text, 1, len, f);
			continue;
		}
		int32_t c = gn_utf8_next(text, &len);

		put_char(f, text, len, c);
	}
	fputc_unlocked('"', f);
}

/* Writes at least `least` digits of `n` before `end`. Returns where they
 * begin. */
static char *digits(char *end, uint64_t n, int least)
{
	for (; n || least > 0; least--) {
		*--end = (char)('0' + n % 10);
		n /= 10;
	}
	return end;
}

void gn_format_fixed(char buf[GN_CELL], double value, int decimals)
{
	char text[GN_CELL] = "", *end = text + sizeof(text) - 1, *at;
	uint64_t unit = 1, n;

	for (int i = 0; i < decimals; i++)
		unit *= 10;
	if (value < 0) {
		*buf++ = '-';
		value = -value;
	}
	if (!(value < 1e12)) { /* a double of this size has no exact decimals */
		snprintf(buf, GN_CELL - 1, "%.0f", value);
		return;
	}
	n = (uint64_t)(value * (double)unit + 0.5);
	at = digits(end, n % unit, decimals);
	if (decimals > 0)
		*--at = '.';
	at = digits(at, n / unit, 1);
	memcpy(buf, at, (size_t)(end + 1 - at));
}

/* Writes the comma and the key before a value. */
static void begin(struct gn_emit *e, const char *key)
{
	if (e->comma)
		fputc_unlocked(',', e->f);
	e->comma = true;
	if (key) {
		put_text(e, key, strlen(key));
		fputc_unlocked(':', e->f);
	}
}

void gn_emit_open(struct gn_emit *e, const char *key, char bracket)
{
	begin(e, key);
	fputc_unlocked(bracket, e->f);
	e->comma = false;
}

void gn_emit_close(struct gn_emit *e, char bracket)
{
	fputc_unlocked(bracket, e->f);
	e->comma = true;
}

static void put_number(struct gn_emit *e, const char *key, const char *sign,
		       uint64_t n)
{
	char text[20], *end = text + sizeof(text), *at = digits(end, n, 1);

	begin(e, key);
	fputs_unlocked(sign, e->f);
	fwrite_unlocked(at, 1, (size_t)(end - at), e->f);
}

void gn_emit_u64(struct gn_emit *e, const char *key, uint64_t n)
{
	put_number(e, key, "", n);
}

void gn_emit_i64(struct gn_emit *e, const char *key, int64_t n)
{
	put_number(e, key, n < 0 ? "-" : "",
		   n < 0 ? -(uint64_t)n : (uint64_t)n);
}

void gn_emit_number(struct gn_emit *e, const char *key, const char *digits)
{
	begin(e, key);
	fputs_unlocked(digits, e->f);
}

void gn_emit_bool(struct gn_emit *e, const char *key, bool value)
{
	begin(e, key);
	fputs(value ? "true" : "false", e->f);
}

void gn_emit_null(struct gn_emit *e, const char *key)
{
	begin(e, key);
	fputs_unlocked("null", e->f);
}

void gn_emit_pct(struct gn_emit *e, const char *key, double pct)
{
	char text[GN_CELL];

	begin(e, key);
	gn_format_fixed(text, pct, 6);
	fputs_unlocked(text, e->f);
}

void gn_emit_text(struct gn_emit *e, const char *key, const char *text)
{
	gn_emit_string(e, key, text, strlen(text));
}

void gn_emit_string(struct gn_emit *e, const char *key, const char *text,
		    size_t len)
{
	begin(e, key);
	put_text(e, text, len);
}

void gn_emit_line(struct gn_emit *e)
{
	if (e->flat)
		return;
	if (e->comma)
		fputc_unlocked(',', e->f);
	e->comma = false;
	fputc_unlocked('\n', e->f);
}
