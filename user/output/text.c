/* SPDX-License-Identifier: BSD-2-Clause */
#include "output/text.h"

#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>

#include "model/model.h"

size_t gn_text_width(const char *text)
{
	size_t width = 0, len;

	for (; *text; text += len)
		width += (size_t)gn_cells(gn_utf8_next(text, &len));
	return width;
}

/* The length in bytes of the longest prefix that has at most `width` cells. */
static size_t head_bytes(const char *text, size_t width)
{
	size_t at = 0, used = 0, len;

	while (text[at]) {
		used += (size_t)gn_cells(gn_utf8_next(text + at, &len));
		if (used > width)
			break;
		at += len;
	}
	return at;
}

void gn_text_shorten(char *text, size_t width)
{
	static const char dots[] = "...";
	size_t all = gn_text_width(text), head, tail, keep;

	if (width < 8)
		width = 8;
	if (all <= width)
		return;
	keep = width - 3;
	head = head_bytes(text, keep / 2);
	/* names often differ at their end, which gets the larger half */
	tail = head_bytes(text, all - (keep - keep / 2));
	while (gn_text_width(text + tail) > keep - keep / 2) {
		size_t len;

		gn_utf8_next(text + tail, &len);
		tail += len;
	}
	/* more than 3 cells are cut, but they can be fewer bytes than the
	 * dots */
	if (tail < head + 3)
		return;
	memcpy(text + head, dots, 3);
	memmove(text + head + 3, text + tail, strlen(text + tail) + 1);
}

void gn_text_cut(char *text, size_t width)
{
	size_t at;

	if (width < 8)
		width = 8;
	if (gn_text_width(text) <= width)
		return;
	at = head_bytes(text, width - 3);
	strcpy(text + at, "...");
}

void gn_format_count(char buf[GN_CELL], uint64_t n)
{
	char digits[24];
	int len = snprintf(digits, sizeof(digits), "%" PRIu64, n);
	size_t at = 0;

	for (int i = 0; i < len; i++) {
		if (i && (len - i) % 3 == 0)
			buf[at++] = ',';
		buf[at++] = digits[i];
	}
	buf[at] = '\0';
}

void gn_format_time(char buf[GN_CELL], uint64_t ns, bool exact)
{
	static const char *const units[] = {"us", "ms", "s "};
	uint64_t unit = 1000, thousandths = ns;
	char whole[GN_CELL];
	int i = 0;

	if (exact || ns < 1000) {
		gn_format_count(whole, ns);
		snprintf(buf, GN_CELL, "%.40s ns", whole);
		return;
	}
	/* thousandths of the unit, rounded: 999.9996 ms becomes 1.000 s */
	while (thousandths >= 1000000 && i < 2) {
		unit *= 1000;
		thousandths = ns / (unit / 1000) +
			      (ns % (unit / 1000) >= unit / 2000);
		i++;
	}
	gn_format_count(whole, thousandths / 1000);
	snprintf(buf, GN_CELL, "%.36s.%03u %s", whole,
		 (unsigned int)(thousandths % 1000), units[i]);
}

void gn_format_duration(char buf[GN_CELL], uint64_t ns, bool exact)
{
	size_t len;

	gn_format_time(buf, ns, exact);
	len = strlen(buf);
	if (buf[len - 1] == ' ')
		buf[len - 1] = '\0';
}

void gn_format_difference(char buf[GN_CELL], int64_t ns, bool exact)
{
	char amount[GN_CELL];

	gn_format_duration(amount, ns < 0 ? -(uint64_t)ns : (uint64_t)ns,
			   exact);
	snprintf(buf, GN_CELL, "%s%.*s", ns < 0 ? "-" : "", GN_CELL - 2,
		 amount);
}

void gn_format_pct(char buf[GN_CELL], uint64_t part, uint64_t whole)
{
	snprintf(buf, GN_CELL, "%.1f", gn_pct(part, whole));
}

/* Whether the reader of a pipe is gone. errno may not say so: the writer may
 * have continued after the error. Keeps errno. */
static bool reader_gone(FILE *f)
{
	int before = errno;
	struct pollfd p = {.fd = fileno(f)};
	bool gone = poll(&p, 1, 0) == 1 && p.revents & POLLERR;

	errno = before;
	return gone;
}

int gn_stream_status(FILE *f)
{
	if (!ferror(f))
		return 0;
	if (reader_gone(f))
		return -EPIPE;
	return errno > 0 ? -errno : -EIO;
}

const char *gn_polled_text(int polled)
{
	static const char *const texts[] = {
#define POLLED_TEXT(name, value, text) [GN_POLLED_##name] = text,
		GN_POLLED_LIST(POLLED_TEXT)
#undef POLLED_TEXT
	};

	return texts[polled > 0 && polled < GN_POLLED_COUNT ? polled : 0];
}

const char *gn_wait_end_text(int end)
{
	static const char *const texts[] = {
#define END_TEXT(name, value, text) [GN_END_BY_##name] = text,
		GN_WAIT_END_LIST(END_TEXT)
#undef END_TEXT
	};

	return texts[end > 0 && end < GN_WAIT_END_COUNT ? end : 0];
}

const char *gn_halt_text(int halt)
{
	static const char *const texts[] = {
#define HALT_TEXT(name, value, text) [GN_HALT_##name] = text,
		GN_HALT_LIST(HALT_TEXT)
#undef HALT_TEXT
	};

	return texts[halt > 0 && halt < GN_HALT_COUNT ? halt : 0];
}

int gn_csv_text(FILE *f, const char *text)
{
	char *escaped = gn_escape(text, true);

	if (!escaped)
		return -ENOMEM;
	if (!escaped[strcspn(escaped, ",\"")]) {
		fputs(escaped, f);
	} else {
		fputc('"', f);
		for (const char *p = escaped; *p; p++) {
			if (*p == '"')
				fputc('"', f);
			fputc(*p, f);
		}
		fputc('"', f);
	}
	free(escaped);
	return 0;
}
