/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A text that is written as a stream. open_memstream() does not report
 * everything that it could not keep: glibc drops bytes, or returns no text,
 * while fclose() returns 0.
 */
#ifndef GNOMON_NAMES_TEXT_STREAM_H
#define GNOMON_NAMES_TEXT_STREAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

struct gn_text_stream {
	FILE *f;
	char *text;
	size_t size; /* without the NUL; valid once closed */
	size_t allocated;
	bool failed;
};

/* Returns the stream to write to. ftell() works, fseek() does not. NULL: no
 * memory; then there is nothing to close. */
FILE *gn_text_stream_open(struct gn_text_stream *s);

/* Returns the whole text, which the caller frees. NULL: no memory. */
char *gn_text_stream_close(struct gn_text_stream *s);

#endif
