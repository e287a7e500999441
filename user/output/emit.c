/* SPDX-License-Identifier: BSD-2-Clause */
#include "output/emit.h"

#include <inttypes.h>

#include "output/text.h"

static void put_char(FILE *f, const char *text, size_t len, int32_t c)
{
	uint32_t high;

	if (c < 0)
		fprintf(f, "\\\\x%02x", (unsigned char)*text);
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

static void put_text(FILE *f, const char *text)
{
	size_t len;

	fputc('"', f);
	for (; *text; text += len) {
		int32_t c = gn_utf8_next(text, &len);

		put_char(f, text, len, c);
	}
	fputc('"', f);
}

/* The comma and the key before a value. */
static void begin(struct gn_emit *e, const char *key)
{
	if (e->comma)
		fputc(',', e->f);
	e->comma = true;
	if (key) {
		put_text(e->f, key);
		fputc(':', e->f);
	}
}

void gn_emit_open(struct gn_emit *e, const char *key, char bracket)
{
	begin(e, key);
	fputc(bracket, e->f);
	e->comma = false;
}

void gn_emit_close(struct gn_emit *e, char bracket)
{
	fputc(bracket, e->f);
	e->comma = true;
}

void gn_emit_u64(struct gn_emit *e, const char *key, uint64_t n)
{
	begin(e, key);
	fprintf(e->f, "%" PRIu64, n);
}

void gn_emit_bool(struct gn_emit *e, const char *key, bool value)
{
	begin(e, key);
	fputs(value ? "true" : "false", e->f);
}

void gn_emit_pct(struct gn_emit *e, const char *key, double pct)
{
	begin(e, key);
	fprintf(e->f, "%.6f", pct);
}

void gn_emit_text(struct gn_emit *e, const char *key, const char *text)
{
	begin(e, key);
	put_text(e->f, text);
}

void gn_emit_line(struct gn_emit *e)
{
	if (e->comma)
		fputc(',', e->f);
	e->comma = false;
	fputc('\n', e->f);
}
