/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A text of bounded size that is built piece by piece. It is UTF-8, has whole
 * characters only, and is always NUL-terminated. If a character does not fit,
 * the text ends there with "..." and takes no more.
 */
#ifndef GNOMON_CLR_TEXT_H
#define GNOMON_CLR_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct gn_text {
	char *bytes;
	size_t len; /* without the NUL */
	size_t cap; /* of `bytes`, at least GN_TEXT_CAP_MIN */
	bool full;
};

#define GN_TEXT_CAP_MIN 8

void gn_text_init(struct gn_text *t, char *bytes, size_t cap);
void gn_text_put(struct gn_text *t, const char *s);
void gn_text_put_u32(struct gn_text *t, uint32_t value);

/* Appends up to `n` units, but stops at a NUL. An unpaired surrogate becomes
 * U+FFFD. */
void gn_text_put_utf16(struct gn_text *t, const uint16_t *s, size_t n);

#endif
